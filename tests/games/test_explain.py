"""The rules that people read: one text a game, the same in every door and on its page."""

import importlib.util
from pathlib import Path

import pytest

import anyzero
from anyzero.core.game.load import BUILT_IN
from anyzero.tools.laws.explain import SILENT, telling_state

ROOT = Path(__file__).parents[2]


def load_example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_games_page_has_its_rules_and_pictures(name):
    """`python examples/pictures.py` writes them again."""
    page = (ROOT / "docs" / "games" / f"{name}.md").read_text()
    assert f"## Rules\n\n{load_example('pictures').rules_part(name)}" in page
    for end, picture in zip(("-start", ""), anyzero.rules(name).pictures, strict=True):
        assert (ROOT / "docs" / "pictures" / f"{name}{end}.svg").read_text() == picture.svg


@pytest.mark.parametrize("name", BUILT_IN)
def test_rules_say_how_a_move_is_written(name):
    assert " move is " in anyzero.rules(name).paragraphs[-1]


def test_the_example_belongs_to_the_default_options():
    start, telling = anyzero.rules("hex:size=5").pictures
    assert (len(start.cells), len(telling.cells)) == (25, 121)


def test_a_users_rules_are_the_docstring_of_make_or_of_the_file(tmp_path):
    source = (ROOT / "tests" / "race.py").read_text()
    plain, said, silent = (tmp_path / f"{name}.py" for name in ("plain", "said", "silent"))
    plain.write_text(source)
    said.write_text(
        source.replace(
            "    functions =", '    """Count.\n\n    Up to ten.\n    """\n    functions =', 1
        )
    )
    silent.write_text(source.partition("\n\n")[2])
    assert anyzero.rules(str(plain)).paragraphs[0].startswith("A tiny game for tests")
    assert anyzero.rules(str(said)).paragraphs == ["Count.", "Up to ten."]
    assert anyzero.rules(str(silent)).paragraphs == [SILENT]


def test_without_an_example_the_telling_position_is_in_the_middle_of_a_game():
    game = anyzero.load(str(ROOT / "examples" / "tic_tac_toe.py"))
    state = telling_state(game)
    assert 2 <= state.plies <= 4
    assert "to move" in game.show(state).text


def test_seats_without_names_are_counted_from_one():
    assert anyzero.load("chess").seat_name(1) == "black"
    assert anyzero.load(str(ROOT / "tests" / "race.py")).seat_name(1) == "second seat"


def test_a_state_without_a_picture_is_its_fields():
    game = anyzero.load(str(ROOT / "tests" / "race.py"))
    assert game.fields(game.play(game.initial_state(), 3)) == {"total": 3, "mover": 1}
