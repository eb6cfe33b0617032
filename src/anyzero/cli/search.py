"""`anyzero search`: what a method thinks of a position."""

from typing import Annotated

import typer

from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json, print_parts

EXAMPLES = (
    "Examples: anyzero search hex:size=7 rave:5000    anyzero search chess uct:2s --json    "
    'anyzero search connect_four gumbel:64@RUN --moves "d d"'
)


def search(
    game: GameText,
    method: Annotated[str, typer.Argument(help="A method and its budget: uct:2000, rave:1s,bias=1e-5, gumbel:64@RUN.")],
    state: StateText = None,
    moves: MovesText = "",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same search.")] = 0,
    most: Annotated[int, typer.Option("--top", min=1, help="How many moves to show.")] = 10,
    json: Json = False,
) -> None:
    """Search a position and show what was found for each move."""
    from anyzero.players.search_player import SEARCHERS
    from anyzero.players.search_player import search as run_search
    from anyzero.players.text import split_player

    split_player(method, SEARCHERS)  # a method needs its budget here
    loaded, position = load_position(game, state, moves)
    found = run_search(loaded, position, method, seed=seed)
    if json:
        print_json({"game": loaded.text, "method": method, "seed": seed, **found.to_json()})
    else:
        print_parts(found.report(most))
