"""Other engines as players: `uci:stockfish,elo=1400` and `gtp:COMMAND`. They run as separate
processes.

The command extends to the first comma and is split into words as in a shell; quotes keep commas and
spaces together. If quotes enclose all of it, it is one program if there is such a file, else a
command line.
"""

import math
import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import NamedTuple

from anyzero.core.base.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.core.base.nouns import Values
from anyzero.core.game.definition import split_options
from anyzero.core.game.game import Game
from anyzero.core.game.load import names_with
from anyzero.core.game.play import Play, move_texts
from anyzero.tools.child import Child, ChildError, LateChildError
from anyzero.tools.players.player import LATE_FACTOR, LATE_S, FailedPlayerError, ResignedError

PATIENCE_S = 60.0  # for starting, and for a move without a clock
MOVETIME_S = 0.1
GAME_FOLDERS = ("/usr/games", "/usr/local/games")  # where some systems put engines, outside of PATH


@dataclass(frozen=True)
class EngineText:
    text: str
    command: tuple[str, ...]
    movetime: float | None = None  # seconds per move; None: unlimited, up to the limit
    nodes: int | None = None
    depth: int | None = None
    elo: int | None = None
    level: int | None = None
    start: float = PATIENCE_S  # maximum seconds until it is ready
    limit: float = PATIENCE_S  # maximum seconds per move
    options: dict[str, str] = field(default_factory=dict)  # the engine's own options, by name


SECONDS = ("movetime", "start", "limit")
NUMBERS = ("nodes", "depth", "elo", "level")


def parse_engine(text: str) -> EngineText:
    """Parse a text; errors name the fault. The program must exist, but is not started."""
    kind, _, rest = text.partition(":")
    command, *parts = split_parts(text, rest)
    known: Values = {}
    options: dict[str, str] = {}
    for name, value in split_options(repr(text), parts).items():
        if name not in (*SECONDS, *NUMBERS):
            options[name] = value
            continue
        if name in NUMBERS and re.fullmatch(r"[0-9]{1,12}", value):
            known[name] = int(value)
        elif name in SECONDS and 0.0 < (read_seconds(value) or 0.0) < 1e6:
            known[name] = float(value)
        else:
            meaning = "a positive number of seconds" if name in SECONDS else "a whole number"
            raise BadOptionError(f"{text!r}: {name} is {meaning}, not {value!r}")
    if kind == "uci" and not known.keys() & {"movetime", "nodes", "depth"}:
        known["movetime"] = MOVETIME_S
    if "movetime" in known:
        known.setdefault("limit", LATE_FACTOR * known["movetime"] + LATE_S)
    return EngineText(text, find_command(text, command), **known, options=options)


def split_parts(text: str, rest: str) -> list[str]:
    """Split at commas outside of quotes."""
    pieces = re.findall(r"""'[^']*'|"[^"]*"|[^'"]|['"]""", rest)
    if not {"'", '"'}.isdisjoint(pieces):
        raise BadOptionError(f"{text!r}: a quote is not closed")
    return "".join("\0" if piece == "," else piece for piece in pieces).split("\0")


def find_command(text: str, command: str) -> tuple[str, ...]:
    """The words of a command, its program with its path."""
    try:
        words = shlex.split(command)
        if len(words) == 1 and find_program(words[0]) is None:
            words = shlex.split(words[0])
    except ValueError as error:
        raise BadOptionError(f"{text!r}: {str(error).lower()}") from None
    if not words:
        raise BadOptionError(f"{text!r}: there is no command, as in uci:stockfish")
    program = find_program(words[0])
    if program is None:
        raise UnknownNameError(f"{text!r}: there is no program {words[0]!r}")
    return program, *words[1:]


def program_of(text: str) -> str:
    """The program of a player like `uci:stockfish,level=3`; empty for other players."""
    command = re.match(r"(?:uci|gtp):([^\s,]+)", text)
    return "" if command is None else command[1]


def find_program(name: str) -> str | None:
    return shutil.which(
        name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), *GAME_FOLDERS])
    )


def read_seconds(word: str) -> float | None:
    """A number of seconds, or None if the word is not one."""
    try:
        seconds = float(word)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0.0 else None


# --- the process


class EngineError(FailedPlayerError):
    """An engine died, or sent an answer that cannot be understood."""


class EngineLateError(EngineError, TimeoutError):
    """An engine did not answer in time."""


