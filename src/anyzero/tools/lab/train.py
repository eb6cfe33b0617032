"""The entry point of training: `train("connect_four", run="four", minutes=30)`; an existing run
resumes.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from anyzero.core.base import stopping
from anyzero.core.base.errors import BadOptionError, whole
from anyzero.core.base.extras import find
from anyzero.core.base.files import write_whole
from anyzero.core.base.nouns import NamedValues, Values
from anyzero.core.base.report import Part, Sheet, Shown
from anyzero.core.base.sealed import write_sealed
from anyzero.core.base.seeds import draw_seed
from anyzero.core.compile.clock import clock
from anyzero.core.game.game import Game
from anyzero.core.learning.block import anchor_contestant
from anyzero.core.learning.config import RANDOM, RunConfig, parse_setting
from anyzero.core.learning.contests import contest
from anyzero.core.learning.folder import END, END_FILE, NOW, RunFolder, is_run, run_path
from anyzero.core.learning.generation import Progress, Stages
from anyzero.core.learning.orders import Elsewhere
from anyzero.tools.lab.history import HISTORY, rebuild_history
from anyzero.tools.lab.opening import default_names, fill_in, make_config, open_run, train_on
from anyzero.tools.lab.summary import RunSummary, describe_network, plot_runs, span, summarise_run
from anyzero.tools.progress import Tell, in_notebook
from anyzero.tools.progress import progress as bar

NOTE_EVERY_S = 1.0
RECENT = 5  # generations used to estimate the duration of the next ones
COMPARED = ("generation", "policy_loss", "value_loss", "kl", "benchmark_score_mean", "elo")


def train(
    game: Game | str | None = None,
    *,
    run: str | None = None,
    preset: str | None = None,
    config_file: Path | str | None = None,
    generations: int | None = None,
    minutes: float | None = None,
    match: int = 0,
    progress: bool = True,
    cluster: str | None = None,
    changes: NamedValues | None = None,
    **settings: Any,
) -> RunSummary:
    """Train a network by self-play for a total number of generations or minutes; an existing run
    resumes.

    The run is the folder runs/`run`, named after the preset or the game if left out. Settings are
    those of docs/training.md: `seed=3`, `selfplay={"simulations": 64}`, or by their full names in
    `changes`. `match` is the number of final games between the champion and the strongest anchor.
    With `cluster`, `auto` or the address of a Ray cluster, its nodes play; the result is the same.

    >>> run = anyzero.train("tic_tac_toe", minutes=1, selfplay={"simulations": 16})
    >>> run.plot()
    >>> anyzero.match("tic_tac_toe", run.champion, "uct:1000")
    """
    text = game.text if isinstance(game, Game) else game
    all_changes = {**settings, **(changes or {})}
    whole("match", match, range(10**9), f"a match of {match} games is not possible")
    times: Values = {"generations": generations, "minutes": minutes}
    folder = open_run(
        text, run=run, preset=preset, config_file=config_file, changes=all_changes, **times
    )
    kept = f"stopped; finished work is saved in {folder.path}, the same command resumes from there"
    with (
        stopping.telling(lambda: kept),
        games_elsewhere(cluster, folder.config) as elsewhere,
        bar("preparing", shown=progress) as tell,
    ):
        watch = Watcher(folder, tell, elsewhere, shown=progress, **times)
        try:
            ended = train_on(folder, progress=watch, elsewhere=elsewhere, **times)
            end_run(folder, match - match % 2, watch)
        finally:
            (folder.path / NOW).unlink(missing_ok=True)
        return replace(summarise_run(folder.path), ended=ended)


class Cluster(Elsewhere, Protocol):
    """What plays games on a cluster, and says how it is doing."""

    def describe(self) -> str:
        """The cluster and its speed, in words."""


def games_elsewhere(
    cluster: str | None, config: RunConfig
) -> AbstractContextManager[Cluster | None]:
    """What plays the games of a run on a cluster, if one is named."""
    if cluster is None:
        return nullcontext()
    return find("cluster").games_on_cluster(cluster, config)  # type: ignore[no-any-return]


class Watcher(Progress):
    """A progress bar for the current stage, the run's remaining time, and a line per generation."""

    def __init__(
        self,
        folder: RunFolder,
        tell: Tell,
        cluster: Cluster | None = None,
        *,
        shown: bool,
        **asked: Any,
    ) -> None:
        """`asked` holds the requested generations and minutes, if any."""
        self.folder = folder
        self.tell = tell
        self.told = 0
        self.cluster = cluster
        self.noted = 0.0
        self.generations = asked.get("generations") or folder.config.generations
        self.minutes = asked.get("minutes")
        self.times = [sum(report["seconds"].values()) for report in folder.reports()]
        """Seconds per generation; the first has no games to learn from."""
        self.since = clock()  # when the current one began
        self.ready: set[str] = set()
        self.shown = shown and not in_notebook()  # there the bar is enough, followed by the table
        config = folder.config
        self.say(f"{config.game}: run {folder.path}, {describe_network(config)}, {config.device}")
        newest = max(folder.numbers(), default=0)
        if newest > 0:
            self.say(f"resuming after generation {newest}; --run NAME starts another run")

    def say(self, words: str) -> None:
        if self.shown:
            print(words, file=sys.stderr)

    def tell_notes(self) -> None:
        """Report the folder's faults that were skipped, even if nothing else is reported."""
        for note in self.folder.notes[self.told :]:
            print(note, file=sys.stderr)
        self.told = len(self.folder.notes)

    @contextmanager
    def stage(self, generation: int, name: str, total: int) -> Iterator[Callable[[int], None]]:
        self.tell_notes()
        words = f"generation {generation}: {name}"

        def tell(done: int) -> None:
            if done > 0:
                self.ready.add(name)
            beside = "" if self.cluster is None else f" ({self.cluster.describe()})"
            beside = beside if name in self.ready else f" (compiling, once){beside}"
            beside += self.left()
            self.tell(done, words + beside, total or None)
            self.note(f"{words} {done}/{total}{beside}")

        tell(0)
        yield tell

    def left(self) -> str:
        """The remaining time, by the minutes and by the duration of recent generations; empty if
        unknown.
        """
        now = clock() - self.since
        usual = self.times[1:][-RECENT:]
        ends = [60.0 * self.minutes - sum(self.times)] if self.minutes else []
        ends += (
            [(self.generations + 1 - len(self.times)) * sum(usual) / len(usual)] if usual else []
        )
        return f", about {span(min(ends) - now)} left" if ends else ""

    def note(self, words: str) -> None:
        """Write the current stage every second or so, for those who watch the folder from
        elsewhere.
        """
        if self.folder.is_locked and time.monotonic() > self.noted + NOTE_EVERY_S:
            self.noted = time.monotonic()
            with suppress(OSError):  # a full disk is reported where it matters
                (self.folder.path / NOW).write_text(words)

    def finished(self, report: Values) -> None:
        rebuild_history(self.folder)
        self.times.append(sum(report["seconds"].values()))
        self.since = clock()
        self.tell_notes()
        self.say(summary_line(report))
        for note in (report["training"] or {}).get("notes", []):
            self.say(f"  {note}")


