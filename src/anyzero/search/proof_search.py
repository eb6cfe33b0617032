"""The walk of a solver: does the first seat get at least `goal`, whatever its opponent does?

Two ways to go, with one table between them. *Depth first*: finish one move before the next, those first that leave the
opponent the fewest replies, then those that decided most positions before (Schaeffer 1989). *Proof numbers*: always go
on where the answer seems cheapest, and come back up as soon as another place is cheaper (df-pn, Nagai 2002). The proof
number of a position says how many open positions must at least be decided to answer yes, the disproof number how many
to answer no. The first way is quicker where games have to be searched to their end, the second where a short line of
forced moves decides.
"""

from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.bits import leading_bit
from anyzero.compile.random import U
from anyzero.games.contract import OVER, legal_actions, payoffs, play, seat_to_move
from anyzero.games.game import Game
from anyzero.search.proof_table import (
    MOST,
    Table,
    disproof_of,
    find,
    goal_of,
    high_of,
    low_of,
    pack,
    position_key,
    proof_of,
    put,
)

DEPTH_FIRST, PROOF_NUMBERS = 0, 1
LEVEL, NODES, FAULT = range(3)
"""Places in `Stack.counters`: the level of the walk, -1 once the question is answered; positions expanded; a fault."""
TOO_LONG, OTHER_PAYOFF, NO_MOVE = 1, 2, 3
"""Faults of a game that end the walk."""
NONE = -1
HISTORY_BITS = 16
MOST_HISTORY = (1 << HISTORY_BITS) - 1
MOST_REPLIES = 254
"""So that replies and history together stay below MOST."""


class Stack(NamedTuple):
    """The line of play under way, a row a position from the root down. Bounds are those of the first seat's payoff."""

    states: Any
    actions: np.ndarray
    lows: np.ndarray
    """[level, child]: the least that is sure after this action."""
    highs: np.ndarray
    """[level, child]: the most that is possible."""
    proofs: np.ndarray
    """[level, child]: proof numbers; going depth first, the mover's numbers say in which order to try."""
    disproofs: np.ndarray
    counts: np.ndarray
    """[level]: how many children; NONE before they are made."""
    chosen: np.ndarray
    """[level]: the child that is being searched; NONE before the first."""
    seats: np.ndarray
    keys: np.ndarray
    """[level, 2]: the position's two hashes."""
    proof_limits: np.ndarray
    """[level]: go back up once the proof number is not below this."""
    disproof_limits: np.ndarray
    starts: np.ndarray
    """[level]: how many positions had been expanded before this one."""
    history: np.ndarray
    """[seat, action]: how often this action decided a position, and how large ones."""
    result: np.ndarray
    replies: np.ndarray
    """Scratch: legal actions that are only counted."""
    bounds: np.ndarray
    """[2]: low and high of the position left last; in the end, of the root."""
    counters: np.ndarray


def new_stack(game: Game) -> Stack:
    """Room for the longest game. Untouched memory costs nothing."""
    levels, width = game.max_plies + 2, game.max_legal
    return Stack(
        states=game.new_states(levels),
        actions=np.zeros((levels, width), np.int32),
        lows=np.zeros((levels, width), np.int8),
        highs=np.zeros((levels, width), np.int8),
        proofs=np.zeros((levels, width), np.int32),
        disproofs=np.zeros((levels, width), np.int32),
        counts=np.zeros(levels, np.int64),
        chosen=np.zeros(levels, np.int64),
        seats=np.zeros(levels, np.int64),
        keys=np.zeros((levels, 2), np.uint64),
        proof_limits=np.zeros(levels, np.int64),
        disproof_limits=np.zeros(levels, np.int64),
        starts=np.zeros(levels, np.int64),
        history=np.zeros((2, game.num_actions), np.int64),
        result=np.zeros(2),
        replies=game.new_actions(),
        bounds=np.zeros(2, np.int64),
        counters=np.zeros(3, np.int64),
    )


def walk(rules: Any, table: Table, stack: Stack, goal: int, way: int, most: int) -> None:
    """Kernel: expand up to `most` positions, from where the walk was left."""
    level, stop = stack.counters[LEVEL], stack.counters[NODES] + most
    while level >= 0 and stack.counters[NODES] < stop and stack.counters[FAULT] == 0:
        if stack.counts[level] == NONE:
            expand(rules, table, stack, level, goal, way)
        child = choose(table, stack, level, goal, way)
        if child == NONE:
            level -= 1
        else:
            enter(rules, stack, level, child)
            stack.chosen[level] = child
            level += 1
        stack.counters[LEVEL] = level


