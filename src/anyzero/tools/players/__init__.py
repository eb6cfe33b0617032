"""Players choose moves: random play, every search method, other engines, and the user's own
players.

Reading order: `text` (a player's text), `player` (what a player is, how it is asked, and players
that search), `engine` (UCI and GTP).
"""

from functools import cache
from pathlib import Path

from anyzero.core.game.game import Game
from anyzero.core.game.load import files_of
from anyzero.core.game.play import Play
from anyzero.core.learning.find import BEST, find_network
from anyzero.tools.players.engine import EngineClient, GtpClient, UciClient, parse_engine
from anyzero.tools.players.player import Player, choose_at_random, load_player, search_player
from anyzero.tools.players.text import ENGINE, FILE, RANDOM, PlayerText, split_player

__all__ = ["Player", "parse_player", "player_files"]


def parse_player(text: Player | str, threads: int | None = None) -> Player:
    """The player that a text names: a method and its budget, a level, a network, another engine, a
    file of your own.

    `uct:1000`, `rave:0.5s,bias=1e-5`, `gumbel:64@RUN`, `gumbel:64@best`, `level:easy`,
    `uci:stockfish`, `./mine.py`. A network answers on so many threads, by default one per core,
    unless the text says how many.

    >>> anyzero.player("rave:2000").move("hex:size=7")
    """
    if isinstance(text, Player):
        return text
    parts = split_player(text)
    if parts.kind == RANDOM:
        return Player(parts.text, choose_at_random)
    if parts.kind == FILE:
        return load_player(parts.text, parts.name, parts.rest)
    return _engine_player(parts) if parts.kind == ENGINE else search_player(parts, threads)


def player_files(text: str, game: Game) -> list[Path]:
    """The files another machine needs for this player: its file and that folder's other files, or
    its network.
    """
    player = split_player(text).in_game(game)
    if player.kind == FILE:
        return files_of(player.name)
    return [] if player.network in ("", BEST) else [find_network(player.network)]


def engine_client(text: str) -> EngineClient:
    """The engine in a text, not started; an error if its options do not suit its protocol, or there
    is no program.
    """
    name = split_player(text, (ENGINE,)).name
    return {"uci": UciClient, "gtp": GtpClient}[name](parse_engine(text))


def _engine_player(player: PlayerText) -> Player:
    """One process per game; each is started by `prepare`, or by the first request."""
    engine = engine_client(player.text).wanted
    client = cache(lambda game: engine_client(player.text))

    def choose(game: Game, line: Play, seed: int) -> int:
        return client(game).choose(game, line, seed)

    def prepare(game: Game) -> None:
        client(game).prepare(game)

    def check(game: Game) -> None:
        client(game).check_game(game)

    return Player(engine.text, choose, engine.limit, prepare, check=check)
