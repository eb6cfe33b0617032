"""`anyzero games`, `rules`, `new`, `check`, `show`, `perft`, `search`, `solve` and `bench`: games
and positions.
"""

from pathlib import Path
from typing import Annotated

import typer

import anyzero
from anyzero.app.cli.options import (
    SEARCHES,
    GameText,
    Json,
    MovesText,
    StateText,
    argument,
    examples,
    option,
)
from anyzero.app.cli.output import answer, load_position, print_result
from anyzero.core.base.extras import find
from anyzero.core.base.report import Sheet, count
from anyzero.tools.progress import progress


@examples("anyzero games --json")
def games_command(json: Json = False) -> None:
    """List the games with their options."""
    from anyzero.core.game.load import game_names

    loaded = [anyzero.load(name) for name in game_names()]
    sizes = [
        {key: getattr(game, key) for key in ("name", "num_seats", "num_actions")} for game in loaded
    ]
    options = [" ".join(f"{key}={value}" for key, value in game.options.items()) for game in loaded]
    rows = [
        (game.name, text, game.num_seats, game.num_actions)
        for game, text in zip(loaded, options, strict=True)
    ]
    values = [
        {**size, "options": dict(game.options)} for size, game in zip(sizes, loaded, strict=True)
    ]
    answer(values, [Sheet(("game", "options", "seats", "actions"), rows)], json=json)


@examples("anyzero rules hex", "anyzero rules ./my_game.py")
def rules_command(game: GameText, json: Json = False) -> None:
    """Explain a game in a few sentences, with two pictures.

    For your own game the text is the docstring of make().
    """
    print_result(anyzero.rules(game), json=json)


@examples("anyzero check hex:size=5", "anyzero check ./my_game.py")
def check_command(game: GameText, json: Json = False) -> None:
    """Check a game against the laws of the contract.

    The laws are checked on random play; the exit code is 1 if one is broken.
    """
    loaded = anyzero.load(game)
    results = (
        find("laws").check_apart(loaded) if loaded.is_from_file else anyzero.check_game(loaded)
    )
    print_result(results, json=json)
    raise typer.Exit(0 if results.ok else 1)


@examples("anyzero new my_game.py", "anyzero new my_race.py --kind dice")
def new_command(
    file: Annotated[Path, argument("The file to write, like my_game.py.")],
    kind: Annotated[str, option("placing, moving or dice.")] = "placing",
    json: Json = False,
) -> None:
    """Write a template for your own game, and a test for it.

    It can be played, drawn and trained at once: change it step by step, and check it after each
    step.
    """
    written = [str(path) for path in find("laws").start_game(file, kind)]
    pointer = "docs/contract.md explains each part"
    said = f"{written[0]} is a {kind} game, {written[1]} its test; {pointer}"
    commands = (
        f"  anyzero check {file}",
        f"  anyzero play {file}",
        f"  anyzero train {file} --minutes 5",
    )
    answer({"kind": kind, "files": written}, (said, *commands), json=json)


@examples('anyzero show hex:size=7 --moves "d4 c3"', "anyzero show chess --svg board.svg")
def show_command(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    svg: Annotated[Path | None, option("Write the picture to this file.")] = None,
    json: Json = False,
) -> None:
    """Show a position in the terminal, or write it as SVG."""
    from anyzero.core.base.files import write_whole

    loaded, position = load_position(game, state, moves)
    drawn = loaded.show(position) if loaded.has("board") or svg is not None else None
    if drawn is not None and svg is not None:
        write_whole(svg, drawn.svg.encode())
    text = loaded.format_state(position) if loaded.has("format_state") else None
    seat = loaded.seat_to_move(position)
    legal = loaded.legal_moves(position)
    about = {"game": loaded.text, "state": text, "seat_to_move": seat, "legal_moves": legal}
    parts = (
        [f"{name}: {value}" for name, value in loaded.fields(position).items()]
        if drawn is None
        else [drawn.text]
    )
    answer({**about, "text": drawn and drawn.text}, parts, json=json)


@examples("anyzero perft chess 5", "anyzero perft connect_four 7 --divide")
def perft_command(
    game: GameText,
    depth: Annotated[int, argument("How many plies.", min=0, max=50)],
    state: StateText = None,
    moves: MovesText = "",
    divide: Annotated[
        bool, option("Also show the count below each move.", name="--divide")
    ] = False,
    json: Json = False,
) -> None:
    """Count the sequences of moves of a given length.

    The classic test of a move generator.
    """
    loaded, position = load_position(game, state, moves)
    lines = anyzero.perft(loaded, position, depth=depth, progress=not json)
    answer(lines.to_json(divide=divide), lines.report(divide=divide), json=json)


# --- what a method thinks of a position, what is proven about it, and how fast that is


