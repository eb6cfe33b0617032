"""`anyzero play`: people and machines at one table, in the terminal or in a browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anyzero.cli.output import PLAYERS, Json, examples, print_json

if TYPE_CHECKING:
    from anyzero.records import GameInProgress

EXAMPLES = examples(
    "anyzero play hex:size=7",
    "anyzero play chess --seat1 human",
    "anyzero play hex --web",
    "anyzero play connect_four --seat0 uct:1000 --seat1 level:easy --json",
    "anyzero play --load game.json",
    about=PLAYERS,
)

MACHINE = "level:medium"
"""Who sits where nobody was named."""

SeatText = Annotated[str | None, typer.Option(metavar="PLAYER", help="human, level:easy, rave:2000, ...")]


def play(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="A game: hex, hex:size=7 or ./my_game.py.")
    ] = None,
    seat0: SeatText = None,
    seat1: SeatText = None,
    seat2: SeatText = None,
    seat3: SeatText = None,
    position: Annotated[
        str | None, typer.Option("--position", "--state", help="A position as text; by default the start.")
    ] = None,
    load: Annotated[Path | None, typer.Option("--load", metavar="FILE", help="Resume a saved game.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Save the game here, however it ends.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For chance and machines; by default random.")] = None,
    hints: Annotated[
        str, typer.Option("--hints", metavar="PLAYER", help="Who gives hints and analyses.")
    ] = "level:hard",
    web: Annotated[bool, typer.Option("--web", help="Play in a browser; with --json, only print the address.")] = False,
    json: Json = False,
) -> None:
    """Play in the terminal, against a machine by default.

    People and machines can take any seat.
    Type a move, or help for the commands: hint, analyse, undo, redo, save, load, resign, quit and more.
    """
    from anyzero.cli.screen import Screen
    from anyzero.cli.session import HUMAN, Session
    from anyzero.errors import AnyzeroError
    from anyzero.players import parse_player
    from anyzero.records.in_progress import UNKNOWN_PLAYER

    table = make_table(game, position=position, load=load, seed=seed)
    names = seat_names([seat0, seat1, seat2, seat3], table)
    if web:
        play_in_browser(table, names, save=save, json=json)
        return
    if json and HUMAN in names:
        raise AnyzeroError("with --json every seat is a machine's: name them with --seat0, --seat1, ...")
    players = [None if name == HUMAN else parse_player(name) for name in names]
    for seat, name in enumerate(names):
        if table.players[seat] == UNKNOWN_PLAYER:
            table.name_player(seat, name)
    session = Session(table, players, hints=parse_player(hints), screen=Screen(quiet=json), save=save)
    if save is not None:
        check_file(save, table)
    session.run()
    if json:
        print_json(session.table.to_record().to_json())


def play_in_browser(table: "GameInProgress", names: list[str], *, save: Path | None, json: bool) -> None:
    """The same table as a page of the web app."""
    from urllib.parse import urlencode

    from anyzero.cli import serve
    from anyzero.errors import AnyzeroError
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
    """The table that the arguments describe."""
    import secrets
    from datetime import date

    from anyzero.errors import AnyzeroError
    from anyzero.games.load import load as load_game
    from anyzero.records import GameInProgress, read_record

    if game is None and load is None:
        raise AnyzeroError("name a game to play, or a file with --load; anyzero games lists the games")
    if position is not None and load is not None:
        raise AnyzeroError("--load and --position exclude each other: a file says where its game stands")
    rules = None if game is None else load_game(game)
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
    from anyzero.errors import AnyzeroError
    from anyzero.records.files import record_text

    record_text(path, table.to_record(), table.game)
    if not path.parent.is_dir() or path.is_dir():
        raise AnyzeroError(f"cannot write {path}: {'it is a folder' if path.is_dir() else 'there is no such folder'}")


def seat_names(named: list[str | None], table: "GameInProgress") -> list[str]:
    """Who sits where: as named, as the game's file says, else one person and machines."""
    from anyzero.cli.session import HUMAN
    from anyzero.errors import AnyzeroError

    num = table.game.num_seats
    for seat, name in enumerate(named):
        if name is not None and seat >= num:
            raise AnyzeroError(f"{table.game.name} has {num} seat{'s' * (num > 1)}, so there is no --seat{seat}")
    names = [*named, *[None] * num][:num]
    if any(name is None for name in names):
        names = [known_player(table.players[seat]) if name is None else name for seat, name in enumerate(names)]
    if HUMAN not in names and None in names:
        names[names.index(None)] = HUMAN
    return [MACHINE if name is None else name.strip() for name in names]


def known_player(text: str) -> str | None:
    """A player's text in a file, if it is one that can be asked without running somebody's code or command."""
    from anyzero.cli.session import HUMAN
    from anyzero.errors import AnyzeroError
    from anyzero.players.text import OWN_KINDS, split_player

    try:
        return text if text.strip() == HUMAN else split_player(text, OWN_KINDS).text
    except AnyzeroError:
        return None
