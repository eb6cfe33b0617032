"""A scene in words, for people who hear it instead of seeing it."""

from anyzero.views.scene import Scene


def describe(scene: Scene) -> str:
    """What stands where, piece by piece: `White pawn on a2, b2. Black king on e8. White to move.`"""
    places: dict[str, list[str]] = {}
    for piece in scene.pieces:
        places.setdefault(piece.name, []).append(piece.cell)
    sentences = [f"{sentence(name)} on {', '.join(cells)}." for name, cells in places.items()]
    caption = [f"{sentence(scene.caption)}."] if scene.caption else []
    return " ".join([*(sentences or ["The board is empty."]), *caption])


def sentence(text: str) -> str:
    """The text with a capital at its start."""
    return text[:1].upper() + text[1:]
