"""Files of matches: every game that the arena wrote is read and played again."""

import json
import sys
from pathlib import Path

import pytest

from anyzero.app.records.files import read_record, read_records
from anyzero.app.records.in_progress import replay_record
from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.load import load
from anyzero.tools.arena import make_plan, play_games
from anyzero.tools.arena.match import MATCH_FORM as FORM

TESTS = Path(__file__).parent.parent
DICE_RACE, FAULTY = str(TESTS / "dice_race.py"), str(TESTS / "arena/faulty.py")
RESIGNING = f"{sys.executable} {TESTS / 'players/engines.py'} gtp resign"


@pytest.mark.usefixtures("games_here")
@pytest.mark.parametrize(
    ("game", "players", "ends"),
    [
        ("take_it_easy", ("random", "random"), {"rules"}),
        (DICE_RACE, ("random", "random"), {"rules"}),
        ("tic_tac_toe", ("random", f"{FAULTY}:fault=crash"), {"forfeit"}),
        ("hex:size=3", ("random", f"gtp:{RESIGNING}"), {"resign"}),
    ],
)
def test_what_a_match_recorded_is_read_and_played_again(tmp_path, game, players, ends):
    path = tmp_path / "games.jsonl"
    results = play_games(make_plan(game, players, games=4, openings=0), workers=1, record=path)
    rules = load(game)
    records = read_records(path, rules)
    assert [list(record.moves) for record in records] == [
        result.moves for result in results.values()
    ]
    assert [list(record.payoffs) for record in records] == [
        result.payoffs for result in results.values()
    ]
    assert [list(record.players) for record in records] == [
        result.players for result in results.values()
    ]
    assert {record.termination for record in records} == ends
    last = [replay_record(record, rules).states[-1] for record in records]
    assert all(rules.is_over(state) == (ends == {"rules"}) for state in last)
    assert read_record(path, 3, rules) == records[2]


def lines(*, moves=("a1",), header=None, payoffs=(-1.0, 1.0), reason="time"):
    first = {"form": FORM, "game": "tic_tac_toe", "seed": 0} if header is None else header
    game = {
        "match": [0, 1, 0, 0],
        "players": ["a", "b"],
        "moves": moves,
        "payoffs": payoffs,
        "reason": reason,
    }
    return json.dumps(first) + "\n" + json.dumps(game) + "\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is not a record of games"),
        ("[]\n", "it is not a record of games"),
        (lines(header={"form": "anyzero experiment 1"}), "it is not a record of games"),
        (
            lines(header={"form": FORM, "game": "./mine.py"}),
            "name the game as well to run its code",
        ),
        (lines(header={"form": FORM, "game": "chss"}), "did you mean chess"),
        (lines().splitlines()[0] + "\n", "there is no game in it"),
        (lines() + "{}\n", "game 2: players must be a list, not None"),
        (lines() + "7\n", "line 3 is not a finished game"),
        (lines(moves=["a1", "a1"]), "game 1: move 2: "),
        (lines(payoffs=[0.5, 0.5]), "game 1: the record has the payoffs [0.5, 0.5]"),
    ],
)
def test_what_is_no_such_file_is_one_sentence(tmp_path, text, says):
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    with pytest.raises(AnyzeroError) as error:
        read_records(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_games_of_another_game_are_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(
        lines(header={"form": FORM, "game": "connect_four:rows=6,columns=7", "seed": 0})
    )
    for other in ("connect_four:rows=5,columns=7", "tic_tac_toe"):
        with pytest.raises(
            AnyzeroError, match="the record is of connect_four:rows=6,columns=7, which is not"
        ):
            read_records(path, load(other))


def test_a_line_that_is_being_written_is_left_out(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(lines() + lines().splitlines()[1][:40])
    assert len(read_records(path)) == 1
