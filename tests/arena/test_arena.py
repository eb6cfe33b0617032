"""Many games in other processes: the same result on any number of them, and players that take a
process down.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError
from anyzero.core.base.statistics import Tally
from anyzero.core.game.load import load
from anyzero.core.game.play import BY_THE_RULES
from anyzero.core.learning.find import hash_of
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network
from anyzero.tools.arena import Match, make_plan, match, play_games
from anyzero.tools.arena.elo import Sprt
from anyzero.tools.arena.match import MatchResult
from anyzero.tools.arena.record import Record
from anyzero.tools.arena.standings import make_standings
from anyzero.tools.arena.workers import Crew, Task, play_all

pytestmark = pytest.mark.usefixtures("games_here")

FAULTY = Path(__file__).parent / "faulty.py"
SAME = ("tic_tac_toe", "uct:50", "random")
QUICK = {"players": ("random", str(FAULTY)), "openings": 0}
"""Players and openings without a search: such workers start in no time."""


def without_time(results):
    return {match: {**result.to_json(), "seconds": None} for match, result in results.items()}


@pytest.mark.processes
def test_one_and_two_workers_play_the_same_games():
    plan = make_plan(SAME[0], SAME[1:], games=12, seed=5)
    one, two = play_games(plan, workers=1), play_games(plan, workers=2)
    assert list(one) == list(two) == plan.matches()
    assert without_time(one) == without_time(two)


def test_numbers_and_a_test_may_come_from_numpy_and_from_lists():
    plain, other = (
        match(
            "tic_tac_toe",
            "random",
            "random",
            games=make(4),
            seed=make(5),
            openings=make(1),
            sprt=kind((0, 50)),
        )
        for make, kind in ((int, tuple), (np.int64, list))
    )
    assert json.dumps(other.to_json()) == json.dumps(plain.to_json())


def test_another_seed_plays_other_games():
    one, other = (play_games(make_plan(SAME[0], SAME[1:], games=6, seed=seed)) for seed in (5, 6))
    assert without_time(other) != without_time(one)


def test_the_games_of_a_pair_share_the_opening_and_swap_the_seats():
    results = play_games(make_plan(SAME[0], SAME[1:], games=6, openings=2), workers=2)
    for pair in range(3):
        legs = [results[Match(0, 1, pair, leg)] for leg in (0, 1)]
        assert legs[0].moves[:2] == legs[1].moves[:2]
        assert [leg.players for leg in legs] == [["uct:50", "random"], ["random", "uct:50"]]


def test_the_games_of_several_plans_are_those_of_each_alone():
    plans = [
        make_plan(game, **QUICK, games=4, legs=legs)
        for game, legs in (("hex:size=3", (1,)), (SAME[0], (0, 1)))
    ]
    tasks = [
        Task(plan, match)
        for pair in zip(*(plan.matches() for plan in plans), strict=True)
        for plan, match in zip(plans, pair, strict=True)
    ]
    found = dict(play_all(tasks, 2))
    assert set(found) == set(tasks)
    for plan in plans:
        mine = {task.match: result for task, result in found.items() if task.plan == plan}
        assert without_time({match: mine[match] for match in plan.matches()}) == without_time(
            play_games(plan, workers=1)
        )


def test_a_sequential_test_stops_at_the_same_pair_on_any_number_of_workers():
    found, test = [], Sprt(0.0, 150.0)
    for workers in (1, 2):
        standings = match(*SAME, games=400, sprt=test, workers=workers)
        found.append((standings.sprt.counts, standings.sprt.decision, standings.to_json()))
    assert found[0] == found[1], "one test may be asked for in several matches"
    assert found[0][1] == "elo1"
    assert found[0][2]["games"] == 2 * sum(found[0][0]) < 100


FAULTS = {
    f"{FAULTY}:fault=crash": ("crash", "RuntimeError: out of ideas"),
    f"{FAULTY}:fault=die": ("crash", "its process ended with code 7"),
    f"{FAULTY}:fault=illegal": ("illegal move", "action -5 is not legal"),
    f"{FAULTY}:fault=hang,limit=0.8": (
        "time",
        "a move went on past the time limit and was stopped",
    ),
    f"{FAULTY}:fault=late,limit=0.8": ("time", "a move "),  # stopped, where the machine is busy
}


@pytest.mark.processes
def test_a_player_at_fault_loses_that_game_and_the_match_goes_on():
    plans = [
        make_plan("tic_tac_toe", (player, "random"), games=1, openings=0, legs=(0,))
        for player in FAULTS
    ]
    tasks = [Task(plan, match) for plan in plans for match in plan.matches()]
    found = dict(play_all(tasks, 2))
    assert set(found) == set(tasks)
    faults = [
        (task.plan.players[0], result)
        for task, result in found.items()
        if result.reason != "normal"
    ]
    assert {player for player, _ in faults} == set(FAULTS)
    for player, result in faults:
        reason, detail = FAULTS[player]
        assert (result.reason, result.players[result.forfeited_by]) == (reason, player)
        assert result.detail.startswith(detail)
        assert result.payoffs[result.forfeited_by] == -1.0
        assert len(result.moves) >= 4  # the moves up to the fault are kept


def test_a_game_that_fails_by_itself_is_an_error_in_one_sentence(tmp_path):
    broken = tmp_path / "broken.py"
    race = (Path(__file__).parent.parent / "race.py").read_text()
    broken.write_text(race.replace("    state.total += action", "    state.total += 0"))
    with pytest.raises(AnyzeroError, match="more than max_plies = 10 plies"):
        match(str(broken), "random", "random", games=2, openings=0)


def test_players_with_a_clock_keep_it():
    standings = match("tic_tac_toe", "uct:0.02s", "random", games=4, workers=1)
    assert (standings.games, standings.forfeits) == (4, ())


def test_one_seat_is_compared_on_the_same_deals():
    standings = match("take_it_easy", *QUICK["players"], games=20, workers=2)
    found = standings.to_json()
    assert (found["elo"], found["games"], found["wins"] + found["draws"] + found["losses"]) == (
        None,
        20,
        10,
    )
    first, second = found["mean_scores"]
    assert found["difference"] == pytest.approx(first - second)
    assert found["difference_low"] < found["difference"] < found["difference_high"]


def test_one_seat_has_no_elo_to_test():
    with pytest.raises(BadOptionError, match="take_it_easy has one seat: there is no Elo to test"):
        match("take_it_easy", *QUICK["players"], games=4, sprt=Sprt(0.0, 10.0))


@pytest.mark.slow
def test_a_search_beats_random_play_at_take_it_easy():
    """Random play scores 10.7 on average, flat Monte Carlo more than five times as much."""
    standings = match("take_it_easy", "flat:1000", "random", games=20)
    assert standings.difference.low > 30


# --- standings by hand


def result(pair, leg, payoffs):
    match = Match(0, 1, pair, leg)
    return MatchResult(match, ["a", "b"], 0, [], payoffs, None, BY_THE_RULES, "", [0.0, 0.0])


def test_standings_count_for_the_first_player_whatever_its_seat():
    won, lost, drawn = [1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]
    found = make_standings(
        [result(0, 0, won), result(0, 1, lost), result(1, 0, drawn), result(1, 1, won)]
    )
    assert (found.tally, found.tally.score, found.games, found.pairs) == (
        Tally(2, 1, 1),
        0.625,
        4,
        [0, 1, 0, 0, 1],
    )
    assert found.seats == [Tally(1, 1, 0), Tally(1, 0, 1)]
    named = {
        "wins",
        "draws",
        "losses",
        "score",
        "games",
        "elo",
        "elo_low",
        "elo_high",
        "seats",
        "pairs",
        "forfeits",
    }
    assert set(found.to_json()) == named


def test_a_pair_without_its_second_game_counts_for_the_score_only():
    found = make_standings(
        [result(0, 0, [1.0, -1.0]), result(1, 0, [1.0, -1.0]), result(1, 1, [1.0, -1.0])]
    )
    assert (found.games, found.pairs, found.tally.wins) == (3, [0, 0, 1, 0, 0], 2)


def test_with_three_seats_the_mean_payoff_of_each_side_counts():
    found = make_standings([result(0, 0, [0.5, -1.0, 0.5]), result(0, 1, [-1.0, 0.5, 0.5])])
    assert (found.tally.wins, found.tally.losses) == (
        2,
        0,
    )  # 0.5 against -1; then 0.5 against -0.25


# --- records


def test_a_record_is_gone_on_from_and_not_played_again(tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    plan = make_plan(SAME[0], **QUICK, games=8)
    short = make_plan(SAME[0], **QUICK, games=4)
    play_games(short, record=path, workers=1)
    assert len(path.read_text().splitlines()) == 1 + 4
    kept = path.read_text()
    results = play_games(plan, record=path, workers=1)
    assert path.read_text().startswith(kept)
    assert len(path.read_text().splitlines()) == 1 + 8
    assert without_time(results) == without_time(play_games(plan, workers=1))
    before = path.read_bytes()
    monkeypatch.setattr("anyzero.tools.arena.workers.Worker", None)  # no process is started
    assert play_games(plan, record=path) == results
    assert path.read_bytes() == before


def test_a_broken_last_line_is_dropped_and_its_game_played_again(tmp_path, capfd):
    path = tmp_path / "games.jsonl"
    plan = make_plan(SAME[0], **QUICK, games=4)
    whole = play_games(plan, record=path, workers=1)
    for cut in (5, 60):
        path.write_bytes(path.read_bytes()[:-cut])
        assert without_time(play_games(plan, record=path, workers=1)) == without_time(whole)
        assert "the last line is broken" in capfd.readouterr().err
        assert len([json.loads(line) for line in path.read_text().splitlines()]) == 5


def test_a_first_line_that_was_cut_off_is_written_again(tmp_path):
    path = tmp_path / "games.jsonl"
    plan = make_plan(SAME[0], **QUICK, games=2)
    play_games(plan, record=path, workers=1)
    path.write_bytes(path.read_bytes()[:20])
    play_games(plan, record=path, workers=1)
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x00\xff\n\n", "is not a record of games"),
        (b"[]", "is not a record of games"),
        (
            b'{"form": "anyzero games 1", "game": "hex", "players": []}\n',
            "the record of another run",
        ),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content, says):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(AnyzeroError, match=says):
        play_games(make_plan(SAME[0], **QUICK, games=2), record=path)
    assert path.read_bytes() == content


def test_a_record_of_another_seed_or_with_a_broken_middle_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    plan = make_plan(SAME[0], **QUICK, games=2)
    play_games(plan, record=path, workers=1)
    content = path.read_bytes()
    with pytest.raises(AnyzeroError, match="another run \\(seed 0, not 1\\)"):
        play_games(make_plan(SAME[0], **QUICK, games=2, seed=1), record=path)
    with pytest.raises(AnyzeroError, match="another run \\(legs None, not \\[0\\]\\)"):
        play_games(make_plan(SAME[0], **QUICK, games=2, legs=(0,)), record=path)
    lines = content.splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{broken\n" + lines[2])
    with pytest.raises(AnyzeroError, match="line 2 is not a finished game"):
        play_games(plan, record=path)
    assert path.read_bytes() == lines[0] + b"{broken\n" + lines[2]
    with pytest.raises(AnyzeroError, match="cannot write"):
        play_games(plan, record=tmp_path / "no" / "where")


def test_a_record_of_another_champion_of_the_same_run_is_refused(tmp_path, monkeypatch):
    """A run that trained on has another network under the same name."""
    monkeypatch.chdir(tmp_path)
    game, champion, path = load(SAME[0]), Path("runs/toe/champion.safetensors"), Path("games.jsonl")
    champion.parent.mkdir(parents=True)
    plan = {"players": ("gumbel:1@toe", "random"), "openings": 0}
    save_network(champion, new_network(game, parse_network("1x4"), 1), game)
    first = play_games(make_plan(SAME[0], **plan, games=2), record=path, workers=1)
    assert without_time(
        play_games(make_plan(SAME[0], **plan, games=2), record=path)
    ) == without_time(first)
    content, before = path.read_bytes(), hash_of(champion)
    save_network(champion, new_network(game, parse_network("1x4"), 2), game)
    words = (
        f"another run (networks {{'toe': '{before}'}}, not {{'toe': "
        f"'{hash_of(champion)}'}}); nothing was changed"
    )
    with pytest.raises(AnyzeroError, match=re.escape(words)):
        play_games(make_plan(SAME[0], **plan, games=4), record=path, workers=1)
    assert path.read_bytes() == content


@pytest.mark.processes
def test_all_processes_of_a_match_have_the_champion_that_it_began_with(tmp_path, monkeypatch):
    """The run trains on: each process starts after its champion has been replaced."""
    monkeypatch.chdir(tmp_path)
    game, champion = load(SAME[0]), Path("runs/toe/champion.safetensors")
    champion.parent.mkdir(parents=True)
    save_network(champion, new_network(game, parse_network("1x4"), 1), game)
    begin = Crew.start

    def start(crew):
        champion.unlink(missing_ok=True)
        begin(crew)

    monkeypatch.setattr(Crew, "start", start)
    plan = make_plan(SAME[0], ("gumbel:1@toe", "random"), games=4)
    assert {
        result.reason for _, result in play_all([Task(plan, match) for match in plan.matches()], 2)
    } == {"normal"}


CHANGES = {
    "payoffs": lambda values: values.update(payoffs=[1.0, 1.0]),
    "not a number": lambda values: values.update(payoffs=[float("nan")] * 2),
    "moves": lambda values: values.update(moves=["a1"] * len(values["moves"])),
    "players": lambda values: values.update(players=values["players"][::-1]),
    "reason": lambda values: values.update(reason="resignation", forfeited_by=0),
}


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_a_game_that_was_changed_in_the_record_is_refused(record_of_four, change, sealed):
    plan, path, lines = record_of_four
    values = json.loads(lines[1])
    seal = values.pop("seal")
    CHANGES[change](values)
    path.write_text(
        "\n".join(
            [lines[0], json.dumps(values | ({"seal": seal} if sealed else {})), *lines[2:], ""]
        )
    )
    with pytest.raises(
        AnyzeroError, match=r"line 2 is not a finished game: .*; nothing was changed"
    ):
        play_games(plan, record=path)


def test_games_without_a_seal_are_played_again_from_their_moves(record_of_four, monkeypatch):
    plan, path, lines = record_of_four
    games = [
        {key: value for key, value in json.loads(line).items() if key != "seal"} for line in lines
    ]
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    monkeypatch.setattr("anyzero.tools.arena.workers.Worker", None)  # no process is started
    assert len(play_games(plan, record=path)) == 4


@pytest.fixture(scope="module")
def four_games(tmp_path_factory):
    plan, path = (
        make_plan("tic_tac_toe", **QUICK, games=4),
        tmp_path_factory.mktemp("four") / "games",
    )
    play_games(plan, record=path, workers=1)
    return plan, path.read_text().splitlines()


@pytest.fixture
def record_of_four(four_games, tmp_path):
    plan, lines = four_games
    (tmp_path / "games.jsonl").write_text("\n".join([*lines, ""]))
    return plan, tmp_path / "games.jsonl", lines


def test_two_runs_cannot_write_one_record(tmp_path):
    plan = make_plan(SAME[0], **QUICK, games=2)
    record = Record([plan], tmp_path / "games.jsonl")
    with pytest.raises(AnyzeroError, match="is being written by another run"):
        play_games(plan, record=record.path)
    record.close()
    assert len(play_games(plan, record=record.path, workers=1)) == 2


# --- the real thing, stopped in the middle

PLAYERS = (f"{FAULTY}:fault=slow", "random")
COMMAND = [
    *(sys.executable, "-m", "anyzero", "match", "tic_tac_toe"),
    *PLAYERS,
    "--games",
    "12",
    "--json",
]
COMMAND += ["--openings", "0"]


def start_and_wait(path, num_lines):
    process = subprocess.Popen(
        [*COMMAND, "--record", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") > num_lines:
            return process
        time.sleep(0.01)
    raise AssertionError(process.communicate())


def test_killed_in_the_middle_and_resumed_is_as_if_nothing_had_happened(tmp_path):
    path = tmp_path / "games.jsonl"
    process = start_and_wait(path, 3)
    process.kill()
    process.communicate()
    finished = path.read_bytes().count(b"\n") - 1
    assert 3 <= finished < 12
    again = match("tic_tac_toe", *PLAYERS, games=12, openings=0, record=path)
    matches = [tuple(json.loads(line)["match"]) for line in path.read_text().splitlines()[1:]]
    assert len(matches) == len(set(matches)) == 12
    whole = match("tic_tac_toe", *PLAYERS, games=12, openings=0)
    assert again.to_json() == whole.to_json()
