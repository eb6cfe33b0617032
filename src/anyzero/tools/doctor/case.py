"""A finding (the result of a check) and a case (its subject), read or made when first needed. No
run is changed.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from anyzero.core.base.nouns import Values
from anyzero.core.base.seeds import draw_seed
from anyzero.core.game.game import Game
from anyzero.core.learning.block import BlockResult
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.folder import GAMES, RunFolder, read_games
from anyzero.core.learning.manifest import Generation
from anyzero.core.learning.replay import Batch, Replay, build_replay
from anyzero.core.learning.samples import Samples, join, load_shard, new_samples
from anyzero.core.learning.selfplay import play_random
from anyzero.core.nets.models import Network, load_network, new_network

WELL = "well"
DOUBTFUL = "doubtful"
WRONG = "wrong"
SKIPPED = "skipped"
ENOUGH_GAMES = 256
ENOUGH_SAMPLES = 20_000
"""How many of a run's newest games and samples are examined; in whole blocks, so there may be more.
"""


@dataclass(frozen=True)
class Finding:
    verdict: str  # well, doubtful, wrong or skipped
    conclusion: str  # what is wrong, in a few words that make sense by themselves
    seen: str = ""  # the measurements
    advice: str = ""  # what to try; empty if all is well
    name: str = ""  # of the check

    @property
    def text(self) -> str:
        return f"{self.conclusion}: {self.seen}" if self.seen else self.conclusion

    def to_json(self) -> dict[str, str]:
        return {
            key: getattr(self, key) for key in ("name", "verdict", "conclusion", "seen", "advice")
        }


def precise_percent(share: float) -> str:
    """`12 %`, with an extra digit below 1 and above 99."""
    text = (
        f"{100.0 * share:.0f}"
        if 0.01 <= share <= 0.99
        else f"{100.0 * share:.1f}".removesuffix(".0")
    )
    return f"{text} %"


class Case:
    """A run, or without a folder a game and the config with which it would be trained."""

    def __init__(self, game: Game, config: RunConfig, folder: RunFolder | None = None) -> None:
        self.game = game
        self.config = config
        self.folder = folder
        self.device = config.device if torch.cuda.is_available() else "cpu"

    @cached_property
    def reports(self) -> list[Values]:
        return self.folder.reports() if self.folder else []

    def late(self, part: str, most: int = 3) -> list[Values]:
        """One part of the newest reports that have it, in order."""
        return [report[part] for report in self.reports if report.get(part)][-most:]

    @cached_property
    def newest(self) -> Generation | None:
        return self.folder.newest() if self.folder else None

    @property
    def generation(self) -> int:
        """The number of the newest network; 0 before any training."""
        return 0 if self.newest is None else self.newest.number

    @cached_property
    def network(self) -> Network | None:
        """The newest generation's, whether promoted or not."""
        if self.folder is None or self.newest is None:
            return None
        return load_network(self.folder.network(self.newest.number), self.game)

    @cached_property
    def lines(self) -> list[Values]:
        """The newest games, newest block first."""
        games: list[Values] = []
        for block in reversed(self.folder.blocks(GAMES) if self.folder else []):
            if len(games) < ENOUGH_GAMES:
                games += read_games(block.path)
        return games

    @cached_property
    def samples(self) -> Samples:
        """The newest samples; from random games if there are none."""
        parts = [new_samples(self.game, 0)]
        for block in reversed(self.folder.blocks() if self.folder else []):
            if sum(part.num for part in parts) < ENOUGH_SAMPLES:
                parts.append(load_shard(block.path, self.game))
        samples = join(parts)
        return samples if samples.num else self.random.samples

    @property
    def has_samples(self) -> bool:
        return bool(self.folder and self.folder.blocks())

    @cached_property
    def rows(self) -> Replay:
        """Distinct positions of the newest samples, without symmetries, with the run's own
        targets.
        """
        # without keys they cannot be distinguished
        config = self.config.replay.change(
            merge=bool(self.samples.keys.any()), symmetries=False, by_count=False
        )
        return build_replay(self.game, self.samples, config, self.generation)

    def batch(self, num: int) -> Batch:
        """Some of these rows, always the same."""
        return self.rows.batch(
            np.random.default_rng(self.config.seed).permutation(self.rows.num)[:num], None
        )

    @cached_property
    def fresh(self) -> Network:
        return new_network(
            self.game, self.config.network, draw_seed("doctor", self.config.seed) % 2**63
        )

    @cached_property
    def random(self) -> BlockResult:
        """Random games, recorded like self-play games; fewer if games are long."""
        longest = min(self.game.max_plies, self.config.selfplay.max_plies or self.game.max_plies)
        num = max(32, min(256, 30_000 // longest))
        return play_random(self.game, num, seed=self.config.seed, max_plies=longest)
