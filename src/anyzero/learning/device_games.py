"""Self-play as one thread plays it: plain functions that take one game as far as it goes without the network.

A game has two blocks of rows: while the samples of a finished game wait in one to be fetched, the next game fills the
other. Nothing is shared between games, so that no thread waits for another.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import random_below, random_unit
from anyzero.games.contract import CHANCE, OVER, draw_outcome, legal_actions, payoffs, play, seat_to_move
from anyzero.games.game import Game
from anyzero.learning.moves import draw_share
from anyzero.search.advance import advance_tree, begin_tree
from anyzero.search.report import choose_child_of_root, root_policy, value_after
from anyzero.search.scratch import Scratch
from anyzero.search.settings import GUMBEL, Settings
from anyzero.search.tree import Tree, root_of


class Pace(NamedTuple):
    """What decides how games go on, as plain numbers."""

    simulations: int
    fast_simulations: int
    fast_share: float
    temperature: float
    temperature_plies: int
    late_temperature: float
    opening_plies: int
    max_plies: int


class Games(NamedTuple):
    """The games under way, one a tree."""

    states: Any
    """[games]: the position that is being searched."""
    starts: Any
    """[starts]: where games begin, in turn."""
    plies: np.ndarray
    samples: np.ndarray
    """[games]: of the game so far."""
    block: np.ndarray
    """[games]: which of its two blocks of rows the game fills."""
    fast: np.ndarray
    """[games]: whether the search under way is one with few simulations."""
    waiting: np.ndarray
    """[games, 2]: samples of a finished game that wait in a block; none may be written there until they are fetched."""
    finished: np.ndarray
    """[games]: how many have come to their end; what follows is of all of them."""
    cut_off: np.ndarray
    """[games]: how many came to the ply limit."""
    draws: np.ndarray
    """[games]: how many ended by the rules without a winner."""
    moves: np.ndarray
    """[games]: their plies."""
    first_payoff: np.ndarray
    """[games]: the payoffs of the first seat."""
    simulations: np.ndarray
    """[games]: of all searches that are over."""
    result: np.ndarray
    """[games, seats]: the payoffs of the last game."""


class Rows(NamedTuple):
    """Samples as the device keeps them: `max_plies` rows for each block of each game."""

    states: Any
    actions: np.ndarray
    policies: np.ndarray
    policy_weights: np.ndarray
    payoffs: np.ndarray
    values: np.ndarray
    plies: np.ndarray
    lengths: np.ndarray
    seats: np.ndarray


def new_games(game: Game, num: int, starts: Any) -> Games:
    return Games(
        states=game.new_states(num),
        starts=starts,
        plies=np.zeros(num, np.int32),
        samples=np.zeros(num, np.int32),
        block=np.zeros(num, np.int32),
        fast=np.zeros(num, np.int32),
        waiting=np.zeros((num, 2), np.int32),
        finished=np.zeros(num, np.int64),
        cut_off=np.zeros(num, np.int64),
        draws=np.zeros(num, np.int64),
        moves=np.zeros(num, np.int64),
        first_payoff=np.zeros(num),
        simulations=np.zeros(num, np.int64),
        result=np.zeros((num, game.num_seats)),
    )


def new_rows(game: Game, num: int) -> Rows:
    return Rows(
        states=game.new_states(num),
        actions=np.zeros((num, game.max_legal), np.int16),
        policies=np.zeros((num, game.max_legal), np.float16),
        policy_weights=np.zeros(num, np.float32),
        payoffs=np.zeros(num, np.float32),
        values=np.zeros(num, np.float32),
        plies=np.zeros(num, np.int16),
        lengths=np.zeros(num, np.int16),
        seats=np.zeros(num, np.int8),
    )


def begin_games(rules: Any, tree: Tree, scratch: Scratch, games: Games, pace: Pace, number: int) -> None:
    """The first game of a thread."""
    games.block[number] = games.finished[number] = games.simulations[number] = 0
    games.cut_off[number] = games.draws[number] = games.moves[number] = 0
    games.first_payoff[number] = 0.0
    games.waiting[number, 0] = games.waiting[number, 1] = 0
    begin_game(rules, scratch, games, pace, number)
    begin_search(tree, scratch, games, pace, number)


def advance_game(
    rules: Any,
    tree: Tree,
    scratch: Scratch,
    settings: Settings,
    late: Settings,
    games: Games,
    rows: Rows,
    pace: Pace,
    answers: Any,
    number: int,
) -> None:
    """Take the network's answer in, and go on, to the next move or the next game, until another one is needed.

    `late` are the settings after the plies in which moves are drawn; `answers` are logits, values and planes.
    """
    logits, values, planes = answers
    while games.waiting[number, games.block[number]] == 0:
        chosen = settings if games.plies[number] < pace.temperature_plies else late
        if advance_tree(rules, tree, scratch, chosen, games.states, logits, values, planes, number):
            return
        finish_move(rules, tree, scratch, chosen, games, rows, pace, number)


def finish_move(
    rules: Any, tree: Tree, scratch: Scratch, settings: Settings, games: Games, rows: Rows, pace: Pace, number: int
) -> None:
    """A search is over: keep its sample, play, and begin what comes next."""
    state = games.states[number]
    first = pace.simulations if games.fast[number] else 0
    games.simulations[number] += scratch.counters[number, 0] - first
    if not games.fast[number]:
        row = next_row(games, pace, number)
        rows.states[row], rows.seats[row] = state, seat_to_move(rules, state)
        best = choose_child_of_root(tree, scratch, settings, number)
        rows.values[row], rows.plies[row] = (
            value_after(tree, settings, root_of(tree, number), best),
            games.plies[number],
        )
        write_policy(tree, scratch, settings, number, rows.actions[row], rows.policies[row])
        rows.policy_weights[row] = 1.0
    play(rules, state, np.int64(choose_move(tree, scratch, settings, games, pace, number)))  # type: ignore[arg-type]
    games.plies[number] += 1
    pass_chance(rules, scratch, games, rows, pace, number)
    if seat_to_move(rules, state) == OVER or games.plies[number] >= pace.max_plies:
        end_game(rules, games, rows, pace, number)
        begin_game(rules, scratch, games, pace, number)
    begin_search(tree, scratch, games, pace, number)


def next_row(games: Games, pace: Pace, number: int) -> int:
    """The row of the game's next sample, which counts from now on."""
    place = games.samples[number]
    games.samples[number] = place + 1
    return first_row(pace, 2 * number + games.block[number]) + place  # type: ignore[no-any-return]


