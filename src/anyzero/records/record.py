"""The record of a game, one form for every game; and playing it again, which is how it is checked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NamedTuple, TypeVar

import numpy as np

from anyzero.errors import AnyzeroError
from anyzero.games import contract
from anyzero.games.game import Game, State
from anyzero.games.load import load, split_text

T = TypeVar("T")

FORMAT = 1
RULES, RESIGN, FORFEIT, AGREEMENT, UNFINISHED = "rules", "resign", "forfeit", "agreement", "unfinished"
TERMINATIONS = (RULES, RESIGN, FORFEIT, AGREEMENT, UNFINISHED)
"""How a game came to its end: only the last one has no payoffs."""
LARGEST_SEED = 2**64 - 1
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # letters that no text of a record holds


class BadRecordError(AnyzeroError):
    """A file or object that is not the record of a game."""


class Evaluation(NamedTuple):
    """What the seat that moved thought of its position."""

    value: float  # expected payoff for that seat, in [-1, 1]
    simulations: int


@dataclass(frozen=True)
class GameRecord:
    """One game. `from_json(record.to_json()) == record` for every record whose moves are legal."""

    game: str  # the text that the game is loaded from
    rules: str  # the name of the rules
    options: Mapping[str, Any]  # all options of the rules, defaults too
    players: tuple[str, ...]  # a text a seat: the player's, `human`, or a person's name
    moves: tuple[str, ...] = ()  # texts, chance outcomes among them
    start: str | None = None  # the position before the first move; None: the initial one
    clocks: tuple[float | None, ...] | None = None  # seconds that each move took, where known
    evaluations: tuple[Evaluation | None, ...] | None = None  # what the mover thought before each move, where known
    payoffs: tuple[float, ...] | None = None  # the result a seat; None while the game is unfinished
    termination: str = UNFINISHED  # one of `TERMINATIONS`
    date: str = ""  # the day, like 2026-01-31, or nothing
    seed: int | None = None
    """What chance and the players draw from, so that a game that is taken up again goes on as it would have."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Further facts by name, as PGN and SGF have them: Event, Round, ..."""

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON object; `form.RecordForm` says what may stand in it."""
        thoughts = self.evaluations
        payoffs = None if self.payoffs is None else list(self.payoffs)
        return {
            "format": FORMAT,
            "game": self.game,
            "rules": {"name": self.rules, "options": dict(self.options)},
            "players": list(self.players),
            "date": self.date,
            "seed": self.seed,
            "start": self.start,
            "moves": list(self.moves),
            "clocks": None if self.clocks is None else list(self.clocks),
            "evaluations": None if thoughts is None else [None if one is None else one._asdict() for one in thoughts],
            "result": {"payoffs": payoffs, "termination": self.termination},
            "tags": dict(self.tags),
        }

    @staticmethod
    def from_json(values: Any, game: Game | None = None) -> "GameRecord":
        """The record of these plain values, checked by playing it; `game` is needed where it is a file's."""
        return replay(GameRecord.parse(values), game).record

    @staticmethod
    def parse(values: Any) -> "GameRecord":
        """The same without playing it: whether the moves are legal is another question."""
        from anyzero.records.files import parse_record  # pydantic takes its time

        return parse_record(values)

    def states(self, game: Game | None = None) -> list[State]:
        return replay(self, game).states


# --- playing it again


class Replayed(NamedTuple):
    record: GameRecord  # the record with its texts as the game itself writes them
    game: Game
    states: list[State]  # the start and the position after each move
    actions: list[int]


class Played(NamedTuple):
    states: list[State]  # the start and the position after each move
    actions: list[int]
    moves: list[str]  # texts as the game itself writes them


