"""One process that plays many games in numba-cuda's simulator, a line for each: starting one for every game takes long.

It does what the process of the law does, which other tests start as it is.
"""

import json
import os
import subprocess
import sys

import numpy as np

from anyzero.games import check


class Simulator:
    """Stands in for `check.simulate_game`, for games that are loaded by name."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        )

    def __call__(self, game, *, seed, rows, streams):
        self.process.stdin.write(json.dumps([game.text, str(seed), str(rows), str(streams)]) + "\n")
        self.process.stdin.flush()
        payoffs, moves, keys = json.loads(self.process.stdout.readline())
        return np.array(payoffs), np.array(moves), np.array(keys, np.uint64)

    def end(self):
        self.process.communicate()


def main():
    check.take_output, check.listen = lambda: lambda line: print(line, flush=True), lambda: None
    for line in sys.stdin:
        check._tell_simulated(*json.loads(line))


if __name__ == "__main__":
    main()
