"""`anyzero play` and `replay`: play against people or the computer, and replay games move by
move.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyzero
from anyzero.app.cli import serve
from anyzero.app.cli.options import PLAYERS, Json, argument, examples, option
from anyzero.app.cli.output import answer
from anyzero.app.records.seats import HUMAN
from anyzero.core.base.errors import AnyzeroError

if TYPE_CHECKING:
    from anyzero.app.records.in_progress import GameInProgress

SeatText = Annotated[str | None, option("human, level:easy, rave:2000, ...", "PLAYER")]


@examples(
    "anyzero play hex:size=7",
    "anyzero play chess --seat1 human",
    "anyzero play hex --web",
    "anyzero play connect_four --seat0 uct:1000 --seat1 level:easy --json",
    "anyzero play --load game.json",
    about=PLAYERS,
)
def play_command(
    game: Annotated[
        str | None, argument("A game: hex, hex:size=7 or ./my_game.py.", "[GAME]")
    ] = None,
    seat0: SeatText = None,
    seat1: SeatText = None,
    seat2: SeatText = None,
    seat3: SeatText = None,
    position: Annotated[
        str | None,
        option("A position as text; by default the initial one.", name="--position --state"),
    ] = None,
    load: Annotated[Path | None, option("Resume a saved game.", "FILE")] = None,
    save: Annotated[Path | None, option("Save the game here, however it ends.", "FILE")] = None,
    seed: Annotated[
        int | None, option("For chance and computer players; by default random.")
    ] = None,
    hints: Annotated[
        str, option("The player that gives hints and analyses.", "PLAYER")
    ] = "level:hard",
    web: Annotated[
        bool, option("Play in a browser; with --json, only print the address.", name="--web")
    ] = False,
    json: Json = False,
) -> None:
    """Play in the terminal, by default against the computer.

    Any seat can be a person or a computer player: --seat0 is the first seat (white in chess),
    --seat1 the second. Type a move, or help for the commands: hint, analyse, undo, redo, save,
    load, resign, quit and more.
    """
    from anyzero.app.cli.screen import Screen
    from anyzero.app.cli.session import Session, check_can_save, make_table, seat_names
    from anyzero.app.records.in_progress import UNKNOWN_PLAYER

    table = make_table(game, position=position, load=load, seed=seed)
    names = seat_names([seat0, seat1, seat2, seat3], table)
    if web:
        if save is not None:
            raise AnyzeroError("--save is for the terminal; the page saves games itself")
        play_in_browser(table, names, json=json)
        return
    if json and HUMAN in names:
        raise AnyzeroError(
            "--json needs a computer player in every seat: name them with --seat0, --seat1, ..."
        )
    players = [None if name == HUMAN else anyzero.player(name) for name in names]
    for seat, name in enumerate(names):
        if table.players[seat] == UNKNOWN_PLAYER:
            table.name_player(seat, name)
    kept = None if load is None else (load, table.moves)
    session = Session(table, players, anyzero.player(hints), Screen(quiet=json), save, kept)
    if save is not None:
        check_can_save(save, table)
    session.run()
    answer(session.table.to_record().to_json(), (), json=json)


def play_in_browser(table: "GameInProgress", names: list[str], *, json: bool) -> None:
    from urllib.parse import urlencode

    from anyzero.app.web.catalog import name_files
    from anyzero.app.web.forms import SEEDS
    from anyzero.core.game.game import game_text

    if (table.seed or 0) not in SEEDS:
        raise AnyzeroError(f"a browser takes seeds from 0 to {SEEDS[-1]}: choose one with --seed")
    game = table.game
    is_file = table.game.source.endswith(".py")
    name = next(iter(name_files([game.source]))) if is_file else game.source
    query = {
        "game": game_text(name, game.options),
        "seats": " ".join(names),
        "seed": table.seed or 0,
    }
    if table.moves:
        query["moves"] = " ".join(table.moves)
    if table.start_text:
        query["position"] = table.start_text
    config = {"port": 0, "games": (game.source,) if is_file else (), "prepare": False}
    serve.run(config, browser=not json, json=json, fragment=f"#/play?{urlencode(query)}")


@examples(
    "anyzero replay game.json",
    "anyzero replay games.pgn --number 3",
    "anyzero replay game.sgf --move 10",
    "anyzero replay match.jsonl --number 7 --json",
)
def replay_command(
    file: Annotated[
        Path, argument("Games: .json, .pgn (chess), .sgf (Hex), or a match's .jsonl.", "FILE")
    ],
    move: Annotated[
        int | None, option("Only the position after this many moves; 0 is the start.", min=0)
    ] = None,
    number: Annotated[int | None, option("Only this game in the file.", min=1)] = None,
    game: Annotated[str | None, option("The game, if it is your own file.", "GAME")] = None,
    json: Json = False,
) -> None:
    """Show the games in a file, move by move."""
    from anyzero.app.cli.screen import Screen, describe_replayed, show_replayed
    from anyzero.app.records.files import read_records
    from anyzero.app.records.in_progress import replay_record

    rules = None if game is None else anyzero.load(game)
    games = [replay_record(record, rules) for record in read_records(file, rules, number=number)]
    for table in games:
        if move is not None and move > len(table.moves):
            raise AnyzeroError(
                f"{file}: the game has {len(table.moves)} moves, so there is no move {move}"
            )
    if json:
        answer(
            {"file": str(file), "games": [describe_replayed(table, move) for table in games]},
            (),
            json=True,
        )
        return
    for index, table in enumerate(games, start=1):
        show_replayed(
            Screen(), table, move, f"game {index} of {len(games)}: " if len(games) > 1 else ""
        )
