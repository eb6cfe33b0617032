"""`anyzero play` and `replay`: people and machines at one table, and games that were played, move by move."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import anyzero
from anyzero.cli.options import PLAYERS, Json, argument, examples, option
from anyzero.cli.output import HUMAN, answer
from anyzero.errors import AnyzeroError
from anyzero.report import count

if TYPE_CHECKING:
    from anyzero.cli.screen import Screen
    from anyzero.records.in_progress import GameInProgress
    from anyzero.records.record import Replayed


MACHINE = "level:medium"  # who sits where nobody was named

SeatText = Annotated[str | None, option("human, level:easy, rave:2000, ...", "PLAYER")]


@examples(
    "anyzero play hex:size=7",
    "anyzero play chess --seat1 human",
    "anyzero play hex --web",
    "anyzero play connect_four --seat0 uct:1000 --seat1 level:easy --json",
    "anyzero play --load game.json",
    about=PLAYERS,
)
def play(
    game: Annotated[str | None, argument("A game: hex, hex:size=7 or ./my_game.py.", "[GAME]")] = None,
    seat0: SeatText = None,
    seat1: SeatText = None,
    seat2: SeatText = None,
    seat3: SeatText = None,
    position: Annotated[
        str | None, option("A position as text; by default the start.", name="--position --state")
    ] = None,
    load: Annotated[Path | None, option("Resume a saved game.", "FILE")] = None,
    save: Annotated[Path | None, option("Save the game here, however it ends.", "FILE")] = None,
    seed: Annotated[int | None, option("For chance and machines; by default random.")] = None,
    hints: Annotated[str, option("Who gives hints and analyses.", "PLAYER")] = "level:hard",
    web: Annotated[bool, option("Play in a browser; with --json, only print the address.", name="--web")] = False,
    json: Json = False,
) -> None:
    """Play in the terminal, against a machine by default.

    People and machines can take any seat.
    Type a move, or help for the commands: hint, analyse, undo, redo, save, load, resign, quit and more.
    """
    from anyzero.cli.screen import Screen
    from anyzero.cli.session import Session
    from anyzero.records.in_progress import UNKNOWN_PLAYER

    table = make_table(game, position=position, load=load, seed=seed)
    names = seat_names([seat0, seat1, seat2, seat3], table)
    if web:
        play_in_browser(table, names, save=save, json=json)
        return
    if json and HUMAN in names:
        raise AnyzeroError("with --json every seat is a machine's: name them with --seat0, --seat1, ...")
    players = [None if name == HUMAN else anyzero.player(name) for name in names]
    for seat, name in enumerate(names):
        if table.players[seat] == UNKNOWN_PLAYER:
            table.name_player(seat, name)
    session = Session(table, players, anyzero.player(hints), Screen(quiet=json), save)
    if save is not None:
        check_file(save, table)
    session.run()
    answer(session.table.to_record().to_json(), (), json=json)


def play_in_browser(table: "GameInProgress", names: list[str], *, save: Path | None, json: bool) -> None:
    from urllib.parse import urlencode

    from anyzero.cli import serve
    from anyzero.games.game import game_text

    if save is not None:
        raise AnyzeroError("--save is for the terminal; the page saves games itself")
    game = table.game
    is_file = game.source.endswith(".py")
    name = Path(game.source).stem if is_file else game.source
    query = {"game": game_text(name, game.options), "seats": " ".join(names), "seed": table.seed or 0}
    if table.moves:
        query["moves"] = " ".join(table.moves)
    start = table.to_record().start
    if start is not None:
        query["position"] = start
    config = {"port": 0, "games": (game.source,) if is_file else (), "prepare": False}
    serve.run(config, browser=not json, json=json, fragment=f"#/play?{urlencode(query)}")


def make_table(game: str | None, *, position: str | None, load: Path | None, seed: int | None) -> "GameInProgress":
    import secrets
    from datetime import date

    from anyzero.records.files import read_record
    from anyzero.records.in_progress import GameInProgress

    if game is None and load is None:
        raise AnyzeroError("name a game to play, or a file with --load; anyzero games lists the games")
    if position is not None and load is not None:
        raise AnyzeroError("--load and --position exclude each other: a file says where its game stands")
    rules = None if game is None else anyzero.load(game)
    drawn = secrets.randbits(32) if seed is None else seed % 2**64
    if load is not None:
        table = GameInProgress.from_record(read_record(load, game=rules), rules)
        table.seed = drawn if seed is not None or table.seed is None else table.seed
        return table
    assert rules is not None
    start = None if position is None else rules.parse_state(position)
    return GameInProgress(rules, start=start, seed=drawn, date=date.today().isoformat())


def check_file(path: Path, table: "GameInProgress") -> None:
    """Say before the game rather than after it that it cannot be written."""
    from anyzero.records.files import record_text

    record_text(path, table.to_record(), table.game)
    if not path.parent.is_dir() or path.is_dir():
        raise AnyzeroError(f"cannot write {path}: {'it is a folder' if path.is_dir() else 'there is no such folder'}")


def seat_names(named: list[str | None], table: "GameInProgress") -> list[str]:
    """Who sits where: as named, as the game's file says, else one person and machines."""
    num = table.game.num_seats
    for seat, name in enumerate(named):
        if name is not None and seat >= num:
            raise AnyzeroError(f"{table.game.name} has {num} seat{'s' * (num > 1)}, so there is no --seat{seat}")
    both = zip([*named, *[None] * num], table.players, strict=False)
    names = [known_player(known) if name is None else name for name, known in both]
    if HUMAN not in names and None in names:
        names[names.index(None)] = HUMAN
    return [MACHINE if name is None else name.strip() for name in names]


