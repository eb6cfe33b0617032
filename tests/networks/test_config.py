"""What a network looks like, and what a game makes of it."""

import numpy as np
import pytest

from anyzero.core.base.errors import AnyzeroError, BadOptionError, UnknownNameError
from anyzero.core.game.load import load
from anyzero.core.nets.config import (
    BadNetworkError,
    Layout,
    NetworkConfig,
    layout_of,
    parse_network,
    resolve,
)


@pytest.mark.parametrize("text", ["4x32", "4x64", "6x64", "10x128"])
def test_a_text_is_blocks_and_channels(text):
    config = parse_network(text)
    assert f"{config.blocks}x{config.channels}" == f"{config.layers}x{config.width}" == text


def test_presets_grow():
    sizes = [parse_network(name) for name in ("tiny", "small", "medium", "large")]
    assert sorted(sizes, key=lambda size: (size.blocks, size.channels)) == sizes


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: parse_network("smal"), UnknownNameError, "did you mean small"),
        (lambda: parse_network("0x64"), BadOptionError, "blocks must be from 1 to 200, not 0"),
        (lambda: NetworkConfig.parse({"chanels": 4}), UnknownNameError, "did you mean channels"),
        (lambda: NetworkConfig.parse({"value": "wld"}), UnknownNameError, "did you mean wdl"),
        (
            lambda: NetworkConfig.parse({"channels": "64"}),
            BadOptionError,
            "channels must be a whole number",
        ),
        (
            lambda: resolve(NetworkConfig(kind="residual"), load("oware")),
            BadNetworkError,
            "not a board",
        ),
        (
            lambda: resolve(NetworkConfig(policy="cells"), load("connect_four")),
            BadNetworkError,
            "policy=flat",
        ),
    ],
)
def test_a_wrong_config_gets_one_sentence(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, AnyzeroError)


@pytest.mark.parametrize(
    ("text", "kind", "policy", "value"),
    [
        ("hex:size=4", "residual", "cells", "wdl"),
        ("chess", "residual", "cells", "wdl"),
        ("domineering", "residual", "cells", "wdl"),
        ("connect_four", "residual", "columns", "wdl"),
        ("oware", "mlp", "flat", "wdl"),
        ("take_it_easy", "mlp", "flat", "scores"),
    ],
)
def test_heads_are_chosen_from_the_game(text, kind, policy, value):
    config = resolve(NetworkConfig(), load(text))
    assert (config.kind, config.policy, config.value) == (kind, policy, value)


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("hex:size=5", Layout(1)),
        ("hex:size=5,swap=true", Layout(1, extras=1)),
        ("tic_tac_toe", Layout(1)),
        ("atarigo:size=7", Layout(1)),
        ("breakthrough:rows=6,columns=5", Layout(3)),
        ("knightthrough", Layout(4)),
        ("chess", Layout(73)),
        ("domineering:rows=4,columns=6", Layout(1, last_rows=1)),
        ("connect_four", None),
    ],
)
def test_the_layout_of_actions_over_cells(text, layout):
    game = load(text)
    assert layout_of(game.planes_shape, game.num_actions) == layout


@pytest.mark.parametrize(
    "text", ["hex:size=5", "tic_tac_toe", "atarigo:size=5", "breakthrough", "knightthrough"]
)
def test_actions_lie_where_the_layout_says(text):
    """Oracle: a game's symmetries turn cells and actions, each by a table of its own; the cells
    must agree.
    """
    game = load(text)
    _, rows, columns = game.planes_shape
    planes = layout_of(game.planes_shape, game.num_actions).planes
    for symmetry in game.symmetries:
        goes_to = np.argsort(symmetry.planes[: rows * columns])
        cells = np.arange(game.num_actions) // planes
        assert (symmetry.actions // planes == goes_to[cells]).all()
