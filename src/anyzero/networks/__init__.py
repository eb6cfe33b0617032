"""Networks: what they look like, their weights on disk, and evaluators that the search can call.

Reading order: `config` (sizes and heads, and what a game makes of them), `layers`, `trunks`, `heads`, `models` (the
network), `losses`, `weights` (files), `precision`, `evaluator` and `on_gpu` (networks inside the search), `remembered`.
torch is imported with the first name that needs it.
"""

import importlib
from typing import TYPE_CHECKING, Any

from anyzero.networks.config import BadNetworkError, NetworkConfig, config_from_dict, parse_network, resolve

if TYPE_CHECKING:
    from anyzero.networks.evaluator import NetworkEvaluator
    from anyzero.networks.losses import policy_loss, value_loss
    from anyzero.networks.models import Network, new_network
    from anyzero.networks.weights import load_network, read_header, save_network

__all__ = [
    "BadNetworkError",
    "Network",
    "NetworkConfig",
    "NetworkEvaluator",
    "config_from_dict",
    "load_network",
    "new_network",
    "parse_network",
    "policy_loss",
    "read_header",
    "resolve",
    "save_network",
    "value_loss",
]

HOMES = {
    "Network": "models",
    "NetworkEvaluator": "evaluator",
    "load_network": "weights",
    "new_network": "models",
    "policy_loss": "losses",
    "read_header": "weights",
    "save_network": "weights",
    "value_loss": "losses",
}
"""The names that need torch."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'anyzero.networks' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"anyzero.networks.{HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("torch", "safetensors"):
            raise
        raise BadNetworkError("networks need torch and safetensors: pip install 'anyzero[train]'") from None
