"""Hex: OpenSpiel and a plain search as oracles, closed forms, the swap, exact odds of random play,
and the text.
"""

import random
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadOptionError, BadPositionError, IllegalMoveError
from anyzero.core.compile.random import make_streams
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import rollouts
from anyzero.games import hex as hex_rules
from anyzero.tools.laws.check import check_game
from anyzero.tools.proofs.perft import perft
from tests.games.openspiel import play_in_both
from tests.games.readers import read_safely, texts_near

THREE = load("hex", size=3)
FOUR = load("hex", size=4)
SWAP = load("hex", size=3, swap=True)


def joined(letters: str, size: int, letter: str) -> bool:
    """The oracle: whether x joins top and bottom, or o left and right, by a search over single
    cells.
    """
    mine = {divmod(cell, size) for cell, found in enumerate(letters) if found == letter}
    axis = "xo".index(letter)
    reached = {cell for cell in mine if cell[axis] == 0}
    fresh = list(reached)
    while fresh:
        row, column = fresh.pop()
        beside = [(row - 1, column), (row - 1, column + 1), (row, column - 1), (row, column + 1)]
        for cell in [*beside, (row + 1, column - 1), (row + 1, column)]:
            if cell in mine and cell not in reached:
                reached.add(cell)
                fresh.append(cell)
    return any(cell[axis] == size - 1 for cell in reached)


def letters_of(state) -> str:
    first, second = state.stones.tolist()
    cells = product(range(len(first)), repeat=2)
    return "".join(
        "x" if first[row] >> col & 1 else "o" if second[row] >> col & 1 else "."
        for row, col in cells
    )


# --- rules


@pytest.mark.parametrize("size", [2, 3, 5, 11])
def test_random_games_agree_with_openspiel(size):
    """OpenSpiel's first player joins north and south, with the same neighbours; its numbers are
    cells as they are.
    """

    def seen_by_the_mover(theirs, ours, action):
        row, column = divmod(action, size)
        return action if theirs.current_player() == 0 else column * size + row

    game = load("hex", size=size)
    for seed in range(8):
        play_in_both(game, f"hex(board_size={size})", seen_by_the_mover, seed=seed)


@pytest.mark.parametrize(("size", "games"), [(2, 30), (4, 30), (9, 4), (16, 1), (17, 1), (19, 1)])
def test_the_winner_is_known_on_the_very_move_that_joins(size, games):
    game, chooser = load("hex", size=size), random.Random(size)
    for _ in range(games):
        state, order = game.initial_state(), chooser.sample(range(size * size), size * size)
        letters = ["."] * (size * size)
        for ply, cell in enumerate(order):
            row, column = divmod(cell, size)
            hex_rules.play(game.rules, state, cell if ply % 2 == 0 else column * size + row)
            letters[cell] = "xo"[ply % 2]
            won = joined("".join(letters), size, "xo"[ply % 2])
            assert state.winner == (ply % 2 if won else -1)
            if won:
                break
        assert won


JOINED = """
. x . .
 . x o .
  o x . o
   x . . .
"""
APART = """
x . . .
 . x o .
  o x . o
   x . . .
"""


def position(game, drawing, mover):
    return game.parse_state("/".join(drawing.replace(" ", "").split()) + f" {mover}")


def test_a_cell_touches_the_two_below_it_that_the_slant_brings_near():
    assert FOUR.is_over(position(FOUR, JOINED, "o"))
    assert not FOUR.is_over(position(FOUR, APART, "o"))


def test_the_second_seat_joins_left_and_right():
    state = THREE.parse_state("x2/oo1/1xx o")
    assert THREE.payoffs(THREE.play(state, "c1")).tolist() == [-1, 1]
    assert not THREE.is_over(THREE.play(state, "a3"))


def test_each_seat_sees_itself_join_top_and_bottom():
    state = THREE.parse_state("x2/3/3 o")
    assert THREE.encode(state)[0].sum() == 0
    assert THREE.parse_action(state, "c1") == 6  # column c, row 1: seen in row 3, column 1
    state = THREE.play(THREE.play(state, "c1"), "b2")
    assert THREE.encode(state).tolist() == [
        [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 0]],
    ]


def test_perft_by_closed_form():
    """On 3x3 nothing is won before ply 5, and then by 8 sets of three stones: 3! orders, 6 * 5
    answers each.
    """
    start = THREE.initial_state()
    assert [perft(THREE, start, depth) for depth in range(1, 7)] == [
        9,
        72,
        504,
        3024,
        15120,
        (15120 - 8 * 6 * 30) * 4,
    ]


def mover_wins(game, state, known):
    """Whether the seat to move wins with best play."""
    text = game.format_state(state)
    if text not in known:
        after = (game.play(state, action) for action in game.legal_actions(state))
        known[text] = any(
            game.is_over(child) or not mover_wins(game, child, known) for child in after
        )
    return known[text]


