"""What the README and the tutorial show is run here."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^\| `anyzero ([^`]+)`", README, re.MULTILINE)


def run(*words: str, folder: Path = ROOT) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=folder, check=True)
    return done.stdout


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert re.match(r"[a-g][1-7] ", run("-c", code))


def test_the_commands_are_found():
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize("command", [command for command in COMMANDS if "my_game" not in command])
def test_a_command_of_the_readme_runs(command, tmp_path):
    """In a folder of its own: experiments write their results where they are started."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    words = shlex.split(command)
    more = ["--seconds", "0.1"] if words[0] == "bench" else []
    assert run("-m", "anyzero", *words, *more, folder=tmp_path)


def test_the_readme_names_every_search_method():
    from anyzero.search.methods import METHODS

    (listed,) = re.findall(r"Search methods so far: (.*)\.", README)
    assert re.findall(r"`(\w+)`", listed) == list(METHODS)


def test_the_readme_is_short():
    assert README.count("\n") <= 150


def test_the_tutorial_shows_what_is_printed():
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    shown = re.search(r"\$ (anyzero show [^\n]+)\n(.*?)\$", tutorial, re.DOTALL)
    assert shown is not None
    assert run("-m", *shlex.split(shown[1])) == shown[2]


def test_the_demo_plays_a_game_to_its_end():
    assert "payoffs: [1.0, -1.0]" in run("examples/demo.py")
