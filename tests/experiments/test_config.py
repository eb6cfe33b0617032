"""Config files: what becomes a cell, and one sentence for whatever is wrong, before a game is
played.
"""

import json
import re
from pathlib import Path

import pytest

from anyzero.core.base.errors import AnyzeroError
from anyzero.tools.lab import load_experiment
from anyzero.tools.lab.config import GridConfig, StudentConfig
from anyzero.tools.lab.table import GRID_COLUMNS, STUDENT_COLUMNS

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
GRID = 'games = ["tic_tac_toe"]\npairs = [["uct", "random"]]\nbudgets = [5]\n'
STUDENTS = {
    "grid_sizes": [3],
    "budget_j1": [10, 50],
    "budget_j2": [20],
    "starting_players": [1, 2],
    "strategie": [["rave", "mcts"]],
    "nb_games": 3,
}


def load_text(tmp_path, text, name="grid.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_experiment(path)


def load_students(tmp_path, **changes):
    return load_text(tmp_path, json.dumps({**STUDENTS, **changes}), "students.json")


def players_of(experiment):
    return [cell.plan.players for cell in experiment.cells]


# --- the form of our own


def test_every_combination_is_a_cell_in_the_order_of_the_file(tmp_path):
    found = load_text(
        tmp_path,
        """
        games = [{name = "hex", size = [3, 4], swap = [false, true]}, "tic_tac_toe"]
        pairs = [["rave:{budget},bias=1e-5", "uct"], {first = "uct", second = "random"}]
        budgets = [10, "0.5s"]
        first_seat = ["first", "second"]
        games_per_cell = 7
        seed = 9
        """,
    )
    assert len(found.cells) == len(found.plans) == 5 * 2 * 2 * 2
    first, last = found.cells[0], found.cells[-1]
    assert first.plan.game == "hex:size=3,swap=false"
    assert first.plan.players == ("rave:10,bias=1e-5", "uct:10")
    assert (first.plan.games, first.plan.seed, first.plan.legs) == (7, 9, (0,))
    assert last.plan.game == "tic_tac_toe"
    assert (last.plan.players, last.plan.legs) == (("uct:0.5s", "random"), (1,))
    assert dict(first.place) == {
        "game": "hex",
        "options": "size=3,swap=false",
        "first": "rave:10,bias=1e-5",
        "second": "uct:10",
        "budget_first": 10,
        "budget_second": 10,
        "first_seat": "first",
        "games": 7,
    }
    assert last.place["budget_first"] == "0.5s"
    assert last.place["budget_second"] == ""


def test_two_lists_of_budgets_are_multiplied(tmp_path):
    text = (
        'games = ["hex:size=3"]\npairs = [["rave", "uct"]]\nbudgets_first = [10, '
        "20]\nbudgets_second = [30, 40, 50]"
    )
    found = load_text(tmp_path, text)
    expected = [(f"rave:{one}", f"uct:{two}") for one in (10, 20) for two in (30, 40, 50)]
    assert players_of(found) == expected


def test_budgets_that_make_no_difference_make_no_cell(tmp_path):
    text = (
        'games = ["hex:size=3"]\npairs = [["rave", "random"]]\nbudgets_first = '
        "[10]\nbudgets_second = [30, 40]"
    )
    assert players_of(load_text(tmp_path, text)) == [("rave:10", "random")]
    text = 'games = ["hex:size=3", "hex:size=3,swap=false"]\npairs = [["uct:7", "random"]]'
    assert players_of(load_text(tmp_path, text)) == [("uct:7", "random")]


def test_left_out_settings_have_defaults(tmp_path):
    (cell,) = load_text(tmp_path, GRID).cells
    plan = cell.plan
    assert (plan.games, plan.seed, plan.openings, plan.legs) == (100, 0, 1, (0, 1))
    assert load_text(tmp_path, GRID + "openings = 3").cells[0].plan.openings == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("budget = [5]\n" + GRID, "has no setting 'budget'; did you mean budgets?"),
        ('pairs = [["uct:5", "random"]]', "the experiment has no games"),
        ('games = ["tic_tac_toe"]', "the experiment has no pairs"),
        ('games = ["hox"]\npairs = [["uct:5", "random"]]', "did you mean hex"),
        ('games = [{name = "hex", size = []}]\npairs = [["uct:5", "random"]]', "is empty"),
        ('games = [{size = [3]}]\npairs = [["uct:5", "random"]]', "tables with a name"),
        ("games = [5]\npairs = []", "pairs is empty"),
        ('games = [5]\npairs = [["uct:5", "random"]]', "not 5"),
        ('games = ["tic_tac_toe"]\npairs = [["ucd:5", "random"]]', "did you mean uct"),
        ('games = ["tic_tac_toe"]\npairs = [["uct:5", "random:5"]]', "random play has neither"),
        ('games = ["tic_tac_toe"]\npairs = [["rave:5,bios=1", "random"]]', "did you mean bias"),
        ('games = ["tic_tac_toe"]\npairs = [["uct:5"]]', "must be pairs of players"),
        (
            'games = ["tic_tac_toe"]\npairs = [{frist = "uct:5", second = "random"}]',
            "must be pairs of players",
        ),
        ('games = ["tic_tac_toe"]\npairs = [["uct", "random"]]', "the key budgets is missing"),
        (GRID.replace("[5]", "[0]"), "the budget '0' is not a positive number"),
        (GRID.replace("[5]", "[5.5]"), "not 5.5"),
        (GRID + "budgets_first = [5]", "either budgets, for both players, or"),
        (GRID.replace("budgets", "budgets_first"), "budgets_first needs budgets_second"),
        (GRID + "games_per_cell = 5", "5 is not a positive even number"),
        (GRID + 'games_per_cell = 0\nfirst_seat = "first"', "0 is not a positive number of games"),
        (GRID + "games_per_cell = 100000000", "the grid has 100,000,000 games"),
        (GRID + 'seed = "one"', "seed must be a whole number, not 'one'"),
        (GRID + 'first_seat = "frist"', "did you mean first"),
        (
            GRID.replace("tic_tac_toe", "take_it_easy") + 'first_seat = "first"',
            "take_it_easy has one seat",
        ),
        ("games = [", "is not TOML"),
    ],
)
def test_a_wrong_toml_file_is_one_sentence(tmp_path, text, says):
    with pytest.raises(AnyzeroError) as error:
        load_text(tmp_path, text)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_too_many_options_are_refused_before_they_are_tried(tmp_path):
    sizes = ", ".join(f"o{number} = [{','.join('1' * 9)}]" for number in range(9))
    with pytest.raises(AnyzeroError, match="387,420,489 cells"):
        load_text(tmp_path, f'games = [{{name = "hex", {sizes}}}]\npairs = [["uct:5", "random"]]')


