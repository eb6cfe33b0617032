"""The layers that networks are made of: each knows how strong its weights start."""

import math

import torch
from torch import Tensor, nn

LEAST_CHANNELS = 16
"""Of fewer channels much of each vector would be empty: our kernels leave those to torch."""


class Conv(nn.Conv2d):
    """A convolution that keeps the board's size; `start` is the standard deviation of its first weights."""

    def __init__(self, inputs: int, outputs: int, size: int, *, start: float, bias: bool = True) -> None:
        super().__init__(inputs, outputs, size, padding=size // 2, bias=bias)
        self.start = start


class Dense(nn.Linear):
    """A linear layer that works in its own precision, whatever it is handed."""

    def __init__(self, inputs: int, outputs: int, *, start: float, bias: bool = True) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self.start = start

    def forward(self, features: Tensor) -> Tensor:
        return super().forward(features.to(self.weight.dtype))


def after_relu(inputs: int, gain: float = 1.0) -> float:
    """The start that keeps the variance of a layer whose inputs come out of a ReLU. He et al. 2015."""
    return gain * math.sqrt(2.0 / inputs)


def pool(features: Tensor) -> Tensor:
    """What the whole board says: mean and maximum of every channel, [positions, 2 * channels], after a ReLU."""
    if learns_on_cpu(features):
        from anyzero.networks.training_block import run_training_pool

        return run_training_pool(features)
    features = features.float().flatten(2)  # the maximum in bfloat16 is slow on the CPU
    return torch.cat([features.mean(2), greatest(features, 2)], 1)


def greatest(features: Tensor, dim: int) -> Tensor:
    """The maximum over one dimension."""
    learns_on_gpu = features.is_cuda and torch.is_grad_enabled() and features.requires_grad
    return greatest_cell(features, dim) if learns_on_gpu else features.amax(dim)


def greatest_cell(features: Tensor, dim: int) -> Tensor:
    """The same, with a gradient for one cell only.

    The gradient of `amax` looks for all cells that are equal to it. A compiler that computes the features once more for
    this need not round them as it did before, finds none, and divides by their number.
    """
    shape = [-1 if axis == dim else 1 for axis in range(features.dim())]
    cells = torch.arange(features.shape[dim], device=features.device).view(shape)
    is_greatest = cells == features.detach().argmax(dim, keepdim=True)
    return torch.where(is_greatest, features, 0.0).sum(dim)


def learns_on_cpu(features: Tensor) -> bool:
    """Whether gradients are to come, and our kernels for them suit these features."""
    if features.device.type != "cpu" or features.dtype != torch.float32:
        return False
    return torch.is_grad_enabled() and features.requires_grad and features.shape[1] >= LEAST_CHANNELS
