"""The stages of a generation: games, training, gate, and measurements.

Each stage writes its files to the folder of the generation in progress, and is skipped if they
exist. Each is a function of the config, the seed and earlier files: on the CPU a run that was
killed ends with the same bytes as one that was not.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.torch import load_file, save

from anyzero.core.base import stopping
from anyzero.core.base.files import put_aside, write_whole
from anyzero.core.base.nouns import Values
from anyzero.core.base.seeds import draw_seed
from anyzero.core.compile.clock import clock
from anyzero.core.game.load import load
from anyzero.core.learning import selfplay
from anyzero.core.learning.block import (
    BlockResult,
    Contestant,
    anchor_contestant,
    network_contestant,
    surprise_weights,
)
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.contests import (
    benchmark,
    contest,
    open_gate,
    play_anchors,
    rate_generation,
)
from anyzero.core.learning.find import find_network
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.lesson import num_steps
from anyzero.core.learning.manifest import NETWORK, TRAINER, Generation
from anyzero.core.learning.once import anchor_points, block_name, once
from anyzero.core.learning.replay import build_replay
from anyzero.core.learning.samples import (
    BadShardError,
    Samples,
    join,
    load_shard,
    new_samples,
    save_shard,
    take,
)
from anyzero.core.learning.trainer import Trainer
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import load_network, new_network
from anyzero.core.nets.weights import read_network, save_network
from anyzero.extras.cluster import Pool
from anyzero.extras.cluster.selfplay import ClusterGames

if TYPE_CHECKING:
    from anyzero.core.nets.models import Network


LEAST_MINUTES = 10.0
"""A run planned for less time does not measure the untrained network."""


class Progress:
    """Receives the progress of a stage; this one ignores it."""

    def stage(
        self, generation: int, name: str, total: int
    ) -> AbstractContextManager[Callable[[int], None]]:
        return nullcontext(lambda done: None)

    def finished(self, report: Values) -> None: ...


class OutOfTimeError(Exception):
    """The time is up; the generation in progress stays as it is."""


class Stages:
    """The stages of a run's generations."""

    def __init__(
        self, folder: RunFolder, progress: Progress | None = None, pool: Pool | None = None
    ) -> None:
        self.folder = folder
        self.progress = progress or Progress()
        self.config: RunConfig = folder.config
        self.game = load(self.config.game)
        self.started = clock()  # shifted as if the run had never been interrupted
        self.deadline = float("inf")
        self.samples: Samples | None = None
        self.oldest = 0  # the first generation whose samples are kept
        self.evaluator: NetworkEvaluator | None = (
            None  # for expectations; `evaluated` names its network
        )
        self.evaluated = -1
        self.engine: selfplay.Engine | None = None
        self.on_cluster = None if pool is None else ClusterGames(self, pool)

    def watch(self, tell: Callable[[int], None], before: int = 0) -> Callable[[int, int], None]:
        """The callback of a block or a trainer."""

        def look(done: int, _more: int) -> None:
            tell(before + done)
            self.look_at_the_clock()

        return look

    def passed(self) -> float | None:
        """The share of the run's minutes that has passed, interruptions excluded; None if none are
        planned.
        """
        planned = 60.0 * self.config.minutes
        return (clock() - self.started) / planned if planned else None

    def look_at_the_clock(self) -> None:
        stopping.check()
        if self.on_cluster is not None and self.on_cluster.ahead is not None:
            self.on_cluster.ahead.step(0.0)
        if clock() >= self.deadline:
            raise OutOfTimeError

    # --- networks that play

    def network(self, number: int) -> "Network":
        path = self.folder.part_path(number) / NETWORK
        return load_network(path if path.exists() else self.folder.network(number), self.game)

    def contestant(self, number: int, simulations: int = 0) -> Contestant:
        """A generation as it plays when measured."""
        config = self.config.selfplay
        evaluator = self.new_evaluator(number)
        return network_contestant(
            self.game, str(number), evaluator, config, noise=False, simulations=simulations
        )

    def new_evaluator(self, number: int) -> NetworkEvaluator:
        device = self.config.device
        threads = self.config.threads
        return NetworkEvaluator(
            self.game, self.network(number), device=device, threads=threads, compiled=False
        )

    # --- self-play

    def self_play(self, part: Path, before: Generation) -> Values:
        """Play blocks of games, writing each when it is finished. On a GPU it is one, of the next
        games to finish.
        """
        config = self.config.selfplay
        number = before.number + 1
        by = self.lagging(before)
        on_gpu = self.config.device == "cuda" and self.on_cluster is None
        spans = (
            [(0, config.games)] if on_gpu else selfplay.block_spans(config.games, config.at_once)
        )
        if on_gpu and not (self.has_samples(number) or (part / "training.json").exists()):
            (part / f"{block_name(0)}.json").unlink(
                missing_ok=True
            )  # its samples were lost with their process
        order = cache(
            partial(self.order, number, by, lambda path: partial(read_network, path, self.game))
        )
        found = []
        if self.engine is None:
            options: Any = {
                "threads": self.config.threads,
                "seed": draw_seed("gpu", self.config.seed, number),
            }
            self.engine = selfplay.Engine(self.game, self.config, on_gpu=on_gpu, **options)
        play = self.engine.play
        with self.progress.stage(number, "self-play", config.games) as tell:
            if self.on_cluster is not None:
                self.on_cluster.play(number, by, tell)
            for block, (first, end) in enumerate(spans):

                def make(block: int = block, first: int = first, num: int = end - first) -> Values:
                    return self.finish_block(
                        number, by, block, play(order(), first, num, self.watch(tell, first))
                    )

                found.append(self.once_block(part, number, block, make))
                tell(end)
        return selfplay.summary(found) | {"resign_below": self.resign_bar(by)}

    def lagging(self, before: Generation) -> Generation:
        """The generation whose champion plays the games after `before`."""
        number = max(0, before.number - self.config.selfplay.lag)
        return before if number == before.number else self.folder.generation(number)

    def once_block(self, part: Path, number: int, block: int, make: Callable[[], Values]) -> Values:
        folder = self.folder
        samples = [folder.samples_path(number, block)] if self.config.keep_samples else []
        return once(
            folder, part, block_name(block), make, [*samples, folder.games_path(number, block)]
        )

    def finish_block(self, number: int, by: Generation, block: int, result: BlockResult) -> Values:
        """Complete the samples of a block's games, and write games and samples."""
        samples = result.samples
        samples.generations[:] = number
        samples.ages[:] = number - 1 - by.champion
        samples.weights[:] = surprise_weights(samples, self.config.selfplay.surprise)
        if self.config.selfplay.method == "expectimax":
            # By generation: a champion that stays must not learn from the same draws again.
            seed = draw_seed("draws", self.config.seed, number - 1, block)
            result = result._replace(samples=self.expect(samples, by.champion, seed))
        return self.keep_block(number, block, result)

    def expect(self, samples: Samples, champion: int, seed: int) -> Samples:
        """A block's samples, with expectations of the champion for positions before a draw."""
        config = self.config
        is_other = champion != self.evaluated
        if self.evaluator is None or (is_other and config.device == "cpu"):
            self.evaluator = self.new_evaluator(champion)
        elif is_other:  # on a GPU the same evaluator with other weights keeps its captured graphs
            self.evaluator.forward.load(self.network(champion))
        self.evaluated = champion
        threads = (
            config.threads if config.device == "cuda" else 1
        )  # on the CPU the network uses them
        return selfplay.expect(
            self.game, samples, self.evaluator, config.selfplay, seed=seed, threads=threads
        )

    def order(self, number: int, by: Generation, reader: Callable[[Path], Any]) -> selfplay.Order:
        """The games of a generation, played by the champion as of `by`; `reader` makes what reads a
        network.
        """
        networks = [(str(one), reader(self.folder.network(one))) for one in self.opponents(by)]
        return selfplay.Order(self.config, number, networks, self.shares(by), self.resign_bar(by))

    def has_samples(self, number: int) -> bool:
        """Whether a generation's samples are in memory or on disk."""
        if self.folder.samples_path(number, 0).exists():
            return True
        return (
            self.samples is not None
            and self.samples.num > 0
            and int(self.samples.generations[-1]) == number
        )

    def save_replay(self) -> None:
        """Write samples that are only in memory, so that the run can resume with them."""
        if self.config.keep_samples or self.samples is None:
            return
        for number in np.unique(self.samples.generations).tolist():
            path = self.folder.samples_path(number, 0)
            if not path.exists():
                save_shard(path, self.game, take(self.samples, self.samples.generations == number))

    def keep_block(self, number: int, block: int, result: BlockResult) -> Values:
        """Write the games and samples of a block; returns what the report needs."""
        if self.config.keep_samples:
            save_shard(self.folder.samples_path(number, block), self.game, result.samples)
        else:
            if self.samples is None:
                self.window(number - 1)  # left by the previous process
            self.folder.samples_path(number, block).unlink(
                missing_ok=True
            )  # of games that these replace
            self.samples = join(
                [part for part in (self.samples, result.samples) if part is not None]
            )
        lines = [
            json.dumps({"generation": number, **line._asdict()}) + "\n" for line in result.games
        ]
        write_whole(self.folder.games_path(number, block), "".join(lines).encode())
        return selfplay.describe_block(result)

    def opponents(self, before: Generation) -> list[int]:
        """The champion, the previous one, and a recent generation, if self-play uses them.

        The champion replaces any that does not exist yet.
        """
        config = self.config.selfplay
        found = [before.champion]
        if config.two_champions or config.recent_share > 0.0:
            previous = before.previous if config.two_champions else None
            found.append(before.champion if previous is None else previous)
        if config.recent_share > 0.0:
            first, last = before.number - config.recent + 1, before.number
            known = [number for number in self.folder.numbers() if first <= number <= last]
            rng = np.random.default_rng(draw_seed("recent", self.config.seed, before.number))
            found.append(int(rng.choice(known)))
        return found

    def shares(self, before: Generation) -> list[float]:
        """Shares of the pairings, by the champion's score when it last met the previous one."""
        config = self.config.selfplay
        if before.previous is None:
            config = config.change(two_champions=False)
        score = self.last_score_against_previous(before) if config.two_champions else None
        return selfplay.pairing_shares(config, score)

    def last_score_against_previous(self, before: Generation) -> float | None:
        """The champion's score when it last met the previous one: at the gate that promoted it, or
        in self-play since.

        Generations after `before` do not count, nor games that, because of a lag, an earlier
        champion played.
        """
        first = before.champion + 1 + self.config.selfplay.lag
        for report in reversed(
            [report for report in self.folder.reports() if report["generation"] <= before.number]
        ):
            if report["promoted"]:
                return float(report["gate"]["score"]) if report["gate"] else None
            played = report["selfplay"]
            if report["generation"] >= first and played["against_previous"]["games"]:
                return float(played["against_previous"]["score"])
        return None

    def resign_bar(self, before: Generation) -> float:
        """The resignation threshold: as configured, lower if resigning was wrong too often in the
        last generation.
        """
        config = self.config.selfplay
        played = before.read_report()["selfplay"]
        if played is None:
            return config.resign_below
        return selfplay.lowered_bar(config, played["resign_checks"], played["resign_below"])

    # --- training

    def first_network(self, part: Path) -> None:
        """Write generation 0, the network to train."""
        config = self.config
        game = self.game

        def make() -> Values:
            if config.begin_with:
                network = load_network(find_network(config.begin_with, game), game)
                network.config = config.network  # the same but for `has_policy`
            else:
                network = new_network(
                    game, config.network, draw_seed("network", config.seed) % 2**63
                )
            save_network(part / NETWORK, network, game)
            return {}

        once(self.folder, part, "network", make, [part / NETWORK])

    def train(self, part: Path, before: Generation) -> Values:
        """Train the candidate, starting from the last generation's network."""
        number = before.number + 1

        def make() -> Values:
            config = self.config
            network = load_network(self.folder.network(before.number), self.game)
            trainer = Trainer(
                self.game, network, config.trainer, device=config.device, threads=config.threads
            )
            if (before.path / TRAINER).exists():
                trainer.load_state_tensors(load_file(before.path / TRAINER))
            replay = build_replay(
                self.game, self.window(number), config.replay, number, config.device
            )
            rng = np.random.default_rng(draw_seed("training", config.seed, number))
            with self.progress.stage(number, "training", num_steps(config.trainer, replay)) as tell:
                report = trainer.train(replay, number, rng, self.watch(tell), self.passed)
            save_network(part / NETWORK, trainer.network_to_play(), self.game)
            write_whole(part / TRAINER, save(trainer.state_tensors()))
            return {
                "training": asdict(report),
                "replay": asdict(replay.statistics) | {"oldest": self.oldest},
            }

        found = once(self.folder, part, "training", make, [part / NETWORK, part / TRAINER])
        self.folder.prune_samples(found["replay"].get("oldest", 0))
        return {
            "training": found["training"] | {"seconds": found["seconds"]},
            "replay": found["replay"],
        }

    def window(self, number: int) -> Samples:
        """The newest samples, including this generation's."""
        parts: list[Samples] = [] if self.samples is None else [self.samples]
        known = (
            int(self.samples.generations[-1])
            if self.samples is not None and self.samples.num
            else -1
        )
        for name in self.folder.missing_samples(known + 1, number):
            self.folder.note(f"{self.folder.path}: {name} is gone; training continues without it")
        for block in self.folder.blocks():
            if known < block.generation <= number:
                try:
                    parts.append(load_shard(block.path, self.game))
                except BadShardError as error:
                    self.folder.note(f"samples were set aside: {error}")
                    put_aside(block.path)
        joined = join(parts) if parts else new_samples(self.game, 0)
        window = take(joined, slice(max(0, joined.num - self.config.replay.window), None))
        if window.num:
            self.oldest = int(window.generations[0])
            # Whole generations, as a resumed run finds them.
            joined = take(
                joined, slice(int(np.searchsorted(joined.generations, self.oldest)), None)
            )
        self.samples = joined
        return window

    # --- gate, league and benchmark

    def judge(self, part: Path, before: Generation) -> Values | None:
        """The candidate against the champion, and against another previous one; None without a
        gate.
        """
        config = self.config.gate
        number = before.number + 1
        if config.games == 0 or self.game.num_seats > 2:
            return None
        rivals = [before.champion]
        if self.config.selfplay.two_champions and before.previous is not None:
            rivals.append(before.previous)

        def make() -> Values:
            candidate, *champions = (
                self.contestant(one, config.simulations) for one in (number, *rivals)
            )
            seed = draw_seed("gate", self.config.seed, number)
            contests = {}
            with self.progress.stage(number, "gate", config.games) as tell:
                for index, champion in enumerate(champions):
                    options: Any = {
                        "games": config.games,
                        "openings": config.opening_plies,
                        "watch": self.watch(tell),
                    }
                    contests[champion.name] = contest(
                        self.game, candidate, champion, seed=seed + index, **options
                    )
            return open_gate(contests, config)

        return once(self.folder, part, "gate", make)

    @property
    def yardstick(self) -> tuple[str, int, Callable[[int], Values]]:
        """How generations are measured: the name, the interval in generations, and the function:
        the league for several
        seats, the benchmark for one."""
        if self.game.num_seats > 1:
            return "league", self.config.league.every, self.rate
        config = self.config.benchmark
        return "benchmark", config.every if config.deals else 0, self.benchmark

    def measure(self, part: Path, number: int) -> Values:
        """The rating or benchmark of a generation, if it is due and there is time for it."""
        name, every, measure = self.yardstick
        too_short = number == 0 and 0 < self.config.minutes < LEAST_MINUTES
        if too_short or not every or number % every:
            return {}
        return {name: once(self.folder, part, name, lambda: measure(number))}

    def rate(self, number: int) -> Values:
        config = self.config.league
        seed = self.config.seed
        anchors = [anchor_contestant(self.game, text) for text in config.anchors]
        with self.progress.stage(number, "rating", config.games) as tell:
            meet = partial(contest, self.game, games=config.games, watch=self.watch(tell))
            first = partial(meet, seed=draw_seed("anchors", seed), threads=self.config.threads)
            points = anchor_points(self.folder, lambda: play_anchors(first, anchors, config.games))
            mine = self.contestant(number, config.simulations)
            meet = partial(meet, seed=draw_seed("league", seed))
            return rate_generation(meet, mine, anchors, points, config.games)

    def benchmark(self, number: int) -> Values:
        config = self.config.benchmark
        at_once = self.config.selfplay.at_once
        mine = self.contestant(number, config.simulations)
        with self.progress.stage(number, "benchmark", config.deals) as tell:
            return benchmark(self.game, mine, config, at_once, self.watch(tell))
