"""What happens to roots: noise, reuse after moves, and positions that are reached in several
ways.
"""

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.core.compile.random import make_streams
from anyzero.core.game.load import load
from anyzero.core.game.play import Play
from anyzero.core.search import priors, search_many
from anyzero.core.search.search import Searcher
from anyzero.tools.players import parse_player
from anyzero.tools.search import search
from tests.search.stubs import forest_of, repeat

FOUR, THREE = load("connect_four"), load("tic_tac_toe")
START = FOUR.initial_state()


def draws(sample, count):
    (stream,) = make_streams(11, 1)
    with np.errstate(over="ignore"):
        return np.array([sample(stream) for _ in range(count)])


# A mean of n draws is off by 5.5 standard errors once in twenty million runs.


@pytest.mark.parametrize("shape", [0.3, 1.0, 2.5])
def test_gamma_draws_have_the_right_mean_and_variance(shape):
    """Mean and variance are the shape; the variance of the sample variance is (2 shape^2 + 6 shape)
    / n.
    """
    found, num = draws(lambda stream: priors.random_gamma(shape, stream), 5_000), 5_000
    assert abs(found.mean() - shape) < 5.5 * (shape / num) ** 0.5
    assert abs(found.var() - shape) < 5.5 * ((2 * shape**2 + 6 * shape) / num) ** 0.5


def test_gumbel_draws_have_the_right_mean():
    """Euler's constant, with variance pi^2 / 6."""
    found = draws(priors.random_gumbel, 5_000)
    assert abs(found.mean() - 0.5772157) < 5.5 * (np.pi**2 / 6 / 5_000) ** 0.5


def test_root_noise_is_a_dirichlet_draw_mixed_in_once():
    """With fraction 1 the priors are the noise: mean 1/7, variance (1/7)(6/7) / (7 alpha + 1), and
    a sum of 1.
    """
    searcher = Searcher(
        FOUR,
        "puct",
        simulations=3,
        evaluator="uniform",
        noise_fraction=1.0,
        noise_concentration=0.3,
    )
    found = np.array(
        [np.sort(forest_of(searcher, START, seed).moves().priors)[::-1] for seed in range(1_000)]
    )
    assert found.sum(axis=1) == pytest.approx(np.ones(1_000), abs=1e-5)
    variance = (1 / 7) * (6 / 7) / (7 * 0.3 + 1)
    squares = ((found - 1 / 7) ** 2).mean(axis=1)
    assert abs(squares.mean() - variance) < 5.5 * squares.std() / 1_000**0.5


def test_root_noise_is_mixed_by_noise_fraction():
    plain = {"simulations": 3, "evaluator": "uniform"}
    quarter = search(FOUR, START, "puct", noise_fraction=0.25, **plain)
    assert sum(child.prior for child in quarter.children) == pytest.approx(1.0, abs=1e-5)
    assert min(child.prior for child in quarter.children) >= 0.75 / 7 - 1e-6
    assert {round(child.prior, 5) for child in search(FOUR, START, "puct", **plain).children} == {
        round(1 / 7, 5)
    }


def test_a_player_has_no_root_noise():
    with pytest.raises(BadOptionError, match="noise at the root is for self-play"):
        parse_player("puct:100,noise_fraction=0.25")


