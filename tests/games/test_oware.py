"""Oware: positions played by hand, the rule of repetition, texts, options and the picture."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadOptionError, BadPositionError, IllegalMoveError
from anyzero.core.game.contract import OVER
from anyzero.core.game.load import load
from anyzero.games.oware import FEATURES, seeds_of


@pytest.fixture(scope="module")
def oware():
    return load("oware")


def position(game, north: str, south: str, taken: str, ply: int = 40):
    """The board as it lies on the table: North's row from f to a above South's from A to F; taken
    by South-North.
    """
    rows = south.split(), north.split()[::-1]
    side = "SN"[ply % 2]
    return game.parse_state(f"{','.join(rows[0])}/{','.join(rows[1])} {taken} {side} {ply}")


def board(state) -> tuple[str, str, str]:
    """North's row, South's row and the seeds taken, as `position` reads them."""
    south, north = (seeds_of(row) for row in state.houses)
    return (
        " ".join(map(str, north[::-1])),
        " ".join(map(str, south)),
        f"{state.stores[0]}-{state.stores[1]}",
    )


def result(game, state) -> list[float]:
    return game.payoffs(state).tolist()


# --- sowing


def test_the_first_move_of_the_start(oware):
    after = oware.play(oware.initial_state(), "C")
    assert board(after) == ("4 4 4 4 4 5", "4 4 0 5 5 5", "0-0")
    assert oware.format_state(after) == "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N 1"


def test_north_sows_to_the_left_and_on_into_the_lower_row(oware):
    after = oware.play(position(oware, "4 4 4 4 4 4", "4 4 4 4 4 4", "0-0", ply=1), "e")
    assert board(after) == ("5 0 4 4 4 4", "5 5 5 4 4 4", "0-0")


def test_twelve_seeds_skip_the_house_of_origin(oware):
    after = oware.play(position(oware, "4 4 4 4 4 4", "12 0 0 0 0 0", "6-6"), "A")
    assert board(after) == ("5 5 5 5 5 5", "0 2 1 1 1 1", "6-6")


def test_twenty_three_seeds_skip_the_house_of_origin_twice(oware):
    after = oware.play(position(oware, "4 4 4 4 4 0", "0 0 0 23 0 0", "2-3"), "D")
    assert board(after) == ("6 6 6 6 6 2", "2 2 2 0 3 2", "2-3")


def test_all_seeds_of_the_board_fit_one_house(oware):
    start = position(oware, "0 0 0 0 0 0", "48 0 0 0 0 0", "0-0")
    assert board(oware.play(start, "A")) == ("4 4 4 4 4 4", "0 5 5 5 5 4", "0-0")


# --- taking


def test_the_last_seed_takes_a_house_that_it_makes_two_or_three(oware):
    start = position(oware, "4 4 4 4 1 4", "0 0 0 0 3 0", "12-12")
    assert board(oware.play(start, "E")) == ("4 4 4 4 0 5", "0 0 0 0 0 1", "14-12")
    start = position(oware, "4 4 4 4 2 4", "0 0 0 0 3 0", "12-11")
    assert board(oware.play(start, "E")) == ("4 4 4 4 0 5", "0 0 0 0 0 1", "15-11")


def test_the_last_seed_takes_no_other_number(oware):
    start = position(oware, "4 4 4 4 3 4", "0 0 0 0 3 0", "11-11")
    assert board(oware.play(start, "E")) == ("4 4 4 4 4 5", "0 0 0 0 0 1", "11-11")


def test_taking_goes_back_through_touching_houses_and_stops_at_the_first_that_is_safe(oware):
    start = position(oware, "5 1 2 1 4 1", "0 0 0 0 1 6", "14-13")
    after = oware.play(start, "F")
    assert board(after) == ("6 2 3 2 5 2", "0 0 0 0 1 0", "14-13")  # the last house has six
    start = position(oware, "5 1 2 1 4 1", "0 0 0 0 1 5", "14-14")
    after = oware.play(start, "F")
    assert board(after) == (
        "5 0 0 0 5 2",
        "0 0 0 0 1 0",
        "21-14",
    )  # two, three, two; then five is safe


def test_taking_never_goes_back_into_the_own_row(oware):
    start = position(oware, "4 0 0 0 1 1", "0 0 0 0 1 2", "20-19")
    assert board(oware.play(start, "F")) == ("4 0 0 0 0 0", "0 0 0 0 1 0", "24-19")


def test_the_last_seed_takes_nothing_in_the_own_row(oware):
    start = position(oware, "4 4 4 4 4 4", "1 1 0 0 0 0", "11-11")
    assert board(oware.play(start, "A")) == ("4 4 4 4 4 4", "0 2 0 0 0 0", "11-11")


def test_a_second_lap_can_take(oware):
    """Fourteen seeds from F pass all six houses of North, five of South's, and end on the third
    house of North.
    """
    start = position(oware, "9 0 0 0 0 0", "1 1 1 0 0 14", "11-11")
    assert board(oware.play(start, "F")) == ("10 1 1 0 0 0", "2 2 2 1 1 0", "17-11")


def test_north_takes_from_south(oware):
    start = position(oware, "3 0 0 0 0 0", "1 2 1 4 4 4", "15-14", ply=41)
    assert board(oware.play(start, "f")) == ("0 0 0 0 0 0", "0 0 0 4 4 4", "15-21")


# --- grand slams

SLAM = ("0 0 0 0 1 1", "0 0 0 0 4 2", "20-20")


def test_a_grand_slam_takes_nothing(oware):
    assert oware.legal_moves(position(oware, *SLAM)) == ["E", "F"]
    assert board(oware.play(position(oware, *SLAM), "F")) == ("0 0 0 0 2 2", "0 0 0 0 4 0", "20-20")


def test_a_grand_slam_may_be_illegal():
    game = load("oware:grand_slam=illegal")
    assert game.legal_moves(position(game, *SLAM)) == ["E"]
    with pytest.raises(IllegalMoveError, match="legal: E"):
        game.play(position(game, *SLAM), "F")


def test_without_a_legal_move_but_grand_slams_the_game_ends():
    game = load("oware:grand_slam=illegal,last_seeds=owner")
    start = position(game, "0 0 0 0 0 1", "0 0 0 0 0 17", "15-15", ply=41)
    after = game.play(
        start, "a"
    )  # South could only sow F: seventeen seeds make two or three in each house of North
    assert game.is_over(after)
    assert board(after) == ("0 0 0 0 0 0", "0 0 0 0 0 0", "32-16")


@pytest.mark.parametrize(
    ("last", "taken"), [("mover", "24-24"), ("owner", "28-20"), ("nobody", "24-20")]
)
def test_a_grand_slam_may_take_all_and_the_rest_follows_its_own_option(last, taken):
    game = load(f"oware:grand_slam=takes_all,last_seeds={last}")
    after = game.play(position(game, *SLAM), "F")
    assert game.is_over(after)
    rest = "0 0 0 0 4 0" if last == "nobody" else "0 0 0 0 0 0"
    assert board(after) == ("0 0 0 0 0 0", rest, taken)


# --- feeding and ends


def test_an_empty_row_must_be_fed(oware):
    start = position(oware, "0 0 0 0 0 0", "6 4 4 2 3 0", "15-14")
    assert oware.legal_moves(start) == ["A", "C", "E"]


def test_a_mover_who_cannot_feed_takes_all_that_is_left(oware):
    start = position(oware, "1 0 0 0 0 0", "0 0 0 0 2 0", "22-23", ply=41)
    after = oware.play(start, "f")
    assert board(after) == ("0 0 0 0 0 0", "1 0 0 0 2 0", "22-23")  # South can feed: not over
    start = position(oware, "2 0 0 0 0 0", "0 0 1 2 0 0", "21-22", ply=41)
    after = oware.play(start, "f")
    assert board(after) == ("0 0 0 0 0 0", "0 0 0 0 0 0", "26-22")
    assert oware.seat_to_move(after) == OVER
    assert result(oware, after) == [1.0, -1.0]
    assert (oware.score(after, 0), oware.score(after, 1)) == (26.0, 22.0)


def test_twenty_five_seeds_end_the_game(oware):
    start = position(oware, "4 4 4 3 1 4", "0 0 0 0 3 0", "23-2")
    after = oware.play(start, "E")
    assert board(after) == ("4 4 4 3 0 5", "0 0 0 0 0 1", "25-2")
    assert oware.is_over(after)
    assert oware.legal_actions(after) == []
    assert result(oware, after) == [1.0, -1.0]


def test_twenty_four_seeds_do_not_end_the_game(oware):
    start = position(oware, "4 4 4 4 1 4", "0 0 0 0 3 0", "22-2")
    assert not oware.is_over(oware.play(start, "E"))


def test_twenty_four_each_is_a_draw(oware):
    start = position(oware, "2 0 0 0 0 0", "0 0 1 2 0 0", "19-24", ply=41)
    after = oware.play(start, "f")
    assert board(after) == ("0 0 0 0 0 0", "0 0 0 0 0 0", "24-24")
    assert result(oware, after) == [0.0, 0.0]


def test_after_the_last_ply_the_higher_score_wins_and_seeds_on_the_board_are_nobodys(oware):
    start = position(oware, "4 4 4 4 4 4", "4 4 4 4 4 3", "1-0", ply=199)
    after = oware.play(start, "a")
    assert oware.is_over(after)
    assert board(after)[2] == "1-0"
    assert result(oware, after) == [1.0, -1.0]
    level = oware.play(position(oware, "4 4 4 4 4 4", "4 4 4 4 4 2", "1-1", ply=199), "a")
    assert result(oware, level) == [0.0, 0.0]
    assert not oware.is_over(
        oware.play(position(oware, "4 4 4 4 4 4", "4 4 4 4 4 3", "1-0", ply=198), "A")
    )


def test_the_last_seeds_may_go_to_their_owners_however_the_game_ends():
    game = load("oware:last_seeds=owner,plies=50")
    after = game.play(position(game, "4 4 4 4 4 4", "4 4 4 4 4 2", "1-1", ply=49), "a")
    assert board(after) == ("0 0 0 0 0 0", "0 0 0 0 0 0", "23-25")
    won = game.play(position(game, "4 4 4 3 1 4", "0 0 0 0 3 0", "23-2"), "E")
    assert board(won) == ("0 0 0 0 0 0", "0 0 0 0 0 0", "26-22")


# --- the rule of repetition

LOOP = "FfAaBbCcDdEe"
"""Two seeds that follow each other around the board; every move is forced."""


@pytest.mark.parametrize(
    ("last", "taken"), [("owner", "24-24"), ("mover", "24-22"), ("nobody", "24-22")]
)
def test_a_position_that_returns_ends_the_game(last, taken):
    game = load(f"oware:repetition=true,last_seeds={last}")
    stores = "23-23" if last == "owner" else "24-22"
    state = game.parse_state(f"0,0,0,0,0,1/0,0,0,0,0,1 {stores} S 40 -")
    for move in LOOP:
        assert game.legal_moves(state) == [move]
        state = game.play(state, move)
    assert game.is_over(state)
    assert board(state)[2] == taken


def test_without_the_rule_the_loop_goes_on_to_the_last_ply(oware):
    state = position(oware, "1 0 0 0 0 0", "0 0 0 0 0 1", "23-23")
    while not oware.is_over(state):
        state = oware.play(state, oware.legal_actions(state)[0])
    assert (int(state.ply), result(oware, state)) == (200, [0.0, 0.0])


def test_the_text_of_a_position_carries_its_history():
    game = load("oware:repetition=true")
    state = game.parse_state("0,0,0,0,0,1/0,0,0,0,0,1 23-23 S 40 FfAaBbCcDd")
    assert game.format_state(state) == "0,0,0,0,0,1/0,0,0,0,0,1 23-23 S 40 FfAaBbCcDd"
    assert not game.is_over(game.play(state, "E"))
    assert game.is_over(game.play(game.play(state, "E"), "e"))
    forgetful = game.parse_state("0,0,0,0,1,0/0,0,0,0,1,0 23-23 S 50 -")
    assert not game.is_over(game.play(game.play(forgetful, "E"), "e"))


def test_a_capture_begins_the_history_anew():
    game = load("oware:repetition=true")
    start = game.parse_state("0,0,0,0,3,0/4,1,4,4,4,4 12-12 S 40 -")
    after = game.play(start, "E")
    assert game.format_state(after) == "0,0,0,0,0,1/5,0,4,4,4,4 14-12 N 41 -"


# --- for search and learning


def test_the_encoding_is_seen_from_the_mover(oware):
    start = position(oware, "0 0 0 0 0 4", "16 0 0 0 0 15", "7-6", ply=50)
    planes = oware.encode(start)
    assert planes.shape == (FEATURES,) == (207,)
    expected = {17 * house for house in (1, 2, 3, 4, 7, 8, 9, 10, 11)} | {
        15,
        17 * 5 + 15,
        17 * 6 + 4,
    }
    assert set(np.flatnonzero(planes == 1.0)) == expected
    assert planes[16] == np.float32(1 / 33)
    assert planes[-3:].tolist() == np.float32([7 / 24, 6 / 24, 50 / 200]).tolist()
    mirrored = position(oware, "15 0 0 0 0 16", "4 0 0 0 0 0", "6-7", ply=51)
    assert np.array_equal(oware.encode(mirrored)[:-1], planes[:-1])


# --- text, options and picture


def test_a_move_is_a_letter_in_either_case(oware):
    start = oware.initial_state()
    assert oware.legal_moves(start) == list("ABCDEF")
    north = oware.play(start, "d")
    assert oware.legal_moves(north) == list("abcdef")
    assert oware.play(north, "B").tobytes() == oware.play(north, "b").tobytes()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 S", "expected 4 parts"),
        ("4,4,4,4,4,4 0-0 S 0", r"expected 2 parts .South, North., got 1"),
        ("4,4,4,4,4/4,4,4,4,4,4 4-0 S 0", r"expected 6 parts .*, got 5"),
        ("4,4,4,4,4,x/4,4,4,4,4,4 0-0 S 0", "'x', not a number from 0 to 48"),
        ("4,4,4,4,4,٤/4,4,4,4,4,4 0-0 S 0", "not a number"),
        ("4,4,4,4,4,99/4,4,4,4,4,4 0-0 S 0", "'99', not a number from 0 to 48"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 1-0 S 0", "49 seeds"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 W 0", "not one of S, N, -"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 N 0", "S moves at ply 0, not N"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 S 201", "not a number from 0 to 200"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 S 200", "the game is over here"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 - 0", "no game ends with these seeds"),
        ("0,0,0,0,0,1/4,4,4,4,1,4 25-1 S 40", "the game is over here"),
        ("1,0,0,0,0,0/0,0,0,0,0,0 24-23 S 40", "the game is over here"),
        ("1,0,0,0,0,0/0,0,0,0,0,0 24-23 - 40", "no game ends with these seeds"),
    ],
)
def test_a_wrong_text_is_told_what_is_wrong(oware, text, reason):
    with pytest.raises(BadPositionError, match=reason):
        oware.parse_state(text)


def test_a_history_must_be_playable():
    game = load("oware:repetition=true")
    for moves in ("G", "a", "A", "Ff?", "FfAaBbCcDdEeF"):
        with pytest.raises(BadPositionError, match="not a legal move"):
            game.parse_state(f"0,0,0,0,0,1/0,0,0,0,0,1 23-23 S 40 {moves}")


def split_seeds(cuts: list[int]) -> str:
    """48 seeds in twelve houses and two stores, cut at thirteen places."""
    places = [0, *sorted(cuts), 48]
    parts = [str(after - before) for before, after in pairwise(places)]
    return f"{','.join(parts[:6])}/{','.join(parts[6:12])} {'-'.join(parts[12:])}"


SEEDS = st.lists(st.integers(0, 48), min_size=13, max_size=13).map(split_seeds)
COUNTS = st.integers(0, 50).map(str)
ROWS = st.lists(COUNTS, min_size=5, max_size=7).map(",".join)
TURNS = st.builds("{} {}".format, st.sampled_from("SN-s"), st.integers(-1, 201))
ANYTHING = st.builds("{}/{} {}-{}".format, ROWS, ROWS, COUNTS, COUNTS)


@given(st.one_of(st.text(), st.builds("{} {}".format, st.one_of(SEEDS, ANYTHING), TURNS)))
@example("0,0,0,0,0,0/0,0,0,0,0,0 24-24 - 40")
@example("\0/\0 \0-\0 S 0")
@example("4,4,4,4,4,4/4,4,4,4,4,4 0-0 S ²")
@example("9" * 5000)
def test_any_text_is_a_position_that_can_be_played_or_a_clear_error(oware, text):
    try:
        state = oware.parse_state(text)
    except BadPositionError:
        return
    assert oware.parse_state(oware.format_state(state)).tobytes() == state.tobytes()
    chooser = random.Random(text)
    while actions := oware.legal_actions(state):
        state = oware.play(state, chooser.choice(actions))
    assert oware.is_over(state)


@given(st.text("ABCDEFabcdef-? ", max_size=40))
def test_any_history_is_played_or_a_clear_error(moves):
    game = load("oware:repetition=true")
    try:
        state = game.parse_state(f"1,0,0,2,0,1/0,3,0,0,1,0 20-20 S 40 {moves}")
    except BadPositionError:
        return
    assert game.parse_state(game.format_state(state)).tobytes() == state.tobytes()


@given(st.text(max_size=3))
def test_any_text_is_a_move_or_a_clear_error(oware, text):
    start = oware.initial_state()
    try:
        action = oware.parse_action(start, text)
    except IllegalMoveError:
        return
    assert "ABCDEF"[action] == text.strip().upper()


@pytest.mark.parametrize(
    "text", ["oware:plies=0", "oware:plies=1001", "oware:grand_slam=x", "oware:last_seeds=all"]
)
def test_a_wrong_option_is_told_what_is_possible(text):
    with pytest.raises(BadOptionError, match=r"must be (from 1 to 1000|one of)"):
        load(text)


def test_the_picture_shows_seeds_as_dots_and_as_numbers(oware):
    state = position(oware, "0 0 1 2 12 1", "0 0 0 0 2 2", "21-7", ply=45)
    scene = oware.scene(state)
    dots = {
        piece.cell: sum(shape.__class__.__name__ == "Circle" for shape in piece.shapes)
        for piece in scene.pieces
    }
    assert dots == {"E": 2, "F": 2, "a": 1, "b": 12, "c": 2, "d": 1}
    assert {piece.cell: piece.text for piece in scene.pieces} == {
        cell: str(count) for cell, count in dots.items()
    }
    assert scene.clicks == {0: ("a",), 1: ("b",), 2: ("c",), 3: ("d",)}
    assert [line.split() for line in oware.show(state).text.split("\n")] == [
        ["North"],
        ["0", "0", "1", "2", "12", "1"],
        ["f", "e", "d", "c", "b", "a"],
        ["7", "A", "B", "C", "D", "E", "F", "21"],
        ["0", "0", "0", "0", "2", "2"],
        ["South"],
        ["North", "to", "move,", "21", ":", "7"],
    ]


def test_the_caption_names_the_winner(oware):
    captions = [
        oware.scene(oware.parse_state(f"0,0,0,0,0,0/0,0,0,0,0,0 {taken} - 40")).caption
        for taken in ("25-23", "20-28", "24-24")
    ]
    assert captions == ["South has won, 25 : 23", "North has won, 20 : 28", "a draw, 24 : 24"]
