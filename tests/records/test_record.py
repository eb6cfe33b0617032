"""A game's record in JSON: what was written is read back, and what is wrong is said in one
sentence.
"""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anyzero
from anyzero.app.records.files import (
    LARGEST_FILE,
    checked_record,
    read_record,
    read_records,
    write_record,
)
from anyzero.app.records.in_progress import GameInProgress, replay_record
from anyzero.app.records.record import BadRecordError, Evaluation
from tests.records.play import load, play_all, random_table

GAMES = ("tic_tac_toe", "hex:size=3,swap=true", "oware:plies=20", "take_it_easy")
RACE = Path(__file__).parent.parent / "race.py"


@given(st.sampled_from(GAMES), st.integers(0, 2**32))
@settings(max_examples=24)
def test_a_record_is_read_as_it_was_written(tmp_path_factory, game, seed):
    record = random_table(game, seed).to_record()
    assert checked_record(json.loads(json.dumps(record.to_json()))) == record
    path = tmp_path_factory.getbasetemp() / "record.json"
    write_record(path, record)
    assert read_record(path) == record
    first = path.read_bytes()
    write_record(path, read_record(path))
    assert path.read_bytes() == first


def test_the_json_of_a_game_has_the_documented_keys():
    table = GameInProgress(
        load("tic_tac_toe"), players=("human", "uct:50"), seed=7, date="2026-01-31"
    )
    table.play("b2", seconds=2.5)
    table.play("a1", seconds=0.0204, evaluation=Evaluation(value=-0.25, simulations=50))
    assert table.to_record().to_json() == {
        "format": 1,
        "game": "tic_tac_toe",
        "rules": {"name": "tic_tac_toe", "options": {}},
        "players": ["human", "uct:50"],
        "date": "2026-01-31",
        "seed": 7,
        "start": None,
        "moves": ["b2", "a1"],
        "clocks": [2.5, 0.02],
        "evaluations": [None, {"value": -0.25, "simulations": 50}],
        "result": {"payoffs": None, "termination": "unfinished"},
        "tags": {},
    }


def test_moves_are_kept_as_the_game_writes_them():
    values = play_all("chess", "e4 e5").to_record().to_json()
    assert checked_record({**values, "moves": ["e4", "e7e5", "Ng1f3"]}).moves == (
        "e2e4",
        "e7e5",
        "g1f3",
    )


def test_a_start_that_is_the_initial_position_is_left_out():
    values = play_all("tic_tac_toe", "").to_record().to_json()
    assert checked_record({**values, "start": "3/3/3 x"}).start is None
    record = checked_record({**values, "start": "3/1x1/3 o", "moves": ["a1"]})
    assert replay_record(record).states[0].mover == 1


def change(**changes):
    """A finished game of tic-tac-toe as JSON, with something changed."""
    values = play_all("tic_tac_toe", "a1 b1 a2 b2 a3").to_record().to_json()
    return {**values, **changes}


WRONG = [
    ([], "must be an object with keys"),
    ({"format": 1}, "the record has no game"),
    (change(format=2), "has the format 2, not 1"),
    (change(format=True), "format must be a whole number, not True"),
    (change(gane="hex"), "did you mean game"),
    (change(game="tic_tac_to"), "did you mean tic_tac_toe"),
    (change(game="hex:size=3"), "the record is of tic_tac_toe, which is not hex"),
    (change(game="./evil.py"), "name the game as well to run its code"),
    (change(game=7), "game must be a text, not 7"),
    (change(rules={"name": "hex"}), "the record is of hex, which is not tic_tac_toe"),
    (change(rules={"name": "tic_tac_toe", "options": {"size": 3}}), "is of tic_tac_toe, size=3"),
    (change(players=["one"]), "tic_tac_toe has 2 seats, the record 1 players"),
    (change(players=["one", "two\n"]), "players.1 must be a text"),
    (change(players="ab"), "players must be a list, not 'ab'"),
    (change(moves=["a1", "a1"]), "move 2: tic_tac_toe: a1 is taken"),
    (change(moves=["a1", 3]), "moves.1 must be a text, not 3"),
    (change(moves=["a1", "b1"]), "is not over after its last move, but its termination is 'rules'"),
    (
        change(moves=["a1", "b1", "a2", "b2", "a3", "c3"]),
        "move 6: tic_tac_toe: 'c3' cannot be played",
    ),
    (change(start="3/3 x"), "the start position: tic_tac_toe: "),
    (change(clocks=[1.0]), "has 5 moves but 1 clocks"),
    (change(clocks=[1, 2, 3, 4, -5]), "clocks.4 must be 0 or more, not -5"),
    (change(clocks=[1, 2, 3, 4, float("nan")]), "clocks.4 must be a finite number"),
    (change(clocks=[1, 2, 3, 4, 10**400]), "clocks.4 must be a number, not 1000"),
    (
        change(evaluations=[{"value": 2, "simulations": 5}]),
        "evaluations.0.value must be 1 or less, not 2",
    ),
    (change(evaluations=[{"value": 0.5}]), "evaluations.0 has no simulations"),
    (
        change(result={"payoffs": [-1.0, 1.0], "termination": "rules"}),
        "the end by rules has [1.0, -1.0]",
    ),
    (change(result={"payoffs": None, "termination": "rules"}), "the record has no payoffs"),
    (change(result={"payoffs": [1.0, -1.0], "termination": "resigned"}), "did you mean resign"),
    (
        change(result={"payoffs": [1.0, -1.0], "termination": "resign"}),
        "is over after its last move",
    ),
    (
        change(moves=[], result={"payoffs": [1.0, 0.0], "termination": "resign"}),
        "[-1.0, 1.0] or [1.0, -1.0]",
    ),
    (
        change(moves=[], result={"payoffs": [0.0, 0.0], "termination": "unfinished"}),
        "an unfinished game has no payoffs",
    ),
    (change(date="yesterday"), "'yesterday' is not a day like 2026-01-31"),
    (change(date="20260131"), "is not a day like"),
    (change(seed=-1), "seed must be 0 or more, not -1"),
    (change(seed=2**64), "seed must be 18446744073709551615 or less"),
    (change(tags={"Event": 5}), "tags.Event must be a text, not 5"),
]


