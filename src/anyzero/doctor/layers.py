"""Layers: whether every one of them is alive, at the start and now, and whether training has moved them."""

from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor, nn

from anyzero.doctor.case import Case
from anyzero.doctor.finding import DOUBTFUL, WELL, WRONG, Finding, percent, skipped
from anyzero.doctor.trials import one_batch
from anyzero.errors import list_some
from anyzero.learning.manifest import DamagedError
from anyzero.networks import Network, load_network
from anyzero.networks.layers import Conv, Dense

AT_START, NOW, MOVED = "layers at the start", "layers now", "weights since the start"
ROWS = 128
MANY = 0.75
"""Share of a layer's units without a gradient that is too much; a third is common in the value head's hidden layer."""
LEAST_CHANGE = 1e-3
"""Of the weights' norm, since generation 0."""
NAMED = 6


class Layer(NamedTuple):
    """What is seen of one layer on a batch."""

    name: str
    is_zero: bool
    """All weights are 0."""
    is_silent: bool
    """It gives 0 for every position."""
    dead_units: float
    """Share of its outputs whose weights have no gradient."""


def check_start(case: Case) -> Finding:
    """A network with the run's first weights, or others drawn like them."""
    advice = "a layer that starts with zeros behind another one that does learns nothing: draw its weights at random"
    return judge_layers(AT_START, probe(case.fresh, one_batch(case, ROWS).planes), advice)


def check_now(case: Case) -> Finding:
    """The newest network."""
    if case.network is None:
        return skipped(NOW, "there is no network yet")
    advice = (
        "begin a new run, or go on from a generation before: units without a gradient never come back by themselves"
    )
    return judge_layers(NOW, probe(case.network, one_batch(case, ROWS).planes), advice)


def judge_layers(name: str, layers: list[Layer], advice: str) -> Finding:
    """Wrong if a whole layer is dead, doubtful if most of one is."""
    dead = {
        "have weights that are all zero": [layer.name for layer in layers if layer.is_zero],
        "give zero for every position": [layer.name for layer in layers if layer.is_silent and not layer.is_zero],
        "have no gradient": [layer.name for layer in layers if layer.dead_units == 1.0 and not layer.is_zero],
    }
    found = [
        f"{len(names)} of {len(layers)} {what} ({list_some(names, NAMED)})" for what, names in dead.items() if names
    ]
    if found:
        return Finding(name, WRONG, "layers are dead", "; ".join(found), advice)
    worst = max(layers, key=lambda layer: layer.dead_units)
    seen = f"{len(layers)} layers have gradients; {percent(worst.dead_units)} of the units of {worst.name} have none"
    if worst.dead_units > MANY:
        advice = "a lower learning rate, or a smaller network: units that are never above zero are lost"
        return Finding(name, DOUBTFUL, "most units of a layer are dead", seen, advice)
    return Finding(name, WELL, "every layer is alive", seen)


def probe(network: Network, planes: Tensor) -> list[Layer]:
    """Send a random gradient back from every output: a layer that none of it reaches cannot learn from any loss.

    In double precision each layer is computed by itself, so that what it gives can be seen.
    """
    network, planes = deepcopy(network).double(), planes.double()
    modules = {name: part for name, part in network.named_modules() if isinstance(part, Conv | Dense)}
    peaks: dict[str, float] = {}
    for name, part in modules.items():
        part.register_forward_hook(note_peak(peaks, name))
    weights = [part.weight.requires_grad_(True) for part in modules.values()]
    rng = torch.Generator().manual_seed(0)
    output = network(planes)
    aims = [torch.randn(part.shape, generator=rng) for part in output]
    loss = sum((part * aim).mean() for part, aim in zip(output, aims, strict=True))
    gradients = torch.autograd.grad(loss, weights, allow_unused=True)
    return [
        Layer(name, not part.weight.any(), peaks.get(name, 0.0) == 0.0, share_without(gradient))
        for (name, part), gradient in zip(modules.items(), gradients, strict=True)
    ]


def note_peak(peaks: dict[str, float], name: str) -> Callable[[nn.Module, object, Tensor], None]:
    def note(_module: nn.Module, _inputs: object, output: Tensor) -> None:
        peaks[name] = float(output.detach().abs().max())

    return note


def share_without(gradient: Tensor | None) -> float:
    """Share of output units whose weights all have the gradient 0."""
    if gradient is None:
        return 1.0
    return float((gradient.flatten(1).abs().amax(1) == 0.0).float().mean())


def check_moved(case: Case) -> Finding:
    """How far the weights of the newest network are from those of generation 0."""
    if case.network is None or case.generation == 0 or case.folder is None:
        return skipped(MOVED, "no network has been trained yet")
    try:
        first = load_network(case.folder.network(0), case.game)
    except DamagedError:
        return skipped(MOVED, "the network of generation 0 is not there any more")
    before, now = dict(first.named_parameters()), dict(case.network.named_parameters())
    changes = {
        name: float((now[name] - weight).detach().norm() / weight.detach().norm())
        for name, weight in before.items()
        if weight.any()
    }
    still = [name for name, change in changes.items() if change < LEAST_CHANGE]
    total = sum(changes.values()) / len(changes)
    seen = f"in {case.generation} generations by {percent(total)} of their size, on average over {len(changes)} layers"
    if still:
        advice = "the learning rate is far too low, the weight of a loss is 0, or these layers get no gradient"
        seen += f"; not at all: {list_some(still, NAMED)}"
        return Finding(MOVED, WRONG, "weights do not change", seen, advice)
    return Finding(MOVED, WELL, "every layer has moved", seen)
