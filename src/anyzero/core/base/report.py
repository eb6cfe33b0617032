"""How results are displayed: sentences and tables, written once for terminals, notebooks and plain
text.

A `Shown` result yields its content in `report`. Its `repr` is that report as text, notebooks show
it as HTML, and the command line prints it.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.extras import needs_package
from anyzero.core.base.nouns import Values


class Sheet(NamedTuple):
    """A table for people; an empty cell is an empty text."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]

    @property
    def cells(self) -> list[list[str]]:
        return [
            ["" if cell is None else str(cell) for cell in row]
            for row in (self.columns, *self.rows)
        ]

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self.cells, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in self.cells)
        return "\n".join(lines)

    def to_html(self) -> str:
        head, *rows = [[escape(cell) for cell in row] for row in self.cells]
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        return f"<table><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>{body}</table>"


Part = str | Sheet


class Shown:
    def report(self) -> Iterable[Part]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(map(str, self.report()))

    def _repr_html_(self) -> str:
        parts = self.report()
        return "".join(
            f"<p>{escape(part)}</p>" if isinstance(part, str) else part.to_html() for part in parts
        )

    def to_json(self) -> Any:
        """The same as plain values."""
        raise NotImplementedError

    def records(self) -> list[Values]:
        """Its table as plain values, one object per row: the first objects that `to_json` lists, or
        itself.
        """
        values = self.to_json()
        parts = [values, *values.values()] if isinstance(values, dict) else [values]
        tables = [
            part.values() if isinstance(part, dict) else part
            for part in parts
            if isinstance(part, dict | list)
        ]
        return next(
            (list(rows) for rows in tables if all(isinstance(row, dict) for row in rows)), [values]
        )

    def to_dataframe(self) -> Any:
        """The table as a pandas DataFrame, with numbers as numbers."""
        try:
            import pandas
        except ImportError:
            raise AnyzeroError(needs_package("pandas")) from None
        return pandas.json_normalize(self.records())


# --- numbers


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"


def worth(value: float | None, best_score: float) -> str:
    """A value as people read it: in points where a game counts them, from 0 to its best score."""
    return (
        f"{(value + 1) / 2 * best_score:.1f}" if best_score and value is not None else signed(value)
    )


def worth_words(value: float, best_score: float) -> str:
    """`value +0.310`, or `101.3 points`."""
    return f"{worth(value, best_score)} points" if best_score else f"value {signed(value)}"


def short(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return "" if value is None else str(value)


def count(number: int, noun: str) -> str:
    """`1 game`, `2 games`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
