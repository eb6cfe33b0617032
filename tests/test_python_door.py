"""The Python door: what `anyzero` offers, its page, and the notebook, run with small budgets."""

import inspect
import json
import re
import sys
from pathlib import Path

import pytest

import anyzero
from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.report import Shown

pytestmark = pytest.mark.usefixtures("games_here")

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "python.md").read_text()
TOE = anyzero.load("tic_tac_toe")
FUNCTIONS = [name for name in anyzero.__all__ if inspect.isfunction(anyzero.find(name))]
SMALL = {
    "simulations": 10,
    "games": 2,
    "training": {
        "generations": 1,
        "threads": 1,
        "network": {"blocks": 1, "channels": 8},
        "selfplay": {"games": 8, "simulations": 4},
        "league": {"games": 4, "anchors": ("random",)},
    },
}
"""In the place of what the first cell of the tour sets."""
NOTEBOOKS = {"tour": SMALL, "methods": {"simulations": 10, "games": 2, "sizes": (5,)}}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_says_what_it_does_with_types_and_an_example(name):
    function = anyzero.find(name)
    assert ">>> " in inspect.getdoc(function)
    hints = inspect.get_annotations(function)
    assert set(hints) == {*inspect.signature(function).parameters, "return"}


def test_search_is_a_plain_function_also_where_its_folder_is_loaded():
    import anyzero.core.search

    assert inspect.isfunction(anyzero.search)
    assert anyzero.search is anyzero.find("search")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: anyzero.match(3, "random", "random", games=2), "the game must be a text, not 3"),
        (lambda: anyzero.load(3), "the game must be a text, not 3"),
        (lambda: anyzero.check_game(Path("nobody.py")), "cannot read the game file nobody.py"),
        (
            lambda: anyzero.check_game(TOE, numgames=2),
            "there is no option 'numgames'; did you mean num_games?",
        ),
        (lambda: anyzero.player(Path("nobody.py")), "cannot read the player file nobody.py"),
        (
            lambda: anyzero.player("random").move(TOE, "xxx/oo1/3 o"),
            "there is no move to choose, the game is over",
        ),
        (lambda: anyzero.match(TOE, "uct:1", 3), "the player must be a text, not 3"),
        (
            lambda: anyzero.match(TOE, "uct:1", "random", sprt=3),
            "sprt needs two Elo differences, such as .* not 3",
        ),
        (
            lambda: anyzero.match(TOE, "uct:1", "random", games=2, workers=0),
            "workers is 0, and at least one is needed",
        ),
        (lambda: anyzero.tournament(TOE, "random"), "at least two players are needed"),
        (
            lambda: anyzero.rate(Path("nobody.safetensors"), TOE),
            "there is no network 'nobody.safetensors'",
        ),
        (
            lambda: anyzero.rate("@best", TOE, record="games.jsonl"),
            "name it with folder= instead of record=",
        ),
        (lambda: anyzero.train(TOE, run=3), "the run must be a text, not 3"),
        (lambda: TOE.parse_action(TOE.initial_state(), 4), "the move must be a text, not 4"),
        (lambda: anyzero.train(TOE, run="nobody", match=-2), "a match of -2 games is not possible"),
        (lambda: anyzero.solve(TOE, max_memory="all"), "a table of all MB is not possible"),
        (lambda: TOE.parse_state(3), "the position must be a text, not 3"),
        (lambda: anyzero.search(TOE, method=3), "the method must be a text, not 3"),
        (
            lambda: anyzero.search(TOE, method="uct:9", target="cuda"),
            "a GPU searches thousands, with search_many",
        ),
        (lambda: anyzero.load(Path("nobody.py")), "cannot read the game file nobody.py"),
        (
            lambda: anyzero.search("tic_tac_toe", method="uct:9", target="gpu"),
            "there is no target 'gpu'; did you mean cpu?",
        ),
        (
            lambda: anyzero.search_many(TOE, [], "uct", simulations=9),
            "tic_tac_toe: there are no positions to search",
        ),
        (
            lambda: anyzero.match("tic_tac_toe", "random", "random", gmes=2),
            "setting 'gmes'; did you mean games?",
        ),
        (
            lambda: anyzero.train("tic_tac_toe", generations=-1),
            "^generations must be from 0 to 1000000, not -1$",
        ),
        (
            lambda: anyzero.check_game("tic_tac_toe", "moves are legal"),
            "there is no law 'moves are legal'",
        ),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(call, says):
    with pytest.raises(AnyzeroError, match=says):
        call()


