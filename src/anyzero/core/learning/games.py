"""The games of a block as columns, and their records; one slot per game, and nothing shared between
slots.

While the samples of a finished game wait to be fetched, the next game may fill the slot's other
page of rows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.nouns import Numbers, Rules
from anyzero.core.base.seeds import draw_seed
from anyzero.core.compile.random import STREAM
from anyzero.core.game.contract import legal_actions, payoffs, score, seat_to_move
from anyzero.core.game.game import Game
from anyzero.core.game.play import Reason
from anyzero.core.learning.samples import Rows
from anyzero.core.search.methods import Settings
from anyzero.core.search.priors import LEAST_PRIOR
from anyzero.core.search.report import root_policy
from anyzero.core.search.tree import Scratch, Tree, root_of

INLINED = True  # these functions are compiled into their callers: see compile.kernels

BEGINNING = 0
MOVING = 1
SEARCHING = 2
ENDING = 3
IDLE = 4
"""A slot's next step: start a game, examine a new position, continue a search, end a game, or
nothing (idle).
"""
BY_RULES = 0
RESIGNED = 1
CUT_OFF = 2
REASONS = (Reason.RULES, Reason.RESIGNATION, Reason.CUT_OFF)  # how a game ends, by these codes
REASON_WORDS = {Reason.RULES: "rules", Reason.RESIGNATION: "resign", Reason.CUT_OFF: "plies"}
"""How the games of a run say it in their files."""
REASON_OF = {word: reason for reason, word in REASON_WORDS.items()}
MOST_OPENING_PLIES = 4
NEVER = -1.0  # the threshold below which no seat resigns
ENDLESS = 1 << 62


class Manner(NamedTuple):
    """How the games of a block are played, as plain numbers that a kernel reads."""

    simulations: int = 1  # per move of the contestants that share this search
    temperature: float = 0.0
    temperature_plies: int = 0
    late_temperature: float = 0.0  # after those plies
    least_opening: int = 0
    most_opening: int = 0  # maximum random moves at the start
    resign_checked: float = (
        0.0  # share of games without resignation, to measure how often it would have been wrong
    )
    max_plies: int = 0
    keep_samples: int = 0
    trace: float = 0.0  # how much of a sample's value comes from the next sample
    reuse: int = 0  # whether the next search starts from the subtree of the move played
    search: int = 0  # the search that these numbers belong to
    last: int = ENDLESS  # games in total
    legs: int = 1
    """Consecutive games that share a random stream and thus an opening; each has the next entry of
    the pairings.
    """
    pages: int = 1  # games whose samples fit in a slot


class Pairings(NamedTuple):
    sides: np.ndarray  # [pairings, seats]: the contestant in each seat
    shares: np.ndarray
    """[pairings]: share of games with each; zeros: pairings take turns, game by game, with one
    opening.
    """

    @property
    def legs(self) -> int:
        return 1 if self.shares.any() else len(self.sides)


class Games(NamedTuple):
    """The games in progress, one per slot, and the results of those waiting to be fetched, `pages`
    per slot.
    """

    states: Any  # [slots]: the position being searched
    # [slots]: the game's random stream: openings, chance, sampled moves. Each search has its own
    streams: Any
    starts: Any  # [starts]: starting positions, used in turn
    seeds: np.ndarray  # [2]: for the streams of games and of searches
    bar: np.ndarray  # [1]: a seat whose values are below it resigns
    sides: np.ndarray  # [pairings, seats]: the contestant in each seat
    shares: (
        np.ndarray
    )  # [pairings]: cumulative share of games with each pairing; all zero: each in turn
    search_of: np.ndarray  # [contestants]: the search of each
    phase: np.ndarray
    game: (
        np.ndarray
    )  # [slots]: its number; the slot's next game has this number plus the number of slots
    pairing: np.ndarray
    contestant: np.ndarray  # [slots]: the one to move
    search: np.ndarray  # [slots]: the search of the contestant to move
    node: np.ndarray  # [slots]: the position's node in the last search's tree, -1: none
    plies: np.ndarray
    samples: np.ndarray  # [slots]: of the game so far
    page: np.ndarray  # [slots]: the page that the game fills
    opening: np.ndarray  # [slots]: random moves at the game's start
    reason: np.ndarray  # [slots]: why the game ends
    checked: np.ndarray  # [slots]: whether resignation is off in this game
    before: np.ndarray  # [slots, seats]: the value of each seat's last search
    surprise: (
        np.ndarray
    )  # [slots]: divergence of the policy after the last search from its priors, in nats
    legal: np.ndarray  # [slots, max_legal]: scratch for a list of actions
    simulations: np.ndarray  # [slots]: of all finished searches
    finished: np.ndarray  # [slots]: finished games
    # [pages]: whether a finished game waits to be fetched; until then nothing may be written there
    ready: np.ndarray
    end_game: np.ndarray  # [pages]: its number
    end_pairing: np.ndarray
    end_samples: np.ndarray
    end_plies: np.ndarray
    end_reason: np.ndarray
    end_checked: np.ndarray
    end_score: np.ndarray  # [pages]: the first seat's points
    payoffs: np.ndarray  # [pages, seats]
    lowest: np.ndarray  # [pages, seats]: with any threshold above this the seat would have resigned
    moves: np.ndarray  # [pages, plies]


def default_openings(game: Game) -> int:
    """A twelfth of the longest game, from 1 to 4 plies; none if chance already varies the games of
    one seat.
    """
    return 0 if game.num_seats == 1 else max(1, min(MOST_OPENING_PLIES, game.max_plies // 12))


class Slots(NamedTuple):
    """Everything that the games of one search use; nothing is shared between slots."""

    tree: Tree
    spare: Tree  # scratch for moving reused trees
    scratch: Scratch
    games: Games
    rows: Rows  # `max_plies` per page
    manner: Manner


def new_games(
    game: Game,
    slots: int,
    manner: Manner,
    pairings: Pairings,
    *,
    search_of: np.ndarray,
    starts: Numbers,
    seed: int,
) -> Games:
    """All slots at `BEGINNING`; without starts, games begin at the game's initial position."""
    pages = slots * manner.pages
    seats = game.num_seats
    return Games(
        states=game.new_states(slots),
        streams=np.zeros(slots, STREAM),
        starts=np.array([game.initial_state()], game.state_dtype) if starts is None else starts,
        seeds=np.array([draw_seed(name, seed) % 2**64 for name in ("game", "search")], np.uint64),
        bar=np.full(1, NEVER),
        sides=np.ascontiguousarray(pairings.sides, np.int32),
        shares=np.cumsum(pairings.shares, dtype=np.float64),
        search_of=search_of.astype(np.int32),
        game=np.arange(-slots, 0),
        ready=np.zeros(pages, np.int8),
        end_game=np.zeros(pages, np.int64),
        end_score=np.zeros(pages),
        moves=np.zeros((pages, manner.max_plies), np.int32),
        before=np.zeros((slots, seats)),
        surprise=np.zeros(slots, np.float32),
        legal=np.zeros((slots, game.max_legal), np.int32),
        **{name: np.zeros(slots, np.int64) for name in ("simulations", "finished")},
        **{
            name: np.zeros(slots, np.int32)
            for name in ("pairing", "contestant", "search", "node", "plies")
        },
        **{name: np.zeros(slots, np.int32) for name in ("opening", "samples", "page")},
        **{name: np.zeros(slots, np.int8) for name in ("phase", "checked", "reason")},
        **{name: np.zeros((pages, seats)) for name in ("payoffs", "lowest")},
        **{
            f"end_{name}": np.zeros(pages, np.int32)
            for name in ("pairing", "samples", "plies", "reason", "checked")
        },
    )


