"""Networks on an NVIDIA GPU: bfloat16, channels last, compiled, and captured as one CUDA graph per
batch size.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from anyzero.core.base.nouns import Planes, Rules, States, Values
from anyzero.core.compile import gpu
from anyzero.core.compile.gpu import cuda
from anyzero.core.game.contract import encode
from anyzero.core.game.game import Game
from anyzero.core.nets.config import BadNetworkError, support_of
from anyzero.core.nets.models import Conv, Network, network_of
from anyzero.core.nets.weights import StoredNetwork

# batches from the host are padded to a power of two, at least this, so that few graphs are captured
LEAST_ROWS = 64
# matrix units need multiples of this many channels: a first layer with fewer inputs is zero-padded
WIDE = 8
WARM_UPS = 3
MOST_COMPILED = 256
"""Networks and sizes that one process may compile; beyond torch's own limit it would silently stop
compiling.
"""

OPTIONS: Values = {"coordinate_descent_tuning": True}
"""Pooling over adjacent channels takes two to three times as long in the form tried first."""


class GpuEvaluator:
    """Networks of one architecture that evaluate a fixed number of rows at once, from planes to
    logits and values.

    All three arrays stay in place on the device, for kernels to write and read. A run leaves the
    planes zeroed.
    """

    def __init__(
        self,
        game: Game,
        *networks: Network,
        rows: int,
        precision: str = "bfloat16",
        compiled: bool = True,
    ) -> None:
        self.precision = precision
        self.networks = [for_inference(network, precision, "cuda") for network in networks]
        self.support = torch.tensor(support_of(networks[0].config), device="cuda")
        self.planes = torch.zeros(rows, *game.planes_shape, device="cuda")
        self.logits = torch.zeros(len(networks), rows, game.num_actions, device="cuda")
        self.values = torch.zeros(len(networks), rows, 1, device="cuda")
        self.answer: Any = write_answers
        if compiled:
            self.answer = torch.compile(write_answers, dynamic=False, options=OPTIONS)
        warm_up(self.compute)
        self.graph, _ = capture(self.compute)

    def compute(self) -> None:
        with torch.inference_mode(), torch.backends.cudnn.flags(enabled=True, benchmark=True):
            for network, logits, values in zip(
                self.networks, self.logits, self.values, strict=True
            ):
                self.answer(network, self.support, self.planes, logits, values)
            self.planes.zero_()

    def run(self) -> None:
        """Compute logits and values from the planes; the host does not wait."""
        self.graph.replay()

    def record(self, before: Callable[[int], None]) -> Callable[[], None]:
        """`before`, which launches on the stream it is given, then the network, as one launch; run
        once immediately.
        """

        def both() -> None:
            before(torch.cuda.current_stream().cuda_stream)
            self.compute()

        before(torch.cuda.current_stream().cuda_stream)
        self.run()
        return capture(both)[0].replay

    def load(self, *networks: Network) -> None:
        """Copy in the weights of other networks: compiled code and captured graphs stay valid."""
        for held, network in zip(self.networks, networks, strict=True):
            if network.config != held.config:
                raise BadNetworkError(
                    "weights can only be loaded from a network of the same architecture"
                )
            new = for_inference(network, self.precision, "cuda").parameters()
            with torch.no_grad():
                for weight, new_weight in zip(held.parameters(), new, strict=True):
                    weight.copy_(new_weight)


def warm_up(work: Callable[[], Any]) -> None:
    """Let torch compile, and its convolutions choose their fastest algorithm."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream())
    dynamo: Any = torch._dynamo.config
    with torch.cuda.stream(stream), dynamo.patch(recompile_limit=MOST_COMPILED):
        for _ in range(WARM_UPS):
            work()
    torch.cuda.current_stream().wait_stream(stream)


