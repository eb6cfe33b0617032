"""Trainer: the network being trained, and everything its next step depends on."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from functools import cache
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.game.game import Game
from anyzero.core.game.rollouts import count_cores
from anyzero.core.learning.config import TrainerConfig
from anyzero.core.learning.lesson import (
    Lesson,
    Pace,
    Rng,
    RowLosses,
    TrainReport,
    Watch,
    row_losses,
)
from anyzero.core.learning.replay import Batch, BatchOrder, Replay
from anyzero.core.nets.config import NetworkConfig
from anyzero.core.nets.evaluator import check_fit
from anyzero.core.nets.models import KERNELS, Network, Output

NARROW = 384
"""Up to this width, and for torch's part of a residual network, computing takes less time than
waking up threads.
"""


class Trainer:
    """Trains a copy of a network, generation by generation, on any source of batches."""

    def __init__(
        self,
        game: Game,
        network: Network,
        config: TrainerConfig,
        *,
        device: str = "cpu",
        threads: int | None = None,
    ) -> None:
        check_fit(game, network, device)
        self.config = config
        self.device = device
        self.threads = threads or count_cores()
        self.network = deepcopy(network).float().requires_grad_(True)
        self.network.to(device)
        if network.config.kind == "residual":
            self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.parameters = dict(self.network.named_parameters())
        self.optimizers = new_optimizers(self.parameters, config)
        self.steps = torch.zeros((), dtype=torch.int64)
        self.records = device == "cuda"  # whether steps are captured, and the captured graph
        self.recorded: Recorded | None = None
        self.average = {
            name: weight.detach().clone()
            for name, weight in self.parameters.items()
            if config.average
        }

    def train(
        self,
        source: Replay,
        generation: int,
        rng: Rng,
        watch: Watch | None = None,
        pace: Pace = lambda: None,
    ) -> TrainReport:
        """Learn from a source for one generation; the same state, source and `rng` give the same
        numbers.
        """
        if source.num == 0:
            raise AnyzeroError(
                "there are no samples to train on: the games are too short "
                "(selfplay.max_plies, opening_plies)"
            )
        with computing_on(self.threads, self.network.config):
            return Lesson(self, source, generation, rng, pace).run(watch)

    def network_to_play(self) -> Network:
        """A copy on the CPU, with the averaged weights if there are any."""
        copy = deepcopy(self.network).requires_grad_(False).cpu()
        for name, weight in copy.named_parameters():
            weight.copy_(self.average.get(name, weight))
        return copy.to(memory_format=torch.contiguous_format).eval()  # type: ignore[call-overload, no-any-return]

    def live_tensors(self) -> dict[str, Tensor]:
        """The tensors that training changes in place, by name."""
        tensors = {f"weights.{name}": weight.detach() for name, weight in self.parameters.items()}
        for name, weight in self.parameters.items():
            state = next(
                optimizer.state[weight]
                for optimizer in self.optimizers
                if weight in optimizer.state
            )
            tensors |= {f"{key}.{name}": value for key, value in state.items()}
        return (
            tensors
            | {f"average.{name}": weight for name, weight in self.average.items()}
            | {"steps": self.steps}
        )

    def state_tensors(self) -> dict[str, Tensor]:
        """A copy of all of them on the CPU, ready to be saved."""
        return {
            name: tensor.to("cpu", copy=True, memory_format=torch.contiguous_format)
            for name, tensor in self.live_tensors().items()
        }

    def load_state_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Resume from `state_tensors`; on the CPU bit for bit."""
        live = self.live_tensors()
        if set(live) != set(tensors):
            name = min(set(live) ^ set(tensors))
            raise AnyzeroError(
                f"this is the state of another trainer: only one of them has {name!r}"
            )
        for name, tensor in tensors.items():
            if tensor.shape != live[name].shape:
                shapes = f"{tuple(tensor.shape)}, not {tuple(live[name].shape)}"
                raise AnyzeroError(
                    f"this is the state of another trainer: {name!r} has the shape {shapes}"
                )
        for name, tensor in tensors.items():
            live[name].copy_(tensor)

    def forward(self, batch: Batch) -> Output:
        """The network's output for a batch; on a GPU in bfloat16."""
        planes = batch.planes
        if planes.dim() == 4:
            planes = planes.contiguous(memory_format=torch.channels_last)
        run = compiled_output() if self.records and torch.is_grad_enabled() else network_output
        # On a CPU bfloat16 made training slower (49 ms instead of 34 ms per step of 256, Connect
        # Four 4x32).
        with torch.autocast("cuda", torch.bfloat16) if self.device == "cuda" else nullcontext():
            return run(self.network, planes)

    def loss(self, losses: RowLosses, batch: Batch) -> Tensor:
        """The loss of each row, [rows]: policy and value weighted as configured."""
        policy = self.config.policy_weight * batch.policy_weights * losses.policy
        return policy + self.config.value_weight * losses.value

    def measure(self, source: Replay, order: BatchOrder) -> Tensor:
        """Compute the gradients of a batch: its loss, their norm before clipping, and
        `weighted_sums`, float64.

        On a GPU this is a captured graph, and the next call overwrites the result.
        """
        if not self.records:
            return self.measure_now(source, order)
        shapes = [part.shape for part in order]
        if self.recorded is None or (self.recorded.source, self.recorded.shapes) != (
            source,
            shapes,
        ):
            from anyzero.core.nets.on_gpu import capture, warm_up

            self.recorded = None  # free its memory first
            place = type(order)(*(part.clone() for part in order))
            warm_up(lambda: self.measure_now(source, place))
            self.recorded = Recorded(
                source, shapes, place, *capture(lambda: self.measure_now(source, place))
            )
        for recorded, new in zip(self.recorded.order, order, strict=True):
            recorded.copy_(new)
        self.recorded.graph.replay()
        return self.recorded.answer

    def measure_now(self, source: Replay, order: BatchOrder) -> Tensor:
        batch = source.deliver(order)
        output = self.forward(batch)
        parts = row_losses(self.network, output, batch)
        loss = (batch.weights * self.loss(parts, batch)).mean()
        norm = self.backward(loss)
        sums = parts.weighted_sums(self.network.expected(output.value.detach()), batch)
        return torch.cat([torch.stack([loss.detach(), norm]).double(), sums])

    def backward(self, loss: Tensor) -> Tensor:
        """Compute the clipped gradients of this loss; returns their norm before clipping."""
        for weight in self.parameters.values():
            weight.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        return nn.utils.clip_grad_norm_(self.parameters.values(), self.config.clip)

    def step(self, rate: float) -> None:
        for optimizer in self.optimizers:
            optimizer.step(rate)
        self.steps += 1
        if self.average:  # it follows the weights faster while there are few steps to average
            steps = int(self.steps)
            weights = [weight.detach() for weight in self.parameters.values()]
            decay = min(self.config.average, (1 + steps) / (10 + steps))
            torch._foreach_lerp_(list(self.average.values()), weights, 1.0 - decay)


