"""Searches within the worker: their end, their memory, and code that is not compiled yet; and a
worker that dies.
"""

import contextlib
import queue
import threading
import time
from pathlib import Path

import pytest

from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.web import worker
from anyzero.app.web.catalog import ServerConfig
from anyzero.app.web.worker import LEAST_NODES, SearchProcess
from anyzero.core.base.errors import AnyzeroError
from anyzero.core.compile.cache import NotCompiledError, loading_only
from anyzero.core.game.contract import unit_of_ours
from anyzero.core.game.load import load
from anyzero.core.game.play import first_decision
from anyzero.core.search import Searcher
from tests.web.server import run

ROOT = Path(__file__).parents[2]


def make_job(player, game="tic_tac_toe", live=False):
    state = load(game).initial_state().tobytes().hex()
    wanted = {"player": player, "game": game, "state": state, "seed": 0, "live": live}
    return worker.SearchJob(wanted, max_nodes=4_000_000)


@pytest.mark.parametrize("player", ["uct:50s,solve=0", "halving:50s"])
def test_a_search_that_is_stopped_ends_with_what_it_has(player):
    job = make_job(player)
    job.stopped.set()
    assert job.run()["result"]["seconds"] < 50


def test_searches_that_come_together_get_smaller_trees_but_always_some(monkeypatch):
    found = queue.Queue()
    monkeypatch.setattr(
        worker.Jobs, "run", lambda jobs, number, wanted, max_nodes: found.put(max_nodes)
    )
    jobs = worker.Jobs(print, 12_000)
    for number in range(4):
        jobs.hear({"job": number})
    nodes = [found.get(timeout=60) for _ in range(4)]  # each from a thread of its own
    assert sorted(nodes, reverse=True) == [12_000, 6_000, LEAST_NODES, LEAST_NODES]


def test_two_processes_compile_at_a_time_however_many_wait(monkeypatch):
    running, most = [], []

    class Compiler:
        def __init__(self, command):
            running.append(command)

        def send(self, line):
            most.append(len(running))

        def wait(self, limit):
            time.sleep(0.05)
            running.pop()

    monkeypatch.setattr(worker, "Child", Compiler)
    monkeypatch.setattr(worker.SearchJob, "is_compiled", lambda job: False)
    waiting = [threading.Thread(target=make_job("uct:10").compile) for _ in range(6)]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    assert len(most) == 6
    assert max(most) <= 2


def test_where_nothing_is_to_be_compiled_missing_code_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    unit_of_ours.cache_clear()  # other tests have loaded the code already
    game = load("tic_tac_toe")
    with loading_only(), pytest.raises(NotCompiledError):
        Searcher(game, "uct", simulations=2).choose(game.initial_state(), 0)


def test_code_is_compiled_in_another_process_and_loaded_here():
    job = make_job("uct:20")
    assert job.is_compiled() or job.compile() is None
    assert job.is_compiled()


def test_a_process_that_dies_is_replaced_and_asked_again_once(monkeypatch):
    game, wake = load("tic_tac_toe"), SearchProcess.wake

    def wake_and_kill(engine):
        child = wake(engine)
        child.kill()
        return child

    async def search(engine):
        searches = engine.search(GameInProgress(game), "random", seed=0)
        async with contextlib.aclosing(searches) as answers:
            return [answer["action"] async for answer in answers]

    async def work():
        engine = SearchProcess(ServerConfig())
        first = await search(engine)
        engine.child.kill()
        assert await search(engine) == first
        monkeypatch.setattr(SearchProcess, "wake", wake_and_kill)
        with pytest.raises(AnyzeroError, match="broke off twice"):
            await search(engine)
        monkeypatch.undo()
        assert await search(engine) == first
        await engine.close()

    run(work())


def wait_for_compiler(job, monkeypatch):
    """Nothing is compiled, and the compiler goes on until the event that comes back is set."""
    done = threading.Event()
    monkeypatch.setattr(job, "is_compiled", lambda: False)
    monkeypatch.setattr(job, "compile", lambda: done.wait(60))
    return done


@pytest.mark.parametrize("player", ["uct:20", "level:medium", "level:hard"])
def test_a_search_whose_code_is_missing_makes_the_same_move_in_plain_python(player, monkeypatch):
    compiled = make_job(player).run()
    job = make_job(player)
    done = wait_for_compiler(job, monkeypatch)
    plain = job.run()
    done.set()
    assert plain["action"] == compiled["action"]
    assert plain["result"]["simulations"] == compiled["result"]["simulations"]
    assert not plain["quick"]


@pytest.mark.parametrize(
    "player", ["uct:1000000,solve=0", "uct:60s,solve=0", "gumbel:60s", "halving:60s"]
)
def test_a_move_whose_code_takes_long_to_compile_is_a_quick_one(player, monkeypatch):
    monkeypatch.setattr(worker, "QUICK_S", 0.1)
    job = make_job(player)
    done = wait_for_compiler(job, monkeypatch)
    found = job.run()
    done.set()
    assert found["quick"]
    assert 0 < found["result"]["simulations"] < 1_000_000


def test_a_game_that_nobody_has_checked_is_searched_in_plain_python_too(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = tmp_path / "own.py"
    own.write_text((ROOT / "examples" / "tic_tac_toe.py").read_text())
    job = make_job("uct:20", str(own))
    done = wait_for_compiler(job, monkeypatch)
    found = job.run()
    done.set()
    assert job.game.unchecked
    assert found["result"]["simulations"] == 20


def test_an_analysis_by_the_clock_says_that_it_is_being_prepared_and_waits_for_its_code(
    monkeypatch,
):
    monkeypatch.setattr(worker, "NOTICE_AFTER_S", 0.0)
    job, told = make_job("uct:0.01s,solve=0", live=True), []
    done = wait_for_compiler(job, monkeypatch)

    def tell(values):
        told.append(values)
        done.set()

    job.tell = tell
    found = job.run()
    assert told[0] == {"preparing": True}
    assert found["result"]["simulations"] > 0
    assert not found["quick"]


def test_an_analysis_in_plain_python_says_with_its_result_what_it_waits_for(monkeypatch):
    monkeypatch.setattr(worker, "LOOK_EVERY_S", 0.0)
    job, told = make_job("uct:50000,solve=0", live=True), []
    done = wait_for_compiler(job, monkeypatch)

    def tell(values):
        if "result" in values:
            told.append(values.get("preparing", False))
            done.set()

    job.tell = tell
    assert job.run()["result"]["simulations"] == 50_000
    assert told[0]


def test_what_a_table_needs_is_compiled_before_it_is_asked_for(monkeypatch):
    compiled = []
    monkeypatch.setattr(worker.SearchJob, "compile", lambda job: compiled.append(job.job["player"]))
    worker.load_all(
        [{"game": "no such game"}, *(make_job(player).job for player in ("random", "uct:20"))]
    )
    assert compiled == ["random", "uct:20"]


@pytest.mark.parametrize("name", ["tic_tac_toe", "take_it_easy"])
def test_players_are_prepared_for_the_first_decision(name):
    game = load(name)
    assert game.seat_to_move(first_decision(game)) == 0