# --- the form of students


def test_students_get_hex_with_one_first_seat_a_cell(tmp_path):
    found = load_students(tmp_path)
    assert [tuple(cell.place.values()) for cell in found.cells] == [
        (3, 10, 20, "rave", "mcts", 3, 1),
        (3, 10, 20, "rave", "mcts", 3, 2),
        (3, 50, 20, "rave", "mcts", 3, 1),
        (3, 50, 20, "rave", "mcts", 3, 2),
    ]
    plan = found.cells[1].plan
    assert (plan.game, plan.players) == ("hex:size=3,swap=false", ("rave:10", "uct:20"))
    assert (plan.games, plan.legs, plan.openings) == (3, (1,), 1)


@pytest.mark.parametrize(
    "written",
    [
        [["rave", "mcts"]],
        ["rave", "mcts"],
        "rave-mcts",
        ["RAVE vs MCTS"],
        [{"j1": "rave", "j2": "mcts"}],
        [{"J2": "mcts", "J1": "Rave"}],
    ],
)
def test_strategies_may_be_written_in_several_ways(tmp_path, written):
    assert set(players_of(load_students(tmp_path, strategie=written))) == {
        ("rave:10", "uct:20"),
        ("rave:50", "uct:20"),
    }


@pytest.mark.parametrize(
    "written",
    [
        ["gumbel:8@my-run", "puct:8@your-run"],
        [["gumbel:8@my-run", "puct:8@your-run"]],
        ["gumbel:8@my-run - puct:8@your-run"],
    ],
)
def test_a_dash_in_the_name_of_a_run_parts_no_players(written):
    config = GridConfig.parse({"games": ["tic_tac_toe"], "budgets": [8], "pairs": written})
    assert config.pairs == (("gumbel:8@my-run", "puct:8@your-run"),)


