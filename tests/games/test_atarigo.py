"""Atarigo: capture, suicide and the lack of a move by hand, a plain implementation as the oracle, and the text."""

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.compile.random import make_streams
from anyzero.games import atarigo
from anyzero.games.errors import BadOptionError, BadPositionError, IllegalMoveError
from anyzero.games.laws import check_game
from anyzero.games.load import load
from anyzero.games.perft import perft
from anyzero.games.rollouts import rollouts
from tests.games.readers import read_safely, texts_near

GAME = load("atarigo")
FIVE = load("atarigo", size=5)
THREE = load("atarigo", size=3)


class PlainBoard:
    """The oracle: stones in a dict, chains by a search over single cells."""

    def __init__(self, size):
        self.size, self.stones, self.mover, self.winner = size, {}, 0, None

    def beside(self, cell):
        row, column = cell
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [(high, wide) for high, wide in around if 0 <= high < self.size and 0 <= wide < self.size]

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
            self.stones.get(near) == 1 - self.stones[cell] and not self.has_liberty(near) for near in self.beside(cell)
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
            (row, column) for row in range(self.size) for column in range(self.size) if self.is_legal((row, column))
        ]

    def play(self, cell):
        self.stones[cell] = self.mover
        seat, self.mover = self.mover, 1 - self.mover
        if self.takes(cell) or not self.legal_cells():
            self.winner = seat


# --- rules


@pytest.mark.parametrize(("size", "games"), [(3, 60), (4, 40), (7, 10), (8, 10), (9, 6), (12, 2), (16, 1), (19, 1)])
def test_random_games_agree_with_a_plain_implementation(size, games):
    game, chooser = load("atarigo", size=size), random.Random(size)
    for _ in range(games):
        state, plain, actions = game.initial_state(), PlainBoard(size), game.new_actions()
        while plain.winner is None:
            assert atarigo.seat_to_move(game.rules, state) == plain.mover
            count = atarigo.legal_actions(game.rules, state, actions)
            cells = plain.legal_cells()
            assert sorted(actions[:count].tolist()) == [row * size + column for row, column in cells]
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
    w b . . .
    . . b . .
    . b w . .
    . . b b .
    . . b w w
    """
    state = position(FIVE, drawing.replace("b b .", "b . ."), "b")
    assert [move for move in FIVE.legal_moves(state) if wins_at_once(FIVE, state, move)] == ["d3", "a4"]


def test_a_chain_is_taken_as_a_whole_and_only_without_any_liberty():
    drawing = """
    . . . . .
    . b b . .
    b w w . w
    . b b w .
    . . . w .
    """
    state = position(FIVE, drawing, "b")
    assert wins_at_once(FIVE, state, "d3")
    assert not wins_at_once(FIVE, state, "e2")
    drawing = """
    . . b . .
    . b w b .
    b w w . w
    . b b . w
    . . w . .
    """
    state = position(FIVE, drawing, "b")
    assert wins_at_once(FIVE, state, "d3")
    assert FIVE.scene(FIVE.play(state, "d3")).caption == "black has taken and won"


def test_stones_that_touch_at_a_corner_are_no_chain():
    drawing = """
    w b . . .
    b w . . .
    . . . . .
    . . . . .
    . . . . .
    """
    with pytest.raises(BadPositionError, match="already taken"):
        position(FIVE, drawing, "b")


def test_suicide_is_illegal_for_a_stone_and_for_a_chain():
    drawing = """
    . w . . .
    w . . . .
    . . . b b
    . . b w .
    . . b w b
    """
    single = position(FIVE, drawing.replace("w b", "w ."), "b")
    assert "a5" not in FIVE.legal_moves(single)
    with pytest.raises(IllegalMoveError):
        FIVE.play(single, "a5")
    chain = position(FIVE, drawing, "w")
    assert "e2" not in FIVE.legal_moves(chain)
    assert "a5" in FIVE.legal_moves(chain)


def test_a_move_that_takes_is_no_suicide():
    drawing = """
    . b w . .
    b w w . .
    w w . . .
    . b b . b
    . . . . b
    """
    state = position(FIVE, drawing, "w")
    assert wins_at_once(FIVE, state, "a5")
    drawing = """
    . w b . .
    w b . . .
    b . . . .
    . . . . .
    . . . . .
    """
    state = position(FIVE, drawing, "b")
    assert wins_at_once(FIVE, state, "a5")


def test_a_side_without_a_move_has_lost():
    """White fills the last cell that black could use; both eyes of white are suicide for black."""
    drawing = """
    . w w
    w w b
    . b b
    """
    state = THREE.parse_state("3/3/3 b")
    for move in ("c2", "b3", "c1", "c3"):
        state = THREE.play(state, move)
    assert not THREE.is_over(state)
    del drawing


def test_perft_by_closed_form():
    """On 3x3 a corner stone can be taken at ply 4 at the earliest, by two white stones."""
    start = THREE.initial_state()
    assert [perft(THREE, start, depth) for depth in range(1, 5)] == [9, 72, 504, 3024]


def test_both_seats_see_their_own_stones_first():
    state = THREE.parse_state("b2/1w1/3 b")
    assert THREE.encode(state).tolist() == [
        [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
        [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    ]
    assert (THREE.encode(THREE.play(state, "c1"))[0] == THREE.encode(state)[1]).all()
