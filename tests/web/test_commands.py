"""`serve` and `play --web`: what they say, and what they refuse."""

import json
import os
import subprocess
import sys
from urllib.parse import parse_qs

import httpx
import pytest

from anyzero.app.cli.app import main
from tests.web.folders import write_own_games
from tests.web.server import ServerProcess, open_tab, run

HEAVY = ("fastapi", "uvicorn", "websockets", "pydantic", "sqlite3")


def test_help_imports_nothing_of_the_web():
    code = (
        f"import sys; from anyzero.app.cli.app import app; print(sorted(set({HEAVY}) & "
        "set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["serve", "--game", "nowhere.py"], "cannot read the game file nowhere.py"),
        (
            ["serve", "--game", "./heap.py:sise=7"],
            "./heap.py has no option 'sise'; did you mean size?",
        ),
        (["serve", "--engine", "Fish=uci:no-such-fish"], "there is no program 'no-such-fish'"),
        (["serve", "--data", "note.txt"], "cannot save games in note.txt"),
        (["serve", "--port", "{port}"], "port {port}"),
        (["play", "hex", "--web", "--save", "game.json"], "--save is for the terminal"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_sentence(
    server, tmp_path, monkeypatch, capsys, words, sentence
):
    write_own_games(tmp_path)
    (tmp_path / "note.txt").write_text(
        "not a database, but long enough to be looked at as one " * 20
    )
    words = [word.format(port=server.port) for word in words]
    more = (
        []
        if words[0] == "play"
        else ["--port", "0"] * ("--port" not in words)
        + ["--data", ":memory:"] * ("--data" not in words)
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["anyzero", *words, *more])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert sentence.format(port=server.port) in said
    assert said.count("\n") == 1


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


class PlayProcess(ServerProcess):
    """`anyzero play ... --web --json`."""

    def __init__(self, folder, *words):
        self.folder, self.words = folder, words
        environment = {**os.environ, "XDG_DATA_HOME": str(folder), "PATH": ""}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "anyzero", "play", *words, "--web", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
        )
        self.url = json.loads(self.process.stdout.readline())["url"]


@pytest.mark.parametrize(
    "game", [pytest.param("hex:size=3", marks=pytest.mark.slow), "heap.py:size=4"]
)
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
