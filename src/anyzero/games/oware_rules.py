"""Oware's board as words, and its moves.

A row of six houses is one word, a byte per house with house 0 in the highest, so that going back
through the houses goes up through the word: one addition tests all houses at once, and the carry of
another follows the captured houses.
"""

from typing import Literal, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Actions, Integer, Numbers, Word
from anyzero.core.compile.random import U
from anyzero.core.game.contract import OVER
from anyzero.core.game.game import State

HOUSES = 6
SEEDS_A_HOUSE = 4
TOTAL = 48
HALF = 24
MOST_PLIES = 1000
GrandSlam = Literal["takes_nothing", "takes_all", "illegal"]
TAKES_NOTHING, TAKES_ALL, ILLEGAL = range(3)
LastSeeds = Literal["mover", "owner", "nobody"]
TO_MOVER, TO_OWNER, TO_NOBODY = range(3)
ONES = U(0x010101010101)  # one seed in every house of a row
HIGH_BITS = U(0x808080808080)
FILLED = U(0x7F7F7F7F7F7F)  # added to a row, sets the high bit of each house with seeds
FEEDING = U(
    0x7A7B7C7D7E7F
)  # added to a row, sets the high bit of each house whose seeds reach the other row
TWOS = U(0x020202020202)
UPPER_BITS = U(0xFEFEFEFEFEFE)
STATE = [
    ("houses", np.uint64, 2),
    ("stores", np.int8, 2),
    ("ply", np.int16),
    ("num_moves", np.int16),
    ("over", np.int8),
]
"""The repetition rule adds `origin`, the rows after the last capture, and `moves`, those played
since.
"""


class Oware(NamedTuple):
    plies: int
    grand_slam: int
    last_seeds: int
    sowing: np.ndarray
    """Four words for each (place of a house, seeds), 64 seeds per place: what sowing adds to the
    mover's row, to the
    other row, the low bit of the last house if that is in the other row, and a zero."""
    picks: np.ndarray
    """For a draw from 0 to 59 and a set of houses, 64 sets per draw: the shift of the drawn house's
    byte.
    """


