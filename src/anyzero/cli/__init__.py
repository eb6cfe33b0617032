"""The command line: one module a command, thin doors to the library."""

import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run a command. What that takes is imported only here, so that Ctrl-C is heard while it is."""
    try:
        from anyzero.cli.app import main as run

        run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would find Python half gone
        print("stopped before anything was done", file=sys.stderr)
        raise SystemExit(130) from None
