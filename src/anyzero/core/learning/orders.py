"""The order of a generation's games: how many and from where, who meets whom how often, and when a
seat resigns.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import States
from anyzero.core.base.seeds import draw_seed
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import cut
from anyzero.core.learning.block import BlockResult
from anyzero.core.learning.config import RunConfig, SelfPlayConfig
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.games import NEVER, Manner, Pairings
from anyzero.core.learning.manifest import Generation
from anyzero.core.nets.weights import StoredNetwork

# the order of contestants in self-play
CHAMPION = 0
PREVIOUS = 1
RECENT = 2


Reader = Callable[[], StoredNetwork]  # reads a network where its games are played


class Order(NamedTuple):
    """The inputs of a generation's games."""

    config: RunConfig
    generation: int
    networks: Sequence[tuple[str, Reader]] = ()  # the contestants by name, with their readers
    shares: Sequence[float] = (1.0, 0.0, 0.0)  # as returned by `pairing_shares`
    resign_below: float = NEVER

    @property
    def keys(self) -> bool:
        """Whether samples get keys: beside a GPU there is no time for them, unless samples are
        merged.
        """
        return self.config.device == "cpu" or self.config.replay.merge


def make_order(
    folder: RunFolder, number: int, by: Generation, reader: Callable[[Path], Reader]
) -> Order:
    """The games of generation `number`, played by the champion as of `by`; `reader` makes what
    reads a network.
    """
    players = opponents(folder, by)
    networks = [(str(player), reader(folder.network(player))) for player in players]
    return Order(folder.config, number, networks, shares_of(folder, by), resign_bar(folder, by))


Keep = Callable[[int, BlockResult, float], None]
"""Called with each complete block: its number, its games, and the seconds since the last one."""


class Elsewhere(Protocol):
    """What plays blocks of games on other machines."""

    @property
    def missing(self) -> int:
        """How many games of the blocks begun last are not finished."""

    def share(self, path: Path) -> Reader:
        """What reads this network there."""

    def begin(self, order: Order, spans: Mapping[int, tuple[int, int]], keep: Keep) -> None:
        """Start with these blocks: the first game of each, and the one after its last."""

    def step(self, *, wait: bool) -> None:
        """Advance all blocks, and keep complete ones."""


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


def start_states(game: Game, texts: Sequence[str]) -> States | None:
    if not texts:
        return None
    states = game.new_states(len(texts))
    for index, text in enumerate(texts):
        states[index] = game.parse_state(text)
        if game.is_over(states[index]):
            raise BadOptionError(f"selfplay.starts: {text!r} is a position where the game is over")
    return states


# --- who meets whom


def lagging(folder: RunFolder, before: Generation) -> Generation:
    """The generation whose champion plays the games after `before`."""
    number = max(0, before.number - folder.config.selfplay.lag)
    return before if number == before.number else folder.generation(number)


def opponents(folder: RunFolder, before: Generation) -> list[int]:
    """The champion, the previous one, and a recent generation, if self-play uses them.

    The champion replaces any that does not exist yet.
    """
    config = folder.config.selfplay
    players = [before.champion]
    if config.two_champions or config.recent_share > 0.0:
        previous = before.previous if config.two_champions else None
        players.append(before.champion if previous is None else previous)
    if config.recent_share > 0.0:
        first, last = before.number - config.recent + 1, before.number
        recent = [number for number in folder.numbers() if first <= number <= last]
        rng = np.random.default_rng(draw_seed("recent", folder.config.seed, before.number))
        players.append(int(rng.choice(recent)))
    return players


def make_pairings(game: Game, shares: Sequence[float], *, two_champions: bool) -> Pairings:
    """Champion against itself, against the previous one, and either against a recent one; each with
    both seats.
    """
    champions = [CHAMPION, PREVIOUS] if two_champions else [CHAMPION]
    meetings = [((CHAMPION, CHAMPION), shares[0]), ((CHAMPION, PREVIOUS), shares[1])]
    meetings += [((champion, RECENT), shares[2] / len(champions)) for champion in champions]
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


def shares_of(folder: RunFolder, before: Generation) -> list[float]:
    """Shares of the pairings, by the champion's score when it last met the previous one."""
    config = folder.config.selfplay
    if before.previous is None:
        config = config.change(two_champions=False)
    score = last_score_against_previous(folder, before) if config.two_champions else None
    return pairing_shares(config, score)


def last_score_against_previous(folder: RunFolder, before: Generation) -> float | None:
    """The champion's score when it last met the previous one: at the gate that promoted it, or
    in self-play since.

    Generations after `before` do not count, nor games that, because of a lag, an earlier
    champion played.
    """
    first = before.champion + 1 + folder.config.selfplay.lag
    for report in reversed(folder.reports()):
        if report["generation"] > before.number:
            continue
        if report["promoted"]:
            return float(report["gate"]["score"]) if report["gate"] else None
        meetings = report["selfplay"]["against_previous"]
        if report["generation"] >= first and meetings["games"]:
            return float(meetings["score"])
    return None


# --- resignation


def resign_bar(folder: RunFolder, before: Generation) -> float:
    """The resignation threshold: as configured, lower if resigning was wrong too often in the
    last generation.
    """
    config = folder.config.selfplay
    games = before.read_report()["selfplay"]
    if games is None:
        return config.resign_below
    return lowered_bar(config, games["resign_checks"], games["resign_below"])


def lowered_bar(config: SelfPlayConfig, checks: Sequence[tuple[float, bool]], bar: float) -> float:
    """The highest threshold, at most the configured one, at which resigning is wrong as rarely as
    configured.

    `checks` come from games played on; with fewer than 20 of them the threshold stays.
    """
    if config.resign_below <= -1.0 or len(checks) < 20:
        return bar
    for threshold in np.linspace(config.resign_below, -1.0, 41):
        wrong = [saved for lowest, saved in checks if lowest < threshold]
        if not wrong or sum(wrong) <= config.resign_errors * len(wrong):
            return float(max(threshold, -0.999))
    return -0.999