@examples(
    "anyzero search hex:size=7 rave:5000",
    "anyzero search chess uct:2s --json",
    'anyzero search connect_four gumbel:64@RUN --moves "d d"',
    about=SEARCHES,
)
def search_command(
    game: GameText,
    method: Annotated[
        str, argument("A method and its budget: uct:2000, rave:1s,bias=1e-5, gumbel:64@RUN.")
    ],
    state: StateText = None,
    moves: MovesText = "",
    seed: Annotated[int, option("The same seed gives the same search.")] = 0,
    most: Annotated[int, option("How many moves to show.", name="--top", min=1)] = 10,
    json: Json = False,
) -> None:
    """Search a position and show the results for each move."""
    from anyzero.tools.players.text import SEARCHERS, split_player

    split_player(method, SEARCHERS)  # a method needs its budget here
    loaded, position = load_position(game, state, moves)
    result = anyzero.search(loaded, position, method, seed=seed)
    print_result(
        result, {"game": loaded.text, "method": method, "seed": seed}, json=json, most=most
    )


@examples(
    "anyzero solve tic_tac_toe",
    "anyzero solve hex:size=4 --openings",
    'anyzero solve chess --state "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1" --seconds 10',
)
def solve_command(
    game: GameText,
    state: StateText = None,
    moves: MovesText = "",
    openings: Annotated[
        bool, option("Also show the exact value of every move.", name="--openings")
    ] = False,
    max_memory: Annotated[
        int, option("Size of the transposition table.", "MB", min=1, max=1_000_000)
    ] = 256,
    seconds: Annotated[float | None, option("Give up after this long.")] = None,
    method: Annotated[str, option("both, depth (depth-first) or proof (proof numbers).")] = "both",
    json: Json = False,
) -> None:
    """Find the exact value of a position and all its best moves.

    For small two-seat games without chance; the exit code is 1 if the value was not found.
    """
    loaded, position = load_position(game, state, moves)
    solution = anyzero.solve(
        loaded, position, max_memory=max_memory, seconds=seconds, method=method, progress=not json
    )
    text = loaded.format_state(position) if loaded.has("format_state") else None
    print_result(solution, {"game": loaded.text, "state": text}, json=json, openings=openings)
    raise typer.Exit(1 if solution.value is None else 0)


# --- how fast it runs here


def check_seconds(seconds: float) -> float:
    """Typer lets nan through: it is neither too small nor too large."""
    if seconds != seconds:
        raise typer.BadParameter("nan is not a number of seconds")
    return seconds


Seconds = Annotated[
    float,
    option("How long to measure.", name="--seconds", min=0.01, max=3600, callback=check_seconds),
]


@examples("anyzero bench rollouts hex:size=11 --threads 2")
def bench_rollouts_command(
    game: GameText,
    threads: Annotated[int, option("CPU threads.", min=1, max=1024)] = 1,
    target: Annotated[str, option("cpu, cuda, interpreted or wasm.")] = "cpu",
    seconds: Seconds = 2.0,
    json: Json = False,
) -> None:
    """Measure random games per second from the initial position."""
    from anyzero.tools.speed import bench_rollouts as measure

    loaded = anyzero.load(game)
    with progress(f"playing {loaded.text} at random", shown=not json):
        result = measure(loaded, target=target, threads=threads, seconds=seconds)
    about = f"{result.game} on {result.target}, {count(result.threads, 'thread')}"
    speed = result.rollouts_per_s
    moves = f"{result.moves_per_s:,.0f} moves/s; ready after {result.compile_s:.2f} s"
    answer(result._asdict(), (f"{about}: {speed:,.0f} rollouts/s", moves), json=json)


@examples("anyzero bench search hex:size=11 uct:10000")
def bench_search_command(
    game: GameText,
    method: Annotated[str, argument("A method and its budget: uct:10000, rave:0.5s.", "METHOD")],
    seconds: Seconds = 2.0,
    json: Json = False,
) -> None:
    """Measure simulations per second from the initial position."""
    from anyzero.tools.speed import search_speed

    loaded = anyzero.load(game)
    with progress(f"searching {loaded.text}", shown=not json):
        result = search_speed(loaded, method, seconds=seconds)
    speed = f"{result.simulations_per_s:,.0f} simulations/s, the best of {result.searches}"
    median = (
        f"median {result.median_simulations_per_s:,.0f} simulations/s; ready after "
        f"{result.ready_s:.2f} s"
    )
    size = (
        f"{result.simulations:,} simulations made {result.nodes:,} nodes of "
        f"{result.bytes_per_node:.0f} bytes"
    )
    answer(result._asdict(), (f"{result.game}, {result.method}: {speed}", median, size), json=json)
