"""`anyzero runs` and `nets`: how training goes and went, and the trained nets that come with the package."""

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


def runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Names or folders; several are compared.")
    ] = None,
    root: Annotated[Path, typer.Option("--root", metavar="FOLDER", help="Where runs are.")] = Path("runs"),
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
        from anyzero.learning.verify import verify as check

        verified = check(*names or (), root=root)
        print_result(verified, json=json)
        raise typer.Exit(not verified.ok)
    found = find(*names or (), root=root)
    if plot is not None:
        found.plot(by=by, file=plot)
    print_result(found, json=json)
    if plot is not None and not json:
        print(f"drawn in {plot}")


def nets(json: Json = False) -> None:
    """List the trained nets that come with the package."""
    from anyzero.networks.box import nets as find_nets

    print_result(find_nets(), json=json)
