"""A scene as text in the colours of a terminal; `rich` leaves the colours out where there are none."""

from collections.abc import Collection
from itertools import groupby
from typing import TYPE_CHECKING

from anyzero.views.scene import Scene
from anyzero.views.text import canvas_lines, lay_out, letters_text, printable

if TYPE_CHECKING:
    from rich.text import Text

STYLES = {
    "": "",
    "ink": "bold",
    "muted": "dim",
    "accent": "bold magenta",
    "seat0": "bold bright_blue",
    "seat1": "bold dark_orange",
    "seat2": "bold green",
    "seat3": "bold red",
}
"""The look of each role: colours that can be read on a light and on a dark ground."""


def scene_to_terminal(scene: Scene, marked: Collection[str] = ()) -> "Text":
    """What `scene_to_text` writes, in colours."""
    from rich.text import Text

    text = Text(no_wrap=True)
    for line in canvas_lines(lay_out(scene, marked)):
        while line and line[-1].text == " ":
            line.pop()
        for role, letters in groupby(line, key=lambda letter: letter.role):
            text.append(letters_text(letters), STYLES.get(role, "bold"))
        text.append("\n")
    text.append(printable(scene.caption))
    return text
