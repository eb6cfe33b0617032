"""What a network looks like: one frozen config, its text (`4x64`, `medium`), and what a game makes of it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from anyzero.errors import AnyzeroError, BadOptionError, UnknownNameError, list_some, nearest_hint
from anyzero.games.game import Game

AUTO = "auto"
CHOICES = {
    "kind": (AUTO, "residual", "mlp"),
    "policy": (AUTO, "cells", "columns", "flat"),
    "value": (AUTO, "scalar", "wdl", "scores"),
}
BOUNDS = {
    "blocks": (1, 200),
    "channels": (1, 4096),
    "pool_every": (0, 200),
    "layers": (1, 200),
    "width": (1, 65536),
    "bins": (2, 4096),
}
MOST_EXTRAS = 4
"""More actions than that beside those of the cells, and they are not passes or swaps but a layout we do not know."""


class BadNetworkError(AnyzeroError):
    """A network that does not fit its game, or a file that holds none."""


@dataclass(frozen=True)
class NetworkConfig:
    """The size and the heads of a network; `auto` is filled in from the game by `resolve`."""

    kind: str = AUTO
    """residual (boards) or mlp (inputs that are no grid)."""
    blocks: int = 4
    """Residual: blocks of two convolutions."""
    channels: int = 64
    """Residual: channels of each convolution."""
    pool_every: int = 2
    """Residual: the first of every so many blocks hears of the whole board; 0: none does."""
    layers: int = 3
    """MLP: hidden layers."""
    width: int = 256
    """MLP: units of each hidden layer."""
    policy: str = AUTO
    """Where logits come from: cells (some planes a cell), columns (one a column), flat (one linear layer)."""
    value: str = AUTO
    """scalar (tanh), wdl (win, draw, loss) or scores (a distribution over bins of the payoff)."""
    bins: int = 51
    """Value scores: how many bins there are from -1 to 1."""

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                hint = nearest_hint(str(value), known)
                raise UnknownNameError(f"network: {name} cannot be {value!r}; {hint}known: {list_some(known)}")
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise BadOptionError(f"network: {name} must be a whole number from {low} to {high}, not {value!r}")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


PRESETS = {
    "tiny": NetworkConfig(blocks=2, channels=16, layers=2, width=64),
    "small": NetworkConfig(blocks=4, channels=32, layers=3, width=128),
    "medium": NetworkConfig(blocks=6, channels=64, layers=4, width=256),
    "large": NetworkConfig(blocks=10, channels=128, layers=6, width=512),
}


def config_from_dict(values: Mapping[str, Any]) -> NetworkConfig:
    """A config from keys and values; an unknown key is an error with the nearest name."""
    known = [field.name for field in fields(NetworkConfig)]
    for key in values:
        if key not in known:
            hint = nearest_hint(str(key), known)
            raise UnknownNameError(f"a network has no option {key!r}; {hint}its options: {list_some(known)}")
    return NetworkConfig(**values)


def parse_network(text: str) -> NetworkConfig:
    """A preset's name, or depth x width: `4x64` is 4 blocks of 64 channels, or 4 layers of 64 units."""
    size = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text.strip())
    if size:
        depth, wide = int(size[1]), int(size[2])
        return NetworkConfig(blocks=depth, channels=wide, layers=depth, width=wide)
    if text.strip() in PRESETS:
        return PRESETS[text.strip()]
    hint = nearest_hint(text, PRESETS)
    raise UnknownNameError(
        f"there is no network {text!r}; {hint}known: {list_some(PRESETS)}, or blocks x channels like 4x64"
    )


# --- what a game makes of it


@dataclass(frozen=True)
class Layout:
    """How the logits lie over a board: action = cell * planes + plane, then the extras, which belong to no cell."""

    planes: int
    extras: int = 0
    last_rows: int = 0
    """Rows at the end of the board whose cells have no action (a domino's lower cell is never in the last)."""


def layout_of(planes_shape: tuple[int, ...], num_actions: int) -> Layout | None:
    """The layout over cells that these sizes of a game agree with, or None."""
    if len(planes_shape) != 3:
        return None
    _, rows, columns = planes_shape
    planes, extras = divmod(num_actions, rows * columns)
    if planes > 0 and extras <= MOST_EXTRAS:
        return Layout(planes, extras)
    if rows > 2 and num_actions == (rows - 1) * columns:
        return Layout(1, 0, last_rows=1)
    return None


def resolve(config: NetworkConfig, game: Game) -> NetworkConfig:
    """The config with every `auto` filled in; an error where the game cannot have what was asked for."""
    if not game.planes_shape or not game.has("encode"):
        raise BadNetworkError(f"{game.name} has no function encode, which a network needs")
    if not (game.num_seats == 1 or game.is_opposed):
        raise BadNetworkError(f"{game.name}: networks play games of one seat, or of two with opposite payoffs")
    is_board = len(game.planes_shape) == 3
    kind = pick(config.kind, "residual" if is_board else "mlp")
    if kind == "residual" and not is_board:
        raise BadNetworkError(f"{game.name}: its input is no board, so that its network must be of the kind mlp")
    policy = pick(config.policy, natural_policy(game)) if kind == "residual" else pick(config.policy, "flat")
    if policy not in possible_policies(game, kind):
        raise BadNetworkError(f"{game.name}: its {game.num_actions} actions do not lie on {policy}; take policy=flat")
    value = pick(config.value, "scores" if game.num_seats == 1 else "wdl")
    return replace(config, kind=kind, policy=policy, value=value)


def pick(wanted: str, natural: str) -> str:
    return natural if wanted == AUTO else wanted


def natural_policy(game: Game) -> str:
    """The head that keeps most of the board's geometry."""
    possible = possible_policies(game, "residual")
    return next(kind for kind in ("cells", "columns", "flat") if kind in possible)


def possible_policies(game: Game, kind: str) -> list[str]:
    """The policy heads that this game's sizes allow; flat is always one."""
    if kind == "mlp":
        return ["flat"]
    on_cells = ["cells"] if layout_of(game.planes_shape, game.num_actions) else []
    return ["flat", *on_cells, *(["columns"] if game.num_actions == game.planes_shape[2] else [])]


def fits(config: NetworkConfig, planes_shape: tuple[int, ...], num_actions: int, game: Game) -> bool:
    """Whether a network that was made for these sizes of a game works for this one: the same, or any on its board."""
    ours = game.planes_shape, game.num_actions
    if ours == (planes_shape, num_actions):
        return True
    if config.kind != "residual" or len(planes_shape) != 3 or planes_shape[:1] != game.planes_shape[:1]:
        return False
    if config.policy == "columns":
        return num_actions == planes_shape[2] and game.num_actions == game.planes_shape[2]
    layout = layout_of(planes_shape, num_actions) if config.policy == "cells" else None
    return layout is not None and layout == layout_of(*ours)
