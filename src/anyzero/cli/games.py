"""`anyzero games`, `rules`, `new`, `check`, `show` and `perft`: the rules of games."""

from pathlib import Path
from typing import Annotated

import typer

import anyzero
from anyzero.cli.options import GameText, Json, MovesText, StateText, argument, examples, option
from anyzero.cli.output import answer, load_position, print_result
from anyzero.report import Sheet


@examples("anyzero games --json")
def games(json: Json = False) -> None:
    """List the games with their options."""
    from anyzero.games.load import game_names

    found = [anyzero.load(name) for name in game_names()]
    sizes = [{key: getattr(game, key) for key in ("name", "num_seats", "num_actions")} for game in found]
    options = [" ".join(f"{key}={value}" for key, value in game.options.items()) for game in found]
    rows = [(game.name, text, game.num_seats, game.num_actions) for game, text in zip(found, options, strict=True)]
    values = [{**size, "options": dict(game.options)} for size, game in zip(sizes, found, strict=True)]
    answer(values, [Sheet(("game", "options", "seats", "actions"), rows)], json=json)


@examples("anyzero rules hex", "anyzero rules ./my_game.py")
def rules(game: GameText, json: Json = False) -> None:
    """Explain a game in a few sentences, with two pictures.

    For a game of your own they are what the docstring of make() says.
    """
    print_result(anyzero.rules(game), json=json)


@examples("anyzero check hex:size=5", "anyzero check ./my_game.py")
def check(game: GameText, json: Json = False) -> None:
    """Check a game against the laws of the contract.

    The laws are checked on random play; the exit code is 1 if one is broken.
    """
    from anyzero.games.check import check_apart

    loaded = anyzero.load(game)
    found = check_apart(loaded) if loaded.is_from_file else anyzero.check_game(loaded)
    print_result(found, json=json)
    raise typer.Exit(0 if found.ok else 1)


@examples("anyzero new my_game.py", "anyzero new my_race.py --kind dice")
def new(
    file: Annotated[Path, argument("The file to write, like my_game.py.")],
    kind: Annotated[str, option("placing, moving or dice.")] = "placing",
    json: Json = False,
) -> None:
    """Write a game to start from, and a test beside it.

    It plays, trains and is drawn as it is: change it step by step, and check it after each.
    """
    from anyzero.games.load import start_game

    written = [str(path) for path in start_game(file, kind)]
    told = "docs/contract.md tells what each part means"
    said = f"{written[0]} is a game of the kind {kind}, {written[1]} its test; {told}"
    commands = (f"  anyzero check {file}", f"  anyzero play {file}", f"  anyzero train {file} --minutes 5")
    answer({"kind": kind, "files": written}, (said, *commands), json=json)


@examples('anyzero show hex:size=7 --moves "d4 c3"', "anyzero show chess --svg board.svg")
def show(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    svg: Annotated[Path | None, option("Write the picture to this file.")] = None,
    json: Json = False,
) -> None:
    """Show a position in the terminal, or write it as SVG."""
    from anyzero.files import write_whole

    loaded, position = load_position(game, state, moves)
    picture = loaded.show(position)
    if svg is not None:
        write_whole(svg, picture.svg.encode())
    text = loaded.format_state(position) if loaded.has("format_state") else None
    seat, legal = loaded.seat_to_move(position), loaded.legal_moves(position)
    about = {"game": loaded.text, "state": text, "seat_to_move": seat, "legal_moves": legal}
    answer({**about, "text": picture.text}, [picture.text], json=json)


@examples("anyzero perft chess 5", "anyzero perft connect_four 7 --divide")
def perft(
    game: GameText,
    depth: Annotated[int, argument("How many plies.", min=0, max=50)],
    state: StateText = None,
    moves: MovesText = "",
    divide: Annotated[bool, option("Also the count below each move.", name="--divide")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of moves of a given length.

    The classic test of a move generator.
    """
    from anyzero.games.perft import count_lines

    found = count_lines(*load_position(game, state, moves), depth=depth, progress=not json)
    answer(found.to_json(divide=divide), found.report(divide=divide), json=json)
