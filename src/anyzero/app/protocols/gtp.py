"""GTP 2, the Go Text Protocol, for every game of two seats without chance; Hex in HexGui's dialect.

Answers follow the standard (Farnebäck 2002): `=` or `?`, the command's number if it had one, the
text, and an empty line. A refused command changes nothing.
"""

import re
import time
from collections.abc import Callable

from anyzero import __version__
from anyzero.app.protocols.limits import Clock, whole_number
from anyzero.app.records.in_progress import GameInProgress
from anyzero.core.base.errors import AnyzeroError, BadOptionError, IllegalMoveError, words_of
from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.tools.child import Send
from anyzero.tools.players import parse_player
from anyzero.tools.players.engine import (
    COLOURS,
    RESIGN,
    TO_GO,
    from_gtp,
    read_seconds,
    seat_of,
    to_gtp,
)

Words = list[str]


class GtpError(AnyzeroError):
    """The answer after a question mark, in the standard's own words if it has any."""


SYNTAX = "syntax error"


def clean_line(line: str) -> str:
    """The line as the standard requires: without control characters and comments."""
    visible = "".join(
        " " if letter == "\t" else letter for letter in line if letter == "\t" or ord(letter) > 31
    )
    return visible.replace("\x7f", "").partition("#")[0].strip()


class GtpEngine:
    def __init__(
        self, game: str, player: str, send: Send, *, seed: int = 0, resign: float | None = None
    ) -> None:
        self.send = send
        self.seed = seed
        self.resign = resign
        self.player = parse_player(player, threads=1)
        self.set_game(load(game))
        self.clocks: list[Clock | None] = [None, None]

    def set_game(self, game: Game) -> None:
        if game.num_seats != 2 or game.num_outcomes > 0:
            raise BadOptionError(f"{game.name}: GTP is for two-seat games without chance")
        self.player.check(game)
        self.game = game
        self.table = GameInProgress(game, seed=self.seed)

    def handle(self, line: str) -> bool:
        """Handle a line; False once the engine should quit."""
        text = clean_line(line)
        if not text:
            return True
        first, *words = text.split()
        number = first if re.fullmatch("[0-9]+", first) else ""
        command, *words = (words if number else [first, *words]) or [""]
        try:
            if command not in COMMANDS:
                raise GtpError("unknown command")
            mark = "="
            answer = COMMANDS[command](self, words)
        except Exception as error:  # in any case, the controller must not lose its engine
            mark = "?"
            answer = " ".join(words_of(error, "failed: ").split())
        self.send(f"{mark}{number} {answer}".rstrip() + "\n")
        return command != "quit"

    # --- the board

    def set_size(self, words: Words) -> str:
        """`boardsize 11`, or HexGui's `boardsize 11 11`."""
        sizes = [whole_number(word) for word in words]
        if not 1 <= len(words) <= 2 or None in sizes:
            raise GtpError(SYNTAX)
        columns, rows = sizes[0], sizes[-1]
        try:
            self.set_game(load(self.game.source, **resized(self.game, rows or 0, columns or 0)))
        except BadOptionError:
            raise GtpError("unacceptable size") from None
        return ""

    def clear(self, words: Words) -> str:
        self.set_game(self.game)
        return ""

    def set_komi(self, words: Words) -> str:
        """Accepted and ignored: none of these games uses it."""
        if len(words) != 1 or read_seconds(words[0].lstrip("-")) is None:
            raise GtpError(SYNTAX)
        return ""

    def show(self, words: Words) -> str:
        """The board as shown in the terminal, without empty lines."""
        lines = [
            line.rstrip()
            for line in self.game.show(self.table.state).text.splitlines()
            if line.strip()
        ]
        if self.game.facts.on_go_board:
            lines = [
                line.translate(TO_GO) if re.fullmatch(r"[a-z ]*  a b[a-z ]*", line) else line
                for line in lines
            ]
        return "\n" + "\n".join(lines)

    def list_moves(self, words: Words) -> str:
        return " ".join(self.to_text(move) for move in self.table.legal_moves)

    # --- moves

    def to_text(self, move: str) -> str:
        """The move as GTP writes it."""
        return to_gtp(move, self.game.facts.on_go_board)

    def from_text(self, text: str) -> str:
        return from_gtp(text, self.game.facts.on_go_board)

    def play(self, words: Words) -> str:
        if len(words) != 2 or (seat := seat_of(words[0])) is None:
            raise GtpError(SYNTAX)
        try:
            if words[1].lower() == RESIGN:
                self.table.resign(seat)
            elif seat != self.table.seat_to_move:
                raise GtpError("illegal move")
            else:
                self.table.play(self.from_text(words[1]))
        except IllegalMoveError:
            raise GtpError("illegal move") from None
        return ""

    def undo(self, words: Words) -> str:
        if not self.table.can_undo:
            raise GtpError("cannot undo")
        self.table.undo()
        return ""

    def generate(self, words: Words) -> str:
        """`genmove`: choose a move and play it."""
        answer = self.propose(words)
        self.table.resign() if answer == RESIGN else self.table.play(self.from_text(answer))
        return answer

    def propose(self, words: Words) -> str:
        """`reg_genmove`: choose a move without changing the board."""
        move = self.choose(words)
        return (
            RESIGN
            if move is None
            else self.to_text(self.game.format_action(self.table.state, move))
        )

    def choose(self, words: Words) -> int | None:
        """The action of the colour to move; None: it resigns."""
        player = self.player
        table = self.table
        if len(words) != 1 or (seat := seat_of(words[0])) is None:
            raise GtpError(SYNTAX)
        if table.is_over:
            raise GtpError("the game is over")
        if seat != table.seat_to_move:
            raise GtpError(f"it is the turn of {COLOURS[table.seat_to_move]}")
        clock = self.clocks[seat]
        start = time.perf_counter()
        seconds = None if clock is None else clock.seconds
        if player.think is None:
            action = player.choose(self.game, table.so_far.copy(), table.move_seed)
            value = 1.0
        else:
            result = player.think(self.game, table.so_far, table.move_seed, seconds)
            action = result.best_action
            value = result.value
        self.clocks[seat] = None if clock is None else clock.after(time.perf_counter() - start)
        return None if self.resign is not None and value < self.resign else action

    # --- time and result

    def set_time(self, words: Words) -> str:
        numbers = [read_seconds(word) for word in words[:2]]
        stones = whole_number(words[2]) if len(words) == 3 else None
        if len(words) != 3 or None in numbers or stones is None or stones < 0:
            raise GtpError(SYNTAX)
        self.player.prepare(self.game)  # code must not be compiled while a clock is running
        self.clocks = [Clock(numbers[0] or 0.0, numbers[1] or 0.0, stones)] * 2
        return ""

    def set_time_left(self, words: Words) -> str:
        if len(words) != 3:
            raise GtpError(SYNTAX)
        seat = seat_of(words[0])
        seconds = read_seconds(words[1])
        stones = whole_number(words[2])
        if seat is None or seconds is None or stones is None or stones < 0:
            raise GtpError(SYNTAX)
        self.clocks[seat] = (self.clocks[seat] or Clock()).left(seconds, stones)
        return ""

    def tell_score(self, words: Words) -> str:
        """`B+5` if points are counted, `B+R` after a resignation, `B+` for any other win, `0` for a
        draw.
        """
        payoffs = self.table.payoffs
        if payoffs is None:
            raise GtpError("cannot score")
        if payoffs[0] == payoffs[1]:
            return "0"
        winner = 0 if payoffs[0] > payoffs[1] else 1
        if self.table.declared is not None:
            return f"{'BW'[winner]}+R"
        scores = [
            self.game.score(self.table.state, seat) if self.game.has("score") else 0.0
            for seat in (0, 1)
        ]
        points = abs(scores[0] - scores[1])
        return f"{'BW'[winner]}+{points:g}" if points else f"{'BW'[winner]}+"


