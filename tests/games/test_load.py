"""From texts to games: names, options, files and entry points; wrong ones are told what would be
right.
"""

import contextlib
import importlib
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anyzero
from anyzero.core.base.errors import AnyzeroError, BadGameError, BadOptionError, UnknownNameError
from anyzero.core.game.definition import split_text
from anyzero.core.game.game import game_text
from anyzero.core.game.guard import source_key
from anyzero.core.game.load import load, load_file

RACE = Path(__file__).parent.parent / "race.py"


def test_options_come_from_the_text_or_by_keyword():
    assert load("breakthrough:rows=5,columns=6").rules[:2] == (5, 6)
    assert load("breakthrough", rows=5, columns=6).rules[:2] == (5, 6)
    assert load("breakthrough:rows=5", columns=6).options == {"rows": 5, "columns": 6}


def test_the_text_of_a_game_loads_the_same_game():
    for text in ("breakthrough:rows=5", "hex:size=3,swap=true", "oware", f"{RACE}:goal=7"):
        assert load(load(text).text).options == load(text).options


def test_a_file_is_a_game():
    game = load(f"{RACE}:goal=5")
    assert game.rules.goal == 5
    assert game.legal_moves(game.initial_state()) == ["1", "2", "3"]


def test_an_edited_file_is_loaded_again(tmp_path):
    copy = tmp_path / "copy.py"
    copy.write_text(RACE.read_text())
    before = load(str(copy))
    copy.write_text(RACE.read_text().replace("STEP = 3", "STEP = 2"))
    after = load(str(copy))
    assert [game.num_actions for game in (before, after)] == [4, 3]


def test_files_of_two_folders_have_their_own_modules_of_the_same_name(tmp_path):
    """Each has a module beside it, which uses a second one, and a package."""
    games = []
    for step in (2, 4):
        folder = tmp_path / f"steps{step}"
        (folder / "sizes").mkdir(parents=True)
        (folder / "largest.py").write_text(f"STEP = {step}\n")
        (folder / "helper.py").write_text(
            "from largest import STEP\ndef longest(rules):\n    return STEP\n"
        )
        (folder / "sizes" / "__init__.py").write_text("from sizes.inner import GOAL\n")
        (folder / "sizes" / "inner.py").write_text(
            f"import helper\nGOAL = 10 * helper.STEP + {step}\n"
        )
        source = RACE.read_text().replace(
            "STEP = 3", "import sizes.inner\nfrom helper import STEP, longest"
        )
        source = source.replace("goal: int = 10", "goal: int = sizes.inner.GOAL").replace(
            "return STEP", "return longest(rules)"
        )
        (folder / "race.py").write_text(source)
        games.append(load(str(folder / "race.py")))
    assert [(game.num_actions, game.rules.goal) for game in games] == [(3, 22), (5, 44)]
    assert [len(game.legal_actions(game.initial_state())) for game in games] == [2, 4]
    assert len({source_key(load_file(Path(game.source)), {}) for game in games}) == 2


def test_an_edit_of_a_module_that_brings_only_a_number_is_noticed(tmp_path):
    (tmp_path / "largest.py").write_text("STEP = 3\n")
    race = tmp_path / "race.py"
    race.write_text(RACE.read_text().replace("STEP = 3", "from largest import STEP"))
    before = source_key(load_file(race), {})
    assert source_key(load_file(race), {}) == before
    (tmp_path / "largest.py").write_text("STEP = 40\n")
    assert source_key(load_file(race), {}) != before


def test_a_module_beside_a_file_is_the_one_that_the_program_has_loaded_from_there(
    tmp_path, monkeypatch
):
    (tmp_path / "own_steps.py").write_text("STEP = 5\n")
    (tmp_path / "race.py").write_text(
        RACE.read_text().replace("STEP = 3", "import own_steps\nSTEP = own_steps.STEP")
    )
    monkeypatch.syspath_prepend(tmp_path)
    own_steps = importlib.import_module("own_steps")
    assert load_file(tmp_path / "race.py").own_steps is own_steps


@pytest.mark.parametrize("first_line", ["", "from __future__ import annotations\n"])
def test_an_option_may_be_one_of_a_few_numbers_or_texts(tmp_path, first_line):
    race = tmp_path / "race.py"
    options = 'goal: Literal[5, 7] = 5, start: Literal["low", "high"] = "low"'
    source = (
        RACE.read_text()
        .replace("goal: int = 10", options)
        .replace("import NamedTuple", "import Literal, NamedTuple")
    )
    race.write_text(first_line + source.partition('"\n')[2])
    assert load(f"{race}:goal=7,start=high").options == {"goal": 7, "start": "high"}
    for wrong, says in (
        ("goal=6", "goal must be one of 5, 7, not 6"),
        ("start=lo", "one of low, high, not 'lo'"),
    ):
        with pytest.raises(BadOptionError, match=says):
            load(f"{race}:{wrong}")


def test_an_option_that_is_a_number_takes_any_number_of_that_value(tmp_path):
    race = tmp_path / "race.py"
    race.write_text(RACE.read_text().replace("goal: int = 10", "goal: int = 10, komi: float = 0.5"))
    options = load(str(race), goal=np.int64(7), komi=7).options
    assert options == {"goal": 7, "komi": 7.0}
    assert [type(value) for value in options.values()] == [int, float]
    for wrong in ({"goal": 7.0}, {"goal": True}, {"komi": True}, {"komi": 10**400}):
        with pytest.raises(BadOptionError, match="needs a"):
            load(str(race), **wrong)


