"""`match` and `tournament` through the real entry point."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("games_here")

FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")
QUICK = ("--openings", "0", "--games", "4", "--workers", "1")


def test_match_prints_its_fields_for_programs(run):
    code, out, err = run("match", "tic_tac_toe", "random", FAULTY, *QUICK, "--seed", "3", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["players"] == ["random", FAULTY]
    assert found["games"] == found["wins"] + found["draws"] + found["losses"] == 4
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 4
    assert found["elo_low"] <= found["elo"] <= found["elo_high"]
    assert "sprt" not in found
    assert (
        json.loads(
            run("match", "tic_tac_toe", "random", FAULTY, *QUICK, "--seed", "3", "--json")[1]
        )
        == found
    )


def test_match_prints_a_table_for_people_and_names_forfeits(run):
    code, out, _ = run(
        "match", "tic_tac_toe", "random", f"{FAULTY}:fault=crash", *QUICK, "--sprt", "-10", "300"
    )
    assert code == 0
    assert [line.split()[2] for line in out.splitlines() if line.startswith("random as ")] == [
        "x",
        "o",
    ]
    assert ", 95 % " in out
    assert "openings, each with both seats: 2 won, 0 shared, 0 lost" in out
    assert f"{FAULTY}:fault=crash: crash: RuntimeError: out of ideas" in out
    assert "SPRT: not decided" in out


def test_a_sequential_test_is_in_the_json(run):
    words = (
        "match",
        "tic_tac_toe",
        "random",
        f"{FAULTY}:fault=crash",
        "--openings",
        "0",
        "--games",
        "200",
        "--json",
    )
    found = json.loads(run(*words, "--sprt", "0", "200")[1])
    assert found["sprt"]["decision"] == "elo1"
    assert found["games"] < 200


def test_tournament_prints_both_ways(run):
    code, out, _ = run("tournament", "tic_tac_toe", "random", FAULTY, "random", *QUICK, "--json")
    found = json.loads(out)
    assert (code, found["games"], len(found["players"]), len(found["cross"])) == (0, 12, 3, 3)
    out = run("tournament", "tic_tac_toe", "random", FAULTY, "random", *QUICK)[1]
    assert "anchor" in out
    assert "score against" in out


def test_a_tournament_of_one_seat_has_mean_scores_and_no_ratings(run):
    out = run("tournament", "take_it_easy", "random", FAULTY, "--games", "4", "--workers", "1")[1]
    head, *rows = out.splitlines()[:3]
    assert head.split() == ["player", "mean", "score", "95", "%", "deals", "won", "deals"]
    means = [float(row.split()[2]) for row in rows]
    assert means == sorted(means, reverse=True)
    assert "rating" not in out
    assert "anchor" not in out


def test_a_terminal_shows_the_running_score():
    words = ["match", "tic_tac_toe", f"{FAULTY}:fault=crash", "random", *QUICK]
    main, side = pty.openpty()
    command = [sys.executable, "-m", "anyzero", *words]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=side, check=False)
    os.close(side)
    shown = os.read(main, 100_000).decode(
        errors="replace"
    )  # a busy machine draws more than a terminal holds
    os.close(main)
    assert done.returncode == 0
    assert "+0 =0 -" in shown
    assert "/4" in shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["match", "hex", "random", "random", "--games", "ten"], "--games"),
        (["match", "hex", "random", "random", "--workers", "0"], "--workers"),
        (["match", "hex", "random", "random", "--sprt", "5", "0"], "the smaller first"),
        (
            ["match", "take_it_easy", "random", "random", "--sprt", "0", "10"],
            "has one seat: there is no Elo to test",
        ),
        (
            ["tournament", "take_it_easy", "random", "uct:5", "--anchor", "random"],
            "has one seat: there are no ratings",
        ),
        (["match", "hex", "random", "random", "--record", __file__], "is not a record of games"),
        (["tournament", "hex", "random", "uct:5", "--anchor", "uct:6"], "did you mean uct:5"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, words, says):
    before = Path(__file__).read_bytes()
    code, out, err = run(*words)
    assert code == 2
    assert says in err
    assert "Traceback" not in err + out
    assert Path(__file__).read_bytes() == before
