"""`anyzero doctor`: what is wrong with a run, or whether a game is fit to be learnt."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anyzero.cli.output import Json, print_json, print_table

if TYPE_CHECKING:
    from anyzero.doctor.case import Finding
    from anyzero.doctor.examine import Examination

EXAMPLES = (
    "Examples: anyzero doctor hex7    anyzero doctor runs/hex7 --json    anyzero doctor connect_four    "
    "anyzero doctor ./my_game.py:size=4"
)
ORDER = ("wrong", "doubtful", "well", "skipped")


def doctor(
    subject: Annotated[str, typer.Argument(metavar="RUN|GAME", help="A run by name or folder, or else a game.")],
    root: Annotated[Path, typer.Option("--root", metavar="FOLDER", help="Where runs are.")] = Path("runs"),
    json: Json = False,
) -> None:
    """Examine a run, or a game before it is learnt, in about a minute; exit code 1 if something is wrong.

    A run is only read. What is doubtful is worth a look and no reason for exit code 1.
    """
    from anyzero.doctor.examine import examine

    with showing_checks() as tell:
        found = examine(subject, root, tell)
    if json:
        print_json(found.to_json())
    else:
        print_examination(found)
    raise typer.Exit(0 if found.is_well else 1)


@contextmanager
def showing_checks() -> Iterator[Callable[[str], None]]:
    """The name of the check under way, on a terminal."""
    from rich.console import Console

    if not sys.stderr.isatty():
        yield lambda name: None
        return
    with Console(stderr=True).status("looking") as status:
        yield lambda name: status.update(f"looking at: {name}")


def print_examination(found: "Examination") -> None:
    """What is wrong first, and the diagnosis last."""
    print(found.title)
    rows = sorted(found.findings, key=lambda finding: ORDER.index(finding.verdict))
    print_table(("verdict", "check", "what was seen", "what to try"), [row(finding) for finding in rows])
    print(f"Diagnosis: {found.diagnosis}")


def row(finding: "Finding") -> tuple[str, ...]:
    verdict = finding.verdict.upper() if finding.verdict == "wrong" else finding.verdict
    return (verdict, finding.name, finding.text, finding.advice)
