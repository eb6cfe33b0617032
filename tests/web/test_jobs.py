"""Searches within the worker: their end, their memory, and code that is not compiled yet."""

import pytest

from anyzero.compile.cache import NotCompiledError, loading_only
from anyzero.games.load import load
from anyzero.search import Searcher
from anyzero.web.jobs import Job
from anyzero.web.turns import Turns


def make_job(player, game="tic_tac_toe"):
    game = load(game)
    wanted = {"job": 1, "client": "a", "player": player, "seed": 0, "live": False, "max_nodes": 4_000_000}
    return Job({**wanted, "game": game.text, "state": game.initial_state().tobytes().hex()}, game)


def test_a_search_by_the_clock_that_waited_too_long_ends_with_what_it_has():
    job = make_job("uct:50s,solve=0")
    job.end -= 100.0
    found = job.run(Turns(1), lambda values: None)
    assert found["action"] is not None
    assert found["result"]["simulations"] >= 1
    assert found["result"]["seconds"] < 50


def test_a_search_by_simulations_has_all_of_them_however_long_it_waited():
    job = make_job("uct:500,solve=0")
    job.end -= 100.0
    assert job.run(Turns(1), lambda values: None)["result"]["simulations"] == 500


@pytest.mark.parametrize(
    ("player", "num_nodes"),
    [
        ("random", 0),
        ("uct:100", 102 * 9 + 1),
        ("uct:2000000", 4_000_000),
        ("rave:0.1s", 400_000),
        ("uct:60s", 4_000_000),
    ],
)
def test_a_search_says_how_large_its_tree_can_become(player, num_nodes):
    assert make_job(player).wanted_nodes == num_nodes


def test_where_nothing_is_to_be_compiled_missing_code_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    game = load("tic_tac_toe")
    with loading_only(), pytest.raises(NotCompiledError):
        Searcher(game, "uct", simulations=2).choose(game.initial_state(), 0)


def test_code_is_compiled_in_another_process_and_loaded_here():
    job = make_job("uct:20")
    assert job.is_compiled(Turns(1)) or job.compile() is None
    assert job.is_compiled(Turns(1))
