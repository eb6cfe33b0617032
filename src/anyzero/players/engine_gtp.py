"""An engine that speaks GTP, as a player."""

import time

from anyzero.errors import BadOptionError, list_some
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.players.engine_moves import COLOURS, RESIGN, from_gtp, to_gtp
from anyzero.players.engine_process import EngineError, EngineProcess
from anyzero.players.engine_text import EngineText
from anyzero.players.player import ResignedError

OWN_OPTIONS = ("movetime", "start", "limit")


class GtpClient:
    """An engine's process, and the game as it knows it."""

    def __init__(self, wanted: EngineText) -> None:
        unknown = [*wanted.options, *(name for name in ("nodes", "depth", "elo", "level") if getattr(wanted, name))]
        if unknown:
            raise BadOptionError(f"{wanted.text}: GTP has no option {unknown[0]!r}, only {list_some(OWN_OPTIONS)}")
        if wanted.movetime is not None and wanted.movetime != int(wanted.movetime):
            raise BadOptionError(f"{wanted.text}: GTP counts whole seconds, movetime is {wanted.movetime:g}")
        self.wanted = wanted
        self.process: EngineProcess | None = None
        self.known: Line | None = None
        """The game on the engine's board; None: an empty board."""

    def start(self, game: Game) -> EngineProcess:
        """The process, its board empty if it was not there before."""
        if game.num_seats != 2 or game.num_outcomes > 0:
            raise BadOptionError(f"{self.wanted.text}: GTP is for games of two seats without chance, not {game.name}")
        if self.process is None or not self.process.is_running:
            self.process = EngineProcess(self.wanted.text, self.wanted.command)
            self.set_up(self.process, game)
        return self.process

    def set_up(self, process: EngineProcess, game: Game) -> None:
        """An empty board of the right size."""
        deadline = time.monotonic() + self.wanted.start
        ask(process, "protocol_version", deadline)
        rows, columns = game.planes_shape[-2:] if len(game.planes_shape) == 3 else (0, 0)
        if rows:
            ask(process, f"boardsize {columns}" + (f" {rows}" if rows != columns else ""), deadline)
        ask(process, "clear_board", deadline)
        if self.wanted.movetime is not None:
            ask(process, f"time_settings 0 {int(self.wanted.movetime)} 1", deadline)
        self.known = None

    def begin_game(self, game: Game) -> None:
        process = self.start(game)
        if self.known is not None:
            self.set_up(process, game)

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
        self.follow(process, game, line, deadline)
        colour = COLOURS[game.seat_to_move(line.state)]
        answer = ask(process, f"genmove {colour}", deadline).strip()
        if answer.lower() == RESIGN:
            raise ResignedError(f"{self.wanted.text} resigned")
        action = game.parse_action(line.state, from_gtp(game, answer))
        self.known = line.play(game, action)
        return action

    def follow(self, process: EngineProcess, game: Game, line: Line, deadline: float) -> None:
        """Make the moves on the engine's board that it has not seen yet; all of them, if this is another line."""
        known = self.known
        if known is None or not line.extends(known):
            if line.start.tobytes() != game.initial_state().tobytes():
                raise BadOptionError(f"{self.wanted.text}: GTP engines play only from the initial position")
            if known is not None:
                ask(process, "clear_board", deadline)
            known = Line.begin(game, line.start)
        for action in line.actions[len(known.actions) :]:
            move = to_gtp(game, game.format_action(known.state, action))
            ask(process, f"play {COLOURS[game.seat_to_move(known.state)]} {move}", deadline)
            known = self.known = known.play(game, action)


def ask(process: EngineProcess, command: str, deadline: float) -> str:
    """The answer to a command; EngineError if it is refused."""
    process.send(command)
    lines: list[str] = []
    while (line := process.read(deadline)) or not lines:
        if line or lines:
            lines.append(line)
    answer = "\n".join(lines)
    if not answer.startswith("="):
        raise EngineError(f"{process.name}: {command!r} was answered by {answer!r}")
    return answer[1:]
