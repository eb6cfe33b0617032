"""The command line: one module a command, thin doors to the library."""

import sys

from anyzero.app.cli.crashes import watch_over
from anyzero.core.base import stopping
from anyzero.core.base.extras import needs_package

__all__ = ["main"]


def main() -> None:
    """Run a command. What that takes is imported only here, so that Ctrl-C is heard while it is."""
    files = [word for word in sys.argv[1:] if ".py" in word]
    if files and "serve" not in sys.argv[:2]:  # the server plays in processes of its own
        named = ", ".join(files)
        watch_over(
            f"code of {named} probably reads or writes out of range, or calls itself for ever"
        )
    with stopping.in_two_steps():
        try:
            from anyzero.app.cli.app import main as run
        except ModuleNotFoundError as error:
            if error.name not in ("rich", "typer"):
                raise
            sys.exit(f"anyzero: {needs_package(error.name)}")
        try:
            run()
        except SystemExit as end:
            if end.code == stopping.EXIT_CODE or stopping.broken.is_set():
                stopping.exit_now(int(end.code or 0))  # whatever still goes on in other threads
            raise
