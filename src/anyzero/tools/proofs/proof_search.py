"""The solver's search: can the first seat force at least `goal`?

Two strategies share one table. *Depth first*: finish one move before the next, first those that
leave the opponent the fewest replies, then those that decided most positions before (Schaeffer
1989). *Proof numbers*: always continue where the answer seems cheapest, and return as soon as
another place is cheaper (df-pn, Nagai 2002). The proof number of a position is the least number of
open positions that must be decided to answer yes, the disproof number to answer no. Depth first is
faster where games have to be searched to their end, proof numbers where a short line of forced
moves decides.
"""

from typing import NamedTuple

import numpy as np

from anyzero.core.base.nouns import Fields, Integer, Record, Records, Rules, States
from anyzero.core.base.structs import struct_of
from anyzero.core.compile.bits import by_pointer, leading_bit
from anyzero.core.compile.random import U
from anyzero.core.game.contract import OVER, legal_actions, payoffs, play, seat_to_move
from anyzero.core.game.game import Game
from anyzero.tools.proofs.proof_table import (
    MOST,
    ProofTable,
    disproof_of,
    find_content,
    goal_of,
    high_of,
    low_of,
    pack_content,
    position_key,
    proof_of,
    put_content,
)

INLINED = True  # these functions are compiled into their callers: see compile.kernels

DEPTH_FIRST = 0
PROOF_NUMBERS = 1
LEVEL, NODES, FAULT, LOW, HIGH = range(5)
"""Indices into `Stack.counters`: the search's level, NONE once the question is answered; positions
expanded; a fault;
bounds of the position left last, in the end those of the root."""
# faults of a game that end the search
TOO_LONG = 1
OTHER_PAYOFF = 2
NO_MOVE = 3
NONE = -1
HISTORY_BITS = 16
MOST_HISTORY = (1 << HISTORY_BITS) - 1
MOST_REPLIES = 254  # so that replies and history combined stay below MOST


CHILD = struct_of([("numbers", np.int32, 2), ("low", np.int32), ("high", np.int32)])
"""A move and what is known about it: its proof and disproof number, for the first and the second
seat's question, and bounds of the first seat's payoff. Depth first uses the mover's number as the
order of moves.
"""
ROW_FIELDS: Fields = [
    *(("key", np.uint64), ("place", np.uint64)),  # the two hashes of the position
    ("seat", np.int64),
    ("count", np.int64),  # number of children; NONE before they are generated
    ("chosen", np.int64),  # the child being searched; NONE before the first
    ("limits", np.int64, 2),  # return once the proof or disproof number reaches its limit
    ("start", np.int64),  # positions expanded before this one
]
ROW = struct_of(ROW_FIELDS)  # a position of the current line


class Stack(NamedTuple):
    """The current line of play, from the root down, and statistics about actions."""

    states: States
    rows: Records
    actions: np.ndarray  # [level, child]
    children: Records  # [level, child]
    history: (
        np.ndarray
    )  # [seat, action]: how often this action decided a position, weighted by its size
    result: np.ndarray
    replies: np.ndarray  # scratch for legal actions that are only counted
    counters: np.ndarray


def new_stack(game: Game) -> Stack:
    """Space for the longest game. Untouched memory costs nothing."""
    levels = game.max_plies + 2
    width = game.max_legal
    return Stack(
        states=game.new_states(levels),
        rows=np.zeros(levels, ROW),
        actions=np.zeros((levels, width), np.int32),
        children=np.zeros((levels, width), CHILD),
        history=np.zeros((2, game.num_actions), np.int64),
        result=np.zeros(2),
        replies=game.new_actions(),
        counters=np.zeros(5, np.int64),
    )


def walk(rules: Rules, table: ProofTable, stack: Stack, goal: int, way: int, most: int) -> None:
    """Kernel: expand up to `most` positions, resuming where the search was left."""
    table = by_pointer(table)
    stack = by_pointer(stack)
    level = stack.counters[LEVEL]
    stop = stack.counters[NODES] + most
    while level >= 0 and stack.counters[NODES] < stop and stack.counters[FAULT] == 0:
        if stack.rows[level].count == NONE:
            expand_position(rules, table, stack, level, goal, way)
        child = next_child(table, stack, level, goal, way)
        if child == NONE:
            level -= 1
        else:
            enter(rules, stack, level, child)
            level += 1
            stack.rows[level].count = NONE
        stack.counters[LEVEL] = level