class Recorded(NamedTuple):
    """A captured graph from orders of one size, by one source, to their measurements: one
    launch.
    """

    source: Replay
    shapes: list[torch.Size]
    order: BatchOrder  # the graph's input
    graph: torch.cuda.CUDAGraph
    answer: Tensor


def new_optimizers(
    parameters: Mapping[str, nn.Parameter], config: TrainerConfig
) -> "list[AdamW | Muon]":
    """AdamW, and if configured Muon for the matrices between the first layer and the heads."""
    names = [
        name
        for name in parameters
        if name.startswith("trunk.") and not name.startswith("trunk.stem")
    ]
    inner = [
        parameters[name]
        for name in names
        if config.optimizer == "muon" and parameters[name].dim() > 1
    ]
    rest = [
        weight for weight in parameters.values() if not any(weight is matrix for matrix in inner)
    ]
    matrices, biases = (
        [weight for weight in rest if (weight.dim() > 1) is is_matrix]
        for is_matrix in (True, False)
    )
    return [
        *(
            AdamW(weights, decay)
            for weights, decay in ((matrices, config.weight_decay), (biases, 0.0))
            if weights
        ),
        *([Muon(inner, config.weight_decay)] if inner else []),
    ]


def network_output(network: nn.Module, planes: Tensor) -> Output:
    output: Output = network(planes)
    return output


@cache
def compiled_output() -> Callable[[nn.Module, Tensor], Output]:
    """The same, compiled with its gradients: two thirds of the time, as all between two
    convolutions is one kernel.
    """
    return torch.compile(network_output, dynamic=False)


