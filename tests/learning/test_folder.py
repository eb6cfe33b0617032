"""The folder of a run: what counts, what is kept, and that a kill at any instant loses nothing that
counted.
"""

import contextlib
import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anyzero.core.base.errors import AnyzeroError, UnknownNameError
from anyzero.core.base.files import write_whole
from anyzero.core.base.sealed import DamagedError
from anyzero.core.game.load import load
from anyzero.core.learning.config import RunConfig, change
from anyzero.core.learning.folder import RunFolder, find_run, list_runs, run_path
from anyzero.core.learning.manifest import NETWORK
from anyzero.core.learning.window import Window
from anyzero.tools.lab.opening import fill_in, open_run

CONFIG = RunConfig(keep=2)


def network_of(number: int) -> bytes:
    return f"network {number}".encode() * 50


def fill(folder, number):
    """The files of a generation under way."""
    part = folder.part(number)
    write_whole(part / "network.safetensors", network_of(number))
    write_whole(part / "trainer.safetensors", b"trainer" * 100)
    write_whole(part / "report.json", json.dumps({"generation": number}).encode())


def add(folder, number, champion, previous=None):
    fill(folder, number)
    return folder.commit(
        number, {"champion": champion, "previous": previous, "promoted": champion == number}
    )


@pytest.fixture
def run(tmp_path):
    """A run with three generations: the first two were promoted, the third was not."""
    folder = RunFolder.create(tmp_path / "runs" / "one", CONFIG)
    with folder.locked():
        add(folder, 1, 1)
        add(folder, 2, 2, 1)
        add(folder, 3, 2, 1)
    return folder


def files_in(path):
    return sorted(file.name for file in path.iterdir())


def test_reports_are_read_once_and_again_when_they_change(run, monkeypatch):
    first = run.reports()
    assert [report["generation"] for report in first] == [1, 2, 3]
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", None)
        assert run.reports() == first
    (run.path / "generations/0002/report.json").write_text('{"generation": 7}')
    assert [report["generation"] for report in run.reports()] == [1, 3]
    assert "generation 2" in run.notes[-1]


# --- what counts


def test_a_new_run_has_its_config_and_no_generation(tmp_path):
    config = change(RunConfig(), {"game": "hex:size=5", "seed": 7})
    RunFolder.create(tmp_path / "a" / "b", config)
    folder = RunFolder.open(tmp_path / "a" / "b")
    assert folder.config == config
    assert folder.newest() is None
    assert folder.numbers() == folder.blocks() == folder.reports() == []


def test_a_generation_counts_when_its_manifest_is_written(run):
    fill(run, 4)
    assert RunFolder.open(run.path).newest().number == 3
    found = run.commit(4, {"champion": 4, "previous": 2, "promoted": True, "seed": 9})
    assert (found.number, found.champion, found.previous, found.promoted) == (4, 4, 2, True)
    newest = RunFolder.open(run.path).newest()
    assert newest == found
    assert newest.facts["seed"] == 9
    assert (newest.path / NETWORK).read_bytes() == network_of(4)
    assert newest.read_report() == {"generation": 4}


def test_the_manifest_has_the_size_and_sha256_of_each_file(run):
    """Oracle: the sum that sha256sum prints for "network 3" 50 times."""
    files = json.loads((run.path / "generations" / "0003" / "manifest.json").read_text())["files"]
    assert sorted(files) == ["network.safetensors", "report.json", "trainer.safetensors"]
    assert files["network.safetensors"] == {"size": 450, "sha256": SUM_OF_NETWORK_3}


SUM_OF_NETWORK_3 = "cf7c59e33ff35d64ca34ac59d85e69c37ec50e574221329f2cb322e05bc58d32"


def test_players_find_the_champion_and_not_the_last_candidate(run):
    assert (run.path / "champion.safetensors").read_bytes() == network_of(2)
    assert run.newest().champion == 2


def test_what_is_committed_cannot_be_begun_again(run):
    with pytest.raises(AnyzeroError, match=r"generation 3 .* is finished already"):
        run.part(3)


@pytest.mark.parametrize(
    "facts",
    [
        {"champion": 9, "previous": 1, "promoted": False},
        {"champion": 2, "previous": 9, "promoted": False},
        {"champion": 2, "previous": 1, "promoted": True},
        {"champion": 4, "previous": 2, "promoted": False},
    ],
)
def test_a_champion_that_is_not_there_is_refused_before_anything_counts(run, facts):
    fill(run, 4)
    with pytest.raises(AnyzeroError, match="cannot have the champion"):
        run.commit(4, facts)
    assert run.newest().number == 3


