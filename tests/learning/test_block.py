"""Blocks of games: rules kept, samples right, randomness by game, contestants with their seats."""

from itertools import pairwise

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError
from anyzero.core.game.contract import CHANCE
from anyzero.core.game.load import load
from anyzero.core.learning.block import (
    Block,
    anchor_contestant,
    network_contestant,
    self_play_method,
)
from anyzero.core.learning.config import RunConfig, SelfPlayConfig
from anyzero.core.learning.games import Manner, Pairings, surprise_of
from anyzero.core.learning.samples import surprise_weights, take
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.evaluator import NetworkEvaluator
from anyzero.core.nets.models import new_network
from anyzero.core.search.forest import tree_parts
from tests import dice_race

FOUR, EASY, TOE = load("connect_four"), load("take_it_easy"), load("tic_tac_toe")
DICE = dice_race.make()


def scripted(game, value=0.0, *, best=0, method="gumbel", **options):
    """Plays the lowest action (or from `best` on), and says that the first seat stands as well as
    told.
    """

    def evaluate(_game, states):
        seats = np.array([game.seat_to_move(state) for state in states])
        logits = -50.0 * ((np.arange(game.num_actions) - best) % game.num_actions)
        return np.tile(logits, (len(states), 1)), np.where(seats == 1, -value, value)

    config = SelfPlayConfig(method=method, simulations=options.pop("simulations", 1), **options)
    return network_contestant(game, "scripted", evaluate, config, noise=False)


def anyone(game):
    return anchor_contestant(game, "random")


def play(
    game, contestants, num=6, *, sides=None, seed=3, target="interpreted", bar=-1.0, **options
):
    pairings = Pairings(
        np.zeros((1, game.num_seats), np.int64) if sides is None else sides, np.zeros(1)
    )
    split = {
        name: options.pop(name)
        for name in ("first", "at_once", "threads", "starts")
        if name in options
    }
    pairings = pairings._replace(shares=np.zeros(len(pairings.sides)))
    block = Block(
        game,
        contestants,
        pairings,
        Manner(**options),
        games=num,
        seed=seed,
        target=target,
        resign_below=bar,
        **split,
    )
    return block.play()


def replay(game, line):
    state = game.initial_state()
    for action in line.actions:
        state = game.play(state, action)
    return state


@pytest.mark.parametrize("game", [FOUR, EASY], ids=lambda game: game.name)
def test_every_game_is_legal_and_ends_as_it_says(game):
    result = play(game, [anyone(game)], 12)
    for row, line in enumerate(result.games):
        state = replay(game, line)
        assert game.is_over(state)
        assert line.payoffs == game.payoffs(state).tolist() == result.payoffs[row].tolist()
    if game is EASY:
        assert result.scores.tolist() == [
            game.score(replay(game, line), 0) for line in result.games
        ]


def test_a_game_does_not_depend_on_the_games_beside_it():
    among = play(FOUR, [anyone(FOUR)], 6)
    assert play(FOUR, [anyone(FOUR)], 1, first=4).games[0] == among.games[4]
    assert play(FOUR, [anyone(FOUR)], 6, at_once=2).games == among.games
    assert len({tuple(line.actions) for line in among.games}) == 6


def test_threads_change_nothing_and_compiled_games_are_those_of_the_plain_functions():
    """Two networks and an anchor in one block; every answer comes from its own network."""
    networks = [new_network(TOE, parse_network("1x16"), seed) for seed in (1, 2)]
    config, found = SelfPlayConfig(simulations=4), []
    for threads, target in ((1, "cpu"), (2, "cpu"), (1, "interpreted")):
        evaluators = [NetworkEvaluator(TOE, one, threads=threads) for one in networks]
        players = [
            network_contestant(TOE, str(n), one, config, noise=True)
            for n, one in enumerate(evaluators)
        ]
        players.append(anchor_contestant(TOE, "uct:9"))
        sides = np.array([[0, 1], [1, 2], [2, 0]])
        found.append(
            play(TOE, players, 12, sides=sides, target=target, keep_samples=1, most_opening=2)
        )
    for other in found[1:]:
        assert other.games == found[0].games
        assert other.samples.values == pytest.approx(found[0].samples.values, abs=1e-5)
    for one, other in zip(found[0].samples, found[1].samples, strict=True):
        assert one.tobytes() == other.tobytes()
    assert len({tuple(line.actions) for line in found[0].games}) > 3
    assert {tuple(line.names) for line in found[0].games} == {
        ("0", "1"),
        ("1", "uct:9"),
        ("uct:9", "0"),
    }


