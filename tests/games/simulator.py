"""One process that compares many games with numba-cuda's simulator, a line for each: to start one
takes seconds.
"""

import json
import os
import subprocess
import sys

from anyzero.core.game.load import load
from anyzero.tools.laws.simulator import compare_simulated


class Simulator:
    """Stands in for `laws.ask_simulator`, for games that are loaded by name."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        )

    def __call__(self, text, seed):
        self.process.stdin.write(json.dumps([text, seed]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.communicate()


def main():
    for line in sys.stdin:
        text, seed = json.loads(line)
        print(json.dumps(compare_simulated(load(text), seed)), flush=True)


if __name__ == "__main__":
    main()
