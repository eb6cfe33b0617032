"""What simulations write on; allocated once a search."""

from typing import Any, NamedTuple

import numpy as np

from anyzero.compile.random import STREAM
from anyzero.compile.vectors import SMALL_SET_WORDS
from anyzero.games.game import Game
from anyzero.search.settings import GRAVE, GUMBEL, Settings


class Scratch(NamedTuple):
    """A slot is one simulation under way: one a tree, or as many as there are leaves at a time."""

    states: Any
    """[slots]: the position, played on from the root."""
    ahead: Any
    """[trees, 2]: positions one and two moves behind the root."""
    actions: np.ndarray
    streams: Any
    """[trees]: random numbers belong to a tree, not to a thread."""
    result: np.ndarray
    """[slots, seats]: the payoffs of the simulation."""
    path: np.ndarray
    """[slots, depth]: nodes from the root down."""
    seats: np.ndarray
    """[slots, depth]: who moved at each of them."""
    depth: np.ndarray
    """[slots]: the length of the path."""
    known: np.ndarray
    """[slots]: whether the result needs an evaluator."""
    rows: np.ndarray
    """[slots]: the row of the evaluator's answer."""
    budget: np.ndarray
    """[trees]: how many simulations a tree gets from an evaluator outside."""
    keys: np.ndarray
    """[slots, depth]: AMAF keys of the moves on the path."""
    seen: np.ndarray
    """[slots, seats, words]: AMAF keys of this simulation's moves, as sets of bits."""
    all_keys: np.ndarray
    """[keys]: 0, 1, 2, ..."""
    scores: np.ndarray
    """[slots, max_legal]: of the children that are being compared."""
    amaf: np.ndarray
    """[slots, 2, max_legal]: AMAF visits and values that GRAVE has borrowed."""
    gumbel: np.ndarray
    """[trees, max_legal]: Gumbel noise of the root's moves."""
    plan: np.ndarray
    """[moves + 1, simulations]: how many visits the next move to be visited has, for so many considered moves."""
    counters: np.ndarray
    """[trees, 2]: simulations so far, and the greatest depth."""


def new_scratch(
    game: Game, settings: Settings, *, depth: int, num_trees: int = 1, plan: np.ndarray | None = None
) -> Scratch:
    """Scratch for paths of so many moves; Gumbel needs its plan."""
    slots, amaf = num_trees * settings.leaves, settings.amaf
    wide, words = game.max_legal, max(SMALL_SET_WORDS, -(-game.num_amaf_keys // 64))
    return Scratch(
        states=game.new_states(slots),
        ahead=game.new_states(2 * num_trees).reshape(num_trees, 2),
        actions=np.zeros((slots, wide), np.int32),
        streams=np.zeros(num_trees, STREAM),
        result=np.zeros((slots, game.num_seats)),
        path=np.zeros((slots, depth + 1), np.int32),
        seats=np.zeros((slots, depth + 1), np.int8),
        depth=np.zeros(slots, np.int32),
        known=np.zeros(slots, np.int8),
        rows=np.arange(slots, dtype=np.int32),
        budget=np.zeros(num_trees, np.int64),
        keys=np.zeros((slots if amaf else 0, depth + 1), np.int32),
        seen=np.zeros((slots if amaf else 0, game.num_seats, words), np.uint64),
        all_keys=np.arange(game.num_amaf_keys if settings.formula == GRAVE else 0, dtype=np.int32),
        scores=np.zeros((slots, wide), np.float32),
        amaf=np.zeros((slots if settings.formula == GRAVE else 0, 2, wide), np.float32),
        gumbel=np.zeros((num_trees if settings.formula == GUMBEL else 0, wide), np.float32),
        plan=np.zeros((1, 1), np.int32) if plan is None else plan,
        counters=np.zeros((num_trees, 2), np.int64),
    )
