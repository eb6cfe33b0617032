"""Networks on disk: one safetensors file that says which game it plays, what it looks like, and its weights.

The header is one key, so that the same network is the same bytes wherever it is written.
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from anyzero.errors import AnyzeroError
from anyzero.files import write_whole
from anyzero.games.game import Game, game_text
from anyzero.networks.config import BadNetworkError, NetworkConfig, fits
from anyzero.networks.models import Network, empty_network

FORMAT = 1
HEADER_KEY = "anyzero"
HEADER_FIELDS = {"format": int, "game": str, "options": dict, "planes_shape": list, "num_actions": int, "network": dict}


def save_network(path: Path | str, network: Network, game: Game) -> None:
    """Write a network so that whatever happens, `path` holds the old file or the new one, whole."""
    header = {
        "format": FORMAT,
        "game": game.name,
        "options": dict(game.options),
        "planes_shape": list(network.planes_shape),
        "num_actions": network.num_actions,
        "network": network.config.to_dict(),
    }
    weights = {name: weight.detach().cpu().float().contiguous() for name, weight in network.state_dict().items()}
    write_whole(Path(path), save(weights, {HEADER_KEY: json.dumps(header, sort_keys=True)}))


def load_network(path: Path | str, game: Game) -> Network:
    """The network in a file, for this game: one of its own size, or of any size if its weights allow that."""
    path = Path(path)
    try:
        if not path.is_file():
            raise BadNetworkError(f"there is no network file {path}")
        with safe_open(path, framework="pt") as file:
            header = check_header(path, (file.metadata() or {}).get(HEADER_KEY))
            network = fitting_network(path, header, game)
            fill(path, network, {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except OSError as error:
        raise BadNetworkError(f"cannot read {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise BadNetworkError(f"{path} is not a network file, or only a part of one ({error})") from None
    return network


def read_header(path: Path | str) -> dict[str, Any]:
    """What a file says of its network: format, game, options, planes_shape, num_actions, network."""
    path = Path(path)
    try:
        with safe_open(path, framework="pt") as file:
            return check_header(path, (file.metadata() or {}).get(HEADER_KEY))
    except (OSError, SafetensorError) as error:
        raise BadNetworkError(f"{path} is not a network file that can be read ({error})") from None


def check_header(path: Path, text: str | None) -> dict[str, Any]:
    """The header as a dict with all its fields."""
    if text is None:
        raise BadNetworkError(f"{path} was not written by anyzero: it does not say what its network plays")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise BadNetworkError(f"{path} has a header that cannot be read")
    if header["format"] != FORMAT:
        raise BadNetworkError(f"{path} has format {header['format']}; this version of anyzero reads format {FORMAT}")
    for name, kind in HEADER_FIELDS.items():
        if type(header.get(name)) is not kind:
            raise BadNetworkError(f"{path} has a header without a proper {name!r}")
    return header


def fitting_network(path: Path, header: dict[str, Any], game: Game) -> Network:
    """An empty network as the header describes it, if it can play this game."""
    if header["game"] != game.name:
        raise BadNetworkError(f"{path} plays {header['game']}, not {game.name}")
    try:
        config = NetworkConfig.parse(header["network"])
    except AnyzeroError as error:
        raise BadNetworkError(f"{path} has a header that describes no network: {error}") from None
    shape, num_actions = tuple(header["planes_shape"]), header["num_actions"]
    if not all(type(size) is int and size > 0 for size in shape):
        raise BadNetworkError(f"{path} has a header without a proper 'planes_shape'")
    if not fits(config, shape, num_actions, game):
        made_for = game_text(header["game"], header["options"])
        raise BadNetworkError(
            f"{path} was made for {made_for}: its input {shape} and {num_actions} actions do not fit {game.text} "
            f"with {game.planes_shape} and {game.num_actions}"
        )
    return empty_network(game, config)


def fill(path: Path, network: Network, weights: dict[str, torch.Tensor]) -> None:
    """Put the weights in, each where it belongs."""
    wanted = network.state_dict()
    for name in weights:
        if name not in wanted:
            raise BadNetworkError(f"{path} has weights {name!r} that its network has no place for")
    for name, weight in wanted.items():
        found = weights.get(name)
        if found is None:
            raise BadNetworkError(f"{path} lacks the weights {name!r}")
        if found.shape != weight.shape or found.dtype != torch.float32:
            shape = f"{found.dtype} {tuple(found.shape)}"
            raise BadNetworkError(f"{path}: the weights {name!r} are {shape}, not float32 {tuple(weight.shape)}")
        if not torch.isfinite(found).all():
            raise BadNetworkError(f"{path}: the weights {name!r} have numbers that are not finite")
    network.load_state_dict(weights)
