"""The command line: one module a command, thin doors to the library."""

from anyzero import stopping

__all__ = ["main"]


def main() -> None:
    """Run a command. What that takes is imported only here, so that Ctrl-C is heard while it is."""
    with stopping.in_two_steps():
        from anyzero.cli.app import main as run

        try:
            run()
        except SystemExit as end:
            if end.code == stopping.EXIT_CODE or stopping.broken.is_set():
                stopping.leave(int(end.code or 0))  # whatever still goes on in other threads
            raise