@pytest.mark.parametrize(
    ("num", "most", "bounds"),
    [(5, 32, [0, 2, 5]), (1, 8, [0, 1]), (130, 32, [0, 21, 43, 65, 86, 108, 130])],
)
def test_parts_follow_from_the_number_of_slots_alone(num, most, bounds):
    assert tree_parts(num, most) == list(pairwise(bounds))


def test_samples_are_the_positions_of_the_games_with_the_result_of_the_seat_to_move():
    result = play(FOUR, [anyone(FOUR)], 4, keep_samples=1)
    samples, row = result.samples, 0
    for line in result.games:
        state = FOUR.initial_state()
        for ply, action in enumerate(line.actions):
            seat, legal = FOUR.seat_to_move(state), FOUR.legal_actions(state)
            assert samples.states[row] == state
            assert samples.payoffs[row] == line.payoffs[seat]
            assert (samples.plies[row], samples.lengths[row]) == (ply, len(line.actions))
            assert samples.actions[row].tolist() == sorted(legal) + [-1] * (7 - len(legal))
            assert samples.policies[row][: len(legal)] == pytest.approx(1 / len(legal), abs=1e-3)
            state, row = FOUR.play(state, action), row + 1
    assert row == samples.num


def test_the_policy_of_a_sample_is_that_of_its_search():
    samples = play(FOUR, [scripted(FOUR)], 1, keep_samples=1, max_plies=5).samples
    assert samples.policies[:, 0].tolist() == [1.0] * 5
    assert samples.policy_weights.tolist() == [1.0] * 5


def test_equal_inputs_have_equal_keys_and_others_do_not():
    samples = play(FOUR, [anyone(FOUR)], 20, keep_samples=1).samples
    inputs = [FOUR.encode(state).tobytes() for state in samples.states]
    assert len(set(inputs)) == len(set(samples.keys.tolist())) < samples.num


def test_afterstates_are_samples_of_a_value_alone():
    """Take It Easy: 19 draws and 19 moves; before a draw the value is that of the position after
    it.
    """
    result = play(EASY, [scripted(EASY, 0.25)], 2, keep_samples=1)
    samples = take(result.samples, slice(0, 38))
    is_chance = [EASY.seat_to_move(state) == CHANCE for state in samples.states]
    assert is_chance == [True, False] * 19
    assert samples.policy_weights.tolist() == [0.0, 1.0] * 19
    assert samples.values[0::2].tolist() == samples.values[1::2].tolist()
    assert set(samples.values[:34].tolist()) == {0.25}
    assert set(samples.payoffs.tolist()) == {np.float32(result.payoffs[0, 0])}


def test_the_same_number_has_the_same_deal():
    one, two = play(EASY, [scripted(EASY)], 3), play(EASY, [anyone(EASY)], 3)
    for first, second in zip(one.games, two.games, strict=True):
        assert first.actions[0::2] == second.actions[0::2]
        assert first.actions[1::2] != second.actions[1::2]


def test_openings_are_random_and_no_samples():
    result = play(
        FOUR, [scripted(FOUR)], 40, keep_samples=1, least_opening=3, most_opening=3, max_plies=5
    )
    assert min(result.samples.plies) == 3
    assert len({tuple(line.actions[:3]) for line in result.games}) > 20


def test_games_of_a_pair_have_one_opening_and_the_seats_swapped():
    players = [scripted(FOUR, best=0), scripted(FOUR, best=3)]
    lines = play(
        FOUR,
        players,
        8,
        sides=np.array([[0, 1], [1, 0]]),
        least_opening=4,
        most_opening=4,
        max_plies=6,
    ).games
    for one, other in zip(lines[0::2], lines[1::2], strict=True):
        assert one.actions[:4] == other.actions[:4]
        assert (one.actions[4:], other.actions[4:]) == ([0, 3], [3, 0])


def test_an_opening_that_leaves_nothing_to_play_is_left_out():
    result = play(TOE, [scripted(TOE)], 6, least_opening=9, most_opening=9, keep_samples=1)
    assert [line.actions for line in result.games] == [[0, 1, 2, 3, 4, 5, 6]] * 6
    assert min(result.samples.plies) == 0


def test_games_begin_at_their_starts_in_turn():
    starts = FOUR.new_states(2)
    starts[0], starts[1] = FOUR.initial_state(), FOUR.play(FOUR.initial_state(), 6)
    lines = play(FOUR, [scripted(FOUR)], 4, starts=starts, max_plies=3).games
    assert [line.start for line in lines] == [0, 1, 0, 1]


