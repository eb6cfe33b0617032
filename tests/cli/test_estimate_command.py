"""`estimate` through the real entry point."""

import json

import pytest

pytestmark = pytest.mark.xdist_group("search")

QUICK = (
    "estimate",
    "tic_tac_toe",
    "--simulations",
    "30,100",
    "--reference",
    "1000",
    "--repeats",
    "8",
)


def test_estimate_prints_its_fields_for_programs(run):
    code, out, err = run(*QUICK, "--seed", "3", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["game"], found["state"], found["reference_rollouts"]) == (
        "tic_tac_toe",
        "3/3/3 x",
        1000,
    )
    assert len(found["moves"]) == len(found["reference"]) == 9
    assert [point["simulations"] for point in found["points"]] == [30, 100]
    point = found["points"][1]
    assert sum(point["visits"]) == 100
    for name in ("flat", "amaf", "rave"):
        error = point[name]["root_mean_square"]
        assert 0 <= error["low"] <= error["value"] <= error["high"] < 1
        assert -1 <= point[name]["rank_correlation"]["value"] <= 1
        assert len(point[name]["estimates"]) == 9
    assert json.loads(run(*QUICK, "--seed", "3", "--json")[1]) == found


def test_estimate_prints_tables_for_people(run):
    out = run(*QUICK, "--top", "2", "--state", "xox/oox/3 x")[1]
    assert "tic_tac_toe after 30 simulations" in out
    assert "c1    +1.000     +1.000" in out
    assert "a1" not in out
    assert "rank: flat" in out


def test_estimate_plays_the_moves_that_are_named_first(run):
    found = json.loads(run(*QUICK, "--moves", "b2 a1", "--json")[1])
    assert len(found["moves"]) == 7
    assert not {"b2", "a1"} & set(found["moves"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--simulations", "many"], "not a list of numbers like 100,1000,10000"),
        (["--plot", "picture.gif"], "must end in .png, .svg"),
        (["--plot", "/nowhere/picture.svg"], "there is no folder /nowhere"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, words, says):
    code, out, err = run("estimate", "tic_tac_toe", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
