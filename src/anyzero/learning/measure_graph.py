"""The losses and gradients of a batch as one launch on the GPU: recorded once, replayed for every batch of that size.

A step of a small network is hundreds of small kernels. Started one by one from Python, the GPU waits for most of them.
"""

from collections.abc import Callable

import torch

from anyzero.learning.measures import Measured
from anyzero.learning.replay import Batch

WARM_UP = 3
"""Runs before the recording, in which libraries choose their kernels."""


class MeasureGraph:
    """Stands in for a function that must neither wait for the GPU nor change what the gradients depend on."""

    def __init__(self) -> None:
        self.recorded: tuple[torch.Size, Batch, torch.cuda.CUDAGraph, Measured] | None = None

    def run(self, measure: Callable[[Batch], Measured], batch: Batch) -> Measured:
        """What `measure`, always the same one, says of a batch; it is overwritten by the next call."""
        if self.recorded is None or self.recorded[0] != batch.planes.shape:
            self.recorded = None  # its memory first
            self.record(measure, batch)
        assert self.recorded is not None
        _, place, graph, answer = self.recorded
        for part, new in zip(place, batch, strict=True):
            part.copy_(new)
        graph.replay()
        return answer

    def record(self, measure: Callable[[Batch], Measured], batch: Batch) -> None:
        place = Batch(*(part.clone() for part in batch))
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP):
                measure(place)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            answer = measure(place)
        self.recorded = batch.planes.shape, place, graph, answer
