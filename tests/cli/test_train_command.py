"""`anyzero train` through the real entry point: a tiny real run, resumed, swept, stopped, and asked
for nonsense.
"""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout

import pytest

from anyzero.app.cli.app import main
from anyzero.core.game.load import load
from anyzero.core.game.play import Play
from anyzero.tools.players import parse_player

pytestmark = pytest.mark.usefixtures("games_here")

TINY = """
threads = 1
[network]
blocks = 1
channels = 8
pool_every = 0
[selfplay]
games = 12
at_once = 12
simulations = 4
[trainer]
batch_size = 32
[gate]
games = 4
[league]
every = 2
games = 4
anchors = ["random", "uct:20"]
"""


TRAIN = ("train", "tic_tac_toe", "--config", "tiny.toml", "--run", "toe")


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A folder with a run of two generations, and what was printed on the way."""
    folder, out, err = tmp_path_factory.mktemp("trained"), io.StringIO(), io.StringIO()
    (folder / "tiny.toml").write_text(TINY)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["anyzero", *TRAIN, "--generations", "2", "--match", "10"])
        main()
    return folder, out.getvalue(), err.getvalue()


@pytest.fixture
def trained(first, tiny):
    """A copy of that folder, which is where commands run."""
    shutil.copytree(first[0], tiny, dirs_exist_ok=True)
    return tiny


def test_a_run_ends_with_a_match_and_the_way_to_play(first):
    folder, out, err = first
    assert "generation 2 is done; the champion is generation" in out
    assert "against uct:20 in 10 games" in out
    assert "anyzero play tic_tac_toe --seat1 gumbel:64@toe" in out
    assert [line.split()[:2] for line in err.splitlines()[1:4]] == [
        ["generation", str(number)] for number in range(3)
    ]
    rows = list(csv.DictReader((folder / "runs/toe/training_history.csv").read_text().splitlines()))
    assert [row["generation"] for row in rows] == ["0", "1", "2"]
    assert float(rows[2]["policy_loss"]) > 0.0
    assert rows[1]["elo"] == "" != rows[2]["elo"]


@pytest.mark.slow
def test_a_run_of_a_game_for_one_ends_with_a_command_that_shows_it_playing(run, tiny):
    alone = ("--set", "network.kind=mlp", "--set", "benchmark.deals=2", "--match", "0")
    code, out, _ = run(
        "train", "take_it_easy", "--config", "tiny.toml", "--generations", "1", *alone
    )
    assert code == 0
    words, _, command = next(line for line in out.splitlines() if " play " in line).partition(": ")
    assert words == "watch it play"
    assert command.endswith("--seat0 gumbel:64@take-it-easy")
    code, out, _ = run(*command.split()[1:], "--seed", "1", "--json")
    assert code == 0
    assert json.loads(out)["players"] == ["gumbel:64@take-it-easy"]


def test_a_search_is_led_by_the_network_that_it_names(run, trained):
    code, out, err = run(
        "search", "tic_tac_toe", "gumbel:8@toe", "--moves", "b2 a1", "--seed", "3", "--json"
    )
    assert (code, err) == (0, "")
    found = json.loads(out)
    game = load("tic_tac_toe")
    state = game.play(game.play(game.initial_state(), "b2"), "a1")
    expected = parse_player("gumbel:8@toe").think(game, Play.begin(game, state), 3)
    assert (found["method"], found["simulations"]) == ("gumbel:8@toe", 8)
    assert (found["best_move"], found["value"]) == (expected.best_move, expected.value)
    assert run("search", "tic_tac_toe", "puct:8@toe/0")[0] == 0
    code, out, err = run("search", "tic_tac_toe", "gumbel:8@two")
    assert (code, out) == (2, "")
    assert "there is no network 'two'; did you mean toe?" in err


def test_the_same_command_goes_on_and_the_champion_plays_in_the_arena(run, trained):
    code, out, _ = run(
        *TRAIN, "--match", "0", "--json", "--iterations", "3", "--output", "copy.csv"
    )
    assert (code, json.loads(out)["generations"]) == (0, 3)
    assert (trained / "copy.csv").read_bytes() == (
        trained / "runs/toe/training_history.csv"
    ).read_bytes()
    code, out, _ = run(
        "match", "tic_tac_toe", "gumbel:8@toe", "puct:8@toe/1", "--games", "4", "--json"
    )
    assert code == 0
    found = json.loads(out)
    assert found["games"] == 4
    assert found["forfeits"] == []


def test_the_knobs_that_people_know_set_what_they_say(run, tiny):
    flags = (
        "--games",
        "5",
        "--simulations",
        "3",
        "--epochs",
        "0.5",
        "--batches",
        "2",
        "--batch-size",
        "16",
    )
    more = (
        "--learning-rate",
        "0.01",
        "--dirichlet-epsilon",
        "0.1",
        "--dirichlet-alpha",
        "0.5",
        "--match",
        "0",
    )
    rest = (
        "--convergence-threshold",
        "0.3",
        "--seed",
        "9",
        "--set",
        "selfplay.method=puct",
        "--minutes",
        "0",
    )
    assert run("train", "tic_tac_toe", "--config", "tiny.toml", *flags, *more, *rest)[0] == 0
    text = (tiny / "runs/tic-tac-toe/config.toml").read_text()
    wanted = (
        "games = 5",
        'search = "puct:3,noise_fraction=0.1,noise_concentration=0.5"',
        "epochs = 0.5",
        "batches = 2",
        "batch_size = 16",
        "learning_rate = 0.01",
    )
    others = (
        "convergence_threshold = 0.3",
        "seed = 9",
    )
    for line in (*wanted, *others):
        assert line in text.splitlines()


def test_a_sweep_trains_once_for_each_value_and_ranks_by_the_match_at_the_end(run, tiny):
    """Generations 0, 2, 4 are rated, and the last."""
    sweep = (
        "--sweep",
        "selfplay.gumbel_scale=0,1",
        "--generations",
        "1",
        "--match",
        "4",
        "--output",
        "both.csv",
    )
    code, out, _ = run("train", "tic_tac_toe", "--config", "tiny.toml", *sweep)
    assert code == 0
    assert "gumbel_scale-0" in out
    assert (tiny / "runs/tic-tac-toe-gumbel_scale.png").read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader((tiny / "both.csv").read_text().splitlines()))
    names = ["tic-tac-toe-gumbel_scale-0"] * 2 + ["tic-tac-toe-gumbel_scale-1"] * 2
    assert sorted(row["run"] for row in rows) == names
    found, other = json.loads(
        run("train", "tic_tac_toe", "--config", "tiny.toml", *sweep, "--json")[1]
    )["runs"]
    assert (found["generation"], found["elo_generation"], found["benchmark_generation"]) == (
        1,
        1,
        None,
    )
    assert found["match"]["score"] >= other["match"]["score"]
    assert f"{found['elo']:.4g}  {found['match']['brief']}" in " ".join(
        out.splitlines()[1].split(" ")
    )


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ("selfplay.games=12,many", "selfplay.games must be a whole number"),
        ("gate.games=4,5", "gate.games: an even number is needed"),
        ("network.policy=flat,columns", "do not map to columns"),
        ("device=cpu,cuda", "needs an NVIDIA GPU"),
    ],
)
def test_a_sweep_with_a_wrong_value_makes_nothing(run, tiny, values, says):
    code, out, err = run(
        "train", "tic_tac_toe", "--config", "tiny.toml", "--sweep", values, "--generations", "0"
    )
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1
    assert not (tiny / "runs").exists()


def test_a_sweep_that_cannot_go_on_with_a_later_run_trains_none(run, tiny):
    command = ("train", "tic_tac_toe", "--config", "tiny.toml", "--minutes", "0", "--match", "0")
    assert run(*command, "--run", "toe-seed-2", "--set", "seed=5")[0] == 0
    code, _, err = run(*command, "--run", "toe", "--sweep", "seed=1,2")
    assert code == 2
    assert "was started with seed=5" in err
    assert [path.name for path in (tiny / "runs").iterdir()] == ["toe-seed-2"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("tic_tac_toe", "--preset", "ches"), "there is no preset 'ches'; did you mean chess?"),
        (("tic_tac_toe", "--config", "nothing.toml"), "cannot read nothing.toml"),
        (("tic_tac_toe", "--sweep", "selfplay.games"), "is not of the form setting=a,b,c"),
        (("tic_tac_toe", "--device", "cuda"), "needs an NVIDIA GPU"),
        ((), "name a game, a preset, or a config file"),
        (
            ("tic_tac_toe", "--set", "game=hex"),
            "two games are named: tic_tac_toe and, as a setting, game=hex",
        ),
        (("tic_tac_toe", "--sweep", "game=hex,oware"), "two games are named"),
        (("tic_tac_toe", "--run", "..hidden"), "a run cannot be called"),
    ],
)
def test_wrong_input_gets_one_sentence_and_leaves_nothing(run, tiny, arguments, says):
    code, out, err = run("train", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1
    assert not (tiny / "runs").exists()


def test_ctrl_c_keeps_what_is_finished(tiny):
    command = [
        sys.executable,
        "-c",
        "from anyzero.app.cli.app import main; main()",
        "train",
        "tic_tac_toe",
    ]
    alone = ["--config", "tiny.toml", "--set", "league.every=0"]  # no games in other processes
    process = subprocess.Popen([*command, *alone], stderr=subprocess.PIPE, text=True)
    history = tiny / "runs/tic-tac-toe/training_history.csv"
    for _ in range(1200):
        if history.exists() and len(history.read_text().splitlines()) > 1:
            break
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert err.splitlines()[-1].endswith("the same command resumes from there")
