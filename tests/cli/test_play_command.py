"""`play` through the real entry point: piped, in a real terminal, and for programs."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anyzero.app.records.files import read_record, write_record
from anyzero.app.records.in_progress import GameInProgress
from anyzero.app.records.seats import known_player
from tests.cli.terminal import Terminal
from tests.records.play import load, play_all

pytestmark = pytest.mark.xdist_group("search")

FAULTY = str(Path(__file__).parent.parent / "arena" / "faulty.py")
RACE = str(Path(__file__).parent.parent / "race.py")
MACHINES = ("--seat0", "uct:50", "--seat1", "uct:50")
PEOPLE = ("--seat0", "human", "--seat1", "human")


@pytest.fixture
def typed(run, monkeypatch):
    """Run `play` with these lines as its input; returns what it printed."""

    def typed(*words: str, lines: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        code, out, err = run("play", *words)
        assert (code, err) == (0, "")
        return out

    return typed


# --- in a terminal


@pytest.fixture
def open_terminal():
    """Run a command in a terminal; what still runs after the test is ended."""
    opened = []

    def open_terminal(*words: str, **environment: str) -> Terminal:
        opened.append(Terminal(*words, **environment))
        return opened[-1]

    yield open_terminal
    for terminal in opened:
        terminal.process.kill()
        terminal.process.wait()


def play_to_the_end(terminal: Terminal, machine: str) -> str:
    """Take the first free cell each time; returns everything that was shown."""
    taken, shown = set(), ""
    while True:
        text = terminal.wait_for("x> ", "game over> ")
        shown += text
        if "game over> " in text:
            return shown
        taken |= set(re.findall(rf"{machine} plays ([a-c][1-3]) \(value", text))
        move = next(
            cell
            for cell in ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
            if cell not in taken
        )
        taken.add(move)
        terminal.type(f"{move}\n")


def test_a_person_plays_a_game_to_its_end_in_a_terminal(open_terminal, tmp_path):
    terminal = open_terminal("play", "tic_tac_toe", "--seat1", "uct:50", "--seed", "1")
    shown = play_to_the_end(terminal, "uct:50")
    terminal.type(f"save {tmp_path}/game.json\n")
    assert f"saved to {tmp_path}/game.json" in " ".join(terminal.wait_for("game over> ").split())
    terminal.type("quit\n")
    code, _ = terminal.end()
    assert code == 0
    record = read_record(tmp_path / "game.json")
    assert (record.termination, record.players) == ("rules", ("human", "uct:50"))
    assert {1.0: "human as x wins", 0.0: "a draw", -1.0: "uct:50 as o wins"}[
        record.payoffs[0]
    ] in shown
    assert record.clocks is not None
    assert record.evaluations[1].simulations <= 50
    assert "\x1b[1;94m" in terminal.shown  # the first seat's colour
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_without_colours_the_last_move_is_still_marked(open_terminal):
    terminal = open_terminal("play", "tic_tac_toe", *PEOPLE, NO_COLOR="1")
    terminal.wait_for("x> ")
    terminal.type("b2\n")
    assert "2 .[X]." in terminal.wait_for("o> ")
    terminal.type("\x04")
    code, last = terminal.end()
    assert code == 0
    assert "the game was not saved" in last
    assert not re.search(r"\x1b\[[0-9;]*(3[0-9]|9[0-7])m", terminal.shown)


def test_ctrl_c_says_how_a_game_is_saved(open_terminal):
    terminal = open_terminal("play", "tic_tac_toe", *PEOPLE)
    terminal.wait_for("x> ")
    terminal.type("b2\n")
    terminal.wait_for("o> ")
    code, last = terminal.stop()
    assert code == 130
    assert "stopped after 1 move; the game was not saved: use the command save FILE" in last
    assert "Traceback" not in last


def test_ctrl_c_keeps_the_game_where_it_was_told_to(open_terminal, tmp_path):
    terminal = open_terminal("play", "tic_tac_toe", *PEOPLE, "--save", f"{tmp_path}/kept.json")
    terminal.wait_for("x> ")
    terminal.type("b2\n")
    terminal.wait_for("o> ")
    code, last = terminal.stop()
    assert code == 130
    assert "stopped after 1 move, saved up to move 1: anyzero play --load" in last
    assert read_record(tmp_path / "kept.json").moves == ("b2",)


# --- piped


def test_two_people_play_by_lines_of_text(typed):
    out = typed("tic_tac_toe", *PEOPLE, lines="b2\na1\nc3\nA2\na3\nc1\nb1\n")
    assert out.splitlines()[:7] == [
        "tic_tac_toe; x: human; o: human; help lists the commands",
        "3 . . .",
        "2 . . .",
        "1 . . .",
        "  a b c",
        "x to move",
        "x> b2",
    ]
    assert "\x1b" not in out
    assert out.splitlines()[-1] == "the game was not saved"


def test_the_end_names_the_winner(typed):
    out = typed(
        "tic_tac_toe", *PEOPLE, lines="a1\nb1\na2\nb2\na3\nundo\nc3\nb3\nhint\nmoves\nb2\nqiut\n"
    )
    assert "game over: human as x wins\n" in out
    assert "game over: human as o wins\n" in out
    assert "the game is over; undo takes the last move back" in out
    assert "none, the game is over" in out
    assert "the game is over; help lists the commands" in out
    assert "the game is over; did you mean quit? help lists the commands" in out


@pytest.mark.parametrize("word", ["q", "exit", "Exit"])
def test_other_words_for_quit_leave_too(typed, word):
    out = typed("tic_tac_toe", *PEOPLE, lines=f"b2\n?\n{word}\na1\n")
    assert "  hint [PLAYER]" in out
    assert "a1" not in out.partition("anything else is a move")[2]
    assert out.endswith("the game was not saved\n")


def test_a_short_word_that_is_a_move_of_the_game_is_a_move(typed, tmp_path):
    own = "def format_action(rules, state, action):\n    return '?qx'[action - 1]\n\n\ndef payoffs("
    path = tmp_path / "race_letters.py"
    path.write_text(
        Path(RACE)
        .read_text()
        .replace("payoffs)", "payoffs, format_action)")
        .replace("def payoffs(", own)
    )
    out = typed(str(path), *PEOPLE, lines="q\n?\nexit\n")
    assert "total: 2" in out
    assert "total: 3" in out
    assert "  hint [PLAYER]" not in out


def test_one_seat_has_no_opponent_and_a_score(typed):
    out = typed("take_it_easy", "--seed", "3", lines="".join(f"{cell}\n" for cell in range(19)))
    assert out.startswith("take_it_easy; you: human; help")
    assert re.search(r"game over: score \d+\n", out)
    assert "drawn: " in out


def test_commands(typed, tmp_path):
    lines = (
        f"help\nb2\nundo\nredo\nmoves\nhint uct:50\nanalyse uct:50\nsave {tmp_path}/a "
        "b.json\nresign\nundo\nundo\n"
    )
    lines += (
        f"load {tmp_path}/a b.json\nundo 2\nsave\nload\nsave x.txt\nload "
        f"{tmp_path}/none.json\nanalyse random\nquit\n"
    )
    out = typed("tic_tac_toe", "--seat1", "uct:50", "--seed", "4", lines=lines)
    assert "  hint [PLAYER]" in out
    assert re.search(
        r"uct:50 plays \w\d \(value [-+]\d\.\d{3}, \d+ simulations?, \d\.\d\d s, line \w\d", out
    )
    assert re.search(r"hint: \w\d \(value", out)
    assert "move  visits  value" in out
    assert f"saved to {tmp_path}/a b.json" in " ".join(out.split())
    assert "game over: human as x resigns; uct:50 as o wins" in out
    assert "undo takes no argument" in out
    assert "save FILE: write the game to a file: .json" in " ".join(out.split())
    assert "load FILE: continue a game from a file" in out
    assert "ends in one of .json, .pgn, .sgf" in out
    assert "cannot be read: No such file" in " ".join(out.split())
    assert "random does not search" in out
    assert read_record(tmp_path / "a b.json").moves[0] == "b2"


def test_a_game_from_a_file_is_saved_until_it_goes_on(typed, tmp_path):
    file = f"{tmp_path}/a.json"
    typed("tic_tac_toe", *PEOPLE, lines=f"b2\nsave {file}\nquit\n")
    assert "not saved" not in typed("--load", file, *PEOPLE, lines="quit\n")
    assert "not saved" not in typed("tic_tac_toe", *PEOPLE, lines=f"a1\nload {file}\nquit\n")
    assert "not saved" in typed("--load", file, *PEOPLE, lines="a1\nquit\n")


def test_that_only_the_first_game_of_a_file_is_taken_is_said(run, typed, monkeypatch, tmp_path):
    (tmp_path / "one.sgf").write_text("(;SZ[3];B[a1])")
    assert "hex:size=3" in typed("--load", f"{tmp_path}/one.sgf", *PEOPLE, lines="quit\n")
    (tmp_path / "two.sgf").write_text("(;SZ[3];B[a1])(;SZ[3];B[b2])")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"load {tmp_path}/two.sgf\nquit\n"))
    _, _, err = run("play", "--load", f"{tmp_path}/two.sgf", *PEOPLE)
    assert err == f"{tmp_path}/two.sgf has 2 games, and this is the first\n" * 2


def test_undo_stops_at_a_persons_own_move(typed):
    out = typed("tic_tac_toe", "--seat0", "uct:50", "--seed", "4", lines="undo\nredo\nmoves\n")
    assert "you have no move to take back" in out
    assert "there is no move to redo" in out
    assert len(out.splitlines()[-2].split()) == 8


@pytest.mark.parametrize(
    ("game", "line", "says"),
    [
        ("hex:size=5", "f3", "did you mean e3? moves lists the legal moves"),
        ("hex:size=5", "unod", "did you mean undo?"),
        ("tic_tac_toe", "zz", "legal: a1, b1, c1, a2, b2, c2, a3, b3, ... (9 in all); moves"),
        ("chess", "Nf4", "'Nf4' is not a legal move here; did you mean"),
        ("chess", "e2e5", "did you mean e2e"),
    ],
)
def test_a_wrong_move_gets_the_nearest_legal_one(typed, game, line, says):
    out = typed(game, *PEOPLE, lines=f"{line}\n")
    assert says in " ".join(out.split())


def test_an_empty_input_ends_cleanly(typed):
    out = typed("tic_tac_toe", *PEOPLE, lines="")
    assert "not saved" not in out
    assert "\n\n" not in out


def test_a_game_without_a_picture_can_be_played(typed):
    assert "total: 3" in typed(RACE, *PEOPLE, lines="3\n")
    assert "game over: human as second seat wins" in typed(RACE, *PEOPLE, lines="3\n3\n3\n1\n")


def test_torch_is_never_needed():
    code = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['anyzero', 'play', "
        "'tic_tac_toe', '--seed', '1']\n"
        "from anyzero.app.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="b2\n", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "level:medium plays" in done.stdout


# --- for programs


def test_machines_play_and_the_record_is_printed(run):
    code, out, err = run("play", "tic_tac_toe", *MACHINES, "--seed", "5", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["players"] == ["uct:50", "uct:50"]
    assert found["result"]["termination"] == "rules"
    assert len(found["clocks"]) == len(found["evaluations"]) == len(found["moves"])
    assert (
        json.loads(run("play", "tic_tac_toe", *MACHINES, "--seed", "5", "--json")[1])["moves"]
        == found["moves"]
    )


@pytest.mark.parametrize(
    ("game", "seats"),
    [("tic_tac_toe", MACHINES), ("take_it_easy", ("--seat0", "random")), ("oware:plies=30", None)],
)
def test_a_game_that_was_saved_goes_on_as_it_would_have(run, tmp_path, game, seats):
    seats = seats or ("--seat0", "random", "--seat1", "random")
    whole = json.loads(run("play", game, *seats, "--seed", "5", "--json")[1])
    table = GameInProgress(load(game), seed=5, players=whole["players"])
    while len(table.moves) < 6:
        table.play(whole["moves"][len(table.moves)])
    write_record(tmp_path / "half.json", table.to_record())
    rest = json.loads(run("play", "--load", str(tmp_path / "half.json"), "--json")[1])
    assert rest["moves"] == whole["moves"]
    assert rest["result"] == whole["result"]
    assert rest["players"] == whole["players"]


def test_a_player_that_fails_forfeits(run):
    words = ("--seat0", f"{FAULTY}:fault=crash", "--seat1", "random")
    found = json.loads(run("play", "tic_tac_toe", *words, "--json")[1])
    assert found["result"] == {"payoffs": [-1.0, 1.0], "termination": "forfeit"}
    code, out, _ = run("play", "tic_tac_toe", *words)
    assert code == 0
    assert "failed: RuntimeError: out of ideas" in " ".join(out.split())
    assert "forfeits; random as o wins" in " ".join(out.split())


def test_a_game_begins_in_any_position(typed):
    out = typed("tic_tac_toe", *PEOPLE, "--position", "xx1/oo1/3 x", lines="c3\n")
    assert "game over: human as x wins" in out


def test_who_sits_where(run, typed, tmp_path):
    assert "x: human; o: level:medium (gumbel:" in typed("tic_tac_toe", lines="")
    assert "x: uct:50; o: human;" in typed("tic_tac_toe", "--seat0", "uct:50", lines="")
    assert "x: level:medium (gumbel:1,temperature=2@best); o: human" in typed(
        "tic_tac_toe", "--seat1", "human", lines=""
    )
    table = play_all("tic_tac_toe", "b2")
    table.players = ("Ann", "human")
    write_record(tmp_path / "ann.json", table.to_record())
    assert "x: level:medium (gumbel:1,temperature=2@best); o: human" in typed(
        "--load", str(tmp_path / "ann.json"), lines=""
    )
    table.players = ("./evil.py", "uct:50")
    write_record(tmp_path / "evil.json", table.to_record())
    assert "x: human; o: uct:50" in typed("--load", str(tmp_path / "evil.json"), lines="")


def test_a_file_does_not_name_a_command_to_run(typed, tmp_path):
    mark = tmp_path / "mark"
    table = play_all("tic_tac_toe", "b2")
    table.players = ("human", f"uci:touch {mark},start=2")
    write_record(tmp_path / "evil.json", table.to_record())
    assert "x: human; o: level:medium" in typed("--load", str(tmp_path / "evil.json"), lines="")
    assert not mark.exists()


def test_a_file_does_not_name_code_to_run():
    assert known_player("./evil.py") is None
    assert known_player("./evil.py:depth=3") is None
    assert known_player("Ann") is None
    assert known_player("uct:50") == "uct:50"
    assert known_player("uci:touch mark") is None
    assert known_player(" gtp:touch mark,start=2") is None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "name a game to play, or a file with --load"),
        (
            ["hex", "--seat0", "level:esay"],
            "there is no level 'esay'; did you mean easy? known: beginner, easy",
        ),
        (["hex", "--seat0", "level"], "there is no level ''"),
        (["hex", "--seat1", "easy"], "there is no player 'easy'; did you mean level:easy?"),
        (
            ["hex", "--seat1", "gumbel:64@bset"],
            "there is no network 'bset'; did you mean best? known: best",
        ),
        (["hex", "--seat2", "random"], "hex has 2 seats, so there is no --seat2"),
        (["take_it_easy", "--seat1", "random"], "take_it_easy has 1 seat, so there is no --seat1"),
        (["hex", "--json"], "--json needs a computer player in every seat"),
        (
            ["hex", "--load", "x.json", "--position", "what"],
            "--load and --position exclude each other",
        ),
        (["--load", "nowhere.json"], "nowhere.json: cannot be read"),
        (["hex", "--hints", "nobody"], "there is no player 'nobody'"),
        (["hex", "--save", "game.pgn"], "PGN is for chess, this is a game of hex"),
        (["hex", "--save", "game.txt"], "ends in one of .json"),
        (["hex", "--save", "/nowhere/at/all.json"], "there is no such folder"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, words, says):
    code, out, err = run("play", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_the_game_of_a_file_must_be_the_one_that_was_named(run, tmp_path):
    write_record(tmp_path / "game.json", play_all("tic_tac_toe", "b2").to_record())
    code, _, err = run("play", "hex", "--load", str(tmp_path / "game.json"))
    assert code == 2
    assert "the record is of tic_tac_toe, which is not hex" in err


def test_after_a_game_there_is_another_with_the_seats_exchanged(typed):
    lines = "resign\nrematch\nquit\n"
    out = typed("tic_tac_toe", "--seat1", "random", lines=lines)
    assert "rematch plays again with the seats swapped" in " ".join(out.split())
    assert "x: random; o: human" in out
    assert (
        "x: human; o: random"
        in typed("tic_tac_toe", "--seat1", "random", lines=lines.replace("rematch", "new")).split(
            "over:"
        )[1]
    )


def test_another_game_begins_where_the_last_one_did(typed, tmp_path):
    lines = f"c3\nresign\nrematch\nsave {tmp_path}/again.json\nquit\n"
    typed("tic_tac_toe", *PEOPLE, "--position", "3/1o1/x2 x", lines=lines)
    assert read_record(tmp_path / "again.json").start == "3/1o1/x2 x"


def test_a_rematch_leaves_the_saved_game_and_saves_the_next_one_beside_it(typed, tmp_path):
    lines = "a1\nb1\na2\nb2\na3\nrematch\nb2\nquit\n"
    typed("tic_tac_toe", *PEOPLE, "--save", str(tmp_path / "kept.json"), lines=lines)
    assert [len(read_record(tmp_path / name).moves) for name in ("kept.json", "kept-2.json")] == [
        5,
        1,
    ]


def test_resigning_after_the_end_leaves_the_players_of_a_record(typed, tmp_path):
    typed(
        "take_it_easy", "--seat0", "human", lines=f"resign\nresign\nsave {tmp_path}/b.json\nquit\n"
    )
    assert read_record(tmp_path / "b.json").players == ("human",)
    lines = f"resign\nresign\nsave {tmp_path}/a.json\nquit\n"
    typed("tic_tac_toe", "--seat0", "human", "--seat1", "random", lines=lines)
    assert read_record(tmp_path / "a.json").players == ("human", "random")