def known_player(text: str) -> str | None:
    """A player's text in a file, if it is one that can be asked without running somebody's code or command."""
    from anyzero.players.text import OWN_KINDS, split_player

    try:
        return text if text.strip() == HUMAN else split_player(text, OWN_KINDS).text
    except AnyzeroError:
        return None


# --- the games of a file, move by move


@examples(
    "anyzero replay game.json",
    "anyzero replay games.pgn --number 3",
    "anyzero replay game.sgf --move 10",
    "anyzero replay match.jsonl --number 7 --json",
)
def replay(
    file: Annotated[Path, argument("Games: .json, .pgn (chess), .sgf (Hex), or a match's .jsonl.", "FILE")],
    move: Annotated[int | None, option("Only the position after so many moves; 0 is the start.", min=0)] = None,
    number: Annotated[int | None, option("Only this game of the file.", min=1)] = None,
    game: Annotated[str | None, option("The game, if it is a file of your own.", "GAME")] = None,
    json: Json = False,
) -> None:
    """Show the games of a file, move by move."""
    from anyzero.cli.screen import Screen
    from anyzero.records.files import read_records
    from anyzero.records.record import replay as play_again

    rules = None if game is None else anyzero.load(game)
    games = [play_again(record, rules) for record in read_records(file, rules, number=number)]
    for found in games:
        if move is not None and move > len(found.actions):
            raise AnyzeroError(f"{file}: the game has {len(found.actions)} moves, so there is no move {move}")
    if json:
        positions = [[describe_position(found, after) for after in shown_positions(found, move)] for found in games]
        records = [found.record.to_json() for found in games]
        both = [{**record, "positions": shown} for record, shown in zip(records, positions, strict=True)]
        answer({"file": str(file), "games": both}, (), json=True)
        return
    for index, found in enumerate(games, start=1):
        print_game(Screen(), found, move, f"game {index} of {len(games)}: " if len(games) > 1 else "")


def shown_positions(found: "Replayed", move: int | None) -> list[int]:
    """After how many moves the positions stand that are shown."""
    return list(range(len(found.states))) if move is None else [move]


# --- for programs


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
    from anyzero.cli.screen import end_words
    from anyzero.web.forms import cells_of

    record, game = found.record, found.game
    screen.say(f"{title}{record.game}; {' against '.join(record.players)}{f'; {record.date}' * bool(record.date)}")
    for after in shown_positions(found, move):
        marked = cells_of(game, found.states[after - 1], found.actions[after - 1]) if after else []
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
