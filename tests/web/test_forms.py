"""Every game's picture as plain values."""

import json

import pytest

from anyzero.app.web.forms import palette_sheet, scene_values
from anyzero.core.game.load import BUILT_IN, load
from anyzero.views import Cell, Label, Scene
from anyzero.views.svg import PALETTE


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_game_is_drawn_within_its_box_from_plain_values(name):
    game = load(name)
    values = json.loads(json.dumps(scene_values(game.scene(game.initial_state()))))
    left, top, width, height = values["box"]
    for cell in values["cells"]:
        for x, y in cell["outline"]:
            assert left <= x <= left + width
            assert top <= y <= top + height
    names = [cell["name"] for cell in values["cells"]]
    assert {piece["cell"] for piece in values["pieces"]} <= set(names)


def test_a_colour_without_a_role_is_an_error():
    scene = Scene((Cell("a", ((0, 0), (1, 0), (1, 1))),), over=(Label(0, 0, "x", fill="red"),))
    with pytest.raises(ValueError, match="no colour role 'red'"):
        scene_values(scene)


def test_the_sheet_has_every_role_in_light_and_dark():
    sheet = palette_sheet()
    for role, (light, dark) in PALETTE.items():
        assert f"--role-{role}:{light};" in sheet
        assert f"--role-{role}:{dark};" in sheet
        assert f".f-{role}{{" in sheet
