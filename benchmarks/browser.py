"""How fast an exported page is beside native code: random games, searches and a net, in Chromium
and here, on one core.

    .venv/bin/python benchmarks/browser.py [GAME ...] [--net best] [--json FILE]

Both take turns with short pieces of the same work, and the fastest piece of each counts: what else
the machine does only makes it slower. Pieces before the first that counts let the browser compile
in full. The net is an untrained one of 4x32 (3x128 where there is no board) unless `--net best`
asks for that of the package. Connect Four is also timed from opening the page to a machine's first
move, and from a click to an analysis' first result, in a fresh browser.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from anyzero.core.game.game import Game
from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.game.play import first_decision
from anyzero.core.game.streams import new_scratch, rollout_streams
from anyzero.core.learning.find import BEST, best_network
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import read_network, save_network
from anyzero.core.search import Searcher
from anyzero.extras.browser.wasm_files import build_functions, write_module
from anyzero.extras.export import export
from anyzero.extras.programs import ExportedFunction, Given

ROUNDS, WARM_ROUNDS = 12, 3
PIECE_S = 0.08
KINDS = ("rollouts", "uct", "rave", "puct", "evaluations")
"""Searches by puct ask the net, as a page does; evaluations are of the net alone, here 32 positions
at a time.
"""
BATCH = 32
OPENINGS = 5
PREPARE = """async (name) => {
  const here = new URL('./', location.href);
  const read = (one) => import(new URL(`${one}.js`, here));
  const [{Game}, {search}, {load}] = await Promise.all(['game', 'search', 'anyzero'].map(read));
  const site = await (await fetch('site.json')).json();
  const game = await Game.open(site.games.find((one) => one.name === name), here);
  const random = await load('rollouts', game.base);
  let state = game.start();
  while (game.seat(state) < 0) state = game.after(state, game.legal(state)[0]);
  const {module: net} = await game.borrow('net');
  const steps = net.plan.steps.slice(1, -1);
  net.ask('begin_search', state, {seed: 1n, simulations: 1});
  net.call(net.plan.steps[0]);
  const planes = net.array('planes');
  const evaluate = () => {
    planes.fill(0);
    for (const step of steps) net.call(step);
  };
  const clock = async (work) => {
    const start = performance.now(), num = await work();
    return [num, (performance.now() - start) / 1000];
  };
  window.measure = {
    rollouts: (num) => clock(() => { random.call('rollout_streams', {repeats: num}); return num; }),
    evaluations: (num) => clock(() => {
      for (let at = 0; at < num; at += 1) evaluate();
      return num;
    }),
    search: (player, seed) => clock(async () => {
      const found = await search(game, state, player, {
        seed: BigInt(seed), site, isStopped: () => false,
      });
      return found.result.simulations;
    }),
  };
}"""
FIRST_RESULT = """async () => {
  const told = (words) => document.querySelector('.summary')?.textContent.includes(words);
  const start = performance.now();
  [...document.querySelectorAll('button')].find((one) => one.textContent === 'Search').click();
  while (!told('simulations in')) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now() - start;
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        """Say nothing."""


# --- the same work here and there


def rollout_arguments(game: Game, repeats: int) -> tuple[Any, ...]:
    root, sums = game.new_states(1), np.zeros((1, game.num_seats))
    root[0] = game.initial_state()
    return (
        game.rules,
        root,
        np.uint64(1),
        0,
        1,
        repeats,
        new_scratch(game),
        sums,
        np.zeros(1, np.int64),
    )


def write_game(folder: Path, name: str, net: str) -> tuple[Game, Path]:
    """The page with a game, and a module that plays it at random; the file of its net."""
    game, file = load(name), folder / "net.safetensors"
    folder.mkdir()
    if net == BEST:
        file = best_network(game)
    else:
        save_network(file, new_network(game, parse_network("small")), game)
    export(game, web=folder, net=str(file))
    given: list[Any] = list(rollout_arguments(game, 1))
    given[5] = Given("repeats", 1)
    function = ExportedFunction(
        "rollout_streams", lambda target: game.compile(rollout_streams, target), given, ""
    )
    write_module(folder / "games" / name, "rollouts", *build_functions([function]), {})
    return game, file


def rollouts_here(game: Game) -> Callable[[int, int], Any]:
    kernel = game.compile(rollout_streams)
    return lambda num, _seed: (kernel(*rollout_arguments(game, num)), num)[1]


def evaluations_here(game: Game, file: Path) -> Callable[[int, int], Any]:
    evaluator, states = evaluator_of(game, file), game.new_states(BATCH)
    states[:] = first_decision(game)
    return lambda num, _seed: sum(len(evaluator(game, states)[1]) for _ in range(0, num, BATCH))


def evaluator_of(game: Game, file: Path) -> NetworkEvaluator:
    """It asks its net for every leaf: a memory of answers would know a position that comes
    again.
    """
    return NetworkEvaluator(game, read_network(file, game), threads=1, cache=0)


def search_here(game: Game, method: str, file: Path) -> Callable[[int, int], Any]:
    state = first_decision(game)
    options: dict[str, Any] = {"evaluator": evaluator_of(game, file)} if method == "puct" else {}
    return lambda num, seed: (
        Searcher(game, method, simulations=num, **options).search(state, seed).simulations
    )


def work_there(page: Any, kind: str, net: str) -> Callable[[int, int], Any]:
    if kind in ("rollouts", "evaluations"):
        return lambda num, _seed: page.evaluate(f"measure.{kind}", num)
    suffix = f"@{net}" if kind == "puct" else ""
    ask = "([player, seed]) => measure.search(player, seed)"
    return lambda num, seed: page.evaluate(ask, [f"{kind}:{num}{suffix}", seed])


def measure(game: Game, page: Any, file: Path, net: str) -> dict[str, tuple[float, float]]:
    """Rates by kind of work: here, and in the browser."""
    here = {"rollouts": rollouts_here(game), "evaluations": evaluations_here(game, file)}
    searches = {kind: search_here(game, kind, file) for kind in KINDS if kind not in here}
    return {
        kind: alternate({**here, **searches}[kind], work_there(page, kind, net)) for kind in KINDS
    }


def alternate(
    here: Callable[[int, int], Any], there: Callable[[int, int], Any]
) -> tuple[float, float]:
    """The best rates of both in pieces of about the same length."""

    def clocked(num: int, seed: int) -> float:
        start = time.perf_counter()
        done = here(num, seed)
        return float(done / (time.perf_counter() - start))

    num = piece_of(clocked)
    rates = []
    for seed in range(WARM_ROUNDS + ROUNDS):
        native, (done, seconds) = clocked(num, seed), there(num, seed)
        rates.append((native, done / seconds))
    return max(rate for rate, _ in rates[WARM_ROUNDS:]), max(
        rate for _, rate in rates[WARM_ROUNDS:]
    )


def piece_of(clocked: Callable[[int, int], float]) -> int:
    """How much takes PIECE_S here; the fastest of three, for others may hold one up."""
    num = 16
    while True:
        wanted = int(PIECE_S * max(clocked(num, seed) for seed in range(3)))
        if wanted <= 2 * num:
            return max(16, wanted)
        num = min(wanted, 8 * num)


# --- how long a person waits


def first_move(browser: Any, url: str) -> float:
    """Seconds from opening a game to the move of the machine that begins it."""
    page, start = browser.new_context().new_page(), time.perf_counter()
    page.goto(f"{url}#/play?game=connect_four&seats=level:hard+human")
    page.wait_for_selector(".board[data-ply='1']")
    took = time.perf_counter() - start
    page.context.close()
    return took


def first_result(browser: Any, url: str) -> float:
    """Seconds from the click on Search to what is shown first, with nothing loaded before."""
    page = browser.new_context().new_page()
    page.goto(f"{url}#/play?game=connect_four&seats=human+human")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_label("Method A: budget").fill("10s")
    took = float(page.evaluate(FIRST_RESULT)) / 1000
    page.context.close()
    return took


def time_waits(browser: Any, url: str) -> dict[str, float]:
    found = {
        name: statistics.median(wait(browser, url) for _ in range(OPENINGS))
        for name, wait in (("first move", first_move), ("first result", first_result))
    }
    for name, seconds in found.items():
        print(f"{name}: {1000 * seconds:.0f} ms, the median of {OPENINGS}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=list(BUILT_IN))
    parser.add_argument("--net", default="small", choices=["small", BEST])
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    found: dict[str, Any] = {}
    print("| game | " + " | ".join(f"{kind} | of native" for kind in KINDS) + " |")
    print("|---|" + "--:|--:|" * len(KINDS))
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for text in wanted.games:
            (game, file), page = write_game(folder / text, text, wanted.net), browser.new_page()
            url = f"http://127.0.0.1:{server.server_port}/{text}/index.html"
            page.goto(url)
            page.evaluate(PREPARE, text)
            rates = found[text] = measure(game, page, file, file.stem)
            cells = (
                f"{rates[kind][1]:,.0f}/s | {rates[kind][1] / rates[kind][0]:.2f}" for kind in KINDS
            )
            print(f"| {game.title} | " + " | ".join(cells) + " |", flush=True)
            page.close()
            if text == "connect_four":
                found["waits"] = time_waits(browser, url)
        browser.close()
        server.shutdown()
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
