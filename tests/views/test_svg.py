"""Scenes as SVG: well-formed, complete, and safe whatever the names are."""

import re
from xml.etree import ElementTree

import pytest

from anyzero.views import Cell, Circle, Kind, Label, Path, Polygon, Scene
from anyzero.views.boards import segment, square_cells, square_frame, square_labels, stone
from anyzero.views.svg import DARK, LIGHT, number, scene_to_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('1')</script> & \" ]]> \x00\x1b\ud800"


def parse(scene: Scene) -> ElementTree.Element:
    return ElementTree.fromstring(scene_to_svg(scene))


def group(root: ElementTree.Element, name: str) -> ElementTree.Element:
    found = root.find(f"{SVG}g[@class='{name}']")
    assert found is not None
    return found


def small_scene(**more) -> Scene:
    stones = (stone(0, text="X", name="cross").on("a1"), stone(1, text="O", name="nought").on("b2"))
    labels = square_labels(2, 2)
    return Scene(
        square_cells(2, 2), stones, (square_frame(2, 2),), labels, caption="X to move", **more
    )


def test_every_part_of_the_scene_is_drawn_in_its_layer():
    root = parse(small_scene())
    assert [layer.get("class") for layer in root.findall(f"{SVG}g")] == [
        "under",
        "cells",
        "pieces",
        "over",
        "caption",
    ]
    assert len(group(root, "under").findall(f"{SVG}polygon")) == 1
    assert len(group(root, "cells").findall(f"{SVG}polygon")) == 4
    assert len(group(root, "pieces").findall(f"{SVG}g")) == 2
    assert (
        len(group(root, "pieces").findall(f".//{SVG}circle")) == 3
    )  # the second seat's stone has a ring
    assert [label.text for label in group(root, "over")] == ["a", "b", "1", "2"]
    assert [label.text for label in group(root, "caption")] == ["X to move"]


def test_the_picture_is_one_image_with_a_name_and_a_description():
    root = parse(small_scene(title="Tic-tac-toe"))
    assert root.get("role") == "img"
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == "Tic-tac-toe"
    assert root[1].text == "Cross on a1. Nought on b2. X to move."


def test_pieces_of_one_kind_are_described_together():
    pieces = tuple(stone(0, text="w", name="white pawn").on(cell) for cell in ("a1", "b1"))
    assert parse(Scene(square_cells(1, 2), pieces))[1].text == "White pawn on a1, b1."
    assert parse(Scene(square_cells(1, 2)))[1].text == "The board is empty."


def test_a_picture_without_a_title_is_named_by_its_caption():
    assert parse(small_scene())[0].text == "X to move"
    assert parse(Scene(square_cells(1, 1)))[0].text == "Board"


def test_a_piece_is_moved_to_the_middle_of_its_cell_and_says_what_it_is():
    cross = group(parse(small_scene()), "pieces")[0]
    assert cross.get("transform") == "translate(0 1)"
    assert [child.text for child in cross.findall(f"{SVG}title")] == ["cross a1"]


def test_hostile_names_stay_text():
    cell = Cell(HOSTILE, ((0, 0), (1, 0), (1, 1)))
    shapes = (Label(0, 0, HOSTILE), Path('M0 0"/><script>'))
    scene = Scene(
        (cell,), (Kind(HOSTILE, HOSTILE, shapes).on(HOSTILE),), caption=HOSTILE, title=HOSTILE
    )
    root = parse(scene)
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    seen = "<script>alert('1')</script> & \" ]]> \ufffd\ufffd\ufffd"
    assert root[0].text == seen
    assert [text.text for text in root.iter(f"{SVG}text")] == [seen, seen]


def test_nothing_is_loaded_from_outside_and_no_variables_are_used():
    svg = scene_to_svg(small_scene())
    assert not re.search(r"url\(|href|@import|var\(|<script|--", svg)
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]


def test_the_theme_is_the_viewers():
    light, _, dark = scene_to_svg(small_scene()).partition("@media(prefers-color-scheme:dark)")
    assert LIGHT["board"] in light
    assert DARK["board"] in dark
    assert DARK["board"] not in light
    assert LIGHT["board"] not in dark


def test_a_picture_colours_nothing_else_on_its_page():
    rules = re.findall(r"([^{}]+)\{fill", scene_to_svg(small_scene()))
    assert rules
    assert all(".anyzero-auto ." in rule for rule in rules)


def test_an_unknown_role_is_refused():
    with pytest.raises(ValueError, match="no colour role 'bord'; did you mean 'board'"):
        scene_to_svg(Scene((Cell("a", ((0, 0), (1, 0), (1, 1)), "bord"),)))


def test_every_class_in_use_has_a_rule_and_every_rule_is_used():
    svg = scene_to_svg(small_scene())
    used = {name for names in re.findall(r'class="([fs]-[^"]*)"', svg) for name in names.split()}
    ruled = set(re.findall(r"\.([fs]-[a-z0-9-]+)\{", svg))
    assert used <= ruled
    assert {name[2:] for name in ruled} == {name[2:] for name in used}


def test_the_picture_holds_everything_with_a_margin():
    scene = Scene(square_cells(2, 2), over=(Label(5, 0, "far away", 0.5), Circle(0, 4, 1, "ink")))
    left, top, width, height = map(float, (parse(scene).get("viewBox") or "").split())
    assert left < -1
    assert top < -0.5
    assert left + width > 6
    assert top + height > 5


def test_a_long_caption_widens_the_picture():
    narrow, wide = (parse(Scene(square_cells(1, 1), caption=text)) for text in ("x", "x" * 60))
    assert float(wide.get("width") or 0) > 5 * float(narrow.get("width") or 0)


def test_a_line_keeps_its_width_in_a_scaled_path():
    shapes = (
        Path("M0 0H40", "none", "ink", 0.04, scale=0.01),
        segment((0, 0), (1, 0.5), "ink", 0.04),
    )
    paths = list(parse(Scene(square_cells(1, 1), over=shapes)).iter(f"{SVG}path"))
    assert [path.get("stroke-width") for path in paths] == ["4", "0.04"]
    assert [path.get("d") for path in paths] == ["M0 0H40", "M0 0L1 0.5"]


def test_an_outline_without_fill_is_hollow():
    (hollow,) = group(
        parse(Scene(square_cells(1, 1), under=(Polygon(((0, 0), (1, 1)), line="ink"),))), "under"
    )
    assert hollow.get("fill") == "none"
    assert hollow.get("class") == "s-ink"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-0.0001, "0"),
        (0.1 + 0.2, "0.3"),
        (10.0, "10"),
        (-1.25, "-1.25"),
        (1 / 3, "0.333"),
        (1e-9, "0"),
    ],
)
def test_numbers_are_short(value, text):
    assert number(value) == text


def test_a_picture_draws_itself_in_a_notebook():
    picture = small_scene()
    assert picture._repr_svg_() == picture.svg == scene_to_svg(small_scene())


def test_a_scene_without_cells_is_still_a_picture():
    assert parse(Scene(())).tag == f"{SVG}svg"