def summary_line(report: Values) -> str:
    parts = [f"generation {report['generation']:3d}"]
    played, trained, gate, league = (
        report[name] for name in ("selfplay", "training", "gate", "league")
    )
    if played:
        speed = f"{played['simulations_per_second'] / 1000:.1f} k simulations/s"
        parts.append(f"{played['games']} games, {played['samples']} samples, {speed}")
    if trained:
        policy = f"policy loss {trained['policy_loss']:.3f} (KL {trained['kl']:.3f})"
        parts.append(f"{policy}, value loss {trained['value_loss']:.3f}")
    if gate:
        parts.append(
            f"gate {100 * gate['score']:.0f} % {'promoted' if gate['promoted'] else 'rejected'}"
        )
    if league:
        parts.append(f"Elo {league['elo']:+.0f} [{league['low']:+.0f}, {league['high']:+.0f}]")
    if report["benchmark"]:
        parts.append(f"benchmark {report['benchmark']['mean']:.1f}")
    return "  ".join([*parts, f"{sum(report['seconds'].values()):.0f} s"])


@dataclass(frozen=True, repr=False)
class Sweep(Shown):
    """Runs that differ in one setting, ordered by the final match, best first."""

    setting: str
    runs: list[RunSummary]
    picture: Path  # the image of their curves

    plot = plot_runs

    def report(self) -> Iterator[Part]:
        rows = [
            [run.path, *(show_known(run, name) for name in COMPARED), run.match_text]
            for run in self.runs
        ]
        yield Sheet(("run", *COMPARED, "end match"), rows)
        yield f"curves written to {self.picture}"

    def to_json(self) -> Values:
        runs = [
            {
                "run": str(run.path),
                **{name: run.last(name) for name in COMPARED},
                "match": run.match,
            }
            | {field: run.to_json()[field] for field in ("benchmark_generation", "elo_generation")}
            for run in self.runs
        ]
        return {"sweep": self.setting, "picture": str(self.picture), "runs": runs}

    def write_history(self, output: Path) -> None:
        """All histories in one table, with the run's name at the start of each row."""
        tables = [(run.name, (run.path / HISTORY).read_text().splitlines()) for run in self.runs]
        lines = [
            f"run,{tables[0][1][0]}",
            *(f"{name},{row}" for name, table in tables for row in table[1:]),
        ]
        write_whole(output, ("\n".join(lines) + "\n").encode())