class EngineClient:
    """An engine's process and what it knows of a game; each protocol has its commands.

    A crash costs the game in which it happens; the engine is restarted before the next one.
    """

    check_game: Callable[[Game], None]  # an error if the protocol does not support this game
    greet: Callable[[Game, float], None]  # the handshake with a new process
    clear: Callable[[Game, float], None]  # start a new game
    ask: Callable[[Game, Play, int, float], int]  # the engine's move

    def __init__(self, wanted: EngineText) -> None:
        self.wanted = wanted
        self.child: Child | None = None
        self.known: Play | None = None  # the line it was last sent; None: nothing of this game

    def prepare(self, game: Game) -> None:
        """Start it if it is not running, and announce a new game if it has played one."""
        deadline = time.monotonic() + self.wanted.start
        self.check_game(game)
        if self.child is None or not self.child.is_running:
            self.child = Child(self.wanted.command, is_ours=False, keeps_words=True)
            self.known = None
            self.greet(game, deadline)
        elif self.known is not None:
            self.clear(game, deadline)
            self.known = None

    def choose(self, game: Game, line: Play, seed: int) -> int:
        if self.child is None or (self.known is not None and self.known.start is not line.start):
            self.prepare(game)
        elif not self.child.is_running:  # it has lost this game; the next one gets a new process
            ended = self.child
            self.child = None
            raise EngineError(f"{self.wanted.text}: {ended.describe_end()}")
        return self.ask(game, line, seed, time.monotonic() + self.wanted.limit)

    def send(self, line: str) -> None:
        if self.child is not None:
            self.child.send(line)

    def read(self, deadline: float) -> str:
        """The next line; EngineError if there are no more, EngineLateError past the deadline
        (monotonic clock).
        """
        assert self.child is not None
        try:
            return self.child.read(deadline)
        except ChildError as error:
            kind = EngineLateError if isinstance(error, LateChildError) else EngineError
            raise kind(f"{self.wanted.text}: {error}") from None


# --- UCI


OPTION = re.compile(r"option\s+name\s+(.+?)\s+type\s+\w+(.*)")


class Offered(NamedTuple):
    name: str
    low: int | None
    high: int | None


class UciClient(EngineClient):
    offered: dict[str, Offered]  # its options, by lower-case name
    moves: list[str]  # of the line it knows

    def check_game(self, game: Game) -> None:
        if game.facts.uci is None:
            names = list_some(names_with("uci"))
            raise BadOptionError(f"{self.wanted.text}: UCI is for {names}, not for {game.name}")

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

    def ask(self, game: Game, line: Play, seed: int, deadline: float) -> int:
        if "seed" in self.offered:
            self.send(f"setoption name {self.offered['seed'].name} value {seed % 2**31}")
        self.send(self.position_text(game, line))
        settings = self.wanted
        milliseconds = (
            None if settings.movetime is None else max(1, round(1000 * settings.movetime))
        )
        limits = {"movetime": milliseconds, "nodes": settings.nodes, "depth": settings.depth}
        self.send(
            " ".join(
                ["go", *(f"{name} {limit}" for name, limit in limits.items() if limit is not None)]
            )
        )
        while True:
            word, *rest = self.read(deadline).split() or [""]
            if word == "bestmove":
                return game.parse_action(line.state, rest[0] if rest else "nothing")

    def position_text(self, game: Game, line: Play) -> str:
        """The command for a position: the game's start, and all moves since, so that repetitions
        are seen.
        """
        position = self.known
        if position is None or not line.extends(position):
            position = Play.begin(game, line.start)
            self.moves = []
        self.moves += move_texts(game, position.state, line.actions[len(position.actions) :])[0]
        self.known = line
        fen = game.format_state(line.start).partition(" after ")[0]
        return " ".join([f"position fen {fen}", *(["moves", *self.moves] if self.moves else [])])

    def settings(self) -> list[tuple[str, str]]:
        engine_text = self.wanted
        options = dict(engine_text.options)
        if engine_text.level is not None:
            options["Skill Level"] = str(self.bounded("Skill Level", engine_text.level))
        if engine_text.elo is not None:
            options |= {
                "UCI_LimitStrength": "true",
                "UCI_Elo": str(self.bounded("UCI_Elo", engine_text.elo)),
            }
        return [(self.find(name).name, value) for name, value in options.items()]

    def find(self, name: str) -> Offered:
        if name.lower() not in self.offered:
            names = [offer.name for offer in self.offered.values()]
            hint = f"{nearest_hint(name, names)}its options: {list_some(names)}"
            raise UnknownNameError(f"{self.wanted.text}: it has no option {name!r}; {hint}")
        return self.offered[name.lower()]

    def bounded(self, name: str, value: int) -> int:
        """The nearest value that the engine supports; a warning if it differs."""
        offer = self.find(name)
        low = value if offer.low is None else max(offer.low, value)
        nearest = low if offer.high is None else min(offer.high, low)
        if nearest != value:
            bounds = f"{offer.name} ranges from {offer.low} to {offer.high}"
            print(f"{self.wanted.text}: {bounds}, so {value} becomes {nearest}", file=sys.stderr)
        return nearest


