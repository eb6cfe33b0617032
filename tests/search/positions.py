"""Positions whose truth can be seen by hand: a win in one, one way to stop the opponent's win, or
no way at all.

Boards are drawn with the highest row first (Hex: row 1 first) and dots for empty cells.
"""

from typing import NamedTuple

WIN, BLOCK, LOST = "win in one", "must block", "lost in two"


class Position(NamedTuple):
    game: str
    kind: str
    text: str
    right: frozenset[str]
    """The moves that win at once, or the only ones after which the opponent does not; empty where
    all is lost.
    """

    @property
    def name(self) -> str:
        return f"{self.game.partition(':')[0]} {self.kind}"


def drawn(game: str, kind: str, picture: str, right: str = "") -> Position:
    """A picture whose last line is the side to move (and whatever else the game's text has behind
    the board).
    """
    *rows, rest = picture.split("\n")[1:-1]
    board = "/".join(row.strip().replace(" ", "") for row in rows)
    return Position(game, kind, f"{board} {rest.strip()}", frozenset(right.split()))


def written(game: str, kind: str, text: str, right: str = "") -> Position:
    return Position(game, kind, text, frozenset(right.split()))


TIC_TAC_TOE = (
    drawn(
        "tic_tac_toe",
        WIN,
        """
        . . .
        o o .
        x x .
        x
        """,
        "c1",
    ),
    # o threatens c2; the diagonal of x is taken, so x cannot win first.
    drawn(
        "tic_tac_toe",
        BLOCK,
        """
        x . .
        o o .
        . . x
        x
        """,
        "c2",
    ),
    # x threatens b3 and b2, o can take only one of them and threatens nothing.
    drawn(
        "tic_tac_toe",
        LOST,
        """
        x . x
        o . .
        x o .
        o
        """,
    ),
)

