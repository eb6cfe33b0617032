"""A run in progress: one generation after another, until it ends."""

from anyzero.core.learning.contests import has_converged
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.generation import Progress, Stages
from anyzero.core.learning.once import OutOfTimeError
from anyzero.core.learning.orders import Elsewhere


class Training:
    """A run in progress, within its locked folder: one generation after another."""

    def __init__(
        self,
        folder: RunFolder,
        progress: Progress | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.folder = folder
        self.config = folder.config
        self.stages = Stages(folder, progress, elsewhere)

    def run(self, generations: int | None = None, minutes: float | None = None) -> str:
        """Continue until this many generations or minutes in total; returns why it ended, in
        words.
        """
        stages = self.stages
        stages.timer.start(minutes)
        most = self.config.generations if generations is None else generations
        threshold = self.config.benchmark.convergence_threshold
        try:
            newest = self.folder.newest() or stages.begin()
            while newest.number < most:
                stages.timer.look()
                if has_converged(self.benchmarks(), threshold):
                    return "the benchmark has converged"
                newest = stages.next_generation(newest, is_last=newest.number + 1 == most)
        except OutOfTimeError:
            return "the time is up"
        finally:
            stages.window.save()
        return f"generation {newest.number} is done"

    def benchmarks(self) -> list[float]:
        """The means so far, without those measured only because training stopped: these must not
        change the run.
        """
        every = self.config.benchmark.every
        measured = [report for report in self.folder.reports() if report.get("benchmark")]
        return [
            report["benchmark"]["mean"] for report in measured if not report["generation"] % every
        ]
