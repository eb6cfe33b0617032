"""The application: its commands, and how errors reach a person. Heavy imports wait inside the
commands.
"""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from anyzero.app.cli import arena, games, play, serve, train
from anyzero.app.cli.options import EPILOG, option
from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, shorten
from anyzero.core.base.extras import EXTRA_OF, needs_package

STOPPED = "stopped; nothing was saved, so the same command starts over"
UsageError: Any = (
    typer.BadParameter.__base__
)  # what typer raises for arguments that do not fit the command


class Commands(TyperGroup):
    """The commands, and what Ctrl-C says in those that keep nothing; the others say for themselves
    what they kept.
    """

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
    help="Monte Carlo tree search and self-play learning for board games, from zero knowledge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "play": play.play_command,
    "serve": serve.serve_command,
    "rules": games.rules_command,
    "games": games.games_command,
    "show": games.show_command,
    "replay": play.replay_command,
    "search": games.search_command,
    "solve": games.solve_command,
    "match": arena.match_command,
    "tournament": arena.tournament_command,
    "rate": arena.rate_command,
    "experiment": arena.experiment_command,
    "plot": arena.plot_command,
    "estimate": arena.estimate_command,
    "train": train.train_command,
    "runs": train.runs_command,
    "nets": train.nets_command,
    "new": games.new_command,
    "check": games.check_command,
    "perft": games.perft_command,
    "export": serve.export_command,
    "doctor": train.doctor_command,
    "uci": serve.uci_command,
    "gtp": serve.gtp_command,
}
BENCHES: dict[str, Callable[..., None]] = {
    "rollouts": games.bench_rollouts_command,
    "search": games.bench_search_command,
}
bench = typer.Typer(
    help="Measure speed on this machine.", no_args_is_help=True, rich_markup_mode=None
)
for name, command in COMMANDS.items():
    app.command(name, epilog=command.__dict__[EPILOG])(command)
for name, command in BENCHES.items():
    bench.command(name, epilog=command.__dict__[EPILOG])(command)
app.add_typer(bench, name="bench")


def main() -> None:
    """Run the command line; wrong input is one sentence and exit code 2, Ctrl-C is exit code
    130.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if (
            getattr(sys, name) is None
        ):  # a shell may start a command with its input or output closed (`>&-`)
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  (for the life of the process)
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
        sentence = sentence_about(error)
        if sentence is None:
            raise
        drop_output()
        print(f"anyzero: {sentence}", file=sys.stderr)
        code = 2
    if code:
        raise SystemExit(code)


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


Version = Annotated[
    bool,
    option("Show the version and exit.", name="--version", callback=show_version, is_eager=True),
]


@app.callback()
def root_options(_version: Version = False) -> None:
    """Options that belong to no command."""


def usage_sentence(error: Any) -> str:
    """What is wrong with the arguments; without any arguments, the help."""
    message = shorten(error.format_message())
    if "\n" in message:
        return message
    command = "anyzero" if error.ctx is None else error.ctx.command_path
    end = "" if message.endswith("?") else ";"
    return f"{command}: {message.rstrip('.')}{end} {command} --help shows what is possible"


def sentence_about(error: BaseException) -> str | None:
    """What is wrong, if it is something that a person can mend."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return error.strerror
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        return needs_package(package) if package in EXTRA_OF else None
    return str(error) if isinstance(error, AnyzeroError) else None
