"""Many trees at once, and evaluators outside the search."""

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.core.game.load import load
from anyzero.core.search import search_many
from anyzero.core.search.forest import Forest
from anyzero.core.search.methods import METHODS, find_method
from anyzero.core.search.report import value_share
from anyzero.core.search.search import Searcher, adapt
from anyzero.core.search.tree import DRAW, LOSS, UNKNOWN, WIN
from anyzero.tools.search import search
from tests.search.stubs import first_seat_wins, forest_of, no_opinion, prefer, repeat

FOUR = load("connect_four")
START = FOUR.initial_state()


@pytest.mark.parametrize("method", ["puct", "gumbel"])
@pytest.mark.parametrize("evaluator", ["uniform", "rollout", no_opinion])
def test_threads_change_nothing(method, evaluator):
    states = repeat(FOUR, START, 5)
    one, three = (
        search_many(
            FOUR, states, method, simulations=20, seed=3, evaluator=evaluator, threads=threads
        )
        for threads in (1, 3)
    )
    assert one.actions.tolist() == three.actions.tolist()
    assert one.policies.tobytes() == three.policies.tobytes()
    assert one.simulations == three.simulations == 100


def test_a_tree_does_not_depend_on_the_others():
    """Tree number 1 of two positions is tree number 1 of five."""
    few = search_many(
        FOUR, repeat(FOUR, START, 2), "puct", simulations=30, evaluator="rollout", seed=9
    )
    many = search_many(
        FOUR, repeat(FOUR, START, 5), "puct", simulations=30, evaluator="rollout", seed=9
    )
    assert few.policies[1].tolist() == many.policies[1].tolist()
    assert few.policies[0].tolist() != few.policies[1].tolist()


@pytest.mark.parametrize("method", ["puct", "gumbel"])
def test_a_value_is_for_the_seat_to_move(method):
    """The trap: a value seen from the wrong seat. Here the first seat wins whatever is asked."""
    second = FOUR.play(START, "a")
    states = FOUR.new_states(2)
    states[0], states[1] = START, second
    found = search_many(FOUR, states, method, simulations=16, evaluator=first_seat_wins)
    assert found.values.tolist() == [1.0, -1.0]
    result = search(FOUR, second, method, simulations=16, evaluator=first_seat_wins)
    assert {child.value for child in result.children if child.visits} == {-1.0}


def test_the_evaluator_is_asked_once_for_each_leaf():
    asked = []

    def count(game, states):
        asked.append(len(states))
        return no_opinion(game, states)

    search_many(FOUR, repeat(FOUR, START, 6), "puct", simulations=10, evaluator=count)
    assert asked == [6] * 11  # the root's own evaluation comes first


def test_a_leaf_is_expanded_at_the_visit_that_makes_it_due_with_an_evaluator_too():
    searcher = Searcher(FOUR, "puct", simulations=18, evaluator=no_opinion, expand_after=3)
    tree = forest_of(searcher, START, seed=1).tree
    visits, inner = tree.visits[1 : tree.nodes()], tree.num_children[1 : tree.nodes()] > 0
    assert (max(visits[~inner]), min(visits[inner])) == (2, 3)


def test_illegal_actions_get_nothing_however_high_their_logits():
    state = START
    for _ in range(6):
        state = FOUR.play(state, "a")
    found = search_many(
        FOUR,
        repeat(FOUR, state, 1),
        "puct",
        simulations=40,
        evaluator=prefer([50, 0, 0, 0, 0, 0, 0]),
    )
    assert found.policies[0, 0] == 0.0
    assert found.policies.sum() == pytest.approx(1.0)


def test_priors_are_the_softmax_of_the_logits_of_legal_actions():
    logits = np.log([1, 2, 3, 4, 5, 6, 7])
    result = search(FOUR, START, "puct", simulations=5, evaluator=prefer(logits))
    found = {child.action: child.prior for child in result.children}
    assert found == pytest.approx({action: (action + 1) / 28 for action in range(7)}, abs=1e-6)


def test_puct_visits_by_prior_when_nothing_is_known():
    """All values are 0, so the visits follow the priors: 7/28 of 2,800 visits for the last
    column.
    """
    result = search(
        FOUR,
        START,
        "puct",
        simulations=2_800,
        evaluator=prefer(np.log([1, 2, 3, 4, 5, 6, 7])),
        first_play=0,
    )
    visits = {child.action: child.visits for child in result.children}
    assert all(abs(visits[action] - 100 * (action + 1)) <= 20 for action in range(7))


def test_values_may_be_given_for_each_seat():
    def evaluate(game, states):
        return no_opinion(game, states)[0], np.tile(np.float32([0.25, -0.25]), (len(states), 1))

    found = search_many(
        FOUR, repeat(FOUR, FOUR.play(START, "d"), 1), "puct", simulations=9, evaluator=evaluate
    )
    assert found.values.tolist() == [-0.25]