def show_known(run: RunSummary, name: str) -> str:
    """The newest number of a column, and its generation if that is not the newest."""
    value = run.last(name)
    generation = run.last(name, "generation")
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if generation in (None, run.generations) else f"{text} at generation {generation}"


def sweep(
    setting: str,
    game: Game | str | None = None,
    *,
    run: str | None = None,
    preset: str | None = None,
    config_file: Path | str | None = None,
    changes: NamedValues | None = None,
    **options: Any,
) -> Sweep:
    """Train once for each value of a setting, and compare; the other arguments are those of
    `train`.

    >>> anyzero.sweep("selfplay.simulations=16,64", "tic_tac_toe", minutes=5)
    """
    key, equals, values = setting.partition("=")
    if not equals or not values:
        raise BadOptionError(f"{setting!r} is not of the form setting=a,b,c")
    text = game.text if isinstance(game, Game) else game
    common = dict(changes or {})
    recipe: Values = {"preset": preset, "config_file": config_file}
    base = run or next(default_names(make_config(text, **recipe, changes=common), preset))
    stem = f"{base}-{key.rpartition('.')[2]}"
    changes_by_run = {  # no new folders: a value may be a path or a position
        f"{stem}-{value.strip().replace('/', '-')}": common
        | dict([parse_setting(f"{key}={value}")])
        for value in values.split(",")
    }
    check_runs(text, recipe, changes_by_run)
    runs = [
        train(text, run=name, **recipe, changes=settings, **options)
        for name, settings in changes_by_run.items()
    ]
    runs.sort(key=lambda run: run.match["score"] if run.match else -1.0, reverse=True)
    result = Sweep(key, runs, run_path(f"{stem}.png"))
    result.plot(file=result.picture)
    return result


def check_runs(game: str | None, recipe: Values, changes: dict[str, Values]) -> None:
    """Raise an error if one of the runs cannot be trained, before any starts."""
    begun = [name for name in changes if is_run(run_path(name))]
    for name, settings in changes.items():
        if name not in begun:
            RunFolder(run_path(name)).check_is_free()
            fill_in(make_config(game, **recipe, changes=settings))
    for name in begun:  # last, since changes to an existing run are written at once
        open_run(game, run=name, **recipe, changes=changes[name])


# --- when training stops: the newest generation is measured and the champion plays its match, kept
# in `end.json`


def end_run(folder: RunFolder, games: int, progress: Progress) -> None:
    """Measure what is still unmeasured, play the match, and write both; nothing before the first
    games.
    """
    newest = folder.newest()
    if newest is None or newest.number == 0:
        return
    with folder.locked():
        before = folder.stops()
        stages = Stages(folder, progress)
        last_stop = next((stop for stop in before[-1:] if stop["generation"] == newest.number), {})
        measured, (name, every, measure) = last_stop.get("measured"), stages.yardstick
        if not measured:  # it may not have been due in this generation
            measured = (
                {name: measure(newest.number)} if every and not folder.reports()[-1][name] else {}
            )
        match = last_stop.get("match")
        if games and (match is None or match["games"] != games):
            match = final_match(stages, newest.champion, games)
        stop_facts = {"generation": newest.number, "measured": measured, "match": match}
        if stop_facts.items() <= last_stop.items():
            return
        earlier = [
            {name: stop[name] for name in stop_facts}
            for stop in before
            if stop["generation"] < newest.number
        ]
        write_sealed(folder.path / END_FILE, END, {**stop_facts, "earlier": earlier})
        rebuild_history(folder)


def final_match(stages: Stages, champion: int, games: int) -> Values | None:
    """The champion against the strongest anchor, or against random play in a game of one seat."""
    game = stages.game
    config = stages.config
    names = (RANDOM,) if game.num_seats == 1 else config.league.anchors
    if not names:
        return None
    name = names[-1]
    ours = stages.contestant(champion)
    theirs = anchor_contestant(game, name)
    seed = draw_seed("proof", config.seed)
    with stages.progress.stage(champion, "match", games) as tell:
        result = contest(game, ours, theirs, games=games, seed=seed, watch=stages.timer.watch(tell))
    if result.means is not None:
        mean, other = result.means
        brief = f"{mean:.1f} points, {name} {other:.1f}"
        played = f", on the same {games // 2} deals"
    else:
        score, low, high = (f"{100 * share:.0f}" for share in result.shares.values())
        brief = f"{score} % [{low}, {high}] against {name}"
        played = f" in {games} games"
    text = f"the champion scores {brief}{played}"
    return {
        "against": name,
        "games": result.games,
        **result.shares,
        "text": text,
        "brief": brief,
    }
