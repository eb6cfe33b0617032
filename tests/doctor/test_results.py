"""Samples against the games that they come from."""

import numpy as np
import pytest

from anyzero.doctor.finding import DOUBTFUL, SKIPPED, WELL, WRONG
from anyzero.doctor.results import check_results, check_search_values
from anyzero.learning.block import Block, Manner
from anyzero.learning.contestants import RandomContestant
from anyzero.learning.folder import RunFolder
from anyzero.learning.shards import load_shard, save_shard
from tests.doctor.nim import STONES
from tests.doctor.runs import case_of, nim_case, play_line, write_lines

pytestmark = pytest.mark.xdist_group("doctor")


@pytest.fixture
def case(tmp_path):
    """A folder with one block of random games of nim: its samples and its lines."""
    case = nim_case()
    return written_case(tmp_path / "run", case, case.random)


def written_case(path, case, block):
    folder = RunFolder.create(path, case.config)
    lines = [{"generation": 1, **line._asdict()} for line in block.games]
    write_lines(folder.games_path(1, 0), lines)
    save_shard(folder.samples_path(1, 0), case.game, block.samples)
    return case_of(folder)


class Gloomy(RandomContestant):
    """Plays at random, and its first seat thinks that it loses from its second move on."""

    def search(self, states, *args):
        found = super().search(states, *args)
        gloom = (states["mover"] == 0) & (states["left"] < STONES)
        return found._replace(values=np.where(gloom, -0.9, 0.3).astype(np.float32))


def unfinished_case(path, **manner):
    """A run of nim whose games are given up or cut off, all or some of them."""
    case = nim_case()
    manner, sides = Manner(keep_samples=True, **manner), np.zeros((64, 2), np.int64)
    block = Block(case.game, [Gloomy(case.game)], sides, manner, seed=1, numbers=np.arange(64)).play()
    return written_case(path, case, block), {line.end for line in block.games}


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


def test_the_position_in_which_a_seat_gives_up_is_of_its_game(tmp_path):
    case, ends = unfinished_case(tmp_path / "run", resign_below=-0.5, resign_checked=0.5)
    assert ends == {"resign", "rules"}
    assert check_results(case).verdict == WELL
    rewrite(case, payoffs=lambda samples: -samples.payoffs)
    assert check_results(case).conclusion == "the results in the samples have the wrong sign"


def test_games_that_were_cut_off_have_no_result_to_compare(tmp_path):
    case, ends = unfinished_case(tmp_path / "run", max_plies=6)  # twelve stones take four plies or more
    assert ends == {"plies", "rules"}
    found = check_results(case)
    assert found.verdict == WELL
    assert "of games that were cut off have no result" in found.seen


def test_signs_are_compared_beside_games_that_were_cut_off(tmp_path):
    case, _ = unfinished_case(tmp_path / "run", max_plies=6)
    rewrite(case, payoffs=lambda samples: -samples.payoffs)
    found = check_results(case)
    assert (found.verdict, found.conclusion) == (WRONG, "the results in the samples have the wrong sign")


def test_positions_of_games_that_were_cut_off_must_be_theirs(tmp_path):
    case, _ = unfinished_case(tmp_path / "run", max_plies=2)
    rewrite(case, plies=lambda samples: samples.plies + np.int16(1))
    assert "are of no game" in check_results(case).seen


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


def test_games_that_were_cut_off_say_nothing_of_values_after_search(case):
    """They are taught what their searches said: half of the samples agree with themselves, the rest with nothing."""

    def values(samples):
        return np.where(np.arange(samples.num) % 2 == 0, 0.1, -0.1).astype(np.float32)

    rewrite(
        case, values=values, payoffs=lambda samples: np.where(samples.plies % 2 == 0, values(samples), samples.payoffs)
    )
    found = check_search_values(case)
    assert found.verdict == DOUBTFUL
    assert f"over {(case.samples.plies % 2 == 1).sum()} samples" in found.seen