def test_a_generation_needs_a_network(run):
    run.part(4)
    with pytest.raises(AnyzeroError, match=r"cannot be finished without network.safetensors"):
        run.commit(4, {"champion": 2, "previous": 1, "promoted": False})


# --- what is kept


def test_pruning_keeps_promoted_networks_and_all_reports(run):
    with run.locked():
        add(run, 4, 4, 2)
        add(run, 5, 4, 2)
        add(run, 6, 4, 2)
    kept = {number: files_in(run.generation_path(number)) for number in run.numbers()}
    whole = ["manifest.json", "network.safetensors", "report.json", "trainer.safetensors"]
    promoted = ["manifest.json", "network.safetensors", "report.json"]
    rest = ["manifest.json", "report.json"]
    assert kept == {1: promoted, 2: promoted, 3: rest, 4: promoted, 5: whole, 6: whole}
    assert [report["generation"] for report in run.reports()] == [1, 2, 3, 4, 5, 6]


def test_what_a_kill_left_to_be_dropped_goes_when_the_run_goes_on(run, monkeypatch):
    with run.locked(), monkeypatch.context() as patch:
        patch.setattr(RunFolder, "prune", lambda *_: None)
        add(run, 4, 2, 1)
    again = RunFolder.open(run.path)
    with again.locked():
        again.newest()
    assert files_in(run.generation_path(2)) == [
        "manifest.json",
        "network.safetensors",
        "report.json",
    ]


def test_networks_stay_as_long_as_self_play_wants_opponents_of_late(run):
    run.write_config(change(CONFIG, {"selfplay.recent_share": 0.2, "selfplay.recent": 3}))
    with run.locked():
        add(run, 4, 2, 1)
        add(run, 5, 2, 1)
    assert files_in(run.generation_path(3)) == [
        "manifest.json",
        "network.safetensors",
        "report.json",
    ]


def test_old_samples_go_and_their_games_stay(run):
    for generation, block in ((7, 0), (7, 1), (8, 0), (10_000, 2)):
        run.samples_path(generation, block).write_bytes(b"samples")
        run.games_path(generation, block).write_bytes(b"games")
    assert run.samples_path(7, 1).name == "0007-001.safetensors"
    Window(run, load(run.config.game)).prune(8)
    assert [block[:2] for block in run.blocks()] == [(8, 0), (10_000, 2)]
    assert [block[:2] for block in run.blocks("games")] == [(7, 0), (7, 1), (8, 0), (10_000, 2)]


# --- damage


def damage_network(path):
    content = bytearray((path / "network.safetensors").read_bytes())
    content[17] ^= 1
    (path / "network.safetensors").write_bytes(content)


def damage_manifest(path):
    text = (path / "manifest.json").read_text()
    (path / "manifest.json").write_text(text.replace('"champion": 2', '"champion": 1'))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "network.safetensors is not what the manifest says": damage_network,
    "manifest.json is damaged": damage_manifest,
    "it has no manifest.json": lambda path: (path / "manifest.json").unlink(),
    "it has no trainer.safetensors": lambda path: (path / "trainer.safetensors").unlink(),
    "report.json is not what the manifest says": lambda path: (path / "report.json").write_text(""),
    "manifest.json is damaged, or of another version": lambda path: (
        path / "manifest.json"
    ).write_text("{}"),
    "its manifest is that of generation 2": lambda path: shutil.copy(
        path.parent / "0002" / "manifest.json", path
    ),
}


@pytest.mark.parametrize("says", DAMAGES)
def test_a_damaged_generation_is_skipped_and_set_aside(run, says):
    DAMAGES[says](run.generation_path(3))
    before = {path.name: path.read_bytes() for path in run.generation_path(3).iterdir()}
    reader = RunFolder.open(run.path)
    assert reader.newest().number == 2
    assert reader.notes == [
        note for note in reader.notes if f"generation 3 of {run.path} was skipped: {says}" in note
    ]
    assert len(reader.notes) == 1
    assert run.generation_path(3).is_dir()  # who only reads changes nothing
    with reader.locked():
        assert reader.newest().number == 2
        aside = run.path / "generations" / "0003.damaged"
        assert {path.name: path.read_bytes() for path in aside.iterdir()} == before
        assert add(reader, 3, 3, 2) == reader.newest()


