"""A faulty game in the web app: its tables are opened and played through by a client, then a whole
game must go on.
"""

import asyncio
import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.web.server import ServerProcess, open_tab

MACHINE = "uct:50"
NO_ANSWER = "no answer"
PATIENCE_S = 600.0
"""A loop of ten million turns in plain Python, again and again, beside other workers."""


def click_through(
    _command: str, words: list[str], path: Path, seconds: float
) -> tuple[int | None, str]:
    """As if it were a command: 0 if nothing was said, 2 if something was, None if somebody waits in
    vain.
    """
    folder = path.with_suffix("")
    folder.mkdir()
    try:
        server = ServerProcess(folder, *words)
    except RuntimeError as error:
        return 2, str(error)
    try:
        said = asyncio.run(asyncio.wait_for(visit(server, path.stem), seconds))
        whole = asyncio.run(
            asyncio.wait_for(collect(play(server, "tic_tac_toe", ["human", MACHINE])), seconds)
        )
        said += [f"{NO_ANSWER} of a whole game: {words}" for words in whole]
    except Exception as error:
        said = [f"{NO_ANSWER}: {error!r}"]
    code = server.process.poll()  # it must not have ended
    if code is None:
        code, log = 2 if said else 0, end(server)
        is_waiting = any(sentence.startswith(NO_ANSWER) for sentence in said)
        return None if is_waiting else code, "\n".join([*said, log])
    return -abs(code) or -1, "\n".join(said)


def end(server: ServerProcess) -> str:
    """What the server wrote that nobody saw; a faulty game must not keep it from ending."""
    try:
        return server.stop()[1]
    except subprocess.TimeoutExpired:
        server.kill()
        return "Traceback: it does not end"


async def collect(sentences: AsyncIterator[str]) -> list[str]:
    return [sentence async for sentence in sentences]


async def visit(server: ServerProcess, name: str) -> list[str]:
    """All that the server says is wrong, to somebody who tries everything."""
    listed = await asyncio.to_thread(ask, server, "api/games")
    assert "games" in listed, listed
    found = [
        sentence
        for seats in (["human"] * 2, ["human", MACHINE])
        for sentence in await collect(play(server, name, seats))
    ]
    async with open_tab(server, PATIENCE_S) as tab:
        for kind in ("analyse", "hint"):
            answers = await tab.hear_done(await tab.say(type=kind, game=name, player=MACHINE))
            found += [answer["error"] for answer in answers if "error" in answer]
        looked = await tab.ask(type="look", game=name, moves=["a1", "a2", "b1", "b2", "c1"])
        found += [looked["error"]] if "error" in looked else []
    return found


async def play(server: ServerProcess, game: str, seats: list[str]) -> AsyncIterator[str]:
    """Play the first move of each list to the end of the game, or of the server's patience; what it
    says is wrong.
    """
    async with open_tab(server, PATIENCE_S) as tab:
        view = await tab.ask(type="new", game=game, seats=seats, seed=1)
        while view["type"] == "table" and not view["over"] and not view["trouble"]:
            table, ply = view["table"], view["ply"]
            if seats[view["seat"]] == "human":
                done = await tab.ask(
                    type="move", table=table, move=view["legal"][0]["move"], ply=ply
                )
                if done["type"] == "error":
                    view = done
                    continue
            view = await tab.hear(lambda found, ply=ply: is_news(found, ply))
        if sentence := view.get("error") or view.get("trouble"):
            yield sentence


def is_news(found: dict[str, Any], ply: int) -> bool:
    return found["type"] == "error" or (
        found["type"] == "table" and (found["ply"] > ply or bool(found["trouble"]))
    )


def ask(server: ServerProcess, path: str) -> Any:
    """What a list says, or the sentence of its refusal."""
    try:
        with urllib.request.urlopen(server.url + path, timeout=120) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())
