"""`serve` and `play --web`: what they say, and what they refuse."""

import json
import subprocess
import sys
from urllib.parse import parse_qs

import httpx
import pytest

from tests.web.folders import write_own_games
from tests.web.server import ServerProcess, open_tab, run

HEAVY = ("fastapi", "uvicorn", "websockets", "pydantic", "sqlite3")


def anyzero(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "anyzero", *words], capture_output=True, text=True, timeout=60, **options
    )


def test_help_imports_nothing_of_the_web():
    code = f"import sys; from anyzero.cli.app import app; print(sorted(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_port_that_is_taken_is_said_in_one_sentence(server):
    done = anyzero("serve", "--port", str(server.port), "--data", ":memory:")
    assert done.returncode == 2
    assert f"port {server.port}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_game_file_that_is_not_there_is_said_in_one_sentence(tmp_path):
    done = anyzero("serve", "--port", "0", "--data", ":memory:", "--game", "nowhere.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot read the game file nowhere.py" in done.stderr


def test_an_option_that_a_game_file_does_not_have_is_said_in_one_sentence(tmp_path):
    write_own_games(tmp_path)
    done = anyzero("serve", "--port", "0", "--data", ":memory:", "--game", "./heap.py:sise=7", cwd=tmp_path)
    assert done.returncode == 2
    assert "./heap.py has no option 'sise'; did you mean size?" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_game_file_with_options_is_listed_and_played_with_them(tmp_path):
    write_own_games(tmp_path)
    server = ServerProcess(tmp_path, "--game", "./heap.py:size=7")

    async def work():
        async with open_tab(server) as tab:
            plain = await tab.ask(type="new", game="heap", seats=["human", "human"])
            other = await tab.ask(type="new", game="heap:size=4", seats=["human", "human"])
            looks = [await tab.ask(type="look", game=view["game"]) for view in (plain, other)]
            return [view["game"] for view in (plain, other)], [look["type"] for look in looks]

    listed, played = httpx.get(server.url + "api/games").json()["games"][0], run(work())
    server.stop()
    assert (listed["name"], listed["options"][0]["default"]) == ("heap", 7)
    assert played == (["heap:size=7", "heap:size=4"], ["look", "look"])


def test_data_that_cannot_be_kept_is_said_in_one_sentence(tmp_path):
    (tmp_path / "note.txt").write_text("not a database, but long enough to be looked at as one " * 20)
    done = anyzero("serve", "--port", "0", "--data", "note.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot keep games in note.txt" in done.stderr


class PlayProcess(ServerProcess):
    """`anyzero play ... --web --json`."""

    def __init__(self, folder, *words):
        self.folder, self.words = folder, words
        environment = {"XDG_DATA_HOME": str(folder), "PATH": "", "HOME": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "anyzero", "play", *words, "--web", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )
        self.url = json.loads(self.process.stdout.readline())["url"]


@pytest.mark.parametrize("game", ["hex:size=3", "heap.py:size=4"])
def test_play_in_a_browser_is_the_same_table(tmp_path, game):
    write_own_games(tmp_path)
    process = PlayProcess(tmp_path, game, "--seat0", "random", "--seed", "7")
    address, _, fragment = process.url.partition("#/play?")
    query = parse_qs(fragment)
    assert query["seats"] == ["random human"]
    assert query["seed"] == ["7"]
    assert query["game"][0].split(":")[0] in ("hex", "heap")
    names = [one["name"] for one in httpx.get(address + "api/games").json()["games"]]
    assert query["game"][0].split(":")[0] in names
    assert process.stop()[0] == 130


def test_the_page_saves_games_itself(tmp_path):
    done = anyzero("play", "hex", "--web", "--save", "game.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "--save is for the terminal" in done.stderr
