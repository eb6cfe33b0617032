"""What `anyzero train` shows while it works: a bar for the stage under way, and a line for each generation."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.learning.folder import RunFolder


class Bars:
    """A bar for the stage under way, and a line for each generation."""

    def __init__(self, folder: "RunFolder", *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.folder, self.quiet, self.told = folder, quiet, 0
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        off = quiet or not sys.stderr.isatty()
        self.bar = Progress(*columns, console=self.console, transient=True, disable=off)

    def begin(self) -> None:
        if not self.quiet:
            config = self.folder.config
            self.console.print(f"{config.game}: run {self.folder.path}, {describe_network(config)}, {config.device}")

    def close(self) -> None:
        self.bar.stop()

    def tell_notes(self) -> None:
        """What was wrong with the folder and passed over."""
        for note in self.folder.notes[self.told :]:
            self.console.print(note)
        self.told = len(self.folder.notes)

    @contextmanager
    def stage(self, generation: int, name: str, total: int) -> Iterator[Callable[[int], None]]:
        self.tell_notes()
        self.bar.start()
        task = self.bar.add_task(f"generation {generation}: {name}", total=total or None)
        try:
            yield lambda done: self.bar.update(task, completed=done)
        finally:
            self.bar.remove_task(task)

    def finished(self, report: dict[str, Any]) -> None:
        from anyzero.learning.history import rebuild

        rebuild(self.folder)
        self.tell_notes()
        if not self.quiet:
            self.console.print(summary_line(report))
            for note in (report["training"] or {}).get("notes", []):
                self.console.print(f"  {note}")


def describe_network(config: Any) -> str:
    network = config.network
    size = f"{network.blocks}x{network.channels}" if network.kind == "residual" else f"{network.layers}x{network.width}"
    return f"{network.kind} network {size}"


def summary_line(report: dict[str, Any]) -> str:
    """One generation in one line."""
    parts = [f"generation {report['generation']:3d}"]
    played, trained = report["selfplay"], report["training"]
    if played:
        speed = f"{played['simulations_per_second'] / 1000:.1f} k simulations/s"
        parts.append(f"{played['games']} games, {played['samples']} samples, {speed}")
    if trained:
        parts.append(
            f"policy loss {trained['policy_loss']:.3f} (KL {trained['kl']:.3f}), value loss {trained['value_loss']:.3f}"
        )
    if report["gate"]:
        gate = report["gate"]
        parts.append(f"gate {100 * gate['score']:.0f} % {'promoted' if gate['promoted'] else 'kept out'}")
    if report["league"]:
        league = report["league"]
        parts.append(f"Elo {league['elo']:+.0f} [{league['low']:+.0f}, {league['high']:+.0f}]")
    if report["benchmark"]:
        parts.append(f"benchmark {report['benchmark']['mean']:.1f}")
    parts.append(f"{sum(report['seconds'].values()):.0f} s")
    return "  ".join(parts)