def test_a_seat_that_is_sure_to_lose_resigns_at_its_second_low_value():
    result = play(FOUR, [scripted(FOUR, -0.9)], 4, bar=-0.8, keep_samples=1)
    assert [line.end for line in result.games] == ["resign"] * 4
    assert [len(line.actions) for line in result.games] == [
        2
    ] * 4  # each seat has moved once; then the first gives up
    assert result.payoffs.tolist() == [[-1.0, 1.0]] * 4
    assert result.samples.payoffs.tolist() == [-1.0, 1.0, -1.0] * 4


def test_games_that_check_resignation_are_played_on_and_say_whether_it_was_wrong():
    """Both seats fill the columns from the left; the first one never believes that it may win."""
    result = play(FOUR, [scripted(FOUR, -0.9, simulations=1)], 2, bar=-0.8, resign_checked=1.0)
    assert [line.end for line in result.games] == ["rules"] * 2
    assert [low for low, _ in result.resign_checks[0::2]] == pytest.approx([-0.9] * 2)
    assert [wrong for _, wrong in result.resign_checks] == [
        payoff > -1.0 for payoff in result.payoffs.ravel()
    ]


def test_a_single_low_value_is_no_reason_for_resignation_and_no_wrong_one_either():
    """The first seat fears for its game at its second move alone."""

    def evaluate(_game, states):
        stones = np.array([FOUR.encode(state)[:2].sum() for state in states])
        return np.zeros((len(states), FOUR.num_actions)), np.where(
            stones == 2, -0.9, np.where(stones == 3, 0.9, 0.0)
        )

    config = SelfPlayConfig(simulations=1)
    fearful = network_contestant(FOUR, "fearful", evaluate, config, noise=False)
    assert {line.end for line in play(FOUR, [fearful], 2, bar=-0.8).games} == {"rules"}
    checks = play(FOUR, [fearful], 2, bar=-0.8, resign_checked=1.0).resign_checks
    assert [lowest for lowest, _ in checks] == [0.0] * 4


def test_games_that_are_too_long_are_cut_off_and_teach_what_searches_said_of_them():
    result = play(FOUR, [scripted(FOUR, 0.25)], 2, max_plies=5, keep_samples=1)
    assert [(line.end, len(line.actions), line.payoffs) for line in result.games] == [
        ("plies", 5, [0.0, 0.0])
    ] * 2
    assert result.samples.payoffs.tolist() == [0.25, -0.25, 0.25, -0.25, 0.25] * 2
    assert (
        play(
            FOUR, [scripted(FOUR, -0.9)], 2, max_plies=5, bar=-0.8, resign_checked=1.0
        ).resign_checks
        == []
    )


def test_a_td_lambda_trace_takes_the_values_of_later_positions_back_to_earlier_ones():
    """Tic-tac-toe from the first cell on: the first seat wins at ply 7, and no search knows before
    the last plies.
    """
    plain, half, whole = (
        play(TOE, [scripted(TOE)], 1, keep_samples=1, trace=trace).samples
        for trace in (0.0, 0.5, 1.0)
    )
    assert plain.values[:4].tolist() == [0.0] * 4
    assert whole.values.tolist() == whole.payoffs.tolist() == [1.0, -1.0] * 3 + [1.0]
    assert half.values[6] == (plain.values[6] + 1.0) / 2
    assert half.values[:4].tolist() == [(-half.values[ply + 1]) / 2 for ply in range(4)]
    cut_off = play(FOUR, [scripted(FOUR, 0.25)], 1, max_plies=5, keep_samples=1, trace=0.5).samples
    assert cut_off.values.tolist() == cut_off.payoffs.tolist() == [0.25, -0.25, 0.25, -0.25, 0.25]


