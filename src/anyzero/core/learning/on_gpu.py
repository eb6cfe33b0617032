"""Games entirely on the GPU: trees, rules, inputs and networks; only finished games come back.

One thread per game, one launch per step: every game applies its network's last answer and continues
until it needs the next, through the end of its search, its move and its game if necessary.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.base.nouns import Numbers, Planes, Rules
from anyzero.core.base.stopping import check as check_stopping
from anyzero.core.compile import gpu
from anyzero.core.compile.gpu import cuda
from anyzero.core.game.contract import encode
from anyzero.core.game.game import Game
from anyzero.core.learning.advance import advance_game
from anyzero.core.learning.block import (
    ENDED,
    BlockResult,
    Contestant,
    Finished,
    Watch,
    network_contestant,
    new_slots,
    plant_forest,
    without_noise,
)
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.games import (
    ENDLESS,
    NEVER,
    Games,
    Manner,
    Pairings,
    Slots,
    new_games,
)
from anyzero.core.learning.orders import Order, make_pairings, manner_of, start_states
from anyzero.core.learning.samples import Rows, new_rows
from anyzero.core.search.on_gpu import DeviceEvaluator, device_arrays, to_device

if TYPE_CHECKING:
    from anyzero.core.nets.models import Network

MOST_BYTES = 100 << 30  # maximum GPU memory for samples of games in progress
STEPS = 64  # steps between fetches of finished games; fewer than the shortest game has
FETCHED = 1 << 17  # rows per fetch
MOST_PAIRINGS = 8  # entries of the table of pairings, which changes while games are in progress

SETTINGS: Any = None
LATE: Any = None
"""Constants of the playing kernel: the search's settings, and those after the plies in which moves
are sampled.
"""


def advance_kernel(
    rules: Rules, slots: Slots, logits: Numbers, values: Numbers, planes: Planes
) -> None:
    """Advance every game to its next leaf, with the network's answers to its last one."""
    number = cuda.grid(1)
    if number < slots.games.plies.shape[0]:
        whose = slots.games.contestant[number]
        if advance_game(rules, slots, SETTINGS, LATE, (logits[whose], values[whose]), number):
            encode(rules, slots.scratch.states[number], planes[number])


def fetch_kernel(
    places: Numbers, games: Games, column: Numbers, fetched: Numbers, manner: Manner
) -> None:
    """Copy a row of a column to its place in the fetch buffer, if it is of a finished game that has
    a place there.
    """
    index = cuda.grid(1)
    page = index // manner.max_plies
    place = index % manner.max_plies
    if index >= column.shape[0] or places[page] < 0 or place >= games.end_samples[page]:
        return
    for part in range(column.shape[1]):
        fetched[places[page] + place, part] = column[index, part]


def release_kernel(places: Numbers, games: Games) -> None:
    page = cuda.grid(1)
    if page < places.shape[0] and places[page] >= 0:
        games.ready[page] = 0


