"""Texts of chess: FEN with its history, UCI and SAN, and what must be refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import BadPositionError, IllegalMoveError
from anyzero.core.game.load import load
from tests.games.readers import read_safely, texts_near

GAME = load("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


# --- moves


@pytest.mark.parametrize(
    ("text", "san", "move"),
    [
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "Rad1", "a1d1"),
        ("R7/7k/8/8/8/8/8/R3K3 w - - 0 1", "R1a4", "a1a4"),
        ("7k/8/8/Q1Q5/8/Q7/8/4K3 w - - 0 1", "Qa5b4", "a5b4"),
        (KIWIPETE, "O-O-O", "e1c1"),
        (KIWIPETE, "0-0", "e1g1"),
        (KIWIPETE, "Nxd7!?", "e5d7"),
        (KIWIPETE, "Ned7", "e5d7"),
        (KIWIPETE, "dxe6", "d5e6"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8N", "a7b8n"),
    ],
)
def test_san_names_a_move(text, san, move):
    state = GAME.parse_state(text)
    assert GAME.format_action(state, GAME.parse_action(state, san)) == move


@pytest.mark.parametrize(
    ("text", "move", "complaint"),
    [
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "Rd1", "'Rd1' can mean a1d1, h1d1"),
        (START, "e2e5", "'e2e5' is not a legal move here; did you mean e2e"),
        (START, "e2e4q", "not a legal move"),
        (START, "0000", "not a legal move"),
        (START, "O-O", "not a legal move"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "not a legal move"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "b8=Q", "not a legal move"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Kg8", "the game is over"),
    ],
)
def test_a_text_that_is_no_move_here_is_refused(text, move, complaint):
    with pytest.raises(IllegalMoveError, match=complaint):
        GAME.parse_action(GAME.parse_state(text), move)


@given(
    st.one_of(
        st.text(max_size=10),
        st.from_regex(r"[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=[NQ])?\+?", fullmatch=True),
    )
)
def test_any_text_is_a_legal_move_or_refused(text):
    state = GAME.parse_state(KIWIPETE)
    try:
        action = GAME.parse_action(state, text)
    except IllegalMoveError:
        return
    assert action in GAME.legal_actions(state)


# --- positions


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("8/8/8/8/8/8/8/K6k w - -", "8/8/8/8/8/8/8/K6k w - - 0 1"),
        ("8/8/8/8/8/8/8/K6k w - - 7", "8/8/8/8/8/8/8/K6k w - - 7 1"),
        ("  r3k2r/8/8/8/8/8/8/R3K2R  b qkQK - 3 99 ", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 99"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
    ],
)
def test_a_fen_is_read_as_it_is_meant(text, read):
    assert GAME.format_state(GAME.parse_state(text)) == read


KINGS = "4k3/8/8/8/8/8/8/4K3"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "each side has one king, not 0"),
        ("4k3/8/8/8/8/8/8/KK6 w - - 0 1", "each side has one king, not 2"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "first or the last rank"),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "more pieces than eight promotions"),
        ("4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1", "more pieces than eight promotions"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "not to move is in check"),
        ("4k3/8/3N1N2/8/B7/8/8/4K3 b - - 0 1", "more than two pieces give check"),
        (f"{KINGS} w K - 0 1", "the castling right 'K' needs king and rook"),
        (f"{KINGS} w KK - 0 1", "not some of KQkq"),
        (f"{KINGS} w - e3 0 1", "no pawn can have just passed over e3"),
        ("4k3/8/8/4pP2/8/8/8/4K3 w - e9 0 1", "'e9' is not a cell"),
        ("4k3/4p3/8/4pP2/8/8/8/4K3 w - e6 0 1", "no pawn can have just passed over e6"),
        ("4k3/8/8/3Kp2r/8/8/8/8 w - e6 0 1", "before a pawn passed over e6"),
        (f"{KINGS} w - - 101 1", "the half-move clock is '101'"),
        (f"{KINGS} w - - 0 0", "the move number is '0'"),
        (f"{KINGS} x - - 0 1", "the side to move is 'x'"),
        (f"{KINGS} w -", "this has 3"),
        (f"{KINGS}/8 w - - 0 1", "8 rows"),
        ("R6k/8/8/8/8/8/8/4K3 b - - 1 9 after a1a9", "'a1a9' is not a move"),
        ("R6k/8/8/8/8/8/8/4K3 b - - 1 9 after b1a8", "cannot have been played"),
        ("R6k/8/8/8/8/8/8/4K3 b - - 0 9 after a1a8", "half-move clock of 0"),
        ("4k3/8/8/8/8/8/8/R3K2R b K - 2 9 after e8d8 e2e1", "cannot have been played"),
        ("4k3/8/8/8/8/8/8/N3K3 b - - 1 9 after e2e1", "over before"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, complaint):
    with pytest.raises(BadPositionError, match=complaint):
        GAME.parse_state(text)


@given(texts_near(GAME, "PNBRQKpnbrqkwb KQkq-after e3"))
def test_any_text_is_read_or_refused(text):
    read_safely(GAME, text)
