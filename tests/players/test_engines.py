"""Engines of others as players: texts, positions that they are told, and what happens when they do
not behave.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import chess
import pytest

import anyzero
from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.core.game.play import Play
from anyzero.tools.arena import make_plan, match, play_games
from anyzero.tools.child import Child, LateChildError
from anyzero.tools.players import parse_player
from anyzero.tools.players.engine import UciClient, find_program, parse_engine
from anyzero.tools.players.player import FailedPlayerError, ResignedError, consult

CHESS = anyzero.load("chess")
HEX = anyzero.load("hex:size=5")
BAD = f"{sys.executable} {Path(__file__).parent / 'engines.py'}"
OWN = f"{sys.executable} -m anyzero"


def marked(mark: str) -> str:
    """Our own program with a word in its command line by which it can be told from others."""
    return f"{sys.executable} -X {mark} -m anyzero"


STOCKFISH = find_program("stockfish")
needs_stockfish = pytest.mark.skipif(STOCKFISH is None, reason="stockfish is not installed")
PATIENCE_S = 60


def processes(word: str) -> list[int]:
    """The processes whose command holds a word, other than this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in command and int(path.parent.name) != os.getpid() and "pytest" not in command:
            found.append(int(path.parent.name))
    return found


def wait_until_gone(word: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while processes(word):
        assert time.monotonic() < end, f"still there: {processes(word)}"
        time.sleep(0.02)


# --- texts


def test_the_text_names_the_command_and_what_it_is_told():
    wanted = parse_engine(f"uci:{sys.executable} -u x.py,elo=1400,nodes=50,Skill Level=3,start=5")
    assert wanted.command == (sys.executable, "-u", "x.py")
    assert (wanted.elo, wanted.nodes, wanted.movetime, wanted.start) == (1400, 50, None, 5.0)
    assert wanted.options == {"Skill Level": "3"}
    timed = parse_engine(f"uci:{sys.executable}")
    assert (timed.movetime, timed.limit) == (0.1, pytest.approx(1.15))
    assert parse_engine(f"uci:{sys.executable},movetime=2,limit=9").limit == 9.0


def test_quotes_keep_spaces_and_commas_together(tmp_path):
    program = tmp_path / "my engine, old"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert parse_engine(f'uci:"{program}",nodes=1').command == (str(program),)
    assert parse_engine(f"uci:'{program}' 'a, b' c,nodes=1").command == (str(program), "a, b", "c")
    assert parse_engine(f'uci:"{sys.executable} -m anyzero",nodes=1').command == (
        sys.executable,
        "-m",
        "anyzero",
    )


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("uci:", BadOptionError, "there is no command, as in uci:stockfish"),
        ("uci", BadOptionError, "there is no command, as in uci:stockfish"),
        ("uci:no_such_engine", UnknownNameError, "there is no program 'no_such_engine'"),
        (f"uci:{sys.executable},elo=strong", BadOptionError, "elo is a whole number, not 'strong'"),
        (
            f"uci:{sys.executable},movetime=0",
            BadOptionError,
            "movetime is a positive number of seconds",
        ),
        (
            f"uci:{sys.executable},movetime=nan",
            BadOptionError,
            "movetime is a positive number of seconds",
        ),
        (f"uci:{sys.executable},fast", BadOptionError, "'fast' is not of the form option=value"),
        ("uci:'open", BadOptionError, "a quote is not closed"),
        (
            f"gtp:{sys.executable},elo=1500",
            BadOptionError,
            "GTP has no option 'elo', only movetime, start, limit",
        ),
        (f"gtp:{sys.executable},movetime=0.5", BadOptionError, "GTP counts whole seconds"),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_possible(text, error, says):
    with pytest.raises(error, match=re.escape(says)):
        parse_player(text)


# --- positions


def test_an_engine_is_told_the_moves_that_can_be_repeated():
    line, board, client = (
        Play.begin(CHESS),
        chess.Board(),
        UciClient(parse_engine(f"uci:{sys.executable}")),
    )
    for move in ("e2e4", "e7e5", "g1f3", "b8c6", "f3g1", "c6b8", "g1f3"):
        line = line.play(CHESS, CHESS.parse_action(line.state, move))
        board.push_uci(move)
        words = client.position_text(CHESS, line).split()
        told = chess.Board(" ".join(words[2:8]))
        for repeated in words[9:]:
            told.push_uci(repeated)
        assert told.fen() == board.fen()
    assert told.is_repetition(2)


def test_a_gtp_engine_follows_the_line_and_hears_what_was_taken_back():
    player, line = parse_player(f"gtp:{OWN} gtp hex:size=5 --player random"), Play.begin(HEX)
    for _ in range(4):
        line = line.play(HEX, player.choose(HEX, line, 1))
        line = line.play(HEX, HEX.legal_actions(line.state)[-1])
    shorter = Play(
        line.start,
        line.actions[:2],
        HEX.play(HEX.play(line.start, line.actions[0]), line.actions[1]),
    )
    for again in (line, shorter, Play.begin(HEX)):
        assert player.choose(HEX, again, 1) in HEX.legal_actions(again.state)
    with pytest.raises(AnyzeroError, match="GTP engines play only from the initial position"):
        player.choose(HEX, Play.begin(HEX, line.state), 1)


# --- bad engines


def test_an_engine_plays_what_it_answers():
    player = parse_player(f"uci:{BAD} uci none,elo=1400,level=5,nodes=7")
    assert (
        CHESS.format_action(CHESS.initial_state(), player.choose(CHESS, Play.begin(CHESS), 0))
        == "a2a3"
    )
    assert player.limit_s == 60.0
    assert len(processes("engines.py uci none")) == 2  # the engine and its keeper
    del player
    wait_until_gone("engines.py uci none")


def test_elo_is_the_nearest_that_the_engine_has(capfd):
    parse_player(f"uci:{BAD} uci none,elo=100").prepare(CHESS)
    assert "UCI_Elo ranges from 1300 to 2000, so 100 becomes 1300" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "game", "says"),
    [
        (f"uci:{BAD} uci none,Hush=3", CHESS, "it has no option 'Hush'"),
        (f"uci:{BAD} uci none", HEX, "UCI is for chess, not for hex"),
        (f"uci:{BAD} uci broken", CHESS, "its process ended with code 1: no book found"),
        (f"uci:{BAD} uci silent,start=0.2", CHESS, "no answer in time"),
        (f"gtp:{BAD} gtp none", anyzero.load("take_it_easy"), "two-seat games"),
    ],
)
def test_an_engine_that_cannot_begin_says_why(text, game, says):
    with pytest.raises(AnyzeroError, match=re.escape(says)):
        parse_player(text).prepare(game)


