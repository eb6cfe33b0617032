"""The UCI engine, told line by line: what it accepts, what it refuses, and that a refusal changes
nothing.
"""

import re

import pytest

from anyzero.app.protocols.limits import Limits, UciOptions, read_limits
from anyzero.app.protocols.uci import UciEngine, centipawns, make_searcher
from anyzero.core.base.errors import BadOptionError
from anyzero.core.nets.config import parse_network
from anyzero.core.nets.weights import save_network
from anyzero.core.search.methods import METHODS
from tests.protocols.lines import Listener

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
WANTED = ("searchmoves", "e2e4", "d2d4")
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 "


@pytest.fixture(scope="module")
def listener():
    listener = Listener(UciEngine)
    assert listener.tell("isready") == ["readyok"]
    return listener


@pytest.fixture
def engine(listener):
    """The same engine for all, as it was at its start."""
    listener.tell("stop", "position startpos")
    listener.engine.options = type(listener.engine.options)()
    return listener


def fen_of(engine):
    return engine.engine.game.format_state(engine.engine.state)


def test_it_introduces_itself_with_all_options(engine):
    sent = engine.tell("uci")
    assert sent[0].startswith("id name anyzero ")
    assert sent[-1] == "uciok"
    names = [
        line.split(" type ")[0].removeprefix("option name ")
        for line in sent
        if line.startswith("option")
    ]
    assert {
        "Method",
        "Simulations",
        "Network",
        "Threads",
        "Hash",
        "Seed",
        "MultiPV",
        "Ponder",
    } <= set(names)
    methods = [
        name for name, method in METHODS.items() if not method.halves and name != "expectimax"
    ]
    assert (
        "option name Method type combo default auto var auto "
        + " ".join(f"var {name}" for name in methods)
        in sent
    )
    assert "option name Move Overhead type spin default 30 min 0 max 10000" in sent
    assert "option name Network type string default <empty>" in sent


def test_a_position_is_a_start_and_moves(engine):
    assert engine.tell("position startpos moves e2e4 e7e5 g1f3") == []
    assert (
        fen_of(engine)
        == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2 after g1f3"
    )
    assert engine.tell("position startpos moves e2e4 c7c5") == []
    assert fen_of(engine) == "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert engine.tell(f"position fen {MATE_IN_ONE} moves a1a7 g8f8") == []
    assert fen_of(engine) == "5k2/R4ppp/8/8/8/8/8/6K1 w - - 2 2 after a1a7 g8f8"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("position", "position startpos [moves ...]"),
        ("position startpos e2e4", "position startpos [moves ...]"),
        ("position startpos moves e2e5", "'e2e5' is not a legal move here"),
        ("position startpos moves e2e4 e2e4", "'e2e4' is not a legal move here"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "chess: "),
        ("position fen", "position startpos [moves ...]"),
        ("setoption name Hash value 0", "hash must be from 1 to 1048576, not '0'"),
        ("setoption name Hash value ٣", "hash must be"),
        ("setoption name Method value halving", "method cannot be 'halving'; known: auto, flat"),
        ("setoption name Hush value 3", "did you mean hash"),
        ("setoption Hash 3", "setoption name NAME value VALUE"),
        ("setoption name Network value nowhere", "there is no network 'nowhere'"),
        ("setoption name Ponder value perhaps", "ponder must be true or false"),
        ("go nodes", "go nodes needs a number, not ''"),
        ("go nodes 0", "go nodes needs a number, not '0'"),
        ("go movetime -5", "go movetime needs a number, not '-5'"),
        ("go depht 3", "did you mean depth"),
        ("go nodes 10 searchmoves e2e5", "'e2e5' is not a legal move here"),
        ("joho debug on", "there is no command 'joho'"),
        ("\x00\x01", "there is no command"),
    ],
)
def test_a_bad_line_is_answered_by_a_sentence_and_changes_nothing(engine, line, says):
    engine.tell("position startpos moves d2d4")
    before = engine.engine.options, engine.engine.states
    sent = engine.tell(line)
    assert len(sent) == 1
    assert sent[0].startswith("info string ")
    assert says in sent[0]
    assert (engine.engine.options, engine.engine.states) == before
    assert not engine.engine.is_searching


