"""Every speed figure in one run, as ratios to what ran beside it. `make bench`, or with `--json
FILE`.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.game.rollouts import rollouts
from anyzero.tools.laws.evidence import observe
from anyzero.tools.laws.observe import first_difference
from anyzero.tools.proofs.perft import perft
from anyzero.tools.speed import SearchSpeed, bench_rollouts, search_speed
from peers import cpp_breakthrough, open_spiel_search, open_spiel_simulations

GAMES = ["breakthrough:rows=5,columns=5", *BUILT_IN]

SIMULATIONS = 10_000
OPEN_SPIEL_SIMULATIONS = {
    "breakthrough": 10_000,
    "hex": 10_000,
    "oware": 10_000,
    "connect_four": 10_000,
    "chess": 500,
}
"""The searches beside OpenSpiel's; its chess does about 700 simulations a second, so it gets fewer.
"""

WANTED_RATIO, WANTED_SHARE = 10, 0.6
"""How many times OpenSpiel's speed, and which part of the speed of UCT the other methods should
have.
"""


def best_of(num: int, game: Any, **options: Any) -> Any:
    return max(
        (bench_rollouts(game, **options) for _ in range(num)),
        key=lambda speed: speed.rollouts_per_s,
    )


def measure_rollouts(text: str) -> dict[str, Any]:
    """One and two threads in turns, so that a noisy neighbour meets both, and OpenSpiel beside
    them.
    """
    game, one, two = load(text), 0.0, 0.0
    for _ in range(3):
        one = max(one, bench_rollouts(game, seconds=0.6).rollouts_per_s)
        two = max(two, bench_rollouts(game, seconds=0.6, threads=2).rollouts_per_s)
    peer = open_spiel_simulations(text)
    return {
        "game": text,
        "rollouts_per_s": round(one),
        "two_threads": round(two / one, 2),
        "open_spiel": None if peer is None else round(peer),
        "ratio": None if peer is None else round(one / peer, 1),
    }


def measure_search(text: str) -> dict[str, Any]:
    """UCT from the start, in turns with OpenSpiel's; the best of three of each."""
    game, theirs, ours = load(text), 0.0, []
    search_once(game, "uct")  # compiles
    for seed in range(3):
        ours.append(search_once(game, "uct"))
        theirs = max(theirs, open_spiel_search(text, OPEN_SPIEL_SIMULATIONS[text], seed))
    best = max(ours, key=lambda speed: speed.simulations_per_s)
    ratio = best.simulations_per_s / theirs
    return {
        "game": text,
        "uct_simulations_per_s": round(best.simulations_per_s),
        "simulations": SIMULATIONS,
        "open_spiel": round(theirs),
        "open_spiel_simulations": OPEN_SPIEL_SIMULATIONS[text],
        "ratio": round(ratio, 1),
        f"at_least_{WANTED_RATIO}": ratio >= WANTED_RATIO,
        "nodes": best.nodes,
        "bytes_per_node": round(best.bytes_per_node, 1),
    }


def measure_methods(text: str, methods: tuple[str, ...]) -> list[dict[str, Any]]:
    """Tree methods in turns, as shares of the first one's speed; the best of three of each."""
    game = load(text)
    best = {method: search_once(game, method) for method in methods}
    for _ in range(3):
        for method in methods:
            best[method] = max(
                best[method], search_once(game, method), key=lambda speed: speed.simulations_per_s
            )
    first = best[methods[0]].simulations_per_s
    return [
        {
            "method": f"{method}:{SIMULATIONS}",
            "simulations_per_s": round(speed.simulations_per_s),
            "share": round(speed.simulations_per_s / first, 2),
            f"at_least_{WANTED_SHARE}": speed.simulations_per_s >= WANTED_SHARE * first,
            "nodes": speed.nodes,
            "bytes_per_node": round(speed.bytes_per_node, 1),
        }
        for method, speed in best.items()
    ]


def search_once(game: Any, method: str) -> SearchSpeed:
    return search_speed(game, f"{method}:{SIMULATIONS}", seconds=1e-9)


def measure_cpp() -> dict[str, Any]:
    game, games = load("breakthrough:rows=5,columns=5"), 1_000_000
    speed, mean = cpp_breakthrough(5, 5, games)
    ours = best_of(3, game, seconds=1.0).rollouts_per_s
    same = float(rollouts(game, game.initial_state(), games, threads=2).payoffs[:, 0].mean())
    return {
        "cpp": round(speed),
        "ours": round(ours),
        "ratio": round(ours / speed, 2),
        "same_games": abs(mean - same) < 1e-8,
    }


def measure_perft() -> dict[str, Any]:
    import time

    game, best = load("chess"), 0.0
    state = game.initial_state()
    perft(game, state, 3)
    for _ in range(3):
        start = time.perf_counter()
        leaves = perft(game, state, 5)
        best = max(best, leaves / (time.perf_counter() - start))
    return {"leaves": leaves, "leaves_per_s": round(best)}


def measure_gpu(text: str) -> dict[str, Any]:
    """Rollouts per second on the GPU, and whether rollouts and every function's answers are those
    of the CPU.
    """
    game = load(text)
    state = game.initial_state()
    speed = bench_rollouts(game, target="cuda", seconds=1.0)
    on_cpu, on_gpu = (
        rollouts(game, state, 4096, 2, seed=5, target=target, threads=2)
        for target in ("cpu", "cuda")
    )
    same = bool((on_cpu.payoffs == on_gpu.payoffs).all() and (on_cpu.moves == on_gpu.moves).all())
    seen = [
        observe(game, seed=5, rows=min(300, game.max_plies + 2), target=target)
        for target in ("cpu", "cuda")
    ]
    same = same and first_difference(*seen) is None
    return {
        "game": text,
        "rollouts_per_s": round(speed.rollouts_per_s),
        "same_as_cpu": same,
        "compile_s": speed.compile_s,
    }


def has_gpu() -> bool:
    try:
        from anyzero.core.compile import gpu
    except ImportError:
        return False
    return gpu.is_available()


def show(title: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{title}", flush=True)
    for row in rows:
        print("  " + "  ".join(f"{key} {readable(value)}" for key, value in row.items()))


def readable(value: Any) -> str:
    return f"{value:,}" if type(value) is int else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--gpu-only", action="store_true", help="only the GPU's table")
    parser.add_argument("--search-only", action="store_true", help="only the tables of searches")
    options = parser.parse_args()
    found: dict[str, list[dict[str, Any]]] = {}
    if not options.gpu_only:
        found["searches from the start against OpenSpiel's C++ MCTSBot"] = [
            measure_search(text) for text in OPEN_SPIEL_SIMULATIONS
        ]
        found["tree methods on Hex 11x11"] = measure_methods(
            "hex", ("uct", "rave", "grave", "puct")
        )
    if not (options.gpu_only or options.search_only):
        found["chess perft 5, one thread"] = [measure_perft()]
        found["Breakthrough 5x5 rollouts against C++ -O3"] = [measure_cpp()]
        found["rollouts against OpenSpiel's C++ MCTSBot"] = [
            measure_rollouts(text) for text in GAMES
        ]
    if not options.search_only and has_gpu():
        found["rollouts on the GPU"] = [measure_gpu(text) for text in GAMES]
    for title, rows in found.items():
        show(title, rows)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