@pytest.mark.usefixtures("games_here")
@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        ("die", "crash", "its process ended with code 3: out of memory"),
        ("hang", "time", "no answer in time"),
        ("illegal", "illegal move", "'e2e9' is not a legal move here"),
    ],
)
def test_an_engine_at_fault_loses_that_game_and_the_match_goes_on(fault, reason, detail):
    player = f"uci:{BAD} uci {fault},movetime=0.01,limit=1"
    standings = match("chess", player, "random", games=2, openings=0, workers=1)
    assert [result.reason for result in standings.forfeits] == [reason, reason]
    for result in standings.forfeits:
        assert result.players[result.forfeited_by] == player
        assert detail in result.detail
        assert len(result.moves) >= 4
    wait_until_gone(f"engines.py uci {fault}")


@pytest.mark.usefixtures("games_here")
def test_an_engine_may_resign():
    with pytest.raises(ResignedError, match="resigned"):
        parse_player(f"gtp:{BAD} gtp resign").choose(HEX, Play.begin(HEX), 0)
    standings = match(
        "hex:size=3", f"gtp:{BAD} gtp resign", "random", games=2, openings=0, workers=1
    )
    assert [result.reason for result in standings.forfeits] == ["resignation", "resignation"]


def test_a_crash_is_a_failed_player_and_the_next_game_gets_a_new_process():
    player, line = parse_player(f"uci:{BAD} uci none"), Play.begin(CHESS)
    player.choose(CHESS, line, 0)
    for number in processes("engines.py uci none"):
        os.kill(number, signal.SIGKILL)
    wait_until_gone("engines.py uci none")
    with pytest.raises(FailedPlayerError, match="its process ended with code"):
        consult(player, CHESS, line, 0)
    player.prepare(CHESS)
    assert consult(player, CHESS, Play.begin(CHESS), 0).action >= 0


