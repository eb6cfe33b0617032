"""Who plays whom, contests, the gate and the league."""

from functools import partial

import numpy as np
import pytest

from anyzero.core.base.statistics import Tally
from anyzero.core.game.load import load
from anyzero.core.learning.block import Block, anchor_contestant, network_contestant
from anyzero.core.learning.config import (
    BenchmarkConfig,
    GateConfig,
    RunConfig,
    SelfPlayConfig,
    change,
)
from anyzero.core.learning.contests import (
    benchmark,
    contest,
    has_converged,
    open_gate,
    play_anchors,
    rate_generation,
    score_interval,
)
from anyzero.core.learning.games import Manner, Pairings
from anyzero.core.learning.orders import (
    CHAMPION,
    PREVIOUS,
    RECENT,
    Order,
    block_spans,
    lowered_bar,
    make_pairings,
    pairing_shares,
)
from anyzero.core.learning.selfplay import describe_block, play_block, play_random, summary

TOE, EASY = load("tic_tac_toe"), load("take_it_easy")


def first_move(_game, states):
    """Likes the action with the lowest number."""
    return np.tile(-50.0 * np.arange(TOE.num_actions), (len(states), 1)), np.zeros(len(states))


FIRST = network_contestant(
    TOE, "first", first_move, SelfPlayConfig(method="puct", simulations=1), noise=False
)
STRONG, WEAK = anchor_contestant(TOE, "uct:200"), anchor_contestant(TOE, "random")


@pytest.mark.parametrize(
    ("games", "at_once", "sizes"),
    [(10, 10, [10]), (10, 4, [3, 3, 4]), (1, 8, [1]), (256, 128, [128, 128])],
)
def test_blocks_are_about_equal(games, at_once, sizes):
    assert [end - first for first, end in block_spans(games, at_once)] == sizes


def test_the_mean_score_of_a_generation_is_over_games_not_over_blocks():
    blocks = []
    for scores in ([10.0, 20.0, 30.0], [100.0]):
        played = play_random(TOE, len(scores), seed=0, target="interpreted")._replace(
            scores=np.array(scores)
        )
        blocks.append({**describe_block(played), "seconds": 1.0})
    assert summary(blocks)["mean_score"] == 40.0


@pytest.mark.parametrize(
    ("score", "shares"),
    [
        (None, [0.45, 0.45, 0.1]),
        (0.5, [0.45, 0.45, 0.1]),
        (1.0, [0.9, 0.0, 0.1]),
        (0.75, [0.675, 0.225, 0.1]),
    ],
)
def test_the_champion_meets_the_champion_before_it_more_often_the_harder_it_is(score, shares):
    config = SelfPlayConfig(two_champions=True, recent_share=0.1)
    assert pairing_shares(config, score) == pytest.approx(shares)


def test_sides_follow_the_shares_and_both_seats():
    found = make_pairings(TOE, [0.5, 0.25, 0.25], two_champions=True)
    shares = {
        tuple(row): share
        for row, share in zip(found.sides.tolist(), found.shares.tolist(), strict=True)
    }
    assert shares == {
        (CHAMPION, CHAMPION): 0.5,
        **dict.fromkeys([(CHAMPION, PREVIOUS), (PREVIOUS, CHAMPION)], 0.125),
        **dict.fromkeys(
            [(CHAMPION, RECENT), (RECENT, CHAMPION), (PREVIOUS, RECENT), (RECENT, PREVIOUS)], 0.0625
        ),
    }
    alone = make_pairings(TOE, [0.75, 0.0, 0.25], two_champions=False)
    assert alone.sides.tolist() == [[CHAMPION, CHAMPION], [CHAMPION, RECENT], [RECENT, CHAMPION]]


def test_games_are_dealt_to_pairings_by_their_shares():
    """Of 400 games 300 +- 8.7 belong to the first: further off than 60 has a chance under 1e-11."""
    pairings = Pairings(np.array([[0, 0], [0, 1]]), np.array([0.75, 0.25]))
    block = Block(
        TOE, [WEAK, WEAK], pairings, Manner(max_plies=1), games=400, seed=1, target="interpreted"
    )
    played = block.play().sides
    assert abs(int((played == 0).all(axis=1).sum()) - 300) < 60


