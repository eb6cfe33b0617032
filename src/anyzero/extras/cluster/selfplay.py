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
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.load import files_of, load, split_text
from anyzero.core.learning.block import BlockResult
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.manifest import Generation
from anyzero.core.learning.once import block_name
from anyzero.core.learning.samples import Samples
from anyzero.core.learning.selfplay import Engine, Order, block_spans
from anyzero.core.nets.weights import read_network
from anyzero.extras.cluster import ActorKind, Done, Job, Pace, Pool, Shared
from anyzero.extras.cluster.pool import WAIT_S

if TYPE_CHECKING:
    from anyzero.core.learning.stages import Stages

LEAST_GAMES = 8  # per core of an actor: fewer would leave its network half empty
GPU_PIECES = 8
"""A GPU plays all its games at once and returns finished games when they are at least this fraction
(1/8) of them.
"""

SPEED_S = 60.0
MOST_NODES = 4  # nodes whose speed is shown, fastest first

Keep = Callable[[int, BlockResult, float], None]
"""Called with each complete block: its number, its games, and the seconds since the last one."""


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
    )


class ClusterGames:
    """The games of a run, played by a pool: those of the current generation, or of the next one
    during training.
    """

    def __init__(self, stages: "Stages", pool: Pool) -> None:
        if not stages.config.keep_samples:
            raise BadOptionError(
                "a run on a cluster writes all its samples: start one with --set keep_samples=true"
            )
        self.stages = stages
        self.pool = pool
        self.pace = Pace(LEAST_GAMES, max(1, stages.config.selfplay.at_once // GPU_PIECES))
        self.ahead: Blocks | None = None
        self.waiting_since: float | None = (
            None  # when the run began to wait for games; None: it is not waiting
        )

    def play(self, number: int, by: Generation, tell: Callable[[int], None]) -> None:
        """Make sure that all blocks of a generation are on disk."""
        blocks = self.ahead or self.place(number, by)
        self.ahead = None
        self.waiting_since = time.monotonic()
        while blocks.missing:
            blocks.step(WAIT_S)
            tell(self.stages.config.selfplay.games - sum(blocks.missing.values()))
            self.stages.look_at_the_clock()

    def begin_ahead(self, number: int, by: Generation) -> None:
        """Let the pool start a generation while the previous one is trained and judged."""
        self.waiting_since = None
        self.ahead = self.place(number, by)

    def place(self, number: int, by: Generation) -> Blocks:
        """The blocks of a generation that are not on disk; each is written when complete."""
        stages = self.stages
        folder = self.stages.folder
        part = folder.part(number)
        config = stages.config.selfplay
        spans = enumerate(block_spans(config.games, config.at_once))
        missing = {
            block: span
            for block, span in spans
            if not (part / f"{block_name(block)}.json").exists()
        }
        order = stages.order(number, by, self.share)

        def keep(block: int, result: BlockResult, busy: float) -> None:
            waited = (
                0.0
                if self.waiting_since is None
                else min(busy, time.monotonic() - self.waiting_since)
            )
            times = {"seconds": waited, "busy_seconds": busy}
            stages.once_block(
                part, number, block, lambda: stages.finish_block(number, by, block, result) | times
            )

        return Blocks(self.pool, order, missing, self.pace, keep)

    def share(self, path: Path) -> Shared:
        """A network in the object store, where it is put for each generation that it plays in."""
        key = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.pool.share(key, read_network(path, self.stages.game))


def play_piece(kind: ActorKind, order: Order, first: int, num: int) -> BlockResult:
    """Some games of a block; on a GPU the next games to finish, perhaps a few more."""
    return engine_of(order.config, kind).play(order, first, num)


@lru_cache(1)
def engine_of(config: RunConfig, kind: ActorKind) -> Engine:
    """On a GPU, unlike other actors, games continue from piece to piece."""
    game = load(config.game)
    seed = secrets.randbits(63)
    return Engine(game, config, threads=kind.cores, on_gpu=kind.gpus > 0, seed=seed)
