"""Sizes on a GPU: every game has them without a single setting, and every setting that is asked for
wins.
"""

import pytest

from anyzero.core.game.load import BUILT_IN, load
from anyzero.core.learning.search_text import parse_self_play
from anyzero.core.nets.config import resolve
from anyzero.tools import presets
from anyzero.tools.lab.opening import make_config
from anyzero.tools.presets import fitting_games, preset_config, recipes

GPU = {"device": "cuda"}


@pytest.fixture(autouse=True)
def roomy(monkeypatch):
    """A GPU of 80 GB, whatever is here."""
    monkeypatch.setattr(presets, "gpu_bytes", lambda: 80e9)


@pytest.mark.parametrize("text", BUILT_IN)
def test_every_game_has_thousands_of_games_at_once_and_large_batches(text):
    config = make_config(text, changes=GPU)
    assert config.selfplay.at_once >= 4096
    assert config.selfplay.games in (config.selfplay.at_once, config.selfplay.at_once // 2)
    assert (config.device, config.keep_samples, config.replay.merge) == ("cuda", False, False)
    assert (config.trainer.batch_size, config.trainer.schedule, config.gate.games) == (
        2048,
        "cosine",
        0,
    )
    game = load(text)
    assert resolve(config.network, game).kind == (
        "residual" if len(game.planes_shape) == 3 else "mlp"
    )


@pytest.mark.parametrize("name", recipes())
def test_what_is_special_about_a_recipe_is_the_same_on_a_gpu(name):
    here, there = preset_config(name, None), preset_config(name, None, "cuda")
    searches = [parse_self_play(config.selfplay.search) for config in (here, there)]
    assert searches[0].name == searches[1].name
    assert searches[0].options == searches[1].options
    for key in ("opening_plies", "temperature_plies", "max_plies"):
        assert getattr(here.selfplay, key) == getattr(there.selfplay, key)
    assert here.replay.payoff_share == there.replay.payoff_share


def test_networks_follow_the_board_and_chess_has_its_own():
    texts = ("connect_four", "hex:size=11", "chess")
    found = [make_config(text, changes=GPU).network for text in texts]
    assert [(network.blocks, network.channels) for network in found] == [
        (6, 64),
        (8, 64),
        (10, 128),
    ]
    easy = make_config("take_it_easy", changes=GPU).network
    assert (easy.kind, easy.layers, easy.width) == ("mlp", 4, 512)


def test_what_is_asked_for_wins(tmp_path):
    (tmp_path / "mine.toml").write_text('device = "cuda"\n[selfplay]\ngames = 100\n')
    config = make_config(
        "hex:size=9", config_file=tmp_path / "mine.toml", changes={"trainer": {"batch_size": 64}}
    )
    assert (config.selfplay.games, config.selfplay.at_once, config.trainer.batch_size) == (
        100,
        4096,
        64,
    )
    config = make_config(
        "hex:size=9", changes={**GPU, "network": {"blocks": 3}, "keep_samples": True}
    )
    assert (config.network.blocks, config.keep_samples) == (3, True)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({"trainer.epochs": 2.0}, (0, 0.0, 2.0)),
        ({"trainer.batches": 9}, (9, 0.0, 1.0)),
        ({"trainer.trainings": 3.0}, (0, 3.0, 1.0)),
    ],
)
def test_the_amount_of_training_that_is_asked_for_is_the_one_that_counts(device, asked, wanted):
    found = make_config("connect_four", changes={"device": device, **asked}).trainer
    assert (found.batches, found.trainings, found.epochs) == wanted


def test_a_small_gpu_has_fewer_games_at_once(monkeypatch):
    """Chess on a laptop: samples of 200 plies, two pages a game, in a fifth of 8 GB."""
    chess = load("chess")
    assert fitting_games(chess, 200) == 8192
    monkeypatch.setattr(presets, "gpu_bytes", lambda: 8e9)
    assert fitting_games(chess, 200) in (1024, 2048)
    assert fitting_games(load("connect_four"), 0) == 8192


@pytest.mark.parametrize(
    ("game", "games"), [("tic_tac_toe", 256), ("examples/othello.py", 64), ("atarigo", 128)]
)
def test_a_game_without_a_recipe_has_short_generations_if_its_games_are_long(game, games):
    config = preset_config(None, game)
    assert config.selfplay.games == games
    assert config.trainer.trainings == 3.5, "the work on a sample does not depend on that"
