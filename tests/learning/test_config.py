"""The config of a run: what is refused, and how it goes to a file and to single settings and
back.
"""

import tomllib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.schema import limits_of, read_toml, settings_of, write_toml
from anyzero.core.learning.config import (
    KEYS,
    GateConfig,
    LeagueConfig,
    RunConfig,
    SelfPlayConfig,
    change,
    format_setting,
    load_config,
    parse_setting,
)
from anyzero.core.nets.config import parse_network

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
FIXED = ("selfplay.reuse", "keep_samples", "device", "replay.payoff_share_end")
"""Settings that only go with some others, or have gaps."""


def describe_settings():
    """The page `docs/settings.md`: every setting with its default, what it may be, and its
    meaning.
    """
    lines = [
        "# Settings of a run",
        "",
        "Change one by `anyzero train GAME --set selfplay.games=64`, or many in a TOML file.",
    ]
    part = None
    for setting in settings_of(RunConfig):
        owner, _, name = setting.key.rpartition(".")
        if owner != part:
            part = owner
            lines += [
                "",
                f"## {owner or 'The run'}",
                "",
                "| setting | default | allowed | meaning |",
                "|---|---|---|---|",
            ]
        meaning = setting.meaning.replace("|", "\\|").replace("\n", " ")
        lines.append(
            f"| `{name}` | `{format_setting(setting.default)}` | {setting.allowed} | {meaning} |"
        )
    return "\n".join(lines) + "\n"


