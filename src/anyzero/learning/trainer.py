"""Trainer: the network that learns, and all that its next step depends on."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from anyzero.child import count_cores
from anyzero.errors import AnyzeroError
from anyzero.games.game import Game
from anyzero.learning.config import TrainerConfig
from anyzero.learning.lesson import Lesson, Measured, Pace, Rng, RowLosses, TrainReport, Watch, on_device, row_losses
from anyzero.learning.replay import Batch, Source
from anyzero.networks.config import NetworkConfig
from anyzero.networks.evaluator import check
from anyzero.networks.models import Network, Output, Pupil, log_priors
from anyzero.networks.on_gpu import MOST_COMPILED
from anyzero.networks.winograd.training import THREADS

SOFTNESS = 4.0  # the temperature of the softer policy
CHUNK = 1024  # rows whose losses are computed at a time
NARROW = 384
"""Layers up to this width, and all that torch does for a residual network, take less time than waking up threads."""


class Trainer:
    """Trains a copy of a network: generation by generation, on whatever source of batches it is handed."""

    def __init__(
        self, game: Game, network: Network, config: TrainerConfig, *, device: str = "cpu", threads: int | None = None
    ) -> None:
        check(game, network, device)
        self.config, self.device = config, device
        self.threads = threads or count_cores()
        self.network = deepcopy(network).float().requires_grad_(True)
        self.pupil: Network | Pupil = Pupil(game, self.network) if config.soft_policy else self.network
        self.pupil.to(device)
        if network.config.kind == "residual":
            self.pupil.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.parameters = {name.removeprefix("network."): one for name, one in self.pupil.named_parameters()}
        self.optimizers = new_optimizers(self.parameters, config)
        self.steps = torch.zeros((), dtype=torch.int64)
        self.graph = MeasureGraph() if device == "cuda" else None
        self.average = {name: weight.detach().clone() for name, weight in self.parameters.items() if config.average}

    def train(
        self, source: Source, generation: int, rng: Rng, watch: Watch | None = None, pace: Pace = lambda: None
    ) -> TrainReport:
        """Learn from a source for one generation; the numbers are the same for the same state, source and `rng`."""
        if source.num == 0:
            raise AnyzeroError("there are no samples to train on: play games first")
        with computing_on(self.threads, self.network.config):
            if source.prioritised:
                self.note_all_losses(source)
            return Lesson(self, source, generation, rng, pace).run(watch)

    def network_to_play(self) -> Network:
        """A copy on the CPU, of the averaged weights where there are any."""
        copy = deepcopy(self.network).requires_grad_(False).cpu()
        for name, weight in copy.named_parameters():
            weight.copy_(self.average.get(name, weight))
        return copy.to(memory_format=torch.contiguous_format).eval()  # type: ignore[call-overload, no-any-return]

    def live_tensors(self) -> dict[str, Tensor]:
        """The very tensors that training changes, by name."""
        found = {f"weights.{name}": weight.detach() for name, weight in self.parameters.items()}
        for name, weight in self.parameters.items():
            state = next(one.state[weight] for one in self.optimizers if weight in one.state)
            found |= {f"{key}.{name}": value for key, value in state.items()}
        return found | {f"average.{name}": weight for name, weight in self.average.items()} | {"steps": self.steps}

    def state_tensors(self) -> dict[str, Tensor]:
        """A copy of all of them on the CPU, fit to be written."""
        return {
            name: tensor.to("cpu", copy=True, memory_format=torch.contiguous_format)
            for name, tensor in self.live_tensors().items()
        }

    def load_state_tensors(self, tensors: dict[str, Tensor]) -> None:
        """Go on where `state_tensors` were taken; on the CPU bit for bit."""
        live = self.live_tensors()
        if set(live) != set(tensors):
            name = min(set(live) ^ set(tensors))
            raise AnyzeroError(f"this is the state of another trainer: only one of them has {name!r}")
        for name, tensor in tensors.items():
            if tensor.shape != live[name].shape:
                shapes = f"{tuple(tensor.shape)}, not {tuple(live[name].shape)}"
                raise AnyzeroError(f"this is the state of another trainer: {name!r} has the shape {shapes}")
        for name, tensor in tensors.items():
            live[name].copy_(tensor)

    def forward(self, batch: Batch) -> Output:
        """What the network says of a batch; on a GPU in bfloat16."""
        planes = batch.planes
        if planes.dim() == 4:
            planes = planes.contiguous(memory_format=torch.channels_last)
        run = compiled_answer() if self.graph is not None and torch.is_grad_enabled() else answer
        # On a CPU bfloat16 made training slower (49 against 34 ms a step of 256, Connect Four 4x32).
        with torch.autocast("cuda", torch.bfloat16) if self.device == "cuda" else nullcontext():
            return run(self.pupil, planes)

    def loss(self, losses: RowLosses, batch: Batch) -> Tensor:
        """Of each row, [rows]: policy and value as the config weighs them."""
        policy = self.config.policy_weight * batch.policy_weights * losses.policy
        return policy + self.config.value_weight * losses.value

    def soft_loss(self, output: Output, batch: Batch) -> Tensor:
        """Of each row, [rows]: how far the softer policy is from what the head for it says."""
        if output.soft is None:
            return batch.weights.new_zeros(len(batch.weights))
        softened = batch.policies ** (1.0 / SOFTNESS)
        softened = softened / softened.sum(1, keepdim=True).clamp(min=1e-6)
        losses = F.kl_div(log_priors(output.soft, batch.legal), softened, reduction="none").sum(1)
        return self.config.soft_policy * batch.policy_weights * losses

    def measure(self, source: Source, order: Any) -> Measured:
        if self.graph is None:
            return self.measure_now(source, order)
        return self.graph.run(self.measure_now, source, order)

    def measure_now(self, source: Source, order: Any) -> Measured:
        batch = source.deliver(order)
        output = self.forward(batch)
        parts = row_losses(self.network, output, batch)
        losses = self.loss(parts, batch)
        loss = (batch.weights * (losses + self.soft_loss(output, batch))).mean()
        norm = self.backward(loss)
        sums = parts.weighted_sums(self.network.expected(output.value.detach()), batch)
        return Measured(losses.detach(), torch.stack([loss.detach(), norm]), sums)

    def backward(self, loss: Tensor) -> Tensor:
        """Gradients of this loss, clipped; their norm before that."""
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return nn.utils.clip_grad_norm_(self.parameters.values(), self.config.clip)

    def step(self, rate: float) -> None:
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        self.steps += 1
        if self.average:  # it follows the weights faster while there are few steps to average over
            steps, weights = int(self.steps), [weight.detach() for weight in self.parameters.values()]
            decay = min(self.config.average, (1 + steps) / (10 + steps))
            torch._foreach_lerp_(list(self.average.values()), weights, 1.0 - decay)

    @torch.inference_mode()
    def note_all_losses(self, source: Source) -> None:
        """Tell the source how hard every row is for the network as it is now."""
        for first in range(0, source.num, CHUNK):
            rows = np.arange(first, min(source.num, first + CHUNK))
            batch = source.deliver(on_device(source.order(rows, None), self.device))
            losses = self.loss(row_losses(self.network, self.forward(batch), batch), batch)
            source.note_losses(rows, losses.cpu().numpy())


def new_optimizers(parameters: Mapping[str, nn.Parameter], config: TrainerConfig) -> list[torch.optim.Optimizer]:
    """AdamW, and Muon for the matrices between the first layer and the heads where that is asked for."""
    names = [name for name in parameters if name.startswith("trunk.") and not name.startswith("trunk.stem")]
    inner = [parameters[name] for name in names if config.optimizer == "muon" and parameters[name].dim() > 1]
    rest = [weight for weight in parameters.values() if not any(weight is one for one in inner)]
    own = [Muon(inner, rate=config.learning_rate, weight_decay=config.weight_decay)] if inner else []
    groups = [  # biases do not decay
        {"params": [weight for weight in rest if weight.dim() > 1], "weight_decay": config.weight_decay},
        {"params": [weight for weight in rest if weight.dim() <= 1], "weight_decay": 0.0},
    ]
    adamw = torch.optim.AdamW(groups, lr=config.learning_rate, fused=True)
    for weight in rest:  # its state is there from the start, so that it can be saved at any time
        zeros = {"exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.zeros_like(weight)}
        adamw.state[weight] = {"step": torch.zeros((), device=weight.device), **zeros}
    return [adamw, *own]


def answer(network: nn.Module, planes: Tensor) -> Output:
    output: Output = network(planes)
    return output


@cache
def compiled_answer() -> Callable[[nn.Module, Tensor], Output]:
    """The same, with its gradients: two thirds of the time, since what lies between two convolutions is one kernel."""
    return torch.compile(answer, dynamic=False)


@contextmanager
def computing_on(threads: int, config: NetworkConfig) -> Iterator[None]:
    """Kernels of ours compute on so many threads, and torch too where that is faster; afterwards all is as before."""
    before, token = torch.get_num_threads(), THREADS.set(threads)
    torch.set_num_threads(threads if config.kind == "mlp" and config.width > NARROW else 1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        THREADS.reset(token)


# --- a recorded step on the GPU


WARM_UP = 3  # runs before the recording, in which libraries choose their kernels
Measure = Callable[[Any, Any], Measured]  # makes the batch that a source was asked for, and measures it


class MeasureGraph:
    """Stands in for a function that must neither wait for the GPU nor change what the gradients depend on."""

    def __init__(self) -> None:
        self.recorded: Recorded | None = None

    def run(self, measure: Measure, source: Any, order: Any) -> Measured:
        """What `measure`, always the same one, says of a batch; it is overwritten by the next call."""
        if self.recorded is None or not self.recorded.suits(source, order):
            self.recorded = None  # its memory first
            self.recorded = record(measure, source, order)
        for place, new in zip(self.recorded.order, order, strict=True):
            place.copy_(new)
        self.recorded.graph.replay()
        return self.recorded.answer


class Recorded(NamedTuple):
    """One source's way from orders of one size to their measures."""

    source: Any
    order: Any  # where the graph reads its order
    graph: torch.cuda.CUDAGraph
    answer: Measured

    def suits(self, source: Any, order: Any) -> bool:
        return source is self.source and [part.shape for part in order] == [part.shape for part in self.order]


def record(measure: Measure, source: Any, order: Any) -> Recorded:
    place = type(order)(*(part.clone() for part in order))
    side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    dynamo: Any = torch._dynamo.config
    with torch.cuda.stream(side), dynamo.patch(recompile_limit=MOST_COMPILED):
        for _ in range(WARM_UP):
            measure(source, place)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        answer = measure(source, place)
    return Recorded(source, place, graph, answer)


# --- Muon: steps that are equally large in every direction of a weight matrix. Jordan et al. 2024.

MOMENTUM = 0.95
SIZE = 0.2  # the root mean square of a step, as AdamW's usually are: both take the same learning rate. Liu et al. 2025
ROUNDS = 5
CUBIC = (3.4445, -4.7750, 2.0315)  # of the odd polynomial of degree five that takes singular values to about 1


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