def test_policy_surprise_is_the_divergence_from_the_priors_and_half_of_the_weight():
    """(ln 2 + ln 2/3) / 2; a mean surprise of 2, so that 1 weighs 0.5 + 0.25; a value alone always
    weighs 1.
    """
    assert surprise_of(np.array([0.5, 0.5]), np.array([0.25, 0.75])) == pytest.approx(0.143841)
    assert surprise_of(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 0.0
    columns = np.array([1.0, 1.0, 0.0]), np.array([1.0, 3.0, 9.0])  # policy weights, surprises
    assert surprise_weights(*columns, 0.5).tolist() == [0.75, 1.25, 1.0]
    assert surprise_weights(*columns, 0.0).tolist() == [1.0, 1.0, 1.0]
    assert surprise_weights(np.ones(1), np.zeros(1), 0.5).tolist() == [1.0]


def test_samples_weigh_by_policy_surprise_over_a_whole_block():
    result = play(FOUR, [scripted(FOUR, simulations=16, best=3)], 1, keep_samples=1)
    assert (result.samples.weights == 1.0).all()  # outside a run
    weights = surprise_weights(result.samples.policy_weights, result.surprises, 0.5)
    assert weights.mean() == pytest.approx(1.0, abs=1e-5)
    assert weights.min() == pytest.approx(0.5, abs=1e-3) != weights.max()


@pytest.mark.parametrize("most", [0, 5])  # to the end, and cut off before a draw
def test_a_value_before_a_draw_is_for_the_first_seat_whoever_moves_next(most):
    samples = play(DICE, [scripted(DICE, 0.5)], 3, max_plies=most, keep_samples=1).samples
    before_draws = np.flatnonzero([DICE.seat_to_move(state) == CHANCE for state in samples.states])
    assert len(before_draws) > 3
    for row in before_draws:
        sign = 1.0 if DICE.seat_to_move(samples.states[row + 1]) == 0 else -1.0
        assert samples.values[row] == sign * samples.values[row + 1]
    assert set(samples.plies[before_draws].tolist()) >= {0, 2}
    assert samples.plies.max() == (3 if most else samples.lengths.max() - 1)


def test_draws_within_the_opening_are_no_samples():
    samples = play(
        DICE, [scripted(DICE)], 4, least_opening=3, most_opening=3, keep_samples=1
    ).samples
    assert samples.plies.min() == 3


def noisy(simulations=2):
    def evaluate(_game, states):
        return np.zeros((len(states), 7)), np.zeros(len(states))

    return network_contestant(
        FOUR, "noisy", evaluate, SelfPlayConfig(simulations=simulations), noise=True
    )


def test_gumbels_noise_ends_with_the_plies_in_which_moves_are_drawn():
    """With noise, equal priors and values give different moves; without it, one for all."""
    lines = play(FOUR, [noisy()], 40, temperature_plies=1, max_plies=2).games
    assert (
        len({line.actions[0] for line in lines}) > 3
    )  # 40 draws of seven give at most three: below 1e-12
    assert len({line.actions[1] for line in lines}) == 1


def test_moves_of_self_play_are_drawn_by_visits_and_temperature():
    """PUCT with two simulations visits one move twice or two once: at temperature 1 both are
    played, late only one.
    """
    config = SelfPlayConfig(method="puct", simulations=8, noise_fraction=0.0)
    player = network_contestant(FOUR, "even", noisy().evaluator, config, noise=True)
    drawn, late = (
        {
            line.actions[0]
            for line in play(
                FOUR, [player], 30, max_plies=1, temperature=1.0, temperature_plies=plies
            ).games
        }
        for plies in (1, 0)
    )
    assert len(late) == 1
    assert len(drawn) > 3


def visits_by_ply(reuse):
    """The sums of visits at the root of each search of one game, seen by what a second search
    begins with.
    """
    player = scripted(FOUR, method="puct", simulations=20)
    sides = Pairings(np.zeros((1, 2), np.int64), np.zeros(1))
    block = Block(
        FOUR,
        [player],
        sides,
        Manner(reuse=reuse, max_plies=2),
        games=1,
        seed=1,
        target="interpreted",
    )
    block.play()
    tree = block.searches[0].tree
    return int(tree.visits[tree.first[0] : tree.first[0] + tree.num_children[0]].sum())


def test_tree_reuse_in_self_play_keeps_what_is_below_the_move():
    assert visits_by_ply(0) == 20
    assert (
        visits_by_ply(1) > 30
    )  # almost all of the first search was below the one move that the priors allow


def test_self_play_has_noise_and_matches_have_none():
    puct = SelfPlayConfig(method="puct")
    assert self_play_method(puct).settings.noise_fraction == 0.25
    assert self_play_method(puct, noise=False).settings.noise_fraction == 0.0
    assert self_play_method(SelfPlayConfig()).settings.gumbel_scale == 1.0
    assert self_play_method(SelfPlayConfig(), noise=False).settings.gumbel_scale == 0.0


def test_an_anchor_has_as_many_simulations_as_its_text_says():
    assert anchor_contestant(FOUR, "uct:70").simulations == 70
    with pytest.raises(BadOptionError, match="an anchor has a number of simulations"):
        anchor_contestant(FOUR, "uct:1s")


def test_gumbel_has_no_tree_reuse():
    with pytest.raises(BadOptionError, match=r"selfplay\.reuse is for puct"):
        RunConfig(selfplay=SelfPlayConfig(reuse=True))


def test_what_goes_wrong_in_a_network_ends_the_block():
    def broken(_game, states):
        raise ValueError("no answer")

    player = network_contestant(FOUR, "broken", broken, SelfPlayConfig(simulations=1), noise=False)
    with pytest.raises(ValueError, match="no answer"):
        play(FOUR, [player], 2)
