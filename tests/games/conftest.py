"""What the tests of all games share."""

import importlib.util

import pytest

from anyzero.games.check import simulate_game
from tests.games.simulator import Simulator


@pytest.fixture(scope="session")
def simulator():
    """Plays games in numba-cuda's simulator, as `simulate_game` does in a process for each."""
    if importlib.util.find_spec("numba_cuda") is None:
        yield simulate_game
        return
    simulator = Simulator()
    yield simulator
    simulator.end()
