"""Faulty games of a user's: what `check` would say is said by whatever command meets them first."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anyzero.app.cli.output import load_position
from anyzero.app.records.in_progress import GameInProgress
from anyzero.core.base import extras
from anyzero.core.base.errors import BadGameError
from anyzero.core.base.files import write_whole
from anyzero.core.game import guard
from anyzero.core.game.load import load, load_trusted
from anyzero.core.game.rollouts import rollouts
from anyzero.extras.export import export
from anyzero.tools.laws.apart import TRIAL
from anyzero.tools.laws.check import check_game, judge_all
from anyzero.tools.laws.evidence import Evidence
from anyzero.tools.laws.laws import FATAL
from anyzero.tools.proofs.perft import count_lines
from tests import OWN
from tests.faults.own_games import FAULTS, PICTURE, run_campaign, run_one, write_game
from tests.faults.table import TOLD, Table

RACE = (Path(__file__).parent.parent / "race.py").read_text()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Nothing that another test has checked is known."""
    monkeypatch.setattr(guard, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(guard, "_known", set())


@pytest.fixture
def place():
    """Where the last tests had these games too, so that they are compiled once."""
    folder = OWN / "faulty"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("count huge", "breaks a law of the contract"),
        ("action negative", "the action -20 is not in 0..8"),
        ("write out of range", "out of bounds for axis 0 with size 9, in play"),
        ("payoff not a number", "payoffs leaves a seat without a result"),
        pytest.param(
            "endless choice", "did not return within 3 seconds of processor", marks=pytest.mark.slow
        ),
        ("endless game", "went on for more than max_plies"),
    ],
)
def test_a_few_interpreted_games_tell_what_check_would(tmp_path, fault, says):
    game = load(str(write_game(tmp_path, fault)))
    with pytest.raises(BadGameError, match=says) as caught:
        game.legal_actions(game.initial_state())
    assert str(caught.value).endswith(f"; anyzero check {game.text} has details")
    assert "\n" not in str(caught.value)


def test_a_game_that_does_not_come_back_is_told_by_its_function(tmp_path):
    """In less time than people are given, and here."""
    evidence = Evidence(
        load_trusted(str(write_game(tmp_path, "endless choice"))), **{**TRIAL, "law_s": 0.5}
    )
    result = next(result for result in judge_all(evidence, *FATAL) if not result.ok)
    assert "did not return within 0.5 seconds of processor time, in legal_actions" in result.detail


def test_a_bot_is_not_made_of_a_game_that_nobody_ran(tmp_path):
    with pytest.raises(BadGameError, match="breaks a law of the contract"):
        export(str(write_game(tmp_path, "count huge")), bot=tmp_path / "bot.py", player="uct:20")
    assert not (tmp_path / "bot.py").exists()


PICTURES = [name for name, (part, *_) in FAULTS.items() if part == PICTURE]


@pytest.mark.parametrize(
    "fault", [*PICTURES[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in PICTURES[2:])]
)
def test_a_wrong_picture_is_one_sentence(tmp_path, fault):
    game = load(str(write_game(tmp_path, fault)))
    state = game.initial_state()
    for action in (0, 1, 3, 4, 6):  # to the end, for the caption
        state = game.play(state, action)
    with pytest.raises(BadGameError, match=r".*\.py.*: .*Error: .*; anyzero check") as caught:
        game.show(state)
    assert "\n" not in str(caught.value)


def test_check_does_not_send_people_to_check(tmp_path):
    game = load(str(write_game(tmp_path, "board raises")))
    _, result = check_game(game, "pictures are complete", num_games=1, target="interpreted")
    assert result.detail.endswith("in board, board_raises.py line 88")


def test_what_the_first_games_do_not_show_is_caught_by_the_guards(place):
    """Nothing is tried out here, so that the compiled rules are the first that go wrong."""
    cases = (
        (
            "    return STEP\n",
            "    return 4000 if state.total == 9 else STEP\n",
            "legal_actions returns fewer",
        ),
        (
            "out[state.mover] = -1.0",
            "out[state.mover] = np.nan",
            "payoffs writes a result that is not in",
        ),
        (
            "rules.goal else state.mover",
            "rules.goal else state.mover + 5",
            "seat_to_move returns a number",
        ),
    )
    for number, (old, new, says) in enumerate(cases):
        path = place / f"race{number}.py"
        write_whole(path, RACE.replace(old, new).encode())
        game = load(str(path))
        guard.remember(game.unchecked, guard.TRIED)
        with pytest.raises(BadGameError, match=says):
            rollouts(game, game.initial_state(), 50, seed=1)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("rare endless choice", "its loops turned more than 10,000,000 times in one call"),
        pytest.param("rare endless move", "its loops turned", marks=pytest.mark.slow),
        ("rare endless game", "a game goes on for more than max_plies"),
    ],
)
def test_compiled_loops_without_an_end_end(place, fault, says):
    game = load(str(write_game(place, fault)))
    guard.remember(game.unchecked, guard.TRIED)
    with pytest.raises(BadGameError, match=says):
        rollouts(game, game.initial_state(), 2000, seed=1)


