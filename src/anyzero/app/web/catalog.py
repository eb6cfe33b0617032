"""The server's settings, the form of requests, and what they may name: games, players and networks
known here.

No text of a request becomes a path, and every invalid message is answered with a sentence.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import anyzero
from anyzero.app.records.files import forms_of
from anyzero.app.records.seats import HUMAN
from anyzero.core.base.errors import AnyzeroError, BadOptionError, unknown_name
from anyzero.core.base.files import own_folder
from anyzero.core.base.nouns import Values
from anyzero.core.game.definition import split_text
from anyzero.core.game.game import Game, game_text
from anyzero.core.game.load import find_maker, game_names, load, option_choices
from anyzero.core.learning.find import BEST, RUNS, find_network, known_names
from anyzero.core.search import Searcher
from anyzero.core.search.methods import METHODS, SearchText
from anyzero.tools.players import engine_client
from anyzero.tools.players.text import LEVELS, OWN_KINDS, PlayerText, level_text, split_player

ENGINE = "engine:"  # prefix of engines allowed on the command line
MOST_GAMES = 64  # maximum loaded games in memory
OWN_BUSINESS = ("trees", "threads", "reuse", "max_nodes", "noise_fraction")
"""Options that clients may not choose: threads and memory are shared, and noise is for self-play.
"""


@dataclass(frozen=True)
class ServerConfig:
    """The server's settings; the limits keep one client from using up the machine."""

    host: str = (
        "127.0.0.1"  # the address to listen on; addresses beyond this machine are the user's choice
    )
    port: int = 8000  # 0: any free port
    data: Path = field(
        default_factory=lambda: own_folder("XDG_DATA_HOME", ".local/share") / "games.sqlite3"
    )
    """The file with the games."""
    games: tuple[str, ...] = ()
    """Files with the user's own games, with options that become their defaults here; no other
    file's code is run.
    """
    engines: tuple[str, ...] = ()
    """Other engines that may take a seat, `NAME=uci:COMMAND,...`; no other program is run."""
    runs: Path = RUNS  # the folder of training runs
    experiments: Path = Path()  # the folder with the tables of experiments
    prepare: bool = True
    """Compile for every game once a page is opened; code for the players at a table is compiled in
    any case.
    """
    max_connections: int = 1024  # at a time; a browser tab has several
    max_message: int = 1 << 20  # bytes of one message
    max_rooms: int = 500  # games in memory at a time
    max_simulations: int = 2_000_000  # the budget of one search
    max_seconds: float = 60.0  # the same in seconds
    max_nodes: int = 4_000_000  # the tree of a single search; a node takes 26 to 40 bytes
    max_jobs: int = 256  # searches running or waiting
    max_client_jobs: int = 6  # analyses and hints of one client

    @cached_property
    def engine_texts(self) -> dict[str, str]:
        """The texts of the engines by display name; an engine without a name is named by its
        command.
        """
        texts = {}
        for text in self.engines:  # `Strong=uci:stockfish,elo=2000`
            name, _, rest = text.partition("=")
            if name.startswith(("uci:", "gtp:")):
                name = text.partition(":")[2]
                rest = text
            texts["-".join(name.split())] = (
                rest.strip()
            )  # a name is one word, like every player's text
        return texts


def name_files(texts: Sequence[str]) -> dict[str, str]:
    """The files of games, with their options, by name; a number is appended to a duplicate name."""
    names = game_names()
    named = dict[str, str]()
    for text in texts:
        stem = Path(split_text(text)[0]).stem
        number = 1
        name = stem
        while name in names or name in named:
            number += 1
            name = f"{stem}_{number}"
        named[name] = text
    return named


def load_interpreted(source: str) -> Game:
    game = load(source)
    game.stay_interpreted()
    return game


