"""Hex: the first seat connects top and bottom with its stones, the second seat left and right.
There are no draws.

The second seat sees the board transposed, so that each connects top and bottom in its own view:
action `row * size + column` is the cell as the mover sees it, and `size * size` is the swap. Texts
use the board's own cells.

A row of stones is a word, column 0 its lowest bit. Cell (row, column) touches (row - 1, column),
(row - 1, column + 1), (row, column - 1), (row, column + 1), (row + 1, column - 1) and (row + 1,
column). Besides the stones a state stores the *linked* ones: those connected to their seat's first
edge, top or left. They follow from the stones alone, and the game is won once one of them is on the
opposite edge.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Integer, Numbers, Planes, Stream, Word, Words
from anyzero.core.compile.bits import count_bits, leading_bit, nth_bit, trailing_zeros
from anyzero.core.compile.random import U, next_word, random_below
from anyzero.core.game.contract import mark
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.core.game.picture import GameBoard
from anyzero.games import grid
from anyzero.games.grid import NOBODY, draw_cells, payoffs, seat_to_move

LETTERS = "xo"
SEAT_NAMES = ("blue (x)", "orange (o)")
EXAMPLE = (
    "e7 f5 e9 e8 h6 h5 i5 i4 j4 j3 g5 f8 g6 d8 g4 i2 h7 h2 g3 g2 f3 f2 e3 e2 d3 d2 c3 "
    "c2 b3 b2 j2 i3 a2 a3 j6 k2"
)
EDGES = ("top and bottom", "left and right")
NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


class Hex(NamedTuple):
    size: int
    swap: bool  # whether the second seat may answer the first stone by taking it over
    full: np.uint64  # a row with every cell set


def make(size: int = 11, swap: bool = False) -> Game:
    """The players take turns placing stones on empty cells, and stones never move. There are no
    draws.

    Blue begins and wins by connecting the top and bottom edges with a chain of its stones; orange
    connects left and right. With swap=true the second player may answer the first stone by taking
    it over, mirrored, instead of playing, which offsets the advantage of the first move. A move is
    its cell, d4, or swap.
    """
    if not 2 <= size <= 19:
        raise BadOptionError(f"hex: the size is from 2 to 19, not {size}")
    row = np.uint16 if size <= 16 else np.uint32
    return Game(
        name="hex",
        rules=Hex(size, swap, U(2**size - 1)),
        state=[
            *(("stones", row, (2, size)), ("linked", row, (2, size))),
            *(
                ("mover", np.int16),
                ("winner", np.int16),
                ("swap_ahead", np.int32),
            ),  # whole words, no padding
        ],
        functions=(
            *(
                initial_state,
                seat_to_move,
                legal_actions,
                play,
                payoffs,
                encode,
                amaf_key,
                rollout,
                traced_rollout,
            ),
            *(symmetries, format_state, parse_state, moves, board, draw, move_number),
        ),
        num_actions=size * size + swap,
        max_legal=size * size,
        max_plies=size * size + swap,
        planes_shape=(2 + swap, size, size),
        seat_names=SEAT_NAMES,
        example=EXAMPLE,
        facts=FACTS,
    )


def board_size(state: State) -> int:
    """The size from the state's type: a constant to the compiler, which makes play up to 1.8 times
    as fast.
    """
    return state.stones.shape[1]  # type: ignore[no-any-return]


def initial_state(rules: Hex, state: State) -> None:
    state.winner = NOBODY
    state.swap_ahead = 1 if rules.swap else 0


def can_swap(state: State) -> bool:
    return state.swap_ahead == 1 and state.mover == 1  # type: ignore[no-any-return]


def legal_actions(rules: Hex, state: State, actions: Actions) -> int:
    size = board_size(state)
    down, across = (size, 1) if state.mover == 0 else (1, size)
    count = 0
    for row in range(size):
        empty: Integer = np.int64(empty_cells(rules, state, row))
        for column in range(size):
            actions[count] = (
                row * down + column * across
            )  # overwritten by the next one unless the cell is empty
            count += empty >> column & 1
    if can_swap(state):
        actions[count] = size * size
        count += 1
    return count


def empty_cells(rules: Hex, state: State, row: int) -> Word:
    return rules.full & ~U(state.stones[0, row] | state.stones[1, row])


def play(rules: Hex, state: State, action: int) -> None:
    seat = np.int64(state.mover)
    if action == board_size(state) * board_size(state):
        take_over(rules, state)
    else:
        high = action // board_size(state)
        wide = action % board_size(state)
        row, column = (high, wide) if seat == 0 else (wide, high)
        place(rules, state, seat, row, column)  # type: ignore[arg-type]
    if seat == 1:
        state.swap_ahead = 0
    state.mover = 1 - seat


def take_over(rules: Hex, state: State) -> None:
    """The swap: the only stone changes its owner and is mirrored, so that it is worth as much to
    the new one.
    """
    for row in range(board_size(state)):
        stone = U(state.stones[0, row])
        if stone:
            state.stones[0, row] = 0
            state.linked[0, row] = 0
            place(rules, state, 1, trailing_zeros(stone), row)
            return


def place(rules: Hex, state: State, seat: int, row: int, column: int) -> None:
    """Place a stone and link what it connects."""
    stone = U(1) << U(column)
    state.stones[seat, row] |= stone
    if touching(rules, state, seat, row) & stone and link(rules, state, seat, U(1) << U(row)):
        state.winner = seat


def touching(rules: Hex, state: State, seat: int, row: int) -> Word:
    """The cells of a row on the seat's first edge, or next to a linked stone."""
    here = U(state.linked[seat, row])
    cells = (here << U(1)) | (here >> U(1)) | U(seat)  # column 0 is the second seat's first edge
    if row > 0:
        above = U(state.linked[seat, row - 1])
        cells |= above | (above >> U(1))
    elif seat == 0:
        cells = rules.full
    if row < board_size(state) - 1:
        below = U(state.linked[seat, row + 1])
        cells |= below | (below << U(1))
    return cells