def page_of(slots: Slots, number: int) -> int:
    return slots.manner.pages * np.int64(number) + slots.games.page[number]  # type: ignore[no-any-return]


def keep_sample(rules: Rules, slots: Slots, value: float, count: int, number: int) -> None:
    """Store a searched position as a sample; scratch holds its policy, as left by `list_policy`.

    Without a policy, it is a position before a draw: its value is filled in when the game ends.
    """
    games = slots.games
    rows = slots.rows
    state = slots.games.states[number]
    row = page_of(slots, number) * slots.manner.max_plies + games.samples[number]
    games.samples[number] += 1
    rows.states[row] = state
    rows.plies[row] = games.plies[number]
    rows.values[row] = value
    rows.seats[row] = max(
        seat_to_move(rules, state), 0
    )  # a value before a draw is the first seat's
    rows.policy_weights[row] = 1.0 if count > 0 else 0.0
    rows.surprises[row] = games.surprise[number] if count > 0 else np.float32(0.0)
    order = slots.scratch.actions[number]
    shares = slots.scratch.scores[number]
    for index in range(rows.actions.shape[1]):
        rows.actions[row, index] = order[index] if index < count else -1
        rows.policies[row, index] = shares[index] if index < count else np.float32(0.0)


def list_policy(rules: Rules, slots: Slots, settings: Settings, number: int) -> int:
    """The legal actions, ascending, and the policy after search in that order, in scratch; uniform
    without a search.
    """
    tree = slots.tree
    games = slots.games
    order = slots.scratch.actions[number]
    shares = slots.scratch.scores[number]
    root = root_of(tree, number)
    first = tree.first[root]
    count = tree.num_children[root]
    if count == 0:
        count = legal_actions(rules, games.states[number], order)
        for index in range(count):
            shares[index] = 1.0 / count
    else:
        root_policy(tree, settings, root, shares)
        games.surprise[number] = surprise_of(shares, tree.prior[first : first + count])
        for index in range(count):
            order[index] = tree.action[first + index]
    for end in range(1, count):
        action = order[end]
        share = shares[end]
        place = end
        while place > 0 and order[place - 1] > action:
            order[place] = order[place - 1]
            shares[place] = shares[place - 1]
            place -= 1
        order[place] = action
        shares[place] = share
    return count  # type: ignore[no-any-return]


