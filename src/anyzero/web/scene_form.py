"""A scene as plain values, and the palette as a style sheet: the page draws every game from these alone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from anyzero.views.palette import DARK, LIGHT, check_roles
from anyzero.views.scene import Circle, Label, Path, Polygon, Scene, Shape
from anyzero.views.svg import bounds, roles_of
from anyzero.views.words import describe


def scene_values(scene: Scene) -> dict[str, Any]:
    """Everything that is drawn, in board units, with the box around it; clicks are told with the moves."""
    check_roles(roles_of(scene))
    left, top, right, bottom = bounds(replace(scene, caption=""))
    return {
        "box": [left, top, right - left, bottom - top],
        "cells": [
            {"name": cell.name, "outline": cell.outline, "fill": cell.fill, "line": cell.line} for cell in scene.cells
        ],
        "pieces": [
            {
                "cell": piece.cell,
                "name": piece.name,
                "seat": piece.seat,
                "shapes": [shape_values(shape) for shape in piece.shapes],
            }
            for piece in scene.pieces
        ],
        "under": [shape_values(shape) for shape in scene.under],
        "over": [shape_values(shape) for shape in scene.over],
        "caption": scene.caption,
        "title": scene.title,
        "words": describe(scene),
    }


def shape_values(shape: Shape) -> dict[str, Any]:
    match shape:
        case Polygon():
            return {"kind": "polygon", "points": shape.points, **paint(shape)}
        case Circle():
            return {"kind": "circle", "x": shape.x, "y": shape.y, "radius": shape.radius, **paint(shape)}
        case Path():
            place = {"x": shape.x, "y": shape.y, "scale": shape.scale}
            return {"kind": "path", "data": shape.data, **place, **paint(shape)}
        case Label():
            place = {"x": shape.x, "y": shape.y, "size": shape.size}
            return {"kind": "label", "text": shape.text, **place, "fill": shape.fill, "bold": shape.bold}


def paint(shape: Polygon | Circle | Path) -> dict[str, Any]:
    return {"fill": shape.fill, "line": shape.line, "width": shape.width}


def palette_sheet() -> str:
    """The roles as CSS variables, for light and dark, and the classes that use them."""
    rules = [
        f":root{{{variables(LIGHT)}}}",
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{variables(DARK)}}}}}",
        f":root[data-theme=dark]{{{variables(DARK)}}}",
        *(f".f-{role}{{fill:var(--role-{role})}}.s-{role}{{stroke:var(--role-{role})}}" for role in LIGHT),
    ]
    return "\n".join(rules) + "\n"


def variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--role-{role}:{colour};" for role, colour in palette.items())
