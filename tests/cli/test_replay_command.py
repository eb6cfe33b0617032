"""`replay` through the real entry point."""

import json

import pytest

from anyzero.app.records.files import write_record
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.pgn import write_pgn
from anyzero.app.records.record import Evaluation
from tests.records.play import load, play_all

pytestmark = pytest.mark.usefixtures("games_here")


@pytest.fixture
def game(tmp_path):
    """A finished game in a file."""
    table = GameInProgress(load("tic_tac_toe"), players=("Ann", "uct:50"), date="2026-01-31")
    for move in ("a1", "b1", "a2", "b2"):
        table.play(
            move,
            seconds=1.5,
            evaluation=Evaluation(value=0.25, simulations=50) if table.seat_to_move else None,
        )
    table.play("a3")
    write_record(tmp_path / "game.json", table.to_record())
    return tmp_path / "game.json"


def test_a_game_is_shown_move_by_move(run, game):
    code, out, err = run("replay", str(game))
    assert (code, err) == (0, "")
    assert out.splitlines()[:12] == [
        "tic_tac_toe; Ann against uct:50; 2026-01-31",
        "the start",
        "3 . . .",
        "2 . . .",
        "1 . . .",
        "  a b c",
        "x to move",
        "1. Ann plays a1 (1.50 s)",
        "3 . . .",
        "2 . . .",
        "1[X]. .",
        "  a b c",
    ]
    assert "2. uct:50 plays b1 (1.50 s, value +0.250, 50 simulations)" in out
    assert out.endswith("game over: Ann as x wins\n")


def test_one_position_is_shown(run, game):
    out = run("replay", str(game), "--move", "2")[1]
    assert out.count("  a b c") == 1
    assert "2. uct:50 plays b1" in out
    assert "the start" in run("replay", str(game), "--move", "0")[1]


def test_programs_get_every_position(run, game):
    found = json.loads(run("replay", str(game), "--json")[1])
    assert list(found) == ["file", "games"]
    (replayed,) = found["games"]
    assert replayed["moves"] == ["a1", "b1", "a2", "b2", "a3"]
    assert [position["moves"] for position in replayed["positions"]] == [0, 1, 2, 3, 4, 5]
    assert replayed["positions"][1] == {
        "moves": 1,
        "last_move": "a1",
        "seat_to_move": 1,
        "state": "3/3/x2 o",
        "text": "3 . . .\n2 . . .\n1 X . .\n  a b c\no to move",
    }
    one = json.loads(run("replay", str(game), "--json", "--move", "1")[1])
    assert one["games"][0]["positions"] == replayed["positions"][1:2]


def test_a_file_of_several_games(run, tmp_path):
    (tmp_path / "games.pgn").write_text(
        "".join(write_pgn(play_all("chess", move).to_record()) for move in ("e4", "d4"))
    )
    out = run("replay", str(tmp_path / "games.pgn"))[1]
    assert "game 1 of 2: chess" in out
    assert "game 2 of 2: chess" in out
    assert out.endswith("the game is not finished\n")
    only = json.loads(run("replay", str(tmp_path / "games.pgn"), "--number", "2", "--json")[1])
    assert [found["moves"] for found in only["games"]] == [["d2d4"]]


def test_what_chance_draws_is_shown(run, tmp_path):
    table = GameInProgress(load("take_it_easy"), seed=1)
    table.play("3")
    write_record(tmp_path / "game.json", table.to_record())
    assert f"1. drawn: {table.moves[0]}\n" in run("replay", str(tmp_path / "game.json"))[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.json"], "nowhere.json: cannot be read"),
        (["game.doc"], "ends in one of .json, .pgn, .sgf"),
        (["GAME", "--move", "9"], "the game has 5 moves, so there is no move 9"),
        (["GAME", "--number", "2"], "it has 1 game, not a game 2"),
        (["GAME", "--game", "hex"], "the record is of tic_tac_toe, which is not hex"),
        (["GAME", "--move", "-1"], "--move"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, game, words, says):
    code, out, err = run("replay", *[str(game) if word == "GAME" else word for word in words])
    assert (code, out) == (2, "")
    assert says in err


def test_a_game_of_a_match_is_shown(run, tmp_path):
    path = tmp_path / "games.jsonl"
    words = ("tic_tac_toe", "uct:20", "random", "--games", "4", "--openings", "0", "--workers", "1")
    assert run("match", *words, "--record", str(path))[0] == 0
    code, out, err = run("replay", str(path), "--number", "2")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "tic_tac_toe; random against uct:20"
    assert out.splitlines()[-1].startswith("game over: ")
