"""The application: its commands, and how errors reach a person. Heavy imports wait inside the commands."""

import errno
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from anyzero import stopping
from anyzero.cli import (
    arena,
    bench,
    engines,
    experiments,
    export,
    games,
    play,
    replay,
    runs,
    search,
    serve,
    train,
)
from anyzero.errors import AnyzeroError, shorten

STOPPED = "stopped; nothing was kept, the same command starts again from the beginning"
UsageError: Any = typer.BadParameter.__base__
"""What typer raises for arguments that do not fit the command."""


class Commands(TyperGroup):
    """The commands, and what Ctrl-C says in those that keep nothing; the others say for themselves what they kept."""

    def invoke(self, ctx: Any) -> Any:
        try:
            stopping.check()
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            print(*(stop.args or (STOPPED,)), file=sys.stderr)
            raise typer.Exit(stopping.EXIT_CODE) from None


app = typer.Typer(
    name="anyzero",
    cls=Commands,
    help="Monte Carlo tree search and self-play learning on board games, from zero knowledge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=play.EXAMPLES)(play.play)
app.command(epilog=serve.EXAMPLES)(serve.serve)
app.command(epilog=games.RULES_EXAMPLES)(games.rules)
app.command(epilog=games.GAMES_EXAMPLES)(games.games)
app.command(epilog=games.SHOW_EXAMPLES)(games.show)
app.command(epilog=replay.EXAMPLES)(replay.replay)
app.command(epilog=search.SEARCH_EXAMPLES)(search.search)
app.command(epilog=search.SOLVE_EXAMPLES)(search.solve)
app.command(epilog=arena.MATCH_EXAMPLES)(arena.match)
app.command(epilog=arena.TOURNAMENT_EXAMPLES)(arena.tournament)
app.command(epilog=arena.RATE_EXAMPLES)(arena.rate)
app.command(epilog=experiments.EXPERIMENT_EXAMPLES)(experiments.experiment)
app.command(epilog=experiments.PLOT_EXAMPLES)(experiments.plot)
app.command(epilog=experiments.ESTIMATE_EXAMPLES)(experiments.estimate)
app.command(epilog=train.EXAMPLES)(train.train)
app.command(epilog=runs.RUNS_EXAMPLES)(runs.runs)
app.command(epilog=runs.NETS_EXAMPLES)(runs.nets)
app.command(epilog=games.NEW_EXAMPLES)(games.new)
app.command(epilog=games.CHECK_EXAMPLES)(games.check)
app.command(epilog=games.PERFT_EXAMPLES)(games.perft)
app.command(epilog=export.EXAMPLES)(export.export)
app.command(epilog=runs.DOCTOR_EXAMPLES)(runs.doctor)
app.command(epilog=engines.UCI_EXAMPLES)(engines.uci)
app.command(epilog=engines.GTP_EXAMPLES)(engines.gtp)
app.add_typer(bench.app, name="bench")


def main() -> None:
    """Run the command line; wrong input is one sentence and exit code 2, Ctrl-C is exit code 130."""
    open_closed_streams()
    try:
        code = app(prog_name="anyzero", standalone_mode=False)
        sys.stdout.flush()  # a full disk shows only now
    except UsageError as error:
        print(usage_sentence(error), file=sys.stderr)
        code = 2
    except BrokenPipeError:  # whoever read our output has seen enough
        drop_output()
        code = 1
    except Exception as error:
        if not is_user_error(error):
            raise
        drop_output()
        print(f"anyzero: {error.strerror if isinstance(error, OSError) else error}", file=sys.stderr)
        code = 2
    if code:
        raise SystemExit(code)


def open_closed_streams() -> None:
    """A shell may start a command with its input or output closed (`>&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  (for the life of the process)


def drop_output() -> None:
    """What could not be written is not tried again at the very end, where Python would complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_version(wanted: bool) -> None:
    if wanted:
        from anyzero import __version__

        print(f"anyzero {__version__}")
        raise typer.Exit


@app.callback()
def begin(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Options that belong to no command."""


def usage_sentence(error: Any) -> str:
    """What is wrong with the arguments; without any arguments, the help."""
    message = shorten(error.format_message())
    if "\n" in message:
        return message
    command = "anyzero" if error.ctx is None else error.ctx.command_path
    end = "" if message.endswith("?") else ";"
    return f"{command}: {message.rstrip('.')}{end} {command} --help shows what is possible"


def is_user_error(error: BaseException) -> bool:
    is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return is_full or isinstance(error, AnyzeroError)
