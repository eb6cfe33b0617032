"""The names of a board's cells: a column's letter and a row's number."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(row: int, column: int) -> str:
    """Column letter and row number, counted from 1: row 0, column 2 is `c1`."""
    return f"{letter_of(column)}{row + 1}"


def letter_of(column: int) -> str:
    if column >= len(LETTERS):
        raise ValueError(
            f"columns have letters, at most {len(LETTERS)}: name the cells of a wider board "
            "yourself"
        )
    return LETTERS[column]