def replay(record: GameRecord, game: Game | None = None) -> Replayed:
    """Play the record; one sentence for anything that does not fit."""
    game = find_game(record, game)
    if len(record.players) != game.num_seats:
        raise BadRecordError(f"{game.name} has {game.num_seats} seats, the record {len(record.players)} players")
    for name, column in (("clocks", record.clocks), ("evaluations", record.evaluations)):
        if column is not None and len(column) != len(record.moves):
            raise BadRecordError(f"the record has {len(record.moves)} moves but {len(column)} {name}")
    line = play_line(game, find_start(record.start, game), record.moves)
    checked = replace(
        record,
        game=game.text,
        options=dict(game.options),
        start=start_text(line.states[0], game),
        moves=tuple(line.moves),
        clocks=known(record.clocks),
        evaluations=known(record.evaluations),
        payoffs=check_result(record, game, line.states[-1]),
    )
    return Replayed(checked, game, line.states, line.actions)


def play_line(game: Game, start: State, moves: Sequence[str], places: Sequence[str] = ()) -> Played:
    """Play these moves; `places` say in an error where each of them stands."""
    line = Played([start], [], [])
    for index, move in enumerate(moves):
        state = line.states[-1]
        try:
            action = game.parse_action(state, move)
        except AnyzeroError as error:
            place = places[index] if places else f"move {index + 1}"
            raise BadRecordError(f"{place}: {error}") from None
        line.actions.append(action)
        line.moves.append(game.format_action(state, action))
        line.states.append(game.play(state, action))
    return line


def play_known(game: Game, start: State, actions: Sequence[int]) -> list[State]:
    """The start and the position after each of these actions, which are known to be legal."""
    play, states = game.compile(contract.play, "interpreted"), [start]
    for action in actions:
        state = states[-1].copy()
        play(game.rules, state, action)
        states.append(state)
    return states


def find_game(record: GameRecord, game: Game | None) -> Game:
    game = load_named(record.game) if game is None else game
    if (game.name, dict(game.options)) != (record.rules, dict(record.options)):
        options = "".join(f", {key}={value}" for key, value in record.options.items())
        raise BadRecordError(f"the record is of {record.rules}{options}, which is not {game.text}")
    return game


def load_named(text: str) -> Game:
    """The game that a record names. A file's code is not run because a record says so: such a game must be given."""
    if split_text(text)[0].endswith(".py"):
        raise BadRecordError(f"the record is of the game file {text}: name the game as well to run its code")
    return load(text)


def known(column: tuple[T | None, ...] | None) -> tuple[T | None, ...] | None:
    """The column, or None if it says nothing."""
    return column if column and any(value is not None for value in column) else None


def find_start(text: str | None, game: Game) -> State:
    if text is None:
        return game.initial_state()
    try:
        return game.parse_state(text)
    except AnyzeroError as error:
        raise BadRecordError(f"the start position: {error}") from None


def start_text(start: State, game: Game) -> str | None:
    """The text of a start position; None if it is the initial one."""
    return None if start.tobytes() == game.initial_state().tobytes() else game.format_state(start)


def check_result(record: GameRecord, game: Game, last: State) -> tuple[float, ...] | None:
    """The payoffs, as the rules have them where the game came to its end by the rules."""
    payoffs, how = record.payoffs, record.termination
    if game.is_over(last) != (how == RULES):
        end = "over" if game.is_over(last) else "not over"
        raise BadRecordError(f"by the rules the game is {end} after its last move, but its termination is {how!r}")
    if how == UNFINISHED:
        if payoffs is not None:
            raise BadRecordError("an unfinished game has no payoffs")
        return None
    losers = () if how in (RULES, AGREEMENT) else range(game.num_seats)
    fixed = rule_payoffs(game, last) if how == RULES else (0.0,) * game.num_seats
    possible = [loss_payoffs(game.num_seats, loser) for loser in losers] or [fixed]
    for wanted in possible:
        if payoffs is not None and len(payoffs) == len(wanted) and np.allclose(payoffs, wanted, rtol=0.0, atol=1e-9):
            return wanted
    found = "no payoffs" if payoffs is None else f"the payoffs {list(payoffs)}"
    ends = " or ".join(str(list(one)) for one in possible)
    raise BadRecordError(f"the record has {found}; the end by {how} has {ends}")


