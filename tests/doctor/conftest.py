"""The healthy run that several tests look at; torch on one thread, since the machine is shared with other workers."""

import pytest
import torch

from tests.doctor.runs import make_run


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """However busy the machine is, trials run to their end."""
    monkeypatch.setattr("anyzero.doctor.network.SECONDS", 300.0)


@pytest.fixture(scope="session")
def healthy(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("doctor") / "healthy")
