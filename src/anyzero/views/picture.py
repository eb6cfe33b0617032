"""A scene that draws itself: as text in a terminal, as SVG in a notebook or a file."""

from dataclasses import dataclass

from anyzero.views.scene import Scene
from anyzero.views.svg import Theme, scene_to_svg
from anyzero.views.text import scene_to_text


@dataclass(frozen=True)
class Picture:
    scene: Scene
    theme: Theme = "auto"

    @property
    def text(self) -> str:
        return scene_to_text(self.scene)

    @property
    def svg(self) -> str:
        return scene_to_svg(self.scene, self.theme)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text
