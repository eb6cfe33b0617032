"""Searches that can be watched: they end as `search` does, or when nobody looks any more."""

from itertools import islice

import pytest

import anyzero
from anyzero.core.base import stopping
from anyzero.core.search import Searcher
from anyzero.core.search.pacing import ENDLESS_S
from anyzero.tools.search import search
from tests.search.stubs import first_seat_wins

GAME = anyzero.load("tic_tac_toe")
START = GAME.initial_state()
LONG = anyzero.load("connect_four")


def steps(game, state, method="uct", *, seed=0, every_s=0.2, **options):
    """What is found, piece by piece."""
    live = Searcher(game, method, **options).begin(state, seed)
    while live.advance(every_s):
        yield live.result()
    yield live.result()


def without_time(result):
    return {**result.to_json(), "seconds": None}


@pytest.mark.parametrize("method", ["uct", "gumbel", "halving"])
def test_the_last_result_of_a_search_stream_is_that_of_a_search_with_the_same_seed(method):
    results = list(steps(GAME, START, method, simulations=1500, seed=4, every_s=1e-6))
    assert len(results) > 1
    assert without_time(results[-1]) == without_time(
        search(GAME, START, method, simulations=1500, seed=4)
    )


def test_several_trees_of_a_search_stream_share_the_budget_as_they_do_in_a_search():
    for simulations in (300, 301):
        *_, last = steps(GAME, START, simulations=simulations, trees=2, seed=4)
        assert last.simulations == simulations
        assert without_time(last) == without_time(
            search(GAME, START, simulations=simulations, trees=2, seed=4)
        )


def test_a_search_without_a_budget_goes_on_until_it_is_left():
    counts = [
        result.simulations
        for result in islice(steps(LONG, LONG.initial_state(), seconds=ENDLESS_S, every_s=0.01), 5)
    ]
    assert counts == sorted(set(counts))


def test_a_proven_position_ends_a_search_without_a_budget():
    state = GAME.parse_state("3/oo1/xx1 x")
    *_, last = steps(GAME, state, seconds=ENDLESS_S)
    assert (last.best_move, last.proven) == ("c1", "win")


def test_a_budget_of_seconds_is_kept_within_a_piece():
    live = Searcher(LONG, seconds=0.05).begin(LONG.initial_state())
    steps = 1
    while live.advance(0.01):
        steps += 1
    assert live.seconds >= 0.05
    assert steps > 1
    assert not live.advance(0.01)


def test_pieces_do_not_change_what_an_evaluator_is_asked():
    options = {"method": "puct", "simulations": 50, "evaluator": first_seat_wins}
    live = Searcher(LONG, **options).begin(LONG.initial_state(), 3)
    while live.advance(1e-6):
        pass
    whole = Searcher(LONG, **options)
    whole.begin(LONG.initial_state(), 3).forest.grow(50)
    assert live.forest.moves().visits.tolist() == whole.forest.moves().visits.tolist()


def test_ctrl_c_is_heard_between_two_pieces():
    live = Searcher(LONG, seconds=ENDLESS_S).begin(LONG.initial_state())
    assert live.advance()
    stopping._asked.set()
    try:
        with pytest.raises(KeyboardInterrupt):
            live.advance()
    finally:
        stopping._asked.clear()


def test_the_line_of_any_move_can_be_played():
    live = Searcher(LONG, seconds=ENDLESS_S).begin(LONG.initial_state())
    for _ in range(12):
        live.advance()
    for child in live.result().children:
        state, line = LONG.initial_state(), live.line(child.action)
        assert line[0] == child.move
        for move in line:
            state = LONG.play(state, move)
