"""Atarigo: capture, suicide and the lack of a move by hand, a plain implementation as the oracle,
and the text.
"""

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadOptionError, BadPositionError, IllegalMoveError
from anyzero.core.compile.random import make_streams
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import rollouts
from anyzero.games import atarigo
from anyzero.tools.laws.check import check_game
from anyzero.tools.proofs.perft import perft
from tests.games.readers import read_safely, texts_near

FIVE = load("atarigo", size=5)
THREE = load("atarigo", size=3)


class PlainBoard:
    """The oracle: stones in a dict, chains by a search over single cells."""

    def __init__(self, size):
        self.size, self.stones, self.mover, self.winner = size, {}, 0, None

    def beside(self, cell):
        row, column = cell
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [
            (high, wide) for high, wide in around if 0 <= high < self.size and 0 <= wide < self.size
        ]

    def has_liberty(self, cell):
        chain, fresh = {cell}, [cell]
        while fresh:
            for near in self.beside(fresh.pop()):
                if near not in self.stones:
                    return True
                if self.stones[near] == self.stones[cell] and near not in chain:
                    chain.add(near)
                    fresh.append(near)
        return False

    def takes(self, cell):
        return any(
            self.stones.get(near) == 1 - self.stones[cell] and not self.has_liberty(near)
            for near in self.beside(cell)
        )

    def is_legal(self, cell):
        if cell in self.stones:
            return False
        self.stones[cell] = self.mover
        legal = self.has_liberty(cell) or self.takes(cell)
        del self.stones[cell]
        return legal

    def legal_cells(self):
        if self.winner is not None:
            return []
        return [
            (row, column)
            for row in range(self.size)
            for column in range(self.size)
            if self.is_legal((row, column))
        ]

    def play(self, cell):
        self.stones[cell] = self.mover
        seat, self.mover = self.mover, 1 - self.mover
        if self.takes(cell) or not self.legal_cells():
            self.winner = seat


# --- rules


@pytest.mark.parametrize(
    ("size", "games"),
    [
        (3, 60),
        (9, 6),
        *(
            pytest.param(*size, marks=pytest.mark.slow)
            for size in [(4, 40), (7, 10), (8, 10), (12, 2), (16, 1), (19, 1)]
        ),
    ],
)
def test_random_games_agree_with_a_plain_implementation(size, games):
    game, chooser = load("atarigo", size=size), random.Random(size)
    for _ in range(games):
        state, plain, actions = game.initial_state(), PlainBoard(size), game.new_actions()
        while plain.winner is None:
            assert atarigo.seat_to_move(game.rules, state) == plain.mover
            count = atarigo.legal_actions(game.rules, state, actions)
            cells = plain.legal_cells()
            assert sorted(actions[:count].tolist()) == [
                row * size + column for row, column in cells
            ]
            row, column = chooser.choice(cells)
            plain.play((row, column))
            atarigo.play(game.rules, state, row * size + column)
        assert state.winner == plain.winner


def position(game, drawing, mover):
    return game.parse_state("/".join(drawing.replace(" ", "").split()) + f" {mover}")


def wins_at_once(game, state, move):
    """Whether the move ends the game; the one who made it has won then."""
    after = game.play(state, move)
    if game.is_over(after):
        assert game.payoffs(after)[int(state.mover)] == 1
    return game.is_over(after)


def test_a_stone_without_liberties_is_taken_in_the_middle_on_the_edge_and_in_the_corner():
    drawing = """
    w b . . w
    . . b . w
    . b w . .
    w . b . .
    . . b w b
    """
    state = position(FIVE, drawing, "b")
    assert {move for move in FIVE.legal_moves(state) if wins_at_once(FIVE, state, move)} == {
        "d3",
        "d2",
        "a4",
    }


def test_a_chain_is_taken_as_a_whole_and_only_without_any_liberty():
    drawing = """
    . . b . .
    . b w b .
    b w w . w
    . b b . w
    . . . . w
    """
    state = position(FIVE, drawing, "b")
    assert {move for move in FIVE.legal_moves(state) if wins_at_once(FIVE, state, move)} == {"d3"}
    after = FIVE.play(state, "d3")
    assert str(FIVE.show(after)).split("\n") == [
        "5 . . b . .",
        "4 . b W b .",
        "3 b W W b w",
        "2 . b b . w",
        "1 . . . . w",
        "  a b c d e",
        "black has taken and won",
    ]


def test_stones_that_touch_at_a_corner_are_no_chain():
    drawing = """
    w b . . .
    . w . . .
    . . . . .
    . . . . .
    b . . . .
    """
    state = position(FIVE, drawing, "b")
    assert wins_at_once(FIVE, state, "a4")


def test_a_stone_may_not_be_set_where_it_has_no_liberty():
    drawing = """
    . w . . .
    w . . . .
    . . . . .
    . . . b .
    . . . . b
    """
    black = position(FIVE, drawing, "b")
    assert "a5" not in FIVE.legal_moves(black)
    with pytest.raises(IllegalMoveError, match="a5"):
        FIVE.play(black, "a5")
    white = FIVE.play(black, "c3")
    assert {"a5", "e1"} - set(FIVE.legal_moves(white)) == {"e1"}


def test_a_chain_may_not_be_left_without_a_liberty():
    drawing = """
    . . . . w
    . . . . .
    . . . . .
    b b . . .
    w . b . .
    """
    state = position(FIVE, drawing, "w")
    assert "b1" not in FIVE.legal_moves(state)
    assert wins_at_once(FIVE, FIVE.play(state, "e1"), "b1")


