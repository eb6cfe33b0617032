"""UCI, the protocol of chess engines: each line is a command, and a wrong one changes nothing but is told of.

The commands are read while a search runs on its own thread, so that `stop` is answered at once.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from anyzero import __version__
from anyzero.child import Send
from anyzero.errors import AnyzeroError, BadPositionError, UnknownNameError, list_some, nearest_hint, words_of
from anyzero.games.chess_board import FIFTY_MOVES, INSUFFICIENT, REPETITION, RUNNING
from anyzero.games.chess_moves import forget
from anyzero.games.game import Game, State
from anyzero.games.load import load
from anyzero.networks.find import find_network
from anyzero.players.player import load_evaluator
from anyzero.protocols.limits import UciOptions, changed, offers, read_limits
from anyzero.protocols.uci_search import Thinking, make_searcher, say
from anyzero.search.methods import Evaluator

Words = list[str]
START = "startpos"


class BusyError(AnyzeroError):
    """A command that has to wait for the search to end."""


class UciEngine:
    def __init__(self, send: Send) -> None:
        self.send = send
        self.game: Game = load("chess")
        self.options = UciOptions()
        self.evaluator: Evaluator | None = None
        self.position = Position(START, (), (self.game.initial_state(),))
        self.thinking: Thinking | None = None
        self.prepared: set[tuple[str, str]] = set()  # methods and networks whose code is compiled

    def handle(self, line: str) -> bool:
        """Do what a line says; False once the engine is to end."""
        command, *words = line.split() or [""]
        try:
            if command == "quit":
                self.stop([])
                return False
            if command and command not in COMMANDS:
                known, hint = [*COMMANDS, "quit"], nearest_hint(command, [*COMMANDS, "quit"])
                raise UnknownNameError(f"there is no command {command!r}; {hint}{list_some(known)}")
            if command:
                COMMANDS[command](self, words)
        except Exception as error:  # whatever it is, the GUI must not lose its engine
            say(self.send, words_of(error, "failed: "))
        return True

    @property
    def is_searching(self) -> bool:
        return self.thinking is not None and self.thinking.is_running

    def need_rest(self) -> None:
        if self.is_searching:
            raise BusyError("a search is under way: stop comes first")
        if self.thinking is not None:
            self.thinking.thread.join()

    # --- commands

    def introduce(self, words: Words) -> None:
        self.send(f"id name anyzero {__version__}")
        self.send("id author the anyzero authors")
        for line in (*offers(), "uciok"):
            self.send(line)

    def get_ready(self, words: Words) -> None:
        """Compile or load what a search needs, so that no clock runs meanwhile."""
        wanted = self.options.search_method, self.options.network
        try:
            if not self.is_searching and wanted not in self.prepared:
                self.game.compile_door()
                small = make_searcher(self.game, self.options, self.evaluator, simulations=2)
                small.search(self.game.initial_state(), 0)
                self.prepared.add(wanted)
        finally:
            self.send("readyok")

    def set_option(self, words: Words) -> None:
        self.need_rest()
        options = changed(self.options, words)
        evaluator = self.evaluator
        if options.network != self.options.network:
            evaluator = load_evaluator(self.game, find_network(options.network)) if options.network else None
        make_searcher(self.game, options, evaluator, seconds=1.0)  # says so if they do not fit each other
        self.options, self.evaluator = options, evaluator

    def set_position(self, words: Words) -> None:
        self.need_rest()
        self.position = read_position(self.game, words, self.position)

    def go(self, words: Words) -> None:
        self.need_rest()
        limits, state = read_limits(words), self.position.state
        if self.game.is_over(state):
            say(self.send, "there is no move: the game is over")
            self.send("bestmove (none)")
            return
        actions = [self.game.parse_action(state, move) for move in limits.searchmoves]
        limits = replace(limits, searchmoves=tuple(self.game.format_action(state, action) for action in actions))
        if limits.mate is not None:
            say(self.send, "mate is no limit here: a tree search does not look for mates by their length")
        self.thinking = Thinking(self.game, state, limits, self.options, self.evaluator, self.send)

    def stop(self, words: Words) -> None:
        if self.thinking is not None:
            self.thinking.stop()

    def ponder_hit(self, words: Words) -> None:
        if self.thinking is not None:
            self.thinking.hit()


COMMANDS: dict[str, Callable[[UciEngine, Words], None]] = {
    "uci": UciEngine.introduce,
    "isready": UciEngine.get_ready,
    "setoption": UciEngine.set_option,
    "ucinewgame": lambda engine, words: engine.need_rest(),  # nothing is kept from one search to the next
    "position": UciEngine.set_position,
    "go": UciEngine.go,
    "stop": UciEngine.stop,
    "ponderhit": UciEngine.ponder_hit,
    **dict.fromkeys(("debug", "register"), lambda engine, words: None),
}


# --- positions


class Position(NamedTuple):
    start: str  # `startpos`, or a FEN
    moves: tuple[str, ...]
    states: tuple[State, ...]  # the start, and what each move led to

    @property
    def state(self) -> State:
        return self.states[-1]


def read_position(game: Game, words: list[str], known: Position) -> Position:
    """The position after `position startpos|fen FEN [moves ...]`; moves that `known` shares with it are not made again.

    The words are refused as a whole: an error says which of them was wrong.
    """
    end = words.index("moves") if "moves" in words else len(words)
    start, moves = START if words[:end] == [START] else " ".join(words[1:end]), tuple(words[end + 1 :])
    if start != START and (not start or words[0] != "fen"):
        way = "position startpos [moves ...], or position fen FEN [moves ...]"
        raise BadPositionError(f"a position is given by: {way}")
    if start == known.start:
        pairs = enumerate(zip(moves, known.moves, strict=False))
        shared = next((index for index, (one, other) in pairs if one != other), min(len(moves), len(known.moves)))
        states = list(known.states[: shared + 1])
    else:
        shared, states = 0, [game.initial_state() if start == START else playable(game.parse_state(start))]
    for move in moves[shared:]:
        states.append(playable(game.play(states[-1], move)))
    return Position(start, moves, tuple(states))


def playable(state: State) -> State:
    """The state; where it is a draw that the players of a GUI need not claim, one in which the game still runs."""
    if state.ended not in (INSUFFICIENT, FIFTY_MOVES, REPETITION):
        return state
    alive = state.copy()
    if alive.ended == FIFTY_MOVES:  # the history has no room for more
        forget(alive)
        alive.clock = 0
    alive.ended = RUNNING
    return alive
