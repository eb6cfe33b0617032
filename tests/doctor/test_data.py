"""Checks of games, samples and reports: cases made of parts, each with one fault."""

from functools import partial
from math import comb
from unittest.mock import MagicMock

import numpy as np
import pytest

from anyzero.core.learning.block import Block, network_contestant, self_play_method
from anyzero.core.learning.config import RunConfig, SelfPlayConfig
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.orders import Order
from anyzero.core.learning.samples import load_shard, save_shard
from anyzero.core.learning.selfplay import play_block
from anyzero.tools.doctor import data
from anyzero.tools.doctor.case import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.tools.doctor.data import (
    check_input,
    check_laws,
    check_noise,
    check_outcomes,
    check_results,
    check_unique,
)
from anyzero.tools.doctor.reports import check_gate, check_losses, pass_chance
from tests.doctor.nim import STONES
from tests.doctor.runs import case_of, nim_case, play_line, write_lines


def says(finding):
    return finding.verdict, finding.conclusion


# --- a game before it is learnt


def test_a_broken_law_is_named():
    found = check_laws(nim_case("overpaid"))
    assert found.verdict == WRONG
    assert found.conclusion.startswith("1 of ")
    assert "payoffs are fair" in found.seen
    assert "anyzero check" in found.advice


def test_positions_with_one_input_and_different_moves_are_found():
    assert says(check_input(nim_case("blind"))) == (
        WRONG,
        "positions with different moves have the same input",
    )
    sound = nim_case()
    assert (
        len(np.unique(sound.random.samples.keys)) < sound.random.samples.num
    )  # equal positions are not confused
    assert check_input(sound).verdict == WELL


@pytest.mark.parametrize(
    ("fault", "changes", "verdict", "conclusion"),
    [
        ("none", {}, WELL, "both sides win"),
        ("draws", {}, WRONG, "nearly all games are draws, so values cannot be learnt"),
        ("first", {}, WRONG, "the first seat always wins, so values cannot be learnt"),
        (
            "none",
            {"selfplay.max_plies": 3},
            DOUBTFUL,
            "games end at the ply limit without a winner",
        ),
    ],
)
def test_random_games_must_end_in_different_ways(fault, changes, verdict, conclusion):
    assert says(check_outcomes(nim_case(fault, changes))) == (verdict, conclusion)


def test_one_seat_must_be_paid_differently_for_different_games():
    case = nim_case()
    case.random.payoffs[:] = case.random.payoffs[:, :1]
    object.__setattr__(case.game, "num_seats", 1)
    assert check_outcomes(case).verdict == WELL
    case.random.payoffs[:] = 0.25
    assert says(check_outcomes(case)) == (WRONG, "all games have the same payoff")


# --- samples and their games


@pytest.fixture
def case(tmp_path):
    """A folder with one block of random games of nim: its samples and its lines."""
    case = nim_case()
    return written_case(tmp_path / "run", case, case.random)


def written_case(path, case, block):
    folder = RunFolder.create(path, case.config)
    write_lines(
        folder.games_path(1, 0), [{"generation": 1, **line._asdict()} for line in block.games]
    )
    save_shard(folder.samples_path(1, 0), case.game, block.samples)
    return case_of(folder)


def gloomy(_game, states):
    """Every move is as good as another, and the first seat stands badly from its second move on."""
    worth = np.where(states["left"] < STONES, 0.9, 0.0)
    return np.zeros((len(states), 3)), np.where(states["mover"] == 0, -worth, worth)


def unfinished_case(path, resign_below=-1.0, **settings):
    """A run of nim whose games are given up or cut off, all or some of them."""
    case, config = nim_case(), SelfPlayConfig(simulations=1, **settings)
    players = [network_contestant(case.game, "gloomy", gloomy, config, noise=True)]
    with pytest.MonkeyPatch.context() as patch:  # nim is compiled for nothing else
        patch.setattr("anyzero.core.learning.selfplay.Block", partial(Block, target="interpreted"))
        order = Order(RunConfig(seed=1, selfplay=config), 1, resign_below=resign_below)
        block = play_block(case.game, players, order, 0, 32)
    return written_case(path, case, block), {line.end for line in block.games}


def rewrite(case, **columns):
    """The same samples with other columns."""
    path = case.folder.samples_path(1, 0)
    samples = load_shard(path, case.game)
    save_shard(
        path,
        case.game,
        samples._replace(**{name: change(samples) for name, change in columns.items()}),
    )


def flip(case):
    rewrite(case, payoffs=lambda samples: -samples.payoffs)


FLIPPED = (WRONG, "the results in the samples have the wrong sign")