class Catalog:
    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.files = name_files(config.games)
        """Texts by display name; a table has their options unless it names others."""
        self.paths = {Path(split_text(text)[0]): name for name, text in self.files.items()}
        self.load_source = lru_cache(MOST_GAMES)(load_interpreted)
        self.engines = {name: engine_client(text) for name, text in config.engine_texts.items()}
        for name in self.files:
            self.describe(name)  # raises errors in a file before anything is served

    # --- games

    @cached_property
    def names(self) -> list[str]:
        """Cached: the lookup asks every installed package."""
        return [*self.files, *(name for name in game_names() if name not in self.files)]

    def source(self, text: str) -> str:
        """The text for `load`: a file only if the command line named it."""
        name, options = split_text(text.strip())
        if name in self.files:  # the last of duplicate options counts
            file, options_here = split_text(self.files[name])
            return ":".join(filter(None, [file, ",".join(filter(None, [options_here, options]))]))
        if name not in self.names and Path(name) not in self.paths:
            raise unknown_name("game", name, self.names)
        return text.strip()

    def load(self, text: str) -> Game:
        """A game that this process plays interpreted, so that no move waits for a compiler."""
        return self.load_source(self.source(text))

    def public(self, game: Game) -> str:
        """The game's text without the path of its file."""
        return game_text(self.paths.get(Path(game.source), game.source or game.name), game.options)

    def games(self) -> Values:
        return {"games": [self.describe(name) for name in self.names]}

    def describe(self, name: str) -> Values:
        game = self.load(name)
        engines = []
        for engine, client in self.engines.items():
            with suppress(AnyzeroError):
                client.check_game(game)
                engines.append(engine)
        return {**describe_game(game, name), "engines": engines}

    # --- players

    def players(self) -> Values:
        methods = [{"name": name, "meaning": method.meaning} for name, method in METHODS.items()]
        return {"levels": LEVELS, "methods": methods, "networks": [BEST, *known_names()]}

    def check_player(self, text: str, game: Game, *, searches: bool = False) -> str:
        """The player's text, if this server allows it in this game; `searches`: it must be one that
        searches.
        """
        text = text.strip()
        if text.startswith(ENGINE) and not searches:
            name = text.removeprefix(ENGINE)
            if name not in self.engines:
                raise unknown_name(
                    "engine", name[:60], self.engines, none="anyzero serve --engine allows one"
                )
            self.engines[name].check_game(game)
            return text
        player = None if text == HUMAN else split_player(text, OWN_KINDS)
        if searches and (player is None or player.in_game(game).search is None):
            raise BadOptionError(
                f"{text!r} does not search; name a method like uct:1000 or a level like level:hard"
            )
        if player is not None and player.search is not None:
            self.check_search(player, player.search, game)
        return text

    def check_search(self, player: PlayerText, search: SearchText, game: Game) -> None:
        most = self.config.max_simulations
        longest = self.config.max_seconds
        if (search.simulations or 0) > most or (search.seconds or 0.0) > longest:
            raise BadOptionError(
                f"{player.text!r}: a search here has at most {most} simulations or {longest:g} s"
            )
        for option in OWN_BUSINESS:
            if option in search.options:
                raise BadOptionError(f"{player.text!r}: the option {option} is not for the web app")
        name = player.network
        names = known_names()
        if not name:
            Searcher(game, **search.arguments)  # raises an error if they do not fit
        elif name == BEST:
            find_network(BEST, game)  # only if the game has one
        elif name not in names:  # otherwise only a generation of a listed run
            run, _, number = name.rpartition("/")
            if run not in names or not re.fullmatch("[0-9]{1,6}", number):
                raise unknown_name(
                    "network", name, names, none="there are no runs and no models here"
                )

    def check_seats(self, seats: Sequence[str], game: Game) -> tuple[str, ...]:
        if len(seats) != game.num_seats:
            raise AnyzeroError(f"{game.name} has {game.num_seats} seats, not {len(seats)}")
        return tuple(self.check_player(seat, game) for seat in seats)


def describe_game(game: Game, name: str) -> Values:
    choices = option_choices(find_maker(game.source)) if game.source else {}
    options = [
        {
            "name": key,
            "default": value,
            "kind": type(value).__name__,
            "choices": choices.get(key, ()),
        }
        for key, value in game.options.items()
    ]
    return {
        "name": name,
        **{key: getattr(game, key) for key in ("title", "num_seats", "best_score")},
        "rules": anyzero.rules(game).paragraphs,
        "example": game.example.split(),
        "seat_names": [game.seat_name(seat) for seat in range(game.num_seats)],
        "options": options,
        "position": game.has("parse_state"),
        "levels": {level: level_text(game, level) for level in LEVELS},
        "records": forms_of(game),
        "advisor": None if game.facts.advisor is None else game.facts.advisor._asdict(),
    }
