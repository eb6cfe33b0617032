"""How the tests run a command."""

import sys

import pytest

from anyzero.app.cli.app import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command line; returns (exit code, standard output, standard error)."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["anyzero", *words])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        return code, *capsys.readouterr()

    return run
