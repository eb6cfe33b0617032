"""Evaluations a second of a 4x32 network, how much of that a search with it reaches, and whole
games of self-play.

    .venv/bin/python benchmarks/networks.py [--json FILE]

The machine should be quiet. Each figure is the best of several runs; a search and its network take
turns, and nothing is remembered. In self-play positions come again; with these random weights fewer
than in training.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.learning.block import network_contestant
from anyzero.core.learning.config import RunConfig, SelfPlayConfig
from anyzero.core.learning.orders import Order
from anyzero.core.learning.selfplay import play_block
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import new_network
from anyzero.core.search import search_many

NETWORK = "4x32"
GAMES = ("connect_four", "hex")
BATCHES = (64, 256)
SIMULATIONS = 16
WANTED_SHARE = 0.75
GAMES_AT_ONCE = 256


def early_positions(game: Game, num: int, plies: int = 6) -> Any:
    """Positions after a few random moves."""
    rng, states = np.random.default_rng(1), game.new_states(num)
    for index in range(num):
        state = game.initial_state()
        for _ in range(index % plies):
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
        states[index] = state
    return states


def seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(game: Game, network: Any, *, threads: int, rounds: int) -> list[dict[str, Any]]:
    """The network alone and a search with it, in turns, for each size of batch."""
    evaluator = NetworkEvaluator(game, network, threads=threads, cache=0)
    rows = []
    for batch in BATCHES:
        states = early_positions(game, batch)

        def evaluate(states: Any = states) -> None:
            for _ in range(SIMULATIONS + 1):
                evaluator(game, states)

        def search(states: Any = states) -> None:
            search_many(
                game,
                states,
                "gumbel",
                simulations=SIMULATIONS,
                evaluator=evaluator,
                threads=threads,
            )

        search()
        took = [(seconds(evaluate), seconds(search)) for _ in range(rounds)]
        alone, searching = (min(column) for column in zip(*took, strict=True))
        evaluations, simulations = (
            (SIMULATIONS + 1) * batch / alone,
            SIMULATIONS * batch / searching,
        )
        rows.append(
            {
                "game": game.name,
                "threads": threads,
                "batch": batch,
                "evaluations_per_s": round(evaluations),
                "simulations_per_s": round(simulations),
                # The root's own evaluation is one more than there are simulations.
                "share": round(simulations * (SIMULATIONS + 1) / SIMULATIONS / evaluations, 2),
            }
        )
    return rows


def measure_games(
    game: Game, network: Any, *, threads: int, num: int = GAMES_AT_ONCE
) -> dict[str, Any]:
    """Whole games of self-play, in which positions come again and are remembered."""
    config = SelfPlayConfig(games=num, at_once=num).change(simulations=SIMULATIONS)
    order = Order(RunConfig(seed=1, selfplay=config), 1)

    def play(num: int) -> tuple[float, int]:
        evaluator = NetworkEvaluator(game, network, threads=threads)
        players, start = (
            [network_contestant(game, "network", evaluator, config, noise=True)],
            time.perf_counter(),
        )
        block = play_block(game, players, order, 0, num)
        return time.perf_counter() - start, block.simulations

    play(2)
    took, simulations = play(num)
    return {
        "game": game.name,
        "threads": threads,
        "games": num,
        "simulations_per_s": round(simulations / took),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument(
        "--rounds", type=int, default=7, help="runs of each kind, of which the best counts"
    )
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    print(f"network {NETWORK}, gumbel with {SIMULATIONS} simulations; wanted share {WANTED_SHARE}")
    for text in GAMES:
        game = load(text)
        network = new_network(game, parse_network(NETWORK))
        for threads in (1, 2):
            rows = measure(game, network, threads=threads, rounds=options.rounds)
            found += rows
            for row in rows:
                show(row)
        for threads in (1, 2):
            found.append(measure_games(game, network, threads=threads))
            show(found[-1])
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


def show(row: dict[str, Any]) -> None:
    print("  " + "  ".join(f"{key} {value}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