@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_first_seat_wins_without_the_swap_and_the_second_with_it(size):
    """Nash's argument; the swap takes over an opening that wins and leaves alone one that loses."""
    for swap in (False, True):
        game = load("hex", size=size, swap=swap)
        assert mover_wins(game, game.initial_state(), {}) is not swap


# --- the swap


def test_the_swap_takes_over_the_stone_mirrored():
    state = SWAP.play(SWAP.play(SWAP.initial_state(), "c1"), "swap")
    assert SWAP.format_state(state) == "3/3/o2 x"
    assert SWAP.seat_to_move(state) == 0


def test_the_swap_is_offered_once_and_only_to_the_second_seat():
    state = SWAP.initial_state()
    assert "swap" not in SWAP.legal_moves(state)
    opened = SWAP.play(state, "b2")
    assert len(SWAP.legal_moves(opened)) == 9
    assert "swap" in SWAP.legal_moves(opened)
    for answer in ("swap", "a1"):
        state = SWAP.play(opened, answer)
        for _ in range(3):
            assert "swap" not in SWAP.legal_moves(state)
            state = SWAP.play(state, SWAP.legal_actions(state)[0])


def test_the_network_sees_when_it_may_swap():
    opened = SWAP.play(SWAP.initial_state(), "b2")
    assert (SWAP.encode(opened)[2] == 1).all()
    for other in (SWAP.initial_state(), SWAP.play(opened, "swap"), SWAP.play(opened, "a1")):
        assert (SWAP.encode(other)[2] == 0).all()


def test_perft_with_the_swap():
    """9 openings with 8 cells and the swap in answer; then 8 cells after the swap and 7 after a
    stone.
    """
    start = SWAP.initial_state()
    assert [perft(SWAP, start, depth) for depth in range(1, 4)] == [9, 81, 9 * 8 + 9 * 8 * 7]


def test_without_the_option_there_is_no_swap():
    with pytest.raises(IllegalMoveError, match="swap"):
        THREE.play(THREE.play(THREE.initial_state(), "a1"), "swap")


# --- random play


@cache
def exact_value(swap: bool, letters: str, mover: int) -> Fraction:
    """The first seat's expected payoff under uniformly random play on 3x3, by the rules in this
    file alone.
    """
    for seat in range(2):
        if joined(letters, 3, "xo"[seat]):
            return Fraction(1 - 2 * seat)
    children = [
        letters[:cell] + "xo"[mover] + letters[cell + 1 :]
        for cell in range(9)
        if letters[cell] == "."
    ]
    if swap and sorted(letters) == sorted("x........"):
        row, column = divmod(letters.index("x"), 3)
        children.append("".join("o" if cell == column * 3 + row else "." for cell in range(9)))
    return sum((exact_value(swap, child, 1 - mover) for child in children), Fraction(0)) / len(
        children
    )


PLAIN_STARTS = ["3/3/3 x", "x2/3/3 o", "xo1/1x1/2o x", "xo1/oxx/x1o o", "xo1/oxx/xoo x"]
SWAP_STARTS = ["3/3/3 x", "x2/3/3 o", "1x1/3/3 o", "o2/3/3 x", "ox1/3/3 o"]


@pytest.mark.parametrize(
    ("game", "text"),
    [*((THREE, text) for text in PLAIN_STARTS), *((SWAP, text) for text in SWAP_STARTS)],
)
def test_rollouts_have_the_exact_odds_of_random_play(game, text):
    """Hoeffding: with 200,000 rollouts a right mean is off by 0.013 once in ten million runs."""
    state = game.parse_state(text)
    expected = exact_value(game is SWAP, letters_of(state), int(state.mover))
    found = rollouts(game, state, 200, 1000, seed=1).payoffs[:, 0].sum() / 200_000
    assert abs(found - float(expected)) < 0.013


@pytest.mark.parametrize(("size", "swap"), [(2, True), (4, False), (5, True), (12, False)])
def test_a_rollout_fills_the_board_and_finds_its_only_winner(size, swap):
    game, streams = load("hex", size=size, swap=swap), make_streams(7, 12)
    for stream in streams:
        state, actions = game.initial_state(), game.new_actions()
        with np.errstate(over="ignore"):
            moves = hex_rules.rollout(game.rules, state, actions, stream)
        letters = letters_of(state)
        assert abs(letters.count("x") - letters.count("o")) == size % 2
        assert moves - size * size in ((0, 1) if swap else (0,))
        assert [joined(letters, size, letter) for letter in "xo"] == [
            payoff > 0 for payoff in game.payoffs(state)
        ]


