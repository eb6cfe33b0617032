"""Inference by our kernels: what torch computes, but for the rounding of sums."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from anyzero.core.game.game import Game
from anyzero.core.game.load import load
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.forward import empty_answers
from anyzero.core.nets.models import Network, new_network
from anyzero.core.nets.weights import store
from anyzero.extras.fastnets import sizes
from anyzero.extras.fastnets.network import compiled

TOLERANCE = 1e-5


def drawn_network(game: str, **sizes: Any) -> Network:
    """A network in which biases count too; torch starts them at zero."""
    network = new_network(load(game), NetworkConfig(**{"kind": "residual", **sizes}), seed=3)
    rng = torch.Generator().manual_seed(4)
    for parameter in network.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, std=0.2, generator=rng)
    return network


def largest_difference(network: Network, game: Game) -> float:
    planes = torch.rand(9, *game.planes_shape, generator=torch.Generator().manual_seed(5))
    logits, values = empty_answers(9, game.num_actions)
    compiled(store(network), game).answer(planes.numpy(), logits, values)
    with torch.inference_mode():
        output = network(planes)
        wanted = output.logits, network.expected(output.value)
    assert all(float(numbers.std()) > 1e-3 for numbers in wanted)
    got = torch.from_numpy(logits), torch.from_numpy(values[:, 0])
    return max(float((one - other).abs().max()) for one, other in zip(wanted, got, strict=True))


@pytest.mark.parametrize(
    ("game", "sizes"),
    [
        (
            "connect_four",
            {"blocks": 2, "channels": 20, "pool_every": 1},
        ),  # columns; vectors that are not full
        (
            "domineering",
            {"blocks": 1, "channels": 64, "value": "scores"},
        ),  # two parts; cells without logits
        (
            "hex:size=5,swap=true",
            {"blocks": 1, "channels": 16, "value": "scalar"},
        ),  # a logit of no cell
        ("tic_tac_toe", {"blocks": 1, "channels": 8}),  # fewer channels than a vector has
        ("take_it_easy", {"kind": "mlp", "layers": 3, "width": 40, "bins": 21}),
        (
            "tic_tac_toe",
            {"kind": "mlp", "layers": 1, "width": 20, "value": "scalar"},
        ),  # planes of a board
    ],
)
def test_winograd_kernels_answer_as_torch_does(game: str, sizes: dict[str, Any]) -> None:
    assert largest_difference(drawn_network(game, **sizes), load(game)) < TOLERANCE


def test_winograd_kernels_play_on_a_board_that_the_network_was_not_made_for() -> None:
    network = drawn_network("hex:size=4", blocks=1, channels=8)
    assert largest_difference(network, load("hex:size=5")) < TOLERANCE


def test_winograd_kernels_answer_the_same_on_a_processor_with_shorter_vectors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sizes, "lanes_here", lambda: 8)
    assert sizes.sizes_for(6, 7, 16, most_tiles=36)["LANES"] == 8
    network = drawn_network("connect_four", blocks=1, channels=16, policy="flat")
    assert largest_difference(network, load("connect_four")) < TOLERANCE


@pytest.mark.parametrize("lanes", [8, 16])
def test_winograd_kernels_compute_every_tile_and_channel_and_the_registers_suffice(
    monkeypatch: pytest.MonkeyPatch, lanes: int
) -> None:
    monkeypatch.setattr(sizes, "lanes_here", lambda: lanes)
    for rows, columns, channels in product(range(1, 20, 3), range(1, 20, 2), (16, 20, 48, 128)):
        found = sizes.sizes_for(rows, columns, channels, inputs=3, most_tiles=36)
        tiles, together = found["TILES"], found["TOGETHER"]
        assert (
            found["HEIGHT"] * (found["TILES_DOWN"] - 1)
            < rows
            <= found["HEIGHT"] * found["TILES_DOWN"]
        )
        assert (
            found["WIDTH"] * (found["TILES_ACROSS"] - 1)
            < columns
            <= found["WIDTH"] * found["TILES_ACROSS"]
        )
        assert tiles == found["TILES_DOWN"] * found["TILES_ACROSS"]
        assert (tiles - found["FEW"]) % together == 0
        assert 1 <= found["FEW"] <= together
        assert (
            -(-found["BOARDS"] * tiles // together) * together * found["CHANNELS"]
            <= found["POINT_STEP"]
        )
        assert channels <= found["CHANNELS"] < channels + lanes
        assert found["CHANNELS"] % (lanes * found["VECTORS"]) == 0
        assert together * found["VECTORS"] <= sizes.MOST_SUMS[lanes]


@pytest.mark.parametrize(
    ("game", "sizes"),
    [
        ("connect_four", {"blocks": 1, "channels": 20}),
        ("oware", {"kind": "mlp", "layers": 1, "width": 40}),
    ],
)
def test_an_answer_does_not_depend_on_the_others_it_is_asked_with(
    game: str, sizes: dict[str, Any]
) -> None:
    rules = load(game)
    kernels = compiled(store(drawn_network(game, **sizes)), rules)
    planes = torch.rand(23, *rules.planes_shape, generator=torch.Generator().manual_seed(6)).numpy()
    logits, values = empty_answers(23, rules.num_actions)
    kernels.answer(planes, logits, values)
    for first, num in ((0, 1), (7, 1), (5, 11), (20, 3)):
        own = empty_answers(num, rules.num_actions)
        kernels.answer(planes[first : first + num], *own)
        assert np.array_equal(own[0], logits[first : first + num])
        assert np.array_equal(own[1], values[first : first + num])
