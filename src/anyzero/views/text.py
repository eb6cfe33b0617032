"""A scene as lines of plain text: every cell at its place on a grid of characters."""

from anyzero.views.scene import Label, Scene


def scene_to_text(scene: Scene) -> str:
    """The board with its labels, the caption below it."""
    across, down = scene.text_scale
    pieces = {piece.cell: piece.text for piece in scene.pieces}
    texts = [(*cell.centre, pieces.get(cell.name, cell.text)) for cell in scene.cells]
    texts += [(shape.x, shape.y, shape.text) for shape in scene.over if isinstance(shape, Label)]
    left, top = min(x for x, _, _ in texts), min(y for _, y, _ in texts)
    canvas: dict[tuple[int, int], str] = {}
    for x, y, text in texts:
        lines = text.split("\n")
        row = round((y - top) * down) - (len(lines) - 1) // 2
        for offset, line in enumerate(lines):
            column = round((x - left) * across) - (len(line) - 1) // 2
            for place, letter in enumerate(line):
                canvas[row + offset, column + place] = letter
    return "\n".join([*canvas_lines(canvas), *([scene.caption] if scene.caption else [])])


def canvas_lines(canvas: dict[tuple[int, int], str]) -> list[str]:
    rows, columns = [row for row, _ in canvas], [column for _, column in canvas]
    return [
        "".join(canvas.get((row, column), " ") for column in range(min(columns), max(columns) + 1)).rstrip()
        for row in range(min(rows), max(rows) + 1)
    ]
