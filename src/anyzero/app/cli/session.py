"""A game at the terminal: seats, turns, what people type, and what computer players answer."""

import itertools
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

import anyzero
from anyzero.app.cli.output import answer
from anyzero.app.cli.screen import Screen, answer_words, end_words, player_words
from anyzero.app.records.files import read_record, record_text, write_record
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.record import Evaluation
from anyzero.app.records.seats import HUMAN, OPPONENT, known_player
from anyzero.core.base import stopping
from anyzero.core.base.errors import AnyzeroError, IllegalMoveError, list_some, nearest_hint
from anyzero.core.base.files import from_home
from anyzero.core.base.report import count
from anyzero.core.game.load import position_of
from anyzero.core.game.play import Reason
from anyzero.tools.players import Player, parse_player
from anyzero.tools.players.player import Answer, FailedPlayerError, consult

MOST_ROWS = 10  # moves that an analysis shows


def make_table(
    game: str | None, *, position: str | None, load: Path | None, seed: int | None
) -> GameInProgress:
    if game is None and load is None:
        raise AnyzeroError(
            "name a game to play, or a file with --load; anyzero games lists the games"
        )
    if position is not None and load is not None:
        raise AnyzeroError("--load and --position exclude each other: a file has its own position")
    rules = None if game is None else anyzero.load(game)
    drawn = secrets.randbits(32) if seed is None else seed % 2**64
    if load is not None:
        table = GameInProgress.from_record(read_record(load, game=rules), rules)
        table.seed = drawn if seed is not None or table.seed is None else table.seed
        return table
    assert rules is not None
    rules, start = position_of(rules, position)
    return GameInProgress(rules, start=start, seed=drawn, date=date.today().isoformat())


def seat_names(named: list[str | None], table: GameInProgress) -> list[str]:
    """Who sits where: as named, as the game's file says, else one person and machines."""
    num = table.game.num_seats
    for seat, name in enumerate(named):
        if name is not None and seat >= num:
            raise AnyzeroError(
                f"{table.game.name} has {num} seat{'s' * (num > 1)}, so there is no --seat{seat}"
            )
    both = zip([*named, *[None] * num], table.players, strict=False)
    names = [known_player(recorded) if name is None else name for name, recorded in both]
    if HUMAN not in names and None in names:
        names[names.index(None)] = HUMAN
    return [OPPONENT if name is None else name.strip() for name in names]


def check_can_save(path: Path, table: GameInProgress) -> None:
    """Say before the game rather than after it that it cannot be written."""
    record_text(path, table.to_record(), table.game)
    if not path.parent.is_dir() or path.is_dir():
        raise AnyzeroError(
            f"cannot write {path}: "
            f"{'it is a folder' if path.is_dir() else 'there is no such folder'}"
        )


