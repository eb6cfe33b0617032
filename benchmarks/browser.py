"""How fast an exported page is beside native code: random games, searches and nets, in Chromium and here, on one core.

Both take turns with short pieces of the same work, and the fastest piece of each counts: what else the machine does
only makes it slower. `python benchmarks/browser.py [GAME ...]`; games are exported with the nets in the package.
"""

import shutil
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from anyzero.compile.ahead import Baked, Given
from anyzero.export.door import export
from anyzero.export.functions import Exported
from anyzero.export.wasm import build_functions, write_module
from anyzero.games.game import Game
from anyzero.games.line import first_decision
from anyzero.games.load import BUILT_IN, load
from anyzero.games.rollouts import new_scratch, rollout_streams
from anyzero.networks.evaluator import NetworkEvaluator
from anyzero.networks.find import best_network
from anyzero.networks.weights import read_network
from anyzero.players.text import split_player
from anyzero.search import Searcher

ROUNDS = 12
PLAYERS = ("uct:20000", "rave:20000", "puct:60@best")
PREPARE = """async (name) => {
  const here = new URL('./', location.href);
  const read = (one) => import(new URL(`${one}.js`, here));
  const [{Game}, {search}, {load}] = await Promise.all(['game', 'search', 'anyzero'].map(read));
  const site = await (await fetch('site.json')).json();
  const game = await Game.open(site.games.find((one) => one.name === name), here);
  const random = await load('rollouts', game.base);
  let state = game.start();
  while (game.seat(state) < 0) state = game.after(state, game.legal(state)[0]);
  const clock = async (work) => {
    const start = performance.now(), num = await work();
    return 1000 * num / (performance.now() - start);
  };
  window.measure = {
    rollouts: (num) => clock(() => { random.call('rollout_streams', {repeats: num}); return num; }),
    search: (player, seed) => clock(async () => {
      const found = await search(game, state, player, {seed: BigInt(seed), site, isStopped: () => false});
      return found.result.simulations;
    }),
  };
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        """Say nothing."""


def rollout_arguments(game: Game, repeats: int) -> tuple[Any, ...]:
    root, sums = game.new_states(1), np.zeros((1, game.num_seats))
    root[0] = game.initial_state()
    return game.rules, root, np.uint64(1), 0, 1, repeats, *new_scratch(game), sums, np.zeros(1, np.int64)


def write_game(folder: Path, name: str) -> Game:
    """The page with a game, and a module that plays it at random."""
    game = load(name)
    export(game, web=folder)
    given: list[Any] = [Baked(value) for value in rollout_arguments(game, 1)]
    given[5] = Given("repeats", 1)
    function = Exported("rollout_streams", lambda target: game.compile(rollout_streams, target), given, "")
    write_module(folder / "games" / name, "rollouts", *build_functions([function]), {})
    return game


def measure(game: Game, page: Any) -> dict[str, tuple[float, float]]:
    """Rates by kind of work: here, and in the browser."""
    kernel, rates = game.compile(rollout_streams), dict[str, tuple[float, float]]()
    kernel(*rollout_arguments(game, 1))
    start = time.perf_counter()
    kernel(*rollout_arguments(game, 200))
    num = int(200 * 0.03 / (time.perf_counter() - start)) + 1

    def here_at_random(_seed: int) -> int:
        kernel(*rollout_arguments(game, num))
        return num

    rates["rollouts"] = alternate(here_at_random, lambda _seed: page.evaluate("measure.rollouts", num))
    for player in PLAYERS:
        rates[player] = alternate(searches_here(game, player), partial(search_there, page, player))
    return rates


def searches_here(game: Game, player: str) -> Any:
    """A search that asks its net for every leaf: a memory of answers would know a position that comes again."""
    wanted, state = split_player(player), first_decision(game)
    assert wanted.search is not None
    options = wanted.search.arguments
    if wanted.network:
        network = read_network(best_network(game), game)
        options["evaluator"] = NetworkEvaluator(game, network, precision="float32", threads=1, cache=0)
    searcher = Searcher(game, **options)
    return lambda seed: searcher.search(state, seed).simulations


def search_there(page: Any, player: str, seed: int) -> float:
    return float(page.evaluate("([player, seed]) => measure.search(player, seed)", [player, seed]))


def alternate(here: Any, there: Any) -> tuple[float, float]:
    best_here = best_there = 0.0
    for seed in range(ROUNDS):
        start = time.perf_counter()
        num = here(seed)
        best_here = max(best_here, num / (time.perf_counter() - start))
        best_there = max(best_there, there(seed))
    return best_here, best_there


def main(names: list[str]) -> None:
    kinds = ("rollouts", *PLAYERS)
    print("| game | " + " | ".join(f"{kind} | of native" for kind in kinds) + " |")
    print("|---|" + "--:|--:|" * len(kinds))
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for text in names:
            game, page = write_game(folder / text, text), browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/{text}/index.html")
            page.evaluate(PREPARE, text)
            rates = measure(game, page)
            cells = (f"{rates[kind][1]:,.0f}/s | {rates[kind][1] / rates[kind][0]:.2f}" for kind in kinds)
            print(f"| {game.title} | " + " | ".join(cells) + " |", flush=True)
            page.close()
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:] or list(BUILT_IN))
