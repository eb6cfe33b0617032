"""What we measure ourselves against: OpenSpiel's C++ search, and a C++ program of our own
algorithm.
"""

import subprocess
import tempfile
import time
from pathlib import Path

OPEN_SPIEL = {
    "breakthrough:rows=5,columns=5": ("breakthrough(rows=5,columns=5)", 20_000),
    "breakthrough": ("breakthrough", 10_000),
    "hex": ("hex(board_size=11)", 5_000),
    "oware": ("oware", 10_000),
    "connect_four": ("connect_four", 20_000),
    "chess": ("chess", 300),
    "tic_tac_toe": ("tic_tac_toe", 50_000),
}
"""Our game -> OpenSpiel's, and a number of simulations that takes a fraction of a second."""


def open_spiel_simulations(game: str) -> float | None:
    """Simulations per second of its C++ MCTSBot with random rollouts, one thread, best of three."""
    if game not in OPEN_SPIEL:
        return None
    return max(open_spiel_search(game, OPEN_SPIEL[game][1], seed) for seed in range(3))


def open_spiel_search(game: str, simulations: int, seed: int) -> float:
    """Simulations per second of one search from the start."""
    import pyspiel

    loaded = pyspiel.load_game(OPEN_SPIEL[game][0])
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(loaded, evaluator, 1.4, simulations, 1000, False, seed, False)
    start = time.perf_counter()
    bot.step(loaded.new_initial_state())
    return simulations / (time.perf_counter() - start)


def cpp_breakthrough(rows: int, columns: int, games: int) -> tuple[float, float]:
    """Random games per second of the C++ program, best of three, and the first side's mean
    payoff.
    """
    source = Path(__file__).parent / "breakthrough.cpp"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "breakthrough"
        subprocess.run(
            ["g++", "-std=c++20", "-O3", "-march=native", str(source), "-o", str(program)],
            check=True,
        )
        command = [str(program), str(rows), str(columns), str(games)]
        runs = [
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            for _ in range(3)
        ]
    return max(float(speed) for speed, _ in runs), float(runs[0][1])
