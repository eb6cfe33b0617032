"""Atarigo: Go in which the first to take a stone wins. Black, the first seat, begins; nobody may pass.

Action `row * size + column` puts a stone on that cell, for both seats. The same number is the cell's bit in a set of
cells, which is one word or several: 64 cells each. A taken chain stays on the board, so that the end can be seen.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.bits import trailing_zeros
from anyzero.compile.random import U, random_below
from anyzero.games.contract import OVER
from anyzero.games.errors import BadOptionError
from anyzero.games.game import Game, State, Symmetry
from anyzero.games.grid import cell_index, format_grid, parse_choice, parse_grid, split_fields
from anyzero.views import Cell, Circle, Piece, Polygon, Scene, Shape
from anyzero.views.boards import cell_name, go_stone, rectangle, segment, square_cells, square_frame, square_labels

LETTERS = "bw"
SEAT_NAMES = ("black", "white")
NOBODY = -1


class Atarigo(NamedTuple):
    """Plain numbers and words only: as arguments they cost less than tables."""

    size: int
    cells_a_word: int
    full: np.uint64
    """The cells of a word; the last word may have fewer."""
    last: np.uint64
    not_left: np.uint64
    """Every cell of a word but those of column a."""
    not_right: np.uint64


def make(size: int = 8) -> Game:
    """Atarigo on a square board."""
    if not 3 <= size <= 19:
        raise BadOptionError(f"atarigo: the size is from 3 to 19, not {size}")
    words = -(-size // (64 // size))
    return Game(
        name="atarigo",
        rules=make_rules(size),
        # `chain` is scratch of `has_liberty` and zero between moves.
        state=[("stones", np.uint64, (2, words)), ("chain", np.uint64, words), ("mover", np.int8), ("winner", np.int8)],
        functions=(
            *(initial_state, seat_to_move, legal_actions, play, payoffs, encode, rollout, symmetries),
            *(format_action, parse_action, format_state, parse_state, scene),
        ),
        num_actions=size * size,
        max_plies=size * size,
        planes_shape=(2, size, size),
    )


def make_rules(size: int) -> Atarigo:
    rows = min(size, 64 // size)
    left = sum(1 << row * size for row in range(rows))
    full, last = (2 ** (size * count) - 1 for count in (rows, (size - 1) % rows + 1))
    return Atarigo(size, rows * size, U(full), U(last), U(full ^ left), U(full ^ left << size - 1))


# --- sets of cells


def num_words(state: State) -> int:
    """How many words a set of cells takes: a constant to the compiler."""
    return state.stones.shape[1]  # type: ignore[no-any-return]


def word_of(rules: Atarigo, state: State, cell: int) -> int:
    """The word that holds a cell."""
    return 0 if num_words(state) == 1 else cell // rules.cells_a_word


def bit_of(rules: Atarigo, state: State, cell: int) -> Any:
    return U(1) << U(cell - word_of(rules, state, cell) * rules.cells_a_word)


def empty_word(rules: Atarigo, state: State, word: int) -> Any:
    """The empty cells of a word; none beyond the board."""
    if word < 0 or word >= num_words(state):
        return U(0)
    cells = rules.last if word == num_words(state) - 1 else rules.full
    return cells & ~(state.stones[0, word] | state.stones[1, word])


def chain_word(state: State, word: int) -> Any:
    return state.chain[word] if 0 <= word < num_words(state) else U(0)


def beside(rules: Atarigo, below: Any, here: Any, above: Any) -> Any:
    """The neighbours, in one word, of the cells in it and in the words below and above it."""
    row, rest = U(rules.size), U(rules.cells_a_word - rules.size)
    columns = (here << row) | (here >> row) | (below >> rest) | (above << rest)
    return columns | ((here & rules.not_right) << U(1)) | ((here & rules.not_left) >> U(1))


def open_cells(rules: Atarigo, state: State, word: int) -> Any:
    """The cells of a word, empty or not, that have an empty neighbour."""
    below, above = empty_word(rules, state, word - 1), empty_word(rules, state, word + 1)
    return beside(rules, below, empty_word(rules, state, word), above)


# --- rules


def initial_state(rules: Atarigo, state: State) -> None:
    state.winner = NOBODY


def seat_to_move(rules: Atarigo, state: State) -> int:
    if state.winner != NOBODY:
        return OVER
    return state.mover  # type: ignore[no-any-return]


def legal_actions(rules: Atarigo, state: State, actions: Any) -> int:
    count = 0
    for word in range(num_words(state)):
        empty = empty_word(rules, state, word)
        free = open_cells(rules, state, word)  # a stone here has a liberty at once
        while empty:
            bit, cell = empty & ~(empty - U(1)), word * rules.cells_a_word + trailing_zeros(empty)
            empty ^= bit
            if bit & free or is_legal(rules, state, cell):
                actions[count] = cell
                count += 1
    return count


def is_legal(rules: Atarigo, state: State, cell: int) -> bool:
    """Whether a stone on this empty cell would have a liberty, or take something."""
    word, bit = word_of(rules, state, cell), bit_of(rules, state, cell)
    if open_cells(rules, state, word) & bit:
        return True
    state.stones[state.mover, word] ^= bit
    legal = has_liberty(rules, state, state.mover, word, bit) or takes(rules, state, state.mover, word, bit)
    state.stones[state.mover, word] ^= bit
    return legal


def takes(rules: Atarigo, state: State, seat: int, word: int, bit: Any) -> bool:
    """Whether this seat's stone has left a neighbouring chain of the opponent without a liberty."""
    for near in range(max(word - 1, 0), min(word + 2, num_words(state))):
        below, here, above = bit if near > word else U(0), bit if near == word else U(0), bit if near < word else U(0)
        suspects = beside(rules, below, here, above) & state.stones[1 - seat, near]
        suspects &= ~open_cells(rules, state, near)
        while suspects:
            if not has_liberty(rules, state, 1 - seat, near, suspects & ~(suspects - U(1))):
                return True
            suspects &= suspects - U(1)
    return False


