"""`runs` through the real entry point: the list, one run, several, and their picture."""

import json
import time

import pytest

from anyzero.core.base.files import write_whole
from anyzero.core.learning.config import RunConfig, change
from anyzero.core.learning.folder import RunFolder
from anyzero.tools.lab.summary import ago, show_measured
from tests.learning.reports import make_report

NO_GATE = {"gate": None, "league": None}


def make_run(path, changes, generations, **parts):
    folder = RunFolder.create(path, change(RunConfig(), changes))
    with folder.locked():
        for number in range(generations):
            part, champion = folder.part(number), min(number, 2)
            report = make_report(number, champion, **{"benchmark": None, **parts})
            write_whole(part / "network.safetensors", b"network")
            write_whole(part / "report.json", json.dumps(report).encode())
            facts = {"champion": champion, "previous": None, "promoted": champion == number}
            folder.commit(number, facts)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Three runs, of 0, 4 and 15 generations."""
    monkeypatch.chdir(tmp_path)
    make_run(
        "runs/hex5", {"game": "hex:size=5", "selfplay.simulations": 64, "replay.merge": False}, 15
    )
    scores = {"benchmark": {"mean": 141.6, "low": 139.0, "high": 144.0, "deals": 1000}}
    make_run(
        "runs/easy", {"game": "take_it_easy", "network": {"kind": "mlp"}}, 4, **NO_GATE, **scores
    )
    make_run("runs/new", {}, 0)
    return tmp_path / "runs"


def test_all_runs_are_listed_with_their_strength(run, root):
    code, out, err = run("runs")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: " ".join(line.split()) for line in out.splitlines()}
    assert list(lines) == ["run", "easy", "hex5", "new"]
    assert lines["hex5"].startswith(
        "hex5 hex:size=5 14 2 Elo 1400 ±40 at generation 14 10 "
    )  # 15 of 40 seconds
    assert lines["easy"].startswith("easy take_it_easy 3 2 score 141.6 ±2.5 at generation 3 2.67 ")
    assert lines["hex5"].endswith(" s ago")


def test_the_list_for_programs(run, root):
    code, out, _ = run("runs", "--json")
    found = json.loads(out)
    assert (code, found["root"], found["broken"]) == (0, "runs", [])
    easy, hexes, new = found["runs"]
    assert (hexes["name"], hexes["game"], hexes["generations"], hexes["champion"]) == (
        "hex5",
        "hex:size=5",
        14,
        2,
    )
    assert (hexes["elo"], hexes["benchmark"], hexes["promotions"]) == (
        [1400.0, 1360.0, 1440.0],
        None,
        3,
    )
    assert (hexes["elo_generation"], hexes["benchmark_generation"]) == (14, None)
    assert (easy["benchmark"], easy["benchmark_generation"]) == ([141.6, 139.0, 144.0], 3)
    assert (new["generations"], new["champion"], new["elo"], new["minutes"]) == (
        None,
        None,
        None,
        0.0,
    )
    assert abs(time.time() - hexes["changed"]) < 3600


def test_one_run_is_shown_with_its_last_generations(run, root):
    code, out, _ = run("runs", "hex5")
    assert code == 0
    assert "hex5: hex:size=5, auto network 4x64, seed 0" in out
    assert (
        "not the defaults: selfplay.search=gumbel:64,value_scale=0.25,gumbel_scale=1, "
        "replay.merge=false" in out
    )
    shown = [line.split()[0] for line in out.splitlines() if line[:1].isdigit()]
    assert shown == [str(number) for number in range(5, 15)]
    assert "benchmark" not in out
    assert "generation 2 is the champion, Elo 1400 ±40 at generation 14, 10 minutes in total" in out
    assert "its network: runs/hex5/champion.safetensors" in out


def test_one_run_for_programs_has_its_config_and_history(run, root):
    (found,) = json.loads(run("runs", "runs/hex5", "--json")[1])["runs"]
    assert found["config"]["selfplay"]["search"].startswith("gumbel:64,")
    assert [row["generation"] for row in found["history"]] == list(range(15))
    assert found["history"][3]["gate_score"] == 0.6


def test_a_run_without_generations_is_shown_too(run, root):
    assert run("runs", "new")[:2] == (
        0,
        "new: tic_tac_toe, auto network 4x64, seed 0\nno generation is finished yet\n",
    )


def test_several_runs_are_compared_with_the_settings_in_which_they_differ(run, root):
    code, out, _ = run("runs", "hex5", "new")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert lines[1] == "hex5 hex:size=5 14 2 Elo 1400 ±40 at generation 14 10 3 1.5 0.25 12,800"
    assert lines[4:] == [
        "setting hex5 new",
        "game hex:size=5 tic_tac_toe",
        "selfplay.search gumbel:64,value_scale=0.25,gumbel_scale=1 "
        "gumbel:32,value_scale=0.25,gumbel_scale=1",
        "replay.merge false true",
    ]
    found = json.loads(run("runs", "hex5", "new", "--json")[1])
    assert found["differences"]["selfplay.search"] == [
        f"gumbel:{num},value_scale=0.25,gumbel_scale=1" for num in (64, 32)
    ]
    assert [entry["name"] for entry in found["runs"]] == ["hex5", "new"]


def test_the_champions_own_strength_needs_no_generation(run, root):
    make_run("runs/three", {}, 3)
    assert (
        "generation 2 is the champion, Elo 200 ±40, 2 minutes in total" in run("runs", "three")[1]
    )


def test_a_strength_has_the_digits_that_its_interval_allows(run, root):
    scores = {"benchmark": {"mean": 18.392, "low": 18.066, "high": 18.718, "deals": 1000}}
    make_run("runs/tower", {"game": "take_it_easy"}, 3, **NO_GATE, **scores)
    out = run("runs", "tower")[1]
    assert "generation 2 is the champion, score 18.39 ±0.33, 2 minutes in total" in out
    assert [
        line.split()[-3] for line in out.splitlines() if line.startswith(("0 ", "1 ", "2 "))
    ] == ["18.39"] * 3
    assert "score 18.39 ±0.33 " in run("runs")[1]


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (1234.5, 127.3, "1234 ±127"),
        (-987.6, 40.2, "-988 ±40"),
        (141.6, 2.5, "141.6 ±2.5"),
        (18.392, 0.326, "18.39 ±0.33"),
        (0.61253, 0.0047, "0.6125 ±0.0047"),
        (18.5, 0.0, "18.5 ±0"),
    ],
)
def test_half_an_interval_is_shown_with_two_digits_and_all_whole_ones(value, half, text):
    assert f"{show_measured(value, half)} ±{show_measured(half, half)}" == text


def test_a_figure_without_an_interval_is_shown_as_it_is():
    assert [show_measured(1234.5, half) for half in (None, float("inf"), float("nan"))] == [
        "1234.5"
    ] * 3


def test_settings_that_a_network_has_no_use_for_are_no_differences(run, root):
    residual = {"network.kind": "residual", "network.policy": "cells", "network.value": "wdl"}
    make_run(
        "runs/one", {**residual, "network.layers": 3, "network.width": 64, "network.bins": 11}, 1
    )
    make_run(
        "runs/two", {**residual, "network.layers": 4, "network.width": 32, "network.bins": 51}, 1
    )
    assert json.loads(run("runs", "one", "two", "--json")[1])["differences"] == {}
    mlp = {
        "network.kind": "mlp",
        "network.value": "wdl",
        "network.layers": 2,
        "network.policy": "flat",
    }
    make_run("runs/flat", {**mlp, "network.blocks": 7}, 1)
    make_run(
        "runs/other",
        {**mlp, "network.blocks": 9, "network.channels": 8, "network.pool_every": 3},
        1,
    )
    assert json.loads(run("runs", "flat", "other", "--json")[1])["differences"] == {}
    lines = [line.split() for line in run("runs", "one", "flat")[1].splitlines()]
    assert ["network.kind", "residual", "mlp"] in lines
    assert ["network.blocks", "4"] in lines
    assert ["network.layers", "2"] in lines


def test_curves_are_drawn_to_a_file(run, root, tmp_path):
    assert run("runs", "hex5", "easy", "--plot", "two.svg", "--by", "minutes", "--json")[0] == 0
    assert run("runs", "--plot", "all.png")[1].endswith("plot written to all.png\n")
    for name in ("two.svg", "all.png"):
        assert (tmp_path / name).stat().st_size > 5000


def test_a_broken_run_does_not_hide_the_others(run, root):
    (root / "hex5" / "config.toml").write_text("sed = 3")
    (root / "easy" / "generations" / "0003" / "manifest.json").write_text("{")
    code, out, _ = run("runs")
    assert code == 0
    assert (
        "cannot be read: runs/hex5/config.toml: a run has no setting 'sed'; did you mean seed?"
        in out
    )
    assert "cannot be read: runs/easy: generation 3: manifest.json is damaged" in out
    assert "tic_tac_toe" in out
    found = json.loads(run("runs", "--json")[1])
    assert [entry["name"] for entry in found["broken"]] == ["easy", "hex5"]


def test_no_runs_at_all_says_how_to_make_one(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("runs") == (0, "there are no runs in runs; anyzero train makes one\n", "")
    assert json.loads(run("runs", "--json")[1]) == {"root": "runs", "runs": [], "broken": []}


def test_a_name_with_brackets_is_printed_as_it_is(run, root):
    make_run("runs/[bold]x", {}, 1)
    assert "[bold]x" in run("runs")[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["hex6"], "there is no run 'hex6'; did you mean hex5? known: easy, hex5, new"),
        (["hex5", "--root", "nowhere"], "there is no run 'hex5'; there are none in nowhere"),
        (["hex5", "--plot", "one.gif"], "its name must end in .png, .svg, .pdf"),
        (["hex5", "--plot", "nowhere/one.png"], "cannot write nowhere/one.png"),
        (["hex5", "--plot", "one.png", "--by", "hours"], "curves cannot be drawn by 'hours'"),
        (["new", "--plot", "one.png"], "there is nothing to draw yet in new"),
        (["--root", "nowhere", "--plot", "one.png"], "there are no runs to draw"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(run, root, words, says):
    code, out, err = run("runs", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_ages_are_in_the_unit_that_a_person_would_use(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    ages = [ago(1_000_000.0 - seconds) for seconds in (-5, 59, 60, 3599, 7200, 86_400 * 3)]
    assert ages == ["0 s ago", "59 s ago", "1 min ago", "60 min ago", "2 h ago", "3 d ago"]
