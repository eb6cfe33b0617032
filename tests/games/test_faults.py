"""What is wrong with a user's game file is said in one sentence with the place, wherever it comes
to light.
"""

from pathlib import Path

import pytest

from anyzero.core.base.errors import BadGameError
from anyzero.core.game.guard import ToldKernel
from anyzero.core.game.load import load, load_trusted
from anyzero.core.game.rollouts import rollouts
from anyzero.tools.laws.apart import check_apart
from anyzero.tools.laws.check import FIRST_LAW, check_game
from anyzero.tools.proofs.perft import perft

RACE = (Path(__file__).parent.parent / "race.py").read_text()
PLAY_LINE = 1 + RACE.splitlines().index("    state.total += action")


def write_race(folder: Path, *changes: tuple[str, str]) -> str:
    """A file with the game of tests/race.py, in which each first text is replaced by the second."""
    source = RACE
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    path = folder / "faulty.py"
    path.write_text(source)
    return str(path)


def log_plies(index: str, size: int) -> tuple[tuple[str, str], ...]:
    """The race keeps a log of `size` actions; each ply writes to this index of it."""
    field = (
        '("mover", np.int64)]',
        f'("mover", np.int64), ("plies", np.int64), ("log", np.int8, {size})]',
    )
    return field, (
        "state.total += action",
        f"state.total += action; state.log[{index}] = 1; state.plies += 1",
    )


def only_broken(text: str) -> tuple[str, str]:
    """The one law that is broken, and what is said of it."""
    (result,) = (result for result in check_apart(load(text)) if not result.ok)
    return result.law, result.detail


def test_an_index_out_of_range_late_in_a_game_is_named_with_function_line_and_ply(tmp_path):
    text = write_race(
        tmp_path, ("goal: int = 10", "goal: int = 400"), *log_plies("state.plies", 100)
    )
    says = (
        "index 100 is out of bounds for axis 0 with size 100, in play, faulty.py line "
        f"{PLAY_LINE}, at ply 100"
    )
    assert only_broken(text) == (FIRST_LAW, f"IndexError: {says}")


def test_a_process_that_dies_breaks_the_law_that_it_was_at(tmp_path):
    """The write goes wrong only later than anything is interpreted."""
    far = log_plies("(state.plies // 2100) * 10**15", 8)
    text = write_race(tmp_path, ("goal: int = 10", "goal: int = 6000"), *far)
    law, says = only_broken(text)
    assert law == FIRST_LAW
    assert "died of SIG" in says
    assert "out of range" in says


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("state.totl += action", "AttributeError: 'record' object has no attribute 'totl'"),
        ("state.total += missing", "NameError: name 'missing' is not defined"),
        ("state.total += action + None", "TypeError: unsupported operand"),
    ],
)
def test_python_s_errors_are_told_with_their_place(tmp_path, line, says):
    (result,) = check_game(load(write_race(tmp_path, ("state.total += action", line))))
    assert (result.law, result.ok) == (FIRST_LAW, False)
    assert result.detail.startswith(says)
    assert result.detail.endswith(f", in play, faulty.py line {PLAY_LINE}, at ply 0")


def test_new_arrays_are_refused_in_words(tmp_path):
    line = "state.total += action; new = np.zeros(3)"
    _, detail = only_broken(write_race(tmp_path, ("state.total += action", line)))
    assert detail.startswith(
        "compiled code cannot make new lists, dicts, strings or arrays (a slice like "
        "cells[:] is one)"
    )
    assert detail.endswith(f"in play, faulty.py line {PLAY_LINE}")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "free = []; state.total += action",
            "compiled code cannot make new lists, dicts, strings or arrays",
        ),
        (
            "state.total += action * TABLE[0]",
            "compiled code cannot use TABLE, a list: make it a tuple or an array",
        ),
        (
            "state.total += action * NAMES[0]",
            "compiled code cannot use NAMES, a dict: it can use numbers, tuples",
        ),
        (
            "global COUNT; COUNT = 1; state.total += action",
            "compiled code cannot change global variables",
        ),
        ("LOG[0] = 1; state.total += action", "compiled code cannot change global variables"),
    ],
)
def test_what_the_compiler_refuses_is_told_in_plain_words(tmp_path, line, says):
    names = "STEP = 3\nTABLE, NAMES, COUNT, LOG = [1], {0: 1}, 0, np.zeros(1)"
    (result,) = check_game(
        load(write_race(tmp_path, ("STEP = 3", names), ("state.total += action", line)))
    )
    detail = result.detail
    assert detail.startswith(says)
    assert detail.endswith(f"in play, faulty.py line {PLAY_LINE + 1}")