def test_an_evaluator_searches_a_game_with_chance():
    """Take It Easy: afterstates are evaluated too, when it is chance's turn."""
    game = load("take_it_easy")
    seats = set()

    def evaluate(game, states):
        seats.update(game.seat_to_move(state) for state in states)
        return no_opinion(game, states)

    state = game.play(game.initial_state(), 5)
    found = search_many(
        game,
        repeat(game, state, 2),
        "puct",
        simulations=60,
        evaluator=evaluate,
        target="interpreted",
    )
    assert seats == {0, -1}
    assert found.policies.shape == (2, 19)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda n: (np.zeros((n, 3)), np.zeros(n)), "logits have the shape"),
        (lambda n: (np.zeros((n, 7)), np.zeros((n, 5))), "values have the shape"),
        (lambda n: (np.zeros((n, 7)), np.full(n, np.nan)), "not finite"),
        (lambda n: (np.full((n, 7), np.nan), np.zeros(n)), "not finite"),
    ],
)
def test_a_wrong_answer_of_an_evaluator_gets_one_sentence(answer, says):
    with pytest.raises(BadOptionError, match=says):
        search(
            FOUR, START, "puct", simulations=5, evaluator=lambda game, states: answer(len(states))
        )


@pytest.mark.parametrize(
    ("method", "options", "error", "says"),
    [
        ("rave", {"evaluator": "uniform"}, BadOptionError, "AMAF needs"),
        ("uct", {"evaluator": "unifrom"}, UnknownNameError, "did you mean uniform"),
        ("uct", {"evaluator": "guided"}, BadOptionError, "no guided rollouts"),
        ("halving", {"evaluator": no_opinion}, BadOptionError, "tree methods"),
        ("uct", {"trees": 0}, BadOptionError, "trees"),
        ("uct", {"temperature": -1.0}, BadOptionError, "temperature"),
        ("puct", {"noise_fraction": 1.5}, BadOptionError, "a share from 0 to 1"),
        ("halving", {"reuse": True}, BadOptionError, "cannot be reused"),
        ("shuss", {"trees": 2}, BadOptionError, "has one tree"),
    ],
)
def test_options_that_do_not_go_together_get_one_sentence(method, options, error, says):
    with pytest.raises(error, match=says):
        Searcher(FOUR, method, simulations=5, **options)


@pytest.mark.parametrize("method", ["uct", "puct", "gumbel"])
def test_an_evaluator_may_search_one_move_deep(method):
    """After a move of the first seat the evaluator says that it has won: every move is worth 1."""
    result = search(FOUR, START, method, simulations=30, evaluator=first_seat_wins, max_depth=1)
    assert (result.nodes, result.depth, result.simulations) == (8, 1, 30)
    assert [child.value for child in result.children] == [1.0] * 7


def test_finished_positions_cannot_be_searched():
    state = START
    for move in "abababa":
        state = FOUR.play(state, move)
    with pytest.raises(AnyzeroError, match="nothing to search"):
        search_many(FOUR, repeat(FOUR, state, 2), simulations=3)


def test_root_parallel_trees_share_the_budget_and_are_merged():
    result = search(FOUR, START, "uct", simulations=4_000, trees=4, seed=2)
    assert result.simulations == sum(result.visits.values()) == 4_000
    assert result.best_move == "d"
    assert (
        result.children == search(FOUR, START, "uct", simulations=4_000, trees=4, seed=2).children
    )


@pytest.mark.parametrize("evaluator", ["rollout", no_opinion])
@pytest.mark.parametrize("method", ["puct", "gumbel"])
def test_what_does_not_divide_goes_to_the_first_trees(method, evaluator):
    """20 simulations of 8 trees: three for each of the first four, two for the others."""
    searcher = Searcher(FOUR, method, simulations=20, trees=8, evaluator=evaluator)
    run = forest_of(searcher, START, 1)
    assert run.scratch.counters[:, 0].tolist() == [3, 3, 3, 3, 2, 2, 2, 2]
    result = searcher.search(START, 1)
    assert result.simulations == sum(result.visits.values()) == 20


def test_there_are_no_more_trees_than_simulations():
    result = search(FOUR, START, "uct", simulations=4, trees=8, seed=1)
    assert result.simulations == sum(result.visits.values()) == 4


