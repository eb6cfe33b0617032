"""Chess: the package `chess` as the oracle, published perft counts, positions by hand, and what texts must refuse."""

import random

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.games.chess_text import format_san, outcome_text, parse_san
from anyzero.games.errors import BadPositionError, IllegalMoveError
from anyzero.games.laws import default_rollouts
from anyzero.games.load import load
from anyzero.games.perft import perft
from anyzero.games.rollouts import rollouts
from tests.games.chess_oracle import action_of, choose_move, ending, random_endgame
from tests.games.readers import read_safely, texts_near

GAME = load("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def play_all(text, moves):
    state = GAME.parse_state(text)
    for move in moves.split():
        state = GAME.play(state, move)
    return state


def ending_after(text, moves=""):
    return outcome_text(GAME.rules, play_all(text, moves))


# --- the oracle


def compare(state, board):
    assert GAME.format_state(state).partition(" after ")[0] == board.fen()
    how = ending(board)
    assert outcome_text(GAME.rules, state) == how
    assert GAME.is_over(state) == bool(how)
    legal = [] if how else [action_of(move, board.turn) for move in board.legal_moves]
    assert sorted(GAME.legal_actions(state)) == sorted(legal)
    assert bool(state.checkers) == board.is_check()
    assert state.repeats == (2 if board.is_repetition(3) else 1 if board.is_repetition(2) else 0)
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
        assert format_san(GAME.rules, state, action) == board.san(move)
        assert parse_san(GAME.rules, state, board.san(move)) == action


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


def test_random_games_agree_with_the_oracle():
    rng, habits = random.Random(1), {"plies": 600, "texts_every": 150, "back_and_forth": 0.03}
    assert sum(play_in_both(chess.Board(), rng, **habits) for _ in range(25)) > 6_000


def test_random_endgames_agree_with_the_oracle():
    rng, habits = random.Random(2), {"plies": 60, "texts_every": 50, "back_and_forth": 0.3}
    assert sum(play_in_both(random_endgame(rng), rng, **habits) for _ in range(160)) > 4_000