@pytest.mark.parametrize(
    ("values", "says"), WRONG, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_wrong_record_is_one_sentence(values, says):
    with pytest.raises(anyzero.AnyzeroError) as error:
        checked_record(values)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["a1", "rules", "hex:size=3"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
PLACES = [(key,) for key in change()] + [
    ("rules", "name"),
    ("rules", "options"),
    ("result", "payoffs"),
    ("moves", 0),
]
PLACES += [
    ("result", "termination"),
    ("players", 1),
    ("clocks", 0),
    ("evaluations", 0),
    ("evaluations", 0, "value"),
]


@given(st.sampled_from(PLACES), VALUES)
@settings(max_examples=150)
def test_any_value_in_any_place_is_read_or_refused(place, value):
    thoughts = [{"value": 0.5, "simulations": 9}, *[None] * 4]
    values = json.loads(json.dumps(change(clocks=[1.0] * 5, evaluations=thoughts)))
    inner = values
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with contextlib.suppress(anyzero.AnyzeroError):
        record = checked_record(values)
        assert checked_record(record.to_json()) == record


def test_the_form_of_matches_is_not_offered_where_a_single_game_is_saved(tmp_path):
    for name in ("game.txt", "game.jsonl"):
        with pytest.raises(BadRecordError, match=r"ends in one of \.json, \.pgn, \.sgf$"):
            write_record(tmp_path / name, play_all("tic_tac_toe", "a1").to_record())


def test_files_that_are_none(tmp_path):
    for name, content, says in [
        ("deep.json", b"[" * 100_000, "it is not JSON"),
        ("empty.json", b"", "it is not JSON"),
        ("large.json", b" " * (LARGEST_FILE + 1), "it has more than 16 MiB"),
        ("game.txt", b"", "ends in one of .json, .pgn, .sgf"),
        ("empty.pgn", b"", "there is no game in it"),
        ("empty.sgf", b"\n", "there is no game in it"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadRecordError, match=says):
            read_records(tmp_path / name)
    for name, says in [
        ("none.json", "cannot be read: No such file"),
        (".", "ends in one of"),
        ("a\0.json", "ends in"),
    ]:
        with pytest.raises(BadRecordError, match=says):
            read_records(tmp_path / name)
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(BadRecordError, match="it is not a file"):
        read_records(tmp_path / "folder.json")


def test_a_record_that_could_not_be_read_again_is_not_written(tmp_path):
    record = play_all("tic_tac_toe", "a1").to_record().change(moves=("z9",))
    with pytest.raises(BadRecordError, match="move 1"):
        write_record(tmp_path / "wrong.json", record)
    assert list(tmp_path.iterdir()) == []


def test_a_game_file_is_run_only_if_it_is_given(tmp_path):
    race = anyzero.load(f"{RACE}:goal=5")
    table = GameInProgress(race)
    table.play("3")
    write_record(tmp_path / "race.json", table.to_record(), race)
    with pytest.raises(BadRecordError, match="name the game as well to run its code"):
        read_record(tmp_path / "race.json")
    assert read_record(tmp_path / "race.json", game=race).moves == ("3",)
    with pytest.raises(BadRecordError, match="the record is of race, goal=5, which is not"):
        read_record(tmp_path / "race.json", game=anyzero.load(f"{RACE}:goal=6"))


def test_a_number_beyond_the_games_of_a_file_is_refused(tmp_path):
    write_record(tmp_path / "one.json", play_all("tic_tac_toe", "a1").to_record())
    with pytest.raises(BadRecordError, match="has 1 game, not a game 2"):
        read_record(tmp_path / "one.json", 2)