def link(rules: Hex, state: State, seat: int, rows: Word) -> bool:
    """Link every stone that can be, starting in these rows (a bit set); True if that reached the
    far edge.
    """
    size = board_size(state)
    done = False
    while rows:
        row = leading_bit(rows)
        rows ^= U(1) << U(row)
        stones = U(state.stones[seat, row])
        linked = U(state.linked[seat, row])
        seeds = touching(rules, state, seat, row) & stones & ~linked
        if seeds:
            linked |= fill_runs(seeds, stones)
            state.linked[seat, row] = linked
            rows |= (
                (U(5) << U(row)) >> U(1)
            ) & rules.full  # examine the rows above and below again
            done |= row == size - 1 if seat == 0 else linked >> U(size - 1) != U(0)
    return done


def fill_runs(seeds: Word, stones: Word) -> Word:
    """The runs of adjacent stones that contain a seed, in a row of up to 32 cells."""
    right = (
        (stones + seeds) ^ stones | seeds
    ) & stones  # a carry runs from a seed to the end of its run
    # Written out: the compiler keeps a loop of five as a loop, and random games take a fifth
    # longer.
    seeds |= stones & (seeds >> U(1))
    stones &= stones >> U(1)
    seeds |= stones & (seeds >> U(2))
    stones &= stones >> U(2)
    seeds |= stones & (seeds >> U(4))
    stones &= stones >> U(4)
    seeds |= stones & (seeds >> U(8))
    stones &= stones >> U(8)
    return right | seeds | stones & (seeds >> U(16))


def encode(rules: Hex, state: State, planes: Planes) -> None:
    """The mover's stones, the opponent's, and, in games with the swap, all ones if the mover may
    swap.
    """
    for row in range(board_size(state)):
        stones = U(state.stones[state.mover, row])
        enemy_stones = U(state.stones[1 - state.mover, row])
        for column in range(board_size(state)):
            high, wide = (row, column) if state.mover == 0 else (column, row)
            planes[0, high, wide] = float(stones >> U(column) & U(1))
            planes[1, high, wide] = float(enemy_stones >> U(column) & U(1))
            if can_swap(state):
                planes[2, high, wide] = 1.0


def symmetries(rules: Hex) -> Iterable[Symmetry]:
    """The half turn; the swap stays the swap."""
    num_cells = rules.size**2
    turned = np.arange(num_cells)[::-1]
    return [
        grid.symmetry(
            turned, 2 + rules.swap, np.append(turned, np.arange(num_cells, num_cells + rules.swap))
        )
    ]


# --- random play: the board is filled and evaluated once, since stones placed after the win do not
# change it


def rollout(rules: Hex, state: State, actions: Actions, rng: Stream) -> int:
    """Fill the board with a random set of stones for each seat."""
    moves = 0
    while state.swap_ahead == 1:
        play_at_random(rules, state, actions, rng)
        moves += 1
    return moves + fill_board(rules, state, actions, rng) if state.winner == NOBODY else moves


