"""The plan: every couple of players, in pairs of games with one opening and the seats swapped.

Only to measure the advantage of the first seat, one player has it in every game.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import NamedTuple

from anyzero.core.base.errors import BadOptionError, seconds_below, whole
from anyzero.core.base.nouns import Values
from anyzero.core.base.seeds import draw_seed, draw_unit
from anyzero.core.game.contract import CHANCE
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import as_game, load
from anyzero.core.game.play import outcome_at
from anyzero.core.learning.games import default_openings
from anyzero.core.search import Searcher
from anyzero.tools.players import Player, parse_player

BOTH_LEGS = (0, 1)


class Match(NamedTuple):
    """One game: its two players, its pair of games, and which of the pair it is."""

    first: int
    second: int
    pair: int
    leg: int  # 0: the first player has the first seat; 1: the second player has it

    def by_seat(self, num_seats: int) -> list[int]:
        """The player of each seat: they alternate around the table. A game of one seat is played by
        each in turn.
        """
        order = (self.first, self.second) if self.leg == 0 else (self.second, self.first)
        return [order[seat % 2] for seat in range(num_seats)]


@dataclass(frozen=True)
class Plan:
    """A match of two players or a tournament of more, with everything that determines its games."""

    game: str
    players: tuple[str, ...]
    games: int = 100  # per couple of players
    seed: int = 0
    openings: int = 0  # random moves before each pair of games
    limit_s: float | None = (
        None  # maximum seconds per move, also for players without a clock; None: no limit
    )
    legs: tuple[int, ...] = BOTH_LEGS
    """The games of each pair that are played: both, or only those in which one player has the first
    seat.
    """

    def matches(self) -> list[Match]:
        """Pair after pair, so that all couples have played about equally often whenever it
        stops.
        """
        couples = list(combinations(range(len(self.players)), 2))
        pairs = range(self.games // len(self.legs))
        return [
            Match(first, second, pair, leg)
            for pair in pairs
            for first, second in couples
            for leg in self.legs
        ]

    def identity(self) -> Values:
        """What two runs must share for their games to belong together; the number of games may
        grow.
        """
        values = {**asdict(self), "players": list(self.players), "legs": list(self.legs)}
        left_out = ("games", "legs") if self.legs == BOTH_LEGS else ("games",)
        return {key: value for key, value in values.items() if key not in left_out}

    def describe(self) -> Values:
        return {
            "game": self.game,
            "players": list(self.players),
            "seed": self.seed,
            "openings": self.openings,
        }

    def has_one_seat(self) -> bool:
        """Whether both players play each deal: scores are compared, and there is no Elo."""
        return load(self.game).num_seats == 1

    def seats_of_first(self, leg: int) -> str:
        """The seats of a couple's first player in this game of a pair, by name."""
        game = load(self.game)
        return " and ".join(game.seat_name(seat) for seat in range(leg, game.num_seats, 2))

    @staticmethod
    def from_json(values: Values) -> "Plan":
        return Plan(
            **{**values, "players": tuple(values["players"]), "legs": tuple(values["legs"])}
        )


def make_plan(
    game: Game | str,
    players: Sequence[Player | str],
    *,
    games: int = 100,
    seed: int = 0,
    openings: int | None = None,
    limit_s: float | None = None,
    legs: tuple[int, ...] = BOTH_LEGS,
) -> Plan:
    """A validated plan: the game loads, the players are players, the numbers make sense."""
    loaded = as_game(game)
    games = whole("games", games)
    seed = whole("seed", seed)
    if not loaded.source:
        raise BadOptionError(
            f"{loaded.name}: matches are played by other processes, which need a name or a file"
        )
    if isinstance(players, str) or len(players) < 2:
        raise BadOptionError("at least two players are needed")
    if legs not in (BOTH_LEGS, (0,), (1,)):
        raise BadOptionError(f"the games of a pair are (0, 1), (0,) or (1,), not {legs!r}")
    if legs != BOTH_LEGS and loaded.num_seats == 1:
        raise BadOptionError(f"{loaded.name} has one seat: both players play each deal")
    if legs != BOTH_LEGS and games < 1:
        raise BadOptionError(f"{games} is not a positive number of games")
    if legs == BOTH_LEGS and (games < 2 or games % 2):
        raise BadOptionError(
            f"games are played in pairs with the seats swapped: {games} is not a positive "
            "even number"
        )
    plies = default_openings(loaded) if openings is None else whole("openings", openings)
    if plies < 0:
        raise BadOptionError(f"an opening of {plies} moves is not possible")
    if plies and loaded.num_seats == 1:
        raise BadOptionError(f"{loaded.name} has one seat: there are no openings")
    if openings is not None and plies >= loaded.max_plies:
        longest = f"the longest game of {loaded.text}, {loaded.max_plies} moves"
        raise BadOptionError(f"an opening of {plies} moves is not shorter than {longest}")
    limit_s = None if limit_s is None else seconds_below(1e7, "limit", limit_s)
    texts = tuple(parse_player(player).text for player in players)
    return Plan(loaded.text, texts, games, seed, plies, limit_s, legs)


# --- openings: random moves, rejected if they decide the game

TRIES = 8
BALANCE = 0.5  # an opening is good enough if a short search values it between minus and plus this
SIMULATIONS = 200


def make_opening(game: Game, seed: int, pair: int, plies: int) -> list[int]:
    """The actions of an opening (including chance outcomes); depends only on the seed and the pair.

    The first balanced one of a few random ones; the most balanced if none is; none if chance ends
    all.
    """
    best: list[int] = []
    smallest = 2.0
    for attempt in range(TRIES if plies else 0):
        actions, state = random_line(game, plies, draw_seed("opening", seed, pair, attempt))
        if game.is_over(state):  # by chance
            continue
        advantage = imbalance(game, state, seed)
        if advantage < smallest:
            best = actions
            smallest = advantage
        if advantage <= BALANCE:
            break
    return best


def random_line(game: Game, plies: int, seed: int) -> tuple[list[int], State]:
    """Random moves that do not end the game, and the position after them; fewer if every move would
    end it.
    """
    actions: list[int] = []
    state = game.initial_state()
    moves = 0
    while moves < plies or game.seat_to_move(state) == CHANCE:
        unit = draw_unit(seed, len(actions))
        if game.seat_to_move(state) == CHANCE:
            action = outcome_at(game, state, unit)
        else:
            action = quiet_action(game, state, unit)
            moves += 1
        if action < 0:
            break
        actions.append(action)
        state = game.play(state, action)
    return actions, state


def quiet_action(game: Game, state: State, unit: float) -> int:
    """A random action that does not end the game; -1 if there is none."""
    actions = game.legal_actions(state)
    while actions:
        action = actions.pop(int(unit * len(actions)))
        if not game.is_over(game.play(state, action)):
            return action
    return -1


def imbalance(game: Game, state: State, seed: int) -> float:
    """How far from even the position looks, from 0 to 1; 0 if the sides are not two opponents."""
    if game.num_seats != 2 or not game.zero_sum or game.seat_to_move(state) < 0:
        return 0.0
    return abs(Searcher(game, "uct", simulations=SIMULATIONS).search(state, seed).value)
