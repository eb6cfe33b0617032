"""OpenSpiel as an oracle: one random game, played in both, and everything that both know compared
at every ply.
"""

import random
from collections.abc import Callable
from typing import Any

import pyspiel

from anyzero.core.game.game import Game, State


def play_in_both(
    game: Game,
    oracle: str,
    action_of: Callable[[Any, State, int], int],
    *,
    seed: int,
    start: State | None = None,
) -> int:
    """Play one game; `action_of(their state, our state, their action)` is our number. Returns the
    number of plies.
    """
    chooser = random.Random(seed)
    theirs, ours = (
        pyspiel.load_game(oracle).new_initial_state(),
        game.initial_state() if start is None else start,
    )
    plies = 0
    while not theirs.is_terminal():
        actions = {action: action_of(theirs, ours, action) for action in theirs.legal_actions()}
        assert game.seat_to_move(ours) == theirs.current_player()
        assert sorted(game.legal_actions(ours)) == sorted(actions.values())
        chosen = chooser.choice(list(actions))
        theirs.apply_action(chosen)
        ours = game.play(ours, actions[chosen])
        plies += 1
    assert game.is_over(ours)
    assert game.payoffs(ours).tolist() == theirs.returns()
    return plies