def enter(rules: Any, stack: Stack, level: int, child: int) -> None:
    """Put the child's position one level down."""
    stack.states[level + 1] = stack.states[level]
    play(rules, stack.states[level + 1], np.int64(stack.actions[level, child]))  # type: ignore[arg-type]
    stack.counts[level + 1] = NONE


# --- the children of a position


def expand(rules: Any, table: Table, stack: Stack, level: int, goal: int, way: int) -> None:
    """Make the children; if one of them decides the position at once, or the table does, keep only that."""
    key, place = position_key(stack.states[level])
    stack.keys[level, 0], stack.keys[level, 1] = key, place
    stack.starts[level] = stack.counters[NODES]
    stack.chosen[level] = NONE
    seat = np.int64(seat_to_move(rules, stack.states[level]))
    stack.seats[level] = seat
    content = find(table, key, place)  # a child may have been decided elsewhere since it was made
    if content and (low_of(content) >= goal or high_of(content) < goal):
        stack.counts[level] = 1
        set_child(stack, level, 0, low_of(content), high_of(content), 0, 0, goal)
        return
    stack.counters[NODES] += 1
    stack.counts[level] = legal_actions(rules, stack.states[level], stack.actions[level])
    if stack.counts[level] == 0 or level + 2 >= len(stack.counts):
        stack.counters[FAULT] = NO_MOVE if stack.counts[level] == 0 else TOO_LONG
        return
    for child in range(stack.counts[level]):  # an end costs less to see than the table
        enter(rules, stack, level, child)
        if wins_at_once(rules, stack, level, child, goal):
            return
    numbers = stack.proofs if seat == 0 else stack.disproofs
    for child in range(stack.counts[level]):
        enter(rules, stack, level, child)
        look(rules, table, stack, level, child, goal, way)
        if numbers[level, child] == 0:
            keep_one(stack, level, child)
            return


def wins_at_once(rules: Any, stack: Stack, level: int, child: int, goal: int) -> bool:
    """Whether this child is an end that decides; then it is the only one kept."""
    state, first = stack.states[level + 1], stack.seats[level] == 0
    if seat_to_move(rules, state) != OVER:
        return False
    payoffs(rules, state, stack.result)
    payoff = np.int64(stack.result[0])
    if payoff != stack.result[0]:
        stack.counters[FAULT] = OTHER_PAYOFF
    if (payoff >= goal) != first:
        return False
    set_child(stack, level, child, payoff, payoff, 0, 0, goal)  # type: ignore[arg-type]
    keep_one(stack, level, child)
    return True


def look(rules: Any, table: Table, stack: Stack, level: int, child: int, goal: int, way: int) -> None:
    """What is known of a child, whose state stands one level down, without expanding it."""
    state = stack.states[level + 1]
    low: Any = -1
    high: Any = 1
    content = U(0)
    if seat_to_move(rules, state) == OVER:
        payoffs(rules, state, stack.result)
        low = high = np.int64(stack.result[0])
    else:
        key, place = position_key(state)
        content = find(table, key, place)
        if content:
            low, high = low_of(content), high_of(content)
    set_child(stack, level, child, low, high, 1, 1, goal)
    if low < goal <= high:
        if way == DEPTH_FIRST:
            guess_order(rules, stack, level, child)
        elif content and goal_of(content) == goal:
            set_child(stack, level, child, low, high, proof_of(content), disproof_of(content), goal)
        else:
            guess_numbers(rules, stack, level, child)


def guess_order(rules: Any, stack: Stack, level: int, child: int) -> None:
    """Try a child early that leaves few replies; among equal ones, an action that has decided much."""
    state, seat = stack.states[level + 1], stack.seats[level]
    replies = min(legal_actions(rules, state, stack.replies), MOST_REPLIES)
    if seat_to_move(rules, state) == seat:  # its own moves, not replies
        replies = MOST_REPLIES - replies
    order = replies << HISTORY_BITS | MOST_HISTORY - stack.history[seat, stack.actions[level, child]]
    if seat == 0:
        stack.proofs[level, child] = 1 + order
    else:
        stack.disproofs[level, child] = 1 + order


def guess_numbers(rules: Any, stack: Stack, level: int, child: int) -> None:
    """As if the child had been expanded: each of its moves is an open position."""
    state = stack.states[level + 1]
    moves = max(legal_actions(rules, state, stack.replies), 1)  # 0 would mean decided; `expand` finds that fault
    if seat_to_move(rules, state) == 0:
        stack.disproofs[level, child] = moves
    else:
        stack.proofs[level, child] = moves


