"""Muon: steps that are equally large in every direction of a weight matrix. Jordan et al. 2024."""

import math
from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
SIZE = 0.2
"""The root mean square of a step, as AdamW's usually are: both take the same learning rate. Liu et al. 2025."""
ROUNDS = 5
CUBIC = (3.4445, -4.7750, 2.0315)
"""Of the odd polynomial of degree five that takes singular values to about 1."""


class Muon(torch.optim.Optimizer):
    """For the matrices inside a network; a convolution is one with a row for each output channel."""

    def __init__(self, weights: Iterable[nn.Parameter], *, rate: float, weight_decay: float) -> None:
        super().__init__(list(weights), {"lr": rate, "weight_decay": weight_decay})
        for group in self.param_groups:
            for weight in group["params"]:
                self.state[weight] = {"momentum": torch.zeros_like(weight)}

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Follow the gradients; weights of one shape together."""
        for group in self.param_groups:
            alike: dict[torch.Size, list[Tensor]] = {}
            for weight in group["params"]:
                alike.setdefault(weight.shape, []).append(weight)
            for weights in alike.values():
                self.step_alike(weights, group["lr"], group["weight_decay"])

    def step_alike(self, weights: list[Tensor], rate: float, weight_decay: float) -> None:
        gradients = [cast(Tensor, weight.grad) for weight in weights]
        momenta = [self.state[weight]["momentum"] for weight in weights]
        torch._foreach_lerp_(momenta, gradients, 1.0 - MOMENTUM)
        ahead = torch._foreach_lerp(gradients, momenta, MOMENTUM)  # as Nesterov has it
        matrices = orthogonal(torch.stack([one.flatten(1) for one in ahead]))
        size = SIZE * math.sqrt(max(matrices.shape[1:]))
        torch._foreach_mul_(weights, 1.0 - rate * weight_decay)
        torch._foreach_add_(weights, [one.view(weights[0].shape) for one in matrices], alpha=-rate * size)


def orthogonal(matrices: Tensor) -> Tensor:
    """Matrices [number, rows, columns] with nearly the same singular vectors, and values of about 1."""
    first, third, fifth = CUBIC
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    wide = x.shape[1] <= x.shape[2]
    x = x if wide else x.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = first * x + (third * square + fifth * square @ square) @ x
    found: Tensor = x if wide else x.mT
    return found.to(matrices.dtype)
