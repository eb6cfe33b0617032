"""A real Ray cluster of two nodes: jobs, a run and a match come out as on one machine, whatever
happens to nodes.
"""

import os
import signal
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch

import anyzero
from anyzero.core.base.errors import BadOptionError
from anyzero.extras.cluster import ActorKind, Job, Pace, Pool
from anyzero.extras.cluster.jobs import ClusterError, Done, Node
from anyzero.extras.cluster.pool import MOST_DEATHS, Member
from anyzero.tools.arena.arena import play_games
from anyzero.tools.arena.plan import make_plan
from tests.cluster.conftest import Disturbance, content, jobs, train_tiny, values, wait_until

MINE = """
from beside import first
from anyzero.tools.players import Player
def make():
    return Player("mine", first)
"""
BESIDE = """
import os
def first(game, line, seed):
    if len(line.moves) == 5:  # as the second player; each time it takes a process with it
        os._exit(3)
    return game.legal_actions(line.state)[0]
"""


def test_every_job_is_done_once(pool):
    assert sorted(values(pool, jobs("square", *({"number": n} for n in range(20))))) == [
        n * n for n in range(20)
    ]
    assert "running" in pool.describe()


def test_files_and_values_travel(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("deep").mkdir()
    Path("deep/note.txt").write_text("hello")
    assert values(pool, jobs("sum_of", {"shared": pool.share("numbers", [1, 2, 3])})) == [6]
    found = [
        Job(
            "tests.cluster.chores:read",
            {"name": "deep/note.txt"},
            files=pool.bundle([Path("deep/note.txt")]),
        )
    ]
    assert values(pool, lambda kind: found.pop() if found else None) == ["hello"]
    with pytest.raises(BadOptionError, match="use a path below the current folder"):
        pool.bundle([tmp_path / "deep" / "note.txt"])


def test_a_job_whose_process_is_killed_is_done_again_and_lost_nodes_are_not_its_fault(pool):
    pids = [pid for pid, _ in values(pool, jobs("who", *({"seconds": 0.3} for _ in range(4))))]
    pool.begin(jobs("work", *({"number": n, "seconds": 1.0} for n in range(4))))
    found = []
    wait_until(
        lambda: any(member.job for member in pool.members), lambda: found.extend(pool.step())
    )
    for job in [member.job for member in pool.members if member.job]:
        job.deaths += ["a node that is gone"] * MOST_DEATHS
    os.kill(pids[0], signal.SIGKILL)
    wait_until(lambda: pool.is_done, lambda: found.extend(pool.step()))
    assert sorted(done.value for done in found) == [0, 1, 2, 3]


def test_a_run_on_a_cluster_equals_one_on_one_machine_though_a_node_is_lost_and_one_joins(
    pool, machines, tmp_path, monkeypatch, capfd
):
    said = []
    wait_until(
        lambda: len(pool.joined) >= 2, pool.step
    )  # the first nodes are told of when they first work
    monkeypatch.setattr(pool, "say", said.append)

    def disturb():
        machines.kill(machines.nodes.pop())
        machines.nodes.append(machines.add())

    here = train_tiny(tmp_path / "here")  # first, so that the nodes find all code compiled
    disturbance = Disturbance(disturb)
    there = train_tiny(tmp_path / "there", pool, disturbance)
    assert disturbance.is_done
    assert content(there.path) == content(here.path)
    for end in ("is lost; other nodes take over its work", "has joined: 1 core"):
        wait_until(lambda end=end: any(words.endswith(end) for words in said), pool.step)
    assert len(said) == 2
    assert capfd.readouterr().out == ""


def test_a_match_on_a_cluster_has_the_same_games_and_own_players_travel(
    pool, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("beside.py").write_text(BESIDE)
    plan = make_plan("tic_tac_toe", ("./mine.py", "uct:30"), games=4)
    here, there = play_games(plan), play_games(plan, workers=pool)
    assert list(here) == list(there)
    for match, result in here.items():
        found = there[match]
        assert (found.players, found.moves, found.reason) == (
            result.players,
            result.moves,
            result.reason,
        )
    assert "crash" in {result.reason for result in there.values()}


@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="Ray's word for a GPU would be true")
def test_a_gpu_has_an_actor_of_its_own_and_a_node_where_it_is_missing_is_set_aside(
    pool, machines, monkeypatch
):
    said = []
    monkeypatch.setattr(pool, "with_gpus", True)
    monkeypatch.setattr(pool, "say", said.append)
    node = machines.add(cores=6, num_gpus=1, node_name="boaster")
    try:
        wait_until(lambda: any(member.node.name == "boaster" for member in pool.members), pool.step)
        found = [
            (member.node.id, member.kind)
            for member in pool.members
            if member.node.name == "boaster"
        ]
        assert [kind for node, kind in found if node == found[0][0]] == [
            ActorKind(1, 1),
            ActorKind(4),
            ActorKind(1),
        ]
        wait_until(lambda: any("boaster is not used" in words for words in said), pool.step)
        words = "Ray gives its GPU 0 to a process, but torch finds none there"
        assert f"the node boaster is not used: {words}" in said
        assert sorted(values(pool, jobs("square", {"number": 2}, {"number": 3}))) == [4, 9]
    finally:
        machines.kill(node)


# --- without a cluster


def test_cores_that_serve_no_gpu_are_taken_by_fours():
    node = Node("", "big", cores=11, gpus=2)
    assert node.kinds(with_gpus=True) == [
        ActorKind(1, 1),
        ActorKind(1, 1),
        ActorKind(4),
        ActorKind(4),
        ActorKind(1),
    ]
    assert node.kinds(with_gpus=False) == [ActorKind(4), ActorKind(4), ActorKind(3)]
    assert Node("", "head", cores=0, gpus=1).kinds(with_gpus=True) == []


def test_without_ray_one_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"this needs ray: .*\[ray\]'"):
        anyzero.match("tic_tac_toe", "random", "random", games=2, cluster="auto")