@pytest.mark.parametrize("player", ["./my-bot.py", "my-bot.py", "uci:my-engine"])
def test_a_dash_in_a_file_or_a_program_parts_no_players(player):
    config = GridConfig.parse(
        {"games": ["tic_tac_toe"], "budgets": [8], "pairs": [player, "uct:8"]}
    )
    assert config.pairs == ((player, "uct:8"),)


def test_our_own_methods_options_and_random_play_are_strategies_too(tmp_path):
    found = load_students(
        tmp_path,
        strategie=[["grave:{budget},bias=1e-5", "random"]],
        budget_j2=20,
        seed=4,
        openings=0,
    )
    assert set(players_of(found)) == {
        ("grave:10,bias=1e-5", "random"),
        ("grave:50,bias=1e-5", "random"),
    }
    assert (found.cells[0].plan.seed, found.cells[0].plan.openings) == (4, 0)
    found = load_students(tmp_path, strategie="rave:{budget},bias=1e-5 vs flat", budget_j1=10)
    assert set(players_of(found)) == {("rave:10,bias=1e-5", "flat:20")}


def test_a_budget_that_random_play_does_not_use_is_a_row_but_no_second_plan(tmp_path):
    found = load_students(tmp_path, strategie=[["random", "mcts"]])
    assert (len(found.cells), len(found.plans)) == (4, 2)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"grid_size": [3]}, "did you mean grid_sizes?"),
        ({"grid_sizes": [1]}, "from 2 to 19, not 1"),
        ({"grid_sizes": []}, "grid_sizes is empty"),
        ({"grid_sizes": ["big"]}, "grid_sizes.0 must be a whole number"),
        ({"budget_j1": [0]}, "the budget '0' is not a positive number"),
        ({"starting_players": [3]}, "starting_players must be 1 or 2, not [3]"),
        ({"strategie": [["rave"]]}, "strategie must be pairs of players"),
        ({"strategie": [{"j1": "rave"}]}, "strategie must be pairs of players"),
        ({"strategie": [["rave", "mtcs"]]}, "there is no player 'mtcs'"),
        ({"nb_games": 0}, "0 is not a positive number of games"),
    ],
)
def test_a_wrong_json_file_is_one_sentence(tmp_path, changes, says):
    with pytest.raises(AnyzeroError) as error:
        load_students(tmp_path, **changes)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


# --- files


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("grid.json", b"{", "is not JSON"),
        ("grid.json", b"[1, 2]", "must be an object with keys"),
        ("grid.json", b"[" * 100_000, "is not JSON"),
        ("grid.toml", b"\xff\xfe", "is not TOML"),
        ("grid.yaml", b"", "is a .toml or a .json file"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AnyzeroError, match=says):
        load_experiment(path)
    with pytest.raises(AnyzeroError, match="cannot read"):
        load_experiment(tmp_path / "nowhere.toml")


def test_the_examples_are_what_they_say():
    students = load_experiment(EXAMPLES / "hex_students.json")
    assert {cell.place["GridSize"] for cell in students.cells} == {3, 4}
    rave = load_experiment(EXAMPLES / "hex_rave.toml")
    sizes = [(cell.place["options"], cell.place["budget_first"]) for cell in rave.cells]
    assert sizes == [
        (f"size={size},swap=false", budget)
        for size in (5, 7, 9, 11)
        for budget in (100, 500, 1000, 5000)
    ]
    assert {cell.plan.games for cell in rave.cells} == {200}
    table = load_experiment(EXAMPLES / "grave_table.toml")
    assert [cell.plan.players for cell in table.cells[:2]] == [
        ("rave:1000", "uct:1000"),
        ("grave:1000", "rave:1000"),
    ]
    assert [cell.place["game"] for cell in table.cells[::2]] == [
        "atarigo",
        "knightthrough",
        "domineering",
    ]
    assert {cell.plan.games for cell in table.cells} == {400}


def test_the_files_of_the_documentation_are_right(tmp_path):
    page = (ROOT / "docs" / "experiments.md").read_text()
    (grid,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    found = load_text(tmp_path, grid)
    assert len(found.cells) == 3 * 3 * 3
    assert found.cells[6].plan.players == ("uct:100", "random")
    (students,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    assert json.loads(students) == json.loads((EXAMPLES / "hex_students.json").read_text())
    for column in (*GRID_COLUMNS, ", ".join(STUDENT_COLUMNS)):
        assert column in page
    for key in (*GridConfig.model_fields, *StudentConfig.model_fields):
        assert f"`{key}`" in page or f'"{key}"' in page
