"""Every built-in game's picture, at the start, in the middle and at the end of a game of random
moves.
"""

import random
from functools import cache
from itertools import chain
from xml.etree import ElementTree

import pytest

from anyzero.core.game.load import BUILT_IN, load
from anyzero.views import Label, Scene, Shape
from anyzero.views.shapes import describe
from anyzero.views.svg import PALETTE, bounds, content_points, roles_of, scene_to_svg
from anyzero.views.text import scene_to_text

SVG = "{http://www.w3.org/2000/svg}"
GAMES = pytest.mark.parametrize("name", BUILT_IN)


@cache
def scenes(name: str) -> list[Scene]:
    """The pictures of one game, move by move."""
    game, chooser = load(name), random.Random(name)
    state = game.initial_state()
    found = [game.scene(state)]
    while actions := game.legal_actions(state):
        state = game.play(state, chooser.choice(actions))
        found.append(game.scene(state))
        if len(found) > 60:
            break
    return found


def shapes_of(scene: Scene) -> list[Shape]:
    return [*scene.under, *scene.over, *chain.from_iterable(piece.shapes for piece in scene.pieces)]


@GAMES
def test_every_role_has_a_colour(name):
    assert {role for scene in scenes(name) for role in roles_of(scene)} <= set(PALETTE)


@GAMES
def test_the_svg_is_well_formed_and_draws_every_cell_and_piece(name):
    for scene in scenes(name):
        root = ElementTree.fromstring(scene_to_svg(scene))
        layers = {layer.get("class"): layer for layer in root.findall(f"{SVG}g")}
        assert len(layers["cells"]) == len(scene.cells)
        assert (
            len(layers["pieces"]) == len(scene.pieces) if scene.pieces else "pieces" not in layers
        )
        assert (
            len(list(root.iter(f"{SVG}text")))
            == sum(isinstance(shape, Label) for shape in shapes_of(scene)) + 1
        )


@GAMES
def test_pieces_are_named_and_described_in_words(name):
    for scene in scenes(name):
        assert all(piece.name.strip() and piece.text.strip() for piece in scene.pieces)
        assert all(piece.name.lower() in describe(scene).lower() for piece in scene.pieces)


@GAMES
def test_the_caption_says_how_things_stand(name):
    for scene in scenes(name):
        assert scene.caption
        assert len(scene.caption) < 60


@GAMES
def test_the_text_shows_every_piece_and_ends_no_line_in_a_space(name):
    for scene in scenes(name):
        text = scene_to_text(scene)
        assert all(line == line.rstrip() for line in text.split("\n"))
        assert all(
            line.strip() in text for piece in scene.pieces for line in piece.text.split("\n")
        )
        assert max(map(len, text.split("\n"))) < 80


@GAMES
def test_the_picture_is_as_large_as_what_it_shows(name):
    for scene in scenes(name):
        left, top, right, bottom = bounds(scene)
        assert all(left < x < right and top < y < bottom for x, y in content_points(scene))
        assert right - left < 20
        assert bottom - top < 20


@pytest.mark.parametrize(
    ("name", "moves", "marks"),
    [
        ("tic_tac_toe", "a1 a2 b1 b2 c1", 1),
        ("connect_four", "a b a b a b a", 4),
        ("connect_four", "a b b c c d c d d a d", 4),
        ("connect_four", "g f f e e d e d d g d", 4),
        ("hex:size=2", "a1 b1 a2", 2),
        ("atarigo", "b1 a1 a2", 1),
    ],
)
def test_what_won_is_marked(name, moves, marks):
    game = load(name)
    state = game.initial_state()
    before = game.scene(state)
    for move in moves.split():
        state = game.play(state, move)
    assert game.is_over(state)
    assert len(game.scene(state).over) == len(before.over) + marks


def test_the_size_of_a_picture_does_not_jump_during_a_game():
    for name in BUILT_IN:
        sizes = {tuple(bounds(scene)[:2]) for scene in scenes(name)}
        assert len(sizes) <= 2, name
