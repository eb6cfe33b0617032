"""Ratings by hand, and a small tournament."""

import math

import numpy as np
import pytest

from anyzero.core.base.errors import BadOptionError, UnknownNameError
from anyzero.core.base.statistics import Interval, fit_ratings
from anyzero.core.game.play import BY_THE_RULES
from anyzero.tools.arena import make_plan, match, tournament
from anyzero.tools.arena.arena import Row, Tournament, judge_tournament
from anyzero.tools.arena.match import MatchResult
from tests.arena.test_arena import QUICK

pytestmark = pytest.mark.usefixtures("games_here")

RATING = ("rating", "rating_low", "rating_high")


def test_two_players_are_as_far_apart_as_their_score_says():
    # 15 of 20, and the imaginary draw: odds of 15.5 to 5.5; information 21 p (1 - p).
    found = fit_ratings([[0, 15], [5, 0]], anchor=1)
    elo = 400 * math.log10(15.5 / 5.5)
    half = 1.959964 * 400 / math.log(10) / math.sqrt(21 * 15.5 / 21 * 5.5 / 21)
    assert found[0] == pytest.approx((elo, elo - half, elo + half))
    assert found[1] == (0.0, 0.0, 0.0)


def test_points_that_fit_the_model_give_its_strengths_back():
    strengths = np.array([1.0, 2.0, 4.0, 10.0])
    points = 30 * strengths[:, None] / (strengths[:, None] + strengths[None, :]) - 0.5
    np.fill_diagonal(points, 0.0)
    for anchor in range(4):
        values = [rating.value for rating in fit_ratings(points.tolist(), anchor)]
        assert values == pytest.approx((400 * np.log10(strengths / strengths[anchor])).tolist())


def test_a_player_who_won_everything_has_a_finite_rating():
    found = fit_ratings([[0, 0, 0], [10, 0, 5], [10, 5, 0]])
    assert found[1].value == pytest.approx(found[2].value)
    assert 0 < found[1].low < found[1].value < found[1].high < 2000


def test_a_rating_of_zero_has_no_minus_sign():
    plan = make_plan("tic_tac_toe", ["random", "uct:10"], games=2)
    row = Row("uct:10", 1, Interval(-7e-15, -280.3, 280.3), 1.0, 2, None)
    assert Tournament(plan, "random", [row], {}).describe(row)[1:3] == ("+0", "-280 to +280")


def test_players_who_did_not_meet_are_still_rated():
    values = [rating.value for rating in fit_ratings([[0, 30, 0], [10, 0, 30], [0, 10, 0]])]
    assert values[0] > values[1] + 100 > values[2] + 200


def test_a_round_robin_ranks_the_players_and_agrees_with_their_matches():
    players = ["random", "uct:100", "uct:5"]
    table = tournament("tic_tac_toe", players, games=12, workers=2, anchor="uct:5")
    found = table.to_json()
    assert [row["player"] for row in found["players"]] == ["uct:100", "uct:5", "random"]
    assert (found["games"], found["anchor"], found["players"][1]["rating"]) == (36, "uct:5", 0.0)
    assert [row["games"] for row in found["players"]] == [24, 24, 24]
    cross = found["cross"]
    assert all(cross[a][b] + cross[b][a] == 1.0 for a in range(3) for b in range(a))
    assert [cross[place][place] for place in range(3)] == [None] * 3
    assert found["players"][0]["points"] == pytest.approx(12 * (cross[0][1] + cross[0][2]))
    alone = match("tic_tac_toe", "random", "uct:100", games=12, workers=1)
    assert alone.tally == table.couples[0, 1].tally
    assert alone.elo == table.couples[0, 1].elo


def test_a_tournament_goes_on_from_its_record(tmp_path):
    path = tmp_path / "games.jsonl"
    players = [*QUICK["players"], "random"]
    whole = tournament("tic_tac_toe", players, games=4, openings=0, record=path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 12
    path.write_bytes(b"".join(lines[:6]) + lines[6][:30])
    again = tournament("tic_tac_toe", players, games=4, openings=0, record=path)
    assert again.to_json() == whole.to_json()
    assert path.read_bytes().startswith(b"".join(lines[:6]))
    assert len(path.read_bytes().splitlines()) == 1 + 12


def test_one_seat_ranks_players_by_mean_scores_and_has_no_ratings():
    found = tournament("take_it_easy", [*QUICK["players"], "random"], games=8, workers=1).to_json()
    assert [row["games"] for row in found["players"]] == [8, 8, 8]
    assert all(
        row["mean_score_low"] <= row["mean_score"] <= row["mean_score_high"]
        for row in found["players"]
    )
    means = [row["mean_score"] for row in found["players"]]
    assert means == sorted(means, reverse=True)
    assert [found["anchor"], *(row[name] for row in found["players"] for name in RATING)] == [
        None
    ] * 10
    with pytest.raises(
        BadOptionError, match="take_it_easy has one seat: there are no ratings, and no anchor"
    ):
        tournament("take_it_easy", ["random", "uct:5"], anchor="random")


def test_a_deal_that_is_played_beside_several_players_counts_once():
    """Scores of 10 and 20 on two deals, whoever else plays them: Student's interval of two values,
    not of four.
    """
    plan = make_plan("take_it_easy", ["random"] * 3, games=4)
    results = {
        match: MatchResult(
            match, ["random"], 0, [], [0.0], [10.0 * (1 + match.pair)], BY_THE_RULES, "", [0.0]
        )
        for match in plan.matches()
    }
    for row in judge_tournament(plan, results).rows:
        assert row.mean_score == pytest.approx((15.0, 15.0 - 12.7062 * 5.0, 15.0 + 12.7062 * 5.0))


def test_one_deal_bounds_no_mean_and_players_of_one_name_each_have_their_row():
    """With one deal the error of a mean is unknown; two entries of one player are two rows, also of
    the picture.
    """
    plan = make_plan("take_it_easy", ["random", "random", "flat:2"], games=2)
    scores = dict(zip(plan.matches(), (10.0, 20.0, 10.0, 30.0, 20.0, 30.0), strict=True))
    results = {
        match: MatchResult(match, ["any"], 0, [], [0.0], [score], BY_THE_RULES, "", [0.0])
        for match, score in scores.items()
    }
    found = judge_tournament(plan, results)
    limits = [
        [row[f"mean_score{end}"] for end in ("", "_low", "_high")]
        for row in found.to_json()["players"]
    ]
    assert limits == [[30.0, None, None], [20.0, None, None], [10.0, None, None]]
    ticks = found.plot().axes[0].get_yticklabels()
    assert [tick.get_text() for tick in ticks] == ["flat:2", "random", "random"]


def test_an_anchor_that_does_not_play_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean uct:5"):
        tournament("tic_tac_toe", ["random", "uct:5"], anchor="uct:6")
