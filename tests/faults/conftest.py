"""A tiny run that was stopped within a generation, made once."""

import pytest

from tests.faults.runs import fresh, make_runs


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("faults"))


@pytest.fixture
def damaged(whole_run, tmp_path):
    """A copy to be damaged."""
    return fresh(whole_run, tmp_path / "run")
