"""A game that was exported as WebAssembly, in a real browser, from files that anything may serve."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from anyzero.export.door import export
from anyzero.games.load import load
from anyzero.search import Searcher

PLAY = """async () => {
  const {load} = await import('./anyzero.js');
  const game = await load('tic_tac_toe');
  const state = game.play(game.initialState(), 4);
  return [game.legalActions(state), game.search(state, 7), game.seatToMove(state)];
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words):
        """Say nothing."""


def test_an_exported_game_plays_in_a_browser(page, tmp_path):
    export("tic_tac_toe", wasm=tmp_path / "a game", player="uct:60")
    (tmp_path / "a game" / "index.html").write_text("<!doctype html><title>a game</title>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(f"http://127.0.0.1:{server.server_port}/a%20game/index.html")
        found = page.evaluate(PLAY)
        server.shutdown()
    game = load("tic_tac_toe")
    state = game.play(game.initial_state(), 4)
    assert found == [game.legal_actions(state), Searcher(game, "uct", simulations=60).choose(state, 7), 1]
