"""Settings for all tests.

Hypothesis runs without deadlines (a first call may compile) and with the same few examples each time. Tests of one game
go to one worker, so that two workers do not compile the same kernel at the same time; so do those of a file whose tests
share something that takes long to make.
"""

import pytest
from hypothesis import settings

from anyzero.games.load import BUILT_IN

SEARCHING = (
    *("tests/search", "tests/players", "tests/arena", "tests/experiments"),
    *("test_arena_commands", "test_experiment_commands", "test_readme"),
)
"""Tests that share the search kernels of a few games."""

TOGETHER = (
    *("tests/web", "tests/cluster"),
    *("learning/test_on_gpu", "learning/test_begin_with", "learning/test_contestants", "learning/test_loop"),
    *("networks/test_training", "networks/test_winograd", "networks/test_evaluator", "networks/test_remembered"),
)
"""Tests that share a server and a browser, a Ray cluster, a simulated GPU, a run, or kernels of a network."""

settings.register_profile("anyzero", max_examples=40, deadline=None, derandomize=True, database=None)
settings.load_profile("anyzero")


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items):
    for item in items:
        group = next((name for name in (*TOGETHER, *SEARCHING, *BUILT_IN) if name in item.nodeid), None)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group("search" if group in SEARCHING else group))
