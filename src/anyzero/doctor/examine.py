"""The examination: which checks a run or a game goes through, in which order, and the main diagnosis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anyzero.doctor import data, gates, layers, play, priors, results, rules, speed, trials, values
from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, skipped
from anyzero.errors import AnyzeroError, UnknownNameError, list_some
from anyzero.games.load import load
from anyzero.learning.folder import RunFolder, find_run, list_runs
from anyzero.learning.presets import preset_config
from anyzero.networks import BadNetworkError, resolve
from anyzero.networks.config import PRESETS

Check = Callable[[Case], Finding]
Tell = Callable[[str], None]
"""Told the name of every check before it begins."""
FILES = "files"


def check_files(case: Case) -> Finding:
    """Whether the newest generation is whole, and the newest samples and games can be read."""
    assert case.folder is not None
    try:
        newest = case.newest
        _ = case.network, case.samples, case.lines
    except AnyzeroError as error:
        advice = "go on with anyzero train, which renames a damaged file of samples, notes that, and goes on without it"
        return Finding(FILES, WRONG, "a file is damaged", str(error), advice)
    if newest is None:
        return Finding(FILES, DOUBTFUL, "the run has not begun", "", "anyzero train goes on with it")
    if case.folder.notes:
        advice = "go on with anyzero train, which puts damaged generations aside and does them again"
        return Finding(FILES, WRONG, "a generation is damaged", "; ".join(case.folder.notes), advice)
    seen = f"generation {newest.number}, champion {newest.champion}, {len(case.reports)} reports"
    return Finding(FILES, WELL, "the newest generation is whole", seen)


ON_RUNS: dict[str, Check] = {
    FILES: check_files,
    results.RESULTS: results.check_results,
    values.PIPELINE: values.check_pipeline,
    play.NOISE: play.check_noise,
    gates.COPIES: gates.check_copies,
    trials.RATE: trials.check_rate,
    layers.AT_START: layers.check_start,
    layers.NOW: layers.check_now,
    data.LOSSES: data.check_losses,
    data.GRADIENTS: data.check_gradients,
    layers.MOVED: layers.check_moved,
    trials.OVERFIT: trials.check_overfit,
    values.NETWORK: values.check_network,
    results.SEARCH: results.check_search_values,
    priors.PRIORS: priors.check_priors,
    play.OUTCOMES: play.check_outcomes,
    data.UNIQUE: data.check_unique,
    data.AGE: data.check_age,
    gates.POWER: gates.check_power,
    speed.SPEED: speed.check_speed,
}
"""Causes before their effects: the first that is wrong is the main diagnosis."""

ON_GAMES: dict[str, Check] = {
    rules.LAWS: rules.check_laws,
    rules.INPUT: rules.check_input,
    rules.SYMMETRIES: rules.check_symmetries,
    rules.RANDOM: rules.check_random,
    rules.SAMPLES: rules.check_samples,
    layers.AT_START: layers.check_start,
    values.PIPELINE: values.check_pipeline,
    trials.RATE: trials.check_rate,
    trials.OVERFIT: trials.check_overfit,
    speed.RATE: speed.check_rate,
}


@dataclass(frozen=True)
class Examination:
    """What was found, in the order of the checks."""

    kind: str
    """run or game."""
    subject: str
    """The run's folder, or the game's text."""
    title: str
    """What was looked at, in one line."""
    findings: Sequence[Finding]

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong; what is doubtful does not count."""
        return all(finding.verdict != WRONG for finding in self.findings)

    @property
    def diagnosis(self) -> str:
        """The first cause, in words."""
        wrong = [finding for finding in self.findings if finding.verdict == WRONG]
        doubtful = [finding.name for finding in self.findings if finding.verdict == DOUBTFUL]
        if wrong:
            first, rest = wrong[0], [finding.name for finding in wrong[1:]]
            also = f" Also wrong, and maybe for the same reason: {list_some(rest)}." if rest else ""
            return f"{first.conclusion}. Try: {first.advice}.{also}"
        if doubtful:
            return f"nothing is wrong; look at what is doubtful: {list_some(doubtful)}."
        return "nothing is wrong."

    def to_json(self) -> dict[str, Any]:
        return {
            self.kind: self.subject,
            "ok": self.is_well,
            "diagnosis": self.diagnosis,
            "checks": [finding.to_json() for finding in self.findings],
        }


def examine(text: str, root: Path | str = "runs", tell: Tell | None = None) -> Examination:
    """The run of this name or folder, or else the game that the text names."""
    path = find_run_or_none(text, root)
    return examine_game(text, tell, root) if path is None else examine_run(path, tell)


def find_run_or_none(text: str, root: Path | str) -> Path | None:
    try:
        return find_run(text, root)
    except UnknownNameError:
        return None


def examine_run(path: Path, tell: Tell | None = None) -> Examination:
    """All checks of a run; nothing in its folder is changed."""
    folder = RunFolder.open(path)
    game = load(folder.config.game)
    title = f"{path}: a run of {game.text} with {max(folder.numbers(), default=0)} generations"
    return Examination("run", str(path), title, run_checks(ON_RUNS, Case(game, folder.config, folder), tell))


def examine_game(text: str, tell: Tell | None = None, root: Path | str = "runs") -> Examination:
    """Whether a game is fit to be learnt, with the settings that `anyzero train` would take and a small network."""
    try:
        game = load(text)
    except UnknownNameError as error:
        if not str(error).startswith("there is no game"):
            raise
        known = [path.name for path in list_runs(root)]
        raise UnknownNameError(f"{error}; runs in {root}: {list_some(known) or 'none'}") from None
    title = f"{game.text}: a game to be learnt"
    config = replace(preset_config(None, text), network=PRESETS["small"])
    try:
        config = replace(config, network=resolve(config.network, game))
    except BadNetworkError as error:
        return Examination("game", game.text, title, unreadable(Case(game, config), str(error), tell))
    return Examination("game", game.text, title, run_checks(ON_GAMES, Case(game, config), tell))


def unreadable(case: Case, reason: str, tell: Tell | None) -> list[Finding]:
    """What can be said of a game that no network can read."""
    advice = "write encode(rules, state, planes) and give the game planes_shape: docs/tutorial.md shows how"
    found = run_checks({rules.LAWS: rules.check_laws}, case, tell)
    return [*found, Finding(rules.INPUT, WRONG, "no network can learn this game", reason, advice)]


def run_checks(checks: Mapping[str, Check], case: Case, tell: Tell | None = None) -> list[Finding]:
    """One after the other; what a check cannot read is the business of the check of files."""
    found = []
    for name, check in checks.items():
        if tell is not None:
            tell(name)
        try:
            found.append(check(case))
        except AnyzeroError as error:
            found.append(skipped(name, f"it cannot be checked: {error}"))
    return found
