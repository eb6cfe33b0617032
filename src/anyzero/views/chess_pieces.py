"""The chess pieces, which other games use too: an outline and a few inner lines each, on a fine grid."""

from anyzero.views.board import Kind
from anyzero.views.scene import Path, Shape

# Every outline starts at the left of the foot and goes clockwise: up the left side, over the top, down the right.
OUTLINES = {
    "p": (
        "M-26 38V34Q-26 29 -20 28C-19 17 -8 13 -7 1H-11Q-15 1 -12 -3L-8 -6"
        "A12.5 12.5 0 1 1 8 -6L12 -3Q15 1 11 1H7C8 13 19 17 20 28Q26 29 26 34V38Z"
    ),
    "n": (
        "M-24 38V34Q-24 29 -18 28C-18 14 -2 11 1 -4C-5 1 -10 1 -14 5C-16 8 -18 11 -22 10"
        "C-28 8 -32 3 -29 -3C-26 -9 -22 -13 -20 -19C-18 -25 -13 -29 -8 -31L-6 -40L2 -32"
        "C18 -29 27 -12 22 28Q28 29 28 34V38Z"
    ),
    "b": (
        "M-26 38V34Q-26 29 -20 28C-18 20 -9 19 -8 12H-12Q-16 12 -13 8L-10 5C-18 -2 -17 -17 -4 -29"
        "A5.2 5.2 0 1 1 4 -29C17 -17 18 -2 10 5L13 8Q16 12 12 12H8C9 19 18 20 20 28Q26 29 26 34V38Z"
    ),
    "r": (
        "M-27 38V34Q-27 29 -21 28C-17 20 -15 6 -15 -8L-22 -15V-32H-13V-26H-5V-32H5V-26H13V-32H22V-15L15 -8"
        "C15 6 17 20 21 28Q27 29 27 34V38Z"
    ),
    "q": (
        "M-27 38V34Q-27 29 -21 28C-18 24 -18 18 -21 12L-31 -15A4.5 4.5 0 1 1 -27 -17L-16 -3L-17 -26"
        "A4.5 4.5 0 1 1 -13 -27L-5 -6L-2 -31A4.5 4.5 0 1 1 2 -31L5 -6L13 -27A4.5 4.5 0 1 1 17 -26L16 -3L27 -17"
        "A4.5 4.5 0 1 1 31 -15L21 12C18 18 18 24 21 28Q27 29 27 34V38Z"
    ),
    "k": (
        "M-27 38V34Q-27 29 -21 28C-18 24 -18 18 -21 13C-32 4 -34 -6 -29 -13C-24 -20 -11 -20 -6 -13L-3.5 -21"
        "V-27H-9.5V-34H-3.5V-40H3.5V-34H9.5V-27H3.5V-21L6 -13C11 -20 24 -20 29 -13"
        "C34 -6 32 4 21 13C18 18 18 24 21 28Q27 29 27 34V38Z"
    ),
}

INNER_LINES = {
    "p": "M-17 28H17M-5 1H5",
    "n": "M-15 28H19M5 -25C15 -19 18 -4 14 20M-13 -16A2 2 0 1 1 -12.9 -16M-24 2L-23.5 1.5",
    "b": "M-17 28H17M-7 12H7M-8 5H8M0 -19V-5M-6 -12H6",
    "r": "M-18 28H18M-14 -8H14M-18 -15H18",
    "q": "M-18 28H18M-18 12Q0 6 18 12M-18 20Q0 14 18 20",
    "k": "M-18 28H18M-18 13Q0 7 18 13M-18 21Q0 15 18 21M-6 -13Q0 -4 0 4M6 -13Q0 -4 0 4",
}

SCALE = 0.0105
"""From the grid of the drawings, 80 high, to board units."""


NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


def chess_piece(letter: str, text: str = "") -> Kind:
    """A chess piece by its letter in FEN, upper case white and lower case black; a terminal shows `text`, or that."""
    seat = 0 if letter.isupper() else 1
    name = f"{('white', 'black')[seat]} {NAMES[letter.lower()]}"
    return Kind(text or letter, name, piece_shapes(letter), seat)


def piece_shapes(letter: str) -> tuple[Shape, ...]:
    """The drawing of a chess piece by its letter in FEN."""
    kind = letter.lower()
    if letter.isupper():
        fill, edge, inner = "white-piece", "piece-edge", "piece-edge"
    else:
        fill, edge, inner = "black-piece", "black-edge", "black-inner"
    return (
        Path(OUTLINES[kind], fill, edge, 0.036, scale=SCALE),
        Path(INNER_LINES[kind], "none", inner, 0.028, scale=SCALE),
    )
