"""Games of chess as PGN, held against the package `chess`."""

import io
import random
from functools import partial

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyzero.app.records.files import read_record, read_records, write_record
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.pgn import write_pgn
from anyzero.app.records.record import BadRecordError
from tests.records.play import load, play_all, random_table, read_text

read_pgn = partial(read_text, ".pgn")

SCHOLARS_MATE = """
[Event "Café, \\"simultan\\" \\\\ blind"]
[Site "?"]
[Date "1992.??.??"]
[White "White"]
[Black "Black"]
[Result "1-0"]
[ECO "C20"]

% an escaped line
{before the first move} 1. e4 e5 $1 {a comment (with brackets), 2. d4} 2.Bc4
(2. Nf3 Nc6 (2... d6 $6) 3. Bb5) 2... Nc6!?
3.Qh5 ; to the end of the line 3... g6
3... Nf6 ?? 4. Qxf7# 1-0
"""


def test_a_game_with_all_that_pgn_has():
    (record,) = read_pgn(SCHOLARS_MATE)
    assert record.moves == ("e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")
    assert (record.payoffs, record.termination) == ((1.0, -1.0), "rules")
    assert record.players == ("White", "Black")
    assert record.date == ""
    assert record.tags == {"Event": 'Café, "simultan" \\ blind', "Date": "1992.??.??", "ECO": "C20"}


def test_a_fact_with_the_name_of_a_tag_that_means_something_is_left_out():
    record = (
        play_all("chess", "e2e4")
        .to_record()
        .change(tags={"Result": "1-0", "FEN": "no", "White": "x", "ECO": "B00"})
    )
    assert read_pgn(write_pgn(record)) == [record.change(tags={"ECO": "B00"})]


def test_what_is_written_has_the_seven_tags_and_short_lines():
    table = play_all(
        "chess",
        "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bg4 d4 exd4 Qxd4 Qxd4 Nxd4 O-O-O Be3 c5 f3 cxd4",
    )
    table.players, table.seed, table.date = ("human", "uct:20"), 3, "2026-01-31"
    table.resign(1)
    text = write_pgn(table.to_record())
    assert text.splitlines()[:9] == [
        '[Event "?"]',
        '[Site "?"]',
        '[Date "2026.01.31"]',
        '[Round "?"]',
        '[White "human"]',
        '[Black "uct:20"]',
        '[Result "1-0"]',
        '[Seed "3"]',
        '[Termination "normal"]',
    ]
    assert text.splitlines()[10].startswith("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O")
    assert max(map(len, text.splitlines())) <= 79
    assert text.endswith("10. f3 cxd4 1-0\n\n")


@given(st.integers(0, 2**32))
@settings(max_examples=15)
def test_python_chess_reads_the_pgn_that_we_write_as_we_do(seed):
    record = random_table("chess", seed, most=16).to_record()
    assert read_pgn(write_pgn(record)) == [record]
    found = chess.pgn.read_game(io.StringIO(write_pgn(record)))
    assert not found.errors
    assert [move.uci() for move in found.mainline_moves()] == list(record.moves)
    assert (
        found.headers["Result"]
        == {None: "*", (1.0, -1.0): "1-0", (-1.0, 1.0): "0-1", (0.0, 0.0): "1/2-1/2"}[
            record.payoffs
        ]
    )
    for index, node in enumerate(found.mainline()):
        if record.clocks is not None and record.clocks[index] is not None:
            assert node.emt() == pytest.approx(record.clocks[index], abs=1e-6)


def oracle_game(seed: int, board: chess.Board, plies: int) -> chess.pgn.Game:
    """A random game with comments, glyphs and variations, made by the oracle; it ends where our
    rules end it.
    """
    draw = random.Random(seed)
    game = chess.pgn.Game()
    game.setup(board)
    node = game
    for _ in range(plies):
        here = node.board()
        moves = list(here.legal_moves)
        if (
            not moves
            or here.is_insufficient_material()
            or here.is_repetition(3)
            or here.halfmove_clock >= 100
        ):
            break
        for move in draw.sample(moves, min(3, len(moves)))[1:]:
            if draw.random() < 0.3:
                node.add_variation(move, comment="no (really) {not".replace("{", "["))
        node = node.add_main_variation(draw.choice(moves))
        node.comment = draw.choice(["", "", "good; 1. e4 [%clk 0:10:00]"])
        node.nags = set(draw.sample([1, 2, 6, 139], draw.randrange(2)))
    game.headers["Result"] = node.board().result()
    return game


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 17",
        "8/P6k/8/8/8/8/p6K/8 w - - 0 60",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    ],
)
def test_we_read_the_pgn_that_python_chess_writes(fen):
    games = [oracle_game(seed, chess.Board(fen), plies=20) for seed in range(3)]
    records = read_pgn("\n\n".join(map(str, games)))
    for record, game in zip(records, games, strict=True):
        assert list(record.moves) == [move.uci() for move in game.mainline_moves()]
        assert record.start == (None if fen == chess.STARTING_FEN else fen)


