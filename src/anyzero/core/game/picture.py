"""What a game needs of its picture. `views.Board` is one; the core imports none."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from anyzero.core.base.nouns import Drawing, Scene


class GameBoard(Protocol):
    """The part of a game's picture that is the same in all positions."""

    @property
    def title(self) -> str: ...

    @property
    def moves(self) -> Sequence[str]: ...

    @property
    def outcomes(self) -> Sequence[str]: ...

    @property
    def shown_dtype(self) -> np.dtype[Any]: ...

    def new_shown(self) -> Drawing:
        """The record that `draw` writes, all zeros."""

    def with_texts(self, moves: Sequence[str], outcomes: Sequence[str]) -> "GameBoard":
        """The same board with these texts, where they are not empty."""

    def check(self, num_outcomes: int = 0) -> None:
        """Raise an error if any part of it is invalid."""

    def scene(self, shown: Drawing, numbers: Mapping[int, int] | None = None) -> Scene:
        """A position as a picture; `numbers` has the move number of each legal action."""

    def is_taken(self, shown: Drawing, cell: str, moves: Sequence[str]) -> bool:
        """Whether a piece stands on this cell, in a game whose moves name empty cells."""


def is_board(value: object) -> bool:
    """Whether it can be asked for a scene."""
    return not isinstance(value, type) and all(
        callable(getattr(value, name, None)) for name in ("new_shown", "scene", "check")
    )
