"""What a check says it saw, and what it suspects of games with a planted fault."""

from dataclasses import replace
from pathlib import Path

import pytest

from anyzero.core.base.errors import BadGameError
from anyzero.core.game.load import load
from anyzero.tools.laws.check import LawResult, LawResults
from anyzero.tools.laws.evidence import Evidence
from anyzero.tools.laws.random_play import look

GAME = (Path(__file__).parents[2] / "examples" / "tic_tac_toe.py").read_text()


def seen(text):
    game = load(text)
    return look(game, Evidence(game, target="interpreted", num_games=16).records)


def planted(folder, old, new):
    path = folder / "my_game.py"
    assert old in GAME
    path.write_text(GAME.replace(old, new, 1))
    return str(path)


def test_a_right_game_is_counted_and_nothing_is_suspected():
    found = seen("tic_tac_toe")
    assert (found.games, found.unfinished, found.warnings) == (16, 0, [])
    assert sum(found.wins) + found.draws == 16
    assert found.last_mover_wins == sum(found.wins)  # the line is the last move
    assert found.plies == found.moves


def test_the_report_says_it_in_three_lines():
    first, results, moves = replace(seen("tic_tac_toe"), draws=1).report()
    assert first.startswith("16 random games of ")
    assert results.startswith("x won ")
    assert ", 1 draw; the last mover won" in results
    assert "0.0 % were passes" in moves


def test_a_game_of_one_seat_has_a_mean_payoff_instead_of_wins():
    _, results, _ = seen("take_it_easy").report()
    assert results.startswith("mean payoff -0.9")


def test_payoffs_of_the_wrong_sign_are_suspected(tmp_path):
    found = seen(
        planted(
            tmp_path, "out[1 - state.mover] = won", "won = -won\n    out[1 - state.mover] = won"
        )
    )
    (warning,) = found.warnings
    assert warning.startswith("the last mover lost all")
    assert warning.endswith("does payoffs have the right sign?")


def test_a_seat_that_never_moves_is_named(tmp_path):
    found = seen(planted(tmp_path, "    state.mover = 1 - state.mover\n", ""))
    assert "second seat never moves: does play change whose turn it is?" in found.warnings


def test_a_cell_that_is_played_twice_is_named(tmp_path):
    found = seen(planted(tmp_path, "if state.cells[cell] == 0:", "if cell >= 0:"))
    (warning,) = found.warnings
    assert warning.endswith(
        "is played although cells marks it as occupied: does legal_actions skip occupied cells?"
    )


def test_a_list_in_the_rules_is_refused_with_its_field(tmp_path):
    path = planted(tmp_path, "Rules(np.array(LINES))", "Rules(LINES)")
    with pytest.raises(
        BadGameError, match="the rules hold no list, but lines is one: make it an array"
    ):
        load(path)


@pytest.mark.parametrize("form", ["object", "list", "np.float16", '"U3"', '"banana"'])
def test_a_field_that_is_no_number_is_refused_with_its_name(tmp_path, form):
    path = planted(tmp_path, '("mover", np.int8)', f'("mover", {form})')
    with pytest.raises(
        BadGameError, match=r"the field mover of the state needs a number type such as np\.int8"
    ):
        load(path)


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ('"mover"', "the field mover of the state needs a number type"),
        ('("round", np.int8)', "NumPy method: rename it"),
        ('("cells", np.int8)', "'cells' occurs more"),
    ],
)
def test_a_field_without_a_type_or_with_the_name_of_another_is_refused(tmp_path, field, says):
    path = planted(tmp_path, '("mover", np.int8)', field)
    with pytest.raises(BadGameError, match=says):
        load(path)


def test_a_shape_without_its_comma_is_refused(tmp_path):
    path = planted(tmp_path, "(2, 3, 3)", "(18)")
    with pytest.raises(
        BadGameError, match=r"planes_shape is 18, not a tuple such as \(2, 3, 3\) or \(18,\)"
    ):
        load(path)


def test_a_law_that_could_not_be_checked_is_not_called_ok():
    results = LawResults(
        "a game",
        [LawResult("one", True, "It holds."), LawResult("two", True, "not checked: no text")],
    )
    assert [result.verdict for result in results] == ["ok", "-"]
    assert [*results.report()][-1] == "a game: all laws hold, 1 could not be checked"
    assert [law["checked"] for law in results.to_json()["laws"]] == [True, False]


@pytest.mark.parametrize(
    ("plies", "suspected"), [("0", []), ("state.plies", ["does it count moves?"])]
)
def test_a_key_that_counts_moves_is_suspected(tmp_path, plies, suspected):
    source = (Path(__file__).parents[2] / "examples" / "pig.py").read_text()
    parts = (
        plies,
        "state.rolling",
        "state.mover",
        "state.turn",
        "state.points[0]",
        "state.points[1]",
    )
    bits = " | ".join(f"int({part}) << {8 * place}" for place, part in enumerate(parts))
    own = f"def state_key(rules, state):\n    return np.uint64({bits})\n\n\ndef payoffs("
    path = tmp_path / "pig.py"
    path.write_text(
        source.replace("        payoffs,", "        payoffs,\n        state_key,", 1).replace(
            "def payoffs(", own, 1
        )
    )
    assert [warning[-20:] for warning in seen(str(path)).warnings] == suspected
