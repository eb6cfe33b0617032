"""The command line: one module a command, thin doors to the library."""

from anyzero.cli.app import main

__all__ = ["main"]