def test_a_word_that_go_does_not_know_is_passed_over(engine):
    """As the protocol wants it: a GUI that says more than we know waits for its move."""
    engine.tell("position startpos")
    start = len(engine.sent)
    assert engine.go("go nodes 5 rtime 3 depth 90") in engine.engine.game.legal_moves(
        engine.engine.state
    )
    assert engine.sent[start] == "info string go knows no rtime 3, which is passed over"


def test_an_empty_line_is_no_command(engine):
    assert engine.tell("", "   ", "debug on", "register later") == []


def test_a_mate_is_found_and_reported(engine):
    start = len(engine.sent)
    engine.tell(f"position fen {MATE_IN_ONE}")
    assert engine.go("go nodes 100") == "a1a8"
    assert " score mate 1 " in engine.sent[start]
    assert engine.sent[start].endswith(" pv a1a8")


def test_the_side_that_is_mated_has_no_move(engine):
    engine.tell(f"position fen {MATE_IN_ONE} moves a1a8")
    assert engine.tell("go nodes 10")[-1] == "bestmove (none)"


def test_a_threefold_repetition_that_nobody_claims_is_played_on(engine):
    assert engine.tell("position startpos moves " + 3 * SHUFFLE + "e2e4") == []
    engine.tell("position startpos moves " + 2 * SHUFFLE)
    assert engine.go("go nodes 50") != "(none)"


def test_a_game_goes_on_after_fifty_moves_without_a_capture(engine):
    moves = 25 * "e1d1 e8d8 d1e1 d8e8 "
    start = "position fen 4k3/7p/8/8/8/8/P7/4K3 w - - 0 1 moves "
    assert engine.tell(start + moves + "a2a4") == []
    assert fen_of(engine) == "4k3/7p/8/8/P7/8/8/4K3 b - - 0 51"


@pytest.mark.parametrize("counters", ["100 80", "150 180", "3 0"])
def test_a_fen_from_a_gui_that_plays_on_or_counts_from_0_is_accepted(engine, counters):
    assert engine.tell(f"position fen 7k/8/8/8/8/8/R7/K7 w - - {counters}") == []
    assert engine.go("go nodes 50") in engine.engine.game.legal_moves(engine.engine.state)


def test_only_the_wanted_moves_are_played(engine):
    engine.tell("position startpos")
    assert engine.go("go nodes 200 searchmoves a2a3") == "a2a3"


def test_a_seed_makes_a_search_that_can_be_repeated(engine):
    found = []
    for seed in (5, 5, 6):
        engine.tell(f"setoption name Seed value {seed}")
        engine.go("go nodes 200")
        found.append(re.sub(" nps .* time [0-9]+", "", engine.sent[-2]))
    assert found[0] == found[1] != found[2]


def test_several_moves_are_reported_from_the_best(engine):
    engine.tell("setoption name MultiPV value 3")
    best = engine.go("go nodes 300")
    last = engine.sent[-4:-1]
    assert [line.split(" multipv ")[1].split()[0] for line in last] == ["1", "2", "3"]
    assert last[0].split(" pv ")[1].split()[0] == best
    assert " nodes 300 " in last[0]


def test_a_search_that_is_under_way_lets_nothing_else_begin(engine):
    engine.tell("go infinite")
    for line in ("go nodes 5", "position startpos", "setoption name Hash value 5", "ucinewgame"):
        assert "info string a search is running: stop it first" in engine.tell(line)
    assert "readyok" in engine.tell("isready")
    assert engine.tell("stop")[-1].startswith("bestmove ")
    assert engine.tell("stop") == []