def traced_rollout(rules: Hex, state: State, actions: Actions, rng: Stream, seen: Words) -> int:
    """A rollout whose moves are the stones it adds, including those after the win."""
    if state.winner != NOBODY:
        return 0
    moves = 0
    while state.swap_ahead == 1:
        seat: Integer = np.int64(state.mover)
        mark(seen, seat, key_of(state, seat, play_at_random(rules, state, actions, rng)))
        moves += 1
    toggle_stones(state, seen)
    moves += fill_board(rules, state, actions, rng)
    toggle_stones(state, seen)
    return moves


def toggle_stones(state: State, seen: Words) -> None:
    """Flip the bits of all stones: done before and after, it marks those that were added in
    between.
    """
    size = board_size(state)
    for seat in range(2):
        for row in range(size):
            word = (row * size) >> 6
            shift = (row * size) & 63
            stones = U(state.stones[seat, row])
            seen[seat, word] ^= stones << U(shift)
            if shift + size > 64:
                seen[seat, word + 1] ^= stones >> U(64 - shift)


def amaf_key(rules: Hex, state: State, action: int) -> int:
    """The board's own cell, not the mover's view, so that a set of keys is a set of stones; the
    swap comes last.
    """
    return key_of(state, np.int64(state.mover), action)  # type: ignore[arg-type]


def key_of(state: State, mover: int, action: int) -> int:
    size = board_size(state)
    return action if mover == 0 or action == size * size else action % size * size + action // size


def play_at_random(rules: Hex, state: State, actions: Actions, rng: Stream) -> int:
    """Play a legal action, with equal probability, and return it."""
    action: Integer = np.int64(actions[random_below(rng, legal_actions(rules, state, actions))])
    play(rules, state, action)
    return action  # type: ignore[no-any-return]


def fill_board(rules: Hex, state: State, actions: Actions, rng: Stream) -> int:
    """Put stones on all empty cells, as many of each seat as in alternate play, find the winner,
    return their number.

    Every choice of the mover's cells is equally likely: coins choose a set of some size without
    preference, and so does removing single cells from it until the size is right. The second seat's
    links are not updated.
    """
    seat = np.int64(state.mover)
    size = board_size(state)
    num_empty = 0
    for row in range(size):
        num_empty += count_bits(empty_cells(rules, state, row))
    num_heads = toss_coins(rules, state, actions, rng)
    excess = num_heads - (num_empty + 1) // 2
    if excess < 0:  # the opponent has too many: use its cells instead
        seat = 1 - seat
        excess = -excess
        num_heads = num_empty - num_heads
        for row in range(size):
            actions[row] ^= np.int64(empty_cells(rules, state, row))
    for taken in range(excess):
        take_away(actions, random_below(rng, num_heads - taken), size)
    for row in range(size):
        heads = U(actions[row])
        tails = empty_cells(rules, state, row) ^ U(actions[row])
        state.stones[seat, row] |= heads
        state.stones[1 - seat, row] |= tails
        state.linked[0, row] = 0
    state.winner = 0 if link(rules, state, 0, U(1)) else 1
    return num_empty


def toss_coins(rules: Hex, state: State, actions: Actions, rng: Stream) -> int:
    """Toss a coin for each empty cell: `actions[row]` is the set of heads. Returns the number of
    heads.
    """
    size = board_size(state)
    count = 0
    coins = U(0)
    coins_left = 0
    for row in range(size):
        if coins_left < size:
            coins = next_word(rng)
            coins_left = 64
        heads = coins & empty_cells(rules, state, row)
        coins >>= U(size)
        coins_left -= size
        actions[row] = np.int64(heads)
        count += count_bits(heads)
    return count


def take_away(rows: Actions, index: int, size: int) -> None:
    """Clear the set bit number `index`, counted through the rows."""
    target = 0
    before = 0
    total = 0
    for row in range(size - 1):  # branchless: where to stop is unpredictable
        total += count_bits(U(rows[row]))
        target += 1 if total <= index else 0
        before = total if total <= index else before
    rows[target] ^= np.int64(nth_bit(U(rows[target]), index - before))


# --- text and picture


def format_state(rules: Hex, state: State) -> str:
    letters = [
        letter
        for row in state.stones.T
        for letter in grid.letters_of(row, LETTERS, range(rules.size))
    ]
    return grid.format_position(letters, rules.size, LETTERS[state.mover], bottom_up=False)


