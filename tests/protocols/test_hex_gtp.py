"""The GTP engine: a transcript as the standard has it, the words that HexGui uses, and what is
refused.
"""

import subprocess
import sys

import pytest

from anyzero.app.protocols.gtp import COMMANDS, GtpEngine
from anyzero.app.protocols.limits import Clock
from anyzero.core.base.errors import AnyzeroError, BadOptionError
from tests.protocols.lines import Listener

TRANSCRIPT = [
    ("1 protocol_version", "=1 2\n"),
    ("name", "= anyzero\n"),
    ("2 known_command genmove", "=2 true\n"),
    ("known_command fly", "= false\n"),
    ("known_command", "= false\n"),
    ("boardsize 3 # a small one", "=\n"),
    ("\tclear_board\x07", "=\n"),
    ("komi 6.5", "=\n"),
    ("10 play B a1", "=10\n"),
    ("11 play b b2", "?11 illegal move\n"),
    ("play white A1", "? illegal move\n"),
    ("play w d1", "? illegal move\n"),
    ("play w", "? syntax error\n"),
    ("play red a1", "? syntax error\n"),
    ("play w b2", "=\n"),
    (
        "showboard",
        "= \n a b c\n1 x . .\n 2 . o .\n  3 . . .\nblue (x) to move, joining top and bottom\n",
    ),
    ("final_score", "? cannot score\n"),
    ("undo", "=\n"),
    ("all_legal_moves", "= b1 c1 a2 b2 c2 a3 b3 c3\n"),
    ("undo", "=\n"),
    ("undo", "? cannot undo\n"),
    ("boardsize 1", "? unacceptable size\n"),
    ("boardsize x", "? syntax error\n"),
    ("boardsize 3 4", "? unacceptable size\n"),
    ("genmove w", "? it is the turn of black\n"),
    ("play b resign", "=\n"),
    ("final_score", "= W+R\n"),
    ("genmove w", "? the game is over\n"),
    ("undo", "=\n"),
    ("12", "?12 unknown command\n"),
    ("time_settings 60 10 1", "=\n"),
    ("time_left b 5 0", "=\n"),
    ("time_left b 5", "? syntax error\n"),
    ("time_settings a b c", "? syntax error\n"),
]


def new_engine(game="hex:size=3", player="uct:50", **options):
    return Listener(lambda send: GtpEngine(game, player, send, **options))


def test_a_session_is_answered_word_for_word():
    engine = new_engine("hex:size=5")
    for line, answer in TRANSCRIPT:
        assert engine.tell(line) == [answer], line


def test_comments_and_empty_lines_are_not_answered():
    assert new_engine().tell("", "   ", "# nothing", "\x00\x1f") == []


def test_all_commands_are_listed_and_known():
    engine = new_engine()
    listed = engine.tell("list_commands")[0].removeprefix("= ").split()
    assert listed == list(COMMANDS)
    assert all(engine.tell(f"known_command {command}") == ["= true\n"] for command in listed)


def test_genmove_plays_what_reg_genmove_proposes():
    engine = new_engine()
    proposed = engine.tell("reg_genmove b")
    assert engine.tell("all_legal_moves") == ["= a1 b1 c1 a2 b2 c2 a3 b3 c3\n"]
    assert engine.tell("genmove b") == proposed
    assert proposed[0][2:-1] not in engine.tell("all_legal_moves")[0].split()


def test_a_game_is_played_to_its_score():
    engine, colours = new_engine(), 5 * ["b", "w"]
    for colour in colours:
        if engine.tell(f"genmove {colour}") == ["? the game is over\n"]:
            break
    assert engine.tell("final_score")[0] in ("= B+\n", "= W+\n")


def test_hexgui_may_swap_the_pieces():
    engine = new_engine("hex:size=3,swap=true")
    assert engine.tell("play b a2", "play w swap-pieces") == ["=\n", "=\n"]
    assert engine.tell("showboard")[0].splitlines()[2:4] == [
        "1 . o .",
        " 2 . . .",
    ]  # mirrored, and white's
    assert engine.tell("play b swap-pieces") == ["? illegal move\n"]


def test_the_engine_answers_a_good_opening_with_a_swap():
    engine = new_engine("hex:size=3,swap=true", "uct:2000")
    assert engine.tell("play b b2", "genmove w")[-1] == "= swap-pieces\n"


def test_a_hopeless_engine_resigns_if_it_may():
    engine = new_engine(resign=-0.5)
    engine.tell("play b b2", "play w a1", "play b b1")  # b3 and a3 both win
    assert engine.tell("genmove w") == ["= resign\n"]
    assert engine.tell("final_score") == ["= B+R\n"]


def test_go_boards_leave_out_the_column_i():
    engine = new_engine("atarigo:size=10", "random")
    assert engine.tell("play b J1", "play w K10", "play b i1") == ["=\n", "=\n", "? illegal move\n"]
    assert engine.tell("showboard")[0].splitlines()[11].split() == list("abcdefghjk")
    assert "J1" not in engine.tell("all_legal_moves")[0].split()


def test_points_are_the_score_where_a_game_counts_them():
    engine = new_engine("oware", "random")
    while "the game is over" not in engine.tell("genmove b")[0]:
        engine.tell("genmove w")
    state, game = engine.engine.table.state, engine.engine.game
    lead = int(game.score(state, 0) - game.score(state, 1))
    assert engine.tell("final_score") == [
        f"= {'0' if lead == 0 else f'B+{lead}' if lead > 0 else f'W+{-lead}'}\n"
    ]


def test_games_with_chance_or_one_seat_are_refused():
    with pytest.raises(BadOptionError, match="two-seat games without chance"):
        new_engine("take_it_easy")


@pytest.mark.parametrize(
    ("player", "fault"),
    [
        (f"uci:{sys.executable}", "UCI is for chess"),
        ("uct:9,evaluator=guided", "hex has no guided rollouts"),
    ],
)
def test_a_player_that_cannot_play_the_game_is_refused_at_the_start(player, fault):
    with pytest.raises(AnyzeroError, match=fault):
        new_engine(player=player)


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [
        (Clock(60, 0, 0), 2.7),
        (Clock(0, 10, 5), 1.8),
        (Clock(0, 10, 0), None),
        (Clock(0, 0, 0), 0.01),
        (Clock(60, 10, 5).left(5.0, 1), 4.5),
        (Clock(60, 0, 0).after(40.0), 0.9),
        (Clock(60, 10, 5).after(100.0), 1.8),
    ],
)
def test_a_move_gets_its_share_of_the_clock(clock, seconds):
    assert clock.seconds == (None if seconds is None else pytest.approx(seconds))


def test_the_clock_takes_the_place_of_the_player_s_budget():
    engine = new_engine(player="uct:900000000")
    assert engine.tell("time_settings 0 1 100", "genmove b")[1].startswith("= ")


def test_a_process_speaks_the_protocol_alone():
    command = [
        sys.executable,
        "-m",
        "anyzero",
        "gtp",
        "hex:size=3",
        "--player",
        "random",
        "--seed",
        "1",
    ]
    lines = "1 name\nplay b a1\nbad\n2 quit\nname\n"
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "=1 anyzero\n\n=\n\n? unknown command\n\n=2\n\n",
        "",
    )
    wrong = subprocess.run([*command[:4], "hexx"], capture_output=True, text=True, timeout=120)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean hex" in wrong.stderr
