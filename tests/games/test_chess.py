"""Chess: the package `chess` as the oracle, published perft counts, and positions by hand."""

import random

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyzero.core.base.errors import BadPositionError
from anyzero.core.game.load import load
from anyzero.core.game.rollouts import default_rollouts, rollouts
from anyzero.tools.proofs.perft import perft
from tests.games.chess_oracle import action_of, choose_move, ending, random_endgame

GAME = load("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KEYS: dict[int, object] = {}
"""What each key that came up stands for."""
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


# Positions and counts: https://www.chessprogramming.org/Perft_Results
PERFT = [
    (START, [20, 400, 8902, 197281, 4865609]),
    (KIWIPETE, [48, 2039, 97862, 4085603]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812, 43238, 674624, 11030083]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467, 422333]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486, 62379, 2103487]),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        [46, 2079, 89890, 3894594],
    ),
]
DEEP = [
    (START, 6, 119060324),
    (KIWIPETE, 5, 193690690),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15833292),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89941194),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5, 164075551),
]


def play_all(text, moves):
    state = GAME.parse_state(text)
    for move in moves.split():
        state = GAME.play(state, move)
    return state


def outcome_of(state):
    """How the game has ended, or nothing while it runs."""
    return GAME.scene(state).caption if GAME.is_over(state) else ""


def ending_after(text, moves=""):
    return outcome_of(play_all(text, moves))


# --- the oracle


def compare(state, board):
    assert GAME.format_state(state).partition(" after ")[0] == board.fen()
    how = ending(board)
    assert outcome_of(state) == how
    assert GAME.is_over(state) == bool(how)
    legal = [] if how else [action_of(move, board.turn) for move in board.legal_moves]
    assert sorted(GAME.legal_actions(state)) == sorted(legal)
    assert bool(state.checkers) == board.is_check()
    assert state.repeats == (2 if board.is_repetition(3) else 1 if board.is_repetition(2) else 0)
    assert (
        KEYS.setdefault(GAME.state_key(state), board._transposition_key())
        == board._transposition_key()
    )
    if how:
        white = 1 if "white wins" in how else -1 if "black wins" in how else 0
        assert GAME.payoffs(state).tolist() == [white, -white]


def compare_texts(state, board):
    text = GAME.format_state(state)
    assert GAME.parse_state(text).tobytes() == state.tobytes()
    _, _, moves = text.partition(" after ")
    played = [move.uci() for move in board.move_stack]
    assert moves.split() == played[len(played) - state.recorded :]
    for move in [] if GAME.is_over(state) else board.legal_moves:
        action = action_of(move, board.turn)
        assert GAME.format_action(state, action) == move.uci()
        assert GAME.notation(state, action) == board.san(move)
        assert GAME.parse_action(state, board.san(move)) == action


def play_in_both(board, rng, *, plies, texts_every, back_and_forth):
    """Play until the end, at most `plies` moves, and return the number of positions compared."""
    state = GAME.parse_state(board.fen())
    for ply in range(plies):
        compare(state, board)
        if (ply + 1) % texts_every == 0:
            compare_texts(state, board)
        if GAME.is_over(state):
            compare_texts(state, board)
            return ply + 1
        move = choose_move(board, rng, back_and_forth)
        state = GAME.play(state, action_of(move, board.turn))
        board.push(move)
    return plies