def test_what_was_made_from_a_damaged_generation_is_put_aside_with_it(run):
    with run.locked():
        fill(run, 4)
        run.samples_path(3, 0).write_bytes(b"by generation 2")
        run.samples_path(4, 0).write_bytes(b"by generation 3")
        damage_network(run.generation_path(3))
        assert run.newest().number == 2
    assert run.part_numbers() == []
    assert (run.path / "generations" / "0004.part.damaged" / "network.safetensors").exists()
    assert [block[:2] for block in run.blocks()] == [(3, 0)]
    assert (run.path / "samples" / "0004-000.safetensors.damaged").exists()


@pytest.mark.parametrize(("lag", "kept"), [(0, [4]), (1, [4, 5])])
def test_games_that_a_cluster_played_ahead_are_kept(run, lag, kept):
    run.config = RunConfig(keep=2, selfplay={"lag": lag})
    with run.locked():
        for number in (4, 5, 6):
            run.part(number)
            run.samples_path(number, 0).write_bytes(b"samples")
        assert run.newest().number == 3
    assert run.part_numbers() == [block.generation for block in run.blocks()] == kept


def test_two_damages_of_one_number_are_both_kept(run):
    with run.locked():
        for _ in range(2):
            damage_network(run.generation_path(3))
            run.newest()
            add(run, 3, 2, 1)
    assert {"0003.damaged", "0003.damaged2"} < set(files_in(run.path / "generations"))


def test_a_run_without_any_whole_generation_is_one_sentence_and_stays_as_it_is(run):
    for number in run.numbers():
        (run.generation_path(number) / "manifest.json").unlink()
    with (
        run.locked(),
        pytest.raises(AnyzeroError, match=r"no generation of .* is intact.*nothing was changed"),
    ):
        run.newest()
    assert run.numbers() == [1, 2, 3]


def test_the_copy_of_the_champion_is_mended_when_training_goes_on(run):
    (run.path / "champion.safetensors").write_bytes(b"half")
    with run.locked():
        run.newest()
    assert (run.path / "champion.safetensors").read_bytes() == network_of(2)


def test_a_damaged_network_is_found_in_the_copy_of_the_champion(run):
    damage_network(run.generation_path(2))
    assert run.network(2) == run.path / "champion.safetensors"
    assert run.network(1).read_bytes() == network_of(1)
    damage_network(run.generation_path(1))
    with pytest.raises(
        DamagedError,
        match=r"network of generation 1 of .* cannot be used: network.safetensors is not",
    ):
        run.network(1)
    with pytest.raises(
        DamagedError, match=r"network of generation 9 of .* cannot be used: it has no manifest.json"
    ):
        run.network(9)


def test_what_cannot_be_read_just_now_is_not_taken_for_damaged(run, monkeypatch):
    def no_more_files(path, *_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), str(path))

    with run.locked(), monkeypatch.context() as patch:
        patch.setattr(io, "open", no_more_files)
        with pytest.raises(AnyzeroError, match=r"cannot read .*manifest.json: Too many open files"):
            run.newest()
    assert (run.numbers(), run.newest().number) == ([1, 2, 3], 3)


# --- kills


class Killed(BaseException):
    """What no code hears of, as nothing runs after a kill."""


class Killer:
    """Counts the calls that reach the disk, and from the one with this number on lets none
    through.
    """

    NAMES = (
        (os, "open"),
        (os, "fsync"),
        (os, "replace"),
        (os, "rename"),
        (os, "unlink"),
        (os, "mkdir"),
        (io, "open"),
    )

    def __init__(self, patch, at, error=None):
        self.calls, self.at, self.error = 0, at, error
        for owner, name in self.NAMES:
            patch.setattr(owner, name, self.watched(name, getattr(owner, name)))

    def watched(self, name, real):
        def call(*args, **words):
            if self.error and needs_no_space(name, args):
                return real(*args, **words)
            self.calls += 1
            if self.error and self.calls == self.at:
                raise OSError(self.error, os.strerror(self.error))
            if not self.error and self.calls >= self.at:
                if name == "fsync":
                    lose_half(args[0])
                raise Killed
            return real(*args, **words)

        return call


def needs_no_space(name, args):
    return name == "unlink" or (name == "open" and args[1] in ("r", "rb", os.O_RDONLY))