def first_row(pace: Pace, block: int) -> int:
    return np.int64(block) * pace.max_plies  # type: ignore[return-value]


def write_policy(tree: Tree, scratch: Scratch, settings: Settings, number: int, actions: Any, policy: Any) -> None:
    """The legal actions, rising, and the policy after search in their order; -1 and 0 beyond them."""
    root, order, shares = root_of(tree, number), scratch.actions[number], scratch.scores[number]
    first, count = tree.first[root], tree.num_children[root]
    root_policy(tree, settings, root, shares)
    for index in range(count):
        action, share, place = tree.action[first + index], shares[index], index
        while place > 0 and order[place - 1] > action:
            order[place], shares[place] = order[place - 1], shares[place - 1]
            place -= 1
        order[place], shares[place] = action, share
    for index in range(len(actions)):
        actions[index] = order[index] if index < count else -1
        policy[index] = shares[index] if index < count else np.float32(0.0)


def choose_move(tree: Tree, scratch: Scratch, settings: Settings, games: Games, pace: Pace, number: int) -> int:
    """Gumbel's own choice; else drawn by the policy, or at temperature 0 the most visited."""
    temperature = pace.temperature if games.plies[number] < pace.temperature_plies else pace.late_temperature
    if settings.formula == GUMBEL or temperature <= 0.0:
        return tree.action[choose_child_of_root(tree, scratch, settings, number)]  # type: ignore[no-any-return]
    root, shares = root_of(tree, number), scratch.scores[number]
    root_policy(tree, settings, root, shares)
    index = draw_share(shares, tree.num_children[root], temperature, scratch.streams[number])
    return tree.action[tree.first[root] + index]  # type: ignore[no-any-return]


def pass_chance(rules: Any, scratch: Scratch, games: Games, rows: Rows, pace: Pace, number: int) -> None:
    """Draw outcomes until a seat is to move. The position before a draw is a sample of a value, for the first seat."""
    state = games.states[number]
    while seat_to_move(rules, state) == CHANCE and games.plies[number] < pace.max_plies:
        row = next_row(games, pace, number)
        rows.states[row], rows.seats[row] = state, 0
        rows.values[row], rows.plies[row] = np.nan, games.plies[number]
        rows.policy_weights[row] = 0.0
        for index in range(rows.actions.shape[1]):
            rows.actions[row, index], rows.policies[row, index] = -1, np.float32(0.0)
        play_any(rules, scratch, games, number)


def play_any(rules: Any, scratch: Scratch, games: Games, number: int) -> None:
    """An outcome by its weight, or any legal action."""
    state, actions, rng = games.states[number], scratch.actions[number], scratch.streams[number]
    count = legal_actions(rules, state, actions)
    is_chance = seat_to_move(rules, state) == CHANCE
    index = draw_outcome(rules, state, actions, count, rng) if is_chance else random_below(rng, count)
    play(rules, state, np.int64(actions[index]))  # type: ignore[arg-type]
    games.plies[number] += 1