def test_the_numbers_of_a_symmetry_may_be_lists(tmp_path):
    race = tmp_path / "race.py"
    source = RACE.read_text().replace("play, payoffs)", "play, payoffs, symmetries)")
    race.write_text(f"{source}\n\ndef symmetries(rules):\n    return [([], [0, 3, 2, 1])]\n")
    (turn,) = load(str(race)).symmetries
    assert turn.actions[np.array([1, 3])].tolist() == [3, 1]


@pytest.mark.parametrize("name", ["format_action", "notation", "format_state", "symmetries"])
def test_a_value_error_of_a_users_own_text_is_one_sentence_with_its_place(tmp_path, name):
    race = tmp_path / "race.py"
    source = RACE.read_text().replace("play, payoffs)", f"play, payoffs, {name})")
    race.write_text(f"{source}\n\ndef {name}(*args):\n    return 'abc'.index('z')\n")
    game = load(str(race))
    asked = {"format_state": (game.initial_state(),), "symmetries": ()}.get(
        name, (game.initial_state(), 1)
    )
    with pytest.raises(
        BadGameError, match=f"ValueError: substring not found, in {name}, race.py line"
    ):
        _ = getattr(game, name)(*asked) if asked else game.symmetries


def test_an_installed_package_can_bring_a_game(monkeypatch):
    entry = EntryPoint("race", "tests.race", "anyzero.games")
    monkeypatch.setattr("anyzero.core.game.load.entry_points", lambda group: [entry])
    assert load("race:goal=4").rules.goal == 4


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("hax", UnknownNameError, "did you mean hex"),
        ("hex:sise=5", UnknownNameError, "did you mean size"),
        ("hex:size=five", BadOptionError, "a whole number"),
        ("hex:size", BadOptionError, "option=value"),
        ("hex:size=99", BadOptionError, "99"),
        ("hex:swap=maybe", BadOptionError, "true or false"),
        ("./nowhere.py", UnknownNameError, "No such file"),
    ],
)
def test_wrong_texts_get_one_clear_sentence(text, error, says):
    with pytest.raises(error, match=says) as caught:
        load(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import nothing_like_this", "cannot be loaded: ModuleNotFoundError"),
        ("def make(:", "cannot be loaded: SyntaxError"),
        ("x = 1", "no function make"),
        ("def make(): return 3", r"make\(\) returned int, not a Game"),
        ("def make(): pass", r"make\(\) returned NoneType, not a Game"),
        ("raise SystemExit(7)", "cannot be loaded: SystemExit: 7"),
        ("x = 1\nx / 0", "cannot be loaded: ZeroDivisionError: division by zero, bad.py line 2"),
        (
            "def make(): return 1 / 0",
            r"make\(\) failed: ZeroDivisionError: division by zero, in make, bad.py line 1",
        ),
        (
            "def make(): return Gaem()",
            r"make\(\) failed: NameError: name 'Gaem' is not defined, in make, bad.py line 1",
        ),
        ("def make(): exit(3)", r"make\(\) failed: SystemExit: 3, in make, bad.py line 1"),
        (
            "def make(limit, size=3): pass",
            r"the option limit of make\(\) needs a default value, which says its type",
        ),
        (
            "def make(limit=None): pass",
            r"the option limit of make\(\) needs a default value, which says its type",
        ),
    ],
)
def test_a_file_that_is_no_game_says_why(tmp_path, source, says):
    path = tmp_path / "bad.py"
    path.write_text(source)
    with pytest.raises(BadGameError, match=says):
        load(str(path))


def test_a_function_outside_the_contract_is_refused_with_the_nearest_name():
    game = load("breakthrough")

    def legal_action(rules, state, actions):
        return 0

    with pytest.raises(BadGameError, match="did you mean legal_actions"):
        anyzero.Game(
            "bad",
            game.rules,
            game.state,
            [*game.functions, legal_action],
            num_actions=1,
            max_plies=1,
        )
    functions = [function for function in game.functions if function.__name__ != "play"]
    with pytest.raises(BadGameError, match="the function play is missing"):
        anyzero.Game("bad", game.rules, game.state, functions, num_actions=1, max_plies=1)


@pytest.mark.parametrize(
    "rules", [{"size": 3}, (3,), 3, None, object()], ids=lambda rules: type(rules).__name__
)
def test_rules_that_are_no_named_tuple_are_refused_with_what_to_write(rules):
    game, says = (
        load("breakthrough"),
        f"the rules are a {type(rules).__name__}: make them a NamedTuple",
    )
    with pytest.raises(BadGameError, match=says):
        anyzero.Game("bad", rules, game.state, game.functions, num_actions=1, max_plies=1)


@pytest.mark.parametrize("name", ["my game", "my-game", "../game", "", "2048", 7])
def test_a_name_that_is_no_word_is_refused_with_one_that_is(name):
    game = load("breakthrough")
    with pytest.raises(BadGameError, match="has letters, digits and _ only, like my_game"):
        anyzero.Game(name, game.rules, game.state, game.functions, num_actions=1, max_plies=1)


def test_a_name_keeps_its_capitals_in_the_title():
    game = load("breakthrough")
    functions = [
        function for function in game.functions if function.__name__ not in ("board", "draw")
    ]
    assert replace(game, name="MyGame", functions=functions).title == "MyGame"
    assert replace(game, name="my_game", functions=functions).title == "My game"


@given(st.text())
def test_any_text_is_a_game_or_a_clear_error(text):
    split_text(text)
    with contextlib.suppress(AnyzeroError):
        load(text)


def test_a_game_of_ours_that_is_loaded_again_has_its_kernels_already():
    assert load("hex:size=3").unit is load("hex:size=5").unit is not load("chess").unit


def test_a_text_option_keeps_its_capitals():
    assert (
        game_text("./lay.py", {"layout": "Big", "swap": True, "size": 3})
        == "./lay.py:layout=Big,swap=true,size=3"
    )
