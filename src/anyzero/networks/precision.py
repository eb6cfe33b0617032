"""Which precision a processor computes in: what it has, and what is faster for this network."""

import time
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import torch
from torch import nn

from anyzero.errors import BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game
from anyzero.networks.compiled import CompiledNetwork, compiles
from anyzero.networks.models import Network
from anyzero.networks.remembered import Answering, empty_answers

PRECISIONS = ("auto", "float32", "bfloat16")
BFLOAT16_FLAGS = {"avx512_bf16", "amx_bf16"}
MARGIN = 1.2
"""Less than so much faster, and the exact numbers are worth more."""
TRIAL_ROWS = 64


def choose_precision(network: Network, game: Game, precision: str) -> str:
    """`auto` as the precision that suits this processor and network; anything else as it is, if it can be had.

    Two runs may choose differently where both are about as fast: whoever wants the same numbers again keeps the answer.
    """
    if precision not in PRECISIONS:
        hint = nearest_hint(str(precision), PRECISIONS)
        raise UnknownNameError(f"there is no precision {precision!r}; {hint}known: {list_some(PRECISIONS)}")
    if network.config.kind != "residual":
        if precision == "bfloat16":
            raise BadOptionError("bfloat16 is for convolutions: on the CPU an mlp computes in float32")
        return "float32"
    if precision != "auto":
        return precision
    return faster_precision(network, game) if processor_flags() & BFLOAT16_FLAGS else "float32"


@cache
def processor_flags() -> frozenset[str]:
    """What Linux says that the first processor can do; nothing elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line.split(":", 1)[1] for line in lines if line.startswith("flags")), "").split())


def faster_precision(network: Network, game: Game) -> str:
    """bfloat16 if it is clearly faster on one batch; runs on the calling thread."""
    took = {name: trial(in_precision(network, name, game), game) for name in PRECISIONS[1:]}
    return "bfloat16" if MARGIN * took["bfloat16"] < took["float32"] else "float32"


def trial(network: Answering, game: Game, repeats: int = 7) -> float:
    """Seconds for a batch, the best of some."""
    best, planes = float("inf"), np.zeros((TRIAL_ROWS, *game.planes_shape), np.float32)
    answers = empty_answers(TRIAL_ROWS, game.num_actions)
    for _ in range(repeats):
        start = time.perf_counter()
        network.answer(planes, *answers)
        best = min(best, time.perf_counter() - start)
    return best


def in_precision(network: Network, precision: str, game: Game) -> Answering:
    """A copy for inference on the CPU, with convolutions in this precision: by our kernels where they can.

    Linear layers are a small part and stay in float32. That also keeps off the matrix units (AMX) that some virtual
    machines announce and do not have.
    """
    copy = deepcopy(network).cpu().float().eval().requires_grad_(False)
    if precision == "float32" and compiles(copy):
        return CompiledNetwork(copy, game.planes_shape)
    for module in copy.modules():
        if isinstance(module, nn.Conv2d):
            module.to(getattr(torch, precision)).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return TorchNetwork(copy)


class TorchNetwork:
    """A network that torch computes, in the precision that its layers have."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.weight = next(network.parameters())

    def answer(self, planes: np.ndarray, logits: np.ndarray, values: np.ndarray) -> None:
        with torch.inference_mode():
            output = self.network(self.as_input(torch.from_numpy(planes)))
            torch.from_numpy(logits).copy_(output.logits)
            torch.from_numpy(values).copy_(self.network.expected(output.value))

    def as_input(self, planes: torch.Tensor) -> torch.Tensor:
        """A batch in the form that the first layer wants."""
        if planes.dim() < 4:
            return planes.to(self.weight.dtype)
        return planes.to(dtype=self.weight.dtype, memory_format=torch.channels_last)
