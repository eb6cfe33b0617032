"""Scenes in colours: the same letters as the plain text, each in the colour of whom it belongs
to.
"""

import anyzero
from anyzero.views import Scene
from anyzero.views.boards import square_cells, square_labels, stone
from anyzero.views.text import STYLES, scene_to_terminal, scene_to_text

STONES = (stone(0, text="X", name="cross").on("a1"), stone(1, text="O", name="nought").on("b2"))
SCENE = Scene(square_cells(2, 2), STONES, over=square_labels(2, 2), caption="X to move")


def test_colours_change_no_letter():
    for name in ("chess", "hex:size=5", "take_it_easy", "oware"):
        game = anyzero.load(name)
        scene = game.scene(game.initial_state())
        assert scene_to_terminal(scene).plain == scene_to_text(scene)
    assert scene_to_terminal(SCENE, ("a1",)).plain == scene_to_text(SCENE, ("a1",))


def test_pieces_have_the_colours_of_their_seats():
    text = scene_to_terminal(SCENE, ("b2",))
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}
    assert styles["X"] == STYLES["seat0"]
    assert styles["O"] == STYLES["seat1"]
    assert styles["["] == styles["]"] == STYLES["accent"]
    assert styles["a"] == styles["."] == STYLES["muted"]
