"""What training tells of itself: weighted means over the rows that it saw, and how far values can be trusted."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from anyzero.learning.replay import Batch
from anyzero.networks.models import Network, Output, log_priors, value_losses

BINS = 10
"""Predicted values are sorted into so many bins from -1 to 1."""
ABOUT_POLICIES = ("kl", "policy_entropy", "prior_entropy", "agreement")
"""Means over rows by weight and policy weight."""
ABOUT_VALUES = ("value_loss", "value_error")
"""Means over rows by weight."""


class RowLosses(NamedTuple):
    """What each row of a batch is to be blamed for."""

    policy: Tensor
    """[rows]: divergence from the policy to the priors, in nats."""
    value: Tensor
    """[rows]: as the value head measures it."""
    log_priors: Tensor
    """[rows, actions]: over the legal actions."""


class Measured(NamedTuple):
    """What one batch says; its gradients are in the weights."""

    losses: Tensor
    """[rows]: policy and value as the config weighs them."""
    loss_and_norm: Tensor
    """[2]: the weighted mean of the losses, and the norm of its gradients before they are clipped."""
    sums: Tensor
    """As `weighted_sums` has them."""


def row_losses(network: Network, output: Output, batch: Batch) -> RowLosses:
    logs = log_priors(output.logits, batch.legal)
    policy = F.kl_div(logs, batch.policies, reduction="none").sum(1)
    return RowLosses(policy, value_losses(network, output.value, batch.values), logs)


@torch.no_grad()
def weighted_sums(losses: RowLosses, predicted: Tensor, batch: Batch) -> Tensor:
    """One vector, where the batch lives: policy and value measures, their weights, and the bins of calibration."""
    policy_weights = batch.weights * batch.policy_weights
    predicted, values = (found if found.dim() == 1 else found[:, 0] for found in (predicted, batch.values))
    best = batch.policies.gather(1, losses.log_priors.argmax(1, keepdim=True)).squeeze(1)
    about_policies = torch.stack(
        [
            losses.policy,
            torch.special.entr(batch.policies).sum(1),
            -(losses.log_priors.exp() * losses.log_priors).sum(1),
            (best >= batch.policies.amax(1)).float(),  # as good as the best: ties are no error
        ]
    )
    about_values = torch.stack([losses.value, (predicted - values).abs()])
    totals = torch.stack([policy_weights.sum(), batch.weights.sum()])
    bins = (torch.stack([torch.ones_like(values), predicted, values]) * batch.weights) @ bin_of(predicted)
    parts = [about_policies @ policy_weights, about_values @ batch.weights, totals, bins.flatten()]
    return torch.cat(parts).double()


def bin_of(predicted: Tensor) -> Tensor:
    """[rows, bins]: 1 at the bin of each value."""
    numbers = ((predicted.nan_to_num() + 1.0) * (BINS / 2)).long().clamp(0, BINS - 1)
    return F.one_hot(numbers, BINS).float()


@dataclass(frozen=True)
class Bin:
    """Values that were predicted to be about alike."""

    share: float
    """Of all rows, by weight."""
    predicted: float
    target: float


@dataclass(frozen=True)
class TrainReport:
    """One generation of training: means over its steps, each measured before the step was taken."""

    generation: int
    steps: int
    samples: int
    """Rows that were learnt from, each as often as it came."""
    seconds: float
    samples_per_second: float
    learning_rate: float
    """Of the last step."""
    policy_loss: float
    """Cross-entropy of the search's policy and the priors: `kl` plus `policy_entropy`."""
    kl: float
    """Divergence from the search's policy to the priors, in nats."""
    policy_entropy: float
    """Of the search's policy, in nats: what no network can learn away."""
    prior_entropy: float
    """Of the priors, in nats."""
    agreement: float
    """How often the move with the greatest prior is one that the search likes best."""
    value_loss: float
    value_error: float
    """Mean distance of the value from its target."""
    calibration: tuple[Bin, ...]
    """Predicted values and what came of them; bins without rows are left out."""
    calibration_error: float
    """Mean distance of predicted and target over the bins, by their shares."""
    gradient_norm: float
    """Mean over steps, before clipping."""
    gradient_norm_max: float
    recoveries: int
    """How often training went back to its last good state."""
    stopped: bool
    """Whether it was stopped before its last step."""
    notes: tuple[str, ...]
    """What a person should know."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def summarise(sums: Tensor) -> dict[str, Any]:
    """The measures of a report from the sum of all vectors; zeros where there were no rows."""
    numbers = sums.tolist()
    policies, rest = numbers[: len(ABOUT_POLICIES)], numbers[len(ABOUT_POLICIES) :]
    values, rest = rest[: len(ABOUT_VALUES)], rest[len(ABOUT_VALUES) :]
    policy_total, value_total = rest[0] or 1.0, rest[1] or 1.0
    found: dict[str, Any] = {name: total / policy_total for name, total in zip(ABOUT_POLICIES, policies, strict=True)}
    found |= {name: total / value_total for name, total in zip(ABOUT_VALUES, values, strict=True)}
    rows = zip(rest[2 : 2 + BINS], rest[2 + BINS : 2 + 2 * BINS], rest[2 + 2 * BINS :], strict=True)
    bins = tuple(Bin(num / value_total, at / num, came / num) for num, at, came in rows if num > 0)
    found["policy_loss"] = found["kl"] + found["policy_entropy"]
    found["calibration"] = bins
    found["calibration_error"] = sum(item.share * abs(item.predicted - item.target) for item in bins)
    return found


def empty_sums(device: str) -> Tensor:
    """What `weighted_sums` are added to."""
    return torch.zeros(len(ABOUT_POLICIES) + len(ABOUT_VALUES) + 2 + 3 * BINS, dtype=torch.float64, device=device)
