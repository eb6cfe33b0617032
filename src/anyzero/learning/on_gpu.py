"""Self-play with everything on the GPU: trees, rules, inputs and network; only finished games come back.

One thread a game, one launch a step: every game takes in the network's last answer and goes on until it needs the next,
through the end of its search, its move and its game if that is where it stands.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from anyzero.compile import gpu
from anyzero.compile.gpu import cuda
from anyzero.errors import BadOptionError
from anyzero.games.game import Game
from anyzero.learning.config import SelfPlayConfig
from anyzero.learning.contestants import self_play_method
from anyzero.learning.device_games import (
    Games,
    Pace,
    Rows,
    advance_game,
    begin_games,
    fetch_row,
    new_games,
    new_rows,
)
from anyzero.learning.samples import Samples, input_keys, join, new_samples
from anyzero.search.methods import Method
from anyzero.search.on_gpu import DeviceEvaluator, GpuRun
from anyzero.search.priors import gumbel_plan
from anyzero.search.search import adapt, room
from anyzero.search.settings import GUMBEL

MOST_BYTES = 100 << 30
"""Samples of games under way may take so much of the GPU's memory."""
STEPS = 64
"""Steps from one fetching of finished games to the next; fewer than the shortest game has."""
FETCHED = 1 << 17
"""Rows that are fetched at a time."""
COUNTS = {
    "games": "finished",
    "simulations": "simulations",
    "plies": "moves",
    "draws": "draws",
    "first_seat_payoff": "first_payoff",
    "cut_off": "cut_off",
}
"""Of a report, and the column of `Games` that each is the sum of."""


SETTINGS: Any = None
LATE: Any = None
"""Constants of the kernel that plays: the search's settings, and those after the plies in which moves are drawn."""


def begin_kernel(rules: Any, tree: Any, scratch: Any, games: Any, pace: Any) -> None:
    number = cuda.grid(1)
    if number < games.plies.shape[0]:
        begin_games(rules, tree, scratch, games, pace, number)


def advance_kernel(
    rules: Any, tree: Any, scratch: Any, games: Any, rows: Any, pace: Any, logits: Any, values: Any, planes: Any
) -> None:
    number = cuda.grid(1)
    if number < games.plies.shape[0]:
        answers = logits, values, planes
        advance_game(rules, tree, scratch, SETTINGS, LATE, games, rows, pace, answers, number)


def fetch_kernel(waiting: Any, places: Any, rows: Any, fetched: Any, pace: Any) -> None:
    index = cuda.grid(1)
    if index < rows.plies.shape[0]:
        fetch_row(waiting, places, rows, fetched, pace, index)


