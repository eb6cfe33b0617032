"""Where each search method looks, on one position of Hex: `python examples/search_pictures.py`
writes docs/pictures.

A disc's area is the share of the simulations that went through its cell, its number how many; the
star is played.
"""

from dataclasses import replace
from pathlib import Path

import anyzero
from anyzero.core.search.methods import METHODS
from anyzero.views import Circle, Label, Scene

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
GAME, MOVES, SIMULATIONS = "hex:size=5", ("c3", "b3", "d2", "c4"), 400


def picture(game: anyzero.Game, state: object, method: str) -> Scene:
    """The position with what a search of `SIMULATIONS` found."""
    scene, found = game.scene(state), anyzero.search(game, state, f"{method}:{SIMULATIONS}", seed=1)
    places = {cell.name: cell.centre for cell in scene.cells}
    most = max(child.visits for child in found.children)
    over = []
    for child in (child for child in found.children if child.visits):
        x, y = places[child.move]
        over.append(Circle(x, y, 0.46 * (child.visits / most) ** 0.5, "series2"))
        star = "★" if child.move == found.best_move else ""
        over.append(Label(x, y, f"{star}{child.visits}", 0.26, "tile-ink"))
    caption = f"{method}: {found.simulations} simulations, plays {found.best_move}"
    return replace(scene, over=(*scene.over, *over), caption=caption, title=caption)


def main() -> None:
    game = anyzero.load(GAME)
    state = game.initial_state()
    for move in MOVES:
        state = game.play(state, move)
    for method in METHODS:
        (FOLDER / f"search-{method}.svg").write_text(
            picture(game, state, method).svg, encoding="utf-8"
        )


if __name__ == "__main__":
    main()
