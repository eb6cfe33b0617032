"""A scene as SVG: one self-contained document, in light or dark as its viewer prefers.

Colours are classes (`f-ROLE` fills, `s-ROLE` strokes); their rules begin with a class of the
picture, because a page may contain other things.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from html import escape

from anyzero.views.shapes import Circle, Label, Path, Picture, Point, Polygon, Shape, describe

SERIES = (
    "#9ca29c",
    "#ffa9d3",
    "#ae8aba",
    "#6399fb",
    "#3fdcf0",
    "#dc5e57",
    "#c2eb6c",
    "#f68c41",
    "#f9ce00",
)
PALETTE: Mapping[str, tuple[str, str]] = {
    # role: (light, dark)
    "page": ("#ffffff", "#15181d"),
    "ink": ("#26221c", "#eceae4"),
    "muted": ("#564d40", "#cccfd4"),
    # boards
    "board": ("#f5e6c8", "#4d5766"),
    "board-dark": ("#dcbd8e", "#39424f"),
    "frame": ("#9c7343", "#262c35"),
    "line": ("#a9854f", "#2b323c"),
    "grid": ("#8a6a3c", "#8e98a8"),
    # colours of the seats
    "seat0": ("#0f5c9c", "#5ab1ef"),
    "seat0-edge": ("#07355c", "#0c2c47"),
    "seat1": ("#d2500a", "#ffb45e"),
    "seat1-edge": ("#6e2503", "#4f2600"),
    "seat2": ("#14110e", "#14110e"),
    "seat2-edge": ("#000000", "#c9ccd2"),
    "seat3": ("#fffdf8", "#f3f0e8"),
    "seat3-edge": ("#2b2621", "#1c1f24"),
    # white and black pieces, with their outlines and inner lines
    "white-piece": ("#fffdf8", "#f3f0e8"),
    "piece-edge": ("#2b2621", "#1c1f24"),
    "black-piece": ("#2b2621", "#16181c"),
    "black-edge": ("#14110e", "#c9ccd2"),
    "black-inner": ("#f0e4cc", "#c9ccd2"),
    # highlights
    "accent": ("#a3195b", "#ff9cc8"),
    # tiles with numbers
    "tile": ("#343a45", "#262c35"),
    "tile-edge": ("#1f242c", "#6b7686"),
    "tile-ink": ("#15171b", "#15171b"),
    **{f"series{number}": (colour, colour) for number, colour in enumerate(SERIES, start=1)},
}

LIGHT: Mapping[str, str] = {role: light for role, (light, _) in PALETTE.items()}
DARK: Mapping[str, str] = {role: dark for role, (_, dark) in PALETTE.items()}


def check_roles(roles: Iterable[str]) -> None:
    """ValueError for a role without a colour, suggesting the nearest that has one."""
    for role in sorted(set(roles) - {*PALETTE, "none"}):
        near = get_close_matches(role, PALETTE, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(PALETTE)}"
        raise ValueError(f"there is no colour role {role!r}; {hint}")


UNIT_PIXELS = 48
MARGIN = 0.25
SNAP = 8  # the picture's borders are on eighths of a unit
CAPTION_SIZE = 0.36
CAPTION_GAP = 0.3
LETTER_WIDTH = 0.56  # mean width of a letter of the text font, as a fraction of its size
# distance of the baseline below the middle of capitals and digits, as a fraction of the size
CAPITALS_CENTRE = 0.36
FONTS = "system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif"
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def scene_to_svg(scene: Picture) -> str:
    """A complete document, in light or dark as its viewer prefers; light if the viewer has no media
    queries.
    """
    used = roles_of(scene)
    check_roles(used)
    left, top, right, bottom = bounds(scene)
    width, height = right - left, bottom - top
    box = " ".join(map(number, (left, top, width, height)))
    page = Polygon(((left, top), (right, top), (right, bottom), (left, bottom)), "page")
    body = "".join(f'<g class="{name}">{drawing}</g>' for name, drawing in layers(scene) if drawing)
    pixels = f'width="{number(width * UNIT_PIXELS)}" height="{number(height * UNIT_PIXELS)}"'
    title = escape_text(scene.title or scene.caption or "Board")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {pixels} '
        f'class="anyzero-auto" role="img" font-family="{FONTS}" '
        f'text-anchor="middle" stroke-linejoin="round" stroke-linecap="round">'
        f"<title>{title}</title><desc>{escape_text(describe(scene))}</desc>"
        f"<style>{style(used)}</style>{draw_shape(page)}{body}</svg>"
    )


def layers(scene: Picture) -> Iterator[tuple[str, str]]:
    """The drawing from back to front, each layer with the name of its group."""
    centres = {cell.name: cell.centre for cell in scene.cells}
    yield "under", "".join(map(draw_shape, scene.under))
    yield (
        "cells",
        "".join(
            draw_shape(Polygon(cell.outline, cell.fill, cell.line, 0.025)) for cell in scene.cells
        ),
    )
    pieces = []
    for piece in scene.pieces:  # moved to the cell, with a title for pointers and screen readers
        title = escape_text(f"{piece.name} {piece.cell}")
        shapes = "".join(map(draw_shape, piece.shapes))
        pieces.append(
            f'<g transform="{move(*centres[piece.cell])}"><title>{title}</title>{shapes}</g>'
        )
    yield "pieces", "".join(pieces)
    yield "over", "".join(map(draw_shape, scene.over))
    yield "caption", "".join(map(draw_shape, caption_labels(scene)))


# --- extent


def bounds(scene: Picture) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of everything drawn plus a margin, such that cells start at whole
    pixels.
    """
    points = [
        *content_points(scene),
        *(point for label in caption_labels(scene) for point in extent(label)),
    ]
    low = [math.floor((min(values) - MARGIN) * SNAP) / SNAP for values in zip(*points, strict=True)]
    high = [math.ceil((max(values) + MARGIN) * SNAP) / SNAP for values in zip(*points, strict=True)]
    return low[0], low[1], high[0], high[1]


