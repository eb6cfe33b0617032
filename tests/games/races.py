"""Breakthrough and Knightthrough once more, read off the rules with letters on a board: the slow
way that is plain.
"""

from hypothesis import strategies as st

STEPS = {
    "breakthrough": ((1, -1), (1, 0), (1, 1)),
    "knightthrough": ((2, -1), (2, 1), (1, -2), (1, 2)),
}
"""Rows ahead and columns aside of the moves."""


def boards(rows: int, columns: int) -> st.SearchStrategy[str]:
    """Positions that any reader should take: up to two rows of pieces each, nobody on a far row."""
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    white = st.sets(st.sampled_from(cells[:-columns]), max_size=2 * columns)
    black = st.sets(st.sampled_from(cells[columns:]), max_size=2 * columns)

    def draw(pieces: tuple[set, set, str]) -> str:
        letters = {**dict.fromkeys(pieces[0], "w"), **dict.fromkeys(pieces[1], "b")}
        lines = [
            "".join(letters.get((row, column), ".") for column in range(columns))
            for row in range(rows)
        ]
        return f"{'/'.join(reversed(lines))} {pieces[2]}"

    return st.tuples(white, black, st.sampled_from("wb")).map(draw)


def moves_by_hand(name: str, text: str) -> set[str]:
    """Every move of the side to move, from the text of a position without counts."""
    board, mover = text.split()
    lines = list(reversed(board.split("/")))
    rows, columns, ahead = len(lines), len(lines[0]), 1 if mover == "w" else -1
    found = set()
    for row in range(rows):
        for column in range(columns):
            for forward, aside in STEPS[name] if lines[row][column] == mover else ():
                to_row, to_column = row + ahead * forward, column + aside
                if 0 <= to_row < rows and 0 <= to_column < columns:
                    target = lines[to_row][to_column]
                    if target == "." or (target != mover and aside != 0):
                        found.add(
                            f"{'abcdefgh'[column]}{row + 1}{'abcdefgh'[to_column]}{to_row + 1}"
                        )
    return found
