"""The picture of a game in two parts: the board, which never changes, and what is shown on it in
one position.

A `Board` has cells, kinds of pieces, marks, captions and the texts of moves. What is *shown* is a
record of numbers written by a game's compiled `draw`. `Board.scene` combines both into a `Scene`; a
browser does the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from anyzero.core.base.nouns import Drawing, RecordType, Values
from anyzero.core.base.structs import struct_of
from anyzero.views.shapes import Cell, Kind, Label, Picture, Polygon, Shape


@dataclass(frozen=True, repr=False)
class Scene(Picture):
    """A picture that draws itself: as text in a terminal, as SVG in a notebook or a file."""

    @property
    def text(self) -> str:
        from anyzero.views.text import scene_to_text  # drawing code is imported only when needed

        return scene_to_text(self)

    @property
    def svg(self) -> str:
        from anyzero.views.svg import scene_to_svg

        return scene_to_svg(self)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.text


BRACES = re.compile(r"\{(?:cell|\d{1,3})\}")
"""In a caption or a label on top, `{0}` is the first number shown; in a mark's label, `{cell}` is
its cell's name.
"""
MOST_MARKS = 16


@dataclass(frozen=True)
class Board:
    """Everything about a game's picture that is the same in all positions."""

    cells: tuple[Cell, ...]
    kinds: tuple[Kind, ...] = ()
    """The kinds of pieces: the number k in `shown.pieces` is `kinds[k - 1]`, and 0 is nothing."""
    marks: tuple[tuple[Shape, ...], ...] = ()
    """Marks drawn over a cell, around its centre: bit m of `shown.marks` draws `marks[m]`."""
    captions: tuple[str, ...] = ()  # whose turn it is, or how the game ended, by `shown.caption`
    moves: tuple[str, ...] = ()  # the texts of the moves, by move number
    outcomes: tuple[str, ...] = ()  # the texts of chance outcomes, by outcome
    clicks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By move number, the cells to click in order, where its text names others; `()` makes it a
    button.
    """
    under: tuple[Shape, ...] = ()
    over: tuple[
        Shape, ...
    ] = ()  # labels and lines on top of everything; their texts may contain numbers, too
    text_scale: tuple[float, float] = (2, 1)
    title: str = ""

    def __post_init__(self) -> None:
        if len(self.marks) > MOST_MARKS:
            raise ValueError(f"a board has at most {MOST_MARKS} marks, not {len(self.marks)}")
        if len(self.index) < len(self.cells):
            raise ValueError("two cells of a board have the same name")

    @cached_property
    def index(self) -> dict[str, int]:
        return {cell.name: number for number, cell in enumerate(self.cells)}

    @cached_property
    def colours(self) -> dict[int, str]:
        """The colour of each seat's pieces: what the first of them is filled with."""
        shapes = [
            (kind.seat, shape)
            for kind in self.kinds
            for shape in kind.shapes
            if not isinstance(shape, Label)
        ]
        return {seat: shape.fill for seat, shape in reversed(shapes) if shape.fill != "none"}

    @cached_property
    def move_cells(self) -> tuple[tuple[int, ...], ...]:
        """For each move number the cells to click, in order; none: the move is a button."""
        names = sorted(self.index, key=len, reverse=True)
        in_text = re.compile("|".join(map(re.escape, names)) or "(?!)")
        clicks = [
            self.clicks.get(number, in_text.findall(text)) for number, text in enumerate(self.moves)
        ]
        for name in sorted({name for cells in clicks for name in cells} - {*names}):
            raise ValueError(f"the board has no cell {name!r}")
        return tuple(tuple(self.index[name] for name in cells) for cells in clicks)

    @cached_property
    def num_numbers(self) -> int:
        labels = [shape.text for shape in self.over if isinstance(shape, Label)]
        numbers = re.findall(r"\{(\d{1,3})\}", " ".join((*self.captions, *labels)))
        return max((int(number) + 1 for number in numbers), default=0)

    @cached_property
    def shown_dtype(self) -> RecordType:
        """The content of a position; all zero before `draw` writes it."""
        cells = len(self.cells)
        fields = [
            ("pieces", np.int16, cells),  # 1 + the kind of the piece on each cell
            ("marks", np.uint16, cells),  # a bit for each mark over the cell
            (
                "stands_for",
                np.int16,
                cells,
            ),  # 1 + the cell that a click on this one means; 0: this one
            ("numbers", np.int32, max(1, self.num_numbers)),
            ("caption", np.int16),
        ]
        return struct_of(fields)

    def new_shown(self) -> Drawing:
        return np.zeros(1, self.shown_dtype)[0]

    def with_texts(self, moves: Sequence[str], outcomes: Sequence[str]) -> "Board":
        """The same board with the texts that a game lists itself."""
        return replace(
            self, moves=tuple(moves or self.moves), outcomes=tuple(outcomes or self.outcomes)
        )

    def scene(self, shown: Drawing, numbers: Mapping[int, int] | None = None) -> Scene:
        """What `assemble` makes of this board."""
        return assemble(self, shown, numbers)

    def check(self, num_outcomes: int = 0) -> None:
        """Draw everything it can show, which raises an error if a part is invalid."""
        check_board(self, num_outcomes)

    def is_taken(self, shown: Drawing, cell: str, moves: Iterable[str]) -> bool:
        """Whether a piece stands on this cell, in a game whose moves name empty cells."""
        kinds = shown.pieces.tolist()
        taken = {place.name for place, kind in zip(self.cells, kinds, strict=True) if kind}
        return cell in taken and not self.index.keys().isdisjoint(moves) and taken.isdisjoint(moves)