def test_samples_must_have_the_results_of_their_games(case):
    found = check_results(case)
    assert found.verdict == WELL
    assert f"{case.random.samples.num} samples of {len(case.random.games)} games" in found.seen
    flip(case)
    found = check_results(case)
    assert says(found) == FLIPPED
    assert "seat to move" in found.advice
    rewrite(case, payoffs=lambda samples: samples.payoffs * 0.5)
    assert says(check_results(case)) == (WRONG, "samples do not have the results of their games")


def test_samples_of_no_game_are_wrong(case):
    rewrite(case, plies=lambda samples: samples.plies + np.int16(1))
    found = check_results(case)
    assert found.verdict == WRONG
    assert f"{case.random.samples.num} belong to no game" in found.seen


def test_results_of_random_games_for_the_wrong_seat_are_found_before_a_run():
    case = nim_case()
    assert check_results(case).verdict == WELL
    case.random.samples.payoffs[:] *= -1.0
    assert says(check_results(case)) == FLIPPED


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (
            play_line([2, 2, 2, 2], (1.0, -1.0)),
            "0 of 1 games have illegal moves, 1 a wrong result",
        ),  # the second won
        (
            play_line([2, 2, 2, 2, 0], (-1.0, 1.0)),
            "1 of 1 games have illegal moves, 0 a wrong result",
        ),
        (play_line([2, 3], (-1.0, 1.0)), "1 of 1 games have illegal moves, 0 a wrong result"),
        (
            play_line([2, 2], (-1.0, 1.0)),
            "0 of 1 games have illegal moves, 1 a wrong result",
        ),  # not over
    ],
)
def test_games_that_break_the_rules_are_found(case, line, seen):
    write_lines(case.folder.games_path(1, 0), [line])
    found = check_results(case)
    assert says(found) == (WRONG, "the games do not follow the rules")
    assert seen in found.seen


def test_games_that_were_given_up_have_their_written_result(tmp_path):
    case, ends = unfinished_case(tmp_path / "run", resign_below=-0.5, resign_checked=0.5)
    assert ends == {"resign", "rules"}
    assert check_results(case).verdict == WELL
    flip(case)
    assert says(check_results(case)) == FLIPPED


def test_games_that_were_cut_off_have_no_result_to_compare(tmp_path):
    case, ends = unfinished_case(
        tmp_path / "run", max_plies=6
    )  # twelve stones take four plies or more
    assert ends == {"plies", "rules"}
    assert check_results(case).verdict == WELL
    flip(case)
    assert says(check_results(case)) == FLIPPED
    rewrite(case, plies=lambda samples: samples.plies + np.int16(1))
    assert "belong to no game" in check_results(case).seen


def test_without_games_there_is_nothing_to_compare(case):
    case.folder.games_path(1, 0).unlink()
    assert check_results(case).verdict == SKIPPED


def test_a_game_is_small_where_positions_recur_in_random_games(case):
    assert data.is_small(case)
    case.random.samples.keys[:] = np.arange(case.random.samples.num)
    assert not data.is_small(case)


def test_positions_of_a_small_game_may_recur(case):
    """Nim has a dozen positions; random games of it have no more."""
    assert len(np.unique(case.samples.keys)) < 0.02 * case.samples.num
    assert check_unique(case).verdict == WELL


@pytest.mark.parametrize(("num", "verdict"), [(100, WELL), (25, DOUBTFUL), (5, WRONG)])
def test_few_positions_beside_those_of_random_games_are_found(case, num, verdict):
    own, random = case.samples, case.random.samples
    random.keys[:] = np.arange(random.num) % 200
    own.keys[:] = 1 + np.arange(own.num) % num
    assert check_unique(case).verdict == verdict


def test_positions_without_keys_are_not_counted(case):
    case.samples.keys[:] = 0
    assert check_unique(case).verdict == check_unique(nim_case()).verdict == SKIPPED


# --- self-play

PUCT_OFF = {"selfplay.method": "puct", "selfplay.noise_fraction": 0.0, "selfplay.temperature": 0.0}
DIFFERENT = [
    play_line([first, second, third])
    for first in range(3)
    for second in range(3)
    for third in range(3)
]


