"""A chess engine that speaks UCI, as a player."""

import re
import sys
from typing import NamedTuple

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.players.engine import EngineClient

OPTION = re.compile(r"option\s+name\s+(.+?)\s+type\s+\w+(.*)")


class Offered(NamedTuple):
    """An option that an engine has."""

    name: str
    low: int | None
    high: int | None


class UciClient(EngineClient):
    """The words of UCI."""

    offered: dict[str, Offered]
    """The options that it has, by their names in small letters."""
    moves: list[str]
    """Of the line that it knows."""

    def check_game(self, game: Game) -> None:
        if game.name != "chess":
            raise BadOptionError(f"{self.wanted.text}: UCI is for chess, not for {game.name}")

    def greet(self, game: Game, deadline: float) -> None:
        self.send("uci")
        self.offered = {}
        while (line := self.read(deadline).strip()) != "uciok":
            if match := OPTION.fullmatch(line):
                bounds = [re.search(rf"\b{end}\s+(-?[0-9]+)", match[2]) for end in ("min", "max")]
                low, high = (None if bound is None else int(bound[1]) for bound in bounds)
                self.offered[match[1].lower()] = Offered(match[1], low, high)
        for name, value in self.settings():
            self.send(f"setoption name {name} value {value}")
        self.wait_until_ready(deadline)

    def clear(self, game: Game, deadline: float) -> None:
        self.send("ucinewgame")
        self.wait_until_ready(deadline)

    def wait_until_ready(self, deadline: float) -> None:
        self.send("isready")
        while self.read(deadline).strip() != "readyok":
            pass

    def ask(self, game: Game, line: Line, seed: int, deadline: float) -> int:
        if "seed" in self.offered:
            self.send(f"setoption name {self.offered['seed'].name} value {seed % 2**31}")
        self.send(self.position_text(game, line))
        self.send(self.go_text())
        while True:
            word, *rest = self.read(deadline).split() or [""]
            if word == "bestmove":
                return game.parse_action(line.state, rest[0] if rest else "nothing")

    def position_text(self, game: Game, line: Line) -> str:
        """The command for a position: where the game began, and all moves since, so that repetitions are seen."""
        known = self.known
        if known is None or not line.extends(known):
            known, self.moves = Line.begin(game, line.start), []
        for action in line.actions[len(known.actions) :]:
            self.moves.append(game.format_action(known.state, action))
            known = known.play(game, action)
        self.known = line
        fen = game.format_state(line.start).partition(" after ")[0]
        return " ".join([f"position fen {fen}", *(["moves", *self.moves] if self.moves else [])])

    def go_text(self) -> str:
        wanted = self.wanted
        milliseconds = None if wanted.movetime is None else max(1, round(1000 * wanted.movetime))
        limits = {"movetime": milliseconds, "nodes": wanted.nodes, "depth": wanted.depth}
        return " ".join(["go", *(f"{name} {limit}" for name, limit in limits.items() if limit is not None)])

    # --- options

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
            known = f"{nearest_hint(name, names)}its options: {list_some(names)}"
            raise UnknownNameError(f"{self.wanted.text}: it has no option {name!r}; {known}")
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