def has_liberty(rules: Atarigo, state: State, seat: int, word: int, bit: Any) -> bool:
    """Whether the chain of this seat's stone touches an empty cell."""
    state.chain[word] = bit
    found, grows = False, True
    while grows and not found:
        grows = False
        for near in range(num_words(state)):
            here = state.chain[near]
            around = beside(rules, chain_word(state, near - 1), here, chain_word(state, near + 1))
            grown = here | around & state.stones[seat, near]
            found |= around & empty_word(rules, state, near) != U(0)
            grows |= grown != here
            state.chain[near] = grown
    for near in range(num_words(state)):
        state.chain[near] = U(0)
    return found


def play(rules: Atarigo, state: State, action: int) -> None:
    seat = np.int64(state.mover)
    word, bit = word_of(rules, state, action), bit_of(rules, state, action)
    state.stones[seat, word] |= bit
    state.mover = 1 - seat
    if takes(rules, state, seat, word, bit) or not can_move(rules, state):  # type: ignore[arg-type]
        state.winner = seat


def can_move(rules: Atarigo, state: State) -> bool:
    """Whether the mover has a legal move: surely so if two empty cells are neighbours."""
    for word in range(num_words(state)):
        if empty_word(rules, state, word) & open_cells(rules, state, word):
            return True
    for cell in range(rules.size * rules.size):
        if is_empty(rules, state, cell) and is_legal(rules, state, cell):
            return True
    return False


def is_empty(rules: Atarigo, state: State, cell: int) -> bool:
    return empty_word(rules, state, word_of(rules, state, cell)) & bit_of(rules, state, cell) != U(0)  # type: ignore[no-any-return]


def payoffs(rules: Atarigo, state: State, out: Any) -> None:
    out[state.winner] = 1.0
    out[1 - state.winner] = -1.0


def encode(rules: Atarigo, state: State, planes: Any) -> None:
    """Two planes: the mover's stones, the opponent's."""
    for cell in range(rules.size * rules.size):
        word, bit = word_of(rules, state, cell), bit_of(rules, state, cell)
        for plane in range(2):
            stones = state.stones[state.mover if plane == 0 else 1 - state.mover, word]
            planes[plane, cell // rules.size, cell % rules.size] = 1.0 if stones & bit else 0.0


def rollout(rules: Atarigo, state: State, actions: Any, rng: Any) -> int:
    """Random play that draws a cell first and asks whether it is legal then: most are."""
    if state.winner != NOBODY:
        return 0
    num_empty, moves = list_empty(rules, state, actions), 0
    while state.winner == NOBODY:
        num_drawn = 0
        while True:
            index = num_drawn + random_below(rng, num_empty - num_drawn)
            cell = np.int64(actions[index])
            actions[index], actions[num_drawn] = actions[num_drawn], cell
            if is_legal(rules, state, cell):
                break
            num_drawn += 1
        num_empty -= 1
        actions[num_drawn] = actions[num_empty]
        play(rules, state, cell)
        moves += 1
    return moves


def list_empty(rules: Atarigo, state: State, actions: Any) -> int:
    count = 0
    for cell in range(rules.size * rules.size):
        actions[count] = cell  # the next one takes its place unless the cell is empty
        count += 1 if is_empty(rules, state, cell) else 0
    return count


def symmetries(rules: Atarigo) -> Iterable[Symmetry]: ...
def format_action(rules,state,a): return cell_name(*divmod(a,rules.size))
def parse_action(rules,state,t): return cell_index(t,rules.size,rules.size)
def format_state(rules,state): ...
def parse_state(rules,state,t): ...
def scene(rules,state): ...
