"""Engines of others as players: `uci:stockfish,elo=1400` and `gtp:COMMAND`. They run as processes of their own.

A crash costs the game in which it happens; before the next one the engine is started again.
"""

import contextlib
from collections.abc import Callable

from anyzero.games.game import Game, State
from anyzero.players.engine_gtp import GtpClient
from anyzero.players.engine_process import EngineError
from anyzero.players.engine_text import EngineText, parse_engine
from anyzero.players.engine_uci import UciClient
from anyzero.players.player import Player

CLIENTS: dict[str, Callable[[EngineText], "UciClient | GtpClient"]] = {"uci": UciClient, "gtp": GtpClient}


def engine_player(text: str) -> Player:
    """`uci:COMMAND,elo=1400,movetime=0.1` or `gtp:COMMAND,movetime=1`; see `engine_text` for the quotes."""
    wanted = parse_engine(text)
    make = CLIENTS[text.partition(":")[0]]
    make(wanted)  # says so if the options are not for this protocol
    clients: dict[Game, UciClient | GtpClient] = {}

    def client(game: Game) -> "UciClient | GtpClient":
        if game not in clients:
            clients[game] = make(wanted)
        return clients[game]

    def choose(game: Game, state: State, seed: int) -> int:
        return client(game).choose(game, state, seed)

    def prepare(game: Game) -> None:
        client(game).start(game)

    def forget() -> None:
        for game, known in clients.items():
            with contextlib.suppress(EngineError):  # the next move says it
                known.begin_game(game)

    return Player(text, choose, wanted.limit, prepare, forget)
