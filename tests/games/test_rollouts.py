"""Many random games: the same sums whatever plays them."""

from dataclasses import replace

import numpy as np
import pytest

from anyzero.core.compile import compile_kernel
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import default_rollouts, rollouts
from anyzero.core.game.streams import new_scratch, rollout_streams
from tests.games.test_load import RACE

GAME = load(str(RACE))


def played(streams=21, repeats=2, **options):
    found = rollouts(GAME, GAME.initial_state(), streams, repeats, seed=4, **options)
    return found.payoffs.tolist(), found.moves.tolist()


@pytest.mark.parametrize(
    "options", [{"threads": 2}, {"threads": 3}, {"threads": 40}, {"target": "interpreted"}]
)
def test_threads_and_targets_change_nothing(options):
    assert played(**options) == played()


def test_a_stream_is_the_same_alone_and_among_others():
    assert [part[:5] for part in played()] == [*played(streams=5)]


def test_a_stream_adds_up_its_games():
    payoffs, moves = played(streams=3, repeats=50)
    assert np.all(np.abs(payoffs) <= 50)
    assert np.all(np.array(payoffs).sum(1) == 0)
    assert min(moves) > 50 * 3


def test_seeds_are_told_apart():
    other = rollouts(GAME, GAME.initial_state(), 21, 2, seed=5)
    assert other.moves.tolist() != played()[1]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("tic_tac_toe", "3/3/3 x"),
        ("connect_four", "7/7/7/7/7/7 x"),
        ("connect_four", "7/7/7/xo5/xo5/xo5 x"),
        ("breakthrough:rows=5,columns=5", "bbbbb/bbbbb/5/wwwww/wwwww w"),
        ("breakthrough:rows=5,columns=5", "bb3/1b3/1w3/w3w/3w1 b"),
        ("knightthrough:rows=5,columns=5", "bbbbb/bbbbb/5/wwwww/wwwww w"),
        ("knightthrough:rows=6,columns=3", "bbb/bbb/3/3/www/www w"),
        ("domineering:rows=4,columns=4", "4/4/4/4 v"),
        ("domineering:rows=2,columns=4", "4/4 v"),
    ],
)
def test_a_rollout_draws_the_very_moves_of_plain_random_play(text, position):
    """Interpreted: that compiled rollouts are the same is a law."""
    game = load(text)
    own, plain = (
        rollouts(each, game.parse_state(position), 20, 2, seed=9, target="interpreted")
        for each in (game, default_rollouts(game))
    )
    assert (own.payoffs == plain.payoffs).all()
    assert (own.moves == plain.moves).all()


def test_a_kernel_keeps_what_it_calls_to_itself(monkeypatch, tmp_path):
    """What others might call, LLVM neither inlines for being called once nor rids of arguments:
    half the speed.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # what comes from the disk has no LLVM code
    game = load("tic_tac_toe")
    compiled = compile_kernel(rollout_streams, replace(game.unit, compiled={}))
    sums = np.zeros((1, game.num_seats)), np.zeros(1, np.int64)
    compiled(game.rules, game.new_states(1), np.uint64(1), 0, 1, 0, new_scratch(game), *sums)
    (code,) = compiled.inspect_llvm().values()
    assert "define linkonce_odr" not in code
