"""Networks on an NVIDIA GPU: bfloat16, channels last, compiled, one captured graph for each size of batch."""

from copy import deepcopy
from typing import Any

import numpy as np
import torch

from anyzero.games.encoding import encode_states
from anyzero.games.errors import UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.networks.models import Network
from anyzero.networks.precision import PRECISIONS

LEAST_ROWS = 64
"""Batches are filled up to a power of two, at least this, so that few graphs are captured."""
WARM_UPS = 3


class GpuForward:
    """Encodes on the CPU, computes on the GPU."""

    def __init__(self, network: Network, game: Game, precision: str, threads: int, compiled: bool = True) -> None:
        if precision not in PRECISIONS:
            hint = nearest_hint(str(precision), PRECISIONS)
            raise UnknownNameError(f"there is no precision {precision!r}; {hint}known: {list_some(PRECISIONS)}")
        self.game, self.threads, self.compiled = game, threads, compiled
        self.precision = "bfloat16" if precision == "auto" else precision
        self.dtype: torch.dtype = getattr(torch, self.precision)
        self.network = deepcopy(network).eval().requires_grad_(False).to("cuda", self.dtype)
        if network.config.kind == "residual":
            self.network = self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.graphs: dict[int, Graph] = {}

    def __call__(self, states: Any, logits: np.ndarray, values: np.ndarray) -> None:
        num = len(states)
        rows = max(LEAST_ROWS, 1 << (num - 1).bit_length())
        if rows not in self.graphs:
            self.graphs[rows] = Graph(self, rows)
        self.graphs[rows].run(states, logits, values)


class Graph:
    """One size of batch: its buffers on both sides and the captured work between them."""

    def __init__(self, owner: GpuForward, rows: int) -> None:
        self.owner = owner
        self.host = torch.zeros(rows, *owner.game.planes_shape).pin_memory()
        self.planes = torch.zeros(rows, *owner.game.planes_shape, device="cuda")
        step = torch.compile(self.step, dynamic=False) if owner.compiled else self.step
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.inference_mode(), torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.inference_mode(), torch.cuda.graph(self.graph):
            self.logits, self.value = step()

    def step(self) -> tuple[torch.Tensor, torch.Tensor]:
        """From the planes on the GPU to what both heads say, in float32."""
        planes = self.planes.to(self.owner.dtype)
        if planes.dim() == 4:
            planes = planes.contiguous(memory_format=torch.channels_last)
        output = self.owner.network(planes)
        return output.logits.float(), output.value.float()

    def run(self, states: Any, logits: np.ndarray, values: np.ndarray) -> None:
        """Fill the buffers, replay, and fetch the rows that were asked for."""
        num = len(states)
        encode_states(self.owner.game, states, self.host.numpy()[:num], self.owner.threads)
        with torch.inference_mode():
            self.planes[:num].copy_(self.host[:num], non_blocking=True)
            self.graph.replay()
            torch.from_numpy(logits).copy_(self.logits[:num])
            torch.from_numpy(values).copy_(self.owner.network.expected(self.value[:num]))
