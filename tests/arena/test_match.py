"""One game: seats, openings, chance, and how it ends when a player is at fault."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import anyzero
from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.seeds import draw_unit, pick_index
from anyzero.core.game.play import loss_payoffs, move_texts
from anyzero.core.learning.games import default_openings
from anyzero.tools.arena.match import Live, MatchResult, play_match
from anyzero.tools.arena.plan import (
    Match,
    Plan,
    make_opening,
    make_plan,
    quiet_action,
    random_line,
)
from anyzero.tools.players import Player, parse_player
from anyzero.tools.search import search

FIRST_MATCH = Match(0, 1, 0, 0)
TIC_TAC_TOE = anyzero.load("tic_tac_toe")
DICE_RACE = Path(__file__).parent.parent / "dice_race.py"


def play(game, players, tmp_path, opening=(), match=FIRST_MATCH, **options):
    live = Live(tmp_path / "live", game.max_plies, game.num_seats, create=True)
    return play_match(game, match, players, opening, seed=1, live=live, **options)


def first_action(game, line, seed):
    return game.legal_actions(line.state)[0]


FIRST = Player("first", first_action)


def faulty(choose, **options):
    return Player("faulty", choose, **options)


def test_a_game_ends_by_the_rules_with_its_moves(tmp_path):
    found = play(TIC_TAC_TOE, [FIRST, FIRST], tmp_path)
    moves = TIC_TAC_TOE.legal_moves(TIC_TAC_TOE.initial_state())
    assert (
        found.moves == moves[:7]
    )  # cells in order: the first seat gets 1, 3, 5, 7 and so a diagonal
    assert (found.payoffs, found.reason, found.forfeited_by) == ([1.0, -1.0], "normal", None)
    assert MatchResult.from_json(found.to_json()) == found


def crash(game, line, seed):
    raise RuntimeError("out of ideas")


def leave(game, line, seed):
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("choose", "reason", "detail"),
    [
        (crash, "crash", "RuntimeError: out of ideas"),
        (leave, "crash", "SystemExit: 3"),
        (lambda game, line, seed: 99, "illegal move", "action 99 is not legal"),
        (lambda game, line, seed: 0, "illegal move", "action 0 is not legal"),
        (lambda game, line, seed: None, "illegal move", "None is not an action"),
        (lambda game, line, seed: 1.5, "illegal move", "1.5 is not an action"),
    ],
)
def test_a_player_at_fault_loses_with_the_reason(tmp_path, choose, reason, detail):
    found = play(TIC_TAC_TOE, [FIRST, faulty(choose)], tmp_path)
    assert (found.reason, found.detail, found.forfeited_by) == (reason, detail, 1)
    assert found.payoffs == [1.0, -1.0]
    assert len(found.moves) == 1


def test_a_move_past_the_limit_loses_even_if_it_is_good(tmp_path):
    def slow(game, line, seed):
        time.sleep(0.05)
        return game.legal_actions(line.state)[0]

    found = play(TIC_TAC_TOE, [faulty(slow, limit_s=0.01), FIRST], tmp_path)
    assert (found.reason, found.forfeited_by, found.moves) == ("time", 0, [])
    assert play(TIC_TAC_TOE, [faulty(slow), FIRST], tmp_path, limit_s=0.01).reason == "time"
    unhurried = play(TIC_TAC_TOE, [faulty(slow), FIRST], tmp_path)
    assert unhurried.reason == "normal"
    assert unhurried.seconds[0] >= 4 * 0.05 > unhurried.seconds[1]


def test_the_door_can_be_compiled_before_a_clock_runs():
    game = anyzero.load(str(Path(__file__).parent.parent / "race.py"))
    game.compile_door()
    compiled = {kernel.__name__ for kernel, target in game.unit.compiled if target == "cpu"}
    assert compiled >= {"seat_to_move", "legal_actions", "play"}
    assert game.legal_actions(game.play(game.initial_state(), 2)) == [1, 2, 3]


def test_a_player_cannot_change_the_position(tmp_path):
    def cheat(game, line, seed):
        state = line.state
        action = game.legal_actions(state)[-1]
        for name in state.dtype.names:
            state[name] = 0
        return action

    assert len(play(TIC_TAC_TOE, [faulty(cheat), FIRST], tmp_path).moves) >= 5


def test_a_numpy_integer_is_an_action(tmp_path):
    player = Player("numpy", lambda game, line, seed: np.int32(game.legal_actions(line.state)[0]))
    assert play(TIC_TAC_TOE, [player, FIRST], tmp_path).reason == "normal"


def test_a_forfeit_costs_the_worst_payoff_and_the_others_share_it():
    assert loss_payoffs(1, 0) == (-1.0,)
    assert loss_payoffs(2, 0) == (-1.0, 1.0)
    assert loss_payoffs(3, 1) == (0.5, -1.0, 0.5)


def test_seats_go_around_the_table_and_are_swapped_in_the_second_game():
    assert Match(0, 1, 0, 0).by_seat(2) == [0, 1]
    assert Match(0, 1, 0, 1).by_seat(2) == [1, 0]
    assert Match(2, 4, 7, 0).by_seat(3) == [2, 4, 2]
    assert [Match(0, 1, 0, leg).by_seat(1) for leg in (0, 1)] == [[0], [1]]


# --- chance


def test_both_players_of_one_deal_see_the_same_tiles_and_another_deal_has_others(tmp_path):
    game = anyzero.load("take_it_easy")

    def deal(pair, leg, player):
        moves = play(game, [player], tmp_path, match=Match(0, 1, pair, leg)).moves
        return moves[0::2]

    other = parse_player("random")
    assert deal(0, 0, FIRST) == deal(0, 1, other) != deal(1, 0, FIRST)
    assert len(set(deal(0, 0, FIRST))) == 19


def test_a_forfeit_in_a_game_of_points_has_no_points(tmp_path):
    found = play(anyzero.load("take_it_easy"), [faulty(crash)], tmp_path)
    assert (found.payoffs, found.scores, found.reason) == ([-1.0], [0.0], "crash")


def test_chance_follows_the_weights():
    assert [pick_index([1.0, 2.0, 1.0], unit) for unit in (0.0, 0.24, 0.26, 0.74, 0.76, 1.0)] == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]
    assert draw_unit("chance", 1, 2) == draw_unit("chance", 1, 2) != draw_unit("chance", 1, 3)
    assert all(0.0 <= draw_unit(number) < 1.0 for number in range(1000))


# --- openings


def test_an_opening_depends_on_the_seed_and_the_pair_only():
    found = [make_opening(TIC_TAC_TOE, 1, pair, 2) for pair in range(12)]
    assert found == [make_opening(TIC_TAC_TOE, 1, pair, 2) for pair in range(12)]
    assert found != [make_opening(TIC_TAC_TOE, 2, pair, 2) for pair in range(12)]
    assert all(len(actions) == 2 for actions in found)
    assert len({tuple(actions) for actions in found}) > 6
    assert make_opening(TIC_TAC_TOE, 1, 0, 0) == []


def test_an_opening_does_not_end_the_game_nor_decide_it():
    # Many answers to the first move lose by force (an edge to a corner, an edge to the centre).
    for pair in range(10):
        state = TIC_TAC_TOE.initial_state()
        for action in make_opening(TIC_TAC_TOE, 1, pair, 2):
            state = TIC_TAC_TOE.play(state, action)
        assert abs(search(TIC_TAC_TOE, state, "uct", simulations=200, seed=1).value) <= 0.5
    actions, state = random_line(TIC_TAC_TOE, 50, 3)
    assert not TIC_TAC_TOE.is_over(state)
    assert len(actions) >= 4


def test_an_opening_that_chance_ends_is_thrown_away(tmp_path, monkeypatch):
    """A die that ends the game when it shows three."""
    rolls, ends = "return CHANCE if", "return OVER if state.rolled == 3 else CHANCE if"
    (tmp_path / "three_ends.py").write_text(DICE_RACE.read_text().replace(rolls, ends))
    game = anyzero.load(str(tmp_path / "three_ends.py"))
    monkeypatch.setattr("anyzero.tools.arena.plan.imbalance", lambda game, state, seed: 0.0)
    for pair in range(10):
        opening = make_opening(game, 1, pair, 1)
        assert opening
        assert not game.is_over(move_texts(game, game.initial_state(), opening)[1])


def test_a_move_that_ends_the_game_is_no_opening_move():
    game = anyzero.load("tic_tac_toe")
    state = game.initial_state()
    for move in ("a1", "b1", "a2", "b2", "b3", "a3", "c1", "c2"):
        state = game.play(state, move)
    assert quiet_action(game, state, 0.5) == -1


@pytest.mark.parametrize(
    ("name", "plies"), [("tic_tac_toe", 1), ("connect_four", 3), ("chess", 4), ("take_it_easy", 0)]
)
def test_openings_are_as_long_as_the_game_allows(name, plies):
    assert default_openings(anyzero.load(name)) == plies


# --- plans


def test_a_plan_plays_every_couple_pair_by_pair():
    plan = make_plan("tic_tac_toe", ("random", "uct:5", "flat:5"), games=4)
    matches = plan.matches()
    assert len(matches) == len(set(matches)) == 3 * 4
    assert matches[:4] == [
        Match(0, 1, 0, 0),
        Match(0, 1, 0, 1),
        Match(0, 2, 0, 0),
        Match(0, 2, 0, 1),
    ]
    assert {match.pair for match in matches[:6]} == {0}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"games": 0}, "0 is not a positive even number"),
        ({"games": 7}, "7 is not a positive even number"),
        ({"openings": -1}, "-1 moves"),
        ({"openings": 9}, "9 moves is not shorter than the longest game of tic_tac_toe, 9 moves"),
        (
            {"game": "take_it_easy", "openings": 1},
            "take_it_easy has one seat: there are no openings",
        ),
        ({"limit_s": 0.0}, "0.0 seconds"),
        ({"limit_s": float("nan")}, "nan seconds"),
        ({"limit_s": "2"}, "'2' seconds is not a positive number below 10,000,000"),
        ({"players": ("random",)}, "two players"),
        ({"legs": (0,), "games": 0}, "0 is not a positive number"),
        ({"legs": (0, 0)}, r"not \(0, 0\)"),
        ({"game": "take_it_easy", "legs": (1,)}, "take_it_easy has one seat"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused(settings, says):
    with pytest.raises(BadOptionError, match=says):
        make_plan(**{"game": "tic_tac_toe", "players": ("random", "random"), **settings})


def test_an_opening_may_be_anything_that_is_shorter_than_the_game():
    assert make_plan("tic_tac_toe", ("random", "random"), openings=8).openings == 8
    assert make_plan("take_it_easy", ("random", "random"), openings=0).openings == 0


def test_a_time_limit_may_be_any_number_and_reaches_a_record_as_a_plain_one():
    for limit_s, written in (
        (2, "2"),
        (0.5, "0.5"),
        (np.int64(2), "2.0"),
        (np.float32(0.5), "0.5"),
    ):
        plan = make_plan("tic_tac_toe", ("random", "random"), limit_s=limit_s)
        assert json.dumps(plan.limit_s) == written


def test_one_player_may_have_the_first_seat_in_every_game():
    plan = make_plan("tic_tac_toe", ("random", "uct:5"), games=3, legs=(1,))
    assert plan.matches() == [Match(0, 1, 0, 1), Match(0, 1, 1, 1), Match(0, 1, 2, 1)]
    assert {tuple(match.by_seat(2)) for match in plan.matches()} == {(1, 0)}
    both = make_plan("tic_tac_toe", ("random", "uct:5"), games=6)
    assert set(plan.matches()) < set(both.matches())  # the same openings and seeds
    assert plan.identity() == {**both.identity(), "legs": [1]}
    assert Plan.from_json(json.loads(json.dumps(asdict(plan)))) == plan
