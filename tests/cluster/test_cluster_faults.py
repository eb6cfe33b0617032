"""All that can go wrong on a Ray cluster, one after the other: slower tests of the same parts."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import anyzero
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.samples import load_shard
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.models import new_network
from anyzero.core.nets.weights import save_network
from anyzero.extras.cluster import Job
from anyzero.extras.cluster.jobs import ClusterError
from anyzero.tools.lab.opening import fill_in, make_config
from tests.cluster.conftest import (
    TINY,
    Disturbance,
    Machines,
    content,
    jobs,
    train_tiny,
    values,
    wait_until,
)

pytestmark = pytest.mark.slow

GRID = """
seed = 1
games_per_cell = 4
budgets = [10, 20]
pairs = [["rave:{budget}", "uct:{budget}"]]
[[games]]
name = "hex"
size = [3, 4]
"""
DRIVER = """
import sys
from anyzero.extras.cluster import Pool
from anyzero.extras.cluster.selfplay import ClusterGames
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.samples import load_shard
from anyzero.core.learning.run import Training
folder, pool = RunFolder.open(sys.argv[1]), Pool(sys.argv[2])
with folder.locked():
    Training(folder, None, ClusterGames(pool, folder.config)).run(2)
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A run on one machine."""
    return content(train_tiny(tmp_path_factory.mktemp("alone") / "run").path)


# --- jobs


def test_a_slow_job_is_given_to_a_second_actor(other_pool, tmp_path):
    quick = [Job("tests.cluster.chores:square", {"number": n}) for n in range(3)]
    slow = {"place": str(tmp_path / "begun"), "seconds": 600.0}
    left = [Job("tests.cluster.chores:slow_once", slow), *quick]
    found = values(other_pool, lambda kind: left.pop(0) if left else None)
    assert sorted(map(str, found)) == ["0", "1", "4", "second"]
    # the first one was told to stop
    wait_until(lambda: all(member.ref is None for member in other_pool.members), other_pool.step)


def test_a_job_that_fails_everywhere_is_one_sentence(other_pool):
    with pytest.raises(ClusterError, match="ValueError: 3 is wrong"):
        values(other_pool, jobs("wrong", {"number": 3}))


def test_a_node_on_which_a_job_fails_is_set_aside(other_pool, tmp_path):
    assert values(other_pool, jobs("wrong_once", {"place": str(tmp_path / "begun")})) == ["right"]
    assert len(other_pool.aside) == 1
    assert any(
        "MemoryError: no room" in words for words in other_pool.said
    )  # the second may join meanwhile


def test_a_job_that_ends_its_process_again_and_again_is_given_up(other_pool):
    with pytest.raises(ClusterError, match="ended its process 5 times"):
        values(other_pool, jobs("die", {}))


# --- runs


def test_an_actor_killed_changes_nothing(other_pool, alone, tmp_path):
    pids = [
        pid for pid, _ in values(other_pool, jobs("who", *({"seconds": 0.3} for _ in range(4))))
    ]
    disturbance = Disturbance(lambda: os.kill(pids[0], signal.SIGKILL))
    assert content(train_tiny(tmp_path / "run", other_pool, disturbance).path) == alone
    assert disturbance.is_done


@pytest.mark.parametrize(("lag", "part"), [(0, 1), (1, 2)])
def test_a_driver_that_is_killed_goes_on(machines, tmp_path, lag, part):
    """With a lag it is killed while the next generation is played and this one trained."""
    path, selfplay = tmp_path / "run", {**TINY["selfplay"], "lag": lag}
    alone = content(train_tiny(tmp_path / "alone", selfplay=selfplay).path)
    RunFolder.create(
        path, fill_in(make_config("tic_tac_toe", changes={**TINY, "selfplay": selfplay}))
    )
    command = [sys.executable, "-c", DRIVER, str(path), machines.address]
    first = subprocess.Popen(command)
    while not list(path.glob(f"generations/000{part}.part/block-*.json")):
        assert first.poll() is None
        time.sleep(0.02)
    first.kill()
    first.wait()
    subprocess.run(command, check=True)
    assert content(path) == alone


def test_a_game_of_ones_own_travels_with_what_lies_beside_it(
    other_pool, alone, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("from beside import make\n")
    Path("beside.py").write_text("from anyzero.games.tic_tac_toe import make\n")
    found = content(train_tiny(tmp_path / "run", other_pool, game="./mine.py").path)
    names = [name for name in alone if name.startswith("games")]
    assert [found[name] for name in names] == [alone[name] for name in names]


def test_with_a_lag_games_do_not_wait_and_bytes_do_not_depend_on_the_cluster(other_pool, tmp_path):
    lagging = {**TINY["selfplay"], "lag": 1}
    here = train_tiny(tmp_path / "here", generations=4, selfplay=lagging)
    there = train_tiny(tmp_path / "there", other_pool, generations=4, selfplay=lagging)
    assert content(there.path) == content(here.path)
    for generation, player in ((1, "0"), (2, "0"), (3, "1"), (4, "2")):
        lines = (here.path / f"games/{generation:04d}-000.jsonl").read_text().splitlines()
        champion = json.loads(
            (here.path / f"generations/{int(player):04d}/report.json").read_text()
        )["champion"]
        assert {name for line in lines for name in json.loads(line)["names"]} == {str(champion)}
        samples = load_shard(here.samples_path(generation, 0), anyzero.load("tic_tac_toe"))
        assert set(samples.ages.tolist()) == {generation - 1 - champion}


def test_a_node_with_another_version_is_set_aside(machines, other_pool, alone, tmp_path):
    package, other = Path(anyzero.__file__).parent, tmp_path / "other"
    other.mkdir()
    subprocess.run(["cp", "-r", str(package), str(other / "anyzero")], check=True)
    with (other / "anyzero" / "seeds.py").open("a") as file:
        file.write("\n")
    node = machines.add(env_vars={"PYTHONPATH": str(other)}, node_name="odd")
    try:
        assert content(train_tiny(tmp_path / "run", other_pool).path) == alone
        wait_until(lambda: other_pool.aside, other_pool.step)
        (words,) = [words for words in other_pool.said if "odd" in words]
        assert words.startswith("the node odd is not used: it has anyzero")
    finally:
        machines.kill(node)


# --- the doors


def test_a_match_with_a_network_has_the_same_games(machines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = anyzero.load("tic_tac_toe")
    Path("runs/net").mkdir(parents=True)
    save_network(
        "runs/net/champion.safetensors",
        new_network(game, NetworkConfig(channels=8, blocks=1), 1),
        game,
    )
    wanted = "tic_tac_toe", "gumbel:8@net", "uct:30"
    here = anyzero.match(*wanted, games=10, seed=3)
    assert (
        anyzero.match(*wanted, games=10, seed=3, cluster=machines.address).to_json()
        == here.to_json()
    )


def test_an_experiment_has_the_same_table(machines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("grid.toml").write_text(GRID)
    anyzero.experiment("grid.toml", "here.csv")
    anyzero.experiment("grid.toml", "there.csv", cluster=machines.address)
    tables = [
        list(csv.DictReader(Path(name).read_text().splitlines()))
        for name in ("here.csv", "there.csv")
    ]
    for row in (*tables[0], *tables[1]):
        row.pop("seconds")
    assert len(tables[0]) == 4
    assert tables[0] == tables[1]


def test_a_lost_head_is_one_sentence_and_the_same_command_goes_on(machines, tmp_path):
    short, path = Machines(2), tmp_path / "run"
    RunFolder.create(path, fill_in(make_config("tic_tac_toe", changes=TINY)))
    command = [
        sys.executable,
        "-m",
        "anyzero",
        "train",
        "--run",
        str(path),
        "--match",
        "0",
        "--generations",
    ]
    lost = subprocess.Popen(
        [*command, "9999", "--cluster", short.address], stderr=subprocess.PIPE, text=True
    )
    while not list(path.glob("generations/0001.part/block-*.json")):
        assert lost.poll() is None
        time.sleep(0.02)
    short.cluster.head_node.kill_gcs_server()
    words = lost.communicate(timeout=120)[1]
    assert "the head of the cluster at" in words.splitlines()[-1]
    assert lost.returncode == 2
    short.shutdown()
    wanted = str(RunFolder.open(path).newest().number + 1)
    subprocess.run([*command, wanted, "--cluster", machines.address], check=True)
    assert RunFolder.open(path).newest().number == int(wanted)
