"""Self-play on a cluster: blocks are cut into pieces, which any actor may play, and put together again.

A game depends on its number and its networks alone, so that a block is the same however it was cut: a run on a cluster
has the bytes of a run on one machine. The driver alone writes the folder.
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

from anyzero.cluster import ActorKind, Done, Job, Pace, Pool, Shared
from anyzero.cluster.pool import WAIT_S
from anyzero.errors import BadOptionError
from anyzero.games.load import files_of, load, split_text
from anyzero.learning.block import BlockResult
from anyzero.learning.config import RunConfig
from anyzero.learning.once import block_name
from anyzero.learning.samples import Samples
from anyzero.learning.selfplay import Engine, Order, block_spans
from anyzero.networks.manifest import Generation
from anyzero.networks.weights import read_network

if TYPE_CHECKING:
    from anyzero.learning.stages import Stages

LEAST_GAMES = 8  # for each core of an actor: fewer would leave its network half empty
GPU_PIECES = 8
"""A GPU plays all its games at once, and hands over as many of those finished as this share of them, or more."""

SPEED_S = 60.0
MOST_NODES = 4  # nodes whose speed is shown, the fastest

Keep = Callable[[int, BlockResult, float], None]
"""Told of a block that is whole: its number, its games, and the seconds since the last one."""


class Blocks:
    """The blocks of a generation that are not on disk yet, being played by a pool."""

    def __init__(self, pool: Pool, order: Order, bounds: Mapping[int, tuple[int, int]], pace: Pace, keep: Keep) -> None:
        """`bounds` are the first game of each block, and the one after its last."""
        self.pool, self.order, self.pace, self.keep = pool, order, pace, keep
        self.missing = {block: end - begin for block, (begin, end) in bounds.items()}
        """Games of each block that is not whole yet."""
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
        return Job(f"{__name__}:play_piece", arguments, self.files, units=end - first, about=(block, first))

    def step(self, wait_s: float) -> None:
        """Go on with all of them, and keep the blocks that are whole."""
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
        """Simulations a second of the last minute, in all and by node."""
        self.speeds.append((now, done.node, done.value.simulations))
        while self.speeds[0][0] < now - SPEED_S:
            self.speeds.popleft()
        seconds = min(SPEED_S, now - self.begun)
        by_node = Counter[str]()
        for _, node, simulations in self.speeds:
            by_node[node] += simulations
        each = ", ".join(f"{node} {num / seconds:,.0f}" for node, num in by_node.most_common(MOST_NODES))
        self.pool.speed = f"{by_node.total() / seconds:,.0f} simulations/s ({each})"


def join_pieces(pieces: Sequence[BlockResult]) -> BlockResult:
    """The block that these pieces are, in the order of its games; arrays from Ray cannot be written to, these can."""
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
    """The games of a run, played by a pool: those of the generation under way, or of the next one while it trains."""

    def __init__(self, stages: "Stages", pool: Pool) -> None:
        if not stages.config.keep_samples:
            raise BadOptionError("a run on a cluster writes all its samples: start one with --set keep_samples=true")
        self.stages, self.pool = stages, pool
        self.pace = Pace(LEAST_GAMES, max(1, stages.config.selfplay.at_once // GPU_PIECES))
        self.ahead: Blocks | None = None
        self.waiting_since: float | None = None  # when the run began to wait for games; None: it does something else

    def play(self, number: int, by: Generation, tell: Callable[[int], None]) -> None:
        """See to it that all blocks of a generation are on disk."""
        blocks = self.ahead or self.place(number, by)
        self.ahead, self.waiting_since = None, time.monotonic()
        while blocks.missing:
            blocks.step(WAIT_S)
            tell(self.stages.config.selfplay.games - sum(blocks.missing.values()))
            self.stages.look_at_the_clock()

    def begin_ahead(self, number: int, by: Generation) -> None:
        """Let the pool begin with a generation while the one before it is trained and judged."""
        self.waiting_since = None
        self.ahead = self.place(number, by)

    def place(self, number: int, by: Generation) -> Blocks:
        """The blocks of a generation that are not on disk; each is written when it is whole."""
        stages, folder = self.stages, self.stages.folder
        part, config = folder.part(number), stages.config.selfplay
        spans = enumerate(block_spans(config.games, config.at_once))
        missing = {block: span for block, span in spans if not (part / f"{block_name(block)}.json").exists()}
        order = stages.order(number, by, self.share)

        def keep(block: int, result: BlockResult, busy: float) -> None:
            waited = 0.0 if self.waiting_since is None else min(busy, time.monotonic() - self.waiting_since)
            times = {"seconds": waited, "busy_seconds": busy}
            stages.once_block(part, number, block, lambda: stages.finish_block(number, by, block, result) | times)

        return Blocks(self.pool, order, missing, self.pace, keep)

    def share(self, path: Path) -> Shared:
        """A network in the object store, where each is put once."""
        key = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.pool.shared.get(key) or self.pool.share(key, read_network(path, self.stages.game))


def play_piece(kind: ActorKind, order: Order, first: int, num: int) -> BlockResult:
    """Some games of a block; those of a GPU are any games that it finishes next, and may be a few more."""
    return engine_of(order.config, kind).play(order, first, num)


@lru_cache(1)
def engine_of(config: RunConfig, kind: ActorKind) -> Engine:
    """Its games on a GPU go on from piece to piece, unlike those of any other actor."""
    game, seed = load(config.game), secrets.randbits(63)
    return Engine(game, config, threads=kind.cores, on_gpu=kind.gpus > 0, seed=seed)