def values_of(setting):
    """Everything that a setting may hold."""
    limits = limits_of(setting.field)
    low, high = limits.get("ge"), limits.get("le")
    if setting.key in FIXED:
        return st.just(setting.default)
    if setting.key in ("gate.games", "league.games"):
        return st.integers(low // 2, high // 2).map(lambda pairs: 2 * pairs)
    if setting.key == "selfplay.search":
        return st.sampled_from(
            ["gumbel:32,value_scale=0.25,gumbel_scale=1", "puct:8,exploration=1e-05", "expectimax"]
        )
    if setting.key == "league.anchors":
        return st.lists(
            st.sampled_from(["random", "uct:100", "rave:2_000,bias=1e-5"]), min_size=1
        ).map(tuple)
    if choices := [item for item in get_args(setting.field.annotation) if isinstance(item, str)]:
        return st.sampled_from(choices)
    return {
        int: lambda: st.integers(int(low), int(high)),
        float: lambda: st.floats(low, high),
        bool: st.booleans,
        str: st.text,
        tuple: lambda: st.lists(st.text(), max_size=3).map(tuple),
    }[type(setting.default)]()


CONFIGS = st.fixed_dictionaries(
    {setting.key: values_of(setting) for setting in settings_of(RunConfig)}
).map(lambda values: change(RunConfig(), values))


@given(CONFIGS)
def test_a_config_comes_back_from_its_file_as_it_was(config):
    assert change(RunConfig(), tomllib.loads(write_toml(config.to_dict()))) == config


def test_a_config_of_an_earlier_version_is_read_unless_it_uses_what_is_gone(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text(
        'game = "oware"\ntensorboard = false\n[replay]\npriority = 0.0\nimportance = '
        "0.4\nwindow = 7\n"
    )
    assert load_config(path) == change(RunConfig(), {"game": "oware", "replay.window": 7})
    path.write_text("[replay]\npriority = 0.6\n")
    with pytest.raises(
        AnyzeroError, match=r"config\.toml: a run has no setting 'replay\.priority'"
    ):
        load_config(path)


def test_the_file_is_laid_out_for_people(tmp_path):
    text = write_toml(
        change(
            RunConfig(), {"game": "hex:size=5", "league.anchors": ["random", "uct:100"]}
        ).to_dict()
    )
    lines = text.splitlines()
    assert lines[:3] == ['game = "hex:size=5"', "seed = 0", "generations = 1000"]
    assert 'anchors = ["random", "uct:100"]' in lines
    assert [line for line in lines if line.startswith("[")] == [
        *("[network]", "[selfplay]", "[replay]", "[trainer]", "[gate]", "[league]", "[benchmark]"),
    ]


def test_a_file_changes_only_what_it_names(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'network = "2x16"\ntrainer.learning_rate = 1\n[selfplay]\nsimulations = 64\nstarts '
        '= ["a", "b"]\n'
    )
    wanted = RunConfig(
        network=parse_network("2x16"),
        selfplay=SelfPlayConfig(simulations=64, starts=("a", "b")),
        trainer=RunConfig().trainer.change(learning_rate=1.0),
    )
    assert load_config(path) == change(RunConfig(), read_toml(path)) == wanted


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[selfplay]\nsimulatons = 3", "did you mean selfplay.simulations"),
        ("[selfpaly]\nsimulations = 3", "did you mean selfplay.simulations"),
        ("simulations = 3", "did you mean selfplay.simulations"),
        ("selfplay = 3", "a run has no setting 'selfplay'"),
        ('network = "4x"', "there is no network '4x'"),
        ("[selfplay]\nsimulations = 1.5", "selfplay.simulations must be a whole number, not 1.5"),
        ("[selfplay]\nstarts = [1]", "selfplay.starts.0 must be a text, not 1"),
        (
            "[trainer]\nlearning_rate = nan",
            "trainer.learning_rate must be a finite number, not nan",
        ),
        ("[trainer]\nclip = -1.0", "trainer.clip must be from 1e-06 to 1e+06, not -1.0"),
        ('[trainer]\nschedule = "cosin"', "did you mean cosine"),
        ("seed = ", "is not a TOML file"),
        ("seed = 1\nseed = 2", "is not a TOML file"),
        ("\xff", "is not a TOML file"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path, text, says):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(AnyzeroError) as caught:
        load_config(path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(AnyzeroError, match=r"cannot read .*nowhere.toml: No such file"):
        read_toml(tmp_path / "nowhere.toml")


def test_a_text_that_no_file_can_hold_is_refused():
    with pytest.raises(AnyzeroError, match="not Unicode"):
        write_toml(RunConfig(game="\udc80").to_dict())


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("selfplay.simulations=64", "selfplay.simulations", 64),
        (" replay.window = 50_000 ", "replay.window", 50_000),
        ("trainer.learning_rate=1e-4", "trainer.learning_rate", 1e-4),
        ("trainer.epochs=2", "trainer.epochs", 2.0),
        ("replay.merge=False", "replay.merge", False),
        ("game=hex:size=5,swap=true", "game", "hex:size=5,swap=true"),
        ("league.anchors=random; uct:100", "league.anchors", ("random", "uct:100")),
        ("league.anchors=['random', 'uct:100']", "league.anchors", ("random", "uct:100")),
        ("selfplay.starts=", "selfplay.starts", ()),
        ("network.blocks=6", "network.blocks", 6),
        ("network.value=wdl", "network.value", "wdl"),
        ("network=6x64", "network", "6x64"),
    ],
)
def test_a_setting_has_the_type_of_its_field(text, key, value):
    assert parse_setting(text) == (key, value)
    assert type(parse_setting(text)[1]) is type(value)
    change(RunConfig(), dict([parse_setting(text)]))


@pytest.mark.parametrize(
    ("text", "says", "others"),
    [
        ("selfplay.reuse=true", "is for puct", {"selfplay.method": "puct"}),
        ("keep_samples=false", "is for the GPU", {"device": "cuda"}),
        ("league.anchors=", "league.anchors is empty", {"league.every": 0}),
    ],
)
def test_a_setting_that_goes_with_others_is_read_before_they_are_known(text, says, others):
    """The preset may say puct, or another setting the GPU; whether all go together is seen when all
    are there.
    """
    setting = dict([parse_setting(text)])
    with pytest.raises(AnyzeroError, match=says):
        change(RunConfig(), setting)
    change(RunConfig(), {**setting, **others})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("selfplay.simulations", "is not of the form setting=value"),
        ("=3", "is not of the form setting=value"),
        ("selfplay.simulatons=3", "did you mean selfplay.simulations"),
        ("simulations=3", "did you mean selfplay.simulations"),
        ("selfplay=3", "a run has no setting 'selfplay'"),
        ("to_dict=3", "a run has no setting 'to_dict'"),
        ("network.block=3", "did you mean network.blocks"),
        ("network.blocks=many", "network.blocks must be a whole number, not 'many'"),
        ("selfplay.simulations=٣", "selfplay.simulations must be a whole number"),
        ("selfplay.simulations=0", "selfplay.simulations must be from 1 to 1000000, not '0'"),
        ("gate.simulations=-1", "gate.simulations must be from 0 to 1000000, not '-1'"),
        ("gate.games=1", "gate.games: an even number is needed, as games come in pairs"),
        ("league.games=1", "league.games must be from 2 to 10000000, not '1'"),
        (
            "league.anchors=random;uct:1s",
            "an anchor has a number of simulations, like uct:1000; 'uct:1s' has none",
        ),
        ("league.anchors=uct", "'uct' needs a budget"),
        ("league.anchors=utc:100", "there is no method 'utc'; did you mean uct?"),
        ("league.anchors=uct:100,trees=2", "uct has no option 'trees'"),
        ("trainer.learning_rate=much", "trainer.learning_rate must be a number, not 'much'"),
        ("replay.merge=maybe", "replay.merge must be true or false, not 'maybe'"),
        ("league.anchors=['random'", "league.anchors must be a list like a;b"),
        ("league.anchors=[1, 2]", "there is no method '1'"),
        ("device=gpu", "device cannot be 'gpu'"),
    ],
)
def test_a_wrong_setting_is_one_sentence(text, says):
    with pytest.raises(AnyzeroError) as caught:
        parse_setting(text)
    assert says in str(caught.value)