def assemble(board: Board, shown: Drawing, numbers: Mapping[int, int] | None = None) -> Scene:
    """The scene of a position; `numbers` has the move number of each legal action.

    ValueError if the board lacks something that is shown.
    """
    check_shown(board, shown)
    names = [cell.name for cell in board.cells]
    stands_for = shown.stands_for.tolist()
    pieces = [
        board.kinds[kind - 1].on(name)
        for name, kind in zip(names, shown.pieces.tolist(), strict=True)
        if kind
    ]
    texts = {f"{{{index}}}": str(number) for index, number in enumerate(shown.numbers.tolist())}
    filled = [with_text(shape, texts) for shape in board.over]
    meant = [stands - 1 if stands else cell for cell, stands in enumerate(stands_for)]
    clicks = {
        action: [meant[cell] for cell in board.move_cells[n]]
        for action, n in (numbers or {}).items()
    }
    return Scene(
        cells=board.cells,
        pieces=tuple(pieces),
        under=board.under,
        over=(*filled, *laid_marks(board, shown)),
        caption=fill_braces(board.captions[shown.caption], texts) if board.captions else "",
        clicks={
            action: tuple(names[cell] for cell in cells)
            for action, cells in clicks.items()
            if cells
        },
        aliases={
            name: names[cell - 1] for name, cell in zip(names, stands_for, strict=True) if cell
        },
        text_scale=board.text_scale,
        title=board.title,
    )


def check_shown(board: Board, shown: Drawing) -> None:
    """ValueError if `draw` has written a number without a meaning."""
    limits = (
        ("pieces", len(board.kinds), "kinds"),
        ("marks", (1 << len(board.marks)) - 1, "marks"),
        ("stands_for", len(board.cells), "cells"),
        ("caption", max(len(board.captions) - 1, 0), "captions"),
    )
    for name, most, of in limits:
        values = np.ravel(shown[name]).astype(np.int64)
        wrong = values[(values < 0) | (values > most)]
        if len(wrong):
            has = f"{len(getattr(board, of))} {of}"
            raise ValueError(f"draw writes {wrong[0]} into shown.{name}, and the board has {has}")


def laid_marks(board: Board, shown: Drawing) -> Iterator[Shape]:
    for cell, bits in zip(board.cells, shown.marks.tolist(), strict=True):
        for mark, shapes in enumerate(board.marks):
            if bits >> mark & 1:
                yield from (
                    moved(with_text(shape, {"{cell}": cell.name}), *cell.centre) for shape in shapes
                )


def moved(shape: Shape, x: float, y: float) -> Shape:
    if isinstance(shape, Polygon):
        return replace(shape, points=tuple((px + x, py + y) for px, py in shape.points))
    return replace(shape, x=shape.x + x, y=shape.y + y)


def with_text(shape: Shape, texts: Mapping[str, str]) -> Shape:
    return (
        replace(shape, text=fill_braces(shape.text, texts)) if isinstance(shape, Label) else shape
    )


def fill_braces(text: str, texts: Mapping[str, str]) -> str:
    return BRACES.sub(lambda found: texts.get(found[0], found[0]), text)


def check_board(board: object, num_outcomes: int = 0) -> None:
    """Draw everything a board can show, which raises an error if a part is invalid."""
    if not isinstance(board, Board):
        raise TypeError(f"board returns {board!r}, not a Board")
    pieces = tuple(kind.on(cell.name) for cell in board.cells[:1] for kind in board.kinds)
    over = (*board.over, *(shape for shapes in board.marks for shape in shapes))
    all_cells = Scene(board.cells, under=board.under, over=over, text_scale=board.text_scale)
    all_kinds = Scene(board.cells[:1], pieces, caption=" ".join(board.captions), title=board.title)
    if len(board.outcomes) not in (0, num_outcomes):
        raise ValueError(f"the board has {len(board.outcomes)} outcomes, the game {num_outcomes}")
    _ = (
        all_cells.text,
        all_cells.svg,
        all_kinds.svg,
        board.move_cells,
        " ".join((*board.moves, *board.outcomes)),
    )


# --- as plain values, for the page


def board_values(board: Board) -> Values:
    """A board as JSON values; shapes have their kind, moves the numbers of the cells to click."""
    from anyzero.views.svg import bounds

    left, top, right, bottom = bounds(Scene(board.cells, under=board.under, over=board.over))
    return {
        "box": [left, top, right - left, bottom - top],
        "cells": [{**vars(cell), "centre": cell.centre} for cell in board.cells],
        "kinds": [{**vars(kind), "shapes": shape_values(kind.shapes)} for kind in board.kinds],
        "marks": [shape_values(shapes) for shapes in board.marks],
        "captions": board.captions,
        "colours": board.colours,
        "moves": board.moves,
        "outcomes": board.outcomes,
        "clicks": board.move_cells,
        "under": shape_values(board.under),
        "over": shape_values(board.over),
        "title": board.title,
    }


def shape_values(shapes: Iterable[Shape]) -> list[Values]:
    return [{"kind": type(shape).__name__.lower(), **vars(shape)} for shape in shapes]
