"""The application: its commands, and how errors reach a person. Heavy imports wait inside the commands."""

import sys

import typer

from anyzero.cli import bench, check, games, match, perft, search, show, tournament

app = typer.Typer(
    name="anyzero",
    help="Monte Carlo tree search and self-play learning on board games, from zero knowledge.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("games", epilog=games.EXAMPLES)(games.games)
app.command("check", epilog=check.EXAMPLES)(check.check)
app.command("show", epilog=show.EXAMPLES)(show.show)
app.command("perft", epilog=perft.EXAMPLES)(perft.perft)
app.command("search", epilog=search.EXAMPLES)(search.search)
app.command("match", epilog=match.EXAMPLES)(match.match)
app.command("tournament", epilog=tournament.EXAMPLES)(tournament.tournament)
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Run the command line; wrong input is one sentence and exit code 2, Ctrl-C is exit code 130."""
    try:
        app()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None
    except Exception as error:
        if not is_user_error(error):
            raise
        print(f"anyzero: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def is_user_error(error: Exception) -> bool:
    from anyzero.games.errors import AnyzeroError

    return isinstance(error, AnyzeroError)