def test_a_move_that_takes_is_no_suicide():
    drawing = """
    . b w . .
    b w w . .
    w w . . .
    . . . b b
    . . . b b
    """
    state = position(FIVE, drawing, "w")
    assert wins_at_once(FIVE, state, "a5")


def test_a_side_without_a_move_has_lost():
    """White could only fill its own last liberty (c1) or set a stone that has none (a1)."""
    drawing = """
    . w w
    b b w
    . b .
    """
    state = position(THREE, drawing, "b")
    after = THREE.play(state, "a3")
    assert THREE.is_over(after)
    assert THREE.payoffs(after).tolist() == [1, -1]
    assert THREE.scene(after).caption == "black has left no move and won"
    assert not THREE.is_over(THREE.play(state, "a1"))


def test_perft_by_closed_form():
    """On 3x3, at ply 4: 9 * 8 * 7 * 6 lines, less two kinds.

    In 4 * 2 lines a stone in a corner is taken at ply 3, and the 6 answers fall away. In 4 * 2 * 6
    lines black holds both neighbours of an empty corner, which is suicide for white.
    """
    start = THREE.initial_state()
    assert [perft(THREE, start, depth) for depth in range(1, 5)] == [9, 72, 504, 3024 - 8 * 6 - 48]


def test_both_seats_see_their_own_stones_first():
    state = THREE.parse_state("b2/1w1/3 b")
    assert THREE.encode(state).tolist() == [
        [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
        [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    ]
    assert (THREE.encode(THREE.play(state, "c1"))[0] == THREE.encode(state)[1]).all()


def test_the_square_has_seven_other_views():
    views = {tuple(turn.actions.tolist()) for turn in FIVE.symmetries}
    assert len(views) == 7
    assert tuple(range(25)) not in views


# --- random play


@cache
def exact_value(letters: str, mover: int) -> Fraction:
    """The first seat's expected payoff under uniformly random play on 3x3, by the plain
    implementation.
    """
    total, cells = Fraction(0), plain_board(letters, mover).legal_cells()
    for row, column in cells:
        board, cell = plain_board(letters, mover), row * 3 + column
        board.play((row, column))
        if board.winner is not None:
            total += 1 - 2 * board.winner
        else:
            total += exact_value(letters[:cell] + "bw"[mover] + letters[cell + 1 :], 1 - mover)
    return total / len(cells)


def plain_board(letters: str, mover: int) -> PlainBoard:
    board = PlainBoard(3)
    board.stones = {
        divmod(cell, 3): "bw".index(letter) for cell, letter in enumerate(letters) if letter != "."
    }
    board.mover = mover
    return board


@pytest.mark.parametrize(
    "rows",
    [["...", "...", "..."], ["...", ".b.", "..."], ["b..", ".wb", ".w."], ["bw.", ".b.", "w.."]],
)
def test_rollouts_have_the_exact_odds_of_random_play(rows):
    """Hoeffding: with 200,000 rollouts a right mean is off by 0.013 once in ten million runs."""
    board = "".join(rows)
    mover = board.count("b") - board.count("w")
    expected = exact_value("".join(reversed(rows)), mover)
    state = THREE.parse_state(f"{'/'.join(rows)} {'bw'[mover]}")
    found = rollouts(THREE, state, 200, 1000, seed=1).payoffs[:, 0].sum() / 200_000
    assert abs(found - float(expected)) < 0.013


@pytest.mark.parametrize("size", [3, 9])
def test_a_traced_rollout_marks_the_stones_that_it_adds(size):
    game = load("atarigo", size=size)
    for stream in make_streams(5, 12 if size == 3 else 2):
        state, seen = game.initial_state(), np.zeros((2, size * size // 64 + 1), np.uint64)
        with np.errstate(over="ignore"):
            moves = atarigo.traced_rollout(game.rules, state, game.new_actions(), stream, seen)
        marked = [
            {key for key in range(size * size) if int(row[key // 64]) >> (key % 64) & 1}
            for row in seen
        ]
        assert [len(keys) for keys in marked] == [(moves + 1) // 2, moves // 2]
        rows = game.format_state(state).split()[0]
        assert not marked[0] & marked[1], rows


@pytest.mark.slow
def test_the_laws_hold_on_boards_of_several_words():
    laws = ("interpreted is compiled", "symmetries commute with play", "positions have texts")
    results = check_game(load("atarigo:size=9"), *laws, num_games=3)
    assert [result for result in results if not result.ok] == []


# --- text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("3/3/3", "2 parts"),
        ("3/3 b", "3 rows"),
        ("3/3/4 b", "4 cells"),
        ("3/3/2x b", "'x'"),
        ("3/3/3 x", "side to move"),
        ("3/3/3 w", "turn of w"),
        ("b2/3/3 b", "turn of b"),
        ("w2/3/3 b", "turn of b"),
        ("wb1/b2/w2 b", "already taken"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        THREE.parse_state(text)


def test_a_finished_game_is_read():
    state = THREE.parse_state("wb1/b2/3 w")
    assert THREE.payoffs(state).tolist() == [1, -1]


@given(texts_near(THREE, "bw"))
def test_any_text_is_read_or_refused(text):
    read_safely(THREE, text)


@given(st.lists(st.sampled_from("bw."), min_size=9, max_size=9), st.sampled_from("bw"))
def test_any_small_board_is_read_or_refused(letters, mover):
    read_safely(
        THREE,
        "/".join("".join(letters[start : start + 3]) for start in range(0, 9, 3)) + f" {mover}",
    )


@pytest.mark.parametrize("size", [-1, 2, 20])
def test_sizes_that_cannot_be_played_are_refused(size):
    with pytest.raises(BadOptionError, match="from 3 to 19"):
        load("atarigo", size=size)
