"""Many positions at once: `search_many(game, states, "gumbel", simulations=32, evaluator=network)`."""

from typing import Any, NamedTuple

import numpy as np

from anyzero.games.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.search.evaluators import Evaluator
from anyzero.search.methods import find_method
from anyzero.search.report import report_trees
from anyzero.search.run import Run
from anyzero.search.search import adapt, check_budget, room


class ManyResults(NamedTuple):
    """What was found for each position."""

    actions: np.ndarray
    """[positions]: the action to play."""
    values: np.ndarray
    """[positions]: the mean payoff for the seat to move."""
    policies: np.ndarray
    """[positions, actions]: the policy after search."""
    simulations: int
    """Of all positions together."""


def search_many(
    game: Game,
    states: Any,
    method: str = "puct",
    *,
    simulations: int,
    evaluator: str | Evaluator = "uniform",
    seed: int = 0,
    threads: int = 1,
    max_nodes: int | None = None,
    **options: Any,
) -> ManyResults:
    """Search every position, each with its own tree and random stream; `max_nodes` is for each.

    An evaluator outside is called with one leaf of every tree at a time. Threads change nothing but the time.
    """
    run = new_run(game, len(states), method, simulations, evaluator, threads, max_nodes, options)
    if any(game.seat_to_move(state) < 0 for state in states):
        raise AnyzeroError(f"{game.name}: there is nothing to search, a game is over or it is chance's turn")
    run.seed(seed)
    run.plant(states)
    done = run.simulate(simulations)
    return ManyResults(*report(run), done)


def new_run(
    game: Game,
    num_trees: int,
    method: str,
    simulations: int,
    evaluator: str | Evaluator,
    threads: int,
    max_nodes: int | None,
    options: dict[str, Any],
) -> Run:
    check_budget(simulations, None)
    chosen = adapt(game, find_method(method, options), evaluator)
    if chosen.halves:
        raise AnyzeroError(f"{method} halves one root at a time; for many positions take gumbel")
    return Run(
        game,
        chosen,
        room=room(game, simulations, max_nodes or 1 << 30),
        simulations=simulations,
        num_trees=num_trees,
        evaluator=evaluator if callable(evaluator) else None,
        threads=threads,
    )


def report(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The chosen actions, values and policies of all trees."""
    policies = np.zeros((run.num_trees, run.game.num_actions), np.float32)
    values, chosen = np.zeros(run.num_trees, np.float32), np.zeros(run.num_trees, np.int32)
    kernel = run.kernel(report_trees)
    kernel(run.tree, run.scratch, run.settings, policies, values, chosen, 0, run.num_trees)
    return chosen, values, policies