@contextmanager
def computing_on(threads: int, config: NetworkConfig) -> Iterator[None]:
    """Run our kernels on this many threads, and torch too where that is faster; restore the old
    setting afterwards.
    """
    before = torch.get_num_threads()
    is_wide = config.width > NARROW if config.kind == "mlp" else KERNELS is None
    torch.set_num_threads(threads if is_wide else 1)
    try:
        with KERNELS.running_on(threads) if KERNELS else nullcontext():
            yield
    finally:
        torch.set_num_threads(before)


# --- optimizers: not torch's, which import sympy: that takes 0.7 s at the start of every run

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class AdamW:
    """Steps about equally large for every weight, and weight decay apart from them. Loshchilov and
    Hutter 2019.
    """

    def __init__(self, weights: Iterable[Tensor], weight_decay: float) -> None:
        self.weight_decay = weight_decay
        self.state = dict[Tensor, dict[str, Tensor]]()
        for (
            weight
        ) in weights:  # its state exists from the start, so that it can be saved at any time
            zeros = {"exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.zeros_like(weight)}
            self.state[weight] = {"step": torch.zeros((), device=weight.device), **zeros}

    @torch.no_grad()
    def step(self, rate: float) -> None:
        weights = [weight for weight in self.state if weight.grad is not None]
        gradients = [cast(Tensor, weight.grad) for weight in weights]
        parts = (
            [self.state[weight][name] for weight in weights]
            for name in ("exp_avg", "exp_avg_sq", "step")
        )
        means, squares, steps = parts
        torch._foreach_add_(steps, 1.0)
        torch._fused_adamw_(
            weights,
            gradients,
            means,
            squares,
            [],
            steps,
            lr=rate,
            beta1=BETAS[0],
            beta2=BETAS[1],
            weight_decay=self.weight_decay,
            eps=EPSILON,
            amsgrad=False,
            maximize=False,
        )


# Muon: steps that are equally large in every direction of a weight matrix. Jordan et al. 2024.

MOMENTUM = 0.95
# RMS of a step, like AdamW's typical one, so that both share a learning rate. Liu et al. 2025
SIZE = 0.2
ROUNDS = 5
CUBIC = (
    3.4445,
    -4.7750,
    2.0315,
)  # of the odd polynomial of degree five that maps singular values to about 1


class Muon:
    """For the matrices inside a network; a convolution is a matrix with a row per output
    channel.
    """

    def __init__(self, weights: Iterable[Tensor], weight_decay: float) -> None:
        self.weight_decay = weight_decay
        self.state = {weight: {"momentum": torch.zeros_like(weight)} for weight in weights}

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Take a step; weights of equal shape together."""
        alike: dict[torch.Size, list[Tensor]] = {}
        for weight in self.state:
            alike.setdefault(weight.shape, []).append(weight)
        for weights in alike.values():
            self.step_alike(weights, rate)

    def step_alike(self, weights: list[Tensor], rate: float) -> None:
        gradients = [cast(Tensor, weight.grad) for weight in weights]
        momenta = [self.state[weight]["momentum"] for weight in weights]
        torch._foreach_lerp_(momenta, gradients, 1.0 - MOMENTUM)
        ahead = torch._foreach_lerp(gradients, momenta, MOMENTUM)  # Nesterov momentum
        matrices = orthogonal(torch.stack([direction.flatten(1) for direction in ahead]))
        size = SIZE * math.sqrt(max(matrices.shape[1:]))
        torch._foreach_mul_(weights, 1.0 - rate * self.weight_decay)
        torch._foreach_add_(
            weights,
            [direction.view(weights[0].shape) for direction in matrices],
            alpha=-rate * size,
        )


def orthogonal(matrices: Tensor) -> Tensor:
    """Matrices [number, rows, columns] with nearly the same singular vectors, and singular values
    of about 1.
    """
    first, third, fifth = CUBIC
    x = matrices.bfloat16() if matrices.is_cuda else matrices
    wide = x.shape[1] <= x.shape[2]
    x = x if wide else x.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = first * x + (third * square + fifth * square @ square) @ x
    result: Tensor = x if wide else x.mT
    return result.to(matrices.dtype)