@pytest.mark.parametrize("games", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_random_games_agree_with_the_oracle(games):
    rng, habits = random.Random(1), {"plies": 600, "texts_every": 250, "back_and_forth": 0.03}
    assert sum(play_in_both(chess.Board(), rng, **habits) for _ in range(games)) > 200 * games


@pytest.mark.parametrize("games", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_endgames_agree_with_the_oracle(games):
    rng, habits = random.Random(2), {"plies": 60, "texts_every": 58, "back_and_forth": 0.3}
    assert sum(play_in_both(random_endgame(rng), rng, **habits) for _ in range(games)) > 20 * games


@pytest.mark.parametrize("text", [text for text, _ in PERFT])
def test_the_texts_of_all_moves_agree_with_the_oracle(text):
    compare_texts(GAME.parse_state(text), chess.Board(text))


PLACES = st.dictionaries(st.integers(0, 63), st.sampled_from([*"PNBRQpnbrq", None]), max_size=4)


@given(
    st.sampled_from([text for text, _ in PERFT]),
    PLACES,
    st.booleans(),
    st.none() | st.integers(0, 63),
)
def test_positions_with_a_few_squares_changed_agree_with_the_oracle(text, places, turn, en_passant):
    board = chess.Board(text)
    for square, kind in places.items():
        board.set_piece_at(square, kind and chess.Piece.from_symbol(kind))
    board.turn, board.ep_square = turn, en_passant
    if board.is_valid():
        try:
            state = GAME.parse_state(board.fen(en_passant="fen"))
        except BadPositionError as error:
            if "eight promotions" in str(error):  # the oracle counts only all pieces and all pawns
                return
            raise
        compare(state, board)


def test_equal_positions_have_equal_keys_and_different_ones_different_keys():
    """Whatever the games above have seen; chances of two different positions with one key are about
    1e-12.
    """
    after = play_all(START, "Nf3 Nf6 Nc3 Nc6")
    assert GAME.state_key(after) == GAME.state_key(play_all(START, "Nc3 Nc6 Nf3 Nf6"))
    assert GAME.state_key(after) != GAME.state_key(GAME.play(after, "Rg1"))
    assert len(set(KEYS.values())) == len(KEYS)


# --- perft


@pytest.mark.parametrize(("text", "counts"), PERFT)
def test_perft_counts_are_the_published_ones(text, counts):
    state = GAME.parse_state(text)
    assert [perft(GAME, state, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.slow
@pytest.mark.parametrize(("text", "depth", "count"), DEEP)
def test_deep_perft_counts_are_the_published_ones(text, depth, count):
    assert perft(GAME, GAME.parse_state(text), depth) == count


# --- moves by hand


@pytest.mark.parametrize(
    ("top", "allowed"),
    [
        ("1k3r2", {"e1c1"}),  # f1 is attacked, which the king would cross
        ("1k4r1", {"e1c1"}),  # g1 is attacked, where it would land
        ("1k5r", {"e1c1", "e1g1"}),  # only the rook is attacked
    ],
)
def test_a_king_does_not_castle_over_or_into_an_attack(top, allowed):
    state = GAME.parse_state(f"{top}/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert {move for move in GAME.legal_moves(state) if move in ("e1c1", "e1g1")} == allowed


def test_a_king_castles_with_a_rook_that_crosses_an_attack_but_not_out_of_check():
    free, checked = "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4r2k/8/8/8/8/8/8/R3K3 w Q - 0 1"
    assert "e1c1" in GAME.legal_moves(GAME.parse_state(free))
    assert "e1c1" not in GAME.legal_moves(GAME.parse_state(checked))
    assert GAME.format_state(play_all(free, "O-O-O")) == "1r2k3/8/8/8/8/8/8/2KR4 b - - 1 1"


def test_taking_a_rook_takes_its_castling_right():
    state = play_all("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Rxh8+")
    assert GAME.format_state(state) == "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1"


def test_en_passant_that_opens_a_rank_to_the_king_is_illegal_and_not_written():
    text = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"
    state = GAME.parse_state(text)
    assert "e4d3" not in GAME.legal_moves(state)
    assert GAME.format_state(state) == text.replace("d3", "-")


def test_en_passant_takes_the_pawn_that_gives_check():
    state = play_all("8/8/8/2k5/2p5/8/B2P4/4K3 w - - 0 1", "d4+")
    assert GAME.format_state(state) == "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 1"
    assert GAME.format_state(GAME.play(state, "cxd3")) == "8/8/8/2k5/8/3p4/B7/4K3 w - - 0 2"


def test_in_double_check_only_the_king_moves():
    state = GAME.parse_state("k3r3/8/8/8/8/5n2/8/4K2Q w - - 0 1")
    assert sorted(GAME.legal_moves(state)) == ["e1d1", "e1f1", "e1f2"]


def test_a_pinned_rook_stays_on_its_file():
    state = GAME.parse_state("4r2k/8/8/8/8/8/4R3/4K3 w - - 0 1")
    rook = [move for move in GAME.legal_moves(state) if move.startswith("e2")]
    assert sorted(rook) == ["e2e3", "e2e4", "e2e5", "e2e6", "e2e7", "e2e8"]


def test_a_pawn_promotes_with_and_without_a_capture():
    state = GAME.parse_state("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    pawn = [move for move in GAME.legal_moves(state) if move.startswith("a7")]
    assert sorted(pawn) == [f"a7{target}{piece}" for target in ("a8", "b8") for piece in "bnqr"]
    assert GAME.format_state(GAME.play(state, "axb8=R+")) == "1R2k3/8/8/8/8/8/8/4K3 b - - 0 1"


def test_both_seats_number_their_promotions_alike():
    white = GAME.parse_state("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    black = GAME.parse_state("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1")
    a7 = 48 * 73
    moves = {"a2a1q": a7, "a2b1q": a7 + 7, "a2a1n": a7 + 67, "a2a1b": a7 + 68, "a2a1r": a7 + 69}
    moves |= {"a2b1n": a7 + 70, "a2b1b": a7 + 71, "a2b1r": a7 + 72}
    assert {move: GAME.parse_action(black, move) for move in moves} == moves
    assert sorted(GAME.legal_actions(white)) == sorted(GAME.legal_actions(black))


def test_each_pair_of_squares_has_its_own_action():
    """1456 queen's moves and 336 knight's moves on an empty board, summed over all squares."""
    actions = [0, *GAME.rules.actions[GAME.rules.actions > 0].tolist()]  # 0 is a1 to a2
    assert len(set(actions)) == len(actions) == 1456 + 336
    assert max(actions) < GAME.num_actions == 4672


def test_a_position_with_the_most_moves_fits_the_buffer():
    state = GAME.parse_state("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert len(GAME.legal_actions(state)) == GAME.max_legal == 218


# --- how games end


def test_a_mate_wins():
    state = play_all(START, "f3 e5 g4 Qh4")
    assert GAME.payoffs(state).tolist() == [-1, 1]
    assert GAME.scene(state).caption == "black wins by checkmate"


def test_a_stalemate_is_a_draw():
    assert ending_after("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7") == "draw by stalemate"


def test_fifty_moves_without_progress_are_a_draw_unless_the_last_one_mates():
    text = "7k/8/6K1/8/8/8/8/5Q2 w - - 98 90"
    assert ending_after(text, "Qf2") == ""
    assert ending_after(text, "Qf2 Kg8") == "draw by the fifty-move rule"
    assert ending_after(text.replace("98", "99"), "Qf8") == "white wins by checkmate"
    assert ending_after(text.replace("98", "99"), "Qf2") == "draw by the fifty-move rule"


def test_the_third_time_is_a_draw_and_a_text_carries_the_first_two():
    back_and_forth = "Nf3 Nf6 Ng1 Ng8"
    state = play_all(START, f"{back_and_forth} Nf3 Nf6 Ng1")
    text = GAME.format_state(state)
    assert text.endswith("b KQkq - 7 4 after g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1")
    assert outcome_of(state) == ""
    assert ending_after(text, "Ng8") == "draw by threefold repetition"
    assert ending_after(text.partition(" after ")[0], "Ng8") == ""


def test_a_position_with_other_castling_rights_is_another_position():
    moves = "Ke2 Ke7 Ke1 Ke8"
    text = "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1"
    assert ending_after(text, f"{moves} {moves}") == ""
    assert ending_after(text, f"{moves} {moves} Ke2 Ke7") == "draw by threefold repetition"


def test_a_position_in_which_a_pawn_can_be_taken_in_passing_is_another_position():
    moves = "Kg8 Kg1 Kh8 Kh1"
    with_capture, without = "7k/8/8/8/1p6/8/P7/7K w - - 0 1", "7k/8/8/8/2p5/8/P7/7K w - - 0 1"
    assert ending_after(with_capture, f"a4 {moves} {moves}") == ""
    assert ending_after(without, f"a4 {moves} {moves}") == "draw by threefold repetition"


@pytest.mark.parametrize(
    ("pieces", "is_draw"),
    [
        ("8", True),
        ("N7", True),
        ("b7", True),
        ("B1b5", True),  # on squares of one colour
        ("B1B1b3", True),
        ("Bb6", False),
        ("NN6", False),
        ("Nn6", False),
        ("Bn6", False),
        ("R7", False),
        ("q7", False),
    ],
)
def test_material_that_cannot_mate_is_a_draw(pieces, is_draw):
    ending = ending_after(f"4k3/8/8/{pieces}/8/8/8/4K3 w - - 0 1")
    assert ending == ("draw by insufficient material" if is_draw else "")


def test_no_game_is_longer_than_its_irreversible_moves_allow():
    assert GAME.max_plies == (96 + 30 - 8 + 1) * 100


# --- the network's input and the picture


def test_the_input_shows_the_board_from_the_side_to_move():
    planes = GAME.encode(GAME.parse_state("4k3/8/8/8/1pP5/8/8/R3K3 b Q c3 0 1"))
    assert planes.shape == (19, 8, 8)
    ones = {
        (plane, *square)
        for plane, *square in np.argwhere(planes[[0, 5, 6, 9, 11, 16]] == 1).tolist()
    }
    # b4 is on black's fifth rank: my pawn, my king; their pawn, rook and king; c3 to take on.
    assert ones == {(0, 4, 1), (1, 0, 4), (2, 4, 2), (3, 7, 0), (4, 7, 4), (5, 5, 2)}
    assert planes.sum(axis=(1, 2)).tolist() == [
        1,
        0,
        0,
        0,
        0,
        1,
        1,
        0,
        0,
        1,
        0,
        1,
        0,
        0,
        0,
        64,
        1,
        0,
        0,
    ]


def test_the_input_shows_the_clock_and_whether_the_position_was_there_before():
    state = play_all("4k2r/8/8/8/8/8/8/4K2R w Kk - 40 60", "Ke2 Ke7 Ke1 Ke8 Ke2 Ke7")
    planes = GAME.encode(state)
    assert (planes[17] == np.float32(0.46)).all()
    assert (planes[18] == 1).all()
    assert (planes[12:16] == 0).all()


@pytest.mark.parametrize("text", [KIWIPETE, PERFT[3][0], "8/8/8/8/1pP5/8/8/R3K2k b - c3 7 12"])
def test_black_sees_the_mirrored_position_as_white_does(text):
    state, mirrored = (
        GAME.parse_state(text),
        GAME.parse_state(chess.Board(text).mirror().fen(en_passant="fen")),
    )
    assert (GAME.encode(state) == GAME.encode(mirrored)).all()
    assert GAME.legal_actions(state) == GAME.legal_actions(mirrored)
    assert GAME.state_key(state) != GAME.state_key(mirrored)


def test_a_picture_shows_pieces_and_what_to_click():
    scene = GAME.scene(GAME.parse_state("4k3/P7/8/8/8/8/8/4K3 w - - 0 1"))
    assert [(piece.cell, piece.name) for piece in scene.pieces] == [
        ("e1", "white king"),
        ("a7", "white pawn"),
        ("e8", "black king"),
    ]
    assert sorted(scene.clicks.values()).count(("a7", "a8")) == 4
    assert scene.caption == "white to move"


@pytest.mark.slow
@given(st.integers(0, 2**64 - 1))
@settings(max_examples=20)
def test_a_rollout_draws_the_very_moves_of_plain_random_play(seed):
    for text in (START, KIWIPETE, "4k3/P7/8/8/1pP5/8/6p1/R3K2R b KQ c3 0 1"):
        start = GAME.parse_state(text)
        own, expected = rollouts(GAME, start, 10, seed=seed), rollouts(PLAIN, start, 10, seed=seed)
        assert (own.payoffs == expected.payoffs).all()
        assert (own.moves == expected.moves).all()


PLAIN = default_rollouts(GAME)
