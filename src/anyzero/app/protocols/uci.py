"""UCI, the protocol of chess engines: each line is a command; an invalid one is reported and
changes nothing.

Commands are read while a search runs on its own thread, so that `stop` is answered at once.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anyzero import __version__
from anyzero.app.protocols.limits import Limits, UciOptions, changed, offers, read_limits
from anyzero.core.base.errors import (
    AnyzeroError,
    BadPositionError,
    UnknownNameError,
    list_some,
    nearest_hint,
    words_of,
)
from anyzero.core.base.nouns import Values
from anyzero.core.game.game import Game, State
from anyzero.core.game.load import games_with
from anyzero.core.learning.find import find_network
from anyzero.core.search import Searcher
from anyzero.core.search.methods import Evaluator
from anyzero.core.search.pacing import ENDLESS_S, PIECE_S, LiveSearch
from anyzero.core.search.report import RootMove
from anyzero.core.search.tree import new_tree
from anyzero.tools.child import Send
from anyzero.tools.players.text import load_evaluator

FIRST_LOOK_S = 0.05
LOOK_EVERY_S = 0.25
MOST_NODES = 1 << 30  # over all trees: node numbers have 31 bits
ONLY_MOVE_S = 0.05  # by the clock, maximum time for an only move
MOST_CENTIPAWNS = 2000
PROVEN_CENTIPAWNS = 10_000
Words = list[str]
States = dict[tuple[str, ...], State]
"""Positions of a game by their path: a FEN, empty for the start, and moves."""


class UciEngine:
    def __init__(self, send: Send) -> None:
        self.send = send
        self.game: Game = next(games_with("uci"))
        self.options = UciOptions()
        self.evaluator: Evaluator | None = None
        self.states = read_position(self.game, ["startpos"], {})  # up to the position to search
        self.thinking: Thinking | None = None
        self.prepared: set[tuple[str, str]] = set()  # methods and networks whose code is compiled

    def handle(self, line: str) -> bool:
        """Handle a line; False once the engine should quit."""
        command, *words = line.split() or [""]
        try:
            if command == "quit":
                self.stop([])
                return False
            if command and command not in COMMANDS:
                commands = [*COMMANDS, "quit"]
                hint = nearest_hint(command, commands)
                listed = list_some(commands)
                raise UnknownNameError(f"there is no command {command!r}; {hint}{listed}")
            if command:
                COMMANDS[command](self, words)
        except Exception as error:  # in any case, the GUI must not lose its engine
            say(self.send, words_of(error, "failed: "))
        return True

    @property
    def state(self) -> State:
        return next(reversed(self.states.values()))

    @property
    def is_searching(self) -> bool:
        """Whether a search is still running; its answer may already be on its way."""
        return self.thinking is not None and not self.thinking.done.is_set()

    def need_rest(self) -> None:
        if self.is_searching:
            raise AnyzeroError("a search is running: stop it first")
        if self.thinking is not None:
            self.thinking.thread.join()

    # --- commands

    def introduce(self, words: Words) -> None:
        self.send(f"id name anyzero {__version__}")
        self.send("id author the anyzero authors")
        for line in (*offers(), "uciok"):
            self.send(line)

    def get_ready(self, words: Words) -> None:
        """Compile or load what a search needs, before any clock is running."""
        search = self.options.search_method, self.options.network
        try:
            if not self.is_searching and search not in self.prepared:
                self.game.compile_door()
                small = make_searcher(self.game, self.options, self.evaluator, simulations=2)
                small.search(self.game.initial_state(), 0)
                self.prepared.add(search)
        finally:
            self.send("readyok")

    def set_option(self, words: Words) -> None:
        self.need_rest()
        options = changed(self.options, words)
        evaluator = self.evaluator
        if (options.network, options.threads) != (self.options.network, self.options.threads):
            name = options.network.removeprefix("@")
            evaluator = None
            if name:
                path = find_network(name, self.game)
                evaluator = load_evaluator(self.game, path, options.threads)
        # raises an error if they do not fit together
        make_searcher(self.game, options, evaluator, seconds=1.0)
        self.options = options
        self.evaluator = evaluator

    def set_position(self, words: Words) -> None:
        self.need_rest()
        self.states = read_position(self.game, words, self.states)

    def go(self, words: Words) -> None:
        self.need_rest()
        limits = read_limits(words)
        state = self.state
        if self.game.is_over(state):
            say(self.send, "there is no move: the game is over")
            self.send("bestmove (none)")
            return
        actions = [self.game.parse_action(state, move) for move in limits.searchmoves]
        limits = replace(
            limits, searchmoves=tuple(self.game.format_action(state, action) for action in actions)
        )
        if limits.unknown:
            say(self.send, f"go knows no {' '.join(limits.unknown)}, which is passed over")
        if limits.mate is not None:
            say(
                self.send,
                "mate is no limit here: a tree search does not look for mates by their length",
            )
        self.thinking = Thinking(self, limits)

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
    "ucinewgame": lambda engine, words: engine.need_rest(),  # nothing is kept between searches
    "position": UciEngine.set_position,
    "go": UciEngine.go,
    "stop": UciEngine.stop,
    "ponderhit": UciEngine.ponder_hit,
    **dict.fromkeys(("debug", "register"), lambda engine, words: None),
}


# --- positions


def read_position(game: Game, words: Words, earlier: States) -> States:
    """The positions of `position startpos|fen FEN [moves ...]`, the start first; those reached
    earlier are not replayed.

    The words are rejected as a whole: an error says which of them was wrong.
    """
    end = words.index("moves") if "moves" in words else len(words)
    dialect = game.facts.uci
    assert dialect is not None
    fen = dialect.read_fen(" ".join(words[1:end]))
    if words[:end] != ["startpos"] and (not fen or words[0] != "fen"):
        way = "position startpos [moves ...], or position fen FEN [moves ...]"
        raise BadPositionError(f"a position is given by: {way}")
    key: tuple[str, ...] = (fen,)
    states = {key: earlier.get(key)}
    if states[key] is None:
        states[key] = dialect.play_on(game.parse_state(fen)) if fen else game.initial_state()
    for move in words[end + 1 :]:
        before = states[key]
        key = (*key, move)
        states[key] = earlier.get(key)
        if states[key] is None:
            states[key] = dialect.play_on(game.play(before, move))
    return states


# --- one `go`: a thread that searches in short slices, reports its findings, and ends with
# `bestmove`


def make_searcher(
    game: Game, options: UciOptions, evaluator: Evaluator | None, **budget: Any
) -> Searcher:
    """The search configured by the options; an error if they do not fit together."""
    arguments: Values = {**budget, "trees": 1 if evaluator else options.threads}
    if evaluator is not None:
        arguments["evaluator"] = evaluator
    searcher = Searcher(game, options.search_method, **arguments)
    bytes_a_node = new_tree(game, searcher.method.settings, 2).bytes_a_node
    max_nodes = min(int((options.hash << 20) / bytes_a_node), MOST_NODES)
    least = searcher.trees * (game.max_legal + 2)
    return Searcher(game, options.search_method, **arguments, max_nodes=max(max_nodes, least))


def say(send: Send, sentence: str) -> None:
    """Send a sentence for which the protocol has no command."""
    send(f"info string {' '.join(sentence.split())}")


def score_text(game: Game, state: State, child: RootMove, line: list[str]) -> str:
    """`cp` for the side to move, or `mate` if a proven line ends with it."""
    if child.proven in ("win", "loss"):
        sign = 1 if child.proven == "win" else -1
        mates = game.is_over(game.play(state, *line))
        return (
            f"mate {sign * ((len(line) + 1) // 2)}" if mates else f"cp {sign * PROVEN_CENTIPAWNS}"
        )
    return f"cp {centipawns(child.value or 0.0)}"


def centipawns(value: float) -> int:
    """The lead with the same expected score on the Elo curve as the value: a pawn is 100 Elo
    points.
    """
    if abs(value) >= 1.0:
        return int(math.copysign(MOST_CENTIPAWNS, value))
    lead = round(400 * math.log10((1 + value) / (1 - value)))
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, lead))


class Thinking:
    """The thread; `stop` and `hit` (the opponent made the expected move) may be called at any
    time.
    """

    def __init__(self, engine: UciEngine, limits: Limits) -> None:
        self.since = time.perf_counter()  # when the clock of this move started
        game = engine.game
        state = engine.state
        options = engine.options
        self.game = game
        self.state = state
        self.limits = limits
        self.options = options
        self.send = engine.send
        most = [limits.nodes, None if limits.infinite else options.simulations or None]
        simulations = min((num for num in most if num is not None), default=None)
        seconds = limits.seconds(game.seat_to_move(state), options.move_overhead)
        if seconds is not None and len(game.legal_actions(state)) == 1:
            seconds = min(seconds, ONLY_MOVE_S)
        self.seconds = seconds  # maximum once the clock runs; None: no limit
        self.is_open = limits.infinite or (simulations, seconds, limits.depth) == (None, None, None)
        known_end = seconds is not None and not limits.ponder
        budget: Values = {"simulations": simulations}
        if simulations is None:
            budget = {"seconds": seconds if known_end else ENDLESS_S}
        self.searcher = make_searcher(game, options, engine.evaluator, **budget)
        self.stopped = threading.Event()
        self.done = threading.Event()
        self.pondering = limits.ponder
        self.thread = threading.Thread(target=self.answer, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End the search; the answer has been sent when this returns."""
        self.stopped.set()
        self.thread.join()

    def hit(self) -> None:
        self.since = time.perf_counter()
        self.pondering = False

    def answer(self) -> None:
        """Search and send the move; there is an answer in any case."""
        try:
            line = self.search()
        except Exception as error:
            say(self.send, words_of(error, "failed: "))
            line = self.game.legal_moves(self.state)[:1]
        self.done.set()  # before it is sent: the GUI may answer before this thread ends
        self.send(f"bestmove {line[0]}" + (f" ponder {line[1]}" if len(line) > 1 else ""))

    def search(self) -> list[str]:
        """The principal variation, starting with the move played."""
        live = self.searcher.begin(self.state, self.options.seed)
        look_at = FIRST_LOOK_S
        longest = 0
        going = True
        while not self.is_done(live, longest, going):
            if going:
                going = live.advance(self.piece())
            else:
                self.stopped.wait(PIECE_S)
            if going and live.seconds >= look_at:
                longest = len(self.look(live))
                look_at = live.seconds + LOOK_EVERY_S
        return self.look(live)

    def piece(self) -> float:
        """How long the search may run until its next check: not past its time."""
        left = PIECE_S if self.seconds is None or self.pondering else self.seconds - self.spent
        return max(0.001, min(PIECE_S, left))

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.since

    def is_done(self, live: LiveSearch, longest: int, going: bool) -> bool:
        if live.simulations == 0 or self.stopped.is_set():
            return live.simulations > 0
        if self.pondering or self.is_open:
            return False
        late = self.seconds is not None and self.spent >= self.seconds
        is_full = live.forest.is_full()
        deep = self.limits.depth is not None and (is_full or longest >= self.limits.depth)
        return not going or late or deep

    def look(self, live: LiveSearch) -> list[str]:
        """Send the findings so far, best moves first; returns the line of the best."""
        result = live.result()
        moves = self.limits.searchmoves
        children = [child for child in result.children if not moves or child.move in moves]
        visited = [child for child in children if child.visits > 0 or child.proven]
        shown = (visited or children[:1])[: self.options.multipv]
        lines = [live.line(child.action) for child in shown]
        nodes = live.simulations
        seconds = live.seconds
        speed = (
            f"nodes {nodes} nps {round(nodes / max(seconds, 1e-3))} time {round(1000 * seconds)}"
        )
        for number, (child, line) in enumerate(zip(shown, lines, strict=True), start=1):
            score = score_text(self.game, self.state, child, line)
            depth = f"depth {len(line)} seldepth {max(result.depth, len(line))} multipv {number}"
            self.send(f"info {depth} score {score} {speed} pv {' '.join(line)}")
        return lines[0]