def sowing_table() -> np.ndarray:
    """The starting house is skipped on every lap."""
    table = np.zeros((HOUSES, 64, 4), np.uint64)
    for house in range(HOUSES):
        ring = [(house + step) % (2 * HOUSES) for step in range(1, 2 * HOUSES)]
        for seeds in range(1, TOTAL + 1):
            targets = [ring[seed % len(ring)] for seed in range(seeds)]
            bits = [1 << shift_of(target % HOUSES) for target in targets]
            same_row = sum(
                bit for target, bit in zip(targets, bits, strict=True) if target < HOUSES
            )
            last = bits[-1] if targets[-1] >= HOUSES else 0
            table[shift_of(house) // 8, seeds, :3] = same_row, sum(bits) - same_row, last
    return table.ravel()


def picks_table() -> np.ndarray:
    """60 is a multiple of every number of houses, so that a uniform draw picks uniformly from every
    set.
    """
    table = np.zeros((60, 64), np.uint8)
    for houses in range(1, 64):
        places = [place for place in range(HOUSES) if houses >> place & 1]
        table[:, houses] = [8 * places[draw % len(places)] for draw in range(60)]
    return table.ravel()


def shift_of(house: int) -> int:
    """The shift of a house's byte in the word of its row."""
    return 8 * (HOUSES - 1 - house)


def initial_state(rules: Oware, state: State) -> None:
    state.houses[0] = state.houses[1] = ONES * U(SEEDS_A_HOUSE)
    forget(state)


def seat_to_move(rules: Oware, state: State) -> int:
    return OVER if state.over else state.ply & 1


def legal_actions(rules: Oware, state: State, actions: Actions) -> int:
    seat = state.ply & 1
    count = 0
    flags = legal_houses(rules, state.houses[seat], state.houses[1 - seat])
    for house in range(HOUSES):
        if flags & (U(0x80) << U(shift_of(house))):
            actions[count] = house
            count += 1
    return count


def useful_houses(row: Word, other_row: Word) -> Word:
    """The high bits of the mover's houses with seeds; if the other row is empty, of those that feed
    it.
    """
    return (row + (FILLED if other_row else FEEDING)) & HIGH_BITS


def legal_houses(rules: Oware, row: Word, other_row: Word) -> Word:
    """The high bits of the houses from which the mover may sow."""
    flags = useful_houses(row, other_row)
    if rules.grand_slam == ILLEGAL:
        for shift in range(0, 8 * HOUSES, 8):
            high = U(0x80) << U(shift)
            if flags & high:
                _, left, taken = sow(rules, row, other_row, U(shift))
                if taken > 0 and left == U(0):
                    flags ^= high
    return flags


def sow(rules: Oware, row: Word, other_row: Word, shift: Integer) -> tuple[Word, Word, int]:
    """The mover's row and the other one after the move, and the number of seeds captured.

    It captures from adjacent houses with two or three seeds, back from the last house sown: a carry
    runs through them.
    """
    seeds = row >> shift & U(255)
    entry = np.int64((shift << U(3)) + seeds) * 4
    row = (row ^ (seeds << shift)) + rules.sowing[entry]
    other_row = other_row + rules.sowing[entry + 1]
    others = ((other_row ^ TWOS) & UPPER_BITS) + FILLED  # high bit: neither two nor three
    takable = (~others >> U(7) & ONES) * U(255)
    caught = other_row & takable & ~(takable + rules.sowing[entry + 2])
    if caught == U(0) or (caught == other_row and rules.grand_slam == TAKES_NOTHING):
        return row, other_row, 0
    return row, other_row ^ caught, count_seeds(caught)


def count_seeds(row: Word) -> int:
    half = (row + (row >> U(24))) & U(0xFFFFFF)
    return np.int64(half * U(0x010101) >> U(16) & U(255))  # type: ignore[return-value]


def play(rules: Oware, state: State, action: int) -> None:
    seat = state.ply & 1
    row, other_row, taken = sow(
        rules, state.houses[seat], state.houses[1 - seat], U(shift_of(action))
    )
    state.houses[seat] = row
    state.houses[1 - seat] = other_row
    state.stores[seat] += taken
    state.ply += 1
    stopped = (
        remember(rules, state, action, taken)
        or state.stores[seat] > HALF
        or state.ply == rules.plies
    )
    if stopped or legal_houses(rules, other_row, row) == U(0):
        finish(rules, state, stopped)


def finish(rules: Oware, state: State, stopped: bool) -> None:
    """End the game: it was stopped, or the seat to move has no move."""
    state.over = 1
    if rules.last_seeds == TO_OWNER or (rules.last_seeds == TO_MOVER and not stopped):
        for row in range(2):
            taker = row if rules.last_seeds == TO_OWNER else state.ply & 1
            state.stores[taker] += count_seeds(state.houses[row])
            state.houses[row] = U(0)
    forget(state)


def payoffs(rules: Oware, state: State, out: Numbers) -> None:
    lead = state.stores[0] - state.stores[1]
    out[0] = 1.0 if lead > 0 else (-1.0 if lead < 0 else 0.0)
    out[1] = -out[0]


def score(rules: Oware, state: State, seat: int) -> float:
    return float(state.stores[seat])


def remember(rules: Oware, state: State, action: int, taken: int) -> bool:
    """Record the move; whether the same seat has had the same rows since the last capture.

    Without the rule, record nothing and return False.
    """
    if len(state.moves) == 0 or taken > 0:  # no earlier position can recur
        forget(state)
        return False
    state.moves[state.num_moves] = action
    state.num_moves += 1
    seat = (state.ply - state.num_moves) & 1
    last = state.ply & 1
    row = state.origin[seat]
    other_row = state.origin[1 - seat]
    for move in range(state.num_moves):
        if seat == last and row == state.houses[seat] and other_row == state.houses[1 - seat]:
            return True
        after, row, _ = sow(rules, row, other_row, U(shift_of(np.int64(state.moves[move]))))  # type: ignore[arg-type]
        other_row = after
        seat = 1 - seat
    return False


def forget(state: State) -> None:
    if len(state.moves) > 0:
        for seat in range(2):
            state.origin[seat] = state.houses[seat]
        for move in range(state.num_moves):
            state.moves[move] = 0
        state.num_moves = 0
