"""What the whole board says, for training: mean and maximum of each channel after a ReLU, and the way back."""

from typing import Any

import numpy as np

ZERO, ONE = np.float32(0.0), np.float32(1.0)


def run_pool(inputs: Any, pooled: Any) -> None:
    """Pooled [boards, 2, channels] of inputs [boards, cells, channels]."""
    num, cells, channels = inputs.shape
    for board in range(num):
        mean, most = pooled[board, 0], pooled[board, 1]
        for channel in range(channels):
            mean[channel] = most[channel] = ZERO
        for cell in range(cells):
            numbers = inputs[board, cell]
            for channel in range(channels):
                number = ZERO if numbers[channel] < ZERO else numbers[channel]
                mean[channel] += number
                most[channel] = max(most[channel], number)
        for channel in range(channels):
            mean[channel] *= ONE / np.float32(cells)


def run_pool_back(inputs: Any, targets: Any, pooled: Any, gradients: Any, shares: Any) -> None:
    """Gradients of the inputs (`targets`) from those of what was pooled; for `shares` there is room of that shape.

    Cells that share a maximum share its gradient.
    """
    num, cells, channels = inputs.shape
    for board in range(num):
        mean, share = shares[board, 0], shares[board, 1]
        most, own = pooled[board, 1], gradients[board]
        for channel in range(channels):
            mean[channel], share[channel] = own[0, channel] / np.float32(cells), ZERO
        for cell in range(cells):
            numbers = inputs[board, cell]
            for channel in range(channels):
                share[channel] += ONE if numbers[channel] == most[channel] else ZERO
        for channel in range(channels):
            share[channel] = own[1, channel] / max(share[channel], ONE)
        for cell in range(cells):
            numbers, target = inputs[board, cell], targets[board, cell]
            for channel in range(channels):
                total = mean[channel] + (share[channel] if numbers[channel] == most[channel] else ZERO)
                target[channel] = total if numbers[channel] > ZERO else ZERO
