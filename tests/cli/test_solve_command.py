"""`anyzero solve`: what it prints, its JSON, and its exit codes."""

import json
import sys
from pathlib import Path

import pytest

RACE = str(Path(__file__).parent.parent / "race.py")


def test_solve_prints_the_value_and_the_best_moves(run):
    code, out, _ = run("solve", "tic_tac_toe", "--state", "2x/1o1/x2 o")
    assert code == 0
    assert "value 0: a draw for the second seat, which is to move" in out
    assert "best moves: b1 a2 c2 b3" in out
    assert "table 16 MB" in out


def test_solve_plays_the_moves_that_are_named_first(run):
    """The centre was answered beside an edge's middle, which loses."""
    code, out, _ = run("solve", "tic_tac_toe", "--moves", "b2 b1")
    assert code == 0
    assert "value +1: a win for the first seat, which is to move" in out


def test_solve_shows_every_move_when_asked(run):
    code, out, _ = run("solve", RACE, "--openings")
    lines = [line.split() for line in out.splitlines()]
    assert code == 0
    assert lines[:4] == [
        ["move", "value"],
        ["1", "-1", "loss"],
        ["2", "+1", "win"],
        ["3", "-1", "loss"],
    ]
    assert lines[4][:2] == ["value", "+1:"]
    assert run("solve", RACE)[1].startswith("value +1: a win for the first seat")


def test_solve_prints_one_json_object(run):
    code, out, err = run("solve", "tic_tac_toe", "--json", "--max-memory", "1")
    found = json.loads(out)
    keys = (
        "game",
        "state",
        "value",
        "outcome",
        "bounds",
        "best_moves",
        "moves",
        "nodes",
        "seconds",
        "table_mb",
    )
    assert (code, err, tuple(found)) == (0, "", keys)
    assert (found["game"], found["state"]) == ("tic_tac_toe", "3/3/3 x")
    assert (found["value"], found["outcome"], found["bounds"]) == (0, "draw", [0, 0])
    assert set(found["moves"].values()) == {0}
    assert list(found["moves"]) == found["best_moves"]
    assert found["nodes"] > 0
    assert 0.9 < found["table_mb"] <= 1
    assert (
        json.loads(run("solve", RACE, "--json")[1])["state"] is None
    )  # it has no text of positions


def test_a_position_that_takes_too_long_is_exit_code_1_with_what_is_known(run):
    code, out, _ = run("solve", "tic_tac_toe", "--seconds", "1e-9")
    assert code == 0, "a position this small is solved before anybody looks at the clock"
    code, out, _ = run("solve", "connect_four", "--seconds", "0.05")
    assert code == 1
    assert "not solved: value from -1 to +1, 0 of 7 moves known" in out
    assert "best moves" not in out
    code, out, _ = run("solve", "connect_four", "--seconds", "0.05", "--json")
    found = json.loads(out)
    assert (code, found["value"], found["bounds"]) == (1, None, [-1, 1])
    assert set(found["moves"].values()) == {None}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["take_it_easy"], "take_it_easy cannot be solved: it has one seat"),
        (["tic_tac_toe", "--state", "1oo/3/xxx o"], "the game is over; payoffs +1 and -1"),
        (["tic_tac_toe", "--max-memory", "0"], "--max-memory"),
        (["tic_tac_toe", "--max-memory", "1000000000"], "--max-memory"),
        (["tic_tac_toe", "--method", "dept"], "did you mean depth? known: both, depth, proof"),
    ],
)
def test_what_cannot_be_solved_is_one_sentence_and_exit_code_2(run, words, says):
    code, out, err = run("solve", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_ctrl_c_says_what_was_found_out(run, monkeypatch):
    module = sys.modules["anyzero.tools.proofs.solve"]
    solution = module.Solution(module.Bounds(-1, 0), {"a": module.Bounds()}, 1_000, 2.0, 16.0)

    def stopped(*_, watch, **__):
        watch(solution)
        raise KeyboardInterrupt

    monkeypatch.setattr(module.Solver, "solve", stopped)
    code, _, err = run("solve", "tic_tac_toe")
    assert code == 130
    assert (
        "1,000 nodes in 2.0 s (0.00 million/s); value from -1 to 0, 0 of 1 moves known, and "
        "nothing was kept" in err
    )


@pytest.mark.slow  # chess takes long to compile
def test_a_proven_value_is_exit_code_0_even_if_not_every_move_is_known(run):
    mate = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"
    code, out, _ = run("solve", "chess", "--state", mate, "--seconds", "20", "--json")
    assert (code, '"value": 1' in out) == (0, True)
