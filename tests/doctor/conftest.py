"""The healthy run that several tests look at; torch on one thread, since the machine is shared with
other workers.
"""

from copy import deepcopy
from functools import cache

import pytest
import torch

from anyzero.core.learning.selfplay import play_random
from tests.doctor.runs import load_nim, make_run


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def patience(request, monkeypatch):
    """Trials run to their end however busy the machine is; a third of their steps show the same,
    but for slow tests.
    """
    monkeypatch.setattr("anyzero.tools.doctor.network.SECONDS", 300.0)
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr("anyzero.tools.doctor.network.STEPS", 80)


@pytest.fixture(autouse=True)
def random_games_of_nim_are_played_once(monkeypatch):
    def play(game, num, *, seed, max_plies):
        if game.name != "nim":
            return play_random(game, num, seed=seed, max_plies=max_plies)
        return deepcopy(play_nim(game.options["fault"], num, seed, max_plies))

    monkeypatch.setattr("anyzero.tools.doctor.case.play_random", play)


@cache
def play_nim(fault, num, seed, max_plies):
    """Interpreted: each fault would be compiled for itself."""
    return play_random(load_nim(fault), num, seed=seed, max_plies=max_plies, target="interpreted")


@pytest.fixture(scope="session")
def healthy(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("doctor") / "healthy")