def test_a_wrong_address_is_one_sentence():
    pytest.importorskip("ray")
    with pytest.raises(BadOptionError, match="auto or host:port, not 'somewhere'"):
        Pool("somewhere")


@pytest.mark.parametrize(("names", "left"), [("ab", 0), ("aa", 1)])
def test_a_job_that_fails_while_another_actor_is_at_it_is_not_done_twice(monkeypatch, names, left):
    """The games of a job that is done twice would be counted twice, and a block be whole without
    others.
    """
    ray = MagicMock(get=lambda answer: answer)
    ray.exceptions.RayError = RuntimeError
    monkeypatch.setattr("anyzero.extras.cluster.jobs.connect", lambda address: ray)
    pool, job, answers = (
        Pool("auto", [].append),
        Job("", {}),
        [(None, "no room", 1.0), ("value", "", 1.0)],
    )
    actors = zip(names, answers, strict=True)
    pool.members = [
        Member(MagicMock(), Node(name, name, 2, 0), ActorKind(1), answer, True, job)
        for name, answer in actors
    ]
    found = [pool.hear(member) for member in list(pool.members) if member in pool.members]
    assert [done.value for done in found if done] == ["value"][left:]
    assert list(pool.again) == [job] * left


def test_jobs_are_small_at_first_and_at_the_end_and_else_take_their_time():
    pace = Pace(least=8)
    two = ActorKind(cores=2)
    assert pace.size(two, 10_000, [two, two]) == 16
    pace.note(Done(Job("", {}, units=16), None, "node", two, seconds=2.0))
    assert pace.size(two, 10_000, [two, two]) == 8 * 20
    assert pace.size(two, 200, [two, two]) == 50
    assert pace.size(two, 40, [two, two]) == 8 * 2
    assert pace.size(two, 5, [two, two]) == 5


def test_beside_a_gpu_slow_actors_take_what_they_finish_in_time():
    pace, gpu, cores = Pace(least=8, least_on_gpu=1024), ActorKind(1, gpus=1), ActorKind(4)
    pace.note(Done(Job("", {}, units=5000), None, "node", gpu, seconds=1.0))
    pace.note(Done(Job("", {}, units=36), None, "node", cores, seconds=1.0))
    left, actors, taken = 8192, [cores, cores, cores, gpu], []
    for kind in actors:
        taken.append(pace.size(kind, left, actors))
        left -= taken[-1]
    assert taken == [
        57,
        57,
        56,
        8192 - 170,
    ]  # games of the 1.6 s that all of it takes, and the GPU has the rest
