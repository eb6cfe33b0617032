"""The facts of a game: a game in one file has levels, a recipe, a ladder, letters and a page."""

import sys
from pathlib import Path
from zipfile import Path as ZipFolder
from zipfile import ZipFile

import pytest

from anyzero.app.records.files import forms_of
from anyzero.app.web.catalog import describe_game
from anyzero.core.base.errors import BadGameError
from anyzero.core.game.facts import Facts
from anyzero.core.game.load import BUILT_IN, GALLERY, gallery, game_names, games_with, load
from anyzero.tools.arena.ladder import ladder, read_problems
from anyzero.tools.players import split_player
from anyzero.tools.players.engine import from_gtp, to_gtp
from anyzero.tools.players.text import LEVELS, level_text
from anyzero.tools.presets import GENERAL, find_recipe, preset_config, recipes

EXAMPLE = Path(__file__).parents[2] / "examples" / "tic_tac_toe.py"
LINES = """

from pathlib import Path

from anyzero import Facts, Recipe

FACTS = Facts(
    levels=("random", "flat:2", "flat:20", "uct:30", "uct:300"),
    best_method="rave",
    problems=Path(__file__).with_name("problems.txt"),
    on_go_board=True,
    recipes={
        "shop": Recipe(
            "Few simulations",
            changes={"selfplay.simulations": 5},
            laptop={"network": {"kind": "mlp", "width": 16}},
        )
    },
)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch) -> Path:
    """A game with facts in one file, whose package is installed."""
    text = EXAMPLE.read_text().replace("**sizes)", "facts=FACTS, **sizes)") + LINES
    file = tmp_path / "shop_game.py"
    file.write_text(text)
    (tmp_path / "problems.txt").write_text("# the centre\nb2 a1 | c3\n")
    about = tmp_path / "shop_game-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-game\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GALLERY}]\nshop = shop_game\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield file
    sys.modules.pop("shop_game", None)


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_game_in_one_file_has_levels_a_recipe_a_ladder_letters_and_a_page(shop, is_installed):
    name = "shop" if is_installed else str(shop)
    game = load(name)
    assert "shop" in game_names()
    assert "shop" in recipes()
    assert [level_text(game, level) for level in LEVELS] == list(game.facts.levels)
    assert ladder(game)[1] == ("rave:1000", "rave:10000", "rave:100000")
    for preset in (None, "shop"):
        config = preset_config(preset, name)
        assert (config.selfplay.simulations, config.network.width) == (5, 16)
    assert preset_config("shop", None).game == "shop"
    assert (to_gtp("i3", game.facts.on_go_board), from_gtp("J3", game.facts.on_go_board)) == (
        "J3",
        "i3",
    )
    (problem,) = read_problems(game)
    assert load(problem.board).text == game.text
    assert problem.best == {"c3"}
    page = describe_game(game, "shop")
    assert page["levels"] == dict(zip(LEVELS, game.facts.levels, strict=True))
    assert (page["records"], page["advisor"]) == (["json"], None)


def test_a_file_in_the_folder_of_games_is_found_by_its_maker_also_in_a_zip(tmp_path, monkeypatch):
    with ZipFile(tmp_path / "games.zip", "w") as folder:
        folder.writestr("new_game.py", "def make():\n    raise AssertionError\n")
        folder.writestr("a_game.py", "def make(size: int = 3) -> Game:\n    raise AssertionError\n")
        folder.writestr("parts.py", "def make_parts():\n    pass\n")
        folder.writestr("nets/net.toml", "")
    games = ZipFolder(tmp_path / "games.zip")
    monkeypatch.setattr("anyzero.core.game.load.resources.files", lambda name: games)
    assert gallery() == ("a_game", "new_game")


@pytest.mark.parametrize("name", BUILT_IN)
def test_facts_name_players_and_at_most_a_default_recipe_a_device(name):
    game = load(name)
    texts = [text for flight in ladder(game) for text in flight]
    for text in (*game.facts.levels, *texts):
        assert split_player(text).text == text
    for device in ("cpu", "cuda"):
        recipe = find_recipe(None, game, device)[1]
        defaults = [one for one in game.facts.recipes.values() if device in one.default_on]
        assert defaults in ([recipe], []) if recipe is not GENERAL else defaults == []
    assert forms_of(game) == ["json", *{"chess": ["pgn"], "hex": ["sgf"]}.get(name, [])]


def test_recipes_have_different_names():
    names = [name for game in map(load, BUILT_IN) for name in game.facts.recipes]
    assert sorted(names) == sorted(recipes()) == sorted(set(names))


def test_four_levels_are_one_sentence():
    with pytest.raises(BadGameError, match="a game has 5 levels, not 4"):
        Facts(levels=("random", "uct:10", "uct:100", "uct:1000"))


def test_the_game_of_a_fact_is_loaded_only_when_it_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "anyzero.core.game.load.load", lambda name: asked.append(name) or load(name)
    )
    assert next(games_with("uci")).name == "chess"
    assert asked == ["atarigo", "breakthrough", "chess"]