def test_several_games_stand_in_one_file(tmp_path):
    records = [random_table("chess", seed, most=4).to_record() for seed in range(3)]
    (tmp_path / "three.pgn").write_text("".join(map(write_pgn, records)), encoding="utf-8")
    assert read_records(tmp_path / "three.pgn") == records
    assert read_record(tmp_path / "three.pgn", 3) == records[2]


def test_a_start_position_keeps_the_moves_that_count_for_repetitions():
    game = load("chess")
    start = game.parse_state(
        "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2 after g1f3 g8f6"
    )
    table = GameInProgress(game, start=start)
    for move in ("f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"):
        table.play(move)
    assert (table.termination, table.payoffs) == ("rules", (0.0, 0.0))
    text = write_pgn(table.to_record())
    assert '[FEN "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2"]' in text
    assert read_pgn(text) == [table.to_record()]


ENDS = [
    ("1. e4 1-0", "", (1.0, -1.0), "resign"),
    ("1. e4 0-1", "time forfeit", (-1.0, 1.0), "forfeit"),
    ("1. e4 0-1", "resignation", (-1.0, 1.0), "resign"),
    ("1. e4 1-0", "Anna won by resignation", (1.0, -1.0), "resign"),
    ("1. e4 1/2-1/2", "", (0.0, 0.0), "agreement"),
    ("1. e4 *", "", None, "unfinished"),
    ("1. e4", "", None, "unfinished"),
    ("1. f3 e5 2. g4 Qh4# *", "", (-1.0, 1.0), "rules"),
]


@pytest.mark.parametrize(("moves", "termination", "payoffs", "how"), ENDS)
def test_pgn_says_how_games_end(moves, termination, payoffs, how):
    tag = f'[Termination "{termination}"]\n' if termination else ""
    (record,) = read_pgn(f"{tag}\n{moves}")
    assert (record.payoffs, record.termination) == (payoffs, how)
    assert read_pgn(write_pgn(record)) == [record]


WRONG = [
    ("1. e4 e5 2. Ke3", "game 1: line 1: chess: 'Ke3' is not a legal move here"),
    ("1. e4\n\ne5 2. Nd2 (2. Nf3", "line 3: a variation is not closed"),
    ("1. e4 )", "a variation is closed that was not opened"),
    ("1. e4 {never ends", "a comment is not closed"),
    ("[Event ?]\n1. e4", "'[Event' is not a tag such as"),
    ("1. e4 & e5", "'&' is not PGN"),
    ("1. f3 e5 2. g4 Qh4# 1-0", "the result is 1-0, but by the rules it is 0-1"),
    ('[Result "0-1"]\n1. e4 1-0', "its results differ: 0-1 and 1-0"),
    ('[Result "won"]\n1. e4', "the result 'won' is not one of"),
    ('[Variant "Atomic"]\n1. e4', "the variant 'Atomic' is not chess"),
    ('[FEN "8/8/8/8 w"]\n1. e4', "the start position: chess: "),
    ("1. -- e5", "chess: "),
    ("1. e4 1-0\n1. e5 *", "game 2: line 2: chess: 'e5' is not a legal move"),
    ("1. f3 e5 2. g4 Qh4# 3. a3", "the game is over"),
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=[text[:25] for text, _ in WRONG])
def test_wrong_pgn_is_one_sentence(text, says):
    with pytest.raises(BadRecordError) as error:
        read_pgn(text)
    assert says in str(error.value)


def test_a_tag_of_backslashes_is_refused_at_once():
    with pytest.raises(BadRecordError):
        read_pgn('[White "' + "\\" * 5000)


def test_only_chess_is_written_as_pgn(tmp_path):
    with pytest.raises(BadRecordError, match="PGN is for chess, this is a game of tic_tac_toe"):
        write_record(tmp_path / "game.pgn", play_all("tic_tac_toe", "a1").to_record())
