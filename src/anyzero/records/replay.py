"""Playing a record again: whether every move was legal, and whether the game ended as it says."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from anyzero.errors import AnyzeroError
from anyzero.games import contract
from anyzero.games.game import Game, State
from anyzero.games.load import load, split_text
from anyzero.records.fields import AGREEMENT, RULES, UNFINISHED, BadRecordError

if TYPE_CHECKING:
    from anyzero.records.record import GameRecord

T = TypeVar("T")


class Played(NamedTuple):
    """What playing some moves has come to."""

    states: list[State]
    """The start and the position after each move."""
    actions: list[int]
    moves: list[str]
    """Texts as the game itself writes them."""


class Replayed(NamedTuple):
    record: "GameRecord"
    """The record with its texts as the game itself writes them."""
    game: Game
    states: list[State]
    """The start and the position after each move."""
    actions: list[int]


def replay(record: "GameRecord", game: Game | None = None) -> Replayed:
    """Play the record; one sentence for anything that does not fit."""
    game = find_game(record, game)
    if len(record.players) != game.num_seats:
        raise BadRecordError(f"{game.name} has {game.num_seats} seats, the record {len(record.players)} players")
    check_length("clocks", record.clocks, record.moves)
    check_length("evaluations", record.evaluations, record.moves)
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


def find_game(record: "GameRecord", game: Game | None) -> Game:
    """The game of a record."""
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


def check_length(name: str, column: tuple[object, ...] | None, moves: tuple[str, ...]) -> None:
    if column is not None and len(column) != len(moves):
        raise BadRecordError(f"the record has {len(moves)} moves but {len(column)} {name}")


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


def check_result(record: "GameRecord", game: Game, last: State) -> tuple[float, ...] | None:
    """The payoffs, as the rules have them where the game came to its end by the rules."""
    payoffs, how = record.payoffs, record.termination
    if game.is_over(last) != (how == RULES):
        end = "over" if game.is_over(last) else "not over"
        raise BadRecordError(f"by the rules the game is {end} after its last move, but its termination is {how!r}")
    if how == UNFINISHED:
        if payoffs is not None:
            raise BadRecordError("an unfinished game has no payoffs")
        return None
    possible = possible_payoffs(how, game, last)
    for wanted in possible:
        if payoffs is not None and len(payoffs) == len(wanted) and np.allclose(payoffs, wanted, rtol=0.0, atol=1e-9):
            return wanted
    found = "no payoffs" if payoffs is None else f"the payoffs {list(payoffs)}"
    raise BadRecordError(
        f"the record has {found}; the end by {how} has {' or '.join(str(list(one)) for one in possible)}"
    )


def possible_payoffs(how: str, game: Game, last: State) -> list[tuple[float, ...]]:
    """What the seats can have got in a game that ended like this."""
    if how == RULES:
        return [rule_payoffs(game, last)]
    if how == AGREEMENT:
        return [(0.0,) * game.num_seats]
    return [loss_payoffs(game.num_seats, loser) for loser in range(game.num_seats)]


def rule_payoffs(game: Game, last: State) -> tuple[float, ...]:
    """What the rules give each seat, without the sign that a zero may have."""
    return tuple((game.payoffs(last) + 0.0).tolist())


def loss_payoffs(num_seats: int, loser: int) -> tuple[float, ...]:
    """The worst payoff for the seat that resigned or forfeited; the others share what it lost."""
    return tuple(-1.0 if seat == loser else 1.0 / (num_seats - 1) for seat in range(num_seats))
