"""A game at the terminal: whose turn it is, what people type, and what machines answer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

from anyzero import stopping
from anyzero.cli.output import HUMAN, answer
from anyzero.cli.screen import Screen, answer_words, end_words, player_words
from anyzero.compile.cache import NotCompiledError, loading_only
from anyzero.errors import AnyzeroError, IllegalMoveError, list_some, nearest_hint
from anyzero.files import from_home
from anyzero.games.explain import Rules
from anyzero.players import Player, parse_player
from anyzero.players.player import Answer, FailedPlayerError, consult
from anyzero.records.ends import FORFEIT
from anyzero.records.files import read_record, write_record
from anyzero.records.in_progress import GameInProgress
from anyzero.records.record import Evaluation
from anyzero.report import count

MOST_ROWS = 10  # moves that an analysis shows


@dataclass
class Session:
    """A table, who sits at it (None: a person), and who gives hints."""

    table: GameInProgress
    seats: Sequence[Player | None]
    hints: Player
    screen: Screen
    save_at: Path | None = None  # where the game is written in the end
    kept: tuple[Path, list[str]] | None = None  # the file that it was last saved to, and the moves that this holds
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
            return f"{start}; the game was not saved: the command save FILE keeps one, or --save FILE"
        path, moves = self.kept
        return f"{start}, kept up to move {len(moves)}: anyzero play --load {path} goes on"

    def take_turns(self) -> None:
        """Play until somebody quits, the input ends, or machines have come to the end."""
        self.greet()
        for machine in self.seats:
            if machine is not None and not self.table.is_over:  # else prepared if a move is taken back and it is asked
                self.prepare(machine)
        self.screen.show_table(self.table)
        told = False
        while not self.ended:
            if self.table.is_over and not told:
                self.screen.say(end_words(self.table.to_record(), self.table.game, self.table.state))
                if None in self.seats:
                    self.screen.say("rematch plays again with the seats exchanged, undo goes back, quit ends")
            told = self.table.is_over
            if told and None not in self.seats:
                return
            player = None if told else self.seats[self.table.seat_to_move]
            if player is not None:
                self.let_move(player)
            else:
                self.obey_next()

    def prepare(self, player: Player) -> None:
        """Make a player ready; code that is not there yet is compiled, and that is said."""
        game = self.table.game
        try:
            with loading_only():
                player.prepare(game)
        except NotCompiledError:
            with self.screen.busy(f"preparing {game.title} for this computer, once"):
                player.prepare(game)

    def greet(self) -> None:
        game = self.table.game
        names = [HUMAN if player is None else player_words(player.text, game) for player in self.seats]
        seats = "; ".join(f"{game.seat_name(seat)}: {name}" for seat, name in enumerate(names))
        help_words = "; help lists the commands" if None in self.seats else ""
        self.screen.say(f"{game.text}; {seats}{help_words}")

    # --- moves

    def let_move(self, player: Player) -> None:
        table = self.table
        try:
            answer = self.think(player)
        except FailedPlayerError as error:
            self.screen.say(str(error))
            table.name_player(table.seat_to_move, player.text)
            table.declare(FORFEIT)
            return
        self.screen.say(answer_words(player.text, table.game.format_action(table.state, answer.action), answer))
        self.make_move(player.text, answer.action, answer.seconds, evaluation_of(answer))

    def think(self, player: Player) -> Answer:
        with self.screen.busy(f"{player.text} is thinking"):
            return consult(player, self.table.game, self.table.so_far, self.table.move_seed)

    def make_move(self, name: str, move: str | int, seconds: float, evaluation: Evaluation | None = None) -> None:
        seat = self.table.seat_to_move
        self.table.play(move, seconds=seconds, evaluation=evaluation)
        self.table.name_player(seat, name)
        self.screen.show_table(self.table)

    # --- what people type

    def obey_next(self) -> None:
        """Ask for a line and do what it says; the end of the input is the end of the game."""
        over = self.table.is_over
        prompt = "game over> " if over else f"{self.table.game.seat_name(self.table.seat_to_move)}> "
        start = time.perf_counter()
        line = self.screen.ask(prompt)
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
        if word.lower() in COMMANDS and line not in self.table.legal_moves:
            command = COMMANDS[word.lower()]
            if argument.strip() and not command.argument:
                raise AnyzeroError(f"{word} stands alone; help lists the commands")
            command.run(self, argument.strip())
        elif line:
            self.try_move(line, seconds)

    def try_move(self, line: str, seconds: float) -> None:
        try:
            self.make_move(HUMAN, line, seconds)
        except IllegalMoveError as error:
            said = str(error).split("; ")[0]
            legal = self.table.legal_moves
            hint = nearest_hint(line, [*legal, *COMMANDS]) or f"legal: {list_some(legal, 8)}; "
            hint = "" if said.endswith("is taken") else hint
            raise IllegalMoveError(f"{said}; {hint}moves lists the legal moves, help the commands") from None

    # --- commands

    def hint(self, argument: str) -> None:
        player, game = self.adviser(argument), self.table.game
        answer = self.think(player)
        self.screen.say(f"hint: {answer_words('', game.format_action(self.table.state, answer.action), answer)}")

    def analyse(self, argument: str) -> None:
        player = self.adviser(argument)
        if player.think is None:
            raise AnyzeroError(f"{player.text} does not search, so it has nothing to show")
        with self.screen.busy(f"{player.text} is thinking"):
            found = player.think(self.table.game, self.table.so_far.copy(), self.table.move_seed)
        answer(None, found.report(MOST_ROWS), json=False)

    def adviser(self, text: str) -> Player:
        if self.table.is_over:
            raise AnyzeroError("the game is over; undo takes the last move back")
        player = parse_player(text) if text else self.hints
        self.prepare(player)
        return player

    def list_moves(self, argument: str) -> None:
        self.screen.say(" ".join(self.table.legal_moves) or "none, the game is over")

    def undo(self, argument: str) -> None:
        """Back to a person's last decision; nothing changes where there is none."""
        before = self.table.num_plies
        self.table.undo()
        while not self.is_resting and self.table.can_undo:
            self.table.undo()
        if not self.is_resting:
            self.table.num_plies = before
            raise AnyzeroError("there is no move of yours to take back")
        self.screen.show_table(self.table)

    def redo(self, argument: str) -> None:
        """On to a person's next decision, as far as it was played."""
        self.table.redo()
        while not self.is_resting and self.table.can_redo:
            self.table.redo()
        self.screen.show_table(self.table)

    @property
    def is_resting(self) -> bool:
        return self.table.is_over or self.seats[self.table.seat_to_move] is None

    def save(self, argument: str) -> None:
        if not argument:
            raise AnyzeroError("save FILE: the name ends in .json, for chess also in .pgn, for Hex in .sgf")
        self.keep(from_home(argument))

    def keep(self, path: Path) -> None:
        write_record(path, self.table.to_record(), self.table.game)
        self.kept = path, self.table.moves
        self.screen.say(f"saved to {path}")

    def load(self, argument: str) -> None:
        if not argument:
            raise AnyzeroError("load FILE: a game that was saved before")
        path, game = from_home(argument), self.table.game
        self.table = GameInProgress.from_record(read_record(path, game=game), game)
        self.screen.show_table(self.table)

    def resign(self, argument: str) -> None:
        self.table.name_player(self.table.seat_to_move, HUMAN)
        self.table.resign()

    def new(self, argument: str) -> None:
        """Another game, everybody in the seat that they have."""
        old = self.table
        self.table = GameInProgress(old.game, seed=(old.seed or 0) + 1, date=date.today().isoformat())
        for seat, player in enumerate(self.seats):
            self.table.name_player(seat, HUMAN if player is None else player.text)
        self.kept = None
        self.greet()
        self.screen.show_table(self.table)

    def rematch(self, argument: str) -> None:
        self.seats = self.seats[::-1]
        self.new(argument)

    def rules(self, argument: str) -> None:
        for paragraph in Rules(self.table.game).paragraphs:
            self.screen.say(paragraph)

    def help(self, argument: str) -> None:
        self.rules("")
        self.screen.say("")
        for name, command in COMMANDS.items():
            self.screen.say(f"  {f'{name} {command.argument}':<18}{command.meaning}")
        self.screen.say("  anything else is a move; moves lists those that are legal")

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
    "hint": Command(Session.hint, "a good move, by the player for hints or by another", "[PLAYER]"),
    "analyse": Command(Session.analyse, "visits, value and prior of each move", "[PLAYER]"),
    "rules": Command(Session.rules, "how the game is played"),
    "moves": Command(Session.list_moves, "the legal moves"),
    "undo": Command(Session.undo, "take your last move back"),
    "redo": Command(Session.redo, "make it again"),
    "save": Command(Session.save, "write the game to a file: .json, .pgn (chess), .sgf (Hex)", "FILE"),
    "load": Command(Session.load, "go on with a game from a file", "FILE"),
    "resign": Command(Session.resign, "give the game up"),
    "rematch": Command(Session.rematch, "another game with the seats exchanged"),
    "new": Command(Session.new, "another game with the seats as they are"),
    "help": Command(Session.help, "the rules, and this list"),
    "quit": Command(Session.quit, "leave; what was not saved is lost"),
}


def evaluation_of(answer: Answer) -> Evaluation | None:
    """What goes into the record: the value to four digits."""
    found = answer.result
    if found is None:
        return None
    return Evaluation(value=round(min(1.0, max(-1.0, found.value)), 4), simulations=found.simulations)
