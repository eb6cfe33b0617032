"""What training pulls a network towards: the search's policy, and the payoff."""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from anyzero.networks.models import Network, support_tensor

ILLEGAL = -1e9
"""The logit of an action that cannot be played."""


def policy_loss(logits: Tensor, policies: Tensor, legal: Tensor | None = None) -> Tensor:
    """The mean of `policy_losses`."""
    return policy_losses(logits, policies, legal).mean()


def value_loss(network: Network, value: Tensor, payoffs: Tensor) -> Tensor:
    """The mean of `value_losses`."""
    return value_losses(network, value, payoffs).mean()


def policy_losses(logits: Tensor, policies: Tensor, legal: Tensor | None = None) -> Tensor:
    """Kullback-Leibler divergence from each policy to its priors, [positions], in nats: 0 once they are equal.

    `legal` [positions, actions] says which actions can be played: the softmax is over those, as in the search.
    """
    return F.kl_div(log_priors(logits, legal), policies, reduction="none").sum(1)


def log_priors(logits: Tensor, legal: Tensor | None = None) -> Tensor:
    """The logarithms of the priors, over the legal actions if they are given, [positions, actions] float32."""
    return F.log_softmax(logits.float() if legal is None else logits.float().masked_fill(~legal, ILLEGAL), 1)


def value_losses(network: Network, value: Tensor, payoffs: Tensor) -> Tensor:
    """Squared error of a scalar; for a distribution, the divergence from the payoff's to it: 0 once they are equal."""
    if network.config.value == "scalar":
        return F.mse_loss(network.expected(value), payoffs, reduction="none")
    wanted = spread(payoffs, support_tensor(network.config, payoffs.device))
    return F.kl_div(F.log_softmax(value.float(), 1), wanted, reduction="none").sum(1)


def spread(payoffs: Tensor, support: Tensor) -> Tensor:
    """Each payoff as probabilities of the two neighbours in the support, with the payoff as their mean.

    The support is evenly spaced, in either direction.
    """
    place = ((payoffs - support[0]) / (support[-1] - support[0])).clamp(0.0, 1.0) * (len(support) - 1)
    low = place.floor().nan_to_num().long().clamp(max=len(support) - 2)  # a payoff that is no number stays one
    high_part = (place - low).unsqueeze(1)
    wanted = torch.zeros(len(payoffs), len(support), device=payoffs.device)
    wanted.scatter_(1, low.unsqueeze(1), 1.0 - high_part)
    return wanted.scatter_(1, low.unsqueeze(1) + 1, high_part)
