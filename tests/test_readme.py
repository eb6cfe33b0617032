"""What the README and the tutorial show is run here."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anyzero.app.cli.app import main

pytestmark = pytest.mark.usefixtures("games_here")

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^\| `anyzero ([^`]+)`", README, re.MULTILINE)
TINY = "league.games=2 gate.games=4 selfplay.simulations=4 network.blocks=1 network.channels=16"
SMALL = {
    "bench": ["--seconds", "0.1"],
    "train": ["--match", "2", *(f"--set={setting}" for setting in TINY.split())],
    "estimate": ["--repeats", "8", "--reference", "1000"],
    "rate": ["--games", "2", "--against", "random", "--workers", "1"],
}
"""What makes a command quick and changes nothing of its form."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a command is started: experiments write their results there."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    students = tmp_path / "examples" / "hex_students.json"
    students.write_text(
        students.read_text().replace('"nb_games": 20', '"nb_games": 2').replace("[3, 4]", "[5]")
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("anyzero.tools.doctor.network.STEPS", 30)
    monkeypatch.setattr("anyzero.tools.doctor.network.FEW_STEPS", 20)
    return tmp_path


def run(*words: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=folder, check=True
    )
    return done.stdout


def test_the_python_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert "size=7" in code
    exec(code.replace("size=7", "size=5"), {})  # for which others compile too
    assert re.match(r"[a-e][1-5] ", capsys.readouterr().out)


def test_the_commands_are_found():
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(words, marks=[pytest.mark.slow] * words.startswith(("check", "doctor")))
        for words in COMMANDS
    ],
)
def test_a_command_of_the_readme_runs(command, folder, monkeypatch, capsys):
    """A doctor that looks for a moment only finds more wrong with a network than there is."""
    words = shlex.split(command)
    if "./my_game.py" in words:
        shutil.copy(ROOT / "examples" / "tic_tac_toe.py", folder / "my_game.py")
    monkeypatch.setattr(sys, "argv", ["anyzero", *words, *SMALL.get(words[0], [])])
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    assert code in ((0, 1) if words[0] == "doctor" else (0,))
    assert capsys.readouterr().out


def test_a_command_runs_as_a_program():
    assert "connect_four" in run("-m", "anyzero", "games")


def test_the_readme_names_every_search_method():
    from anyzero.core.search.methods import METHODS

    (listed,) = re.findall(r"Search methods so far: (.*)\.", README)
    assert re.findall(r"`(\w+)`", listed) == list(METHODS)


def test_the_readme_is_short():
    assert README.count("\n") <= 150


def test_the_tutorial_shows_what_is_printed(monkeypatch, capsys):
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    shown = re.search(r"\$ (anyzero show [^\n]+)\n(.*?)\$", tutorial, re.DOTALL)
    assert shown is not None
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", shlex.split(shown[1]))
    main()
    assert capsys.readouterr().out == shown[2]


def test_the_demo_plays_a_game_to_its_end(capsys):
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    assert "payoffs: [1.0, -1.0]" in capsys.readouterr().out
