"""Networks: what they look like, their weights on disk, and evaluators that the search can call.

Reading order: `config` (sizes and heads, and what a game makes of them), `layers`, `models` (the network),
`weights` (files), `evaluator` and `on_gpu` (networks inside the search), `remembered`, and `winograd/` (the same
networks on the CPU, fast). Only training and GPUs need torch.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyzero.networks.config import BadNetworkError, NetworkConfig, parse_network, resolve
    from anyzero.networks.evaluator import NetworkEvaluator
    from anyzero.networks.models import Network, new_network
    from anyzero.networks.weights import load_network, read_header, read_network, save_network

__all__ = [
    "BadNetworkError",
    "Network",
    "NetworkConfig",
    "NetworkEvaluator",
    "load_network",
    "new_network",
    "parse_network",
    "read_header",
    "read_network",
    "resolve",
    "save_network",
]

HOMES = {
    "BadNetworkError": "config",
    "Network": "models",
    "NetworkConfig": "config",
    "NetworkEvaluator": "evaluator",
    "load_network": "weights",
    "new_network": "models",
    "parse_network": "config",
    "read_header": "weights",
    "read_network": "weights",
    "resolve": "config",
    "save_network": "weights",
}
"""Where each name lives: pydantic and torch are imported with the first that needs them."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'anyzero.networks' has no attribute {name!r}")
    return getattr(import_torch_module(HOMES[name]), name)


def import_torch_module(name: str) -> Any:
    """A module of this package that may need torch; one sentence if that is not there."""
    try:
        return importlib.import_module(f"anyzero.networks.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        from anyzero.networks.config import BadNetworkError

        raise BadNetworkError("this needs torch: pip install 'anyzero[train]'") from None
