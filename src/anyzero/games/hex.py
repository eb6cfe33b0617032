"""Hex: the first seat connects top and bottom with its stones, the second seat left and right.
There are no draws.

The second seat sees the board transposed, so that each connects top and bottom in its own view:
action `row * size + column` is the cell as the mover sees it, and `size * size` is the swap. Texts
use the board's own cells.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, Drawing, Integer, Numbers, Planes, Stream, Words
from anyzero.core.compile.bits import count_bits, nth_bit
from anyzero.core.compile.random import U, next_word, random_below
from anyzero.core.game.contract import GameBoard, mark
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game, State, Symmetry
from anyzero.games import grid
from anyzero.games.grid import NOBODY, draw_cells, payoffs, seat_to_move
from anyzero.games.hex_rules import (
    Hex,
    board_size,
    can_swap,
    empty_cells,
    initial_state,
    legal_actions,
    link,
    place,
    play,
)

LETTERS = "xo"
SEAT_NAMES = ("blue (x)", "orange (o)")
EXAMPLE = (
    "e7 f5 e9 e8 h6 h5 i5 i4 j4 j3 g5 f8 g6 d8 g4 i2 h7 h2 g3 g2 f3 f2 e3 e2 d3 d2 c3 "
    "c2 b3 b2 j2 i3 a2 a3 j6 k2"
)
EDGES = ("top and bottom", "left and right")
NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


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
        for point in range(size * size):
            along = point // size if seat == 0 else point % size
            begins = along == 0 if far == 0 else next_to(size, point, steps, far) >= 0
            if begins and steps[point] == 0 and shown.pieces[point] == seat + 1:
                steps[point] = far + 1
                cell = point if along == size - 1 else cell
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
