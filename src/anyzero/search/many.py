"""Many positions at once: `search_many(game, states, "gumbel", simulations=32, evaluator=network)`."""

from typing import Any, NamedTuple

import numpy as np

from anyzero.errors import AnyzeroError, BadOptionError
from anyzero.games.game import Game
from anyzero.search.methods import BATCH, EXPECTIMAX, Evaluator, Method, find_method
from anyzero.search.run import Run
from anyzero.search.search import adapt, check_budget, check_game, check_max_nodes, check_room, room

MOST_NODES = 1 << 30


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
    target: str = "cpu",
    max_nodes: int | None = None,
    **options: Any,
) -> ManyResults:
    """Search every position, each with its own tree and random stream; `max_nodes` is for each.

    An evaluator outside is called with one leaf of every tree at a time. Threads change nothing but the time. On the
    target `cuda` the trees grow on the GPU, with an evaluator that is compiled into the search.

    >>> anyzero.search_many(game, [game.initial_state()] * 100, "uct", simulations=200, evaluator="rollout").actions
    """
    check_game(game)
    check_budget(simulations, None)
    check_max_nodes(MOST_NODES if max_nodes is None else max_nodes)
    chosen = adapt(game, find_method(method, options), evaluator)
    if chosen.halves:
        raise AnyzeroError(f"{method} halves one root at a time; for many positions take gumbel")
    if chosen.settings.formula == EXPECTIMAX:
        simulations = game.num_actions  # one move deep: each move once
    if chosen.settings.transpositions:
        raise BadOptionError("transpositions are for one tree: many trees must not share nodes")
    if any(game.seat_to_move(state) < 0 for state in states):
        raise AnyzeroError(f"{game.name}: there is nothing to search, a game is over or it is chance's turn")
    nodes = room(game, simulations, MOST_NODES if max_nodes is None else max_nodes)
    for state in states:
        check_room(game, state, nodes)
    if target == "cuda":
        run: Any = new_gpu_run(game, chosen, nodes, simulations, len(states))
    else:
        run = Run(
            game,
            chosen,
            room=nodes,
            simulations=simulations,
            num_trees=len(states),
            evaluator=evaluator if callable(evaluator) else None,
            threads=threads,
            target=target,
        )
    run.seed(seed)
    run.plant(states)
    done = run.simulate(int(simulations))
    actions, values, policies = run.report()
    return ManyResults(actions, values, policies, done)


def new_gpu_run(game: Game, method: Method, nodes: int, simulations: int, num_trees: int) -> Any:
    from anyzero.search.on_gpu import GpuRun

    if method.settings.evaluator == BATCH:
        raise BadOptionError("an evaluator outside the search works on the host: its trees cannot be on the GPU")
    return GpuRun(game, method, room=nodes, simulations=simulations, num_trees=num_trees)
