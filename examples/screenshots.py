"""The pictures of the page under docs/images: `python examples/screenshots.py --help` says what can
be chosen.

Needs Chromium and the dev extra. A server and a short training run are started in a temporary
folder, and ended.
"""

import argparse
import contextlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RUN = [
    "train",
    "breakthrough:rows=5,columns=5",
    "--run",
    "breakthrough",
    "--minutes",
    "6",
    "--match",
    "0",
]
RUN_SETTINGS = ["--set", "league.every=2", "--set", "league.games=20"]
RUN_GENERATIONS = 8
COLOURS = 256

GAMES = {
    "tic_tac_toe": ("tic_tac_toe", "b2 a3 c3 a1"),
    "connect_four": ("connect_four", "d d d d e f e e c b c c f b"),
    "breakthrough": ("breakthrough", "d2d3 e7e6 e2e3 d7d6 b2c3 g7f6 f2g3 c7c6 g3g4 b7b6 c3d4 c6c5"),
    "knightthrough": ("knightthrough", "c1d3 d7f6 c2e3 h7g5 b1c3 g5f3 g1f3 a8b6 f3e5 b6c4"),
    "domineering": (
        "domineering",
        "c2c3 f7g7 e1e2 d7e7 g1g2 a2b2 b7b8 e5f5 g5g6 a4b4 f3f4 g4h4 d3d4 c5d5",
    ),
    "atarigo": ("atarigo:size=9", "e5 f4 d4 f6 g5 f5 e6 e7 d7 e4 d6 e3 g6 g7 f7 g4"),
    "hex": ("hex:size=11", "f6 e8 e7 d7 h3 g4 g3 f4 f3 e4 e3 d4 d3 c5 c4 i7"),
    "oware": ("oware", "E a F e B f B b C d C e D a F e"),
    "chess": ("chess", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d4 e5d4 c3d4 c5b4 b1c3 f6e4"),
    "take_it_easy": (
        "take_it_easy",
        "174 10 524 1 163 11 978 16 573 2 924 5 168 7 128 12 164 15 123 6 963 18 578",
    ),
}
"""Each game in mid-game; the machine has moved last."""
PICKED = {"chess": "c4", "breakthrough": "d4", "knightthrough": "e5", "domineering": "h5"}
"""The cell that is lifted, so that its targets are seen."""
TRAP = ("chess", "e2e4 e7e5 g1f3 d7d6 f1c4 c8g4 b1c3 g7g6 f3e5 g4d1")
"""White has given its queen and mates in two (Légal's mate)."""
DRAWN = "174 10 524 1 163 11 978 16 573 2 924"


def main() -> None:
    words = read_words()
    words.folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if wanted("run", words.only):
            stack.enter_context(started([*RUN, *RUN_SETTINGS], folder))
        server = stack.enter_context(
            started(["serve", "--json", "--port", "0", "--data", "games.sqlite3"], folder)
        )
        page = stack.enter_context(open_page(words.width, words.height, words.theme))
        url = json.loads(server.stdout.readline())["url"]
        for name in (name for name in PICTURES if wanted(name, words.only)):
            PICTURES[name](page, url)
            shoot(page, words.folder / f"{name}.png")


def read_words() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description="Pictures of the page.")
    reader.add_argument(
        "--folder", type=Path, default=Path(__file__).parent.parent / "docs" / "images"
    )
    reader.add_argument("--width", type=int, default=1200)
    reader.add_argument("--height", type=int, default=820)
    reader.add_argument(
        "--theme", choices=("light", "dark"), help="for all; by default each picture has its own"
    )
    reader.add_argument("--only", nargs="*", default=[], help="names, or their beginnings")
    return reader.parse_args()


def wanted(name: str, only: list[str]) -> bool:
    return not only or any(name.startswith(start) for start in only)


# --- what runs meanwhile


@contextlib.contextmanager
def started(words: list[str], folder: str) -> Iterator[subprocess.Popen[str]]:
    """A command of anyzero, stopped by Ctrl-C at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "anyzero", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


@contextlib.contextmanager
def open_page(width: int, height: int, theme: str | None) -> Iterator[Page]:
    path = next(found for name in BROWSERS if (found := shutil.which(name)))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": width, "height": height}, reduced_motion="reduce"
        )
        page.set_default_timeout(60_000)
        page.theme = theme  # type: ignore[attr-defined]
        yield page
        browser.close()


def shoot(page: Page, path: Path) -> None:
    """A picture with few colours, which is all that the page has, in a third of the bytes."""
    page.mouse.move(2, 300)
    page.wait_for_timeout(150)
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(
        COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    ).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


# --- what is shown


def go(page: Page, url: str, place: str, theme: str) -> None:
    page.emulate_media(color_scheme=page.theme or theme)  # type: ignore[attr-defined]
    page.goto("about:blank")
    page.goto(f"{url}#/{place}")


def place_of(game: str, moves: str, opponent: str) -> str:
    seats = "human" if game == "take_it_easy" else f"human {opponent}"
    return "play?" + urlencode({"game": game, "seats": seats, "moves": moves})


def show_play(name: str, theme: str) -> Callable[[Page, str], None]:
    def show(page: Page, url: str) -> None:
        go(page, url, place_of(*GAMES[name], "level:medium"), theme)
        page.wait_for_selector(".panel .status")
        if name in PICKED:
            page.locator(f'[data-cell="{PICKED[name]}"]').click(force=True)

    return show


def show_analysis(
    line: tuple[str, str], player: str, theme: str, kind: str = "Visits"
) -> Callable[[Page, str], None]:
    def show(page: Page, url: str) -> None:
        go(page, url, place_of(*line, "human"), theme)
        page.get_by_role("button", name="Analyse").click()
        method, budget = player.split(":")
        page.get_by_label("Method A", exact=True).select_option(f"method:{method}")
        page.get_by_label("Method A: budget").fill(budget)
        page.get_by_role("button", name="Whole game").click()
        page.wait_for_selector(
            f".chart .dot:nth-of-type({line[1].count(' ') + 2})", state="attached"
        )
        page.get_by_role("button", name="Search").click()
        page.wait_for_selector("button.main:text('Search')")
        page.wait_for_selector(".ghost", state="attached")
        page.locator(".segments").get_by_role("button", name=kind).click()

    return show


def show_advisor(page: Page, url: str) -> None:
    go(page, url, "advisor", "light")
    for index, word in enumerate(DRAWN.split()):
        if index % 2:
            page.locator(f'[data-cell="{word}"]').click(force=True)
        else:
            page.locator(".tiles").get_by_role("button", name=word, exact=True).click()
        page.wait_for_selector(f'.board[data-ply="{index + 1}"]')
    page.wait_for_selector(".summary:has-text('expected')")
    page.wait_for_selector(".summary:not(:has-text('…'))")


def show_run(page: Page, url: str) -> None:
    go(page, url, "runs/breakthrough", "dark")
    page.wait_for_selector(".chart")
    while page.locator(".chart").first.locator(".dot").count() < RUN_GENERATIONS // 2 + 1:
        page.wait_for_timeout(1000)


PICTURES: dict[str, Callable[[Page, str], None]] = {
    **{
        f"play-{name}": show_play(name, "dark" if index % 2 else "light")
        for index, name in enumerate(GAMES)
    },
    "analyse-hex": show_analysis(GAMES["hex"], "rave:60000", "light"),
    "analyse-chess": show_analysis(TRAP, "uct:20000", "dark", "Value"),
    "advisor": show_advisor,
    "run": show_run,
}

if __name__ == "__main__":
    main()
