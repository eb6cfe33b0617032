"""`anyzero doctor`: what is wrong with a run, or whether a game is fit to be learnt."""

from pathlib import Path
from typing import Annotated

import typer

from anyzero.cli.output import Json, examples, print_result

EXAMPLES = examples(
    "anyzero doctor hex7",
    "anyzero doctor runs/hex7 --json",
    "anyzero doctor connect_four",
    "anyzero doctor ./my_game.py:size=4",
)


def doctor(
    subject: Annotated[str, typer.Argument(metavar="RUN|GAME", help="A run by name or folder, or else a game.")],
    root: Annotated[Path, typer.Option("--root", metavar="FOLDER", help="Where runs are.")] = Path("runs"),
    json: Json = False,
) -> None:
    """Examine a run, or a game before it is learnt.

    That takes about a minute, and a run is only read. The exit code is 1 if something is wrong.
    What is doubtful is worth a look, but does not change the exit code.
    """
    from anyzero.doctor.examine import examine

    found = examine(subject, root, progress=not json)
    print_result(found, json=json)
    raise typer.Exit(0 if found.is_well else 1)