def test_a_search_on_a_gpu_where_there_is_none_is_told(monkeypatch):
    gpu = pytest.importorskip("anyzero.core.compile.gpu")
    monkeypatch.setattr(gpu, "is_available", lambda: False)
    with pytest.raises(
        AnyzeroError, match="the target cuda needs an NVIDIA GPU, and none was found here"
    ):
        anyzero.search_many(TOE, [TOE.initial_state()], "uct", simulations=9, target="cuda")


def test_all_names_are_listed():
    assert dir(anyzero) == sorted([*anyzero.__all__, "__version__"])


def test_the_page_shows_every_function():
    for name in FUNCTIONS:
        assert f"anyzero.{name}(" in PAGE or f"`{name}" in PAGE, name


def test_the_examples_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = (
        '"simulations": 8}, gate={"games": 4}, league={"games": 2}, network={"blocks": '
        '1, "channels": 16}'
    )
    quick = PAGE.replace('"simulations": 8}', small)
    blocks = re.findall(r"```python\n(.*?)```", quick, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert {"ratings.png", "toe.png", "estimates.png"} <= {path.name for path in tmp_path.iterdir()}
    for name in ("result", "standings", "table", "run", "study"):
        assert isinstance(names[name], Shown)
        assert "<table>" in names[name]._repr_html_()
        assert json.dumps(names[name].to_json())
    assert names["run"].champion == "gumbel:64@toe"


def results():
    games = {"games": 2, "progress": False}
    return {
        "children": anyzero.search("tic_tac_toe", method="uct:50"),
        "moves": anyzero.solve("tic_tac_toe", "xo1/3/3 x"),
        "one match": anyzero.match("tic_tac_toe", "uct:5", "random", **games),
        "players": anyzero.tournament("tic_tac_toe", ["uct:5", "random"], **games),
        "nets": anyzero.nets(),
    }


NUMBERS = {
    "children": ["visits", "value", "prior"],
    "moves": ["value"],
    "one match": ["wins", "draws", "losses", "score", "elo", "elo_low", "elo_high"],
    "players": ["rating", "points", "score"],
    "nets": ["made.minutes"],
}


def test_a_table_for_programs_has_numbers_a_row_for_each_thing():
    found = {name: result.records() for name, result in results().items()}
    rows = {name: len(records) for name, records in found.items()}
    assert rows == {"children": 9, "moves": 7, "one match": 1, "players": 2, "nets": 10}
    assert found["one match"][0]["first"] == "uct:5"
    for name in ("children", "one match", "players"):
        assert all(
            isinstance(row[key], int | float) for row in found[name] for key in NUMBERS[name]
        )


def test_without_pandas_a_table_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(AnyzeroError, match="pip install pandas"):
        anyzero.nets().to_dataframe()


def test_a_data_frame_has_columns_of_numbers():
    pytest.importorskip("pandas")
    for name, result in results().items():
        assert set(result.to_dataframe()[NUMBERS[name]].dtypes.map(lambda dtype: dtype.kind)) <= {
            "i",
            "f",
        }, name


def code_cells(name):
    path = ROOT / "examples" / f"{name}.ipynb"
    assert path.stat().st_size < 300_000
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_executed(name):
    cells = code_cells(name)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert cells[-1]["outputs"]


@pytest.mark.slow  # each compiles Hex for several methods and a net
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, cell in enumerate(code_cells(name)):
        exec("".join(cell["source"]), names)
        if number == 0:
            assert set(NOTEBOOKS[name]) <= set(names)
            names |= NOTEBOOKS[name]
    assert names["game"].name == "hex"


def test_a_game_shows_its_sizes_and_its_start_in_a_notebook():
    shown = anyzero.load("hex", size=3)._repr_html_()
    assert "<td>9</td>" in shown
    assert "<svg" in shown


def test_a_notebook_gets_a_bar_that_leaves_nothing(monkeypatch):
    from types import ModuleType, SimpleNamespace

    from anyzero.tools import progress

    shown = []
    shell = ModuleType("IPython.display")
    shell.HTML = str
    shell.display = lambda text, display_id: SimpleNamespace(update=shown.append)
    monkeypatch.setitem(__import__("sys").modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", shell)
    with progress.progress("playing", 4) as tell:
        tell(2, words="+1 <=0")
    assert shown == ['<progress value="2" max="4"></progress> +1 &lt;=0 2/4', ""]