@pytest.mark.parametrize("method", ["uct", "rave", "grave", "puct"])
def test_tree_reuse_keeps_the_tree_below_the_moves(method):
    searcher = Searcher(FOUR, method, simulations=2_000, reuse=True)
    line = Play.begin(FOUR)
    run = forest_of(searcher, START, 1, line)
    tree = run.tree
    move = int(tree.first[0] + np.argmax(run.moves().visits))
    reply = int(tree.first[move])
    played = int(tree.action[move]), int(tree.action[reply])
    line = line.play(FOUR, played[0]).play(FOUR, played[1])
    first, count = int(tree.first[reply]), int(tree.num_children[reply])
    before = {
        int(tree.action[node]): (int(tree.visits[node]), float(tree.value[node]))
        for node in range(first, first + count)
    }
    moves = searcher.begin(line.state, 2, line).forest.moves()
    kept = {
        int(a): (int(v), q)
        for a, v, q in zip(moves.actions, moves.visits, moves.values, strict=True)
    }
    assert {a: v for a, (v, _) in kept.items()} == {a: v for a, (v, _) in before.items()}
    assert all(kept[a][1] == pytest.approx(before[a][1]) for a in kept if before[a][0])
    total = sum(visits for visits, _ in before.values())
    assert sum(forest_of(searcher, line.state, 2, line).moves().visits) in (
        total + 2_000,
        total,
    )  # the second if it was proven


@pytest.mark.parametrize(
    ("before", "moves", "win"),
    [
        ("b e f g g a d f d f f c", "d e", "d"),
        ("a a g b e c", "f f", "d"),
        ("d a c f f g c g", "e c", "b"),
    ],
)
def test_tree_reuse_still_sees_a_move_that_wins_at_once(before, moves, win):
    """AMAF values alone need not lead there within 30 simulations."""
    player, line = (
        parse_player("rave:30,reuse=1"),
        Play.begin(FOUR, FOUR.play(START, *before.split())),
    )
    player.think(FOUR, line, 0)
    for move in moves.split():
        line = line.play(FOUR, FOUR.parse_action(line.state, move))
    found = player.think(FOUR, line, 0)
    assert (found.best_move, found.proven) == (win, "win")


def test_tree_reuse_begins_a_new_tree_at_a_position_that_was_not_foreseen():
    searcher, line = Searcher(FOUR, "uct", simulations=300, reuse=True), Play.begin(FOUR)
    forest_of(searcher, START, 1, line)
    for action in range(6):
        line = line.play(FOUR, action)
    assert sum(forest_of(searcher, line.state, 1, line).moves().visits) == 300


def test_tree_reuse_keeps_the_tree_however_many_moves_were_played_since():
    player, line = parse_player("uct:2000,reuse=1"), Play.begin(FOUR)
    for move in player.think(FOUR, line, 1).principal_variation[:4]:
        line = line.play(FOUR, FOUR.parse_action(line.state, move))
    assert sum(player.think(FOUR, line, 2).visits.values()) > 2_000


def test_tree_reuse_of_a_player_is_within_one_game():
    player = parse_player("uct:200,reuse=1")
    first_time = player.think(FOUR, Play.begin(FOUR).play(FOUR, 3).play(FOUR, 3), 5)
    game = Play.begin(FOUR)
    player.choose(FOUR, game, 1)
    other_game = player.think(FOUR, Play.begin(FOUR).play(FOUR, 3).play(FOUR, 3), 5)
    assert other_game.children == first_time.children
    player.choose(FOUR, game, 1)
    same_game = player.think(FOUR, game.play(FOUR, 3).play(FOUR, 3), 5)
    assert sum(child.visits for child in same_game.children) > 200


def test_tree_reuse_saves_work_in_a_game():
    """Both play the same game; with reuse the tree of the later move is larger by what was kept."""
    fresh, reusing = (
        Searcher(FOUR, "uct", simulations=1_000, reuse=reuse) for reuse in (False, True)
    )
    line = Play.begin(FOUR)
    for searcher in (fresh, reusing):
        forest_of(searcher, START, 3, line)
    after = line.play(FOUR, 3).play(FOUR, 3)
    forests = [forest_of(searcher, after.state, 4, after) for searcher in (fresh, reusing)]
    visits = [sum(forest.moves().visits) for forest in forests]
    assert visits[0] < visits[1]


def test_many_positions_may_have_root_noise_of_their_own():
    found = search_many(
        FOUR,
        repeat(FOUR, START, 3),
        "puct",
        simulations=40,
        noise_fraction=0.9,
        evaluator="uniform",
    )
    assert len({policy.tobytes() for policy in found.policies}) == 3
