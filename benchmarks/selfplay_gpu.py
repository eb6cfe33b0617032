"""Self-play with everything on one GPU: how much of the network's own rate it reaches, and whether
its games are right.

    .venv/bin/python benchmarks/selfplay_gpu.py [--games connect_four hex chess] [--rows 16384]
    [--pool-every 2]

The GPU should be idle. The network alone answers for positions of these games; both are measured in
turn in one run.
"""

import argparse
import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.learning.block import network_contestant
from anyzero.core.learning.config import SelfPlayConfig
from anyzero.core.learning.on_gpu import STEPS, GpuGames
from anyzero.core.learning.orders import manner_of
from anyzero.core.learning.samples import Samples
from anyzero.core.nets.config import NetworkConfig, parse_network
from anyzero.core.nets.models import new_network
from anyzero.core.nets.on_gpu import GpuEvaluator

NETWORKS = {"connect_four": "4x64", "hex": "6x64", "chess": "10x128"}
MAX_PLIES = {"chess": 256}
WANTED_SHARE = 0.8
CHECKED_GAMES = 20


def seconds(work: Callable[[], Any]) -> float:
    """Of the GPU, from the first launch to the last result."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def new_self_play(name: str, rows: int, pool_every: int = NetworkConfig().pool_every) -> GpuGames:
    """Games under way with a network that nobody has trained."""
    game = load(name)
    network = new_network(game, parse_network(NETWORKS[name]).change(pool_every=pool_every), seed=1)
    evaluator = GpuEvaluator(game, network, rows=rows)
    config = SelfPlayConfig(max_plies=MAX_PLIES.get(name, 0))
    players = [network_contestant(game, "", None, config, noise=True)]
    return GpuGames(game, evaluator, players, manner_of(config), num_games=rows, seed=1)


def network_alone(evaluator: Any, planes: torch.Tensor) -> Callable[[], None]:
    """The network on these inputs, as one launch."""
    step: Callable[[], None] = evaluator.record(lambda _stream: evaluator.planes.copy_(planes))
    return step


def planes_under_way(play: GpuGames) -> torch.Tensor:
    """Inputs as games make them."""
    play.advance(0)
    planes: torch.Tensor = play.evaluator.planes.clone()
    play.evaluator.run()  # type: ignore[attr-defined]
    return planes


def measure(play: GpuGames, steps: int = 4 * STEPS, rounds: int = 3) -> dict[str, Any]:
    """The network alone and self-play, in turns; the best of some rounds."""
    play.advance_many(8 * STEPS)  # until games are at all stages
    play.fetch()
    alone = network_alone(play.evaluator, planes_under_way(play))
    took_alone, rates, shares = [], [], []
    for _ in range(rounds):
        took_alone.append(seconds(lambda: [alone() for _ in range(steps)]) / steps)
        before, start = play.simulations, time.perf_counter()
        for _ in range(steps // STEPS):
            play.advance_many(STEPS)
            play.fetch()
        took = time.perf_counter() - start
        rates.append((play.simulations - before) / took)
        shares.append(took_alone[-1] * steps / took)
    evaluations = play.num_games / min(took_alone)
    return {
        "game": play.game.name,
        "network": NETWORKS[play.game.name],
        "pool_every": play.evaluator.networks[0].config.pool_every,  # type: ignore[attr-defined]
        "rows": play.num_games,
        "evaluations_per_s": round(evaluations),
        "simulations_per_s": round(max(rates)),
        "ratio": round(max(rates) / evaluations, 3),
        "time_in_network": round(max(shares), 3),
        "games_finished": play.finished,
    }


# --- is it right?


def some_positions(game: Game, num: int) -> Any:
    """Positions after a few random moves."""
    rng, states = np.random.default_rng(1), game.new_states(num)
    for index in range(num):
        state = game.initial_state()
        for _ in range(index % 8):
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
        states[index] = state
    return states


def check_games(game: Game, samples: Samples) -> int:
    """Play some of the games again by the rules as Python has them; returns how many there were."""
    begins = np.flatnonzero(np.diff(samples.plies, prepend=np.int16(32767)) <= 0)[
        : CHECKED_GAMES + 1
    ]
    for first, end in pairwise(begins):
        for row in range(first, end):
            check_sample(game, samples, row)
            following = samples.states[row + 1] if row + 1 < end else None
            check_move(game, samples, row, following)
    return len(begins) - 1


def check_sample(game: Game, samples: Samples, row: int) -> None:
    legal = sorted(game.legal_actions(samples.states[row]))
    actions, policy = samples.actions[row], samples.policies[row].astype(np.float64)
    assert actions[: len(legal)].tolist() == legal, "the legal actions"
    assert (actions[len(legal) :] == -1).all(), "nothing beyond them"
    assert abs(policy.sum() - 1.0) < 0.01, "a policy adds up to 1"
    assert abs(samples.values[row]) <= 1.0, "a value"


def check_move(game: Game, samples: Samples, row: int, following: Any) -> None:
    """Some legal move leads to the next sample, or to the end that the payoffs are from."""
    state = samples.states[row]
    after = [game.play(state, action) for action in game.legal_actions(state)]
    if following is not None:
        assert any(new.tobytes() == following.tobytes() for new in after), "a move leads on"
        same_seat = game.seat_to_move(state) == game.seat_to_move(following)
        assert samples.payoffs[row + 1] == samples.payoffs[row] * (1 if same_seat else -1), (
            "opposite payoffs"
        )
    elif samples.plies[row] + 1 < (MAX_PLIES.get(game.name) or game.max_plies):
        seat = game.seat_to_move(state)
        ends = [float(game.payoffs(new)[seat]) for new in after if game.is_over(new)]
        assert any(abs(end - samples.payoffs[row]) < 1e-6 for end in ends), (
            "a move ends the game as it was paid"
        )
    assert samples.lengths[row] > samples.plies[row]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--rows", type=int, default=16384)
    parser.add_argument(
        "--pool-every", type=int, default=NetworkConfig().pool_every, help="0: no blocks that pool"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    print(f"gumbel with {SelfPlayConfig().simulations} simulations; wanted ratio {WANTED_SHARE}")
    for name in options.games:
        play = new_self_play(name, options.rows, options.pool_every)
        found.append(measure(play))
        found[-1]["checked_games"] = check_games(play.game, play.play(1, ["network"]).samples)
        print(f"  {found[-1]}", flush=True)
        del play
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