def test_each_tree_needs_room_for_its_root_and_every_move():
    """Seven moves and the root are eight nodes; fifteen are less than that for each of two
    trees.
    """
    with pytest.raises(
        BadOptionError, match="leaves 7 nodes for a tree, and this position needs 8"
    ):
        search(FOUR, START, simulations=20, trees=2, max_nodes=15)
    with pytest.raises(
        BadOptionError, match="leaves 7 nodes for a tree, and this position needs 8"
    ):
        search_many(FOUR, repeat(FOUR, START, 2), simulations=20, max_nodes=7)
    assert search_many(FOUR, repeat(FOUR, START, 2), simulations=20, max_nodes=8).simulations == 40


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"simulations": 2.5}, "simulations needs a whole number"),
        ({"max_nodes": 0}, "too few for a root and a move"),
        ({"max_nodes": 9.5}, "max_nodes needs a whole number"),
        ({"game": "connect_four"}, "needs a Game"),
    ],
)
def test_wrong_numbers_for_many_positions_get_one_sentence(changes, says):
    with pytest.raises(BadOptionError, match=says):
        search_many(**{"game": FOUR, "states": repeat(FOUR, START, 2), "simulations": 5, **changes})


def test_a_temperature_draws_the_move_by_visits():
    """At 1 the first moves differ; towards 0 the most visited one is played."""
    drawn = {
        search(FOUR, START, "uct", simulations=50, temperature=1.0, seed=seed).best_move
        for seed in range(40)
    }
    assert len(drawn) >= 4
    cold = [
        search(FOUR, START, "uct", simulations=500, temperature=0.01, seed=seed)
        for seed in range(5)
    ]
    assert all(result.visits[result.best_move] == max(result.visits.values()) for result in cold)


@pytest.mark.parametrize("method", ["flat", "expectimax"])
def test_a_temperature_draws_by_value_where_the_final_move_is_chosen_by_value(method):
    """However equal the numbers of simulations are: one move wins, one draws, and three lose."""
    game = load("tic_tac_toe")
    state = game.parse_state("3/oo1/xx1 x")
    cold, hot = (
        Searcher(game, method, simulations=100, temperature=temperature)
        for temperature in (0.01, 9.0)
    )
    assert {game.format_action(state, cold.choose(state, seed)) for seed in range(20)} == {"c1"}
    assert len({hot.choose(state, seed) for seed in range(40)}) == 5


def test_the_share_of_a_move_drawn_by_value_is_the_exponential_of_what_is_known_of_it():
    """exp(0.5) = 1.6487, and e, 1 and 1/e for proofs, whatever the mean; nothing for a move that
    nobody tried.
    """
    assert value_share(3, 0.5, UNKNOWN) == pytest.approx(1.6487, abs=1e-4)
    proofs = [value_share(visits, 0.5, proof) for visits, proof in ((0, WIN), (2, DRAW), (0, LOSS))]
    assert proofs == pytest.approx([2.7183, 1.0, 0.3679], abs=1e-4)
    assert value_share(0, 0.5, UNKNOWN) == value_share(0, float("nan"), UNKNOWN) == 0.0


def test_a_proven_root_has_an_exact_value_and_the_policy_of_a_win():
    """The first seat has three in a row with an open end: d wins at once, and nothing else does."""
    state = START
    for move in ("a", "a", "b", "b", "c", "c"):
        state = FOUR.play(state, move)
    found = search_many(FOUR, repeat(FOUR, state, 1), "puct", simulations=50, evaluator=no_opinion)
    assert found.values.tolist() == [1.0]
    assert found.policies[0].tolist() == pytest.approx([0, 0, 0, 1, 0, 0, 0])


def test_a_root_that_is_lost_before_the_first_simulation_has_the_policy_of_its_priors():
    game = load("tic_tac_toe")
    lost = game.parse_state("o2/xx1/xo1 o")  # two threats
    found = search_many(game, [lost], "puct", simulations=9, evaluator=no_opinion, look_ahead=100)
    assert (found.simulations, found.values.tolist()) == (0, [-1.0])
    assert sorted(found.policies[0].tolist()) == [0.0] * 5 + [0.25] * 4


def test_moves_may_be_chosen_by_value_and_log_visits():
    """A move with a value 0.9 higher wins over one with twice the visits: log 2 is 0.69."""
    run = Forest(
        FOUR, adapt(FOUR, find_method("puct", {"log_visits": 1}), "uniform"), room=64, simulations=1
    )
    run.seed(1)
    run.plant(repeat(FOUR, START, 1))
    run.grow(1)
    first, actions = int(run.tree.first[0]), run.moves().actions
    run.tree.visits[first : first + 7] = [20, 10, 1, 1, 1, 1, 1]
    run.tree.value[first : first + 7] = [0.0, 0.9, 0, 0, 0, 0, 0]
    assert run.policies()[0][0] == actions[1]


@pytest.mark.parametrize("method", METHODS)
def test_the_options_that_a_method_is_said_to_take_are_taken_and_the_others_are_not(method):
    values = {
        "final": None,
        "evaluator": "uniform",
        "max_nodes": 50,
        "trees": 2,
        "reuse": True,
        "temperature": 0.5,
    }
    said = METHODS[method].search_options
    for option, value in values.items():
        if option in said:
            Searcher(FOUR, method, simulations=5, **{option: value})
        else:
            with pytest.raises(BadOptionError):
                Searcher(FOUR, method, simulations=5, **{option: value})