def noise(changes, lines=()):
    case = nim_case(changes=changes)
    case.lines = list(lines)
    return check_noise(case)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"selfplay.method": "puct", "selfplay.noise_fraction": 0.0},
        {"selfplay.method": "puct", "selfplay.temperature": 0.0},
    ],
)
def test_noise_of_either_kind_is_well(changes):
    found = noise(changes, DIFFERENT)
    assert found.verdict == WELL
    assert "27 of the newest 27 games are distinct" in found.seen


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"selfplay.gumbel_scale": 0.0}, "selfplay.gumbel_scale=1 and"),
        ({"selfplay.temperature_plies": 0}, "selfplay.temperature_plies=30 and"),
        (
            {"selfplay.method": "expectimax", "selfplay.temperature": 0.0},
            "selfplay.temperature=0.01 and",
        ),
        (PUCT_OFF, "selfplay.noise_fraction=0.25 and"),
        (
            PUCT_OFF | {"selfplay.temperature": 1.0, "selfplay.temperature_plies": 0},
            "selfplay.noise_fraction=0.25 and",
        ),
    ],
)
def test_no_noise_at_all_is_wrong(changes, advice):
    found = noise({**changes, "selfplay.opening_plies": 0})
    assert says(found) == (WRONG, "noise is off in self-play, so every game is the same")
    assert found.advice.startswith(advice)


def test_openings_alone_are_doubtful():
    found = noise({"selfplay.gumbel_scale": 0.0, "selfplay.opening_plies": 2})
    assert says(found) == (DOUBTFUL, "the self-play search has no noise")


@pytest.mark.parametrize(
    ("copies", "small", "verdict"),
    [(20, False, DOUBTFUL), (500, False, WRONG), (500, True, WELL), (2000, True, DOUBTFUL)],
)
def test_games_that_repeat_are_found_and_a_small_game_is_not_called_wrong(
    monkeypatch, copies, small, verdict
):
    monkeypatch.setattr(data, "is_small", lambda case: small)
    found = noise({}, [*DIFFERENT[:15], *([play_line([0])] * copies)])
    assert found.verdict == verdict
    assert f"16 of the newest {15 + copies} games are distinct" in found.seen


def test_noise_in_matches_is_wrong(monkeypatch):
    monkeypatch.setattr(
        data, "self_play_method", lambda config, noise=True: self_play_method(config)
    )
    assert noise({}).conclusion == "noise is on in matches"


def outcomes(reports, generation=5):
    case = nim_case()
    case.newest, case.folder = type("Newest", (), {"number": generation}), object()
    usual = {
        "games": 100,
        "draws": 0.1,
        "first_seat_payoff": 0.1,
        "mean_length": 30.0,
        "cut_off": 0,
    }
    case.reports = [
        {"generation": generation, "selfplay": usual | measured} for measured in reports
    ]
    return check_outcomes(case)


@pytest.mark.parametrize(
    ("measured", "verdict", "conclusion"),
    [
        ({}, WELL, "both sides win"),
        ({"cut_off": 10}, DOUBTFUL, "games end at the ply limit without a winner"),
        ({"cut_off": 60}, WRONG, "games end at the ply limit without a winner"),
        ({"draws": 1.0}, DOUBTFUL, "nearly all games are draws"),
        ({"first_seat_payoff": 0.97}, DOUBTFUL, "the first seat always wins"),
        ({"first_seat_payoff": -1.0}, WRONG, "the second seat always wins"),
        ({"first_seat_payoff": -1.0, "games": 8}, WELL, "games end"),
    ],
)
def test_games_must_come_to_different_ends(measured, verdict, conclusion):
    found = outcomes([measured])
    assert found.verdict == verdict
    assert found.conclusion.startswith(conclusion)


def test_draws_from_the_start_are_wrong_and_shares_are_weighed_by_games():
    assert outcomes([{"draws": 1.0}], generation=1).verdict == WRONG
    assert "400 games, 25 % draws" in outcomes([{"games": 300, "draws": 0.0}, {"draws": 1.0}]).seen
    assert outcomes([]).verdict == SKIPPED


# --- training

TRAINING = {
    "generation": 3,
    "samples": 10_000,
    "policy_loss": 1.5,
    "kl": 0.5,
    "value_loss": 0.25,
    "gradient_norm": 0.75,
    "gradient_norm_max": 2.0,
    "recoveries": 0,
}


def reported(training=None):
    case = nim_case()
    case.newest = type("Newest", (), {"number": 20})
    trained = [
        TRAINING | (one or {}) for one in (training if isinstance(training, list) else [training])
    ]
    case.reports = [{"training": one} for one in trained]
    return case


def test_usual_reports_are_well_and_none_say_nothing():
    assert check_losses(reported()).verdict == WELL
    assert check_losses(nim_case()).verdict == SKIPPED


