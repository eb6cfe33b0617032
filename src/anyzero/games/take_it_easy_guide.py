"""The value of a placement in Take It Easy before the lines are full: the rule by which guided
rollouts place tiles.

A line that shows a number is worth its points, times a share that falls with each cell to fill,
times the probability that enough tiles with the number will be drawn: as many as the line needs,
and half of those other lines wait for. A line without tiles is worth a few points, fewer towards
the end. A tile goes where its three lines gain most. Rollouts differ only by their draws: random
placements only made them worse.

The constants were tuned on the mean score of this rule. Values are integers: every target places
the same tiles.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from anyzero.core.base.nouns import Rules, Scratch, State, Word
from anyzero.core.compile.bits import count_bits, trailing_zeros
from anyzero.core.compile.random import U

# lines, tiles to place, and numbers on them: three per direction
NUM_LINES = 15
NUM_TURNS = 19
NUM_NUMBERS = 9
# tiles with one number, and tiles left at the end
MOST_LEFT = 9
NEVER_DRAWN = 8
SHARES = (
    1.0,
    0.75,
    0.5,
    0.3,
    0.2,
)  # the share of its points that a line is worth with 0 to 4 cells to fill
FRESH_POINTS = {
    3: 8,
    4: 6,
    5: 5,
}  # the value of a line without tiles, by its length, at the first turn
MOST_HALVES = 24
"""More half tiles than any line waits for: twice its own 4 cells, and 14 on the other lines of its
direction.
"""
# the units of points and of probabilities: the value of 45 points fits 31 bits
POINT = 1 << 10
CERTAIN = 1 << 14
FIRST_BITS = U(
    0x1249_2492_4924_9249 & ((1 << 3 * NUM_LINES) - 1)
)  # the lowest of each line's three bits


def worth_table(points: Sequence[int]) -> np.ndarray:
    """[45, 5]: a line with this number, by cells to fill."""
    return np.array(
        [[round(POINT * most * share) for share in SHARES] for most in points], np.int64
    )


def chance_table() -> np.ndarray:
    """[19, 24, 10]: turns to come, half tiles to wait for (odd ones are interpolated), tiles left
    with the number.
    """
    shape = (NUM_TURNS, MOST_HALVES // 2 + 1, MOST_LEFT + 1)
    whole = np.array([draw_chance(*indices) for indices in product(*map(range, shape))]).reshape(
        shape
    )
    halves = np.stack([whole[:, :-1], (whole[:, :-1] + whole[:, 1:]) / 2], axis=2)
    return np.array(np.rint(CERTAIN * halves), np.int64).reshape(
        NUM_TURNS, MOST_HALVES, MOST_LEFT + 1
    )


def draw_chance(turns: int, need: int, left: int) -> float:
    """The probability that at least `need` of `left` tiles are among those drawn in `turns`
    turns.
    """
    tiles = turns + NEVER_DRAWN
    left = min(left, tiles)
    hits = sum(
        math.comb(left, hit) * math.comb(tiles - left, turns - hit)
        for hit in range(need, min(left, turns) + 1)
    )
    return hits / math.comb(tiles, turns)


def fresh_table() -> np.ndarray:
    """[19, 6]: a line without tiles, by turns to come and its cells."""
    points = np.array([FRESH_POINTS.get(cells, 0) for cells in range(6)], np.int64)
    return POINT * CERTAIN * points * np.arange(NUM_TURNS)[:, None] // (NUM_TURNS - 1)


def guided_cell(rules: Rules, state: State, scratch: Scratch) -> int:
    """The empty cell on which the tile in hand gains most; `scratch` has room for 24 numbers."""
    write_gains(rules, state, scratch)
    best = 0
    most = -(1 << 40)
    empty = state.empty
    while empty:
        cell = trailing_zeros(empty)
        empty &= empty - U(1)
        lines = rules.cell_lines[cell]
        gain = np.int64(scratch[lines[0]]) + scratch[lines[1]] + scratch[lines[2]]
        if gain > most:
            best = cell
            most = gain
    return best


def write_gains(rules: Rules, state: State, scratch: Scratch) -> None:
    """Write how much each line gains if the tile in hand is placed on it."""
    shown = rules.tile_lines[np.int64(state.hand) - 1]
    untouched = (state.lines & state.lines >> U(1) & state.lines >> U(2) & FIRST_BITS) * U(7)
    count_wanted(rules, state, state.lines ^ untouched, scratch)
    change_lines(rules, state, state.lines ^ untouched, shown, scratch)
    begin_lines(rules, state, untouched & shown, scratch)


def number_of(bit: int) -> int:
    """Which of the nine numbers, three per direction, a bit of `lines` represents."""
    return bit // 15 * 3 + bit % 3


def count_wanted(rules: Rules, state: State, showing: Word, scratch: Scratch) -> None:
    """Clear the lines' entries, and write after them how many tiles with each number lines wait
    for.
    """
    for place in range(NUM_LINES + NUM_NUMBERS):
        scratch[place] = 0
    while showing:
        bit = trailing_zeros(showing)
        showing &= showing - U(1)
        scratch[NUM_LINES + number_of(bit)] += count_bits(rules.line_cells[bit // 3] & state.empty)


def change_lines(rules: Rules, state: State, showing: Word, shown: Word, scratch: Scratch) -> None:
    """Lines that show a number: one cell less to fill if the tile shows it too, else the line loses
    its value.
    """
    turns = count_bits(state.empty) - 1
    while showing:
        bit = trailing_zeros(showing)
        showing &= showing - U(1)
        line = bit // 3
        number = number_of(bit)
        need = count_bits(rules.line_cells[line] & state.empty)
        others = scratch[NUM_LINES + number] - need
        left = count_bits(state.left & rules.carriers[number])
        now = rules.worth[bit, need] * rules.chance[turns, 2 * need + others, left]
        need = max(need - 1, 0)  # no tile can be placed on a full line
        then = rules.worth[bit, need] * rules.chance[turns, 2 * need + others, left]
        scratch[line] = (then if shown >> U(bit) & U(1) else 0) - now


def begin_lines(rules: Rules, state: State, begun: Word, scratch: Scratch) -> None:
    """Lines without tiles: each would show the number of this bit."""
    turns = count_bits(state.empty) - 1
    while begun:
        bit = trailing_zeros(begun)
        begun &= begun - U(1)
        line = bit // 3
        number = number_of(bit)
        need = count_bits(rules.line_cells[line]) - 1
        left = count_bits(state.left & rules.carriers[number])
        chance = rules.chance[turns, 2 * need + scratch[NUM_LINES + number], left]
        scratch[line] = rules.worth[bit, need] * chance - rules.fresh[turns, need + 1]
