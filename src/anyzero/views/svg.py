"""A scene as SVG: colours by class, with a dark variant that the viewer's own setting chooses."""

from collections.abc import Iterator
from html import escape

from anyzero.views.palette import PALETTE
from anyzero.views.scene import Circle, Label, Path, Point, Polygon, Scene, Shape

UNIT_PIXELS = 48
MARGIN = 0.35
CAPTION_HEIGHT = 0.8


def scene_to_svg(scene: Scene) -> str:
    """A complete document that needs nothing from outside."""
    left, top, right, bottom = bounds(scene)
    caption_y = bottom + CAPTION_HEIGHT / 2
    bottom += CAPTION_HEIGHT if scene.caption else 0.0
    width, height = right - left + 2 * MARGIN, bottom - top + 2 * MARGIN
    box = f"{left - MARGIN:.3f} {top - MARGIN:.3f} {width:.3f} {height:.3f}"
    size = f'width="{width * UNIT_PIXELS:.0f}" height="{height * UNIT_PIXELS:.0f}"'
    corners = ((left - MARGIN, top - MARGIN), (right + MARGIN, bottom + MARGIN))
    (x0, y0), (x1, y1) = corners
    body = [draw(Polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), "page"))]
    body += [draw(shape) for shape in scene.under]
    body += [draw(Polygon(cell.outline, cell.fill, "line", 0.025)) for cell in scene.cells]
    centres = {cell.name: cell.centre for cell in scene.cells}
    for piece in scene.pieces:
        x, y = centres[piece.cell]
        shapes = "".join(draw(shape) for shape in piece.shapes)
        title = f"<title>{escape(piece.name)} {escape(piece.cell)}</title>"
        body.append(f'<g transform="translate({x:g} {y:g})">{title}{shapes}</g>')
    body += [draw(shape) for shape in scene.over]
    if scene.caption:
        body.append(draw(Label((left + right) / 2, caption_y, scene.caption, 0.4)))
    used = set(roles_of(scene))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {size} class="anyzero" role="img">'
        f"<title>{escape(scene.caption)}</title><style>{style(used)}</style>{''.join(body)}</svg>"
    )


def bounds(scene: Scene) -> tuple[float, float, float, float]:
    points = [point for cell in scene.cells for point in cell.outline]
    points += [point for shape in (*scene.under, *scene.over) for point in extent(shape)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def extent(shape: Shape) -> tuple[Point, ...]:
    match shape:
        case Polygon():
            return shape.points
        case Circle():
            return (shape.x - shape.radius, shape.y - shape.radius), (shape.x + shape.radius, shape.y + shape.radius)
        case Label():
            return (shape.x - shape.size / 2, shape.y - shape.size / 2), (
                shape.x + shape.size / 2,
                shape.y + shape.size / 2,
            )
        case Path():
            return ((shape.x, shape.y),)


def roles_of(scene: Scene) -> Iterator[str]:
    yield from ("page", "line", "ink")
    yield from (cell.fill for cell in scene.cells)
    shapes = [*scene.under, *scene.over, *(shape for piece in scene.pieces for shape in piece.shapes)]
    for shape in shapes:
        yield shape.fill
        if not isinstance(shape, Label):
            yield shape.line


def style(roles: set[str]) -> str:
    """A fill and a line class for each role in use; scoped, so that a page may hold many pictures."""

    def rules(tone: int) -> str:
        pairs = [(role, PALETTE[role][tone]) for role in PALETTE if role in roles]
        return "".join(
            f".anyzero .f-{role}{{fill:{colour}}}.anyzero .s-{role}{{stroke:{colour}}}" for role, colour in pairs
        )

    font = ".anyzero text{font-family:system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}"
    return f"{font}{rules(0)}@media(prefers-color-scheme:dark){{{rules(1)}}}"


def draw(shape: Shape) -> str:
    match shape:
        case Polygon():
            points = " ".join(f"{x:g},{y:g}" for x, y in shape.points)
            return f'<polygon points="{points}" {paint(shape)}/>'
        case Circle():
            return f'<circle cx="{shape.x:g}" cy="{shape.y:g}" r="{shape.radius:g}" {paint(shape)}/>'
        case Path():
            place = f"translate({shape.x:g} {shape.y:g}) scale({shape.scale:g})"
            return f'<path d="{shape.data}" transform="{place}" {paint(shape)}/>'
        case Label():
            weight = ' font-weight="bold"' if shape.bold else ""
            return (
                f'<text x="{shape.x:g}" y="{shape.y:g}" font-size="{shape.size:g}" class="f-{shape.fill}"{weight}>'
                f"{escape(shape.text)}</text>"
            )


def paint(shape: Polygon | Circle | Path) -> str:
    fill = f'class="f-{shape.fill} s-{shape.line}"' if shape.fill != "none" else f'fill="none" class="s-{shape.line}"'
    return fill if shape.line == "none" else f'{fill} stroke-width="{shape.width:g}" stroke-linejoin="round"'
