"""Every tree method finds a win in one, stops one, and knows when it is lost, at every game of two
seats.

Each game needs two compiled searches, so that only a few games are tried by default.
"""

import pytest

from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.search.methods import METHODS, UNBOUNDED
from anyzero.tools.search import search
from tests.search.positions import BLOCK, LOST, POSITIONS, WIN

TREE_METHODS = [name for name, method in METHODS.items() if method.settings.max_depth == UNBOUNDED]
SIMULATIONS = 1_000
SEEDS = (1, 2, 3)
QUICK_GAMES = ("tic_tac_toe", "connect_four")
"""Other tests need their searches too; the other games are slow only because of the time to
compile.
"""


def of_kinds(*kinds):
    """Positions with every method; those of games that are slow to compile carry the mark."""
    return pytest.mark.parametrize(
        ("position", "method"),
        [
            pytest.param(
                position,
                method,
                id=f"{position.name} {method}",
                marks=() if position.name.split()[0] in QUICK_GAMES else pytest.mark.slow,
            )
            for position in POSITIONS
            for method in TREE_METHODS
            if position.kind in kinds
        ],
    )


@pytest.fixture
def searches(position, method):
    """What the method found, once for each seed."""
    game = load(position.game)
    state = game.parse_state(position.text)
    return [search(game, state, method, simulations=SIMULATIONS, seed=seed) for seed in SEEDS]


def winning_moves(game, state):
    """The moves that end the game at once and win it."""
    seat, found = game.seat_to_move(state), set()
    for move in game.legal_moves(state):
        after = game.play(state, move)
        if game.is_over(after) and game.payoffs(after)[seat] == 1.0:
            found.add(move)
    return found


def test_there_are_positions_of_every_game_of_two_seats():
    games = {name for name in BUILT_IN if load(name).num_seats == 2}
    for kind in (WIN, BLOCK, LOST):
        assert {one.game.partition(":")[0] for one in POSITIONS if one.kind == kind} == games


@pytest.mark.parametrize(
    "position",
    [
        pytest.param(
            one, id=one.name, marks=[pytest.mark.slow] * (one.name.split()[0] not in QUICK_GAMES)
        )
        for one in POSITIONS
    ],
)
def test_the_positions_are_what_they_say(position):
    """By playing out all moves and all replies, without a search."""
    game = load(position.game)
    state = game.parse_state(position.text)
    if position.kind == WIN:
        assert winning_moves(game, state) == position.right
        return
    assert not winning_moves(game, state)
    afterwards = {move: game.play(state, move) for move in game.legal_moves(state)}
    safe = {move for move, after in afterwards.items() if not winning_moves(game, after)}
    assert safe == position.right
    assert bool(safe) == (position.kind == BLOCK)


@of_kinds(WIN)
def test_a_win_in_one_is_played_and_proven(position, searches):
    check_win(position, searches)


@of_kinds(BLOCK)
def test_a_win_of_the_opponent_in_one_is_stopped(position, searches):
    check_block(position, searches)


@of_kinds(LOST)
def test_a_position_lost_in_two_plies_is_proven_lost(position, searches):
    check_lost(position, searches)


def check_win(position, searches):
    for found in searches:
        assert found.best_move in position.right
        assert (found.proven, found.value) == ("win", 1.0)
        assert found.children[0].proven == "win"


def check_block(position, searches):
    for found in searches:
        assert found.best_move in position.right
        losses = {child.move for child in found.children if child.proven == "loss"}
        assert not losses & position.right


def check_lost(position, searches):
    game = load(position.game)
    for found in searches:
        assert (found.proven, found.value) == ("loss", -1.0)
        assert {child.proven for child in found.children} == {"loss"}
        assert found.best_move in game.legal_moves(game.parse_state(position.text))
