"""Who plays in many games at once: a network with a search, a search with rollouts, or chance."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from anyzero.compile.random import numbered_streams
from anyzero.games.game import Game
from anyzero.learning.config import RANDOM, SelfPlayConfig, anchor_search
from anyzero.learning.moves import draw_moves
from anyzero.networks import NetworkEvaluator
from anyzero.search.evaluators import Evaluator
from anyzero.search.many import ManyResults
from anyzero.search.methods import Method, find_method
from anyzero.search.run import Run
from anyzero.search.search import adapt, room

PLIES = 1 << 16
"""More than any game has: the stream of a search is number game * PLIES + ply."""
REUSED = 4
"""Trees that are used again have room for so many times the simulations of one move."""


class Effort(NamedTuple):
    """Which kind of search a move gets."""

    fast: bool = False
    """Few simulations."""
    late: bool = False
    """Without Gumbel's noise, as moves are no longer drawn."""


FULL = Effort()


class Contestant(Protocol):
    """Searches a batch of positions. The streams of `seed` with these numbers are its randomness, one a position."""

    name: str

    def search(self, states: Any, seed: int, numbers: np.ndarray, effort: Effort = FULL) -> ManyResults: ...


class SearchContestant:
    """A method with its trees, which are used again for every batch."""

    def __init__(
        self,
        game: Game,
        name: str,
        method: Method,
        *,
        simulations: int,
        fast_simulations: int = 0,
        evaluator: str | Evaluator = "rollout",
        at_once: int,
        threads: int = 1,
        reuse: bool = False,
    ) -> None:
        self.game, self.name, self.at_once, self.threads, self.reuse = game, name, at_once, threads, reuse
        self.places: dict[int, int] = {}
        self.method, self.evaluator = adapt(game, method, evaluator), evaluator
        self.simulations = {False: simulations, True: fast_simulations}
        self.runs: dict[bool, Run] = {}

    def run(self, fast: bool) -> Run:
        """The trees for full or for fast searches, made when they are needed."""
        if fast not in self.runs:
            simulations = self.simulations[fast]
            self.runs[fast] = Run(
                self.game,
                self.method,
                room=room(self.game, simulations * (REUSED if self.reuse else 1), 1 << 30),
                simulations=simulations,
                num_trees=self.at_once,
                evaluator=self.evaluator if callable(self.evaluator) else None,
                threads=self.threads,
                keeps=self.reuse,
            )
        return self.runs[fast]

    def search(self, states: Any, seed: int, numbers: np.ndarray, effort: Effort = FULL) -> ManyResults:
        run = self.run(effort.fast)
        run.method = quiet(self.method) if effort.late else self.method
        run.seed_trees(seed, numbers)
        if self.reuse and not effort.fast:
            games = (numbers // np.uint64(PLIES)).tolist()
            run.move_on_all(states, [self.places.get(game, -1) for game in games])
            self.places = {game: place for place, game in enumerate(games)}
        else:
            run.plant(states)
        done = run.simulate(self.simulations[effort.fast])
        return ManyResults(*run.report(), done)


class RandomContestant:
    """Every legal action with the same chance."""

    name = RANDOM

    def __init__(self, game: Game) -> None:
        self.game = game

    def search(self, states: Any, seed: int, numbers: np.ndarray, effort: Effort = FULL) -> ManyResults:
        num = len(states)
        actions, streams = np.zeros(num, np.int32), numbered_streams(seed, numbers)
        draw = self.game.compile(draw_moves)
        draw(self.game.rules, states, np.arange(num), streams, self.game.new_actions(), actions)
        policies = np.zeros((num, self.game.num_actions), np.float32)
        policies[np.arange(num), actions] = 1.0
        return ManyResults(actions, np.zeros(num, np.float32), policies, 0)


def self_play_method(config: SelfPlayConfig) -> Method:
    """The search of self-play, with its noise."""
    if config.method == "gumbel":
        return find_method("gumbel", {**gumbel_options(config), "gumbel_scale": config.gumbel_scale})
    noise = {
        "noise_fraction": config.noise_fraction,
        "noise_concentration": config.noise_concentration,
        "noise_total": config.noise_total,
    }
    return find_method("puct", {**puct_options(config), **noise})


def quiet(method: Method) -> Method:
    """The same without Gumbel's noise."""
    return method._replace(settings=method.settings._replace(gumbel_scale=0.0))


def match_method(config: SelfPlayConfig) -> Method:
    """The same search without noise."""
    if config.method == "gumbel":
        return find_method("gumbel", gumbel_options(config))
    return find_method("puct", puct_options(config))


def puct_options(config: SelfPlayConfig) -> dict[str, object]:
    return {
        "exploration": config.exploration,
        "first_play": config.first_play,
        "log_visits": int(config.final == "value+log visits"),
        "move_value": int(config.move_value),
    }


def gumbel_options(config: SelfPlayConfig) -> dict[str, object]:
    return {
        "considered": config.considered,
        "value_scale": config.value_scale,
        "visit_scale": config.visit_scale,
        "move_value": int(config.move_value),
    }


def network_contestant(
    game: Game, name: str, evaluator: NetworkEvaluator, config: SelfPlayConfig, *, noise: bool, simulations: int = 0
) -> SearchContestant:
    """A network as self-play or a match uses it; 0 simulations: as many as in self-play."""
    return SearchContestant(
        game,
        name,
        self_play_method(config) if noise else match_method(config),
        simulations=simulations or config.simulations,
        fast_simulations=config.fast_simulations,
        evaluator=evaluator,
        at_once=config.at_once,
        threads=evaluator.threads,
        reuse=config.reuse and noise,  # in a match both games of a pair have one number, and players take turns
    )


def anchor_contestant(game: Game, text: str, *, at_once: int, threads: int) -> Contestant:
    """A player that never changes: `random`, or a method and its simulations, `uct:1000`."""
    if text == RANDOM:
        return RandomContestant(game)
    method, simulations = anchor_search(text)
    return SearchContestant(game, text, method, simulations=simulations, at_once=at_once, threads=threads)