def end_game(rules: Any, games: Games, rows: Rows, pace: Pace, number: int) -> None:
    """Fill in what the game came to, and leave its block to be fetched.

    A game that was cut off came to nothing: its positions are worth what their searches say, and one without a search
    at its end, before a draw, is no sample.
    """
    result, block = games.result[number], games.block[number]
    for seat in range(len(result)):
        result[seat] = 0.0
    is_over = seat_to_move(rules, games.states[number]) == OVER
    if is_over:
        payoffs(rules, games.states[number], result)
    begin = first_row(pace, 2 * number + block)
    while not is_over and games.samples[number] > 0 and math.isnan(rows.values[begin + games.samples[number] - 1]):
        games.samples[number] -= 1
    fill_rows(games, rows, begin, is_over, number)
    count_game(games, is_over, number)
    games.waiting[number, block] = games.samples[number]
    games.block[number] = 1 - block


def fill_rows(games: Games, rows: Rows, begin: int, is_over: bool, number: int) -> None:
    """The payoffs of a game's samples, from the last to the first, and the values of those without a search."""
    last = begin + games.samples[number] - 1
    for row in range(last, begin - 1, -1):
        payoff = games.result[number, rows.seats[row]]
        if math.isnan(rows.values[row]):  # before a draw
            turn = 1.0 if row == last or rows.seats[row] == rows.seats[row + 1] else -1.0
            rows.values[row] = payoff if row == last else turn * rows.values[row + 1]
        rows.payoffs[row] = payoff if is_over else rows.values[row]
        rows.lengths[row] = games.plies[number]


def count_game(games: Games, is_over: bool, number: int) -> None:
    """One more is finished."""
    result, is_draw = games.result[number], is_over and len(games.result[number]) > 1
    for seat in range(len(result)):
        is_draw = is_draw and result[seat] == 0.0
    games.finished[number] += 1
    games.moves[number] += games.plies[number]
    games.first_payoff[number] += result[0]
    games.draws[number] += 1 if is_draw else 0
    games.cut_off[number] += 0 if is_over else 1


def begin_game(rules: Any, scratch: Scratch, games: Games, pace: Pace, number: int) -> None:
    """The next start, and some random moves from it, which must leave something to play."""
    start = (number + games.finished[number] * len(games.plies)) % len(games.starts)
    opening = random_below(scratch.streams[number], pace.opening_plies + 1) if pace.opening_plies > 0 else 0
    games.samples[number] = 0
    while True:
        games.states[number], games.plies[number] = games.starts[start], 0
        while is_opening(rules, games, pace, number, opening):
            play_any(rules, scratch, games, number)
        if seat_to_move(rules, games.states[number]) != OVER and games.plies[number] < pace.max_plies:
            return
        opening = 0


def is_opening(rules: Any, games: Games, pace: Pace, number: int, opening: int) -> bool:
    """Whether the next move is one that nobody chooses, before the game's first search."""
    seat = seat_to_move(rules, games.states[number])
    goes_on = seat == CHANCE or (seat != OVER and games.plies[number] < opening)
    return goes_on and games.plies[number] < pace.max_plies


def begin_search(tree: Tree, scratch: Scratch, games: Games, pace: Pace, number: int) -> None:
    """Simulations are counted from where the plan for this kind of search begins."""
    fast = pace.fast_share > 0.0 and random_unit(scratch.streams[number]) < pace.fast_share
    first = pace.simulations if fast else 0
    games.fast[number] = 1 if fast else 0
    begin_tree(tree, scratch, number, first, first + (pace.fast_simulations if fast else pace.simulations))


def fetch_row(waiting: Any, places: Any, rows: Rows, fetched: Rows, pace: Pace, index: int) -> None:
    """Copy row `index` to its place among those that are fetched, if it is a sample of a finished game that has one."""
    block, place = index // pace.max_plies, index % pace.max_plies
    if places[block] < 0 or place >= waiting[block // 2, block % 2]:
        return
    row = places[block] + place
    fetched.states[row] = rows.states[index]
    fetched.policy_weights[row], fetched.payoffs[row] = rows.policy_weights[index], rows.payoffs[index]
    fetched.values[row], fetched.plies[row] = rows.values[index], rows.plies[index]
    fetched.lengths[row], fetched.seats[row] = rows.lengths[index], rows.seats[index]
    for column in range(rows.actions.shape[1]):
        fetched.actions[row, column] = rows.actions[index, column]
        fetched.policies[row, column] = rows.policies[index, column]
