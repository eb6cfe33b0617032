"""An engine that speaks GTP, as a player; and moves and colours as GTP writes them, for our own engine as well.

The first seat is black. Go's boards have no column `i`, Hex's have; Hex calls its swap `swap-pieces`.
"""

from string import ascii_lowercase

from anyzero.errors import BadOptionError, list_some
from anyzero.games.game import Game
from anyzero.games.line import Line
from anyzero.players.engine import EngineClient, EngineError, EngineText
from anyzero.players.player import ResignedError

OWN_OPTIONS = ("movetime", "start", "limit")
COLOURS = ("black", "white")
GO_GAMES = ("atarigo",)  # games on Go's boards, whose columns leave out the letter i
GO_LETTERS = ascii_lowercase.replace("i", "")
SWAP = "swap-pieces"
RESIGN = "resign"

TO_GO = str.maketrans(ascii_lowercase[:-1], GO_LETTERS)
FROM_GO = str.maketrans(GO_LETTERS, ascii_lowercase[:-1])


def to_gtp(game: Game, move: str) -> str:
    if move == "swap":
        return SWAP
    return move.translate(TO_GO).upper() if game.name in GO_GAMES else move


def from_gtp(game: Game, text: str) -> str:
    move = text.strip().lower()
    if move == SWAP:
        return "swap"
    if game.name in GO_GAMES:
        return "" if move.startswith("i") else move.translate(FROM_GO)
    return move


def seat_of(colour: str) -> int | None:
    return {"b": 0, "black": 0, "w": 1, "white": 1}.get(colour.lower())


class GtpClient(EngineClient):
    """The words of GTP; `known` is the game on its board."""

    def __init__(self, wanted: EngineText) -> None:
        unknown = [*wanted.options, *(name for name in ("nodes", "depth", "elo", "level") if getattr(wanted, name))]
        if unknown:
            raise BadOptionError(f"{wanted.text}: GTP has no option {unknown[0]!r}, only {list_some(OWN_OPTIONS)}")
        if wanted.movetime is not None and wanted.movetime != int(wanted.movetime):
            raise BadOptionError(f"{wanted.text}: GTP counts whole seconds, movetime is {wanted.movetime:g}")
        super().__init__(wanted)

    def check_game(self, game: Game) -> None:
        if game.num_seats != 2 or game.num_outcomes > 0:
            raise BadOptionError(f"{self.wanted.text}: GTP is for games of two seats without chance, not {game.name}")

    def greet(self, game: Game, deadline: float) -> None:
        """An empty board of the right size."""
        self.command("protocol_version", deadline)
        rows, columns = game.planes_shape[-2:] if len(game.planes_shape) == 3 else (0, 0)
        if rows:
            self.command(f"boardsize {columns}" + (f" {rows}" if rows != columns else ""), deadline)
        self.clear(game, deadline)
        if self.wanted.movetime is not None:
            self.command(f"time_settings 0 {int(self.wanted.movetime)} 1", deadline)

    def clear(self, game: Game, deadline: float) -> None:
        self.command("clear_board", deadline)

    def ask(self, game: Game, line: Line, seed: int, deadline: float) -> int:
        self.follow(game, line, deadline)
        answer = self.command(f"genmove {COLOURS[game.seat_to_move(line.state)]}", deadline).strip()
        if answer.lower() == RESIGN:
            raise ResignedError(f"{self.wanted.text} resigned")
        action = game.parse_action(line.state, from_gtp(game, answer))
        self.known = line.play(game, action)
        return action

    def follow(self, game: Game, line: Line, deadline: float) -> None:
        """Make the moves on the engine's board that it has not seen yet; all of them, if some were taken back."""
        known = self.known
        if known is None or not line.extends(known):
            if line.start.tobytes() != game.initial_state().tobytes():
                raise BadOptionError(f"{self.wanted.text}: GTP engines play only from the initial position")
            if known is not None:
                self.clear(game, deadline)
            known = Line.begin(game, line.start)
        for action in line.actions[len(known.actions) :]:
            move = to_gtp(game, game.format_action(known.state, action))
            self.command(f"play {COLOURS[game.seat_to_move(known.state)]} {move}", deadline)
            known = self.known = known.play(game, action)

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
