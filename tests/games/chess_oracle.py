"""The package `chess` as the oracle: action numbers worked out from its moves, how a game ends,
where to start.
"""

import random

import chess

DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
KNIGHT_JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
UNDERPROMOTIONS = [chess.KNIGHT, chess.BISHOP, chess.ROOK]


def action_of(move: chess.Move, turn: chess.Color) -> int:
    """source * 73 + plane as the documentation says, on a board whose ranks are mirrored for
    black.
    """
    source, target = (
        square if turn else chess.square_mirror(square)
        for square in (move.from_square, move.to_square)
    )
    files = chess.square_file(target) - chess.square_file(source)
    ranks = chess.square_rank(target) - chess.square_rank(source)
    if move.promotion in UNDERPROMOTIONS:
        plane = 64 + (files + 1) * 3 + UNDERPROMOTIONS.index(move.promotion)
    elif (files, ranks) in KNIGHT_JUMPS:
        plane = 56 + KNIGHT_JUMPS.index((files, ranks))
    else:
        distance = max(abs(files), abs(ranks))
        plane = DIRECTIONS.index((files // distance, ranks // distance)) * 7 + distance - 1
    return source * 73 + plane


def ending(board: chess.Board) -> str:
    """How the game has ended, in the order of our rules, or nothing."""
    if not any(board.legal_moves):
        winner = "black" if board.turn else "white"
        return f"{winner} wins by checkmate" if board.is_check() else "draw by stalemate"
    if board.is_insufficient_material():
        return "draw by insufficient material"
    if board.halfmove_clock >= 100:
        return "draw by the fifty-move rule"
    return "draw by threefold repetition" if board.is_repetition(3) else ""


def random_endgame(rng: random.Random) -> chess.Board:
    """A few pieces on a board, with a clock that may be close to its end."""
    while True:
        board = chess.Board(None)
        kinds = "Kk" + "".join(rng.choice("PPpNnBbRrQqp") for _ in range(rng.randint(1, 6)))
        for kind, square in zip(kinds, rng.sample(range(64), len(kinds)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(kind))
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice([0, 0, 0, 60, 90])
        if board.is_valid():
            return board


def choose_move(board: chess.Board, rng: random.Random, back_and_forth: float) -> chess.Move:
    """A random move; with this chance the one that takes back one's own last, so that positions
    come again.
    """
    if len(board.move_stack) > 1 and rng.random() < back_and_forth:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in board.legal_moves:
            return back
    return rng.choice(list(board.legal_moves))
