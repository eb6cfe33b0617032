"""A batch, its losses and gradients as one launch on the GPU: recorded once, replayed for every batch of that size.

A step of a small network is hundreds of small kernels. Started one by one from Python, the GPU waits for most of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from anyzero.learning.measures import Measured
from anyzero.networks.on_gpu import MOST_COMPILED

WARM_UP = 3
"""Runs before the recording, in which libraries choose their kernels."""
Measure = Callable[[Any, Any], Measured]
"""Makes the batch that a source was asked for, and measures it."""


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
    order: Any
    """Where the graph reads its order."""
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