@pytest.mark.parametrize(("size", "swap"), [(4, False), (4, True), (11, False)])
def test_a_traced_rollout_marks_the_stones_that_it_adds(size, swap):
    """On 11x11 a row of cells lies across two words."""
    game = load("hex", size=size, swap=swap)
    for stream in make_streams(3, 40):
        state, seen = (
            game.play(game.initial_state(), "b3"),
            np.zeros((2, size * size // 64 + 1), np.uint64),
        )
        with np.errstate(over="ignore"):
            moves = hex_rules.traced_rollout(game.rules, state, game.new_actions(), stream, seen)
        letters = letters_of(state)
        assert "." not in letters
        assert sum(int(word).bit_count() for word in seen.ravel()) == moves
        if not swap:
            for seat, letter in enumerate("xo"):
                marked = {
                    key
                    for key in range(size * size)
                    if int(seen[seat, key // 64]) >> (key % 64) & 1
                }
                stones = {cell for cell in range(size * size) if letters[cell] == letter}
                assert marked == stones - ({2 * size + 1} if seat == 0 else set())


def test_amaf_keys_name_the_cell_as_it_is():
    state = FOUR.play(FOUR.initial_state(), "a1")
    assert [FOUR.amaf_key(state, FOUR.parse_action(state, move)) for move in ("b1", "d3")] == [
        1,
        11,
    ]


def test_a_finished_game_is_left_alone_by_a_rollout():
    state = THREE.parse_state("xoo/x2/x2 o")
    assert rollouts(THREE, state, 5).moves.tolist() == [0] * 5
    assert rollouts(THREE, state, 5).payoffs.tolist() == [[1, -1]] * 5


@pytest.mark.slow
def test_the_laws_hold_on_boards_with_wide_rows():
    results = check_game(
        load("hex:size=17"), "interpreted is compiled", "positions have texts", num_games=3
    )
    assert [result for result in results if not result.ok] == []


# --- text and picture


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("4/4/4/4", "2 parts"),
        ("4/4/4 x", "4 rows"),
        ("4/4/4/5 x", "5 cells"),
        ("4/4/4/3w x", "'w'"),
        ("4/4/4/4 w", "side to move"),
        ("4/4/4/4 o", "turn of o"),
        ("x3/4/4/4 x", "turn of x"),
        ("o3/4/4/4 x", "turn of x"),
        ("xo2/4/4/4 o", "turn of o"),
        ("xooo/x3/x3/x3 x", "turn of x"),
        ("xooo/xo2/x3/x3 x", "already joined top and bottom"),
        ("oooo/x1x1/xx2/1x2 o", "already joined left and right"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        FOUR.parse_state(text)


@pytest.mark.parametrize("text", ["o2/3/3 x", "ox1/3/3 o", "ox1/o2/3 x"])
def test_a_position_after_a_swap_is_read_only_where_swaps_are_played(text):
    assert SWAP.format_state(SWAP.parse_state(text)) == text
    with pytest.raises(BadPositionError, match="turn of"):
        THREE.parse_state(text)


@given(texts_near(SWAP, "xo"))
def test_any_text_is_read_or_refused(text):
    read_safely(SWAP, text)


@given(st.lists(st.sampled_from("xo."), min_size=9, max_size=9), st.sampled_from("xo"))
def test_any_small_board_is_read_or_refused(letters, mover):
    board = "/".join("".join(letters[start : start + 3]) for start in range(0, 9, 3))
    for game in (THREE, SWAP):
        state = read_safely(game, f"{board} {mover}")
        if state is not None:
            other = "o" if mover == "x" else "x"
            assert game.is_over(state) == joined("".join(letters), 3, other)
            assert not joined("".join(letters), 3, mover)


def test_every_full_board_of_three_by_three_has_exactly_one_winner():
    for letters in product("xo", repeat=9):
        assert joined("".join(letters), 3, "x") != joined("".join(letters), 3, "o")
        if letters.count("x") == 5:
            board = "/".join("".join(letters[start : start + 3]) for start in range(0, 9, 3))
            state = read_safely(THREE, f"{board} o")
            assert (state is None) == joined("".join(letters), 3, "o")


@pytest.mark.parametrize("move", ["e1", "a5", "a0", "aa", "", "4", "a1a1", "á1", "swap2"])
def test_a_move_that_is_no_cell_is_refused(move):
    with pytest.raises(IllegalMoveError):
        FOUR.play(FOUR.initial_state(), move)


def test_capitals_name_the_same_cell():
    assert FOUR.format_state(FOUR.play(FOUR.initial_state(), "D2")) == "4/3x/4/4 o"


@pytest.mark.parametrize("size", [-1, 1, 20])
def test_sizes_that_cannot_be_played_are_refused(size):
    with pytest.raises(BadOptionError, match="from 2 to 19"):
        load("hex", size=size)


def test_the_winning_chain_is_shown():
    state = FOUR.play(FOUR.parse_state("1x2/xxo1/o2o/xo2 x"), "b3")
    assert str(FOUR.show(state)).split("\n") == [
        " a b c d",
        "1 . X . .",
        " 2 x X o .",
        "  3 o X . o",
        "   4 X o . .",
        "blue (x) has joined top and bottom and won",
    ]


def test_the_swap_is_a_move_without_a_cell():
    scene = SWAP.scene(SWAP.play(SWAP.initial_state(), "c1"))
    assert 9 not in scene.clicks
    assert scene.caption == "orange (o) to move, joining left and right, or to swap"