def enter(rules: Rules, stack: Stack, level: int, child: int) -> None:
    """Set the child's position one level down."""
    stack.states[level + 1] = stack.states[level]
    play(rules, stack.states[level + 1], np.int64(stack.actions[level, child]))  # type: ignore[arg-type]


# --- the children of a position


def expand_position(
    rules: Rules, table: ProofTable, stack: Stack, level: int, goal: int, way: int
) -> None:
    """Generate the children; if one of them, or the table, decides the position at once, keep only
    that.
    """
    row = stack.rows[level]
    state = stack.states[level]
    row.key, row.place = position_key(state)
    row.seat = seat_to_move(rules, state)
    row.chosen = NONE
    row.start = stack.counters[NODES]
    content = find_content(
        table, row.key, row.place
    )  # it may have been decided elsewhere in the meantime
    if content and (low_of(content) >= goal or high_of(content) < goal):
        set_bounds(stack.children[level, 0], low_of(content), high_of(content), goal)
        row.count = 1
        return
    stack.counters[NODES] += 1
    row.count = legal_actions(rules, state, stack.actions[level])
    if row.count == 0 or level + 2 >= len(stack.rows):
        stack.counters[FAULT] = NO_MOVE if row.count == 0 else TOO_LONG
        return
    for child in range(row.count):  # testing for the end is cheaper than the table
        enter(rules, stack, level, child)
        if ends_well(rules, stack, level, child, goal):
            keep_one(stack, level, child)
            return
    for child in range(row.count):
        enter(rules, stack, level, child)
        look_at(rules, table, stack, level, child, goal, way)
        if stack.children[level, child].numbers[row.seat] == 0:
            keep_one(stack, level, child)
            return


def ends_well(rules: Rules, stack: Stack, level: int, child: int, goal: int) -> bool:
    """Whether this child, whose state is one level down, ends the game in favour of the mover."""
    state = stack.states[level + 1]
    if seat_to_move(rules, state) != OVER:
        return False
    payoffs(rules, state, stack.result)
    payoff: Integer = np.int64(stack.result[0])
    if payoff != stack.result[0]:
        stack.counters[FAULT] = OTHER_PAYOFF
    set_bounds(stack.children[level, child], payoff, payoff, goal)
    return stack.children[level, child].numbers[stack.rows[level].seat] == 0  # type: ignore[no-any-return]


def look_at(
    rules: Rules, table: ProofTable, stack: Stack, level: int, child: int, goal: int, way: int
) -> None:
    """What is known about a child, whose state is one level down, without expanding it."""
    state = stack.states[level + 1]
    entry = stack.children[level, child]
    if seat_to_move(rules, state) == OVER:
        return  # handled by `ends_well`
    key, place = position_key(state)
    content = find_content(table, key, place)
    if content:
        set_bounds(entry, low_of(content), high_of(content), goal)
    else:
        set_bounds(entry, -1, 1, goal)
    if entry.low < goal <= entry.high:
        if (
            way == DEPTH_FIRST
        ):  # early if it leaves few replies; among equals, if its action has decided much
            seat = stack.rows[level].seat
            replies = min(legal_actions(rules, state, stack.replies), MOST_REPLIES)
            if seat_to_move(rules, state) == seat:  # its own moves, not replies
                replies = MOST_REPLIES - replies
            history = stack.history[seat, stack.actions[level, child]]
            entry.numbers[seat] = 1 + (replies << HISTORY_BITS | MOST_HISTORY - history)
        elif content and goal_of(content) == goal:
            entry.numbers[0] = proof_of(content)
            entry.numbers[1] = disproof_of(content)
        else:
            # As if expanded: each of its moves is an open position. `expand_position` notices if
            # none is.
            moves = max(legal_actions(rules, state, stack.replies), 1)
            entry.numbers[1 - seat_to_move(rules, state)] = moves