def lose_half(number):
    """What was written and not synced may be lost."""
    with contextlib.suppress(OSError):  # a folder, or a file that is only read
        os.ftruncate(number, os.fstat(number).st_size // 2)


def commit_the_fourth(folder):
    with folder.locked():
        folder.newest()
        fill(folder, 4)
        folder.commit(4, {"champion": 4, "previous": 2, "promoted": True})


def go_on(path):
    """What every process does that comes after a kill; the generation that it finds."""
    folder = RunFolder.open(path)
    with folder.locked():
        found = folder.newest()
        assert folder.notes == []
        assert (path / "champion.safetensors").read_bytes() == network_of(found.champion)
        if found.number == 3:
            fill(folder, 4)
            folder.commit(4, {"champion": 4, "previous": 2, "promoted": True})
    return found


def each_call(run, tmp_path, act, error=None):
    """The folder after `act` was stopped at its first call, at its second, and so on; with what
    came of it.
    """
    for at in range(1, 1000):
        path = tmp_path / f"stopped{at}"
        shutil.copytree(run.path, path)
        folder = RunFolder.open(path)
        with pytest.MonkeyPatch.context() as patch:
            killer = Killer(patch, at, error)
            try:
                act(folder)
                end = None
            except (Killed, AnyzeroError) as stopped:
                end = stopped
        yield path, end
        if killer.calls < at:
            return
    raise AssertionError("it never ended")


def test_a_kill_at_any_call_loses_nothing_that_counted(run, tmp_path):
    found = []
    for path, _ in each_call(run, tmp_path, commit_the_fourth):
        found.append(go_on(path).number)
        assert RunFolder.open(path).newest().number == 4
        assert (path / "champion.safetensors").read_bytes() == network_of(4)
        assert RunFolder(path).network(2).read_bytes() == network_of(2)
        assert [report["generation"] for report in RunFolder(path).reports()] == [1, 2, 3, 4]
        assert not list(path.rglob(".*.[0-9]*"))  # nothing half written is left
    assert found == sorted(found)  # once it counts it counts
    assert (found.count(3) > 10, found.count(4) > 5) == (True, True)


def test_a_full_disk_at_any_call_is_one_sentence_and_overwrites_nothing(run, tmp_path):
    ends = []
    for path, end in each_call(run, tmp_path, commit_the_fourth, errno.ENOSPC):
        go_on(path)
        assert RunFolder.open(path).newest().number == 4
        ends.append(end)
    assert all("No space left on device" in str(end) and "\n" not in str(end) for end in ends[:-1])
    assert len(ends) > 20
    assert ends[-1] is None


def test_a_kill_while_damage_is_put_aside_is_no_damage(run, tmp_path):
    def pass_over(folder):
        with folder.locked():
            assert folder.newest().number == 2

    damage_network(run.generation_path(3))
    fill(run, 4)
    run.samples_path(4, 0).write_bytes(b"samples")
    for path, _ in each_call(run, tmp_path, pass_over):
        folder = RunFolder.open(path)
        pass_over(folder)
        assert (folder.numbers(), folder.part_numbers(), folder.blocks()) == ([1, 2], [], [])
        assert {"0003.damaged", "0004.part.damaged"} < set(files_in(path / "generations"))


def test_a_kill_while_a_run_is_made_leaves_a_place_where_it_can_be_made(tmp_path):
    for at in range(1, 100):
        path = tmp_path / f"stopped{at}" / "new"
        with pytest.MonkeyPatch.context() as patch:
            killer = Killer(patch, at)
            try:
                RunFolder.create(path, CONFIG)
                return
            except Killed:
                assert killer.calls >= at
        folder = (
            RunFolder.open(path)
            if (path / "config.toml").exists()
            else RunFolder.create(path, CONFIG)
        )
        assert RunFolder.open(path).config == folder.config == CONFIG
    raise AssertionError("it never ended")


def test_each_file_is_on_the_disk_before_its_folder_gets_its_name(run, monkeypatch):
    """A kill leaves what the system has in memory; a power cut does not."""
    seen, real_sync, real_rename = [], os.fsync, os.rename

    def watch_sync(number):
        seen.append(str(Path(f"/proc/self/fd/{number}").readlink()))
        real_sync(number)

    monkeypatch.setattr(os, "fsync", watch_sync)
    monkeypatch.setattr(os, "rename", lambda *paths: (seen.append("RENAME"), real_rename(*paths)))
    add(run, 4, 2, 1)
    before, after = seen[: seen.index("RENAME")], seen[seen.index("RENAME") + 1 :]
    part = str(run.path / "generations" / "0004.part")
    for name in ("network.safetensors", "trainer.safetensors", "report.json"):
        assert f"{part}/{name}" in before
    assert before[-2].startswith(f"{part}/.manifest.json.")
    assert before[-1] == part
    assert after[0] == str(run.path / "generations")


SCRIPT = """
import sys
from tests.learning.test_folder import RunFolder, add
folder = RunFolder.open(sys.argv[1])
with folder.locked():
    number = folder.newest().number
    while True:
        number += 1
        add(folder, number, number, number - 1)
        print(number, flush=True)
"""


def start_training(path):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(path)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("wanted", [12, pytest.param(3, marks=pytest.mark.slow)])
def test_a_real_kill_loses_nothing_acknowledged_and_leaves_no_lock_behind(run, wanted):
    process = start_training(run.path)
    told = [int(process.stdout.readline()) for _ in range(wanted)]
    with pytest.raises(AnyzeroError, match="is being trained by another process"), run.locked():
        pass
    process.kill()
    rest = [int(line) for line in process.stdout.read().splitlines()]
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    folder = RunFolder.open(run.path)
    with folder.locked():
        newest = folder.newest().number
        assert newest in ((*told, *rest)[-1], (*told, *rest)[-1] + 1)
        add(folder, newest + 1, newest + 1, newest)  # it goes on
    assert folder.notes == []
    assert folder.numbers() == list(range(1, newest + 2))


# --- places and names


def test_a_run_is_locked_while_it_trains(run):
    other = RunFolder.open(run.path)
    with run.locked():
        with (
            pytest.raises(AnyzeroError, match="is being trained by another process"),
            other.locked(),
        ):
            pass
        assert not other.is_locked
    with other.locked():
        assert other.is_locked


def test_a_run_is_not_made_over_anything_else(tmp_path, run):
    with pytest.raises(AnyzeroError, match="is a run already"):
        RunFolder.create(run.path, CONFIG)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(AnyzeroError, match="is not empty and not a run; nothing was changed"):
        RunFolder.create(tmp_path / "other", CONFIG)
    assert files_in(tmp_path / "other") == ["thesis.txt"]
    with pytest.raises(AnyzeroError, match="is not a folder"):
        RunFolder.create(tmp_path / "other" / "thesis.txt", CONFIG)
    with pytest.raises(AnyzeroError, match="cannot write"):
        RunFolder.create(tmp_path / "other" / "thesis.txt" / "below", CONFIG)
    with pytest.raises(AnyzeroError, match=r"is not a run: it has no config.toml"):
        RunFolder.open(tmp_path / "other")


def test_a_run_of_another_game_is_one_sentence(tmp_path):
    run = str(
        RunFolder.create(tmp_path / "x", fill_in(RunConfig(game="hex:size=5,swap=false"))).path
    )
    for text in ("hex:size=5,swap=false", "hex:size=5"):
        assert str(open_run(text, run=run).path) == run
    with pytest.raises(
        AnyzeroError, match=r"is a run of hex:size=5,swap=false, not of hex:size=7,swap=false"
    ):
        open_run("hex:size=7", run=run)
    with pytest.raises(AnyzeroError, match="is a run of hex:size=5,swap=false, not of oware"):
        open_run("oware", run=run)


def test_runs_are_found_by_name_and_by_path(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    RunFolder.create("runs/hex7", CONFIG)
    (tmp_path / "runs" / "no_run").mkdir()
    assert list_runs() == [Path("runs/hex7"), Path("runs/one")]
    assert list_runs("nowhere") == []
    assert find_run("hex7") == find_run("runs/hex7") == Path("runs/hex7")
    assert find_run(str(run.path)) == run.path
    assert find_run("hex7", root=tmp_path / "runs") == tmp_path / "runs" / "hex7"
    monkeypatch.chdir(tmp_path / "runs")
    assert find_run("hex7") == Path("hex7")
    assert find_run("./one/") == Path("one")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("hex77", "there is no run 'hex77'; did you mean hex7? known: hex7, one"),
        ("no_run", "there is no run 'no_run'"),
        ("runs/hex8", "there is no run 'runs/hex8'"),
        ("..", "there is no run '..'"),
        ("", "there is no run ''"),
        ("a\0b", "there is no run"),
        ("a" * 5000, "there is no run"),
    ],
)
def test_an_unknown_run_is_one_sentence(tmp_path, monkeypatch, run, name, says):
    monkeypatch.chdir(tmp_path)
    RunFolder.create("runs/hex7", CONFIG)
    with pytest.raises(UnknownNameError) as caught:
        find_run(name)
    assert says in str(caught.value)


def test_a_new_name_stays_below_its_root():
    assert run_path("hex7", root="runs") == Path("runs/hex7")
    assert run_path("elsewhere/hex7") == Path("elsewhere/hex7")
    for name in ("", ".", "..", ".hidden", "a\nb", "a\0b", "x" * 201):
        with pytest.raises(AnyzeroError, match="a run cannot be called"):
            run_path(name)


def test_a_whole_generation_is_read_where_it_lies(run):
    run.generation(2).check()
