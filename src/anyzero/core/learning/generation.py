"""A generation: games, training, gate and measurements, stage by stage.

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
from typing import TYPE_CHECKING

import numpy as np
from safetensors.torch import load_file, save

from anyzero.core.base.files import write_whole
from anyzero.core.base.nouns import Values
from anyzero.core.base.seeds import draw_seed
from anyzero.core.compile.clock import clock
from anyzero.core.game.load import load
from anyzero.core.learning.block import (
    BlockResult,
    Contestant,
    anchor_contestant,
    network_contestant,
)
from anyzero.core.learning.config import RunConfig
from anyzero.core.learning.contests import (
    benchmark,
    contest,
    open_gate,
    play_anchors,
    rate_generation,
)
from anyzero.core.learning.expectations import expect
from anyzero.core.learning.find import find_network
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.lesson import num_steps
from anyzero.core.learning.manifest import NETWORK, REPORT, TRAINER, Generation
from anyzero.core.learning.once import Tell, Timer, anchor_points, block_name, once
from anyzero.core.learning.orders import (
    Elsewhere,
    Reader,
    block_spans,
    lagging,
    make_order,
    resign_bar,
)
from anyzero.core.learning.replay import build_replay
from anyzero.core.learning.samples import in_generation, surprise_weights
from anyzero.core.learning.selfplay import Engine, describe_block, summary
from anyzero.core.learning.trainer import Trainer
from anyzero.core.learning.window import Window
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import load_network, new_network
from anyzero.core.nets.weights import read_network, save_network

if TYPE_CHECKING:
    from anyzero.core.nets.models import Network

LEAST_MINUTES = 10.0
"""A run planned for less time does not measure the untrained network."""
STAGES = ("selfplay", "replay", "training", "gate", "league", "benchmark")
"""The parts of a report; null if not measured."""


class Progress:
    """Receives the progress of a stage; this one ignores it."""

    def stage(self, generation: int, name: str, total: int) -> AbstractContextManager[Tell]:
        return nullcontext(lambda done: None)

    def finished(self, report: Values) -> None: ...


class Stages:
    """The stages of a run's generations, within its locked folder."""

    def __init__(
        self,
        folder: RunFolder,
        progress: Progress | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.folder = folder
        self.progress = progress or Progress()
        self.config: RunConfig = folder.config
        self.game = load(self.config.game)
        self.timer = Timer(folder, self.step_ahead)
        self.window = Window(folder, self.game)
        # for expectations; `evaluated` names its network
        self.evaluator: NetworkEvaluator | None = None
        self.evaluated = -1
        self.engine: Engine | None = None
        self.elsewhere = elsewhere
        self.ahead: int | None = None  # the generation begun elsewhere during training
        self.waiting_since: float | None = None  # when the run began to wait for games elsewhere

    # --- a generation

    def begin(self) -> Generation:
        """Generation 0: an untrained network, rated like all others."""
        part = self.folder.part(0)
        self.first_network(part)
        report = {"generation": 0, **self.measure(part, 0)}
        return self.finish(0, report, {"champion": 0, "previous": None, "promoted": True})

    def next_generation(self, before: Generation, *, is_last: bool = False) -> Generation:
        number = before.number + 1
        part = self.folder.part(number)
        games = self.self_play(part, before)
        if self.elsewhere is not None and self.config.selfplay.lag and not is_last:
            self.begin_elsewhere(self.elsewhere, number + 1, before)
            self.ahead = number + 1
        training = self.train(part, before)
        gate = self.judge(part, before)
        promoted = gate is None or bool(gate["promoted"])
        measured = self.measure(part, number)
        report = {"generation": number, "selfplay": games, **training, "gate": gate, **measured}
        facts = {
            "champion": number if promoted else before.champion,
            "previous": before.champion if promoted else before.previous,
            "promoted": promoted,
        }
        return self.finish(number, report, facts)

    def finish(self, number: int, report: Values, facts: Values) -> Generation:
        parts = {name: entry for name, entry in report.items() if isinstance(entry, dict)}
        seconds = {name: entry["seconds"] for name, entry in parts.items() if "seconds" in entry}
        report = dict.fromkeys(STAGES) | report | {"seconds": seconds} | facts
        content = json.dumps(report, indent=1) + "\n"
        write_whole(self.folder.part(number) / REPORT, content.encode())
        generation = self.folder.commit(number, facts)
        self.progress.finished(report)
        return generation

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
        by = lagging(self.folder, before)
        on_gpu = self.config.device == "cuda" and self.elsewhere is None
        spans = [(0, config.games)] if on_gpu else block_spans(config.games, config.at_once)
        if on_gpu and not (self.window.has(number) or (part / "training.json").exists()):
            # its samples were lost with their process
            (part / f"{block_name(0)}.json").unlink(missing_ok=True)
        order = cache(partial(make_order, self.folder, number, by, self.reader))
        if self.engine is None:
            seed = draw_seed("gpu", self.config.seed, number)
            self.engine = Engine(
                self.game, self.config, threads=self.config.threads, on_gpu=on_gpu, seed=seed
            )
        play = self.engine.play
        results = []
        with self.progress.stage(number, "self-play", config.games) as tell:
            if self.elsewhere is not None:
                self.play_elsewhere(self.elsewhere, number, by, tell)
            for block, (first, end) in enumerate(spans):

                def make(block: int = block, first: int = first, num: int = end - first) -> Values:
                    result = play(order(), first, num, self.timer.watch(tell, first))
                    return self.finish_block(number, by, block, result)

                results.append(self.once_block(part, number, block, make))
                tell(end)
        return summary(results) | {"resign_below": resign_bar(self.folder, by)}

    def reader(self, path: Path) -> Reader:
        return partial(read_network, path, self.game)

    def once_block(self, part: Path, number: int, block: int, make: Callable[[], Values]) -> Values:
        folder = self.folder
        samples = [folder.samples_path(number, block)] if self.config.keep_samples else []
        files = [*samples, folder.games_path(number, block)]
        return once(folder, part, block_name(block), make, files)

    def finish_block(self, number: int, by: Generation, block: int, result: BlockResult) -> Values:
        """Complete the samples of a block's games, and write games and samples."""
        weights = surprise_weights(
            result.samples.policy_weights, result.surprises, self.config.selfplay.surprise
        )
        age = number - 1 - by.champion
        samples = in_generation(result.samples, number, age=age, weights=weights)
        if self.config.selfplay.method == "expectimax":
            # By generation: a champion that stays must not learn from the same draws again.
            seed = draw_seed("draws", self.config.seed, number - 1, block)
            evaluator = self.evaluator_of(by.champion)
            # on the CPU the network uses the threads
            threads = self.config.threads if self.config.device == "cuda" else 1
            samples = expect(
                self.game, samples, evaluator, self.config.selfplay, seed=seed, threads=threads
            )
        return self.keep_block(number, block, result._replace(samples=samples))

    def evaluator_of(self, champion: int) -> NetworkEvaluator:
        """The champion's evaluator for expectations; it stays until there is another champion."""
        is_other = champion != self.evaluated
        if self.evaluator is None or (is_other and self.config.device == "cpu"):
            self.evaluator = self.new_evaluator(champion)
        elif is_other:  # on a GPU the same evaluator with other weights keeps its captured graphs
            self.evaluator.forward.load(self.network(champion))
        self.evaluated = champion
        return self.evaluator

    def keep_block(self, number: int, block: int, result: BlockResult) -> Values:
        """Write the games and samples of a block; returns what the report needs."""
        self.window.keep(number, block, result.samples)
        lines = [
            json.dumps({"generation": number, **line._asdict()}) + "\n" for line in result.games
        ]
        write_whole(self.folder.games_path(number, block), "".join(lines).encode())
        return describe_block(result)

    def begin_elsewhere(self, elsewhere: Elsewhere, number: int, by: Generation) -> None:
        """Have the missing blocks of a generation played; each is written when it is complete."""
        self.waiting_since = None
        part = self.folder.part(number)
        config = self.config.selfplay
        spans = {
            block: span
            for block, span in enumerate(block_spans(config.games, config.at_once))
            if not (part / f"{block_name(block)}.json").exists()
        }

        def keep(block: int, result: BlockResult, busy: float) -> None:
            since = self.waiting_since
            waited = 0.0 if since is None else min(busy, clock() - since)
            times = {"seconds": waited, "busy_seconds": busy}
            self.once_block(
                part, number, block, lambda: self.finish_block(number, by, block, result) | times
            )

        elsewhere.begin(make_order(self.folder, number, by, elsewhere.share), spans, keep)

    def play_elsewhere(self, elsewhere: Elsewhere, number: int, by: Generation, tell: Tell) -> None:
        """Make sure that all blocks of a generation are on disk."""
        if self.ahead != number:
            self.begin_elsewhere(elsewhere, number, by)
        self.ahead = None
        self.waiting_since = clock()
        while elsewhere.missing:
            elsewhere.step(wait=True)
            tell(self.config.selfplay.games - elsewhere.missing)
            self.timer.look()

    def step_ahead(self) -> None:
        """Advance games that were begun elsewhere while this machine does something else."""
        if self.elsewhere is not None and self.ahead is not None:
            self.elsewhere.step(wait=False)

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
                self.game, self.window.newest(number), config.replay, number, config.device
            )
            rng = np.random.default_rng(draw_seed("training", config.seed, number))
            with self.progress.stage(number, "training", num_steps(config.trainer, replay)) as tell:
                watch = self.timer.watch(tell)
                report = trainer.train(replay, number, rng, watch, self.timer.passed)
            save_network(part / NETWORK, trainer.network_to_play(), self.game)
            write_whole(part / TRAINER, save(trainer.state_tensors()))
            return {
                "training": asdict(report),
                "replay": asdict(replay.statistics) | {"oldest": self.window.oldest},
            }

        result = once(self.folder, part, "training", make, [part / NETWORK, part / TRAINER])
        self.window.prune(result["replay"].get("oldest", 0))
        training = result["training"] | {"seconds": result["seconds"]}
        return {"training": training, "replay": result["replay"]}

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
                self.contestant(player, config.simulations) for player in (number, *rivals)
            )
            seed = draw_seed("gate", self.config.seed, number)
            contests = {}
            with self.progress.stage(number, "gate", config.games) as tell:
                for index, champion in enumerate(champions):
                    contests[champion.name] = contest(
                        self.game,
                        candidate,
                        champion,
                        seed=seed + index,
                        games=config.games,
                        openings=config.opening_plies,
                        watch=self.timer.watch(tell),
                    )
            return open_gate(contests, config)

        return once(self.folder, part, "gate", make)

    @property
    def yardstick(self) -> tuple[str, int, Callable[[int], Values]]:
        """How generations are measured: the name, the interval in generations, and the function;
        the league for several seats, the benchmark for one.
        """
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
            meet = partial(contest, self.game, games=config.games, watch=self.timer.watch(tell))
            first = partial(meet, seed=draw_seed("anchors", seed), threads=self.config.threads)
            points = anchor_points(self.folder, lambda: play_anchors(first, anchors, config.games))
            player = self.contestant(number, config.simulations)
            meet = partial(meet, seed=draw_seed("league", seed))
            return rate_generation(meet, player, anchors, points, config.games)

    def benchmark(self, number: int) -> Values:
        config = self.config.benchmark
        at_once = self.config.selfplay.at_once
        player = self.contestant(number, config.simulations)
        with self.progress.stage(number, "benchmark", config.deals) as tell:
            return benchmark(self.game, player, config, at_once, self.timer.watch(tell))
