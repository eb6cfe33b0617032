"""Atarigo: Go in which the first capture wins. Black, the first seat, begins; passing is not
allowed.

Action `row * size + column` places a stone on that cell, for both seats. A set of cells is one
word, or several with as many whole rows each as fit. A captured chain stays on the board, so that
the final position shows the capture.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Integer, Planes, Stream, Word, Words
from anyzero.core.compile.bits import trailing_zeros
from anyzero.core.compile.random import U, random_below
from anyzero.core.game.contract import GameBoard, mark
from anyzero.core.game.facts import GRAVE_LEVELS, Facts
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games import grid
from anyzero.games.grid import NOBODY, payoffs, seat_to_move

LETTERS = "bw"
SEAT_NAMES = ("black", "white")


class Atarigo(NamedTuple):
    """Only plain numbers and words, which are cheaper to pass than tables."""

    size: int
    cells_a_word: int
    full: np.uint64  # the cells of a word; the last word may have fewer
    last: np.uint64
    not_left: np.uint64  # every cell of a word except those of column a
    not_right: np.uint64


def make(size: int = 8) -> Game:
    """Go in which the first capture wins. Black begins, and the players take turns placing stones
    on empty points.

    Stones of one colour that touch along the lines form a chain, and the empty points next to it
    are its liberties. You capture a chain, and win, by filling its last liberty. A move that leaves
    your own chain without a liberty and captures nothing is illegal. Passing is not allowed; a
    player without a legal move loses. A move is its point: d4.
    """
    if not 3 <= size <= 19:
        raise BadOptionError(f"atarigo: the size is from 3 to 19, not {size}")
    words = -(-size // (64 // size))
    return Game(
        name="atarigo",
        rules=make_rules(size),
        # `chain` is scratch of `has_liberty`, and zero between moves.
        state=[
            *(("stones", np.uint64, (2, words)), ("chain", np.uint64, words)),
            *(("mover", np.int32), ("winner", np.int32)),
        ],
        functions=(
            *(
                initial_state,
                seat_to_move,
                legal_actions,
                play,
                payoffs,
                encode,
                rollout,
                traced_rollout,
            ),
            *(symmetries, format_state, parse_state, moves, board, draw),
        ),
        num_actions=size * size,
        max_plies=size * size,
        planes_shape=(2, size, size),
        seat_names=SEAT_NAMES,
        example="e5 d4 d5 e4 f4 c5 e3 d6 c4 e6 d3",
        facts=FACTS,
    )


def make_rules(size: int) -> Atarigo:
    rows = min(size, 64 // size)
    left = sum(1 << row * size for row in range(rows))
    full, last = (2 ** (size * count) - 1 for count in (rows, (size - 1) % rows + 1))
    return Atarigo(size, rows * size, U(full), U(last), U(full ^ left), U(full ^ left << size - 1))


# --- sets of cells


def num_words(state: State) -> int:
    """The number of words in a set of cells: a constant to the compiler."""
    return state.stones.shape[1]  # type: ignore[no-any-return]


def place_of(rules: Atarigo, state: State, cell: int) -> tuple[int, Word]:
    """The word that contains a cell, and its bit there."""
    word = 0 if num_words(state) == 1 else cell // rules.cells_a_word
    return word, U(1) << U(cell - word * rules.cells_a_word)


def empty_word(rules: Atarigo, state: State, word: int) -> Word:
    """The empty cells of a word; none beyond the board."""
    if word < 0 or word >= num_words(state):
        return U(0)
    cells = rules.last if word == num_words(state) - 1 else rules.full
    return cells & ~(state.stones[0, word] | state.stones[1, word])


def chain_word(state: State, word: int) -> Word:
    return state.chain[word] if 0 <= word < num_words(state) else U(0)


def beside(rules: Atarigo, below: Word, here: Word, above: Word) -> Word:
    """The neighbours, within one word, of the cells in it and in the words below and above."""
    row = U(rules.size)
    rest = U(rules.cells_a_word - rules.size)
    columns = (here << row) | (here >> row) | (below >> rest) | (above << rest)
    return columns | ((here & rules.not_right) << U(1)) | ((here & rules.not_left) >> U(1))


def open_cells(rules: Atarigo, state: State, word: int) -> Word:
    """The cells of a word, empty or not, that have an empty neighbour."""
    below = empty_word(rules, state, word - 1)
    above = empty_word(rules, state, word + 1)
    return beside(rules, below, empty_word(rules, state, word), above)


# --- rules


def initial_state(rules: Atarigo, state: State) -> None:
    state.winner = NOBODY


def legal_actions(rules: Atarigo, state: State, actions: Actions) -> int:
    count = 0
    for word in range(num_words(state)):
        empty = empty_word(rules, state, word)
        first = word * rules.cells_a_word
        open_empty = empty & open_cells(rules, state, word)  # a stone here has a liberty at once
        closed = empty ^ open_empty
        while open_empty:
            actions[count] = first + trailing_zeros(open_empty)
            open_empty &= open_empty - U(1)
            count += 1
        while closed:
            cell = first + trailing_zeros(closed)
            closed &= closed - U(1)
            if is_legal(rules, state, cell):
                actions[count] = cell
                count += 1
    return count


def is_legal(rules: Atarigo, state: State, cell: int) -> bool:
    """Whether a stone on this empty cell would have a liberty, or capture something."""
    word, bit = place_of(rules, state, cell)
    if open_cells(rules, state, word) & bit:
        return True
    state.stones[state.mover, word] ^= bit
    legal = has_liberty(rules, state, state.mover, word, bit) or takes(
        rules, state, state.mover, word, bit
    )
    state.stones[state.mover, word] ^= bit
    return legal


def takes(rules: Atarigo, state: State, seat: int, word: int, bit: Word) -> bool:
    """Whether this seat's stone leaves a neighbouring chain of the opponent without a liberty."""
    for near in range(max(word - 1, 0), min(word + 2, num_words(state))):
        below = bit if near > word else U(0)
        here = bit if near == word else U(0)
        above = bit if near < word else U(0)
        suspects = beside(rules, below, here, above) & state.stones[1 - seat, near]
        suspects &= ~open_cells(rules, state, near)
        while suspects:
            if not has_liberty(rules, state, 1 - seat, near, suspects & ~(suspects - U(1))):
                return True
            suspects &= suspects - U(1)
    return False


