"""Opening a run that is there: what was decided when it began stays, and what is not its own is
refused.
"""

import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.core.learning.search_text import OldSearch
from anyzero.tools.lab import opening
from anyzero.tools.lab.opening import open_run

SMALL = {"network": {"blocks": 1, "channels": 8}}


@pytest.fixture
def machine(monkeypatch):
    """Say what the machine decides from now on."""

    def decide(threads):
        monkeypatch.setattr(opening, "count_cores", lambda: threads)

    return decide


@pytest.fixture
def begun(machine, tmp_path):
    """A run that began on a machine with three threads; the machine is another one since."""
    machine(3)
    path = str(tmp_path / "run")
    open_run("hex:size=3", run=path, preset="hex", changes=SMALL)
    machine(5)
    return path


def test_the_schedule_is_planned_over_the_minutes_or_generations_of_the_run(tmp_path):
    path, other = str(tmp_path / "minutes"), str(tmp_path / "generations")
    assert (
        open_run("hex:size=3", run=path, changes=SMALL, minutes=30.0, generations=5).config.minutes
        == 30.0
    )
    for preset in (None, "hex"):  # a piece, and the whole: the plan stays
        assert (
            open_run(
                "hex:size=3", run=path, preset=preset, changes=SMALL, minutes=20.0
            ).config.minutes
            == 30.0
        )
    assert open_run("hex:size=3", run=path, changes=SMALL, minutes=60.0).config.minutes == 60.0
    assert (
        open_run("hex:size=3", run=other, changes=SMALL, generations=40).config.trainer.horizon
        == 40
    )
    setting, piece = {**SMALL, "generations": 40}, str(tmp_path / "piece")
    assert (
        open_run("hex:size=3", run=piece, changes=setting, generations=10).config.trainer.horizon
        == 40
    )
    for preset in (None, "hex"):
        found = open_run(
            "hex:size=3", run=other, preset=preset, changes=SMALL, generations=50, minutes=9.0
        ).config
        assert (found.trainer.horizon, found.minutes) == (40, 0.0)


def test_default_names_are_short_and_a_run_with_other_settings_gets_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = [
        open_run(text, changes={**SMALL, **more}).path.name
        for text, more in (
            ("connect_four", {}),
            ("connect_four", {"seed": 3}),
            ("connect_four", {}),  # goes on with the first
            ("connect_four", {"seed": 3}),
            ("hex:size=5,swap=true", {}),
            ("connect_four:rows=5", {}),
        )
    ]
    again = ["connect-four", "connect-four-2"]
    assert opened == [*again, *again, "hex-5-swap", "connect-four-5"]


def test_an_explicit_plan_wins(tmp_path):
    path = str(tmp_path / "run")
    changes = {**SMALL, "minutes": 120.0, "trainer.horizon": 7}
    for minutes in (30.0, 60.0):
        config = open_run(
            "hex:size=3", run=path, changes=changes, minutes=minutes, generations=9
        ).config
        assert (config.minutes, config.trainer.horizon) == (120.0, 7)


def test_the_same_command_goes_on_on_another_machine(begun):
    assert open_run("hex:size=3", run=begun, preset="hex", changes=SMALL).config.threads == 3


def test_a_config_file_that_leaves_them_open_goes_on_too(begun, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[network]\nblocks = 1\nchannels = 8\n")
    assert open_run("hex:size=3", run=begun, config_file=path).config.threads == 3


@pytest.mark.parametrize("preset", [None, "hex"])
def test_what_is_left_to_the_machine_is_what_the_run_has(begun, preset):
    changes = {**SMALL, "threads": 0}
    assert open_run("hex:size=3", run=begun, preset=preset, changes=changes).config.threads == 3


@pytest.mark.parametrize("preset", [None, "hex"])
def test_what_is_asked_for_must_be_what_the_run_has(begun, preset):
    with pytest.raises(BadOptionError, match="was started with threads="):
        open_run("hex:size=3", run=begun, preset=preset, changes={**SMALL, "threads": 4})


def test_a_network_of_the_same_form_and_a_list_for_a_tuple_are_no_difference(begun):
    changes = {"network.kind": "auto", "league.anchors": ["random", "uct:100", "rave:1000"]}
    assert open_run("hex:size=3", run=begun, changes=changes).config.network.kind == "residual"


def test_an_unknown_setting_is_one_sentence_with_the_nearest_name(begun):
    with pytest.raises(UnknownNameError, match=r"did you mean selfplay\.games"):
        open_run("hex:size=3", run=begun, changes={"selfplay.gmes": 3})
    with pytest.raises(UnknownNameError, match="did you mean threads"):
        open_run("hex:size=3", run=begun, changes={"thread": 3})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"selfplay.starts": ("nowhere",)}, "a position looks like"),
        ({"selfplay.method": "expectimax"}, "for games of chance, and tic_tac_toe has none"),
    ],
)
def test_what_the_game_cannot_have_is_said_before_there_is_a_run(tmp_path, changes, says):
    with pytest.raises(AnyzeroError, match=says):
        open_run("tic_tac_toe", run=str(tmp_path / "run"), changes=changes)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("game", "method", "setting", "words"),
    [
        (
            "hex:size=3",
            "gumbel",
            {"noise_fraction": 0.5},
            "noise_fraction does nothing with selfplay.method=gumbel; it is for puct",
        ),
        (
            "hex:size=3",
            "puct",
            {"value_scale": 1.0},
            "value_scale does nothing with selfplay.method=puct; it is for gumbel",
        ),
        (
            "take_it_easy",
            "expectimax",
            {"simulations": 8},
            "simulations does nothing .*; it is for puct and gumbel",
        ),
    ],
)
def test_a_setting_that_the_method_does_not_use_is_refused(game, method, setting, words, tmp_path):
    path = str(tmp_path / "run")
    with pytest.raises(BadOptionError, match=words):
        open_run(game, run=path, changes={"selfplay": {"method": method, **setting}})
    usual = {name: getattr(OldSearch(), name) for name in setting}
    assert (
        open_run(
            game, run=path, changes={"selfplay": {"method": method, **usual}}
        ).config.selfplay.method
        == method
    )