def content_points(scene: Picture) -> list[Point]:
    points = [point for cell in scene.cells for point in cell.outline]
    points += [point for shape in (*scene.under, *scene.over) for point in extent(shape)]
    return points or [(0.0, 0.0)]


def caption_labels(scene: Picture) -> tuple[Label, ...]:
    if not scene.caption:
        return ()
    xs, ys = zip(*content_points(scene), strict=True)
    y = max(ys) + CAPTION_GAP + CAPTION_SIZE / 2
    return (Label((min(xs) + max(xs)) / 2, y, scene.caption, CAPTION_SIZE),)


def extent(shape: Shape) -> tuple[Point, ...]:
    """Points around a shape; a path is assumed to stay within the rest of the picture."""
    match shape:
        case Polygon(points, line=line, width=width):
            reach = 0.0 if line == "none" else width / 2
            return tuple((x + side, y + side) for x, y in points for side in (-reach, reach))
        case Circle(x, y, radius):
            return (x - radius, y - radius), (x + radius, y + radius)
        case Label(x, y, text, size):
            reach = len(text) * size * LETTER_WIDTH / 2
            return (x - reach, y - size / 2), (x + reach, y + size / 2)
        case Path():
            return ()


# --- colours


def roles_of(scene: Picture) -> set[str]:
    shapes = [
        *scene.under,
        *scene.over,
        *(shape for piece in scene.pieces for shape in piece.shapes),
    ]
    roles = {
        getattr(part, name, "none") for part in (*scene.cells, *shapes) for name in ("fill", "line")
    }
    return {"page", "ink"} | roles - {"none"}  # a label has no line


def style(roles: Iterable[str]) -> str:
    scope = ".anyzero-auto "
    names = sorted(roles)
    light, dark = (
        "".join(
            f"{scope}.f-{role}{{fill:{tones[role]}}}{scope}.s-{role}{{stroke:{tones[role]}}}"
            for role in names
        )
        for tones in (LIGHT, DARK)
    )
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"


# --- drawing


def draw_shape(shape: Shape) -> str:
    match shape:
        case Polygon():
            points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
            return f'<polygon points="{points}"{paint(shape)}/>'
        case Circle():
            return (
                f'<circle cx="{number(shape.x)}" cy="{number(shape.y)}" '
                f'r="{number(shape.radius)}"{paint(shape)}/>'
            )
        case Path():
            place = f"{move(shape.x, shape.y)} scale({number(shape.scale)})"
            look = paint(shape, shape.scale)
            return f'<path d="{escape_text(shape.data)}" transform="{place}"{look}/>'
        case Label():
            weight = ' font-weight="bold"' if shape.bold else ""
            y = number(shape.y + shape.size * CAPITALS_CENTRE)
            return (
                f'<text x="{number(shape.x)}" y="{y}" font-size="{number(shape.size)}"{weight} '
                f'class="f-{shape.fill}">{escape_text(shape.text)}</text>'
            )


def paint(shape: Polygon | Circle | Path, scale: float = 1.0) -> str:
    """Classes for fill and line; the line's width is in board units at any scale of the shape."""
    classes = [f"f-{shape.fill}"] if shape.fill != "none" else []
    classes += [f"s-{shape.line}"] if shape.line != "none" else []
    unfilled = ' fill="none"' if shape.fill == "none" else ""
    width = f' stroke-width="{number(shape.width / scale)}"' if shape.line != "none" else ""
    names = f' class="{" ".join(classes)}"' if classes else ""
    return unfilled + width + names


def move(x: float, y: float) -> str:
    return f"translate({number(x)} {number(y)})"


def number(value: float) -> str:
    """At most three decimals (a twentieth of a pixel), no trailing zeros, no sign on zero."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def escape_text(text: str) -> str:
    """Text escaped for tags and attributes, without the characters that XML forbids."""
    return escape(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))
