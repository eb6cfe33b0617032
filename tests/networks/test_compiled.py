"""The compiled network: what torch computes, but for the rounding of sums."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from anyzero.games.game import Game
from anyzero.games.load import load
from anyzero.networks import packed_trunk
from anyzero.networks.compiled import CompiledNetwork, compiles
from anyzero.networks.config import NetworkConfig
from anyzero.networks.models import Network, new_network
from anyzero.networks.packed_trunk import sizes_for
from anyzero.networks.remembered import empty_answers

TOLERANCE = 1e-5


def drawn_network(game: str, **sizes: Any) -> Network:
    """A network in which biases count too; torch starts them at zero."""
    network = new_network(load(game), NetworkConfig(kind="residual", **sizes), seed=3)
    rng = torch.Generator().manual_seed(4)
    for parameter in network.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, std=0.2, generator=rng)
    return network


def largest_difference(network: Network, game: Game) -> float:
    planes = torch.rand(9, *game.planes_shape, generator=torch.Generator().manual_seed(5))
    logits, values = empty_answers(9, game.num_actions)
    CompiledNetwork(network, game.planes_shape).answer(planes.numpy(), logits, values)
    with torch.inference_mode():
        output = network(planes)
        wanted = output.logits, network.expected(output.value)
    assert all(float(numbers.std()) > 1e-3 for numbers in wanted)
    got = torch.from_numpy(logits), torch.from_numpy(values)
    return max(float((one - other).abs().max()) for one, other in zip(wanted, got, strict=True))


@pytest.mark.parametrize(
    ("game", "sizes"),
    [
        ("connect_four", {"blocks": 2, "channels": 32}),
        ("connect_four", {"blocks": 2, "channels": 20, "pool_every": 1}),  # vectors that are not full
        ("hex:size=9", {"blocks": 1, "channels": 32, "pool_every": 0}),  # tiles in three parts, the last one smaller
        ("hex:size=7", {"blocks": 1, "channels": 32}),  # tiles of 4x4, three boards at once
        ("chess", {"blocks": 1, "channels": 64}),  # channels in two parts, many logits a cell
        ("domineering", {"blocks": 1, "channels": 16}),  # cells without a logit
        ("hex:size=5,swap=true", {"blocks": 1, "channels": 16, "value": "scalar"}),  # a logit that belongs to no cell
        ("breakthrough:rows=5,columns=5", {"blocks": 1, "channels": 24, "policy": "flat"}),
        ("tic_tac_toe", {"blocks": 1, "channels": 16, "value": "scores", "bins": 21}),
    ],
)
def test_the_kernels_answer_as_torch_does(game: str, sizes: dict[str, Any]) -> None:
    assert largest_difference(drawn_network(game, **sizes), load(game)) < TOLERANCE


def test_the_kernels_play_on_a_board_that_the_network_was_not_made_for() -> None:
    network = drawn_network("hex:size=5", blocks=1, channels=16)
    assert largest_difference(network, load("hex:size=6")) < TOLERANCE


def test_a_processor_with_shorter_vectors_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_trunk, "lanes_here", lambda: 8)
    assert sizes_for(6, 7, 16, 3)["LANES"] == 8
    for policy in ("columns", "flat"):
        network = drawn_network("connect_four", blocks=1, channels=16, policy=policy)
        assert largest_difference(network, load("connect_four")) < TOLERANCE


@pytest.mark.parametrize("lanes", [8, 16])
def test_every_tile_and_channel_is_computed_and_the_registers_suffice(
    monkeypatch: pytest.MonkeyPatch, lanes: int
) -> None:
    monkeypatch.setattr(packed_trunk, "lanes_here", lambda: lanes)
    for rows, columns, channels in product(range(1, 20), range(1, 20), (16, 20, 32, 48, 64, 80, 128)):
        sizes = sizes_for(rows, columns, channels, 3)
        tiles, together = sizes["TILES"], sizes["TOGETHER"]
        assert sizes["TALL"] * (sizes["TILE_ROWS"] - 1) < rows <= sizes["TALL"] * sizes["TILE_ROWS"]
        assert sizes["BROAD"] * (sizes["TILE_COLUMNS"] - 1) < columns <= sizes["BROAD"] * sizes["TILE_COLUMNS"]
        assert tiles == sizes["TILE_ROWS"] * sizes["TILE_COLUMNS"]
        assert (tiles - sizes["FEW"]) % together == 0
        assert 1 <= sizes["FEW"] <= together
        assert -(-sizes["BOARDS"] * tiles // together) * together * sizes["CHANNELS"] <= sizes["TAP_STEP"]
        assert channels <= sizes["CHANNELS"] < channels + lanes
        assert sizes["CHANNELS"] % (lanes * sizes["VECTORS"]) == 0
        assert together * sizes["VECTORS"] <= packed_trunk.MOST_SUMS[lanes]


@pytest.mark.parametrize("game", ["connect_four", "hex:size=7"])
def test_an_answer_does_not_depend_on_the_others_it_is_asked_with(game: str) -> None:
    rules = load(game)
    compiled = CompiledNetwork(drawn_network(game, blocks=1, channels=16), rules.planes_shape)
    planes = torch.rand(23, *rules.planes_shape, generator=torch.Generator().manual_seed(6)).numpy()
    logits, values = empty_answers(23, rules.num_actions)
    compiled.answer(planes, logits, values)
    for first, num in ((0, 1), (7, 1), (5, 11), (20, 3)):
        own = empty_answers(num, rules.num_actions)
        compiled.answer(planes[first : first + num], *own)
        assert np.array_equal(own[0], logits[first : first + num])
        assert np.array_equal(own[1], values[first : first + num])


def test_small_networks_and_mlps_are_left_to_torch() -> None:
    assert not compiles(drawn_network("connect_four", blocks=1, channels=8))
    assert not compiles(new_network(load("oware"), NetworkConfig(kind="mlp")))