@pytest.mark.parametrize(
    ("training", "verdict", "conclusion"),
    [
        ({"value_loss": float("nan")}, WRONG, "losses are not finite in generation 3"),
        ({"gradient_norm": float("inf")}, WRONG, "losses are not finite in generation 3"),
        ({"value_loss": 700.0}, WRONG, "losses exploded in generation 3"),
        ({"recoveries": 1}, WRONG, "training had to return to its last good state"),
        ([{"recoveries": 1}, {}], DOUBTFUL, "training had to return to its last good state"),
        ({"gradient_norm": 1e-6}, WRONG, "there are almost no gradients"),
        ({"gradient_norm": 30.0}, DOUBTFUL, "nearly every gradient is clipped"),
    ],
)
def test_losses_and_gradients_that_went_wrong_are_found(training, verdict, conclusion):
    assert says(check_losses(reported(training=training))) == (verdict, conclusion)


def test_games_without_any_finished_training_are_doubtful(case):
    assert says(check_losses(case)) == (DOUBTFUL, "games were played but no training was finished")


# --- the gate: chances are binomial sums written out beside them


def binomial_tail(games, least, chance):
    return sum(
        comb(games, won) * chance**won * (1 - chance) ** (games - won)
        for won in range(least, games + 1)
    )


def test_chances_to_pass():
    assert pass_chance(64, 0.55, 0.5) == pytest.approx(
        binomial_tail(64, 36, 0.5)
    )  # 35.2 points or more: 19 %
    assert pass_chance(64, 0.55, 0.6) == pytest.approx(binomial_tail(64, 36, 0.6))  # 77 %
    assert pass_chance(20, 0.55, 0.5) == pytest.approx(
        binomial_tail(20, 11, 0.5)
    )  # the threshold itself passes
    # two games, half of them drawn, 1.1 points or more: 2 points 1/16, 1.5 points 2 * 1/4 * 1/2
    assert pass_chance(2, 0.55, 0.5, 0.5) == pytest.approx(1 / 16 + 1 / 4)
    assert pass_chance(10, 0.55, 0.5, 1.0) == 0.0
    assert pass_chance(10, 0.5, 0.5, 1.0) == 1.0


def gate_case(changes=None, gates=(), **entry):
    case = nim_case(changes={"gate.games": 64, "gate.opening_plies": 2, **(changes or {})})
    usual = {"wins": 30, "draws": 0, "losses": 34, "same_games": 0}
    case.reports = [
        {"gate": {"promoted": promoted, "against": [usual | entry]}} for promoted in gates
    ]
    return case


def test_no_openings_are_the_same_two_games_again_unless_chance_plays():
    case = gate_case({"gate.opening_plies": 0})
    found = check_gate(case)
    assert says(found) == (WRONG, "the gate keeps playing the same two games")
    assert found.advice.startswith("gate.opening_plies=4")
    object.__setattr__(case.game, "num_outcomes", 6)
    assert check_gate(case).verdict == WELL


@pytest.mark.parametrize(("same", "verdict"), [(0, WELL), (32, WELL), (40, DOUBTFUL), (60, WRONG)])
def test_copies_are_counted(same, verdict):
    assert check_gate(gate_case(gates=[True], same_games=same)).verdict == verdict


@pytest.mark.parametrize(
    ("changes", "verdict", "conclusion"),
    [
        ({}, WELL, "the gate can tell candidates apart"),
        ({"gate.games": 0}, SKIPPED, "there is no gate: every candidate is promoted"),
        ({"gate.games": 16}, DOUBTFUL, "candidates pass the gate by luck"),
        ({"gate.threshold": 0.5}, DOUBTFUL, "candidates pass the gate by luck"),
        ({"gate.threshold": 0.62}, DOUBTFUL, "the gate rejects better candidates"),
        ({"gate.threshold": 0.8}, WRONG, "almost nobody can pass the gate"),
    ],
)
def test_the_power_of_a_gate(changes, verdict, conclusion):
    assert says(check_gate(gate_case(changes))) == (verdict, conclusion)


def test_power_is_told_in_chances():
    assert (
        "an equal candidate passes in 19 % of cases, one that scores 60 % in 77 %"
        in check_gate(gate_case()).seen
    )


def test_a_gate_of_draws_is_doubtful():
    found = check_gate(gate_case(gates=[False], wins=0, draws=64, losses=0))
    assert says(found) == (DOUBTFUL, "nearly all of the gate's games are draws")


def test_a_gate_that_nobody_has_passed_for_long_is_doubtful():
    found = check_gate(gate_case(gates=[True] + [False] * 10))
    assert says(found) == (DOUBTFUL, "no candidate has passed the last 10 gates")
    assert check_gate(gate_case(gates=[False] * 9)).verdict == WELL


def test_games_of_three_seats_have_no_gate():
    case = gate_case()
    case.game = MagicMock(num_seats=3)
    assert check_gate(case).verdict == SKIPPED
