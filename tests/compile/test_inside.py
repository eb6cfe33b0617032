"""Where Numba lacks a name that our compiler needs, stock `njit` compiles kernels."""

import subprocess
import sys

import pytest

from tests.search import test_signature

HIDDEN = "import sys; sys.modules['anyzero.core.compile.callees'] = None\n"
RANDOM_GAMES = """
from anyzero.core.compile import cpu
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import rollouts
game = load("tic_tac_toe")
print(cpu.OWN is None, *map(str, rollouts(game, game.initial_state(), 20, seed=3)))
"""


def output_of(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_stock_njit_plays_the_same_random_games_as_our_compiler():
    stock, ours = output_of(HIDDEN + RANDOM_GAMES), output_of(RANDOM_GAMES)
    assert stock.startswith("True ")
    assert ours.startswith("False ")
    assert stock.removeprefix("True ") == ours.removeprefix("False ")


@pytest.mark.slow
def test_the_signature_of_all_searches_is_that_of_stock_njit():
    code = "from tests.search.test_signature import *\nprint(signature())\n"
    assert int(output_of(HIDDEN + code)) == test_signature.SIGNATURE
