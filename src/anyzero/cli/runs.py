"""`anyzero runs`, `doctor` and `nets`: how training goes, what is wrong with it, and the nets in the box."""

from pathlib import Path
from typing import Annotated

import typer

from anyzero.cli.output import Json, examples, print_result

RUNS_EXAMPLES = examples(
    "anyzero runs",
    "anyzero runs hex7 --plot hex7.png",
    "anyzero runs small large --by minutes --plot both.svg",
    "anyzero runs hex7 --verify",
)
NETS_EXAMPLES = examples("anyzero nets", "anyzero play connect_four --seat1 gumbel:64@best")

DOCTOR_EXAMPLES = examples(
    "anyzero doctor hex7",
    "anyzero doctor runs/hex7 --json",
    "anyzero doctor connect_four",
    "anyzero doctor ./my_game.py:size=4",
)

Root = Annotated[Path, typer.Option("--root", metavar="FOLDER", help="Where runs are.")]


def runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Names or folders; several are compared.")
    ] = None,
    root: Root = Path("runs"),
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw their curves: .png, .svg or .pdf.")
    ] = None,
    by: Annotated[
        str, typer.Option("--by", help="The curves' horizontal axis: generations or minutes.")
    ] = "generations",
    verify: Annotated[bool, typer.Option("--verify", help="Check every file: exit code 1 if one is damaged.")] = False,
    json: Json = False,
) -> None:
    """List all training runs, show one, or compare several."""
    from anyzero.learning.summary import runs as find

    if verify:
        from anyzero.learning.once import verify as check

        verified = check(*names or (), root=root)
        print_result(verified, json=json)
        raise typer.Exit(not verified.ok)
    found = find(*names or (), root=root)
    if plot is not None:
        found.plot(by=by, file=plot)
    print_result(found, json=json)
    if plot is not None and not json:
        print(f"drawn in {plot}")


def doctor(
    subject: Annotated[str, typer.Argument(metavar="RUN|GAME", help="A run by name or folder, or else a game.")],
    root: Root = Path("runs"),
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


def nets(json: Json = False) -> None:
    """List the trained nets that come with the package."""
    from anyzero.networks.find import nets as find_nets

    print_result(find_nets(), json=json)
