"""What the tests of all games share."""

import pytest

from anyzero.tools.laws import laws
from tests.games.simulator import Simulator


@pytest.fixture(scope="session")
def simulating():
    """One process for all games, started when it is first asked."""
    pytest.importorskip("numba_cuda")
    simulator = Simulator()
    yield simulator
    simulator.end()


@pytest.fixture
def simulator(simulating, monkeypatch):
    """The law of the simulated GPU asks that process."""
    monkeypatch.setattr(laws, "ask_simulator", simulating)
