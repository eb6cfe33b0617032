"""Damaged and edited runs: said and made again, or refused; the small form of the campaign."""

import json

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.sealed import DamagedError
from anyzero.core.learning.find import find_network
from anyzero.core.learning.folder import RunFolder
from anyzero.core.learning.manifest import CHAMPION, write_manifest
from anyzero.core.learning.run import Training
from anyzero.core.nets.config import BadNetworkError
from anyzero.tools.doctor.verify import verify
from anyzero.tools.lab.opening import open_run
from anyzero.tools.lab.summary import summarise_run
from tests.faults.runs import GENERATIONS, fresh, go_on, play, run_campaign
from tests.faults.table import Table, Told


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def finish(path):
    """Go on to the end; what was said."""
    folder = RunFolder.open(path)
    with folder.locked():
        Training(folder).run(GENERATIONS)
    return folder.notes


@pytest.mark.parametrize("tries", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_every_file_of_a_run_that_is_damaged_is_told_of_or_does_no_harm(whole_run, tmp_path, tries):
    table = Table(seed=3)
    run_campaign(whole_run, tmp_path, table, tries=tries)
    assert table.wrong == [], f"\n{table}"
    assert sum(map(sum, (counts.values() for counts in table.counts.values()))) > 30


def test_a_champion_whose_copy_is_damaged_plays_from_its_generation_and_says_so(damaged, capsys):
    best = play(damaged)
    capsys.readouterr()
    rng, path = np.random.default_rng(1), damaged / "champion.safetensors"
    for _ in range(3):
        flip(path, int(rng.integers(path.stat().st_size // 2, path.stat().st_size)))
        assert play(damaged) == best
        assert "champion.safetensors is not what the run wrote" in capsys.readouterr().err
    assert "is not the champion that the run wrote" in summarise_run(damaged).notes[-1]
    flip(damaged / "generations" / "0002" / "network.safetensors", -5)
    with pytest.raises(
        DamagedError,
        match=r"network.safetensors is not what the manifest says|champion.safetensors is",
    ):
        play(damaged)


def test_weights_that_lie_anywhere_are_checked_too(damaged, tmp_path):
    copy = tmp_path / "mine.safetensors"
    copy.write_bytes((damaged / "champion.safetensors").read_bytes())
    assert find_network(str(copy)) == copy
    flip(copy, -5)
    with pytest.raises(BadNetworkError, match="is damaged: its checksum"):
        play(copy)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "gumbel:2,",
            "gumbel:6,",
            "says selfplay.search=gumbel:6,.* but the run began with selfplay.search=gumbel:2,",
        ),
        (
            "seed = 0\n",
            "seed = 1\n",
            "says seed=1, but the run began with seed=0: restore it; for other settings",
        ),
        (
            "batch_size = 16\n",
            "",
            "no longer says trainer.batch_size, but the run began with trainer",
        ),
        ("[trainer]", None, "no longer says trainer"),
        ("keep = ", "keep = 1", r"anyzero train --run .* --set keep=\.\.\. changes it"),
    ],
)
def test_settings_that_were_edited_by_hand_are_refused(damaged, old, new, says):
    path = damaged / "config.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.partition(old)[0] if new is None else text.replace(old, new, 1))
    with pytest.raises(AnyzeroError, match=says):
        RunFolder.open(damaged)
    assert not verify(str(damaged)).ok


def test_settings_that_may_change_change_by_set(damaged):
    assert open_run(run=str(damaged), changes={"generations": 7}).config.generations == 7
    assert RunFolder.open(damaged).config.generations == 7
    assert verify(str(damaged)).ok


def test_a_comment_in_the_config_is_nobodys_business(damaged):
    path = damaged / "config.toml"
    path.write_text(f"# my first run\n{path.read_text()}")
    assert RunFolder.open(damaged).notes == []


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("anchors.json", b'{"points": [[0, 1], [NaN, 0]]}'),
        ("generations/0003.part/block-001.json", b"[1, 2"),
        ("samples/0003-000.safetensors", b""),
    ],
)
def test_what_is_damaged_in_a_generation_under_way_is_made_again(
    whole_run, damaged, tmp_path, file, content
):
    expected = go_on(fresh(whole_run, tmp_path / "other"))
    (damaged / file).write_bytes(content)
    assert all("again" in note for note in finish(damaged))
    found = {
        key.replace(str(damaged), str(tmp_path / "other")): value
        for key, value in go_on(damaged).items()
    }
    assert found == expected


def test_a_shard_that_was_deleted_is_missed(damaged):
    (damaged / "samples" / "0001-001.safetensors").unlink()
    for name in ("training.json", "network.safetensors", "trainer.safetensors"):
        (damaged / "generations" / "0003.part" / name).unlink()
    assert finish(damaged) == [
        f"{damaged}: samples/0001-001.safetensors is gone; training continues without it"
    ]


def test_a_run_that_is_moved_while_it_is_read_is_one_sentence(damaged, monkeypatch):
    move = lambda run: run.path.rename(run.path.with_name("moved")) and run.path / CHAMPION  # noqa: E731
    monkeypatch.setattr(RunFolder, "champion_file", move)
    with pytest.raises(AnyzeroError, match=r"cannot read .*run: No such file"):
        summarise_run(damaged)


def test_generations_of_another_run_do_not_fit_the_chain(damaged, tmp_path):
    manifest = damaged / "generations" / "0001" / "manifest.json"
    facts = json.loads(manifest.read_text())
    folder = RunFolder.open(damaged)
    write_manifest(
        manifest.parent,
        1,
        {k: v for k, v in facts.items() if k not in ("form", "seal", "files", "before")},
    )
    folder.newest()
    assert folder.notes == [
        f"generation 1 of {damaged} is not the one that generation 2 was made from"
    ]
    assert not verify(str(damaged)).ok
    with pytest.raises(Told):
        go_on(damaged)
