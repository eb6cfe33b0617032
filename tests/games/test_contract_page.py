"""docs/contract.md names everything that a game, a board and a shape may have."""

import dataclasses
import re
from pathlib import Path

import pytest

from anyzero.core.game import contract
from anyzero.core.game.facts import Facts, Recipe
from anyzero.core.game.game import Game
from anyzero.views import Board, Cell, Circle, Kind, Label, Polygon
from anyzero.views import Path as Outline

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "contract.md").read_text()
NAMED = set(re.findall(r"`([a-z_0-9]+)[`(\[]", PAGE))
SHOWN = Board((Cell("a1", ((0, 0), (1, 1))),)).shown_dtype.names


def fields(kind):
    return [field.name for field in dataclasses.fields(kind)]


@pytest.mark.parametrize(
    "names",
    [
        contract.COMPILED,
        contract.INTERPRETED,
        SHOWN,
        Recipe._fields,
        *map(fields, (Game, Facts, Board, Kind, Cell, Circle, Polygon, Outline, Label)),
    ],
)
def test_the_page_names_every_part(names):
    assert set(names) - NAMED == set()


def test_a_function_stands_on_the_page_with_its_arguments():
    for name, function in contract.COMPILED.items():
        code = function.__code__
        assert f"`{name}({', '.join(code.co_varnames[: code.co_argcount])})`" in PAGE


def test_the_tutorial_leads_to_the_page():
    assert "(contract.md)" in (DOCS / "tutorial.md").read_text()
