"""Engines of others as players: `uci:stockfish,elo=1400` and `gtp:COMMAND`. They run as processes of their own.

A crash costs the game in which it happens; before the next one the engine is started again.
"""

from collections.abc import Callable

from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.players.engine_gtp import GtpClient
from anyzero.players.engine_text import EngineText, parse_engine
from anyzero.players.engine_uci import UciClient
from anyzero.players.player import Player
from anyzero.players.text import PlayerText

CLIENTS: dict[str, Callable[[EngineText], "UciClient | GtpClient"]] = {"uci": UciClient, "gtp": GtpClient}


def engine_player(player: PlayerText) -> Player:
    """`uci:COMMAND,elo=1400,movetime=0.1` or `gtp:COMMAND,movetime=1`; see `engine_text` for the quotes."""
    wanted = parse_engine(player.text)
    make = CLIENTS[player.name]
    make(wanted)  # says so if the options are not for this protocol
    clients: dict[Game, UciClient | GtpClient] = {}

    def client(game: Game) -> "UciClient | GtpClient":
        if game not in clients:
            clients[game] = make(wanted)
        return clients[game]

    def choose(game: Game, line: Line, seed: int) -> int:
        return client(game).choose(game, line, seed)

    def prepare(game: Game) -> None:
        client(game).begin_game(game)

    return Player(player.text, choose, wanted.limit, prepare)