def set_child(stack: Stack, level: int, child: int, low: int, high: int, proof: int, disproof: int, goal: int) -> None:
    """Write a child's bounds and numbers; the bounds may decide the question."""
    stack.lows[level, child] = low
    stack.highs[level, child] = high
    stack.proofs[level, child] = 0 if low >= goal else (MOST if high < goal else proof)
    stack.disproofs[level, child] = MOST if low >= goal else (0 if high < goal else disproof)


def keep_one(stack: Stack, level: int, child: int) -> None:
    """Forget all children but one that decides; the others may be better still for the mover."""
    first = stack.seats[level] == 0
    low = np.int64(-1) if not first else np.int64(stack.lows[level, child])
    high = np.int64(1) if first else np.int64(stack.highs[level, child])
    stack.lows[level, 0], stack.highs[level, 0] = low, high
    stack.proofs[level, 0] = 0 if first else MOST
    stack.disproofs[level, 0] = MOST if first else 0
    stack.counts[level] = 1


# --- where to go


def choose(table: Table, stack: Stack, level: int, goal: int, way: int) -> int:
    """The child to go on with, its limits set; NONE once this position's numbers reach a limit and it is left."""
    first = stack.seats[level] == 0
    ones = stack.proofs if first else stack.disproofs  # one child is enough
    alls = stack.disproofs if first else stack.proofs  # every child must be answered
    best, others = 0, -1
    least: Any = np.int64(MOST + 1)
    second = least
    largest: Any = np.int64(0)
    for child in range(stack.counts[level]):
        number, need = np.int64(ones[level, child]), np.int64(alls[level, child])
        if number < least:
            best, second, least = child, least, number
        elif number < second:
            second = number
        largest = max(largest, need)
        others += 1 if need > 0 else 0
    # A sum would count a position again for each way that leads to it. Ueda et al. 2008.
    total = 0 if largest == 0 else (MOST if largest == MOST else min(largest + others, MOST - 1))
    one_limit = stack.proof_limits[level] if first else stack.disproof_limits[level]
    all_limit = stack.disproof_limits[level] if first else stack.proof_limits[level]
    if least >= one_limit or total >= all_limit or least == 0 or total == 0:
        leave(table, stack, level, least if first else total, total if first else least, goal)
        return NONE
    if way == PROOF_NUMBERS:
        # A quarter more than the second best: fewer changes of mind. Pawlewicz and Lew 2007.
        one_limit = min(one_limit, second + second // 4 + 1)
        all_limit = max(all_limit - others, np.int64(alls[level, best]) + 1)
    stack.proof_limits[level + 1] = one_limit if first else all_limit
    stack.disproof_limits[level + 1] = all_limit if first else one_limit
    return best


def leave(table: Table, stack: Stack, level: int, proof: int, disproof: int, goal: int) -> None:
    """Keep what was found here in the table and in the parent's row."""
    first = stack.seats[level] == 0
    low: Any = np.int64(stack.lows[level, 0])
    high: Any = np.int64(stack.highs[level, 0])
    for child in range(1, stack.counts[level]):
        if first:
            low, high = max(low, stack.lows[level, child]), max(high, stack.highs[level, child])
        else:
            low, high = min(low, stack.lows[level, child]), min(high, stack.highs[level, child])
    work = stack.counters[NODES] - stack.starts[level]
    if level > 0:
        parent, child = level - 1, stack.chosen[level - 1]
        low, high = max(low, stack.lows[parent, child]), min(high, stack.highs[parent, child])
        set_child(stack, parent, child, low, high, proof, disproof, goal)
    if work > 0:
        put(table, stack.keys[level, 0], stack.keys[level, 1], pack(low, high, proof, disproof, goal, work))
        if stack.chosen[level] != NONE and (proof if first else disproof) == 0:
            remember(stack, level, work)
    stack.bounds[0], stack.bounds[1] = low, high


def remember(stack: Stack, level: int, work: int) -> None:
    """The action searched last decided this position."""
    seat, action = stack.seats[level], stack.actions[level, stack.chosen[level]]
    stack.history[seat, action] += leading_bit(U(work)) + 1
    if stack.history[seat, action] > MOST_HISTORY:
        for other in range(stack.history.shape[1]):
            stack.history[seat, other] >>= 1
