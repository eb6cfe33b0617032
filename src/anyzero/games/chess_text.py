"""Chess as text: positions in FEN, moves in UCI (`e2e4`, `e7e8q`) and SAN (`Nf3`, `exd8=Q+`).

A FEN may be followed by the last moves, from the first position that can recur: `<FEN> after g1f3
g8f6`. They are all reversible (no capture, no pawn move, no castling right lost), and determine
repetitions.
"""

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from anyzero.core.base.errors import list_some, nearest_hint
from anyzero.core.base.nouns import Word
from anyzero.core.compile.bits import count_bits, trailing_zeros
from anyzero.core.compile.random import U
from anyzero.core.game.game import State
from anyzero.games import chess_board as board
from anyzero.games import chess_moves, grid
from anyzero.games.chess_board import Chess

NAMES = grid.cell_names(8, 8)
KINDS = "PNBRQK"
SIDES = "wb"
SEAT_NAMES = ("white", "black")
CASTLING = {"K": 7, "Q": 0, "k": 63, "q": 56}  # the rook's square for each right
FIRST_COUNTS = {"N": 2, "R": 2, "Q": 1, "dark": 1, "light": 1}
"""A side's initial pieces, bishops by the colour of their squares."""
FIELDS = {
    "P": ["pawns"],
    "N": ["knights"],
    "B": ["diagonals"],
    "R": ["straights"],
    "Q": ["diagonals", "straights"],
    "K": ["kings"],
}
SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)x?([a-h][1-8])(?:=?([NBRQ]))?[+#]?[!?]{0,2}")
CASTLES = re.compile(r"([O0]-[O0](?:-[O0])?)[+#]?[!?]{0,2}")


# --- positions


def format_state(rules: Chess, state: State) -> str:
    rights = [
        right for right, rook in CASTLING.items() if int(state.castling) >> turned(state, rook) & 1
    ]
    words = [
        grid.format_grid(letters_of(state), 8),
        SIDES[state.mover],
        "".join(rights) or "-",
        name_of(state, trailing_zeros(state.en_passant)) if state.en_passant else "-",
        str(state.clock),
        str(state.move_number),
    ]
    moves = []
    num = int(state.recorded)
    mover = int(state.mover)
    for index, entry in enumerate(
        state.history[:num].tolist()
    ):  # moves, each from its own mover's view
        source, target = divmod(entry & int(board.MOVE_BITS), 64)
        flip = 0 if (num - index + mover) % 2 == 0 else 56
        moves.append(NAMES[source ^ flip] + NAMES[target ^ flip])
    return " ".join([*words, *(["after", *moves] if moves else [])])


def letters_of(state: State) -> list[str]:
    """The letter of each square in FEN, a1 first; `.` if empty."""
    squares = [turned(state, square) for square in range(64)]
    white = int(state.theirs if state.mover else state.mine)
    kinds = grid.letters_of(kinds_of(state).values(), KINDS, squares)
    return [
        kind if white >> square & 1 else kind.lower()
        for kind, square in zip(kinds, squares, strict=True)
    ]


def kinds_of(state: State) -> dict[str, int]:
    """The squares of each kind of piece, of both sides, as the mover sees them."""
    return {letter: int(board.squares_of_kind(state, kind)) for kind, letter in enumerate(KINDS)}


def turned(state: State, square: int) -> int:
    """Convert a square as the mover sees it to the board's own, and back."""
    return square ^ 56 if state.mover else square


def name_of(state: State, square: int) -> str:
    return NAMES[turned(state, square)]


# --- reading


@np.errstate(over="ignore")
def parse_state(rules: Chess, state: State, text: str) -> None:
    """Read a FEN of four to six fields and the moves after it; a useless en passant square is
    dropped.
    """
    fen, _, moves = text.partition(" after ")
    words = fen.split()
    if not 4 <= len(words) <= 6:
        raise ValueError(
            f"a FEN has six fields, of which the last two may be left out; this has {len(words)}"
        )
    words += ["0", "1"][len(words) - 4 :]
    state.mover = grid.parse_choice(words[1], SIDES, "the side to move")
    fill_board(state, words[0])
    fill_castling(state, words[2])
    passed = parse_en_passant(rules, state, words[3])
    state.clock = grid.parse_number(words[4], 0, board.MAX_CLOCK, "the half-move clock")
    state.move_number = grid.parse_number(words[5], 1, board.MAX_MOVE_NUMBER, "the move number")
    if king_can_be_taken(rules, state):
        raise ValueError("the side that is not to move is in check")
    if moves and passed:
        raise ValueError("a pawn has just moved, so that no earlier position can come again")
    if moves:
        fill_history(rules, state, moves.split())
    chess_moves.settle(rules, state, passed)
    if count_bits(state.checkers) > 2:
        raise ValueError("more than two pieces give check")
    state.ended = board.verdict(state, chess_moves.has_move(rules, state))


def fill_board(state: State, text: str) -> None:
    letters = grid.parse_grid(text, 8, 8, KINDS + KINDS.lower())
    for side in (KINDS, KINDS.lower()):
        check_material([letter.upper() if letter in side else "." for letter in letters])
    for kind in KINDS:
        squares = squares_of(state, letters, kind + kind.lower())
        for name in FIELDS[kind]:
            state[name] |= squares
    white, black = (squares_of(state, letters, side) for side in (KINDS, KINDS.lower()))
    state.mine, state.theirs = (black, white) if state.mover else (white, black)
    if state.pawns & (board.RANK_1 | board.RANK_8):
        raise ValueError("a pawn stands on the first or the last rank")


def squares_of(state: State, letters: list[str], kinds: str) -> Word:
    return U(
        sum(1 << turned(state, square) for square, letter in enumerate(letters) if letter in kinds)
    )


def check_material(letters: list[str]) -> None:
    """One king, and no more pieces than promotions allow; bishops count by the colour of their
    squares.
    """
    if letters.count("K") != 1:
        raise ValueError(f"each side has one king, not {letters.count('K')}")
    dark = [letter for square, letter in enumerate(letters) if int(board.DARK) >> square & 1]
    counts = {kind: letters.count(kind) for kind in "PNRQ"} | {"dark": dark.count("B")}
    counts["light"] = letters.count("B") - counts["dark"]
    promoted = sum(max(0, counts[kind] - first) for kind, first in FIRST_COUNTS.items())
    if counts["P"] + promoted > 8:
        raise ValueError("one side has more pieces than eight promotions can make")


def fill_castling(state: State, text: str) -> None:
    if text != "-" and (not text or set(text) - set(CASTLING) or len(set(text)) != len(text)):
        raise ValueError(f"the castling rights are {text!r}, not some of KQkq, or -")
    for right in text.replace("-", ""):
        rook = turned(state, CASTLING[right])
        pieces = state.theirs if right.isupper() == bool(state.mover) else state.mine
        king = rook // 8 * 8 + 4
        if not (
            state.straights & ~state.diagonals & pieces & bit(rook)
            and state.kings & pieces & bit(king)
        ):
            raise ValueError(
                f"the castling right {right!r} needs king and rook on their first squares"
            )
        state.castling |= bit(rook)


def parse_en_passant(rules: Chess, state: State, text: str) -> Word:
    """The square that a pawn has just passed over, as a word, or none."""
    if text == "-":
        return U(0)
    passed = bit(turned(state, grid.cell_index(text, 8, 8)))
    start = passed << U(8)
    pawn = passed >> U(8)
    is_free = not (passed | start) & (state.mine | state.theirs)
    if not (passed & board.RANK_6 and is_free and pawn & state.pawns & state.theirs):
        raise ValueError(f"no pawn can have just passed over {text}")
    before = state.copy()
    before.pawns ^= start | pawn
    before.theirs ^= start | pawn
    board.find_checks(rules, before)
    if before.checkers:
        raise ValueError(f"before a pawn passed over {text}, the king could have been taken")
    return passed


def king_can_be_taken(rules: Chess, state: State) -> bool:
    other = state.copy()
    chess_moves.turn(other)
    board.find_checks(rules, other)
    return bool(other.checkers)


def bit(square: int) -> Word:
    return U(1) << U(square)


def fill_history(rules: Chess, state: State, moves: list[str]) -> None:
    """Take back the moves one by one, and store the key of each position reached."""
    if (num := len(moves)) > state.clock:
        raise ValueError(
            f"{num} moves without capture or pawn's move do not fit a half-move clock of "
            f"{state.clock}"
        )
    earlier = state.copy()
    entries = list[Word]()
    for move in reversed(moves):
        chess_moves.turn(earlier)
        if not re.fullmatch("([a-h][1-8]){2}", move):
            raise ValueError(f"{move!r} is not a move such as g1f3")
        source, target = (
            turned(earlier, grid.cell_index(name, 8, 8)) for name in (move[:2], move[2:])
        )
        if not take_back(rules, earlier, source, target):
            raise ValueError(f"{move} cannot have been played here as a move that can be undone")
        entries.append(board.position_key(earlier) & ~board.MOVE_BITS | U(source * 64 + target))
    state.recorded = len(entries)
    state.history[: len(entries)] = entries[::-1]
    repeats = Counter(int(entry & ~board.MOVE_BITS) for entry in entries)
    if board.is_insufficient(state) or max(repeats.values()) > 2:
        raise ValueError("the game was over before the last of these moves")


def take_back(rules: Chess, state: State, source: int, target: int) -> bool:
    """Undo a move of the side that is to move again after it; False if it cannot have been made."""
    homes = state.castling  # the rooks that may castle, and their kings
    for rank in (board.RANK_1, board.RANK_8):
        homes |= state.kings & rank if state.castling & rank else U(0)
    if bit(source) & (state.mine | state.theirs) or not bit(target) & state.mine & ~(
        state.pawns | homes
    ):
        return False
    if not bit(source) & reach(rules, state, target):
        return False
    chess_moves.move_piece(state, target, source)
    return not king_can_be_taken(rules, state)


def reach(rules: Chess, state: State, square: int) -> Word:
    """The squares attacked by the piece on a square, which is no pawn."""
    if (state.knights | state.kings) & bit(square):
        return rules.squares[square, board.KNIGHT if state.knights & bit(square) else board.KING]
    occupied = state.mine | state.theirs
    targets = U(0)
    if state.diagonals & bit(square):
        targets |= board.slider_attacks(rules, square, board.DIAGONAL, occupied)
    if state.straights & bit(square):
        targets |= board.slider_attacks(rules, square, board.FILE, occupied)
    return targets


# --- moves


class Move(NamedTuple):
    """The parts of a move's text."""

    kind: str
    source: str
    target: str
    promotion: str
    takes: bool

    @property
    def uci(self) -> str:
        return self.source + self.target + self.promotion.lower()

    @property
    def castles(self) -> str:
        """`O-O`, `O-O-O` or empty."""
        if self.kind != "K" or self.source[0] != "e":
            return ""
        return {"g": "O-O", "c": "O-O-O"}.get(self.target[0], "")


def move_of(rules: Chess, state: State, kinds: dict[str, int], action: int) -> Move:
    source, plane = divmod(action, board.NUM_PLANES)
    target = source + int(rules.steps[plane])
    kind = next(kind for kind, squares in kinds.items() if squares >> source & 1)
    promotion = "Q" if kind == "P" and target >= 56 else ""
    if plane >= board.FIRST_UNDERPROMOTION:
        promotion = "NBR"[(plane - board.FIRST_UNDERPROMOTION) % 3]
    takes = int(state.theirs) | (int(state.en_passant) if kind == "P" else 0)
    return Move(
        kind, name_of(state, source), name_of(state, target), promotion, bool(takes >> target & 1)
    )


@np.errstate(over="ignore")
def legal_moves(rules: Chess, state: State) -> dict[int, Move]:
    """The legal actions and their moves; empty once the game is over."""
    if state.ended != board.RUNNING:
        return {}
    actions = np.zeros(board.MAX_LEGAL, np.int32)
    count = chess_moves.legal_actions(rules, state, actions)
    kinds = kinds_of(state)
    return {action: move_of(rules, state, kinds, action) for action in actions[:count].tolist()}


def parse_action(rules: Chess, state: State, text: str) -> int:
    """The one legal action that a text means in UCI, or in SAN, which may omit `x`, `+`, `#` and
    `=`.
    """
    moves = legal_moves(rules, state)
    meanings = [action for action, move in moves.items() if move.uci == text]
    meanings = meanings or [action for action, move in moves.items() if can_mean(text, move)]
    if len(meanings) > 1:
        raise ValueError(f"{text!r} can mean {', '.join(moves[action].uci for action in meanings)}")
    if not meanings:
        legal = [move.uci for move in moves.values()]
        choice = (
            f"{nearest_hint(text, legal)}legal: {list_some(legal)}" if legal else "the game is over"
        )
        raise ValueError(f"{text!r} is not a legal move here; {choice}")
    return meanings[0]


# --- SAN


@np.errstate(over="ignore")
def notation(rules: Chess, state: State, action: int) -> str:
    after = state.copy()
    moves = legal_moves(rules, state)
    chess_moves.play(rules, after, action)
    suffix = "#" if after.ended == board.CHECKMATE else "+" if after.checkers else ""
    return shorten(moves[action], moves) + suffix


def shorten(move: Move, moves: dict[int, Move]) -> str:
    """SAN without the check mark."""
    if move.castles:
        return move.castles
    takes = "x" if move.takes else ""
    if move.kind == "P":
        start = move.source[0] if takes else ""
        return start + takes + move.target + (f"={move.promotion}" if move.promotion else "")
    # What distinguishes a piece from others of its kind with the same target: nothing, its file,
    # its rank, or both.
    rivals = [
        other.source
        for other in moves.values()
        if other.kind == move.kind and other.target == move.target
    ]
    distinction = next(
        (part for part in ("", *move.source) if sum(part in rival for rival in rivals) == 1),
        move.source,
    )
    return move.kind + distinction + takes + move.target


def can_mean(text: str, move: Move) -> bool:
    """Whether a text in SAN fits a move; a capturing pawn is named by its file."""
    if castles := CASTLES.fullmatch(text):
        return move.castles == castles[1].replace("0", "O")
    if not (match := SAN.fullmatch(text)):
        return False
    kind, file, rank, target, promotion = match.groups(default="")
    if (kind or "P", target, promotion) != (move.kind, move.target, move.promotion):
        return False
    if move.kind == "P" and move.takes and not file:
        return False
    return file in ("", move.source[0]) and rank in ("", move.source[1])