def has_liberty(rules: Atarigo, state: State, seat: int, word: int, bit: Word) -> bool:
    """Whether the chain of this seat's stone touches an empty cell."""
    state.chain[word] = bit
    is_free = False
    grows = True
    while grows and not is_free:
        grows = False
        for near in range(num_words(state)):
            here = state.chain[near]
            around = beside(rules, chain_word(state, near - 1), here, chain_word(state, near + 1))
            grown = here | around & state.stones[seat, near]
            is_free |= around & empty_word(rules, state, near) != U(0)
            grows |= grown != here
            state.chain[near] = grown
    for near in range(num_words(state)):
        state.chain[near] = U(0)
    return is_free


def play(rules: Atarigo, state: State, action: int) -> None:
    seat = np.int64(state.mover)
    word, bit = place_of(rules, state, action)
    state.stones[seat, word] |= bit
    state.mover = 1 - seat
    if takes(rules, state, seat, word, bit) or not can_move(rules, state):  # type: ignore[arg-type]
        state.winner = seat


def can_move(rules: Atarigo, state: State) -> bool:
    """Whether the mover has a legal move: certain if two empty cells are neighbours."""
    for word in range(num_words(state)):
        if empty_word(rules, state, word) & open_cells(rules, state, word):
            return True
    for word in range(num_words(state)):
        empty = empty_word(rules, state, word)
        while empty:
            if is_legal(rules, state, word * rules.cells_a_word + trailing_zeros(empty)):
                return True
            empty &= empty - U(1)
    return False


