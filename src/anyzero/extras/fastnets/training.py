"""Residual blocks and pooling trained on the CPU by our kernels: the same as torch, up to
rounding.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import local
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.autograd.function import once_differentiable

from anyzero.core.base.nouns import Numbers
from anyzero.core.compile import compile_kernel
from anyzero.extras.fastnets.kernels import run_block, run_block_back
from anyzero.extras.fastnets.sizes import board_cells, lanes_here, new_room, sizes_for
from anyzero.extras.fastnets.transforms import UNIT, weight_transform

INLINED = True  # these functions are compiled into their callers: see compile.kernels

MOST_TILES = 64
PIECE = 32  # boards per task. Their sums are added in order, whichever thread computed them
LEAST_CHANNELS = 16  # with fewer, much of each vector would be empty
THREADS: ContextVar[int | None] = ContextVar("threads", default=None)
"""Number of kernel threads; None: as many as torch uses."""
ZERO = np.float32(0.0)
ONE = np.float32(1.0)


@contextmanager
def running_on(threads: int) -> Iterator[None]:
    """Run the kernels on this many threads."""
    token = THREADS.set(threads)
    try:
        yield
    finally:
        THREADS.reset(token)


def suits_training(boards: Tensor) -> bool:
    """Whether gradients are needed, and our kernels suit these boards."""
    if (
        boards.device.type != "cpu"
        or boards.dtype != torch.float32
        or boards.shape[1] < LEAST_CHANNELS
    ):
        return False
    return torch.is_grad_enabled() and boards.requires_grad


class TrainingBlock(torch.autograd.Function):
    """Boards [boards, channels, rows, columns] plus two convolutions of their ReLU; all float32.

    Weights are [channels, channels, 3, 3], biases [boards, channels].
    """

    @staticmethod
    def forward(context: Any, boards: Tensor, *layers: Tensor) -> Tensor:
        kernels = kernels_for(*boards.shape[1:])
        inputs = _as_cells(boards)
        hidden, outputs = kernels.forward(inputs, *layers)
        context.save_for_backward(inputs, hidden, *layers[::2])
        return outputs.permute(0, 3, 1, 2)

    @staticmethod
    @once_differentiable
    def backward(context: Any, gradients: Tensor) -> tuple[Tensor, ...]:
        inputs, hidden, *weights = context.saved_tensors
        kernels = kernels_for(*gradients.shape[1:])
        input_gradients, first, second, biases = kernels.back(
            inputs, hidden, _as_cells(gradients), weights
        )
        return input_gradients.permute(0, 3, 1, 2), first, biases[0], second, biases[1]


def train_block(boards: Tensor, *layers: Tensor) -> Tensor:
    """The same for any number of channels, zero-padded to whole vectors."""
    missing = -boards.shape[1] % lanes_here()
    if not missing:
        return apply(TrainingBlock, boards, *layers)
    weights = [F.pad(weight, (0, 0, 0, 0, 0, missing, 0, missing)) for weight in layers[::2]]
    biases = [F.pad(bias, (0, missing)) for bias in layers[1::2]]
    boards = F.pad(boards, (0, 0, 0, 0, 0, missing))
    return apply(TrainingBlock, boards, weights[0], biases[0], weights[1], biases[1])[:, :-missing]


class TrainingPool(torch.autograd.Function):
    """Mean and maximum of each channel of boards after a ReLU: [boards, 2 * channels]."""

    @staticmethod
    def forward(context: Any, boards: Tensor) -> Tensor:
        inputs = _as_cells(boards)
        pooled = torch.empty(len(boards), 2, boards.shape[1])
        kernel = compile_kernel(_run_pool, UNIT)
        numbers = (inputs.flatten(1, 2).numpy(), pooled.numpy())
        in_pieces(lambda part: kernel(*(array[part] for array in numbers)), len(boards))
        context.save_for_backward(inputs, pooled)
        return pooled.flatten(1)

    @staticmethod
    @once_differentiable
    def backward(context: Any, gradients: Tensor) -> Tensor:
        inputs, pooled = context.saved_tensors
        targets = torch.empty_like(inputs)
        counts = torch.empty_like(pooled)
        boards = [part.flatten(1, 2).numpy() for part in (inputs, targets)]
        rest = [part.numpy() for part in (pooled, gradients.contiguous().view_as(pooled), counts)]
        kernel = compile_kernel(_run_pool_back, UNIT)
        numbers = (*boards, *rest)
        in_pieces(lambda part: kernel(*(array[part] for array in numbers)), len(inputs))
        return targets.permute(0, 3, 1, 2)


def train_pool(boards: Tensor) -> Tensor:
    return apply(TrainingPool, boards)


def apply(function: type[torch.autograd.Function], *tensors: Tensor) -> Tensor:
    return cast(Tensor, function.apply(*tensors))  # type: ignore[no-untyped-call]


@cache
def kernels_for(channels: int, rows: int, columns: int) -> "BlockKernels":
    return BlockKernels(sizes_for(rows, columns, channels, most_tiles=MOST_TILES))


class BlockKernels:
    """The kernels for blocks of one size, on boards [boards, rows, columns, channels]."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self.channels = sizes["CHANNELS"]
        self.own = local()
        kernels = run_block, run_block_back
        self.run_block, self.run_back = (
            compile_kernel(kernel, UNIT, "cpu", sizes) for kernel in kernels
        )
        self.transform = weight_transform(sizes["HEIGHT"], sizes["WIDTH"])
        self.rotated = np.ascontiguousarray(
            self.transform[:, ::-1]
        )  # input gradients use rotated weights

    def forward(self, inputs: Tensor, *layers: Tensor) -> tuple[Tensor, Tensor]:
        """The branch between its convolutions, and the outputs."""
        hidden = torch.empty_like(inputs)
        outputs = torch.empty_like(inputs)
        packed = self.pack(layers[::2], self.transform)
        boards = [flat(part) for part in (inputs, hidden, outputs)]
        biases = [bias.numpy() for bias in layers[1::2]]

        def run(part: slice) -> None:
            first, second = zip(packed, (bias[part] for bias in biases), strict=True)
            self.run_block(
                boards[0][part], first, second, self.room(), boards[1][part], boards[2][part]
            )

        in_pieces(run, len(inputs))
        return hidden, outputs

    def back(
        self, inputs: Tensor, hidden: Tensor, gradients: Tensor, weights: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Gradients of the inputs, of the weights, and of biases [2, boards, channels]."""
        wide = self.channels
        num = len(inputs)
        packed = self.pack([weight.transpose(0, 1) for weight in weights], self.rotated)
        targets = torch.empty_like(inputs)
        biases = torch.zeros(2, num, wide)
        sums = torch.empty(-(-num // PIECE), 2, 9, wide * wide)
        boards = [flat(part) for part in (inputs, hidden, gradients, targets)]
        # Whole arrays: the same code for all pieces.
        piece_sums = sums.numpy()
        first_bias, second_bias = biases.numpy()

        def run(part: slice) -> None:
            first, second, third, fourth = (numbers[part] for numbers in boards)
            rest = piece_sums[part.start // PIECE], (first_bias[part], second_bias[part]), fourth
            self.run_back((first, second), third, (*packed, self.transform), self.room(), *rest)

        in_pieces(run, num)
        for piece in sums[1:]:
            sums[0] += piece
        first, second = (part.view(3, 3, wide, wide).permute(3, 2, 0, 1) for part in sums[0])
        return targets, first, second, biases

    def pack(self, weights: Sequence[Tensor], transform: np.ndarray) -> tuple[np.ndarray, ...]:
        """The weight transform of each convolution: [points, parts, inputs * outputs of a part]."""
        wide = self.channels
        outputs = self.sizes["VECTORS"] * self.sizes["LANES"]
        parts = wide // outputs
        packed = []
        for weight in weights:
            ordered = weight.reshape(parts, outputs, wide, 9).permute(3, 0, 2, 1)
            points = torch.from_numpy(transform) @ ordered.reshape(9, wide * wide)
            packed.append(points.view(-1, parts, wide * outputs).numpy())
        return tuple(packed)

    def room(self) -> tuple[np.ndarray, ...]:
        """Scratch memory of the kernels, allocated once per thread.

        Two boards with zero rims, two sets of transformed tiles, gradients between the
        convolutions, zero biases, and sums.
        """
        if not hasattr(self.own, "room"):
            sizes = self.sizes
            wide = self.channels
            num = self.sizes["BOARDS"]
            board = board_cells(sizes) * wide
            tiles = sizes["POINTS"] * sizes["POINT_STEP"]
            between = (num, sizes["ROWS"] * sizes["COLUMNS"] * wide)
            sums = (2, sizes["POINTS"], wide * wide)
            self.own.room = new_room(board, board, tiles, tiles, between, (num, wide), sums)
        arrays: tuple[np.ndarray, ...] = self.own.room
        return arrays


def in_pieces(run: Callable[[slice], None], num: int) -> None:
    """Run over all boards, piece by piece, on all threads."""
    pieces = iter([slice(first, min(first + PIECE, num)) for first in range(0, num, PIECE)])

    def work() -> None:
        for piece in pieces:
            run(piece)

    others = min(THREADS.get() or torch.get_num_threads(), -(-num // PIECE)) - 1
    busy = [threads(others).submit(work) for _ in range(others)]
    work()
    for task in busy:
        task.result()


@cache
def threads(num: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(num, thread_name_prefix="training")


def _as_cells(boards: Tensor) -> Tensor:
    """[boards, rows, columns, channels]; no copy if the channels of a cell are already adjacent."""
    return boards.detach().permute(0, 2, 3, 1).contiguous()


def flat(boards: Tensor) -> np.ndarray:
    numbers: np.ndarray = boards.flatten(1).numpy()
    return numbers


def _run_pool(inputs: Numbers, pooled: Numbers) -> None:
    """Pooled [boards, 2, channels] of inputs [boards, cells, channels]."""
    num, cells, channels = inputs.shape
    for board in range(num):
        mean = pooled[board, 0]
        most = pooled[board, 1]
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


def _run_pool_back(
    inputs: Numbers, targets: Numbers, pooled: Numbers, gradients: Numbers, shares: Numbers
) -> None:
    """Gradients of the inputs (`targets`) from those of the pooled values; `shares` is scratch of
    the same shape.

    Cells that share a maximum share its gradient.
    """
    num, cells, channels = inputs.shape
    for board in range(num):
        mean = shares[board, 0]
        share = shares[board, 1]
        most = pooled[board, 1]
        pooled_gradients = gradients[board]
        for channel in range(channels):
            mean[channel] = pooled_gradients[0, channel] / np.float32(cells)
            share[channel] = ZERO
        for cell in range(cells):
            numbers = inputs[board, cell]
            for channel in range(channels):
                share[channel] += ONE if numbers[channel] == most[channel] else ZERO
        for channel in range(channels):
            share[channel] = pooled_gradients[1, channel] / max(share[channel], ONE)
        for cell in range(cells):
            numbers = inputs[board, cell]
            target = targets[board, cell]
            for channel in range(channels):
                total = mean[channel] + (
                    share[channel] if numbers[channel] == most[channel] else ZERO
                )
                target[channel] = total if numbers[channel] > ZERO else ZERO
