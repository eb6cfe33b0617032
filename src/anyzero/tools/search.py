"""`anyzero.search`: any text of a player that searches. The core knows the methods, and players
know nets and levels.
"""

from typing import Any

from anyzero.core.base.errors import text_of
from anyzero.core.game.game import Game, State
from anyzero.core.search import search as core
from anyzero.core.search.report import SearchResult


def search(
    game: Game | str,
    state: State | str | None = None,
    method: str = "uct",
    *,
    seed: int = 0,
    **options: Any,
) -> SearchResult:
    """Search a position, the start if it is left out, until the budget is spent; what was found for
    each move.

    `method` is a player's text, budget and all, or only the name of a method with `simulations` or
    `seconds` as options. Further options: `max_nodes`, `final`, `evaluator`, `trees`,
    `temperature`, and those of the method. The same seed and number of simulations give the same
    result.

    >>> anyzero.search("hex:size=7", method="rave:2000")
    >>> anyzero.search(game, state, "gumbel", simulations=64, evaluator="uniform")
    """
    text = text_of("the method", method)
    if "@" in text or text.strip().startswith("level:"):
        from anyzero.core.game.load import position_of
        from anyzero.tools.players.text import SEARCHERS, search_arguments, split_player

        game, state = position_of(game, state)
        options = {**search_arguments(split_player(text, SEARCHERS), game), **options}
        text = options.pop("method")
    return core.search(game, state, text, seed=seed, **options)
