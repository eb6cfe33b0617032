"""Residual blocks that train on the CPU by kernels: what torch computes in double precision, but
for rounding.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from anyzero.core.game.load import load
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.models import Network, new_network
from anyzero.extras.fastnets import sizes, training

TOLERANCE = 2e-5
"""Of the largest number."""


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


BLOCK = "trunk.blocks.0"


def new_block(channels: int, pools: bool) -> Network:
    """A network of one block; `block` computes it on boards of any size."""
    config = NetworkConfig(kind="residual", blocks=1, channels=channels, pool_every=int(pools))
    network = new_network(load("connect_four"), config).requires_grad_()
    for index, parameter in enumerate(weights_of(network)):
        parameter.data = drawn(*parameter.shape, seed=index) / parameter[0].numel() ** 0.5
    return network


def weights_of(network: Network) -> list[Tensor]:
    return [parameter for name, parameter in network.named_parameters() if name.startswith(BLOCK)]


def results(network: Network, boards: Tensor) -> list[Tensor]:
    """The outputs, and the gradients of some sum of them: of the inputs, and of every weight of the
    block.
    """
    boards = boards.clone().contiguous(memory_format=torch.channels_last).requires_grad_()
    outputs = network.block(boards, BLOCK, pools=network.config.pool_every > 0)
    wanted = [boards, *weights_of(network)]
    gradients = torch.autograd.grad(
        (outputs * drawn(*outputs.shape, seed=9).to(outputs)).sum(), wanted
    )
    return [outputs.detach(), *gradients]


def check_same(ours: list[Tensor], theirs: list[Tensor]) -> None:
    assert [one.shape for one in ours] == [other.shape for other in theirs]
    assert largest_difference(ours, theirs) < TOLERANCE


def largest_difference(ours: list[Tensor], theirs: list[Tensor]) -> float:
    """As a share of the largest number; no number if any of them is none."""
    shares = [
        (one - other).abs().max() / other.abs().max()
        for one, other in zip(ours, theirs, strict=True)
    ]
    return float(torch.stack(shares).max())


@pytest.mark.parametrize(
    ("channels", "rows", "columns", "boards", "pools"),
    [
        (48, 6, 7, 37, True),  # more boards than a piece has
        (20, 5, 5, 3, False),  # vectors that are not full
    ],
)
def test_winograd_outputs_and_gradients_are_those_of_torch(
    channels: int, rows: int, columns: int, boards: int, pools: bool
) -> None:
    block, inputs = new_block(channels, pools), drawn(boards, channels, rows, columns, seed=7)
    ours = results(block, inputs)
    check_same(ours, results(block.double(), inputs.double()))


def test_a_processor_with_shorter_vectors_computes_the_same_gradients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (sizes, training):
        monkeypatch.setattr(module, "lanes_here", lambda: 8)
    training.kernels_for.cache_clear()
    block, inputs = new_block(24, pools=True), drawn(4, 24, 1, 3)
    ours = results(block, inputs)
    training.kernels_for.cache_clear()
    check_same(ours, results(block.double(), inputs.double()))


def test_the_number_of_threads_changes_nothing() -> None:
    block, inputs = new_block(48, pools=True), drawn(100, 48, 6, 7)
    before = torch.get_num_threads()
    found = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        found.append(results(block, inputs)[0])
        found.append(weight_gradients(inputs))
    torch.set_num_threads(before)
    for one, other in zip(found[:2] * 2, found[2:], strict=True):
        assert torch.equal(one, other)


def weight_gradients(inputs: Tensor) -> Tensor:
    """Of the first convolution's weights, which sum over all boards."""
    weight = (drawn(48, 48, 3, 3, seed=1) / 20).requires_grad_()
    biases = torch.zeros(len(inputs), 48)
    outputs: Any = training.train_block(inputs, weight, biases, weight, biases)
    return torch.autograd.grad(outputs.square().sum(), weight)[0]


def test_cells_that_share_a_maximum_of_global_pooling_share_its_gradient() -> None:
    boards = torch.zeros(1, 16, 2, 2)
    boards[0, :, 0, :] = 3.0
    boards.requires_grad_()
    pooled = training.train_pool(boards)
    assert torch.equal(pooled, torch.tensor([[1.5] * 16 + [3.0] * 16]))
    (gradient,) = torch.autograd.grad(pooled[0, 16:].sum(), boards)
    assert torch.equal(gradient[0, :, 0], torch.full((16, 2), 0.5))
    assert torch.equal(gradient[0, :, 1], torch.zeros(16, 2))


@pytest.mark.parametrize("layer", ["first", "second", "pooled"])
def test_nan_is_not_hidden(layer: str) -> None:
    block, inputs = new_block(48, pools=True), drawn(3, 48, 6, 7)
    block.layers[f"{BLOCK}.{layer}"].weight.data[5] = float("nan")
    outputs, *gradients = results(block, inputs)
    assert outputs.isnan().any()
    assert any(gradient.isnan().any() for gradient in gradients)


def network_gradients(network: Network, planes: Tensor) -> list[Tensor]:
    output = network(planes)
    loss = output.logits.square().mean() + output.value.square().mean()
    return list(torch.autograd.grad(loss, list(network.parameters())))


def test_a_whole_network_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """But where a number is so near zero that rounding opens a ReLU or closes it: in one try of ten
    or so.
    """
    game, used = load("connect_four"), []
    monkeypatch.setattr(training, "in_pieces", noting(training.in_pieces, used))
    differences = []
    for seed in range(3):
        config = NetworkConfig(kind="residual", blocks=2, channels=48)
        network = new_network(game, config, seed=seed).requires_grad_()
        planes = torch.rand(20, *game.planes_shape, generator=torch.Generator().manual_seed(seed))
        ours = network_gradients(network, planes)
        differences.append(
            largest_difference(ours, network_gradients(network.double(), planes.double()))
        )
    assert used  # by our kernels
    assert sum(difference < TOLERANCE for difference in differences) >= 2


def noting(function: Any, calls: list[Any]) -> Any:
    def call(*arguments: Any) -> Any:
        calls.append(arguments)
        return function(*arguments)

    return call
