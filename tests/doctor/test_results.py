"""Samples against the games that they come from."""

import numpy as np
import pytest

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.results import check_results, check_search_values
from anyzero.learning.folder import RunFolder
from anyzero.learning.shards import load_shard, save_shard
from tests.doctor.runs import case_of, nim_case, play_line, write_lines

pytestmark = pytest.mark.xdist_group("doctor")


@pytest.fixture
def case(tmp_path):
    """A folder with one block of random games of nim: its samples and its lines."""
    case = nim_case()
    folder = RunFolder.create(tmp_path / "run", case.config)
    block = case.random
    lines = [{"generation": 1, **line._asdict()} for line in block.games]
    write_lines(folder.games_path(1, 0), lines)
    save_shard(folder.samples_path(1, 0), case.game, block.samples)
    return case_of(folder)


def rewrite(case, **columns):
    """The same samples with other columns."""
    path = case.folder.samples_path(1, 0)
    samples = load_shard(path, case.game)
    save_shard(path, case.game, samples._replace(**{name: change(samples) for name, change in columns.items()}))


def test_samples_of_their_games_are_well(case):
    found = check_results(case)
    assert found.verdict == WELL
    assert f"{case.random.samples.num} samples of {len(case.random.games)} games" in found.seen


def test_payoffs_of_the_other_seat_are_the_wrong_sign(case):
    rewrite(case, payoffs=lambda samples: -samples.payoffs)
    found = check_results(case)
    assert (found.verdict, found.conclusion) == (WRONG, "the results in the samples have the wrong sign")
    assert "seat to move" in found.advice


def test_payoffs_that_are_neither_are_wrong_too(case):
    rewrite(case, payoffs=lambda samples: samples.payoffs * 0.5)
    found = check_results(case)
    assert (found.verdict, found.conclusion) == (WRONG, "samples do not have the results of their games")


def test_samples_of_no_game_are_wrong(case):
    rewrite(case, plies=lambda samples: samples.plies + np.int16(1))
    found = check_results(case)
    assert found.verdict == WRONG
    assert f"{case.random.samples.num} are of no game" in found.seen


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (play_line([2, 2, 2, 2], (1.0, -1.0)), "0 of 1 games have illegal moves, 1 another result"),  # the second won
        (play_line([2, 2, 2, 2, 0], (-1.0, 1.0)), "1 of 1 games have illegal moves, 0 another result"),
    ],
)
def test_games_that_break_the_rules_are_found(case, line, seen):
    write_lines(case.folder.games_path(1, 0), [line])
    found = check_results(case)
    assert (found.verdict, found.conclusion) == (WRONG, "the games do not follow the rules")
    assert seen in found.seen


def test_a_game_that_was_given_up_keeps_its_written_result(case):
    lines = [{**line._asdict(), "end": "resign"} for line in case.random.games]
    write_lines(case.folder.games_path(1, 0), lines)
    assert check_results(case).verdict == WELL


def test_without_games_there_is_nothing_to_compare(case):
    case.folder.games_path(1, 0).unlink()
    assert check_results(case).verdict == SKIPPED


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        (lambda samples: samples.payoffs * 0.7, WELL),
        (lambda samples: -0.7 * samples.payoffs, WRONG),
        (lambda samples: np.where(np.arange(samples.num) % 2 == 0, 0.1, -0.1), DOUBTFUL),
        (lambda samples: np.zeros(samples.num), SKIPPED),
    ],
)
def test_values_after_search_must_go_with_results(case, values, verdict):
    rewrite(case, values=lambda samples: np.asarray(values(samples), np.float32))
    assert check_search_values(case).verdict == verdict