def capture(work: Callable[[], Any]) -> tuple[torch.cuda.CUDAGraph, Any]:
    """Capture launches as one CUDA graph, and where its result will be; `work` must not wait for
    the GPU.
    """
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        outputs = work()
    return graph, outputs


def write_answers(
    network: Network, support: Tensor, planes: Tensor, logits: Tensor, values: Tensor
) -> None:
    """From float32 planes to float32 logits and values, in the network's own precision and
    layout.
    """
    weight = next(network.parameters())
    planes = planes.to(weight.dtype)
    if planes.dim() == 4:
        extra = weight.shape[1] - 1 - planes.shape[1]  # the trunk itself adds one plane
        planes = F.pad(planes, (0, 0, 0, 0, 0, extra)).contiguous(memory_format=torch.channels_last)
    output = network(planes)
    logits.copy_(output.logits)
    value = output.value.float()
    values.copy_(
        (torch.softmax(value, 1) * support).sum(1, keepdim=True)
        if len(support)
        else torch.tanh(value)
    )


def for_inference(network: Network, precision: str, device: str) -> Network:
    """A copy optimised for a GPU: in this precision, channels last, and with a padded first
    layer.
    """
    copy = deepcopy(network).eval().requires_grad_(False)
    if network.config.kind == "residual":
        widen(copy.layers["trunk.stem"])  # type: ignore[arg-type]
    copy = copy.to(device, getattr(torch, precision))
    return copy.to(memory_format=torch.channels_last) if network.config.kind == "residual" else copy  # type: ignore[call-overload]


def widen(stem: Conv) -> None:
    """Pad the inputs to a multiple of WIDE with zero weights; the plane of ones stays last."""
    extra = -stem.in_channels % WIDE
    planes = stem.weight[:, :-1]
    ones = stem.weight[:, -1:]
    stem.weight = torch.nn.Parameter(
        torch.cat([F.pad(planes, (0, 0, 0, 0, 0, extra)), ones], 1), requires_grad=False
    )
    stem.in_channels += extra


def encode_kernel(rules: Rules, states: States, rows: Any, planes: Planes) -> None:
    """One thread per row, over zeroed planes."""
    index = cuda.grid(1)
    if index < rows.shape[0]:
        encode(rules, states[rows[index]], planes[index])


class GpuForward:
    """Encodes and computes on the GPU; only positions and answers are copied."""

    def __init__(self, network: Network | StoredNetwork, game: Game, compiled: bool) -> None:
        self.network = (
            network_of(network, game) if isinstance(network, StoredNetwork) else deepcopy(network)
        )
        self.game = game
        self.compiled = compiled
        self.sizes: dict[int, GpuEvaluator] = {}
        self.rules = gpu.rules_to_device(game.rules)
        self.kernel = game.compile(encode_kernel, "cuda")

    def __call__(self, states: States, logits: np.ndarray | None, values: np.ndarray) -> None:
        num = len(states)
        evaluator = self.size(max(LEAST_ROWS, 1 << (num - 1).bit_length()))
        on_device = cuda.to_device(np.ascontiguousarray(states))
        rows = torch.arange(num, device="cuda")
        with torch.inference_mode():
            arguments = (
                self.rules,
                on_device,
                gpu.tensor_array(rows),
                gpu.tensor_array(evaluator.planes),
            )
            gpu.enqueue(self.kernel, num, torch.cuda.current_stream().cuda_stream, *arguments)
            evaluator.run()
            if logits is not None:
                torch.from_numpy(logits).copy_(evaluator.logits[0, :num])
            torch.from_numpy(values).copy_(evaluator.values[0, :num])

    def size(self, rows: int) -> GpuEvaluator:
        if rows not in self.sizes:
            self.sizes[rows] = GpuEvaluator(
                self.game, self.network, rows=rows, compiled=self.compiled
            )
        return self.sizes[rows]

    def load(self, network: Network) -> None:
        self.network = deepcopy(network)
        for evaluator in self.sizes.values():
            evaluator.load(network)