def test_a_game_that_draws_its_own_random_numbers_is_told_of_chance(tmp_path):
    pytest.importorskip("wasmtime")
    line = "state.total += action if np.random.random() < 2.0 else 0"
    game = load_trusted(write_race(tmp_path, ("state.total += action", line)))
    _, found = check_game(game, "wasm is interpreted", num_games=2)
    assert not found.ok
    assert (
        "a game draws no random numbers of its own: where chance decides, seat_to_move"
        in found.detail
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("    return STEP", "legal_actions returns None, not a number, at ply 0"),
        (
            "OVER if state.total >= rules.goal else state.mover",
            "seat_to_move returns [], not a number, at ply 0",
        ),
    ],
)
def test_an_answer_that_is_no_number_is_told_with_its_function(tmp_path, line, says):
    assert only_broken(write_race(tmp_path, (line, "    pass" if "STEP" in line else "[]"))) == (
        FIRST_LAW,
        says,
    )


@pytest.mark.parametrize("name", ["score", "state_key", "amaf_key"])
def test_an_optional_function_that_forgets_its_return_is_told_before_anything_is_compiled(
    tmp_path, name
):
    own = (
        ("payoffs)\n", f"payoffs, {name})\n"),
        ("def payoffs(", f"def {name}(*args):\n    args\n\n\ndef payoffs("),
    )
    game = load(write_race(tmp_path, *own))
    with pytest.raises(
        BadGameError, match=f"'{FIRST_LAW}': {name} returns None, not a number, at ply 0; anyzero"
    ):
        game.try_out()


def test_a_result_that_is_not_written_breaks_only_its_law(tmp_path):
    """Compiled and interpreted code agree: both leave it open."""
    game = load_trusted(write_race(tmp_path, ("    out[state.mover] = -1.0\n", "")))
    laws = {
        result.law
        for result in check_game(game, "interpreted is compiled", "payoffs are fair")
        if not result.ok
    }
    assert laws == {"payoffs are fair"}


def test_a_result_that_is_not_written_in_one_game_of_a_hundred_breaks_its_law(tmp_path):
    rare = (
        "    out[state.mover] = -1.0\n",
        "    if state.ones < 6:\n        out[state.mover] = -1.0\n",
    )
    ones = ('("mover", np.int64)]', '("mover", np.int64), ("ones", np.int64)]')
    game = load_trusted(
        write_race(
            tmp_path, rare, ones, ("total += action", "total += action; state.ones += action == 1")
        )
    )
    _, result = check_game(game, "payoffs are fair")
    assert result.detail.startswith("payoffs leaves a seat without a result in game ")


def test_a_game_that_is_too_long_once_in_hundreds_breaks_its_law(tmp_path):
    passes = (
        ("actions[step - 1] = step", "actions[step - 1] = step - 1"),
        ("max_plies=goal", "max_plies=2 * goal"),
    )
    _, result = check_game(load_trusted(write_race(tmp_path, *passes)), "games end")
    assert result.detail == "a game went on for more than max_plies = 20 plies"


def test_an_action_out_of_range_that_play_fails_on_breaks_the_law_on_actions(tmp_path):
    text = write_race(
        tmp_path,
        ("actions[step - 1] = step", "actions[step - 1] = step + 8"),
        *log_plies("action", 4),
    )
    law, detail = only_broken(text)
    assert law == "actions are legal numbers"
    assert detail.startswith("the action 9 is not in 0..3 at ply 0; IndexError: ")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("state.totl += action", "'totl', in play, faulty.py line"),
        ("state.total += action; new = [1]; new.append(2)", "compiled code cannot make new lists"),
        pytest.param("state.total += int(str(action))", "faulty.py line", marks=pytest.mark.slow),
    ],
)
def test_a_user_s_game_that_does_not_compile_is_one_sentence(tmp_path, line, says):
    game = load(write_race(tmp_path, ("state.total += action", line)))
    for use in (
        lambda: perft(game, game.initial_state(), 3),
        lambda: rollouts(game, game.initial_state(), 2),
    ):
        with pytest.raises(BadGameError) as caught:
            use()
        assert str(caught.value).startswith(
            (f"{game.source} does not compile: ", f"{game.source} breaks a law")
        )
        assert says in str(caught.value)
        assert f"anyzero check {game.text} has details" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_checked_game_s_error_in_plain_python_is_one_sentence(tmp_path):
    """Such as at a position that its own parse_state lets through, which no law has seen."""
    game = load_trusted(write_race(tmp_path, *log_plies("state.total", 4)))
    with pytest.raises(BadGameError) as caught:
        game.play(game.initial_state(), 3, 3)
    assert (
        f"index 6 is out of bounds for axis 0 with size 4, in play, faulty.py line {PLAY_LINE}"
        in str(caught.value)
    )


def test_a_built_in_game_s_compiler_keeps_its_own_words():
    assert not isinstance(load("tic_tac_toe").compile(perft), ToldKernel)
