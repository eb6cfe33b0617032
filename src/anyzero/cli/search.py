"""`anyzero search`: what a method thinks of a position."""

from typing import TYPE_CHECKING, Annotated

import typer

from anyzero.cli.output import GameText, Json, MovesText, StateText, load_position, print_json, print_table

if TYPE_CHECKING:
    from anyzero.search import SearchResult

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
    from anyzero.players.search_player import search_arguments
    from anyzero.players.text import split_player
    from anyzero.search import search as run_search

    wanted = split_player(method)
    loaded, position = load_position(game, state, moves)
    found = run_search(loaded, position, seed=seed, **search_arguments(wanted, loaded))
    if json:
        print_json({"game": loaded.text, "method": method, "seed": seed, **found.to_json()})
    else:
        print_result(found, most)


def print_result(found: "SearchResult", most: int) -> None:
    """For people: the best moves, the expected line, and what it took."""

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:+.3f}"

    rows = [
        (child.move, child.visits, number(child.value), child.amaf_visits, number(child.amaf_value), child.proven or "")
        for child in found.children[:most]
    ]
    print_table(("move", "visits", "value", "AMAF visits", "AMAF value", "proven"), rows)
    proven = f", a proven {found.proven}" if found.proven else ""
    print(f"best {found.best_move}, value {found.value:+.3f}{proven}; {' '.join(found.principal_variation)}")
    rate = found.simulations / max(found.seconds, 1e-9)
    size = f"{found.nodes} nodes, depth {found.depth}"
    print(f"{found.simulations} simulations in {found.seconds:.3f} s ({rate:,.0f}/s), {size}")
