"""Self-play on a cluster: blocks are divided into pieces, which any actor may play, and
reassembled.

A game depends only on its number and its networks, so a block is the same however it was divided: a
run on a cluster writes the same bytes as a run on one machine. Only the driver writes to the
folder.
"""

import hashlib
import secrets
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.definition import split_text
from anyzero.core.game.load import files_of, load
from anyzero.core.learning.block import BlockResult
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.orders import Keep, Order
from anyzero.core.learning.samples import Samples
from anyzero.core.learning.selfplay import Engine
from anyzero.core.nets.weights import read_network
from anyzero.extras.cluster.jobs import ActorKind, Done, Job, Pace, Shared
from anyzero.extras.cluster.pool import WAIT_S, Pool

LEAST_GAMES = 8  # per core of an actor: fewer would leave its network half empty
GPU_PIECES = 8
"""A GPU plays all its games at once and returns finished games when they are at least this fraction
(1/8) of them.
"""

SPEED_S = 60.0
MOST_NODES = 4  # nodes whose speed is shown, fastest first


class Blocks:
    """The blocks of a generation that are not on disk yet, being played by a pool."""

    def __init__(
        self,
        pool: Pool,
        order: Order,
        bounds: Mapping[int, tuple[int, int]],
        pace: Pace,
        keep: Keep,
    ) -> None:
        """`bounds` are the first game of each block, and the one after its last."""
        self.pool = pool
        self.order = order
        self.pace = pace
        self.keep = keep
        self.missing = {block: end - begin for block, (begin, end) in bounds.items()}
        """Finished games of each incomplete block."""
        self.left = [(block, *span) for block, span in bounds.items()]
        self.found: dict[int, dict[int, BlockResult]] = {block: {} for block in bounds}
        self.begun = self.last = time.monotonic()
        self.speeds: deque[tuple[float, str, int]] = deque()
        self.files = pool.bundle(files_of(split_text(order.config.game)[0]))
        pool.begin(self.next_piece)

    def next_piece(self, kind: ActorKind) -> Job | None:
        """The next games of the first block that has any left."""
        if not self.left:
            return None
        block, first, last = self.left[0]
        num = self.pace.size(kind, sum(end - begin for _, begin, end in self.left), self.pool.kinds)
        end = min(last, first + num)
        self.left[:1] = [(block, end, last)] if end < last else []
        arguments = {"order": self.order, "first": first, "num": end - first}
        return Job(
            f"{__name__}:play_piece", arguments, self.files, units=end - first, about=(block, first)
        )

    def step(self, wait_s: float) -> None:
        """Advance all blocks, and store the complete ones."""
        for done in self.pool.step(wait_s):
            (block, first), now = done.job.about, time.monotonic()
            self.pace.note(done)
            self.found[block][first] = done.value
            self.note_speed(now, done)
            self.missing[block] -= done.job.units
            if not self.missing[block]:
                pieces = [piece for _, piece in sorted(self.found.pop(block).items())]
                self.keep(block, join_pieces(pieces), now - self.last)
                self.last = now
                del self.missing[block]

    def note_speed(self, now: float, done: Done) -> None:
        """Simulations per second over the last minute, in total and by node."""
        self.speeds.append((now, done.node, done.value.simulations))
        while self.speeds[0][0] < now - SPEED_S:
            self.speeds.popleft()
        seconds = min(SPEED_S, now - self.begun)
        by_node = Counter[str]()
        for _, node, simulations in self.speeds:
            by_node[node] += simulations
        each = ", ".join(
            f"{node} {num / seconds:,.0f}" for node, num in by_node.most_common(MOST_NODES)
        )
        self.pool.speed = f"{by_node.total() / seconds:,.0f} simulations/s ({each})"


def join_pieces(pieces: Sequence[BlockResult]) -> BlockResult:
    """The block made of these pieces, in game order; unlike arrays from Ray, its arrays are
    writable.
    """
    columns = zip(*(piece.samples for piece in pieces), strict=True)
    scores = [piece.scores for piece in pieces if piece.scores is not None]
    return BlockResult(
        samples=Samples(*(np.concatenate(column) for column in columns)),
        games=[line for piece in pieces for line in piece.games],
        sides=np.concatenate([piece.sides for piece in pieces]),
        payoffs=np.concatenate([piece.payoffs for piece in pieces]),
        scores=np.concatenate(scores) if scores else None,
        simulations=sum(piece.simulations for piece in pieces),
        resign_checks=[check for piece in pieces for check in piece.resign_checks],
        surprises=np.concatenate([piece.surprises for piece in pieces]),
    )


class ClusterGames:
    """Blocks of games played by a pool: those of the current generation of a run, or of the next
    one during training.
    """

    def __init__(self, pool: Pool, config: RunConfig) -> None:
        if not config.keep_samples:
            raise BadOptionError(
                "a run on a cluster writes all its samples: start one with --set keep_samples=true"
            )
        self.pool = pool
        self.game = load(config.game)
        self.pace = Pace(LEAST_GAMES, max(1, config.selfplay.at_once // GPU_PIECES))
        self.blocks: Blocks | None = None

    @property
    def missing(self) -> int:
        """How many games of the blocks begun last are not finished."""
        return sum(self.blocks.missing.values()) if self.blocks else 0

    def share(self, path: Path) -> Shared:
        """A network in the object store, where it is put for each generation that it plays in."""
        key = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.pool.share(key, read_network(path, self.game))

    def begin(self, order: Order, spans: Mapping[int, tuple[int, int]], keep: Keep) -> None:
        """Start with these blocks: the first game of each, and the one after its last."""
        self.blocks = Blocks(self.pool, order, spans, self.pace, keep)

    def step(self, *, wait: bool) -> None:
        """Advance all blocks, and keep complete ones."""
        if self.blocks is not None:
            self.blocks.step(WAIT_S if wait else 0.0)

    def describe(self) -> str:
        """The cluster and its speed, in words."""
        return self.pool.describe()


def play_piece(kind: ActorKind, order: Order, first: int, num: int) -> BlockResult:
    """Some games of a block; on a GPU the next games to finish, perhaps a few more."""
    return engine_of(order.config, kind).play(order, first, num)


@lru_cache(1)
def engine_of(config: RunConfig, kind: ActorKind) -> Engine:
    """On a GPU, unlike other actors, games continue from piece to piece."""
    game = load(config.game)
    seed = secrets.randbits(63)
    return Engine(game, config, threads=kind.cores, on_gpu=kind.gpus > 0, seed=seed)
