"""The examination: the checks for a run or a game, their order, and the main diagnosis."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, UnknownNameError, list_some
from anyzero.core.base.nouns import Values
from anyzero.core.base.report import Part, Sheet, Shown, count
from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.learning.folder import RunFolder, find_run, list_runs
from anyzero.core.nets.config import PRESETS, BadNetworkError, resolve
from anyzero.tools.doctor import data, network, reports
from anyzero.tools.doctor.case import DOUBTFUL, SKIPPED, WELL, WRONG, Case, Finding
from anyzero.tools.presets import preset_config
from anyzero.tools.progress import progress as bar

Tell = Callable[[str], None]  # called with the name of every check before it starts
RUN = ("run",)
GAME = ("game",)
BOTH = ("run", "game")
CHECKS: dict[str, tuple[Callable[[Case], Finding], tuple[str, ...]]] = {
    "laws": (data.check_laws, GAME),
    "input": (data.check_input, GAME),
    "files": (data.check_files, RUN),
    "results in the samples": (data.check_results, BOTH),
    "value sign in training": (network.check_learnt_sign, BOTH),
    "noise": (data.check_noise, RUN),
    "gate": (reports.check_gate, RUN),
    "one batch": (network.check_one_batch, BOTH),
    "layers": (network.check_layers, BOTH),
    "losses": (reports.check_losses, RUN),
    "value sign": (network.check_sign, RUN),
    "priors": (network.check_priors, RUN),
    "outcomes of games": (data.check_outcomes, BOTH),
    "different positions": (data.check_unique, RUN),
}
"""Each check, and whether it applies to runs or games. Causes come before their effects: the first
fault is the
main diagnosis."""


@dataclass(frozen=True, repr=False)
class Examination(Shown):
    """The findings, in the order of the checks."""

    kind: str  # run or game
    subject: str  # the run's folder, or the game's text
    title: str  # the subject, in one line
    findings: Sequence[Finding]

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong; doubtful findings do not count."""
        return all(finding.verdict != WRONG for finding in self.findings)

    @property
    def diagnosis(self) -> str:
        """The first cause, in words."""
        wrong = [finding for finding in self.findings if finding.verdict == WRONG]
        doubtful = [finding.name for finding in self.findings if finding.verdict == DOUBTFUL]
        if wrong:
            first = wrong[0]
            rest = [finding.name for finding in wrong[1:]]
            also = f" Also wrong, perhaps for the same reason: {list_some(rest)}." if rest else ""
            return f"{first.conclusion}. Try: {first.advice}.{also}"
        return "nothing is wrong" + (f"; worth a look: {list_some(doubtful)}." if doubtful else ".")

    def report(self) -> Iterator[Part]:
        """Faults first, and the diagnosis last."""
        yield self.title
        order = (WRONG, DOUBTFUL, WELL, SKIPPED)
        findings = sorted(self.findings, key=lambda finding: order.index(finding.verdict))
        verdicts = [
            finding.verdict.upper() if finding.verdict == WRONG else finding.verdict
            for finding in findings
        ]
        rows = [
            (verdict, finding.name, finding.text, finding.advice)
            for verdict, finding in zip(verdicts, findings, strict=True)
        ]
        yield Sheet(("verdict", "check", "what was seen", "what to try"), rows)
        yield f"Diagnosis: {self.diagnosis}"

    def to_json(self) -> Values:
        checks = [finding.to_json() for finding in self.findings]
        return {
            self.kind: self.subject,
            "ok": self.is_well,
            "diagnosis": self.diagnosis,
            "checks": checks,
        }


def examine(text: Game | str, root: Path | str = "runs", *, progress: bool = True) -> Examination:
    """Examine a run, by name or folder, or else a game, and say what is wrong with it; nothing is
    changed.

    >>> anyzero.examine("hex7")
    >>> anyzero.examine("connect_four")
    """
    subject = text.text if isinstance(text, Game) else text
    with bar("examining", shown=progress) as show:

        def tell(name: str) -> None:
            show(words=f"checking: {name}")

        try:
            path = find_run(subject, root)
        except UnknownNameError:
            return examine_game(subject, tell, root)
        return examine_run(path, tell)


def examine_run(path: Path, tell: Tell | None = None) -> Examination:
    folder = RunFolder.open(path)
    game = load(folder.config.game)
    title = (
        f"{path}: a run of {game.text} with {count(max(folder.numbers(), default=0), 'generation')}"
    )
    findings = run_checks(checks_for("run"), Case(game, folder.config, folder), tell)
    return Examination("run", str(path), title, findings)


def examine_game(text: str, tell: Tell | None = None, root: Path | str = "runs") -> Examination:
    """Whether a game can be learnt, with the settings of `anyzero train` and a small network."""
    try:
        game = load(text)
    except UnknownNameError as error:
        if not str(error).startswith("there is no game"):
            raise
        runs = list_some(path.name for path in list_runs(root)) or "none"
        raise UnknownNameError(f"{error}; runs in {root}: {runs}") from None
    config = preset_config(None, text).change(network=PRESETS["small"])
    names = checks_for("game")
    reason = ""
    try:
        config = config.change(network=resolve(config.network, game))
    except BadNetworkError as error:
        names = ["laws"]
        reason = str(error)
    findings = run_checks(names, Case(game, config), tell)
    if reason:
        advice = (
            "write encode(rules, state, planes) and give the game planes_shape: "
            "docs/tutorial.md shows how"
        )
        findings.append(Finding(WRONG, "no network can learn this game", reason, advice, "input"))
    return Examination("game", game.text, f"{game.text}: a game to be learnt", findings)


def checks_for(kind: str) -> list[str]:
    return [name for name, (_, kinds) in CHECKS.items() if kind in kinds]


def run_checks(names: Iterable[str], case: Case, tell: Tell | None = None) -> list[Finding]:
    """One after another; a file that a check cannot read is reported by the check of files."""
    findings = []
    for name in names:
        stopping.check()
        if tell is not None:
            tell(name)
        try:
            finding = CHECKS[name][0](case)
        except AnyzeroError as error:
            finding = Finding(SKIPPED, f"it cannot be checked: {error}")
        findings.append(replace(finding, name=name))
    return findings