@dataclass
class Session:
    """A table, who sits at it (None: a person), and who gives hints."""

    table: GameInProgress
    seats: Sequence[Player | None]
    hints: Player
    screen: Screen
    save_at: Path | None = None  # where the game is written in the end
    kept: tuple[Path, list[str]] | None = (
        None  # the file that it was last saved to, and the moves that this holds
    )
    ended: bool = False  # whether somebody has quit

    def run(self) -> None:
        """Play to the end; the game is written where it should be however that comes."""
        with stopping.telling(self.stop_words):
            try:
                self.take_turns()
            finally:
                if self.save_at is not None:
                    self.keep(self.save_at)

    def stop_words(self) -> str:
        start = f"stopped after {count(len(self.table.moves), 'move')}"
        if self.kept is None:
            return f"{start}; the game was not saved: use the command save FILE, or --save FILE"
        path, moves = self.kept
        return f"{start}, saved up to move {len(moves)}: anyzero play --load {path} continues it"

    def take_turns(self) -> None:
        """Play until somebody quits, the input ends, or machines have come to the end."""
        self.greet()
        for machine in self.seats:
            if (
                machine is not None and not self.table.is_over
            ):  # else prepared if a move is taken back and it is asked
                machine.prepare(self.table.game)
        self.screen.show_table(self.table)
        is_told = False
        while not self.ended:
            if self.table.is_over and not is_told:
                self.screen.say(end_words(self.table))
                if None in self.seats:
                    self.screen.say(
                        "rematch plays again with the seats swapped, undo takes a move "
                        "back, quit leaves"
                    )
            is_told = self.table.is_over
            if is_told and None not in self.seats:
                return
            player = None if is_told else self.seats[self.table.seat_to_move]
            if player is not None:
                self.let_move(player)
            else:
                self.obey_next()

    def greet(self) -> None:
        game = self.table.game
        names = [
            HUMAN if player is None else player_words(player.text, game) for player in self.seats
        ]
        seats = "; ".join(f"{game.seat_name(seat)}: {name}" for seat, name in enumerate(names))
        self.screen.say(
            f"{game.text}; {seats}{'; help lists the commands' if None in self.seats else ''}"
        )

    # --- machines

    def let_move(self, player: Player) -> None:
        table = self.table
        try:
            answer = self.think(player)
        except FailedPlayerError as error:
            self.screen.say(str(error))
            table.name_player(table.seat_to_move, player.text)
            table.declare(Reason.FORFEIT)
            return
        self.screen.say(
            answer_words(player.text, table.game.format_action(table.state, answer.action), answer)
        )
        evaluation = None
        if answer.result is not None:
            value = round(min(1.0, max(-1.0, answer.result.value)), 4)
            evaluation = Evaluation(value=value, simulations=answer.result.simulations)
        self.make_move(player.text, answer.action, answer.seconds, evaluation)

    def think(self, player: Player) -> Answer:
        with self.screen.busy(f"{player.text} is thinking"):
            return consult(player, self.table.game, self.table.so_far, self.table.move_seed)

    def make_move(
        self, name: str, move: str | int, seconds: float, evaluation: Evaluation | None = None
    ) -> None:
        seat = self.table.seat_to_move
        self.table.play(move, seconds=seconds, evaluation=evaluation)
        self.table.name_player(seat, name)
        self.screen.show_table(self.table)

    # --- what people type

    def obey_next(self) -> None:
        """Ask for a line and do what it says; the end of the input is the end of the game."""
        table = self.table
        start = time.perf_counter()
        line = self.screen.ask(
            "game over> " if table.is_over else f"{table.game.seat_name(table.seat_to_move)}> "
        )
        if line is None:
            self.quit("")
            return
        try:
            self.obey(line.strip(), time.perf_counter() - start)
        except AnyzeroError as error:
            self.screen.say(str(error))

    def obey(self, line: str, seconds: float) -> None:
        """A move, or a command; a legal move is one even if a command has its name."""
        word, _, argument = line.partition(" ")
        game = self.table.game
        legal = self.table.legal_moves
        name = word.lower()
        if name in ALIASES and not (game.has("board") and word in game.board.moves):
            name = ALIASES[name]
        if name in COMMANDS and line not in legal:
            command = COMMANDS[name]
            if argument.strip() and not command.argument:
                raise AnyzeroError(f"{word} takes no argument; help lists the commands")
            if command.argument == "FILE" and not argument.strip():
                raise AnyzeroError(f"{name} FILE: {command.meaning}")
            command.run(self, argument.strip())
        elif line and self.table.is_over:
            raise AnyzeroError(
                f"the game is over; {nearest_hint(line, COMMANDS)}help lists the commands"
            )
        elif line:
            try:
                self.make_move(HUMAN, line, seconds)
            except IllegalMoveError as error:
                said = str(error).split("; ")[0]
                hint = nearest_hint(line, [*legal, *COMMANDS]) or f"legal: {list_some(legal, 8)}; "
                hint = "" if said.endswith("is taken") else hint
                raise IllegalMoveError(
                    f"{said}; {hint}moves lists the legal moves, help the commands"
                ) from None

    # --- commands

    def hint(self, argument: str) -> None:
        answer = self.think(self.adviser(argument))
        move = self.table.game.format_action(self.table.state, answer.action)
        self.screen.say(f"hint: {answer_words('', move, answer)}")

    def analyse(self, argument: str) -> None:
        player = self.adviser(argument)
        if player.think is None:
            raise AnyzeroError(f"{player.text} does not search, so it has nothing to show")
        with self.screen.busy(f"{player.text} is thinking"):
            result = player.think(self.table.game, self.table.so_far.copy(), self.table.move_seed)
        answer(None, result.report(MOST_ROWS), json=False)

    def adviser(self, text: str) -> Player:
        if self.table.is_over:
            raise AnyzeroError("the game is over; undo takes the last move back")
        player = parse_player(text) if text else self.hints
        player.prepare(self.table.game)
        return player

    def list_moves(self, argument: str) -> None:
        self.screen.say(" ".join(self.table.legal_moves) or "none, the game is over")

    def undo(self, argument: str) -> None:
        """Back to a person's last decision; nothing changes where there is none."""
        before = self.table.num_plies
        self.table.undo(self.is_resting)
        if not self.is_resting():
            self.table.num_plies = before
            raise AnyzeroError("you have no move to take back")
        self.screen.show_table(self.table)

    def redo(self, argument: str) -> None:
        """On to a person's next decision, as far as it was played."""
        self.table.redo(self.is_resting)
        self.screen.show_table(self.table)

    def is_resting(self) -> bool:
        return self.table.is_over or self.seats[self.table.seat_to_move] is None

    def save(self, argument: str) -> None:
        self.keep(from_home(argument))

    def keep(self, path: Path) -> None:
        write_record(path, self.table.to_record(), self.table.game)
        self.kept = path, self.table.moves
        self.screen.say(f"saved to {path}")

    def load(self, argument: str) -> None:
        game = self.table.game
        path = from_home(argument)
        loaded = GameInProgress.from_record(read_record(path, game=game), game)
        self.put_away()
        self.table = loaded
        self.kept = (path, loaded.moves)
        self.screen.show_table(self.table)

    def resign(self, argument: str) -> None:
        seat = self.table.seat_to_move
        self.table.resign()
        self.table.name_player(seat, HUMAN)

    def put_away(self) -> None:
        """Before another game: write this one where it should be, and the next one beside it."""
        if self.save_at is not None and self.table.moves:
            self.keep(self.save_at)
            names = (
                self.save_at.with_stem(f"{self.save_at.stem}-{number}")
                for number in itertools.count(2)
            )
            self.save_at = next(path for path in names if not path.exists())

    def new(self, argument: str) -> None:
        """Another game from the same start, everybody in the seat that they have."""
        self.put_away()
        old = self.table
        names = [HUMAN if player is None else player.text for player in self.seats]
        seed = (old.seed or 0) + 1
        today = date.today().isoformat()
        self.table = GameInProgress(old.game, start=old.start, players=names, seed=seed, date=today)
        self.kept = None
        self.greet()
        self.screen.show_table(self.table)

    def rematch(self, argument: str) -> None:
        self.seats = self.seats[::-1]
        self.new(argument)

    def rules(self, argument: str) -> None:
        for paragraph in anyzero.rules(self.table.game).paragraphs:
            self.screen.say(paragraph)

    def help(self, argument: str) -> None:
        self.rules("")
        self.screen.say("")
        for name, command in COMMANDS.items():
            self.screen.say(f"  {f'{name} {command.argument}':<18}{command.meaning}")
        self.screen.say("  anything else is a move; moves lists the legal ones")

    def quit(self, argument: str) -> None:
        is_unsaved = self.table.can_undo and (self.kept is None or self.kept[1] != self.table.moves)
        if is_unsaved and self.save_at is None:
            self.screen.say("the game was not saved")
        self.ended = True


class Command(NamedTuple):
    run: Callable[[Session, str], None]
    meaning: str
    argument: str = ""


COMMANDS: dict[str, Command] = {
    "hint": Command(Session.hint, "suggest a good move", "[PLAYER]"),
    "analyse": Command(Session.analyse, "show visits, value and prior of each move", "[PLAYER]"),
    "rules": Command(Session.rules, "explain the game"),
    "moves": Command(Session.list_moves, "list the legal moves"),
    "undo": Command(Session.undo, "take your last move back"),
    "redo": Command(Session.redo, "play it again"),
    "save": Command(
        Session.save, "write the game to a file: .json, .pgn (chess), .sgf (Hex)", "FILE"
    ),
    "load": Command(Session.load, "continue a game from a file", "FILE"),
    "resign": Command(Session.resign, "resign the game"),
    "rematch": Command(Session.rematch, "another game with the seats swapped"),
    "new": Command(Session.new, "another game with the same seats"),
    "help": Command(Session.help, "show the rules and this list"),
    "quit": Command(Session.quit, "leave; an unsaved game is lost"),
}
ALIASES = {"q": "quit", "exit": "quit", "?": "help"}
"""What people also type, unless the game has a move of this name."""