def set_bounds(child: Record, low: int, high: int, goal: int) -> None:
    """Write bounds and the resulting numbers: the question is decided, or open."""
    child.low = low
    child.high = high
    child.numbers[0] = 0 if low >= goal else (MOST if high < goal else 1)
    child.numbers[1] = MOST if low >= goal else (0 if high < goal else 1)


def keep_one(stack: Stack, level: int, child: int) -> None:
    """Drop all children but a deciding one; others may be even better for the mover."""
    stack.children[level, 0] = stack.children[level, child]
    if stack.rows[level].seat == 0:
        stack.children[level, 0].high = 1
    else:
        stack.children[level, 0].low = -1
    stack.rows[level].count = 1


# --- where to continue


def next_child(table: ProofTable, stack: Stack, level: int, goal: int, way: int) -> int:
    """The child to continue with, its limits set; NONE once this position's numbers reach a limit
    and it is left.
    """
    row = stack.rows[level]
    below = stack.rows[level + 1]
    seat = stack.rows[level].seat
    best = 0
    least = MOST + 1
    second = MOST + 1
    largest = 0
    others = -1
    for child in range(
        row.count
    ):  # one child is enough to answer the mover's question, the other's takes all
        number: Integer = np.int64(stack.children[level, child].numbers[seat])
        need: Integer = np.int64(stack.children[level, child].numbers[1 - seat])
        if number < least:
            best = child
            second = least
            least = number
        elif number < second:
            second = number
        largest = max(largest, need)
        others += 1 if need > 0 else 0
    # A sum would count a position once per path that leads to it. Ueda et al. 2008.
    total = largest + others if 0 < largest < MOST else largest
    total = min(total, MOST - 1) if largest < MOST else MOST
    limit = row.limits[seat]
    need_limit = row.limits[1 - seat]
    if least >= limit or total >= need_limit or least == 0 or total == 0:
        leave_position(table, stack, level, least, total, goal)
        return NONE
    if way == PROOF_NUMBERS:
        # A quarter more than the second best: fewer switches between children. Pawlewicz and Lew
        # 2007.
        limit = min(limit, second + second // 4 + 1)
        need_limit = max(
            need_limit - others, np.int64(stack.children[level, best].numbers[1 - seat]) + 1
        )
    below.limits[seat] = limit
    below.limits[1 - seat] = need_limit
    row.chosen = best
    return best


def leave_position(
    table: ProofTable, stack: Stack, level: int, least: int, total: int, goal: int
) -> None:
    """Store the result in the table and in the parent's row: `least` is the mover's number."""
    row = stack.rows[level]
    seat = stack.rows[level].seat
    proof, disproof = (least, total) if seat == 0 else (total, least)
    low, high = bounds_of(stack, level)
    if level > 0:
        entry = stack.children[level - 1, stack.rows[level - 1].chosen]
        low = max(low, np.int64(entry.low))
        high = min(high, np.int64(entry.high))
        entry.low = low
        entry.high = high
        entry.numbers[0] = proof
        entry.numbers[1] = disproof
    work = stack.counters[NODES] - row.start
    if work > 0:
        put_content(table, row.key, row.place, pack_content(low, high, proof, disproof, goal, work))
    if row.chosen != NONE and least == 0:  # the action searched last decided this position
        action = stack.actions[level, row.chosen]
        stack.history[seat, action] += leading_bit(U(work)) + 1
        if stack.history[seat, action] > MOST_HISTORY:
            for other in range(stack.history.shape[1]):
                stack.history[seat, other] >>= 1
    stack.counters[LOW] = low
    stack.counters[HIGH] = high


def bounds_of(stack: Stack, level: int) -> tuple[Integer, Integer]:
    """Bounds derived from the children."""
    first = stack.rows[level].seat == 0
    low = np.int64(-1 if first else 1)
    high = low
    for child in range(stack.rows[level].count):
        entry = stack.children[level, child]
        if first:
            low = max(low, np.int64(entry.low))
            high = max(high, np.int64(entry.high))
        else:
            low = min(low, np.int64(entry.low))
            high = min(high, np.int64(entry.high))
    return low, high
