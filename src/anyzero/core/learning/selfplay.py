"""Self-play: pairings, and one block of games after another."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Actions, NamedValues, Numbers, Rules, States, Streams, Values
from anyzero.core.base.seeds import draw_seed
from anyzero.core.compile.random import numbered_streams
from anyzero.core.game.contract import CHANCE, draw_outcome, legal_actions, play, seat_to_move
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import cut
from anyzero.core.learning.block import Block, BlockResult, Watch
from anyzero.core.learning.config import RANDOM, RunConfig, SelfPlayConfig
from anyzero.core.learning.contestants import Contestant, anchor_contestant, network_contestant
from anyzero.core.learning.games import NEVER, Manner, Pairings
from anyzero.core.learning.samples import Samples, take
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.weights import StoredNetwork
from anyzero.core.search.expectimax import Expectimax
from anyzero.core.search.methods import Evaluator

INLINED = True  # these functions are compiled into their callers: see compile.kernels

# the order of contestants in self-play
CHAMPION = 0
PREVIOUS = 1
RECENT = 2


def block_spans(games: int, at_once: int) -> list[tuple[int, int]]:
    """A generation's games in blocks of similar size, none larger than `at_once`: first and end of
    each.
    """
    return cut(games, -(-games // at_once))


def manner_of(config: SelfPlayConfig) -> Manner:
    """How self-play chooses moves: PUCT samples by visits, expectimax by values, Gumbel by the
    noise at its root.
    """
    draws = config.method != "gumbel"
    return Manner(
        temperature=config.temperature if draws else 0.0,
        temperature_plies=config.temperature_plies,
        late_temperature=config.late_temperature if draws else 0.0,
        most_opening=config.opening_plies,
        resign_checked=config.resign_checked,
        max_plies=config.max_plies,
        keep_samples=1,
        trace=0.0
        if config.method == "expectimax"
        else config.value_trace,  # expectimax has its own trace
        reuse=int(config.reuse),
    )


class Order(NamedTuple):
    """The inputs of a generation's games."""

    config: RunConfig
    generation: int
    networks: Sequence[
        tuple[str, Callable[[], StoredNetwork]]
    ] = ()  # the contestants by name, with their readers
    shares: Sequence[float] = (1.0, 0.0, 0.0)  # as returned by `pairing_shares`
    resign_below: float = NEVER

    @property
    def keys(self) -> bool:
        """Whether samples get keys: beside a GPU there is no time for them, unless samples are
        merged.
        """
        return self.config.device == "cpu" or self.config.replay.merge


class Engine:
    """Plays the games of a run in this process: on the CPU, or continuously on its GPU."""

    def __init__(
        self, game: Game, config: RunConfig, *, threads: int, on_gpu: bool, seed: int
    ) -> None:
        from anyzero.core.learning.on_gpu import RunGames

        self.game = game
        self.threads = threads
        self.on_gpu = RunGames(game, config, seed) if on_gpu else None
        self.evaluators: dict[Any, NetworkEvaluator] = {}

    def play(self, order: Order, first: int, num: int, watch: Watch | None = None) -> BlockResult:
        """Games `first` to `first + num - 1`; on a GPU the next ones to finish, perhaps a few
        more.
        """
        if self.on_gpu is not None:
            return self.on_gpu.play(order, num, watch)
        known = self.evaluators
        config = order.config.selfplay
        self.evaluators = {
            read: known.get(read) or NetworkEvaluator(self.game, read(), threads=self.threads)
            for _, read in order.networks
        }
        players = [
            network_contestant(self.game, name, self.evaluators[read], config, noise=True)
            for name, read in order.networks
        ]
        return play_block(self.game, players, order, first, num, watch)


def play_block(
    game: Game,
    contestants: Sequence[Contestant],
    order: Order,
    first: int,
    num: int,
    watch: Watch | None = None,
) -> BlockResult:
    """Games `first` to `first + num - 1` of a generation between these contestants."""
    config = order.config.selfplay
    seed = draw_seed("selfplay", order.config.seed, order.generation)
    pairings = make_pairings(game, order.shares, two_champions=config.two_champions)
    more: Any = {"resign_below": order.resign_below, "starts": start_states(game, config.starts)}
    block = Block(
        game, contestants, pairings, manner_of(config), games=num, first=first, seed=seed, **more
    )
    return block.play(watch, keys=order.keys)


def play_random(
    game: Game, num: int, *, seed: int, max_plies: int = 0, target: str = "cpu"
) -> BlockResult:
    """Games of random moves, recorded like self-play games."""
    manner = Manner(keep_samples=1, max_plies=max_plies)
    pairings = Pairings(np.zeros((1, game.num_seats), np.int64), np.ones(1))
    anyone = [anchor_contestant(game, RANDOM)]
    return Block(game, anyone, pairings, manner, games=num, seed=seed, target=target).play()


def start_states(game: Game, texts: Sequence[str]) -> Any:
    if not texts:
        return None
    states = game.new_states(len(texts))
    for index, text in enumerate(texts):
        states[index] = game.parse_state(text)
        if game.is_over(states[index]):
            raise BadOptionError(f"selfplay.starts: {text!r} is a position where the game is over")
    return states


def make_pairings(game: Game, shares: Sequence[float], *, two_champions: bool) -> Pairings:
    """Champion against itself, against the previous one, and either against a recent one; each with
    both seats.
    """
    champions = [CHAMPION, PREVIOUS] if two_champions else [CHAMPION]
    meetings = [((CHAMPION, CHAMPION), shares[0]), ((CHAMPION, PREVIOUS), shares[1])]
    meetings += [((one, RECENT), shares[2] / len(champions)) for one in champions]
    sides = []
    each = []
    for pair, share in meetings:
        for shift in range(len(set(pair))) if share > 0.0 else ():
            sides.append([pair[(seat + shift) % 2] for seat in range(game.num_seats)])
            each.append(share / len(set(pair)))
    return Pairings(np.array(sides), np.array(each) / sum(each))