# --- GTP, and its notation of moves and colours, also for our own engine
#
# The first seat is black. Go boards have no column `i`, Hex boards do; Hex calls its swap
# `swap-pieces`.


COLOURS = ("black", "white")
GO_LETTERS = ascii_lowercase.replace("i", "")
SWAP = "swap-pieces"
RESIGN = "resign"

TO_GO = str.maketrans(ascii_lowercase[:-1], GO_LETTERS)
FROM_GO = str.maketrans(GO_LETTERS, ascii_lowercase[:-1])


def to_gtp(move: str, on_go_board: bool) -> str:
    if move == "swap":
        return SWAP
    return move.translate(TO_GO).upper() if on_go_board else move


def from_gtp(text: str, on_go_board: bool) -> str:
    move = text.strip().lower()
    if move == SWAP:
        return "swap"
    if on_go_board:
        return "" if move.startswith("i") else move.translate(FROM_GO)
    return move


def seat_of(colour: str) -> int | None:
    return {"b": 0, "black": 0, "w": 1, "white": 1}.get(colour.lower())


class GtpClient(EngineClient):
    """The commands of GTP; `known` is the game on its board."""

    def __init__(self, wanted: EngineText) -> None:
        unknown = [*wanted.options, *(name for name in NUMBERS if getattr(wanted, name))]
        if unknown:
            raise BadOptionError(
                f"{wanted.text}: GTP has no option {unknown[0]!r}, only {list_some(SECONDS)}"
            )
        if wanted.movetime is not None and wanted.movetime != int(wanted.movetime):
            raise BadOptionError(
                f"{wanted.text}: GTP counts whole seconds, movetime is {wanted.movetime:g}"
            )
        super().__init__(wanted)

    def check_game(self, game: Game) -> None:
        if game.num_seats != 2 or game.num_outcomes > 0:
            raise BadOptionError(
                f"{self.wanted.text}: GTP is for two-seat games without chance, not {game.name}"
            )

    def greet(self, game: Game, deadline: float) -> None:
        """Set up an empty board of the right size."""
        self.command("protocol_version", deadline)
        rows, columns = game.planes_shape[-2:] if len(game.planes_shape) == 3 else (0, 0)
        if rows:
            self.command(f"boardsize {columns}" + (f" {rows}" if rows != columns else ""), deadline)
        self.clear(game, deadline)
        if self.wanted.movetime is not None:
            self.command(f"time_settings 0 {int(self.wanted.movetime)} 1", deadline)

    def clear(self, game: Game, deadline: float) -> None:
        self.command("clear_board", deadline)

    def ask(self, game: Game, line: Play, seed: int, deadline: float) -> int:
        self.follow(game, line, deadline)
        answer = self.command(f"genmove {COLOURS[game.seat_to_move(line.state)]}", deadline).strip()
        if answer.lower() == RESIGN:
            raise ResignedError(f"{self.wanted.text} resigned")
        action = game.parse_action(line.state, from_gtp(answer, game.facts.on_go_board))
        self.known = line.play(game, action)
        return action

    def follow(self, game: Game, line: Play, deadline: float) -> None:
        """Play the moves on the engine's board that it has not seen yet; all of them, if some were
        taken back.
        """
        position = self.known
        if position is None or not line.extends(position):
            if line.start.tobytes() != game.initial_state().tobytes():
                raise BadOptionError(
                    f"{self.wanted.text}: GTP engines play only from the initial position"
                )
            if position is not None:
                self.clear(game, deadline)
            position = Play.begin(game, line.start)
        for action in line.actions[len(position.actions) :]:
            text = game.format_action(position.state, action)
            move = to_gtp(text, game.facts.on_go_board)
            self.command(f"play {COLOURS[game.seat_to_move(position.state)]} {move}", deadline)
            position = self.known = position.play(game, action)

    def command(self, command: str, deadline: float) -> str:
        """The answer to a command; EngineError if it is refused."""
        self.send(command)
        lines: list[str] = []
        while (line := self.read(deadline)) or not lines:
            if line:
                lines.append(line)
        answer = "\n".join(lines)
        if not answer.startswith("="):
            raise EngineError(f"{self.wanted.text}: {command!r} was answered by {answer!r}")
        return answer[1:]