def encode(rules: Atarigo, state: State, planes: Planes) -> None:
    """Two planes: the mover's stones, the opponent's."""
    for cell in range(rules.size * rules.size):
        word, bit = place_of(rules, state, cell)
        for plane in range(2):
            stones = state.stones[state.mover if plane == 0 else 1 - state.mover, word]
            planes[plane, cell // rules.size, cell % rules.size] = 1.0 if stones & bit else 0.0


def symmetries(rules: Atarigo) -> Iterable[Symmetry]:
    return grid.square_symmetries(rules.size, 2)


# --- random play


def rollout(rules: Atarigo, state: State, actions: Actions, rng: Stream) -> int:
    """Random play from a list of empty cells: a cell is drawn first and then tested, since most are
    legal.
    """
    num_empty = list_empty(rules, state, actions)
    moves = 0
    while state.winner == NOBODY:
        play_at_random(rules, state, actions, num_empty - moves, rng)
        moves += 1
    return moves


def traced_rollout(rules: Atarigo, state: State, actions: Actions, rng: Stream, seen: Words) -> int:
    """The same, recording its moves."""
    num_empty = list_empty(rules, state, actions)
    moves = 0
    while state.winner == NOBODY:
        seat = np.int64(state.mover)
        mark(seen, seat, play_at_random(rules, state, actions, num_empty - moves, rng))  # type: ignore[arg-type]
        moves += 1
    return moves


def play_at_random(
    rules: Atarigo, state: State, actions: Actions, num_empty: int, rng: Stream
) -> int:
    """Play a legal cell of the list, with equal probability, remove it from the list and return
    it.
    """
    num_refused = 0
    index = random_below(rng, num_empty)
    while not is_legal(rules, state, np.int64(actions[index])):  # type: ignore[arg-type]
        # Rejected ones move to the front.
        actions[num_refused], actions[index] = actions[index], actions[num_refused]
        num_refused += 1
        index = num_refused + random_below(rng, num_empty - num_refused)
    cell: Integer = np.int64(actions[index])
    actions[index] = actions[num_empty - 1]
    play(rules, state, cell)
    return cell  # type: ignore[no-any-return]


def list_empty(rules: Atarigo, state: State, actions: Actions) -> int:
    count = 0
    for cell in range(rules.size * rules.size):
        actions[count] = cell  # overwritten by the next one unless the cell is empty
        word, bit = place_of(rules, state, cell)
        count += 1 if empty_word(rules, state, word) & bit else 0
    return count


# --- text and picture


def letters_of(rules: Atarigo, state: State) -> list[str]:
    cells = [divmod(cell, rules.cells_a_word) for cell in range(rules.size**2)]
    return [grid.letters_of(state.stones[:, word], LETTERS, [bit])[0] for word, bit in cells]


def format_state(rules: Atarigo, state: State) -> str:
    return grid.format_position(letters_of(rules, state), rules.size, LETTERS[state.mover])


def parse_state(rules: Atarigo, state: State, text: str) -> None:
    cells, mover = grid.parse_position(text, rules.size, rules.size, LETTERS)
    grid.check_turn(cells, LETTERS, mover)
    state.mover = mover
    for cell, letter in enumerate(cells):
        if letter != grid.EMPTY:
            word, bit = place_of(rules, state, cell)
            state.stones[LETTERS.index(letter), word] |= bit
    state.winner = (
        1 - mover if taken_cells(rules, state, mover) or not can_move(rules, state) else NOBODY
    )
    if state.winner == NOBODY and taken_cells(rules, state, 1 - mover):
        raise ValueError("the side to move has already taken a stone")


def taken_cells(rules: Atarigo, state: State, seat: int) -> set[int]:
    """The cells of this seat's chains without a liberty."""
    stones = [
        cell for cell, letter in enumerate(letters_of(rules, state)) if letter == LETTERS[seat]
    ]
    return {
        cell
        for cell in stones
        if not has_liberty(rules, state, seat, *place_of(rules, state, cell))
    }


def moves(rules: Atarigo) -> Sequence[str]:
    """The points."""
    return grid.cell_names(rules.size, rules.size)


def board(rules: Atarigo) -> GameBoard:
    """A Go board; captured stones are marked, and capitals in a terminal."""
    from anyzero.views import Board, Circle
    from anyzero.views.boards import go_stone, point_cells, point_lines, square_labels, stones

    size = rules.size
    return Board(
        point_cells(size, size),
        stones(LETTERS + LETTERS.upper(), SEAT_NAMES, go_stone),
        marks=tuple((Circle(0, 0, 0.14, ink),) for ink in ("black-inner", "piece-edge")),
        captions=(
            *(f"{name} to move" for name in SEAT_NAMES),
            *(
                f"{name} has {end} and won"
                for end in ("taken", "left no move")
                for name in SEAT_NAMES
            ),
        ),
        under=point_lines(size, size),
        over=square_labels(size, size),
        title="Atarigo",
    )


def draw(rules: Atarigo, state: State, shown: Drawing) -> None:
    shown.caption = state.mover if state.winner == NOBODY else 4 + state.winner
    for cell in range(rules.size * rules.size):
        word, bit = place_of(rules, state, cell)
        for seat in range(2):
            if state.stones[seat, word] & bit:
                shown.pieces[cell] = seat + 1
                if state.winner == 1 - seat and not has_liberty(rules, state, seat, word, bit):
                    shown.pieces[cell] = seat + 3
                    shown.marks[cell] = 1 << seat
                    shown.caption = 2 + state.winner


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(levels=GRAVE_LEVELS, max_simulations=1200, best_method="grave", on_go_board=True)