class GpuGames:
    """Games that run continuously; `play` returns those finished since. Network n is contestant n.

    The same seed gives the same games if the networks' answers are the same.
    """

    def __init__(
        self,
        game: Game,
        evaluator: DeviceEvaluator,
        contestants: Sequence[Contestant],
        manner: Manner,
        *,
        num_games: int,
        seed: int,
        starts: Numbers = None,
    ) -> None:
        self.game = game
        self.evaluator = evaluator
        self.contestants = contestants
        self.num_games = num_games
        longest = min(manner.max_plies or game.max_plies, game.max_plies)
        manner = manner._replace(max_plies=longest, last=ENDLESS, pages=2, keep_samples=1)
        self.rows = new_device_rows(game, 2 * num_games * longest)
        self.fetched = new_device_rows(game, max(FETCHED, longest))
        self.rules = gpu.rules_to_device(game.rules)
        self.answers = device_arrays(evaluator)
        pairings = Pairings(
            np.zeros((MOST_PAIRINGS, game.num_seats), np.int64), np.eye(MOST_PAIRINGS)[0]
        )
        one_search = np.zeros(len(contestants), np.int64)
        games = new_games(
            game, num_games, manner, pairings, search_of=one_search, starts=starts, seed=seed
        )
        self.games: Any = type(games)(*map(cuda.to_device, games))
        self.manner = manner._replace(simulations=contestants[0].simulations)
        self.forest = plant_forest(game, contestants[0], num_games, manner, "cuda")
        slots = new_slots(self.forest, self.games, self.rows, self.manner)
        tree = to_device(slots.tree)
        self.slots = slots._replace(
            tree=tree,
            spare=to_device(slots.spare) if manner.reuse else tree,
            scratch=to_device(slots.scratch),
        )
        self.step: Callable[[], None] | None = None

    def advance(self, stream: int) -> None:
        settings = self.forest.settings
        constants = {"SETTINGS": settings, "LATE": without_noise(settings)}
        kernel = self.game.compile(advance_kernel, "cuda", constants, parts=self.forest.parts)
        gpu.enqueue(kernel, self.num_games, stream, self.rules, self.slots, *self.answers)

    def advance_many(self, steps: int) -> None:
        """Take this many steps without the host waiting for any."""
        if self.step is None:
            self.step = self.evaluator.record(self.advance)
        for _ in range(steps):
            self.step()

    def set_up(self, pairings: Pairings, resign_below: float = NEVER) -> None:
        """Set the pairings and the resignation threshold of games that start from now on."""
        sides = self.games.sides.copy_to_host()
        shares = np.ones(MOST_PAIRINGS)
        sides[: len(pairings.sides)] = pairings.sides
        shares[: len(pairings.sides)] = np.cumsum(pairings.shares)
        self.games.sides.copy_to_device(sides)
        self.games.shares.copy_to_device(shares)
        self.games.bar.copy_to_device(np.array([resign_below if self.game.is_opposed else NEVER]))

    def play(
        self, num_games: int, names: Sequence[str], *, keys: bool = True, watch: Watch | None = None
    ) -> BlockResult:
        """Continue until at least this many more games are finished; samples get their keys if
        `keys` is set.
        """
        finished = Finished(
            self.game, self.manner, self.games.sides.copy_to_host(), len(self.games.starts)
        )
        before = self.simulations
        while len(finished.moves) < num_games:
            check_stopping()
            if watch:
                watch(len(finished.moves), self.simulations)
            self.advance_many(STEPS)
            self.fetch(finished)
        return finished.result(names, self.simulations - before, ordered=False, keys=keys)

    def fetch(self, finished: Finished | None = None) -> int:
        """Fetch all finished games, as many at a time as fit; returns the number of samples."""
        total = 0
        while len(pages := self.gather()):
            ends = {name: getattr(self.games, name).copy_to_host() for name in (*ENDED, "moves")}
            games = self.games._replace(**ends)
            num = int(games.end_samples[pages].sum())
            if finished:
                finished.add(games, pages, self.to_host(num))
            gpu.launch(
                self.game.compile(release_kernel, "cuda"), len(self.places), self.places, self.games
            )
            total += num
        return total

    def gather(self) -> np.ndarray:
        """Gather samples of finished games in `fetched`, as many as fit; returns the pages of those
        games.
        """
        ready = self.games.ready.copy_to_host()
        num = np.where(ready, self.games.end_samples.copy_to_host(), 0)
        ends = np.cumsum(num, dtype=np.int64)
        fits = (ready > 0) & (ends <= len(self.fetched.plies))
        self.places = cuda.to_device(np.where(fits, ends - num, -1).astype(np.int32))
        if fits.any():
            kernel = self.game.compile(fetch_kernel, "cuda")
            for column, fetched in zip(self.rows, self.fetched, strict=True):
                if column.size:
                    num_rows = len(column)
                    parts = column.reshape(num_rows, -1), fetched.reshape(len(fetched), -1)
                    arguments = self.places, self.games, *parts, self.manner
                    gpu.enqueue(kernel, num_rows, 0, *arguments)  # in order, and waited for once
            cuda.synchronize()
        return np.flatnonzero(fits)

    def to_host(self, num: int) -> Rows:
        # A slice of a zero-byte column has the wrong shape on a GPU; it is empty anyway.
        filled = [name for name, column in self.fetched._asdict().items() if num and column.size]
        host = {name: getattr(self.fetched, name)[:num].copy_to_host() for name in filled}
        return new_rows(self.game, num)._replace(**host)

    @property
    def simulations(self) -> int:
        """Of all finished searches."""
        return int(self.games.simulations.copy_to_host().sum())

    @property
    def finished(self) -> int:
        return int(self.games.finished.copy_to_host().sum())


class RunGames:
    """The games of a run on this GPU; games in progress continue with the networks of the next
    call.
    """

    def __init__(self, game: Game, config: RunConfig, seed: int) -> None:
        self.game = game
        self.config = config
        self.seed = seed
        self.games: GpuGames | None = None

    def play(self, order: Order, num: int, watch: Watch | None = None) -> BlockResult:
        """The next `num` finished games, or a few more."""
        from anyzero.core.nets.models import network_of

        networks = [network_of(read(), self.game) for _, read in order.networks]
        games = self.games = self.games or self.begin(networks)
        games.evaluator.load(*networks)  # type: ignore[attr-defined]
        pairings = make_pairings(
            self.game, order.shares, two_champions=self.config.selfplay.two_champions
        )
        games.set_up(pairings, order.resign_below)
        return games.play(num, [name for name, _ in order.networks], keys=order.keys, watch=watch)

    def begin(self, networks: Sequence["Network"]) -> GpuGames:
        from anyzero.core.nets.on_gpu import GpuEvaluator

        game = self.game
        config = self.config.selfplay
        at_once = self.config.selfplay.at_once
        evaluator = GpuEvaluator(game, *networks, rows=at_once)
        players = [network_contestant(game, "", None, config, noise=True) for _ in networks]
        starts = start_states(game, config.starts)
        return GpuGames(
            game,
            evaluator,
            players,
            manner_of(config),
            num_games=at_once,
            seed=self.seed,
            starts=starts,
        )


def new_device_rows(game: Game, num: int) -> Rows:
    row = new_rows(game, 1)
    row = row._replace(policies=row.policies.astype(np.float16))
    needed = num * sum(column.nbytes for column in row)
    if needed > MOST_BYTES:
        words = f"samples of all games in progress would take {needed / 1e9:.0f} GB"
        raise BadOptionError(f"{game.name}: {words}; lower selfplay.max_plies")
    return Rows(*(cuda.device_array((num, *column.shape[1:]), column.dtype) for column in row))
