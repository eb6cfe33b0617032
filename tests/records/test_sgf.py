"""Games of Hex as SGF: ours, the standard's special moves, and the dialect of Little Golem."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyzero.app.records.files import read_record, write_record
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.record import BadRecordError, Evaluation
from anyzero.app.records.sgf import write_sgf
from tests.records.play import load, play_all, random_table, read_text

read_sgf = partial(read_text, ".sgf")


def test_a_game_is_written_node_by_node():
    table = GameInProgress(
        load("hex:size=3,swap=true"), players=("Ann [1]", "rave:50"), seed=4, date="2026-01-31"
    )
    table.play("a3", seconds=61.5)
    table.play("swap", seconds=0.25, evaluation=Evaluation(value=0.5, simulations=50))
    table.play("b2")
    table.resign()
    assert write_sgf(table.to_record()).splitlines() == [
        "(;FF[4]GM[11]CA[UTF-8]SZ[3]RU[swap]PB[Ann [1\\]]PW[rave:50]RE[B+R]DT[2026-01-31]SEED[4]",
        ";B[a3]C[[%emt 0:01:01.5\\]]",
        ";W[swap-pieces]C[[%emt 0:00:00.25\\] [%value 0.5/50\\]]",
        ";B[b2]",
        ")",
    ]


@given(st.sampled_from(["hex:size=3", "hex:size=3,swap=true", "hex:size=5"]), st.integers(0, 2**32))
@settings(max_examples=25)
def test_a_random_game_is_read_as_it_was_written(game, seed):
    record = random_table(game, seed).to_record()
    assert read_sgf(write_sgf(record)) == [record]


@pytest.mark.parametrize("position", ["1x1/3/3 o", "x2/1o1/3 x", "3/1o1/3 x"])
def test_a_start_position_is_set_up(position):
    game = load("hex:size=3,swap=true")
    table = GameInProgress(game, start=game.parse_state(position))
    table.play("c3")
    text = write_sgf(table.to_record())
    assert "A" in text
    assert read_sgf(text) == [table.to_record()]


def test_the_dialect_of_little_golem():
    text = (
        "(;FF[4]EV[hex.ld.DEFAULT]PB[first]PW[second]SZ[13]RE[B]GC[game "
        "#5];W[ac];B[dj];W[ie];B[resign])"
    )
    (record,) = read_sgf(text)
    assert record.moves == ("a3", "d10", "i5")
    assert record.players == ("first", "second")
    assert (record.payoffs, record.termination) == ((1.0, -1.0), "resign")
    assert (record.game, record.tags) == (
        "hex:size=13,swap=false",
        {"EV": "hex.ld.DEFAULT", "GC": "game #5"},
    )
    assert read_sgf("(;SZ[11];W[ad];B[swap];W[eg])")[0].moves == ("a4", "swap", "e7")


def test_variations_after_the_first_are_skipped():
    text = (
        "(;GM[11]SZ[3](;B[a1](;W[b1])(;W[c1];B[c2]))(;B[b2];W[a1](;B[c3])))\n(;GM[11]SZ[3];B[c3])"
    )
    assert [record.moves for record in read_sgf(text)] == [("a1", "b1"), ("c3",)]


def test_values_may_hold_brackets_and_line_breaks():
    (record,) = read_sgf("(;GM[11]SZ[3]PB[a\\]b\\\\c\\\nd]PW[x\ny]GN[(;)];B[a1])")
    assert record.players == ("a]b\\cd", "x y")
    assert record.tags == {"GN": "(;)"}


ENDS = [
    ("RE[B+];B[a1];W[a2];B[b1]", (1.0, -1.0), "resign"),
    ("RE[W+Resign];B[a1]", (-1.0, 1.0), "resign"),
    ("RE[B+T];B[a1]", (1.0, -1.0), "forfeit"),
    ("RE[Draw];B[a1]", (0.0, 0.0), "agreement"),
    ("RE[?];B[a1]", None, "unfinished"),
    (";B[a1]", None, "unfinished"),
    (";B[a1];W[forfeit]", (1.0, -1.0), "forfeit"),
    (";B[a1];W[b1];B[a2];W[b2];B[a3]", (1.0, -1.0), "rules"),
]


@pytest.mark.parametrize(("text", "payoffs", "how"), ENDS)
def test_sgf_says_how_games_end(text, payoffs, how):
    (record,) = read_sgf(f"(;GM[11]SZ[3]{text})")
    assert (record.payoffs, record.termination) == (payoffs, how)
    assert read_sgf(write_sgf(record)) == [record]


def test_a_fact_with_the_name_of_a_property_that_means_something_is_left_out():
    record = (
        play_all("hex:size=3", "a1")
        .to_record()
        .change(tags={"B": "b2", "AB": "c3", "RE": "W+", "EV": "cup"})
    )
    assert read_sgf(write_sgf(record)) == [record.change(tags={"EV": "cup"})]


WRONG = [
    ("(;GM[1]SZ[19];B[dd])", "it is not a game of Hex, GM[11]"),
    ("(;GM[11]SZ[3];B[a1];W[a1])", "game 1: move 2: hex: a1 is taken"),
    ("(;GM[11]SZ[3];B[z9])", "game 1: move 1: hex: 'z9' is not a legal move here"),
    ("(;GM[11]SZ[3];B[])", "move 1: hex: '' is not a legal move here"),
    ("(;GM[11]SZ[3];W[a1])", "W makes the first move, not B"),
    ("(;GM[11]SZ[3];B[a1];B[a2])", "move 2: B moves twice in a row"),
    ("(;GM[11]SZ[3:4];B[a1])", "the size '3:4' is not a number of rows and columns"),
    ("(;GM[11]SZ[40];B[a1])", "the size is from 2 to 19, not 40"),
    ("(;GM[11]SZ[3]AB[q1];W[a1])", "AB: 'q1' is not a cell"),
    ("(;GM[11]SZ[3];B[a1];AW[b1])", "stones are set up in the middle of the game"),
    ("(;GM[11]SZ[3]RE[W+];B[a1];W[b1];B[a2];W[b2];B[a3])", "the result W+ does not fit the moves"),
    ("(;GM[11]SZ[3]RE[W+];B[a1];W[resign])", "the result W+ does not fit the moves"),
    ("(;GM[11]SZ[3]RE[Jigo];B[a1])", "the result 'Jigo' is not like B+"),
    (
        "(;GM[11]SZ[3]RE[Draw];B[a1];W[b1];B[a2];W[b2];B[a3])",
        "the result Draw does not fit the moves",
    ),
    ("(;GM[11]SZ[3];B[resign];W[a1])", "'a1' comes after the end of the game"),
    ("(;GM[11]SZ[3];W[swap])", "W makes the first move"),
    ("(;GM[11]SZ[3]RU[no swap];B[a1];W[swap-pieces])", "move 2: hex: 'swap' is not a legal move"),
    ("(;GM[11]SZ[3];B[a1];W[swap-sides])", "move 2: hex: 'swap-sides' is not a legal move here"),
    ("(;GM[11]SZ[3];B[a1]", "a game is not closed"),
    ("(;GM[11]\nSZ[3", "line 2: '[3' is not SGF"),
    (";GM[11]", "';' stands outside of a game"),
    ("(GM[11])", "'GM' stands before the first node"),
    ("(;[11])", "'11' belongs to no property"),
    ("((;GM[11]))", "a variation stands before the first node"),
    ("hello", "'hello' stands outside of a game"),
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=[text for text, _ in WRONG])
def test_wrong_sgf_is_one_sentence(text, says):
    with pytest.raises(BadRecordError) as error:
        read_sgf(text)
    assert says in str(error.value)


def test_only_hex_is_written_as_sgf(tmp_path):
    with pytest.raises(BadRecordError, match="SGF is for Hex, this is a game of tic_tac_toe"):
        write_record(tmp_path / "game.sgf", play_all("tic_tac_toe", "a1").to_record())
    write_record(tmp_path / "game.sgf", play_all("hex:size=3", "a1").to_record())
    assert read_record(tmp_path / "game.sgf").moves == ("a1",)
