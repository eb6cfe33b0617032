"""What an evaluator outside the search answers, in the form that kernels take.

An evaluator is called with the game and an array of positions and returns `(logits, values)`:
logits [positions, actions], of which the search takes the softmax over the legal actions, and
values, each the expected payoff for the seat to move (at a chance node: the first seat), or
[positions, seats] for games that are not two opposite seats or one.

An evaluator with its own threads provides them as `pool`: then each thread searches its share of
the trees to the end and calls the evaluator only for its own leaves, so that no thread waits for
another; `together` is the number of trees. One with a method `values(game, states)` is spared the
logits when they are not needed.
"""

from collections.abc import Sequence

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Numbers, States
from anyzero.core.game.game import Game
from anyzero.core.search.methods import Evaluator
from anyzero.core.search.simulation import WAITING
from anyzero.core.search.tree import Scratch

Answers = tuple[np.ndarray, np.ndarray]  # logits [leaves, actions] and values [leaves, 1 or seats]
NO_ANSWERS: Answers = (np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32))
"""Passed on when no leaf needs an answer."""


def evaluate_states(evaluator: Evaluator, game: Game, states: States) -> Answers:
    """The evaluator's answer for these positions; an error if it has another form."""
    logits, values = (np.asarray(part, np.float32) for part in evaluator(game, states))
    shape = (len(states), game.num_actions)
    if logits.shape != shape:
        raise BadOptionError(
            f"{game.name}: the evaluator's logits have the shape {logits.shape}, not {shape}"
        )
    if values.shape == (len(states),) and game.num_values == 1:
        values = values[:, None]
    if values.shape not in {(len(states), game.num_seats), (len(states), game.num_values)}:
        fault = f"{values.shape}, not one a position and seat"
        raise BadOptionError(f"{game.name}: the evaluator's values have the shape {fault}")
    _check_finite(game, bool(np.isfinite(values).all() and not np.isnan(logits).any()))
    return np.maximum(logits, np.float32(-1e9)), values


def evaluate_values(evaluator: Evaluator, game: Game, states: States) -> np.ndarray:
    """The values alone, [positions, 1 or seats]; an evaluator with a method `values` need not
    compute logits.
    """
    if not hasattr(evaluator, "values"):
        return evaluate_states(evaluator, game, states)[1]
    values = np.asarray(evaluator.values(game, states), np.float32).reshape(
        len(states), game.num_values
    )
    _check_finite(game, bool(np.isfinite(values).all()))
    return values


def _check_finite(game: Game, is_finite: bool) -> None:
    if not is_finite:
        raise BadOptionError(f"{game.name}: the evaluator's answer has numbers that are not finite")


def answer_leaves(
    game: Game,
    scratch: Scratch,
    begin: int,
    end: int,
    evaluators: Sequence[Evaluator],
    evaluator_of: Numbers = None,
) -> Answers:
    """The evaluators' answers for the waiting leaves of these trees; `evaluator_of` is the number
    of each tree's evaluator.
    """
    waiting = begin + np.flatnonzero(scratch.known[begin:end] == WAITING)
    answers = []
    row = 0
    for number, evaluator in enumerate(evaluators):
        trees = waiting if evaluator_of is None else waiting[evaluator_of[waiting] == number]
        if len(trees):
            scratch.rows[trees] = np.arange(row, row + len(trees))
            answers.append(evaluate_states(evaluator, game, scratch.states[trees]))
            row += len(trees)
    if len(answers) < 2:
        return answers[0] if answers else NO_ANSWERS
    logits, values = zip(*answers, strict=True)
    return np.concatenate(logits), np.concatenate(values)
