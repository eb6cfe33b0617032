"""`anyzero replay`: the games of a file, move by move."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anyzero.cli.output import Json, examples, print_json
from anyzero.report import count

if TYPE_CHECKING:
    from anyzero.cli.screen import Screen
    from anyzero.records.record import Replayed

EXAMPLES = examples(
    "anyzero replay game.json",
    "anyzero replay games.pgn --number 3",
    "anyzero replay game.sgf --move 10",
    "anyzero replay match.jsonl --number 7 --json",
)


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Games: .json, .pgn (chess), .sgf (Hex), or a match's .jsonl.")
    ],
    move: Annotated[
        int | None, typer.Option("--move", min=0, help="Only the position after so many moves; 0 is the start.")
    ] = None,
    number: Annotated[int | None, typer.Option("--number", min=1, help="Only this game of the file.")] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="The game, if it is a file of your own.")
    ] = None,
    json: Json = False,
) -> None:
    """Show the games of a file, move by move."""
    from anyzero.cli.screen import Screen
    from anyzero.games.load import load
    from anyzero.records import read_records
    from anyzero.records.record import replay as play_again

    rules = None if game is None else load(game)
    games = [play_again(record, rules) for record in read_records(file, rules, number=number)]
    for found in games:
        check_move(file, found, move)
    if json:
        print_json({"file": str(file), "games": [describe_game(found, move) for found in games]})
        return
    for index, found in enumerate(games, start=1):
        print_game(Screen(), found, move, f"game {index} of {len(games)}: " if len(games) > 1 else "")


def check_move(file: Path, found: "Replayed", move: int | None) -> None:
    from anyzero.errors import AnyzeroError

    if move is not None and move > len(found.actions):
        raise AnyzeroError(f"{file}: the game has {len(found.actions)} moves, so there is no move {move}")


def shown_positions(found: "Replayed", move: int | None) -> list[int]:
    """After how many moves the positions stand that are shown."""
    return list(range(len(found.states))) if move is None else [move]


# --- for programs


def describe_game(found: "Replayed", move: int | None) -> dict[str, Any]:
    positions = [describe_position(found, after) for after in shown_positions(found, move)]
    return {**found.record.to_json(), "positions": positions}


def describe_position(found: "Replayed", after: int) -> dict[str, Any]:
    game, state = found.game, found.states[after]
    return {
        "moves": after,
        "last_move": found.record.moves[after - 1] if after else None,
        "seat_to_move": game.seat_to_move(state),
        "state": game.format_state(state) if game.has("format_state") else None,
        "text": game.show(state).text if game.has("board") else None,
    }


# --- for people


def print_game(screen: "Screen", found: "Replayed", move: int | None, title: str) -> None:
    from anyzero.cli.screen import cells_of, end_words

    record, game = found.record, found.game
    screen.say(f"{title}{record.game}; {' against '.join(record.players)}{f'; {record.date}' * bool(record.date)}")
    for after in shown_positions(found, move):
        marked = cells_of(game, found.states[after - 1], found.actions[after - 1]) if after else ()
        screen.say(move_words(found, after))
        screen.show_position(game, found.states[after], marked)
    if move is None:
        screen.say(end_words(record, game, found.states[-1]))


def move_words(found: "Replayed", after: int) -> str:
    """Who made which move, how long it took, and what the mover thought."""
    record = found.record
    if after == 0:
        return "the start"
    seat = found.game.seat_to_move(found.states[after - 1])
    who = f"{record.players[seat]} plays" if seat >= 0 else "drawn:"
    clock = None if record.clocks is None else record.clocks[after - 1]
    thought = None if record.evaluations is None else record.evaluations[after - 1]
    notes = [] if clock is None else [f"{clock:.2f} s"]
    notes += [] if thought is None else [f"value {thought.value:+.3f}, {count(thought.simulations, 'simulation')}"]
    return f"{after}. {who} {record.moves[after - 1]}" + (f" ({', '.join(notes)})" if notes else "")