def pairing_shares(config: SelfPlayConfig, score: float | None) -> list[float]:
    """Shares of champion-champion, champion-previous, and games with a recent generation.

    The lower the champion's score against the previous one, the more often they meet (CGZero's
    rule): at 50 % as often as the champion meets itself, at 100 % never.
    """
    rest = 1.0 - config.recent_share
    previous = (
        rest * min(0.5, 1.0 - (0.5 if score is None else score)) if config.two_champions else 0.0
    )
    return [rest - previous, previous, config.recent_share]


def lowered_bar(config: SelfPlayConfig, checks: Sequence[tuple[float, bool]], bar: float) -> float:
    """The highest threshold, at most the configured one, at which resigning is wrong as rarely as
    configured.

    `checks` come from games played on; with fewer than 20 of them the threshold stays.
    """
    if config.resign_below <= -1.0 or len(checks) < 20:
        return bar
    for wanted in np.linspace(config.resign_below, -1.0, 41):
        wrong = [saved for lowest, saved in checks if lowest < wanted]
        if not wrong or sum(wrong) <= config.resign_errors * len(wrong):
            return float(max(wanted, -0.999))
    return -0.999


def describe_block(block: BlockResult) -> Values:
    # the champion's score in games against the previous one: 1, 1/2 or 0
    lines = block.games
    points = []
    for sides, payoffs in zip(block.sides.tolist(), block.payoffs, strict=True):
        if set(sides) == {CHAMPION, PREVIOUS}:
            points.append(float(payoffs[sides.index(CHAMPION)] + 1.0) / 2.0)
    return {
        "games": len(lines),
        "samples": block.samples.num,
        "simulations": block.simulations,
        "plies": sum(len(line.actions) for line in lines),
        "draws": sum(
            len(line.payoffs) > 1 and not any(line.payoffs) and line.end != "plies"
            for line in lines
        ),
        "first_seat_payoff": float(block.payoffs[:, 0].sum()),
        "resigned": sum(line.end == "resign" for line in lines),
        "cut_off": sum(line.end == "plies" for line in lines),
        "distinct_games": len({(line.start, *line.actions) for line in lines}),
        "previous_games": len(points),
        "previous_points": float(sum(points)),
        "mean_score": None if block.scores is None else float(block.scores.mean()),
        "resign_checks": block.resign_checks,
    }


def summary(blocks: Sequence[NamedValues]) -> Values:
    kept_apart = ("mean_score", "resign_checks", "busy_seconds")
    total = {
        name: sum(block[name] for block in blocks) for name in blocks[0] if name not in kept_apart
    }
    games = total["games"]
    known = [block for block in blocks if block["mean_score"] is not None]
    previous = total.pop("previous_games")
    points = total.pop("previous_points")
    busy = sum(block.get("busy_seconds", block["seconds"]) for block in blocks)
    return {
        **total,
        "simulations_per_second": total["simulations"] / max(busy, 1e-9),
        "mean_length": total.pop("plies") / games,
        "draws": total["draws"] / games,
        "first_seat_payoff": total["first_seat_payoff"] / games,
        "mean_score": sum(block["mean_score"] * block["games"] for block in known) / games
        if known
        else None,
        "against_previous": {"games": previous, "score": points / previous if previous else None},
        "resign_checks": [check for block in blocks for check in block["resign_checks"]],
    }


# --- values of positions before a draw: the mean over draws of the best move's value, instead of
# one draw's
#
# Learning by temporal differences over afterstates (Sutton 1988; Szubert and Jaskowski 2014), with
# exact expectations: a target has neither the noise of the actual draw nor that of the game's end.
# The rest of the game shows how far the network's values were off; a share of that error,
# `value_trace`, is propagated back (TD(lambda)).


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
    own = np.zeros(samples.num)
    ahead = np.zeros(samples.num)
    own[rows] = expectimax.values(samples.states[rows], 0)[:, 0]
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
    game.compile(trace_back)(seats, follows, values, own, ahead, config.value_trace)
    samples.values[:] = values
    is_behind_draw = np.append(False, ((seats == CHANCE) & follows)[:-1])
    return take(samples, (seats == CHANCE) | ~is_behind_draw & (samples.plies > 0))


def goes_on(samples: Samples) -> np.ndarray:
    """Whether the next row is of the same game, [samples] bool: every ply after the opening has a
    row.
    """
    return np.append((np.diff(samples.plies) == 1) & (np.diff(samples.lengths) == 0), False)


def list_seats(rules: Rules, states: States, seats: Any) -> None:
    for row in range(len(states)):
        seats[row] = seat_to_move(rules, states[row])


def draw_outcomes(rules: Rules, states: States, actions: Actions, streams: Streams) -> None:
    for row in range(len(states)):
        count = legal_actions(rules, states[row], actions)
        index = draw_outcome(rules, states[row], actions, count, streams[row])
        play(rules, states[row], np.int64(actions[index]))  # type: ignore[arg-type]


def trace_back(
    seats: Any, follows: Any, values: Numbers, own: Any, ahead: Any, trace: float
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
            surprise = values[row] - own[row]
        elif follows[row] and seats[row + 1] == CHANCE:
            gained = own[row + 1] if seats[row] == 0 else -own[row + 1]
            if gained < values[row] - CLOSE:
                surprise = 0.0
