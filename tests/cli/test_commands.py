"""Each command through the real entry point: what it prints, its JSON, and its exit code."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from anyzero.app.cli.output import answer
from anyzero.core.base.files import write_whole
from anyzero.core.base.report import Sheet
from anyzero.core.game.load import BUILT_IN
from anyzero.core.search.methods import METHODS
from anyzero.tools import speed
from anyzero.tools.laws.check import FIRST_LAW
from anyzero.tools.laws.laws import LAWS
from tests import OWN

RACE = Path(__file__).parent.parent / "race.py"
NIM = Path(__file__).parent.parent / "doctor" / "nim.py"


def test_games_lists_every_game_with_its_sizes(run):
    code, out, _ = run("games", "--json")
    found = {game["name"]: game for game in json.loads(out)}
    assert code == 0
    assert list(found) == list(BUILT_IN)
    assert found["chess"]["num_actions"] == 4672
    assert found["take_it_easy"]["num_seats"] == 1
    assert found["hex"]["options"]["size"] == 11
    assert "connect_four" in run("games")[1]


def test_the_version_is_the_packages(run):
    assert run("--version") == (0, f"anyzero {version('anyzero')}\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("unbuffered", "words"),
    [("", ["games"]), ("1", ["games"]), ("", ["uci"]), ("", ["gtp", "hex:size=3"])],
)
def test_a_full_disk_is_one_sentence_whether_python_buffers_or_not(unbuffered, words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anyzero", *words],
            input="uci\n",
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "anyzero: No space left on device\n"


def test_a_closed_output_or_a_reader_that_leaves_is_no_traceback():
    for line in ("anyzero games >&-", "anyzero games <&-", "anyzero games --json | true"):
        command = line.replace("anyzero", f"{sys.executable} -m anyzero")
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_picture_that_cannot_be_written_leaves_no_file_and_a_device_is_written_to(run, tmp_path):
    place = tmp_path / "gone" / "board.svg"
    code, _, err = run("show", "hex:size=3", "--svg", str(place))
    assert (code, err) == (2, f"anyzero: cannot write {place}: No such file or directory\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        assert run("show", "hex:size=3", "--svg", str(pipe))[0] == 0
        assert read.result().startswith("<svg")
    assert pipe.is_fifo()


def test_a_game_may_lie_below_a_folder_whose_name_is_no_text(run, tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff\xfe")
    folder.mkdir()
    (folder / "race.py").write_text(RACE.read_text())
    assert run("perft", str(folder / "race.py"), "2")[0] == 0


def test_perft_counts_and_divides(run):
    code, out, _ = run("perft", "connect_four", "4", "--json", "--divide")
    found = json.loads(out)
    assert (code, found["nodes"], sum(found["divide"].values())) == (0, 2401, 2401)
    assert found["seconds"] >= 0
    assert "2401 leaves" in run("perft", "connect_four", "4")[1]
    assert json.loads(run("perft", "connect_four", "0", "--json")[1])["nodes"] == 1


def test_show_plays_moves_and_writes_pictures(run, tmp_path):
    picture = tmp_path / "board.svg"
    code, out, _ = run(
        "show", "breakthrough", "--moves", "a2a3 b7b6", "--svg", str(picture), "--json"
    )
    found = json.loads(out)
    assert (code, found["seat_to_move"]) == (0, 0)
    assert "a3a4" in found["legal_moves"]
    assert picture.read_text().startswith("<svg")
    again = json.loads(run("show", "breakthrough", "--state", found["state"], "--json")[1])
    assert again["text"] == found["text"]


def test_a_position_of_a_game_without_a_picture_is_shown_by_its_fields(run, tmp_path):
    code, out, _ = run("show", str(RACE), "--moves", "2", "--json")
    found = json.loads(out)
    assert (code, found["seat_to_move"], found["legal_moves"], found["text"]) == (
        0,
        1,
        ["1", "2", "3"],
        None,
    )
    assert run("show", str(RACE), "--moves", "2")[:2] == (0, "total: 2\nmover: 1\n")
    assert run("show", str(RACE), "--svg", str(tmp_path / "race.svg"))[0] == 2


def test_perft_counts_after_moves(run):
    code, out, _ = run("perft", "connect_four", "1", "--moves", "d d d,d d d", "--json", "--divide")
    assert (code, list(json.loads(out)["divide"])) == (0, ["a", "b", "c", "e", "f", "g"])


@pytest.mark.xdist_group("search")
def test_a_game_that_begins_with_chance_is_searched_after_the_moves_that_are_named(run):
    """A tile is drawn and placed on 9, then another is drawn: it goes to one of the other cells."""
    code, out, _ = run("search", "take_it_easy", "uct:50", "--moves", "928 9 174", "--json")
    assert code == 0
    assert {child["move"] for child in json.loads(out)["children"]} == {
        str(cell) for cell in range(19)
    } - {"9"}
    code, _, err = run("search", "take_it_easy", "uct:50")
    assert code == 2
    assert "it is chance's turn" in err


@pytest.mark.xdist_group("search")
def test_a_game_that_counts_points_shows_them_instead_of_values(run):
    words = ("search", "take_it_easy", "uct:50", "--moves", "928 9 174")
    found, shown = json.loads(run(*words, "--json")[1]), run(*words)[1]
    assert found["best_score"] == 307
    assert -1.0 < found["value"] < 1.0
    assert f", {(found['value'] + 1) / 2 * 307:.1f} points; " in shown
    assert shown.split()[:3] == ["move", "visits", "points"]
    assert "value" not in shown


def test_check_passes_and_fails_with_its_exit_code(run, monkeypatch):
    """A file may be called as a module of Python is, and print what is no answer of the processes
    that check it.
    """
    OWN.mkdir(exist_ok=True)
    monkeypatch.chdir(OWN)
    write_whole(Path("token.py"), f"print('{{}}')\n{RACE.read_text()}".encode())
    code, out, _ = run("check", "./token.py", "--json")
    printed, found = map(json.loads, out.splitlines())
    assert (code, printed, found["ok"]) == (0, {}, True)
    assert [law["law"] for law in found["laws"]] == [FIRST_LAW, *LAWS]
    assert "The compiled game and the CUDA simulator give the same answers." in [
        law["detail"] for law in found["laws"]
    ]
    code, out, _ = run("check", f"{NIM}:fault=both win")
    assert code == 1
    assert "payoffs are fair" in out
    assert "do not sum to zero" in out
    assert "1 of" in out


def test_bench_measures_rollouts(run):
    code, out, _ = run(
        "bench", "rollouts", str(RACE), "--threads", "2", "--seconds", "0.05", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"game", "target", "threads", "rollouts_per_s", "moves_per_s", "compile_s"}
    assert found["moves_per_s"] > found["rollouts_per_s"] > 0
    assert (
        run("bench", "rollouts", str(RACE), "--seconds", "0.05", "--target", "interpreted")[0] == 0
    )


@pytest.mark.xdist_group("search")
def test_bench_measures_searches(run, monkeypatch):
    ticks = count()  # of 10 ms each: however busy the machine is, several searches are done
    clock = SimpleNamespace(perf_counter=lambda: 0.01 * next(ticks))
    monkeypatch.setattr(speed, "time", clock)
    code, out, _ = run("bench", "search", "tic_tac_toe", "uct:50", "--seconds", "0.05", "--json")
    found = json.loads(out)
    assert code == 0
    assert {
        "game",
        "method",
        "simulations_per_s",
        "simulations",
        "nodes",
        "bytes_per_node",
        "ready_s",
    } <= set(found)
    assert found["simulations_per_s"] >= found["median_simulations_per_s"] > 0
    assert found["simulations"] == 50
    assert found["searches"] > 1
    assert found["seconds"] >= 0.05
    assert (
        "simulations/s, the best of"
        in run("bench", "search", "tic_tac_toe", "uct:50", "--seconds", "0.05")[1]
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "connect_four", "--moves", "z"], "is not a legal move"),
        (["show", "chess", "--svg", "/nowhere/at/all.svg"], "cannot write"),
        (["perft", "hex", "-1"], "-1"),
        (["bench", "rollouts", "hex", "--target", "gpu"], "known: cpu, cuda, interpreted, wasm"),
        (["bench", "rollouts", "hex", "--target", "cuda"], "GPU"),
        (["bench", "rollouts", "hex", "--seconds", "nan"], "nan is not a number of seconds"),
        (["bench", "search", "hex", "uct:10", "--seconds", "0"], "--seconds"),
        (["check", "./nowhere.py"], "cannot read the game file"),
        (["check", "~nobody_here/nowhere.py"], "cannot read the game file"),
        (["match", "hex", "~\0.py", "random"], "cannot read the player file"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, words, says):
    code, out, err = run(*words)
    assert code == 2
    assert says in err
    assert "Traceback" not in err + out


def test_help_has_examples_on_their_own_lines_and_imports_nothing_heavy():
    """Of every command; -h is --help."""
    code = (
        "import sys; from anyzero.app.cli.app import app\n"
        "import typer\n"
        "for name in typer.main.get_command(app).commands:\n"
        "    app([name, '-h'], standalone_mode=False)\n"
        "heavy = {'numpy', 'numba', 'torch', 'pydantic', 'matplotlib', 'rich.console', "
        "'anyzero.games'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[-1] == "[]"
    assert lines.count("  Examples:") >= 15
    assert {"    anyzero runs", "    anyzero plot rave.csv", "    anyzero doctor hex7"} <= set(
        lines
    )


@pytest.mark.parametrize("command", ["search", "match", "tournament", "play", "gtp"])
def test_the_help_of_commands_that_take_players_lists_the_methods(run, command):
    assert f"Methods: {', '.join(METHODS)}\n" in run(command, "--help")[1]


@pytest.mark.parametrize("group", [(), ("bench",)])
def test_the_list_of_commands_has_whole_sentences(run, group):
    out = run(*group, "--help")[1]
    assert "..." not in out.partition("Commands:")[2]


def test_the_help_of_search_names_only_players_that_search(run):
    out = run("search", "--help")[1]
    assert "level:NAME" in out
    assert "random" not in out
    assert "uci:" not in out


def test_rules_are_explained_with_pictures(run):
    code, out, _ = run("rules", "hex:size=5")
    assert code == 0
    assert "connecting the top and bottom edges" in " ".join(out.split())
    assert "orange (o) has joined left and right and won" in out
    assert run("rules", "chess", "--json")[0] == 0


def test_a_piped_table_is_complete_however_long_its_cells_are(capsys):
    name = "gtp:python " + 300 * "x"
    answer(None, [Sheet(("player", "points"), [(name, 4), ("random", 0)])], json=False)
    assert capsys.readouterr().out.splitlines() == [
        f"player{305 * ' '}  points",
        f"{name}  4",
        f"random{305 * ' '}  0",
    ]


def test_export_tells_programs_what_it_wrote(run, tmp_path):
    bot = tmp_path / "bot.py"
    code, out, _ = run("export", "tic_tac_toe", "--bot", str(bot), "--player", "uct:20", "--json")
    (written,) = json.loads(out)
    assert (code, written["file"], written["bytes"]) == (0, str(bot), bot.stat().st_size)
