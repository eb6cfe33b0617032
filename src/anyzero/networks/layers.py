"""The layers that networks are made of: each knows how strong its weights start."""

import math

import torch
from torch import Tensor, nn


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
    """What the whole board says: mean and maximum of every channel, [positions, 2 * channels]."""
    features = features.float()  # the maximum in bfloat16 is slow on the CPU
    return torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1)
