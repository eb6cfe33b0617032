"""What positions before a draw are worth: the mean over the draws of the best move's value, instead of one draw's.

Learning by temporal differences over afterstates (Sutton 1988; Szubert and Jaskowski 2014), with exact expectations: a
target has neither the noise of the draw that came nor that of the game's end. What comes later in the game tells how
far the network's values were off; a share of that, `value_trace`, goes back (TD(lambda)).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anyzero.compile.random import numbered_streams
from anyzero.games.contract import CHANCE, draw_outcome, legal_actions, play, seat_to_move
from anyzero.games.game import Game
from anyzero.learning.config import RunConfig, SelfPlayConfig
from anyzero.learning.samples import Samples, take
from anyzero.networks.evaluator import NetworkEvaluator
from anyzero.search.expectimax import Expectimax
from anyzero.search.methods import Evaluator
from anyzero.seeds import draw_seed

if TYPE_CHECKING:
    from anyzero.networks.models import Network

CLOSE = 1e-3
"""Values of one position may differ by so much from batch to batch, on a GPU."""


def run_evaluator(game: Game, config: RunConfig, network: "Network") -> NetworkEvaluator:
    """A network that answers wherever the run computes."""
    options = {"device": config.device, "precision": config.precision, "threads": config.threads, "compiled": False}
    return NetworkEvaluator(game, network, **options)  # type: ignore[arg-type]


class Expectations:
    """What the positions of a run are worth by its champion, one block of games after the other."""

    def __init__(self, game: Game, config: RunConfig) -> None:
        self.game, self.config = game, config
        self.champion = -1
        self.evaluator: NetworkEvaluator | None = None

    def of(self, samples: Samples, champion: int, block: int, network: Callable[[int], "Network"]) -> Samples:
        """A block's samples, with expectations if expectimax is the search; `network` finds that of a generation."""
        config = self.config
        if config.selfplay.method != "expectimax":
            return samples
        if self.evaluator is None or champion != self.champion:
            self.champion, self.evaluator = champion, self.asked(network(champion))
        seed = draw_seed("draws", config.seed, champion, block)
        threads = config.threads if config.device == "cuda" else 1  # on the CPU the network has them
        return expect(self.game, samples, self.evaluator, config.selfplay, seed=seed, threads=threads)

    def asked(self, network: "Network") -> NetworkEvaluator:
        """On a GPU the same evaluator with other weights: what is captured there stays."""
        if self.evaluator is None or self.config.device == "cpu":
            return run_evaluator(self.game, self.config, network)
        self.evaluator.forward.load(network)
        return self.evaluator


def expect(
    game: Game, samples: Samples, evaluator: Evaluator, config: SelfPlayConfig, *, seed: int = 0, threads: int = 1
) -> Samples:
    """Samples of whole games, in order, with expected values before draws, and only those that expectimax asks about.

    These are positions behind a move: afterstates, and positions in which a seat moves right after another move.
    """
    seats = np.zeros(samples.num, np.int64)
    game.compile(list_seats)(game.rules, samples.states, seats)
    expectimax, rows = Expectimax(game, evaluator, threads=threads), np.flatnonzero(seats == CHANCE)
    own, ahead = np.zeros(samples.num), np.zeros(samples.num)
    own[rows] = expectimax.values(samples.states[rows], 0)[:, 0]
    ahead[rows] = expected_values(game, expectimax, samples.states[rows], config.draws, seed)
    values = samples.values.astype(np.float64)
    game.compile(trace_back)(seats, samples.plies, values, own, ahead, config.value_trace)
    samples.values[:] = values
    is_behind_draw = np.append(False, (seats[:-1] == CHANCE) & (samples.plies[1:] > samples.plies[:-1]))
    return take(samples, (seats == CHANCE) | ~is_behind_draw & (samples.plies > 0))


def expected_values(game: Game, expectimax: Expectimax, states: Any, draws: int, seed: int) -> np.ndarray:
    """The first seat's values before a draw, with the best move behind it: over all outcomes, or so many drawn ones."""
    if draws == 0:
        return expectimax.values(states, 1)[:, 0]
    drawn, actions = np.repeat(states, draws), game.new_actions()
    game.compile(draw_outcomes)(game.rules, drawn, actions, numbered_streams(seed, np.arange(len(drawn))))
    return np.asarray(expectimax.values(drawn, 1)[:, 0].reshape(-1, draws).mean(axis=1))


# --- kernels


def list_seats(rules: Any, states: Any, seats: Any) -> None:
    for row in range(len(states)):
        seats[row] = seat_to_move(rules, states[row])


def draw_outcomes(rules: Any, states: Any, actions: Any, streams: Any) -> None:
    """Play an outcome, by its weight, in each of these positions."""
    for row in range(len(states)):
        count = legal_actions(rules, states[row], actions)
        index = draw_outcome(rules, states[row], actions, count, streams[row])
        play(rules, states[row], np.int64(actions[index]))  # type: ignore[arg-type]


def trace_back(seats: Any, plies: Any, values: Any, own: Any, ahead: Any, trace: float) -> None:
    """Write the values before draws, from the last position of each game to the first.

    The value is the expectation by the network, and a share of the next one's surprise: by how much its value, written
    before, differs from what the network said. Where a worse move than the best was played there is no share, since
    what came of that move says nothing about the best.
    """
    surprise = 0.0
    for row in range(len(seats) - 1, -1, -1):
        is_last = row == len(seats) - 1 or plies[row + 1] <= plies[row]
        if is_last:
            surprise = 0.0
        if seats[row] == CHANCE:
            values[row] = ahead[row] + trace * surprise
            surprise = values[row] - own[row]
        elif not is_last and seats[row + 1] == CHANCE:
            gained = own[row + 1] if seats[row] == 0 else -own[row + 1]
            if gained < values[row] - CLOSE:
                surprise = 0.0
