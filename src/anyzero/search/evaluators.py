"""Evaluators: what turns a batch of positions into priors and values. Networks plug in here; so does any function.

An evaluator is called with the game and an array of positions and returns `(logits, values)`: logits [positions,
actions], of which the search takes the softmax over the legal actions, and values, each the expected payoff for the
seat to move (at a chance node: the first seat), or [positions, seats] for games that are not two opposite seats or one.

One that has threads of its own brings them as `pool`: then each of them searches its share of the trees to the end and
calls the evaluator for its own leaves alone, so that nobody waits for anybody; `together` says of how many trees.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.search.settings import BATCH, GUIDED, ROLLOUT, UNIFORM

Evaluator = Callable[[Game, Any], tuple[Any, Any]]

EVALUATORS = {"rollout": ROLLOUT, "guided": GUIDED, "uniform": UNIFORM}
"""Those that are compiled into the search: random play, random play that knows the game, and no opinion at all."""


def evaluator_code(evaluator: "str | Evaluator") -> int:
    """The number by which the kernel knows an evaluator."""
    if callable(evaluator):
        return BATCH
    if evaluator not in EVALUATORS:
        hint = nearest_hint(str(evaluator), EVALUATORS)
        raise UnknownNameError(f"there is no evaluator {evaluator!r}; {hint}known: {list_some(EVALUATORS)}")
    return EVALUATORS[evaluator]


def ask(evaluator: Evaluator, game: Game, states: Any) -> tuple[np.ndarray, np.ndarray]:
    """The evaluator's answer in the form that the kernel reads; a sentence if it has another."""
    logits, values = evaluator(game, states)
    return checked(game, states, logits, values)


def checked(game: Game, states: Any, logits: Any, values: Any) -> tuple[np.ndarray, np.ndarray]:
    logits, values = np.asarray(logits, np.float32), np.asarray(values, np.float32)
    if logits.shape != (len(states), game.num_actions):
        wanted = (len(states), game.num_actions)
        raise BadOptionError(f"{game.name}: the evaluator's logits have the shape {logits.shape}, not {wanted}")
    two_sided = game.num_seats == 1 or game.is_opposed
    if values.shape == (len(states),) and two_sided:
        values = values[:, None]
    if values.shape not in {(len(states), game.num_seats), *([(len(states), 1)] if two_sided else [])}:
        raise BadOptionError(
            f"{game.name}: the evaluator's values have the shape {values.shape}, not one a position and seat"
        )
    if not np.isfinite(values).all() or np.isnan(logits).any():
        raise BadOptionError(f"{game.name}: the evaluator's answer has numbers that are not finite")
    return np.maximum(logits, np.float32(-1e9)), values
