"""Expectations: values of positions before a draw, the mean over draws of the best move's value
instead of one draw's.

Learning by temporal differences over afterstates (Sutton 1988; Szubert and Jaskowski 2014), with
exact expectations: a target has neither the noise of the actual draw nor that of the game's end.
The rest of the game shows how far the network's values were off; a share of that error,
`value_trace`, is propagated back (TD(lambda)).
"""

import numpy as np

from anyzero.core.base.nouns import Actions, Numbers, Rules, States, Streams
from anyzero.core.compile.random import numbered_streams
from anyzero.core.game.contract import CHANCE, draw_outcome, legal_actions, play, seat_to_move
from anyzero.core.game.game import Game
from anyzero.core.learning.config import SelfPlayConfig
from anyzero.core.learning.samples import Samples, take
from anyzero.core.search.expectimax import Expectimax
from anyzero.core.search.methods import Evaluator

INLINED = True  # these functions are compiled into their callers: see compile.kernels

CLOSE = 1e-3  # on a GPU, values of one position may differ by this much between batches


def expect(
    game: Game,
    samples: Samples,
    evaluator: Evaluator,
    config: SelfPlayConfig,
    *,
    seed: int = 0,
    threads: int = 1,
) -> Samples:
    """Samples of whole games, in order, with expected values before draws, reduced to those that
    expectimax evaluates.

    These are positions after a move: afterstates, and positions in which a seat moves right after
    another move.
    """
    seats = np.zeros(samples.num, np.int64)
    game.compile(list_seats)(game.rules, samples.states, seats)
    expectimax = Expectimax(game, evaluator, threads=threads)
    rows = np.flatnonzero(seats == CHANCE)
    now = np.zeros(samples.num)
    ahead = np.zeros(samples.num)
    now[rows] = expectimax.values(samples.states[rows], 0)[:, 0]
    if (
        config.draws
    ):  # the best move's value after this many sampled outcomes, instead of all of them by weight
        drawn = np.repeat(samples.states[rows], config.draws)
        streams = numbered_streams(seed, np.arange(len(drawn)))
        game.compile(draw_outcomes)(game.rules, drawn, game.new_actions(), streams)
        ahead[rows] = expectimax.values(drawn, 1)[:, 0].reshape(-1, config.draws).mean(axis=1)
    else:
        ahead[rows] = expectimax.values(samples.states[rows], 1)[:, 0]
    values = samples.values.astype(np.float64)
    follows = goes_on(samples)
    game.compile(trace_back)(seats, follows, values, now, ahead, config.value_trace)
    samples = samples._replace(values=values.astype(np.float32))
    is_behind_draw = np.append(False, ((seats == CHANCE) & follows)[:-1])
    return take(samples, (seats == CHANCE) | ~is_behind_draw & (samples.plies > 0))


def goes_on(samples: Samples) -> np.ndarray:
    """Whether the next row is of the same game, [samples] bool: every ply after the opening has a
    row.
    """
    return np.append((np.diff(samples.plies) == 1) & (np.diff(samples.lengths) == 0), False)


def list_seats(rules: Rules, states: States, seats: Numbers) -> None:
    for row in range(len(states)):
        seats[row] = seat_to_move(rules, states[row])


def draw_outcomes(rules: Rules, states: States, actions: Actions, streams: Streams) -> None:
    for row in range(len(states)):
        count = legal_actions(rules, states[row], actions)
        index = draw_outcome(rules, states[row], actions, count, streams[row])
        play(rules, states[row], np.int64(actions[index]))  # type: ignore[arg-type]


def trace_back(
    seats: Numbers, follows: Numbers, values: Numbers, now: Numbers, ahead: Numbers, trace: float
) -> None:
    """Write the values before draws, from the last position of each game to the first.

    The value is the network's expectation plus a share of the next one's surprise: by how much its
    value, already written, differs from the network's. If a move other than the best was played,
    there is no share, since what follows that move says nothing about the best.
    """
    surprise = 0.0
    for row in range(len(seats) - 1, -1, -1):
        if not follows[row]:
            surprise = 0.0
        if seats[row] == CHANCE:
            values[row] = ahead[row] + trace * surprise
            surprise = values[row] - now[row]
        elif follows[row] and seats[row + 1] == CHANCE:
            gained = now[row + 1] if seats[row] == 0 else -now[row + 1]
            if gained < values[row] - CLOSE:
                surprise = 0.0