def rule_payoffs(game: Game, last: State) -> tuple[float, ...]:
    """What the rules give each seat, without the sign that a zero may have."""
    return tuple((game.payoffs(last) + 0.0).tolist())


def loss_payoffs(num_seats: int, loser: int) -> tuple[float, ...]:
    """The worst payoff for the seat that resigned or forfeited; the others share what it lost."""
    return tuple(-1.0 if seat == loser else 1.0 / (num_seats - 1) for seat in range(num_seats))


# --- what PGN and SGF share: notes on moves, days, seeds, and the record made of a line that was read
#
# A note is a comment such as `[%emt 0:00:02.5] [%value 0.31/2000]`: what the move took (`%emt`, elapsed move time, is
# common), the expected payoff for the mover, and the simulations behind that.

ELAPSED = re.compile(r"\[%emt\s+([0-9]{1,5}):([0-9]{1,2}):([0-9]{1,2}(?:\.[0-9]{0,9})?)\]")
VALUE = re.compile(r"\[%value\s+(-?[0-9]\.?[0-9]{0,30}(?:e-[0-9]{1,3})?)/([0-9]{1,18})\]")


def format_note(record: GameRecord, index: int) -> str:
    """The comment on one move of a record; empty if there is nothing to say."""
    seconds = None if record.clocks is None else record.clocks[index]
    evaluation = None if record.evaluations is None else record.evaluations[index]
    parts = [] if seconds is None else [f"[%emt {format_clock(seconds)}]"]
    parts += [] if evaluation is None else [f"[%value {evaluation.value!r}/{evaluation.simulations}]"]
    return " ".join(parts)


def format_clock(seconds: float) -> str:
    """Hours, minutes and seconds, with as many of three decimals as are needed."""
    minutes, milliseconds = divmod(round(seconds * 1000), 60_000)
    rest = f"{milliseconds // 1000:02d}.{milliseconds % 1000:03d}".rstrip("0").rstrip(".")
    return f"{minutes // 60}:{minutes % 60:02d}:{rest.zfill(2)}"


def parse_note(comment: str) -> tuple[float | None, Evaluation | None]:
    """Seconds and evaluation, where the comment has them."""
    clock, value = ELAPSED.search(comment), VALUE.search(comment)
    seconds, evaluation = None, None
    if clock:
        seconds = round(int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]), 3)
    if value and abs(float(value[1])) <= 1.0:
        evaluation = Evaluation(float(value[1]), int(value[2]))
    return seconds, evaluation


def make_record(game: Game, line: Played, comments: Sequence[str], **facts: Any) -> GameRecord:
    """The record of a line that was played, with what the comments note about its moves."""
    notes = [parse_note(comment) for comment in comments]
    return GameRecord(
        game=game.text,
        rules=game.name,
        options=dict(game.options),
        moves=tuple(line.moves),
        start=start_text(line.states[0], game),
        clocks=known(tuple(seconds for seconds, _ in notes)),
        evaluations=known(tuple(evaluation for _, evaluation in notes)),
        **facts,
    )


def read_day(text: str) -> str:
    """The day, as 2026-01-31; nothing if the text is not a single one."""
    try:
        return text if date.fromisoformat(text).isoformat() == text else ""
    except ValueError:
        return ""


def read_seed(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,20}", text) and int(text) <= LARGEST_SEED else None


def pick(games: Sequence[T], number: int | None) -> list[tuple[int, T]]:
    """The games of a file with their numbers, counted from 1; only one of them if a number is given."""
    if not games:
        raise BadRecordError("there is no game in it")
    if number is not None and not 1 <= number <= len(games):
        raise BadRecordError(f"it has {len(games)} game{'s' * (len(games) > 1)}, not a game {number}")
    return [(index, game) for index, game in enumerate(games, start=1) if number in (None, index)]
