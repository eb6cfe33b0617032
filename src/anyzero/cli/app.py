"""The application: its commands, and how errors reach a person. Heavy imports wait inside the commands."""

import errno
import sys
import threading
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from anyzero.cli import (
    bench,
    check,
    doctor,
    estimate,
    experiment,
    games,
    gtp,
    match,
    perft,
    play,
    plot,
    replay,
    runs,
    search,
    serve,
    show,
    solve,
    tournament,
    train,
    uci,
)
from anyzero.cli.stop import SENTENCES, STOP_CODE, STOPPED, ending_on_ctrl_c, leave

UsageError: Any = typer.BadParameter.__base__
"""What typer raises for arguments that do not fit the command."""


class Commands(TyperGroup):
    """The commands, and what Ctrl-C says in those that keep nothing; the others say for themselves what they kept."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print(STOPPED, file=sys.stderr)
            raise typer.Exit(STOP_CODE) from None


app = typer.Typer(
    name="anyzero",
    cls=Commands,
    help="Monte Carlo tree search and self-play learning on board games, from zero knowledge.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("games", epilog=games.EXAMPLES)(games.games)
app.command("check", epilog=check.EXAMPLES)(check.check)
app.command("show", epilog=show.EXAMPLES)(show.show)
app.command("play", epilog=play.EXAMPLES)(play.play)
app.command("serve", epilog=serve.EXAMPLES)(serve.serve)
app.command("replay", epilog=replay.EXAMPLES)(replay.replay)
app.command("perft", epilog=perft.EXAMPLES)(perft.perft)
app.command("search", epilog=search.EXAMPLES)(search.search)
app.command("solve", epilog=solve.EXAMPLES)(solve.solve)
app.command("match", epilog=match.EXAMPLES)(match.match)
app.command("tournament", epilog=tournament.EXAMPLES)(tournament.tournament)
app.command("experiment", epilog=experiment.EXAMPLES)(experiment.experiment)
app.command("plot", epilog=plot.EXAMPLES)(plot.plot)
app.command("estimate", epilog=estimate.EXAMPLES)(estimate.estimate)
app.command("runs", epilog=runs.EXAMPLES)(runs.runs)
app.command("train", epilog=train.EXAMPLES)(train.train)
app.command("doctor", epilog=doctor.EXAMPLES)(doctor.doctor)
app.command("uci", epilog=uci.EXAMPLES)(uci.uci)
app.command("gtp", epilog=gtp.EXAMPLES)(gtp.gtp)
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Run the command line; wrong input is one sentence and exit code 2, Ctrl-C is exit code 130."""
    stopped = threading.Event()
    try:
        with ending_on_ctrl_c(stopped):
            code = app(prog_name="anyzero", standalone_mode=False)
    except UsageError as error:
        print(usage_sentence(error), file=sys.stderr)
        code = 2
    except (Exception, KeyboardInterrupt) as error:
        code = explain(error, is_stopped=stopped.is_set() or isinstance(error, KeyboardInterrupt))
    if stopped.is_set():
        leave(code or 0)
    if code:
        raise SystemExit(code)


def explain(error: BaseException, *, is_stopped: bool) -> int:
    """Say what went wrong, and return the exit code; what is nobody's fault fails because of Ctrl-C once it came."""
    if is_user_error(error):
        print(f"anyzero: {error.strerror if isinstance(error, OSError) else error}", file=sys.stderr)
        return 2
    if not is_stopped:
        raise error
    print(SENTENCES[-1], file=sys.stderr)
    return STOP_CODE


def show_version(wanted: bool) -> None:
    if wanted:
        from anyzero import __version__

        print(f"anyzero {__version__}")
        raise typer.Exit


@app.callback()
def begin(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and end.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Options that belong to no command."""


def usage_sentence(error: Any) -> str:
    """What is wrong with the arguments; without any arguments, the help."""
    message: str = error.format_message()
    if "\n" in message:
        return message
    command = "anyzero" if error.ctx is None else error.ctx.command_path
    end = "" if message.endswith("?") else ";"
    return f"{command}: {message.rstrip('.')}{end} {command} --help shows what is possible"


def is_user_error(error: BaseException) -> bool:
    from anyzero.errors import AnyzeroError

    is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return is_full or isinstance(error, AnyzeroError)
