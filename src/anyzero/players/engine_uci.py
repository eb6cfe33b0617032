"""A chess engine that speaks UCI, as a player."""

import re
import sys
import time
from typing import NamedTuple

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.players.engine_process import EngineError, EngineProcess
from anyzero.players.engine_text import EngineText

OPTION = re.compile(r"option\s+name\s+(.+?)\s+type\s+(\w+)(.*)")


class Offered(NamedTuple):
    """An option that an engine has."""

    name: str
    kind: str
    low: int | None
    high: int | None


class UciClient:
    """An engine's process and the words with it."""

    def __init__(self, wanted: EngineText) -> None:
        self.wanted = wanted
        self.process: EngineProcess | None = None
        self.offered: dict[str, Offered] = {}
        self.known: Line | None = None
        """What it was told last; None: nothing of this game."""

    def start(self, game: Game) -> EngineProcess:
        """The process, ready to play; started if it is not there."""
        if game.name != "chess":
            raise BadOptionError(f"{self.wanted.text}: UCI is for chess, not for {game.name}")
        if self.process is None or not self.process.is_running:
            self.process = EngineProcess(self.wanted.text, self.wanted.command)
            deadline = time.monotonic() + self.wanted.start
            self.offered = greet(self.process, deadline)
            for name, value in self.settings():
                self.process.send(f"setoption name {name} value {value}")
            self.wait_until_ready(self.process, deadline)
            self.known = None
        return self.process

    def wait_until_ready(self, process: EngineProcess, deadline: float) -> None:
        process.send("isready")
        while process.read(deadline).strip() != "readyok":
            pass

    def settings(self) -> list[tuple[str, str]]:
        """The options to be set, as the engine calls them."""
        wanted = self.wanted
        found = [(self.find(name).name, value) for name, value in wanted.options.items()]
        if wanted.level is not None:
            found.append((self.find("Skill Level").name, str(self.bounded("Skill Level", wanted.level))))
        if wanted.elo is not None:
            found += [(self.find("UCI_LimitStrength").name, "true")]
            found += [(self.find("UCI_Elo").name, str(self.bounded("UCI_Elo", wanted.elo)))]
        return found

    def find(self, name: str) -> Offered:
        if name.lower() not in self.offered:
            names = [offer.name for offer in self.offered.values()]
            hint = nearest_hint(name, names)
            raise UnknownNameError(
                f"{self.wanted.text}: it has no option {name!r}; {hint}its options: {list_some(names)}"
            )
        return self.offered[name.lower()]

    def bounded(self, name: str, value: int) -> int:
        """The nearest value that the engine has; said aloud if it is another."""
        offer = self.find(name)
        low = value if offer.low is None else max(offer.low, value)
        nearest = low if offer.high is None else min(offer.high, low)
        if nearest != value:
            bounds = f"{offer.name} is from {offer.low} to {offer.high}"
            print(f"{self.wanted.text}: {bounds}, so {nearest} stands for {value}", file=sys.stderr)
        return nearest

    def begin_game(self, game: Game) -> None:
        process = self.start(game)
        if self.known is not None:
            process.send("ucinewgame")
            self.wait_until_ready(process, time.monotonic() + self.wanted.start)
            self.known = None

    def going_on(self, game: Game) -> EngineProcess:
        """The process in the middle of a game: one that has ended has lost it, and the next one gets a new process."""
        process = self.start(game) if self.process is None else self.process
        if not process.is_running:
            self.process = None
            raise EngineError(f"{self.wanted.text}: {process.describe_end()}")
        return process

    def choose(self, game: Game, line: Line, seed: int) -> int:
        deadline = time.monotonic() + self.wanted.limit
        process = self.going_on(game)
        if self.known is not None and self.known.start is not line.start:
            self.begin_game(game)
        if "seed" in self.offered:
            process.send(f"setoption name {self.offered['seed'].name} value {seed % 2**31}")
        process.send(position_text(game, line))
        self.known = line
        process.send(self.go_text())
        while True:
            word, *rest = process.read(deadline).split() or [""]
            if word == "bestmove":
                return game.parse_action(line.state, rest[0] if rest else "nothing")

    def go_text(self) -> str:
        wanted = self.wanted
        milliseconds = None if wanted.movetime is None else max(1, round(1000 * wanted.movetime))
        limits = {"movetime": milliseconds, "nodes": wanted.nodes, "depth": wanted.depth}
        return " ".join(["go", *(f"{name} {limit}" for name, limit in limits.items() if limit is not None)])


def greet(process: EngineProcess, deadline: float) -> dict[str, Offered]:
    """The options that the engine offers, by their names in small letters."""
    process.send("uci")
    offered = {}
    while (line := process.read(deadline).strip()) != "uciok":
        if match := OPTION.fullmatch(line):
            bounds = [re.search(rf"\b{end}\s+(-?[0-9]+)", match[3]) for end in ("min", "max")]
            low, high = (None if bound is None else int(bound[1]) for bound in bounds)
            offered[match[1].lower()] = Offered(match[1], match[2], low, high)
    return offered


def position_text(game: Game, line: Line) -> str:
    """The command for a position: where the game began, and all moves since, so that repetitions are seen."""
    fen, state, moves = game.format_state(line.start).partition(" after ")[0], line.start, []
    for action in line.actions:
        moves.append(game.format_action(state, action))
        state = game.play(state, action)
    return " ".join([f"position fen {fen}", *(["moves", *moves] if moves else [])])
