"""A scene that draws itself: text in a terminal, SVG in a notebook or a file. What draws is imported when it draws."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anyzero.views.scene import Scene

if TYPE_CHECKING:
    from anyzero.views.svg import Theme


@dataclass(frozen=True)
class Picture:
    scene: Scene
    theme: "Theme" = "auto"

    @property
    def text(self) -> str:
        from anyzero.views.text import scene_to_text

        return scene_to_text(self.scene)

    @property
    def svg(self) -> str:
        from anyzero.views.svg import scene_to_svg

        return scene_to_svg(self.scene, self.theme)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text