def test_pondering_waits_for_the_opponent(engine):
    start = len(engine.sent)
    engine.tell("position startpos moves e2e4", "go ponder nodes 20")
    assert engine.engine.is_searching
    assert not any(line.startswith("bestmove") for line in engine.sent[start:])
    engine.tell("ponderhit")
    assert engine.wait_for("bestmove", start)
    start = len(engine.sent)
    engine.tell("go ponder movetime 20", "stop")
    assert engine.wait_for("bestmove", start)


def test_a_depth_is_the_length_of_the_line(engine):
    engine.tell("position startpos")
    engine.go("go depth 2")
    assert int(engine.sent[-2].split(" depth ")[1].split()[0]) >= 2


def test_memory_is_bounded(engine):
    engine.tell("setoption name Hash value 1", "position startpos")
    engine.go("go nodes 3000")
    assert engine.engine.thinking.searcher.room * 26 <= 1 << 20


def test_methods_that_need_rollouts_refuse_a_network(engine):
    with pytest.raises(BadOptionError, match="AMAF needs the moves of random rollouts"):
        make_searcher(
            engine.engine.game,
            UciOptions(method="rave", network="some"),
            lambda *_: None,
            seconds=1.0,
        )


@pytest.mark.parametrize("name", ["best", "@best"])
def test_the_net_in_the_package_is_a_network_too(engine, name):
    assert engine.tell(f"setoption name Network value {name}") == []
    assert engine.engine.evaluator is not None
    assert engine.engine.options.search_method == "gumbel"
    assert engine.tell("setoption name Threads value 2") == []
    assert engine.engine.evaluator.threads == 2
    searcher = make_searcher(
        engine.engine.game, engine.engine.options, engine.engine.evaluator, seconds=1.0
    )
    assert searcher.trees == 1


@pytest.mark.slow
def test_a_network_leads_the_search(engine, tmp_path):
    path, chess = tmp_path / "small.safetensors", engine.engine.game
    models = pytest.importorskip("anyzero.core.nets.models", reason="networks need torch")
    save_network(path, models.new_network(chess, parse_network("tiny"), 3), chess)
    assert engine.tell(f"setoption name Network value {path}") == []
    for method in ("auto", "gumbel"):
        assert engine.tell(f"setoption name Method value {method}") == []
        engine.tell("isready", "position startpos")
        assert engine.go("go nodes 20") in chess.legal_moves(chess.initial_state())
    assert "AMAF needs" in engine.tell("setoption name Method value rave")[0]
    assert engine.tell("setoption name Network value", "setoption name Method value rave") == []


def test_quitting_in_the_middle_of_a_search_answers_first(engine):
    engine.tell("position startpos", "go infinite")
    start = len(engine.sent)
    assert not engine.engine.handle("quit")
    assert engine.wait_for("bestmove", start)


# --- numbers


def test_limits_are_read_in_any_order():
    limits = read_limits([*WANTED, "wtime", "60000", "btime", "-20", "movestogo", "10", "ponder"])
    assert limits == Limits(
        wtime=60000, btime=-20, movestogo=10, ponder=True, searchmoves=WANTED[1:]
    )


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (Limits(movetime=1000), 0.97),
        (Limits(wtime=60_000, movestogo=10), 5.97),
        (Limits(wtime=60_000, winc=1_000), 2.97),
        (Limits(wtime=1_000, movestogo=1), 0.67),
        (Limits(wtime=-5), 0.005),
        (Limits(wtime=60_000, movetime=100), 0.07),
        (Limits(nodes=5), None),
        (Limits(wtime=60_000, infinite=True), None),
        (Limits(btime=60_000), None),
    ],
)
def test_a_move_gets_its_share_of_the_clock(limits, seconds):
    assert limits.seconds(0, 30) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("value", "pawns"), [(0.0, 0), (0.28, 100), (-0.28, -100), (1.0, 2000), (-0.9999999, -2000)]
)
def test_a_pawn_is_worth_a_hundred_points_of_elo(value, pawns):
    """Elo's curve gives a lead of 100 points an expected score of 0.64, which is a mean payoff of
    0.28.
    """
    assert centipawns(value) == pytest.approx(pawns, abs=1)
