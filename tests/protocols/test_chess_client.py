"""The UCI engine as a process, with python-chess as the GUI."""

import subprocess
import sys

import chess
import chess.engine
import pytest

COMMAND = [sys.executable, "-m", "anyzero", "uci"]
PATIENCE_S = 180
"""A first compile may come in between."""


@pytest.fixture(scope="module")
def engine():
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=PATIENCE_S) as engine:
        engine.ping()
        yield engine


def test_a_move_comes_with_the_answer_that_is_expected(engine):
    board = chess.Board()
    played = engine.play(board, chess.engine.Limit(nodes=400), info=chess.engine.INFO_ALL)
    assert played.move in board.legal_moves
    board.push(played.move)
    assert played.ponder in board.legal_moves
    assert played.info["nodes"] == 400
    assert played.info["score"].pov(chess.WHITE).score() is not None


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(time=0.1),
        chess.engine.Limit(
            white_clock=3, black_clock=3, white_inc=0.1, black_inc=0.1, remaining_moves=20
        ),
        chess.engine.Limit(depth=1),
    ],
    ids=["movetime", "clock", "depth"],
)
def test_every_kind_of_limit_ends_in_a_legal_move(engine, limit):
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    assert engine.play(board, limit).move in board.legal_moves


def test_a_mate_is_seen_by_the_client(engine):
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    info = engine.analyse(board, chess.engine.Limit(nodes=100))
    assert info["score"].pov(chess.WHITE) == chess.engine.Mate(1)
    assert info["pv"] == [chess.Move.from_uci("a1a8")]


def test_several_lines_are_analysed_at_once(engine):
    board = chess.Board()
    infos = engine.analyse(board, chess.engine.Limit(nodes=400), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3
    for info in infos:
        line = board.copy()
        for move in info["pv"]:
            assert move in line.legal_moves
            line.push(move)


def test_an_analysis_without_an_end_is_stopped(engine):
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("nodes", 0) > 300:
                break
    assert engine.ping() is None


def test_only_the_given_moves_are_played(engine):
    wanted = chess.Move.from_uci("a2a3")
    assert (
        engine.play(chess.Board(), chess.engine.Limit(nodes=50), root_moves=[wanted]).move == wanted
    )


def test_a_game_with_pondering_is_played(engine):
    board, limit = chess.Board(), chess.engine.Limit(nodes=30)
    for _ in range(6):
        played = engine.play(board, limit, ponder=True)
        board.push(played.move)
        board.push(played.ponder if played.ponder else next(iter(board.legal_moves)))
    assert len(board.move_stack) == 12


def test_options_are_offered_and_set(engine):
    assert engine.options["Hash"].default == 256
    assert engine.options["Method"].var[:2] == ["auto", "flat"]
    engine.configure({"Hash": 16, "Seed": 7, "Simulations": 25, "Threads": 2})
    info = engine.play(chess.Board(), chess.engine.Limit(time=5.0), info=chess.engine.INFO_ALL).info
    assert info["nodes"] == 25  # 13 and 12 in two trees
    engine.configure({"Hash": 256, "Seed": 0, "Simulations": 0, "Threads": 1})


def test_a_whole_game_against_random_play_has_only_legal_moves(engine):
    board, limit = chess.Board(), chess.engine.Limit(nodes=4)
    moves = iter(range(10**6))
    while not board.is_game_over() and len(board.move_stack) < 120:
        legal = sorted(board.legal_moves, key=str)
        board.push(
            engine.play(board, limit).move if board.turn else legal[7919 * next(moves) % len(legal)]
        )
    assert board.is_valid()


def test_standard_output_holds_the_protocol_alone_and_the_end_of_input_ends_it():
    lines = "uci\nnonsense\nisready\nposition startpos\ngo nodes 30\n"
    done = subprocess.run(COMMAND, input=lines, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")
    words = {line.split()[0] for line in done.stdout.splitlines()}
    assert words == {"id", "option", "uciok", "info", "readyok", "bestmove"}
    assert done.stdout.splitlines()[-1].startswith("bestmove ")