def release_kernel(waiting: Any, places: Any) -> None:
    block = cuda.grid(1)
    if block < places.shape[0] and places[block] >= 0:
        waiting[block // 2, block % 2] = 0


class GpuSelfPlay:
    """Games that go on and on; `play` returns what has been finished. `evaluator` has a row for each game.

    The same seed gives the same games as long as the network's answers are the same.
    """

    def __init__(
        self,
        game: Game,
        evaluator: DeviceEvaluator,
        config: SelfPlayConfig,
        *,
        num_games: int,
        seed: int,
        starts: Any = None,
    ) -> None:
        self.game, self.evaluator, self.config, self.num_games = game, evaluator, config, num_games
        method = adapt(game, self_play_method(config), no_evaluator)
        self.pace = pace_of(game, config)
        self.run = GpuRun(
            game,
            method,
            room=room(game, most_simulations(config), 1 << 30),
            simulations=most_simulations(config),
            num_trees=num_games,
            evaluator=evaluator,
        )
        self.run.seed(seed)
        self.run.scratch = self.run.scratch._replace(plan=cuda.to_device(plan_of(method, self.pace)))
        starts = np.array([game.initial_state()], game.state_dtype) if starts is None else starts
        self.games: Any = Games(*map(cuda.to_device, new_games(game, num_games, starts)))
        self.rows: Any = new_device_rows(game, 2 * num_games * self.pace.max_plies)
        self.fetched: Any = new_device_rows(game, max(FETCHED, self.pace.max_plies))
        self.step: Callable[[], None] | None = None
        arguments = self.run.rules, self.run.tree, self.run.scratch, self.games, self.pace
        gpu.launch(game.compile(begin_kernel, "cuda"), num_games, *arguments)

    def advance(self, stream: int) -> None:
        """Every game goes on to its next leaf."""
        run, settings = self.run, self.run.method.settings
        constants = {"SETTINGS": settings, "LATE": settings._replace(gumbel_scale=0.0)}
        kernel = self.game.compile(advance_kernel, "cuda", constants, parts=run.parts)
        arguments = run.rules, run.tree, run.scratch, self.games, self.rows, self.pace, *run.answers
        gpu.enqueue(kernel, self.num_games, stream, *arguments)

    def advance_many(self, steps: int) -> None:
        """So many steps, of which the host waits for none."""
        if self.step is None:
            self.step = self.evaluator.record(self.advance)
        for _ in range(steps):
            self.step()

    def play(
        self, num_games: int, generation: int = 0, *, keys: bool = True, watch: Callable[[int, int], None] | None = None
    ) -> Samples:
        """Go on until so many more games are finished, or a few more; returns their samples, with `keys` if wanted."""
        parts: list[Samples] = []
        begun = self.finished
        while (done := self.finished - begun) < num_games:
            if watch:
                watch(done, self.simulations)
            self.advance_many(STEPS)
            parts += self.fetch()
        samples = join(parts) if parts else new_samples(self.game, 0)
        samples.generations[:] = generation
        if keys:
            samples.keys[:] = input_keys(self.game, samples.states)
        return samples

    def fetch(self) -> list[Samples]:
        """All samples of games that have been finished, without their keys."""
        parts = []
        while num := self.gather():
            parts.append(self.to_host(num))
        return parts

    def gather(self) -> int:
        """Bring the samples of finished games together in `fetched`, as many as fit; returns how many there are."""
        waiting, room_left = self.games.waiting.copy_to_host().reshape(-1), len(self.fetched.plies)
        ends = np.cumsum(waiting, dtype=np.int64)
        places = np.where((waiting > 0) & (ends <= room_left), ends - waiting, -1).astype(np.int32)
        num = int(waiting[places >= 0].sum())
        if num == 0:
            return 0
        on_device = cuda.to_device(places)
        fetch, release = (self.game.compile(kernel, "cuda") for kernel in (fetch_kernel, release_kernel))
        rows = len(self.rows.plies)
        gpu.enqueue(fetch, rows, 0, self.games.waiting, on_device, self.rows, self.fetched, self.pace)
        gpu.launch(release, len(places), self.games.waiting, on_device)
        return num

    def to_host(self, num: int) -> Samples:
        """The first rows of those gathered."""
        samples = new_samples(self.game, num)
        for name in Rows._fields:
            if name != "seats":
                column = getattr(self.fetched, name)
                getattr(samples, name)[:] = column[:num].copy_to_host()
        return samples

    @property
    def simulations(self) -> int:
        """Of all searches that are over."""
        return int(self.games.simulations.copy_to_host().sum())

    @property
    def finished(self) -> int:
        """Games so far."""
        return int(self.games.finished.copy_to_host().sum())

    def counts(self) -> dict[str, float]:
        """What there is to say of all games so far."""
        return {name: getattr(self.games, column).copy_to_host().sum().item() for name, column in COUNTS.items()}


def describe_games(before: dict[str, float], now: dict[str, float], samples: int) -> dict[str, Any]:
    """What the report of a generation needs, from the counts before it and now."""
    return {
        **{name: now[name] - before[name] for name in COUNTS},
        "samples": samples,
        "resigned": 0,
        "distinct_games": None,  # nothing is left of the games but their samples
        "previous_games": 0,
        "previous_points": 0.0,
        "mean_score": None,
        "resign_checks": [],
    }


def no_evaluator(_game: Game, _states: Any) -> tuple[Any, Any]:
    """Stands for the network where a method is adapted to it."""
    raise NotImplementedError


def most_simulations(config: SelfPlayConfig) -> int:
    return max(config.simulations, config.fast_simulations if config.fast_share > 0.0 else 0)


def pace_of(game: Game, config: SelfPlayConfig) -> Pace:
    return Pace(
        simulations=config.simulations,
        fast_simulations=config.fast_simulations,
        fast_share=config.fast_share,
        temperature=config.temperature,
        temperature_plies=config.temperature_plies,
        late_temperature=config.late_temperature,
        opening_plies=config.opening_plies,
        max_plies=min(config.max_plies or game.max_plies, game.max_plies),
    )


def plan_of(method: Method, pace: Pace) -> np.ndarray:
    """Gumbel: the plan of a full search, and after it that of a fast one."""
    if method.settings.formula != GUMBEL:
        return np.zeros((1, 1), np.int32)
    plans = [gumbel_plan(method.settings.considered, num) for num in (pace.simulations, pace.fast_simulations)]
    return np.ascontiguousarray(np.concatenate(plans, axis=1))


def new_device_rows(game: Game, num: int) -> Any:
    """Room for so many samples on the device."""
    one = new_rows(game, 1)
    needed = num * sum(column.nbytes for column in one)
    if needed > MOST_BYTES:
        raise BadOptionError(
            f"{game.name}: samples of all games under way would take {needed / 1e9:.0f} GB; lower selfplay.max_plies"
        )
    return Rows(*(cuda.device_array((num, *column.shape[1:]), column.dtype) for column in one))