def resized(game: Game, rows: int, columns: int) -> dict[str, object]:
    """The game's options on a board of another size; an error if it does not support that size."""
    options = dict(game.options)
    if "size" in options and rows == columns:
        return {**options, "size": rows}
    if {"rows", "columns"} <= options.keys():
        return {**options, "rows": rows, "columns": columns}
    if game.planes_shape[1:] == (rows, columns):
        return options
    raise BadOptionError(f"{game.name} has no board of {rows} rows and {columns} columns")


COMMANDS: dict[str, Callable[[GtpEngine, Words], str]] = {
    "protocol_version": lambda engine, words: "2",
    "name": lambda engine, words: "anyzero",
    "version": lambda engine, words: __version__,
    "known_command": lambda engine, words: "true" if words and words[0] in COMMANDS else "false",
    "list_commands": lambda engine, words: "\n".join(COMMANDS),
    "quit": lambda engine, words: "",
    "boardsize": GtpEngine.set_size,
    "clear_board": GtpEngine.clear,
    "komi": GtpEngine.set_komi,
    "play": GtpEngine.play,
    "genmove": GtpEngine.generate,
    "reg_genmove": GtpEngine.propose,
    "undo": GtpEngine.undo,
    "showboard": GtpEngine.show,
    "all_legal_moves": GtpEngine.list_moves,
    "time_settings": GtpEngine.set_time,
    "time_left": GtpEngine.set_time_left,
    "final_score": GtpEngine.tell_score,
}
