"""Searches within the worker: their end, their memory, and code that is not compiled yet."""

import pytest

from anyzero.compile.cache import NotCompiledError, loading_only
from anyzero.games.load import load
from anyzero.search import Searcher
from anyzero.web.jobs import Job, state_text
from anyzero.web.nodes import LEAST, NodePool
from anyzero.web.turns import Turnstile


def make_job(player, game="tic_tac_toe"):
    game = load(game)
    wanted = {"job": 1, "client": "a", "player": player, "seed": 0, "live": False, "max_nodes": 4_000_000}
    return Job({**wanted, "game": game.text, "state": state_text(game.initial_state())}, game)


def test_a_search_by_the_clock_that_waited_too_long_ends_with_what_it_has():
    job = make_job("uct:50s,solve=0")
    job.end -= 100.0
    found = job.run(Turnstile(1), lambda values: None)
    assert found["action"] is not None
    assert found["result"]["simulations"] >= 1
    assert found["result"]["seconds"] < 50


def test_a_search_by_simulations_has_all_of_them_however_long_it_waited():
    job = make_job("uct:500,solve=0")
    job.end -= 100.0
    assert job.run(Turnstile(1), lambda values: None)["result"]["simulations"] == 500


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


def test_a_search_that_comes_late_gets_a_smaller_tree_but_always_some():
    pool = NodePool(16_000_000)
    with pool.share(1_000) as small, pool.share(4_000_000) as first, pool.share(4_000_000) as second:
        assert (small, first) == (LEAST, (16_000_000 - LEAST) // 4)
        assert second == (16_000_000 - LEAST - first) // 4
        assert pool.left == 16_000_000 - LEAST - first - second
    assert pool.left == 16_000_000
    with NodePool(0).share(100) as least:
        assert least == LEAST


def test_where_nothing_is_to_be_compiled_missing_code_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    game = load("tic_tac_toe")
    with loading_only(), pytest.raises(NotCompiledError):
        Searcher(game, "uct", simulations=2).choose(game.initial_state(), 0)


def test_code_is_compiled_in_another_process_and_loaded_here():
    job = make_job("uct:20")
    assert job.is_compiled(Turnstile(1)) or job.compile() is None
    assert job.is_compiled(Turnstile(1))