def surprise_of(policy: Numbers, priors: Numbers) -> float:
    """KL(policy after search || priors), in nats."""
    divergence = 0.0
    for index in range(len(priors)):
        if policy[index] > 0.0:
            divergence += policy[index] * math.log(policy[index] / max(priors[index], LEAST_PRIOR))
    return divergence


def end_game(rules: Rules, slots: Slots, number: int) -> None:
    """Record the game's result and leave its page to be fetched; a truncated game has no result."""
    games = slots.games
    page = page_of(slots, number)
    state = games.states[number]
    reason = games.reason[number]
    if reason == BY_RULES:
        payoffs(rules, state, games.payoffs[page])
    else:
        for seat in range(games.payoffs.shape[1]):
            resigned = -1.0 if seat == seat_to_move(rules, state) else 1.0
            games.payoffs[page, seat] = resigned if reason == RESIGNED else 0.0
    if slots.manner.keep_samples:
        fill_rows(slots, reason, number)
    games.end_game[page], games.end_pairing[page] = games.game[number], games.pairing[number]
    games.end_samples[page], games.end_plies[page] = games.samples[number], games.plies[number]
    games.end_reason[page], games.end_checked[page] = reason, games.checked[number]
    games.end_score[page] = score(rules, state, 0)
    games.ready[page] = 1
    games.finished[number] += 1
    games.page[number] = (games.page[number] + 1) % slots.manner.pages
    games.phase[number] = BEGINNING


def fill_rows(slots: Slots, reason: int, number: int) -> None:
    """Fill in a game's samples from last to first: payoffs, traced values, and values of positions
    without a search.

    Positions of a truncated game have the values of their searches; the last one has no value if it
    is before a draw, and is no sample. Elsewhere a value before a draw is that of the next
    position, at the end the payoff. Where one value does not determine those of the other seats,
    the game's end takes the place of the next position.
    """
    games = slots.games
    rows = slots.rows
    manner = slots.manner
    page = page_of(slots, number)
    begin = page * manner.max_plies
    last = begin + games.samples[number] - 1
    while reason == CUT_OFF and last >= begin and rows.policy_weights[last] == 0.0:
        last -= 1
    games.samples[number] = last + 1 - begin
    for row in range(last, begin - 1, -1):
        payoff = games.payoffs[page, rows.seats[row]]
        after = payoff
        if row < last and rows.others.shape[1] == 0:
            after = (
                rows.values[row + 1]
                if rows.seats[row] == rows.seats[row + 1]
                else -rows.values[row + 1]
            )
        elif row == last and reason == CUT_OFF:
            after = rows.values[row]
        if rows.policy_weights[row] == 0.0:
            rows.values[row] = after
        elif manner.trace > 0.0:
            rows.values[row] += manner.trace * (after - rows.values[row])
        rows.payoffs[row] = rows.values[row] if reason == CUT_OFF else payoff
        rows.lengths[row] = games.plies[number]
        for step in range(rows.others.shape[1]):
            rows.others[row, step] = games.payoffs[
                page, (rows.seats[row] + step + 1) % games.payoffs.shape[1]
            ]
