"""Solve Connect Four positions and write those in which a mistake is possible, with the moves that
keep the result.

    .venv/bin/python benchmarks/solve_connect_four.py src/anyzero/games/problems/connect_four.txt
    [--seed 1]

A solver for this one game, a hundred times as fast as `anyzero solve`: a yes-or-no alpha-beta over
bitboards as in `games/connect_four.py`. It never plays a move that loses at once, tries moves that
make many threats first and central ones before others, and keeps what it proved in a table. Late
positions take microseconds, the empty board minutes.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from anyzero.core.base.seeds import draw_unit

U = np.uint64
F = TypeVar("F")
COLUMNS, HEIGHT = 7, 7  # bits of a column: six cells, and one that stays empty
BOTTOM = U(sum(1 << HEIGHT * column for column in range(COLUMNS)))
BOARD = U(int(BOTTOM) * 0b111111)
CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)
CELLS = tuple(U(0b111111 << HEIGHT * column) for column in CENTRE_FIRST)
DIRECTIONS = (U(1), U(HEIGHT - 1), U(HEIGHT), U(HEIGHT + 1))
EARLY = 14
"""Positions with fewer stones have a table of their own, which they share with their mirror images.
"""
EARLY_ENTRIES, ENTRIES = 8_388_617, 33_554_467
"""Primes; 8 bytes each."""
UNKNOWN, NO, YES = 0, 1, 2
WANTED = (1, 2, 2, 3, 4, 6, 10, 16, 20, 24, 28, *(14 * [34]))
"""How many positions after 0, 1, 2... random moves: 592 together, few of the early ones, which take
longest.
"""
HEAD = """\
# Connect Four positions in which a mistake is possible: \
the moves from the start | the moves that keep the result.
# Made by: python benchmarks/solve_connect_four.py FILE --seed {seed}
"""


def compiled(function: F) -> F:
    return numba.njit(cache=True)(function)  # type: ignore[no-any-return]


@compiled
def winning_cells(stones: Any, taken: Any) -> Any:
    """Empty cells in which one more stone makes four in a row."""
    found = U(0)
    for step in DIRECTIONS:
        low, high = (
            (stones << step) & (stones << (step + step)),
            (stones >> step) & (stones >> (step + step)),
        )
        three = step + step + step
        found |= low & ((stones << three) | (stones >> step))
        found |= high & ((stones >> three) | (stones << step))
    return found & (BOARD ^ taken)


@compiled
def has_four(stones: Any) -> bool:
    found = U(0)
    for step in DIRECTIONS:
        pairs = stones & (stones >> step)
        found |= pairs & (pairs >> (step + step))
    return found != U(0)  # type: ignore[no-any-return]


@compiled
def count_bits(word: Any) -> int:
    count = 0
    while word:
        word &= word - U(1)
        count += 1
    return count


@compiled
def key_of(mine: Any, taken: Any) -> Any:
    """Different for any two positions: in each column a bit above its top stone, and the mover's
    stones below.
    """
    key = (taken + BOTTOM) | mine
    if count_bits(taken) >= EARLY:
        return key
    mirrored, column = U(0), U((1 << HEIGHT) - 1)
    for index in range(COLUMNS):
        mirrored |= ((key >> U(HEIGHT * index)) & column) << U(HEIGHT * (COLUMNS - 1 - index))
    return min(key, mirrored)


@compiled
def gets(mine: Any, taken: Any, goal: int, table: Any, orders: Any, nodes: Any) -> bool:
    """Whether the seat to move, which has no stone that wins at once, gets at least a draw (0) or a
    win (1).
    """
    theirs = mine ^ taken
    hopeful = (BOARD ^ taken) | (mine if goal else theirs)
    if not has_four(hopeful):
        return goal == 0
    threats = winning_cells(theirs, taken)
    free = (taken + BOTTOM) & BOARD
    if free & threats:
        free &= threats
        if free & (free - U(1)):
            return False
    free &= ~(threats >> U(1))
    if free == U(0):
        return False
    key = key_of(mine, taken)
    ply = count_bits(taken)
    slot = key % U(EARLY_ENTRIES) if ply < EARLY else U(EARLY_ENTRIES) + key % U(ENTRIES)
    if table[slot] >> U(8) == key:
        known = (table[slot] >> U(2 * goal)) & U(3)
        if known != U(UNKNOWN):
            return known == U(YES)  # type: ignore[no-any-return]
    nodes[0] += 1
    count = 0
    for column in range(COLUMNS):  # insertion sort: most threats first, the central one of equals
        cell = free & CELLS[column]
        if cell:
            worth, place = count_bits(winning_cells(mine | cell, taken | cell)), count
            while place > 0 and orders[ply, place - 1, 1] < U(worth):
                orders[ply, place] = orders[ply, place - 1]
                place -= 1
            orders[ply, place, 0], orders[ply, place, 1] = cell, U(worth)
            count += 1
    answer = False
    for index in range(count):
        if not gets(theirs, taken | orders[ply, index, 0], 1 - goal, table, orders, nodes):
            answer = True
            break
    entry = table[slot] if table[slot] >> U(8) == key else key << U(8)
    table[slot] = entry | U(YES if answer else NO) << U(2 * goal)
    return answer


class Solver:
    """The table, and the scratch memory that positions are proved with."""

    def __init__(self) -> None:
        self.memory = (
            np.zeros(EARLY_ENTRIES + ENTRIES, U),
            np.zeros((43, COLUMNS, 2), U),
            np.zeros(1, np.int64),
        )

    def best_moves(self, moves: str) -> tuple[str, str]:
        """The moves that keep the result after these moves, and all legal ones."""
        mine, taken = position_after(moves)
        cells = {letter: cell for letter in "abcdefg" if (cell := cell_of(taken, letter))}
        legal, winning = "".join(cells), winning_cells(mine, taken)
        for goal in (
            0,
            1,
        ):  # what the opponent must not get: moves that win, and if there is none, those that draw
            kept = [
                move
                for move, cell in cells.items()
                if cell & winning or not self.gets(mine, taken, cell, goal)
            ]
            if kept:
                return "".join(kept), legal
        return legal, legal

    def gets(self, mine: Any, taken: Any, cell: Any, goal: int) -> bool:
        """Whether the opponent of a stone in this cell gets at least a draw (0) or a win (1)."""
        theirs, taken = mine ^ taken, taken | cell
        wins_at_once = winning_cells(theirs, taken) & (taken + BOTTOM)
        return bool(wins_at_once) or gets(theirs, taken, goal, *self.memory)


def position_after(moves: str) -> tuple[Any, Any]:
    """The stones of the seat to move, and all stones."""
    mine, taken = U(0), U(0)
    for letter in moves:
        mine, taken = mine ^ taken, taken | cell_of(taken, letter)
    return mine, taken


def cell_of(taken: Any, letter: str) -> Any:
    """Where a stone in this column comes to lie; 0 if the column is full."""
    return (taken + BOTTOM) & BOARD & (U(0b111111) << U(HEIGHT * "abcdefg".index(letter)))


def random_moves(seed: int, plies: int, number: int) -> str:
    """A line of random moves; cut off if one of them wins."""
    moves = ""
    while len(moves) < plies:
        mine, taken = position_after(moves)
        free = [letter for letter in "abcdefg" if cell_of(taken, letter)]
        move = free[int(draw_unit("problem", seed, plies, number, len(moves)) * len(free))]
        if cell_of(taken, move) & winning_cells(mine, taken):
            break
        moves += move
    return moves


def make_problems(solver: Solver, seed: int, plies: int, wanted: int) -> Iterator[str]:
    """Different positions after so many random moves in which a mistake is possible, with the moves
    that are none.
    """
    seen: set[int] = set()
    number = 0
    while len(seen) < wanted:
        moves, number = random_moves(seed, plies, number), number + 1
        key = int(key_of(*position_after(moves)))
        if len(moves) < plies or key in seen:
            continue
        best, legal = solver.best_moves(moves)
        if best != legal:
            seen.add(key)
            yield f"{' '.join(moves)} | {' '.join(best)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", type=int, default=len(WANTED) - 1, help="the most random moves")
    arguments = parser.parse_args()
    solver, start = Solver(), time.perf_counter()
    with arguments.file.open("w", encoding="utf-8") as file:
        file.write(HEAD.format(seed=arguments.seed))
        for plies, wanted in reversed(list(enumerate(WANTED[: arguments.plies + 1]))):
            for line in make_problems(solver, arguments.seed, plies, wanted):
                file.write(f"{line}\n")
                file.flush()
            print(f"{plies} plies: {time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
