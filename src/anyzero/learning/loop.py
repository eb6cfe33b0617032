"""The loop: self-play, training, gate, next generation. Whatever is finished is on disk, and is never done again."""

import json
import time
from typing import Any

from anyzero.learning.config import RunConfig
from anyzero.learning.contests import has_converged
from anyzero.learning.folder import RunFolder
from anyzero.learning.manifest import Generation
from anyzero.learning.stages import OutOfTimeError, Progress, Silent, Stages, write_json

STAGES = ("selfplay", "replay", "training", "gate", "league", "benchmark")
"""The parts of a report; those that were not measured are null."""


class Training:
    """A run under way, within its locked folder."""

    def __init__(self, folder: RunFolder, progress: Progress | None = None) -> None:
        self.folder, self.progress = folder, progress or Silent()
        self.config: RunConfig = folder.config
        self.stages = Stages(folder, self.progress)

    def run(self, generations: int | None = None, minutes: float | None = None) -> str:
        """Go on until so many generations or minutes in all are done; returns why it ended, in words."""
        if minutes is not None:
            self.stages.deadline = time.monotonic() + 60.0 * minutes - self.seconds_so_far()
        most = self.config.generations if generations is None else generations
        try:
            newest = self.folder.newest() or self.begin()
            while newest.number < most:
                self.stages.look_at_the_clock()
                if self.has_converged():
                    return "the benchmark has converged"
                newest = self.next_generation(newest)
        except OutOfTimeError:
            return f"{minutes:g} minutes are over"
        return f"{newest.number} generations are done"

    def seconds_so_far(self) -> float:
        """Of all finished generations, and of the stages of the one under way."""
        finished = sum(sum(report["seconds"].values()) for report in self.folder.reports())
        parts = [self.folder.part_path(number) for number in self.folder.part_numbers()]
        stages = [json.loads(path.read_text()) for part in parts for path in part.glob("*.json")]
        return float(finished + sum(stage["seconds"] for stage in stages if type(stage.get("seconds")) is float))

    def has_converged(self) -> bool:
        found = [report["benchmark"] for report in self.folder.reports() if report.get("benchmark")]
        return has_converged([entry["mean"] for entry in found], self.config.benchmark.convergence_threshold)

    def begin(self) -> Generation:
        """Generation 0: a network that knows nothing, rated like all the others."""
        part = self.folder.part(0)
        self.stages.first_network(part)
        report = {"generation": 0, **self.stages.measure(part, 0)}
        return self.finish(0, report, {"champion": 0, "previous": None, "promoted": True})

    def next_generation(self, before: Generation) -> Generation:
        """Everything from the games to the verdict."""
        number = before.number + 1
        part = self.folder.part(number)
        played = self.stages.self_play(part, before)
        trained = self.stages.train(part, before)
        judged = self.stages.judge(part, before)
        promoted = judged is None or bool(judged["promoted"])
        measured = self.stages.measure(part, number)
        report = {"generation": number, "selfplay": played, **trained, "gate": judged, **measured}
        facts = {
            "champion": number if promoted else before.champion,
            "previous": before.champion if promoted else before.previous,
            "promoted": promoted,
        }
        return self.finish(number, report, facts)

    def finish(self, number: int, report: dict[str, Any], facts: dict[str, Any]) -> Generation:
        """Write the report, make the generation count, and tell of it."""
        parts = {name: entry for name, entry in report.items() if isinstance(entry, dict)}
        seconds = {name: entry["seconds"] for name, entry in parts.items() if "seconds" in entry}
        report = dict.fromkeys(STAGES) | report | {"seconds": seconds} | facts
        write_json(self.folder.part(number) / "report.json", report)
        generation = self.folder.commit(number, facts)
        self.progress.finished(report)
        return generation