def test_what_an_engine_has_started_ends_with_it():
    child = Child([*BAD.split(), "uci", "fork"], is_ours=False)
    child.send("position fen 8/8/8/8/8/k7/7p/K7 w - - 0 9 moves")
    child.send("go")
    with pytest.raises(LateChildError):
        child.read(time.monotonic() + 1.0)
    wait_until_gone("engines.py uci fork")


def test_no_engine_outlives_a_process_that_is_killed():
    code = (
        "import anyzero, time; from anyzero.tools.players import parse_player; from "
        "anyzero.core.game.play import Play\n"
        f"player, chess = parse_player('uci:{BAD} uci orphan'), anyzero.load('chess')\n"
        "player.choose(chess, Play.begin(chess), 0); print('playing', flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "playing\n"
        assert processes("uci orphan")
        process.kill()
    wait_until_gone("engines.py uci orphan")


# --- our own engines


@pytest.mark.usefixtures("games_here")
def test_our_own_uci_engine_plays_a_match():
    player = f'uci:"{marked("whole_match")} uci",nodes=5,start=180'
    (result,) = play_games(
        make_plan("chess", (player, "random"), games=1, openings=0, legs=(0,)), workers=1
    ).values()
    assert (result.reason, result.forfeited_by) == ("normal", None)
    wait_until_gone("-X whole_match")


def test_our_own_engine_is_told_the_seed():
    player = parse_player(f"uci:{OWN} uci,nodes=100,start=180")
    first = [player.choose(CHESS, Play.begin(CHESS), seed) for seed in range(8)]
    assert first == [player.choose(CHESS, Play.begin(CHESS), seed) for seed in range(8)]
    assert len(set(first)) > 1


@pytest.mark.usefixtures("games_here")
def test_our_own_gtp_engine_plays_a_match():
    game = "hex:size=4,swap=true"
    player = f"gtp:{OWN} gtp '{game}' --player random"
    standings = match(game, player, "random", games=4, openings=0, workers=1)
    assert (standings.games, standings.forfeits) == (4, ())


@pytest.mark.usefixtures("games_here")
def test_an_engine_that_is_killed_in_the_middle_of_a_game_forfeits_it():
    thinking = Path(
        f"/tmp/thinking_{os.getpid()}"
    )  # a word of the test runner's would hide the process
    player = f"uci:{BAD} uci mark={thinking},limit=100"
    killer = threading.Thread(target=kill_once, args=(thinking, f"uci mark={thinking}"))
    killer.start()
    (result,) = play_games(
        make_plan("chess", (player, "random"), games=1, openings=0, legs=(0,)), workers=1
    ).values()
    killer.join()
    thinking.unlink()
    assert (result.reason, result.forfeited_by, result.payoffs) == ("crash", 0, [-1.0, 1.0])
    assert "its process ended with code 137" in result.detail  # 128 + SIGKILL


def kill_once(there: Path, word: str) -> None:
    """Kill an engine as soon as it has left its mark; its keeper stays."""
    while not there.exists():
        time.sleep(0.01)
    for number in processes(word):
        if b"child" not in Path(f"/proc/{number}/cmdline").read_bytes():
            os.kill(number, signal.SIGKILL)


# --- stockfish


@needs_stockfish
def test_stockfish_plays_by_its_limits():
    player = parse_player("uci:stockfish,nodes=200,Hash=1")
    state = CHESS.parse_state("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    assert CHESS.format_action(state, player.choose(CHESS, Play.begin(CHESS, state), 0)) == "a1a8"


@needs_stockfish
@pytest.mark.slow
def test_twenty_games_against_stockfish_end_by_the_rules():
    results = play_games(
        make_plan("chess", ("uct:0.1s", "uci:stockfish,elo=1320"), games=20), workers=1
    )
    assert [result.reason for result in results.values()] == ["normal"] * 20
    wait_until_gone("stockfish")