@pytest.mark.parametrize(
    ("changes", "keyed"),
    [
        ({"replay.merge": False}, True),
        ({"device": "cuda"}, True),
        ({"device": "cuda", "replay.merge": False}, False),
    ],
)
def test_cores_beside_a_gpu_leave_out_the_keys_that_it_leaves_out(changes, keyed):
    """Of samples with and without keys, all of those without would count as one position."""
    order = Order(change(RunConfig(), changes), 1)
    found = play_block(TOE, [anchor_contestant(TOE, "random")], order, 0, 2)
    assert found.samples.keys.any() == keyed


def test_the_resignation_bar_is_lowered_until_resigning_is_rarely_wrong():
    config = SelfPlayConfig(resign_below=-0.8, resign_errors=0.05)
    wrong_early = [(-0.85, True)] * 10 + [(-0.97, False)] * 90
    bar = lowered_bar(config, wrong_early, -0.8)
    assert -0.96 < bar <= -0.85
    assert lowered_bar(config, [(-0.97, False)] * 90, -0.9) == -0.8
    assert lowered_bar(config, wrong_early[:5], -0.8) == -0.8


def test_a_contest_swaps_seats():
    found = contest(TOE, STRONG, WEAK, games=40, seed=1)
    assert found.score > 0.8
    assert [tally.total for tally in found.seats] == [20, 20]


def test_players_without_chance_play_one_game_again_and_again():
    """Each takes the first free cell: the seat that begins gets 0, 2, 4 and 6, and the last three
    are a line.
    """
    found = contest(TOE, FIRST, FIRST, games=8, seed=1, openings=0)
    assert found.same_games == 7
    assert found.low < 0.1 < 0.9 < found.high, "eight copies of one game say no more than it does"
    assert [tally.to_json() for tally in found.seats] == [
        {"wins": 4, "draws": 0, "losses": 0},
        {"wins": 0, "draws": 0, "losses": 4},
    ]


@pytest.mark.parametrize(
    ("tally", "interval"),
    [
        (Tally(wins=40), (1.0, 0.9124, 1.0)),  # 40 / (40 + 1.96 ** 2)
        (Tally(losses=40), (0.0, 0.0, 0.0876)),
        (Tally(draws=40), (0.5, 0.352, 0.648)),
        (Tally(), (0.0, 0.0, 1.0)),
    ],
)
def test_pairs_that_all_end_alike_leave_an_interval_around_the_score(tally, interval):
    found = score_interval(tally, tally.total)
    assert found == pytest.approx(interval, abs=5e-5)


def test_the_gate_promotes_the_stronger_and_keeps_the_weaker_out():
    config = GateConfig(games=40)
    passed, kept_out = (
        open_gate({"champion": contest(TOE, candidate, champion, games=40, seed=2)}, config)
        for candidate, champion in [(STRONG, WEAK), (WEAK, STRONG)]
    )
    assert (passed["promoted"], kept_out["promoted"]) == (True, False)
    assert passed["low"] <= passed["score"] <= passed["high"]


def test_a_gate_of_two_champions_wants_both_beaten():
    contests = {one.name: contest(TOE, STRONG, one, games=40, seed=2) for one in (WEAK, STRONG)}
    verdict = open_gate(contests, GateConfig(games=40))
    assert [entry["score"] > 0.55 for entry in verdict["against"]] == [True, False]
    assert not verdict["promoted"]


def test_ratings_are_on_the_scale_of_the_anchors():
    anchors, meet = [WEAK, STRONG], partial(contest, TOE, games=20, seed=1)
    points = play_anchors(meet, anchors, 20)
    assert points[1][0] > points[0][1]
    found = rate_generation(meet, anchors[1], anchors, points, 20)
    same = found["anchors"]["uct:200"]["elo"]
    assert found["anchors"]["random"]["elo"] == 0.0
    assert found["low"] < same < found["high"]  # it is as strong as itself


def test_the_benchmark_is_on_the_same_deals_however_many_at_once():
    config = BenchmarkConfig(deals=30)
    player = anchor_contestant(EASY, "random")
    assert benchmark(EASY, player, config, 30) == benchmark(EASY, player, config, 7)


def test_training_ends_when_the_benchmark_gains_too_little():
    rising = [100.0, 101, 102, 103, 104, 105, 106, 107, 108, 109]
    assert not has_converged(rising, 1.0)
    assert has_converged(rising, 6.0)
    assert not has_converged(rising[:9], 6.0)
    assert not has_converged([100.0] * 10, 0.0)