def parse_state(rules: Hex, state: State, text: str) -> None:
    cells, mover = grid.parse_position(text, rules.size, rules.size, LETTERS, bottom_up=False)
    first, second = (cells.count(letter) for letter in LETTERS)
    if not (rules.swap and second > 0 and first - second == mover - 1):  # the swap makes an x an o
        grid.check_turn(cells, LETTERS, mover)
    state.mover = mover
    state.winner = NOBODY
    state.swap_ahead = 1 if rules.swap and first < 2 and second == 0 else 0
    for cell, letter in enumerate(cells):
        if letter != grid.EMPTY:
            place(rules, state, LETTERS.index(letter), *divmod(cell, rules.size))
    if state.winner == mover:
        raise ValueError(f"{LETTERS[mover]} is to move but has already joined {EDGES[mover]}")


def moves(rules: Hex) -> Sequence[str]:
    """The cells, and the swap."""
    return [*grid.cell_names(rules.size, rules.size), "swap"]


def board(rules: Hex) -> GameBoard:
    """The rhombus, its sides in the colours of their seats; a winning chain has dots, or capitals
    as text.
    """
    from anyzero.views import Board
    from anyzero.views.boards import DOT, HEX_TEXT_SCALE, hex_cells, hex_labels, hex_rims, stones

    sides = list(zip(SEAT_NAMES, EDGES, strict=True))
    captions = [f"{name} to move, joining {edges}" for name, edges in sides]
    captions += [f"{name} has joined {edges} and won" for name, edges in sides]
    return Board(
        hex_cells(rules.size),
        stones("xoXO", SEAT_NAMES),
        marks=(DOT,),
        captions=(*captions, f"{captions[1]}, or to swap"),
        under=hex_rims(rules.size),
        over=hex_labels(rules.size),
        text_scale=HEX_TEXT_SCALE,
        title="Hex",
    )


def draw(rules: Hex, state: State, shown: Drawing) -> None:
    size = board_size(state)
    for row in range(size):
        for seat in range(2):
            draw_cells(
                shown.pieces[row * size : (row + 1) * size], U(state.stones[seat, row]), seat + 1
            )
    shown.caption = 4 if can_swap(state) else state.mover
    if state.winner != NOBODY:
        shown.caption = 2 + state.winner
        draw_chain(size, shown, np.int64(state.winner))  # type: ignore[arg-type]


def draw_chain(size: int, shown: Drawing, seat: int) -> None:
    """Mark a shortest chain that connects the winner's edges; `stands_for` is scratch: steps from
    the first edge.
    """
    steps = shown.stands_for
    far = 0
    cell = -1
    while cell < 0:
        for place in range(size * size):
            along = place // size if seat == 0 else place % size
            begins = along == 0 if far == 0 else next_to(size, place, steps, far) >= 0
            if begins and steps[place] == 0 and shown.pieces[place] == seat + 1:
                steps[place] = far + 1
                cell = place if along == size - 1 else cell
        far += 1
    while cell >= 0:
        shown.pieces[cell] = seat + 3
        shown.marks[cell] = 1
        far = far - 1
        cell = next_to(size, cell, steps, far) if far > 0 else -1
    steps[:] = 0


def next_to(size: int, cell: int, steps: Numbers, far: int) -> int:
    """A neighbour of the cell at this number of steps, or -1."""
    for way in range(6):
        row, column = cell // size + NEIGHBOURS[way][0], cell % size + NEIGHBOURS[way][1]
        if 0 <= row < size and 0 <= column < size and steps[row * size + column] == far:
            return row * size + column
    return -1


def move_number(rules: Hex, state: State, action: int) -> int:
    """The board's own cell, as in `amaf_key`; written out, since a search names every move in plain
    Python.
    """
    size = rules.size
    return (
        action
        if state.mover == 0 or action == size * size
        else action % size * size + action // size
    )


# --- facts for levels, ladders, training, files and the page


FACTS = Facts(
    levels=("uct:20", "rave:100", "rave:1000", "rave:10000", "rave:5s"),
    max_simulations=500,
    best_method="rave",
    sgf=11,
    has_larger_nets=True,
    recipes={
        "hex": Recipe(
            "Gumbel search; the residual net grows with the board",
            board={"size": 5},
            changes={
                "selfplay": {"opening_plies": 3, "temperature_plies": 8},
                "replay.payoff_share": 0.6,
                "trainer": {"learning_rate": 0.002, "schedule": "cosine"},
                "gate.games": 0,
                "league": {"every": 10, "anchors": ["random", "uct:100", "rave:1000"]},
            },
            laptop={
                "network": "4x32",
                "selfplay": {"games": 384, "at_once": 192},
                "replay.window": 100_000,
                "trainer": {"batches": 100, "horizon": 120},
            },
        )
    },
)