def test_every_setting_can_be_written_and_read():
    for key in KEYS:
        part, _, name = key.rpartition(".")
        default = getattr(getattr(RunConfig(), part) if part else RunConfig(), name)
        assert parse_setting(f"{key}={format_setting(default)}") == (key, default)


def test_a_config_is_checked_when_it_is_made():
    with pytest.raises(AnyzeroError, match=r"threshold must be from 0 to 1, not 2.0"):
        GateConfig(threshold=2.0)
    with pytest.raises(AnyzeroError, match="keep must be from 1 to"):
        RunConfig(keep=0)
    with pytest.raises(AnyzeroError, match="payoff_share_end must be -1 or from 0 to 1"):
        RunConfig(replay={"payoff_share_end": -0.5})


def test_parts_have_bounds_of_their_own():
    config = RunConfig(
        gate=GateConfig(games=0, simulations=0, opening_plies=-1),
        league=LeagueConfig(simulations=0),
    )
    assert config.gate.games == 0
    for setting in ({"games": 0}, {"simulations": 0}, {"opening_plies": -1}):
        with pytest.raises(AnyzeroError, match=f"selfplay.{next(iter(setting))} must be from"):
            change(RunConfig(), {"selfplay": setting})


@pytest.mark.parametrize("other", [{"two_champions": True}, {"recent_share": 0.1}])
def test_trees_are_used_again_only_in_games_of_one_network(other):
    with pytest.raises(
        AnyzeroError, match=f"games of one network: leave selfplay.{next(iter(other))} alone"
    ):
        RunConfig(selfplay=SelfPlayConfig(method="puct", reuse=True, **other))


def test_the_page_of_settings_is_up_to_date():
    """`python -c "from tests.learning.test_config import *; print(describe_settings(), end='')" >
    docs/settings.md`.
    """
    assert PAGE.read_text() == describe_settings()
    assert all(setting.meaning for setting in settings_of(RunConfig))
