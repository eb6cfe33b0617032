"""Seconds to a computer's first move in the browser with nothing compiled, for every game: with
`--help`, its options.

Each row is a server of its own with an empty home, opened at once in Chromium at a game against the
computer. `open` is from the link to the board, `move` from the person's move to the computer's move
on the board (in a game for one, from the board to the first move), `CPU` what server, searches and
compilers had computed by then, `said` what the page said.
"""

import argparse
import asyncio
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from anyzero.core.game.load import game_names
from web_process import Server

PLAYERS = ("uct:1000", "level:medium")
ALONE = "take_it_easy"
LONGEST_S = 300.0
PLY = "Number(document.querySelector('.board')?.dataset.ply ?? -1)"
PRESS = """() => {
  const cell = document.querySelector(".hit.target") ?? document.querySelector(".hit.can");
  if (!cell) return null;
  const {x, y, width, height} = cell.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""


async def until_ply(page: Page, least: int) -> str:
    """Wait for the ply; what was said while somebody thought."""
    said = ""
    while await page.evaluate(PLY) < least:
        words = await page.evaluate("document.querySelector('.thinking')?.textContent ?? ''")
        said = words if len(words) > len(said) else said
        await page.wait_for_timeout(10)
    return said


async def move(page: Page) -> int:
    """The first move that clicks make; the ply after it."""
    while await page.evaluate(PLY) < 1:
        if (cell := await page.evaluate(PRESS)) is not None:
            await page.mouse.click(*cell)
        await page.wait_for_timeout(50)
    return 1


async def measure(browser: Browser, game: str, player: str) -> str:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = {"HOME": name, "XDG_CACHE_HOME": f"{name}/cache", "XDG_DATA_HOME": f"{name}/data"}
        server = Server(Path(name), env={**os.environ, **home})
        await server.start()
        try:
            return await asyncio.wait_for(play(browser, server, game, player), LONGEST_S)
        except TimeoutError:
            return f"| {game} | {player} | | over {LONGEST_S:g} | | |"
        finally:
            await server.end(signal.SIGINT)


async def play(browser: Browser, server: Server, game: str, player: str) -> str:
    """A row of the table."""
    page, begin, is_alone = await browser.new_page(), time.perf_counter(), game == ALONE
    await page.goto(f"{server.url}#/play?game={game}&seats={'' if is_alone else 'human+'}{player}")
    await until_ply(page, 0)
    opened = time.perf_counter()
    ply = 1 if is_alone else await move(page)
    moved = opened if is_alone else time.perf_counter()
    said = await until_ply(page, ply + 1)
    answered, cpu = time.perf_counter(), server.cpu()
    note = await page.inner_text(".hint-words")
    await page.close()
    times = f"{opened - begin:.1f} | {answered - moved:.1f} | {cpu['server'] + cpu['searches']:.1f}"
    return f"| {game} | {player} | {times} | {' / '.join(filter(None, (said, note)))} |"


async def main(names: list[str], players: list[str]) -> None:
    print("| game | player | open s | move s | CPU s | said |\n|---|---|--:|--:|--:|---|")
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name in names:
            for player in players:
                print(await measure(browser, name, player), flush=True)
        await browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", help="all of them if none is named")
    parser.add_argument(
        "--player", action="append", help=f"may be repeated; by default {' and '.join(PLAYERS)}"
    )
    args = parser.parse_args()
    asyncio.run(main(args.games or list(game_names()), args.player or list(PLAYERS)))
