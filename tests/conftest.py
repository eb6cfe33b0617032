"""Settings for all tests.

Hypothesis runs without deadlines (a first call may compile) and with the same examples each time.
Tests of one game go to one worker, so that two workers do not compile the same kernel at the same
time; so do those of files that share something that takes long to make, and else those of a file.
"""

import gc
import json
import os
import signal
import threading
from queue import SimpleQueue

import pytest
from hypothesis import settings

from anyzero.core.game.load import BUILT_IN
from anyzero.tools.arena import workers
from anyzero.tools.arena.match import Live

TOGETHER = {
    "exported": (
        "tests/web/test_exported",
    ),  # a second browser, so that none is waited for at the end
    "web": ("tests/web",),
    "cluster": ("tests/cluster",),
    "search": ("tests/search",),
    "doctor": ("tests/doctor", "tests/test_python_door"),
    "arena": ("tests/arena", "tests/players", "test_arena_commands"),
    "experiments": ("tests/experiments", "test_experiment_commands", "test_readme"),
    "loop": ("learning/test_loop", "learning/test_begin_with"),
    "simulated": ("learning/test_on_gpu",),
    "examples": ("games/test_examples", "learning/test_many_seats"),
    "kernels": (
        "networks/test_winograd",
        "networks/test_evaluator",
        "networks/test_remembered",
    ),
    **{game: (game,) for game in BUILT_IN},
}
"""Tests that share a server and a browser, a Ray cluster, a simulated GPU, a run, or kernels; what
takes longest begins
first, so that all workers end at the same time."""

for name, examples in {"few": 15, "many": 100}.items():
    settings.register_profile(
        name, max_examples=examples, deadline=None, derandomize=True, database=None
    )


def pytest_configure(config):
    if (
        signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    ):  # in the background of a script; children would ignore it too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile(
        "few" if config.option.markexpr else "many"
    )  # many where the slow tests run too


@pytest.fixture(scope="session", autouse=True)
def one_process():
    """Games are played by one other process where a test does not say how many: each has to
    start.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anyzero.tools.arena.workers.count_cores", lambda: 1)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """No cycles are looked for while modules are imported, nor in them later: that was a twentieth
    of all work.
    """
    gc.disable()
    found = yield
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    return found


class Here:
    """What plays games as a worker's process does, in a thread of this one: to start a process
    takes a second.
    """

    def __init__(self, command, hear, share):
        self.lines = SimpleQueue()
        with os.fdopen(os.dup(share[0]), "r+b") as file:
            live = Live(file, *map(int, command[-2:]), create=False)
        threading.Thread(
            target=workers.serve_tasks, args=(self.take, hear, live), daemon=True
        ).start()

    def take(self):
        return json.loads(self.lines.get())

    def send(self, line):
        self.lines.put(line)

    def end(self):
        self.lines.put("it is over")  # which is no JSON

    kill = end


@pytest.fixture
def games_here(request, monkeypatch):
    """Matches are played in threads, save in tests with the mark `processes`."""
    if request.node.get_closest_marker("processes") is None:
        monkeypatch.setattr(workers, "Child", Here)


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items):
    groups = {item: group_of(item) for item in items}
    for item, group in groups.items():
        item.add_marker(pytest.mark.xdist_group(group))
    order = {group: number for number, group in enumerate(TOGETHER)}
    items.sort(key=lambda item: order.get(groups[item], len(order)))


def group_of(item):
    """The group that a test names itself, or the first that has its place, or its file: what it
    shares is made once.
    """
    mark = item.get_closest_marker("xdist_group")
    found = (
        group for group, places in TOGETHER.items() if any(place in item.nodeid for place in places)
    )
    return mark.args[0] if mark else next(found, item.nodeid.partition("::")[0])