CONNECT_FOUR = (
    # x wins on e1; anywhere else but on a it would lose the race to the column of o.
    drawn(
        "connect_four",
        WIN,
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        o . . . . . .
        o . . . . . .
        o x x x . . .
        x
        """,
        "e",
    ),
    drawn(
        "connect_four",
        BLOCK,
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        o x x x . . o
        o
        """,
        "e",
    ),
    # Three in the middle of the lowest row with both ends open.
    drawn(
        "connect_four",
        LOST,
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . o
        . x x x . . o
        o
        """,
    ),
)

BREAKTHROUGH = (
    # Straight ahead the pawn on c7 is blocked; aslant it steps to the far row on either side.
    drawn(
        "breakthrough",
        WIN,
        """
        b . b . b b b b
        b . w . b . b b
        . . . . . . . .
        . . . . . . . .
        . b . . . . . .
        . . . . . w . .
        w w . . w w w w
        w w w . w w w w
        w
        """,
        "c7b8 c7d8",
    ),
    # The pawn on d2 reaches row 1 next; only the pawn on c1 can take it.
    drawn(
        "breakthrough",
        BLOCK,
        """
        b b . b b . b b
        b b . . . . b b
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        w w . b . . w w
        w . w . . . w w
        w
        """,
        "c1d2",
    ),
    # The same for the second seat, and nobody can take the pawn on d7.
    drawn(
        "breakthrough",
        LOST,
        """
        b b . . . b b b
        b b . w . . b b
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        w w . . . . w w
        w w w . . . w w
        b
        """,
    ),
)

KNIGHTTHROUGH = (
    # From e3 a black knight jumps two rows ahead to d1 or f1.
    drawn(
        "knightthrough",
        WIN,
        """
        b b . . . . b b
        b b . . . . b b
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . b . . .
        w w . . . . w w
        w w . . . . w w
        b
        """,
        "e3d1 e3f1",
    ),
    # The same knight with white to move: of all knights only the one on d1 can take it.
    drawn(
        "knightthrough",
        BLOCK,
        """
        b b . . . . b b
        b b . . . . b b
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . b . . .
        w w . . . . . w
        w w . w . . . w
        w
        """,
        "d1e3",
    ),
    drawn(
        "knightthrough",
        LOST,
        """
        b b . . . . b b
        b b . . . . b b
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . b . . .
        w w . . . . . w
        w w . . . . . w
        w
        """,
    ),
)

DOMINEERING = (
    # Horizontal has places in both of the lower rows, and all of them need column c.
    drawn(
        "domineering:rows=4,columns=4",
        WIN,
        """
        h h v .
        h h v .
        v . . .
        v . . .
        v
        """,
        "c1c2",
    ),
    # One upright domino in column b ruins two neighbouring rows; with row 2 covered, rows 1 and 3
    # are no neighbours.
    drawn(
        "domineering:rows=4,columns=4",
        BLOCK,
        """
        . h h v
        . . . v
        . . v .
        . . v .
        h
        """,
        "a2b2",
    ),
    # Two places, and whichever is covered, vertical covers a half of the other from the edge of the
    # board.
    drawn(
        "domineering:rows=4,columns=4",
        LOST,
        """
        . h h v
        . . v v
        . . v v
        . h h v
        h
        """,
    ),
)

ATARIGO = (
    # The white stone on d5 has one liberty.
    drawn(
        "atarigo",
        WIN,
        """
        w . . . . . . .
        . . . . . . . .
        . . . b . . . .
        . . b w . . . .
        . . . b . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . w
        b
        """,
        "e5",
    ),
    # The black stone on c4 has one; joined with d3 it has four.
    drawn(
        "atarigo:size=5",
        BLOCK,
        """
        . . w . .
        . w b . .
        . . w b .
        . . . b .
        . . . . .
        b
        """,
        "d4",
    ),
    # Two stones with one liberty each.
    drawn(
        "atarigo:size=5",
        LOST,
        """
        . . . w b
        . . . . .
        . . . . .
        . . . . .
        b w . . .
        b
        """,
    ),
)

HEX = (
    # Top and bottom are joined through d4, which touches d3 and, below it, c5 and d5.
    drawn(
        "hex:size=7",
        WIN,
        """
        . . . x . . .
        . . . x o . .
        . . . x o . .
        . . . . o . .
        . . o x . . .
        . . o x . . .
        . . o x . . .
        x
        """,
        "d4",
    ),
    # Around c3 there is no second way: b3 touches c2 too, but below it lie a4 and b4.
    drawn(
        "hex:size=5",
        BLOCK,
        """
        . . x . .
        . . x o .
        . . . o .
        . o x . .
        . . x . .
        o
        """,
        "c3",
    ),
    # Between c2 and b4 lie two cells, b3 and c3, and each of them joins the two.
    drawn(
        "hex:size=5",
        LOST,
        """
        . . x . .
        . . x o .
        . . . . .
        . x . . o
        . x o . .
        o
        """,
    ),
)

OWARE = (
    # F puts its one seed on the one in a, which makes two: 23 + 2 = 25. North keeps seeds, so it is
    # no grand slam.
    written("oware", WIN, "0,3,0,2,1,1/1,0,4,0,3,0 23-10 S 100", "F"),
    # Two plies before the limit South is behind; F makes threes of a and b and takes them: 19 + 6 =
    # 25.
    written("oware", WIN, "1,0,1,0,0,2/2,2,0,0,0,1 19-20 S 198", "F"),
    # North has 23 and threatens to put the seed of f on the one in A. Only A itself can leave.
    written("oware", BLOCK, "1,0,2,0,1,0/0,0,0,3,0,1 17-23 S 100", "A"),
    # f threatens A. If A moves on to B, the three seeds of e end there and make three.
    written("oware", LOST, "1,1,0,2,0,0/0,0,0,0,3,1 17-23 S 100"),
)

CHESS = (
    # The rook mates on the last row behind the king's own pawns.
    written("chess", WIN, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8"),
    # The same threat from d1: the king needs air, or must step off the corner; pawns on the left do
    # not help.
    written(
        "chess",
        BLOCK,
        "6k1/ppp2ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1",
        "g8f8 f7f6 f7f5 g7g6 g7g5 h7h6 h7h5",
    ),
    # The king has one move, to g8, where the queen mates on b8.
    written("chess", LOST, "7k/8/6K1/8/8/8/8/1Q6 b - - 0 1"),
)

POSITIONS = (
    *TIC_TAC_TOE,
    *CONNECT_FOUR,
    *BREAKTHROUGH,
    *KNIGHTTHROUGH,
    *DOMINEERING,
    *ATARIGO,
    *HEX,
    *OWARE,
    *CHESS,
)