def test_a_game_that_was_checked_runs_as_it_is_and_an_edited_one_guarded_again(tmp_path):
    path = tmp_path / "race.py"
    path.write_text(RACE)
    game = load(str(path))
    assert game.unit.guarded
    assert check_game(game, num_games=1, simulate=False, browser=False).ok
    assert load(str(path)).unit.guarded  # one game says too little
    assert check_game(game, simulate=False, browser=False).ok
    again = load(str(path))
    assert not again.unit.guarded
    played = [rollouts(one, one.initial_state(), 50, seed=3) for one in (game, again)]
    assert played[0].moves.tolist() == played[1].moves.tolist()
    assert load(str(path), goal=12).unit.guarded  # other options, other sizes
    path.write_text(RACE.replace("STEP = 3", "STEP = 2"))
    assert load(str(path)).unit.guarded
    assert not load_trusted(str(path)).unit.guarded
    assert not load("hex").unit.guarded


def test_without_the_laws_an_unchecked_game_runs_guarded_and_untried(tmp_path, monkeypatch):
    path = tmp_path / "race.py"
    path.write_text(RACE + "\n\n# never tried\n")
    missing = extras.PARTS["laws"]._replace(module="anyzero.tools.laws_that_are_not_here")
    monkeypatch.setitem(extras.PARTS, "laws", missing)
    game = load(str(path))
    assert rollouts(game, game.initial_state(), 5, seed=1).moves.all()
    assert game.unit.guarded
    assert not guard.is_trusted(game.unchecked, guard.TRIED)


MOVER = """def format_state(rules, state):
    return f"{state.total} {state.mover}"


def parse_state(rules, state, text):
    state.total, state.mover = [int(word) for word in text.split()]


"""


def test_a_checked_game_runs_guarded_from_a_position_that_is_text(place):
    """No check has seen it: here its mover, an index of the payoffs, is out of range."""
    path = place / "race_text.py"
    source = RACE.replace("payoffs)", "payoffs, format_state, parse_state)")
    write_whole(path, source.replace("def payoffs", f"{MOVER}def payoffs").encode())
    guard.remember(load(str(path)).unchecked, guard.CHECKED)
    assert not load(str(path)).unit.guarded
    game, state = load_position(str(path), "4 10000000000")
    with pytest.raises(BadGameError, match="seat_to_move returns a number that is neither a seat"):
        count_lines(game, state, depth=9, progress=False)
    assert GameInProgress.played(load(str(path)), "4 1", []).game.unit.guarded
    assert not GameInProgress.played(load(str(path)), None, []).game.unit.guarded


def test_a_file_that_a_game_imports_is_a_part_of_it(tmp_path):
    (tmp_path / "race_step.py").write_text("STEP = 3\n")
    path = tmp_path / "race.py"
    path.write_text(RACE.replace("STEP = 3", "import race_step\n\nSTEP = race_step.STEP"))
    before = load(str(path)).unchecked
    assert before
    (tmp_path / "race_step.py").write_text("STEP = 2  # of another length\n")
    path.write_text(path.read_text())
    assert load(str(path)).unchecked != before


def test_threads_that_load_a_file_at_the_same_time_all_have_the_whole_of_it(tmp_path):
    path = tmp_path / "race.py"
    path.write_text(f"import time\n\ntime.sleep(0.2)\n{RACE}")
    with ThreadPoolExecutor(4) as pool:
        assert len({game.name for game in pool.map(load, [str(path)] * 4)}) == 1


def test_every_fault_is_one_of_the_file(tmp_path):
    assert len([write_game(tmp_path, fault) for fault in FAULTS]) > 20


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["caption out of range at the end", "board raises", "rare count"])
def test_whoever_plays_a_faulty_game_in_the_browser_is_told_and_the_server_lives_on(
    tmp_path, fault
):
    assert run_one(fault, "serve", write_game(tmp_path, fault), 120)[0] == TOLD


@pytest.mark.slow
def test_faulty_games_are_told_of_by_every_command(tmp_path):
    table = Table()
    run_campaign(tmp_path, table, every=24)
    assert table.wrong == [], f"\n{table}"
