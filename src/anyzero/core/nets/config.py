"""The architecture of a network: one config, its text (`4x64`, `medium`), and its resolution for a
game.
"""

import re
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from anyzero.core.base.errors import AnyzeroError, check_name
from anyzero.core.base.schema import Schema
from anyzero.core.game.game import Game

AUTO = "auto"
FLAT_PLANES = 8  # channels per cell that a flat policy head sees
LEAST_HIDDEN = 32  # minimum units of the value head
MOST_EXTRAS = 4
"""More extra actions than this are not passes or swaps, but an unknown layout."""


class BadNetworkError(AnyzeroError):
    """A network that does not fit its game, or a file without a network."""


class NetworkConfig(Schema):
    """The size and the heads of a network; `auto` is filled in from the game by `resolve`."""

    noun: ClassVar[str] = "a network"
    kind: Literal["auto", "residual", "mlp"] = "auto"
    """residual for boards, mlp for other inputs."""
    blocks: int = Field(4, ge=1, le=200)
    """Residual: number of blocks, of two convolutions each."""
    channels: int = Field(64, ge=1, le=4096)
    """Residual: channels per convolution."""
    pool_every: int = Field(2, ge=0, le=200)
    """Residual: every n-th block has global pooling, starting with the first; 0: none."""
    layers: int = Field(3, ge=1, le=200)
    """MLP: number of hidden layers."""
    width: int = Field(256, ge=1, le=65536)
    """MLP: units per hidden layer."""
    policy: Literal["auto", "cells", "columns", "flat"] = "auto"
    """Policy head: cells (logits per cell), columns (one logit per column) or flat (one linear
    layer).
    """
    value: Literal["auto", "scalar", "wdl", "scores"] = "auto"
    """Value head: scalar (tanh), wdl (win, draw, loss) or scores (a distribution over bins of the
    payoff).
    """
    bins: int = Field(51, ge=2, le=4096)
    """Value head `scores`: number of bins from -1 to 1."""
    has_policy: bool = True
    """Decided by the run: what expectimax trains has values alone, and only expectimax plays it."""


PRESETS = {
    "tiny": NetworkConfig(blocks=2, channels=16, layers=2, width=64),
    "small": NetworkConfig(blocks=4, channels=32, layers=3, width=128),
    "medium": NetworkConfig(blocks=6, channels=64, layers=4, width=256),
    "large": NetworkConfig(blocks=10, channels=128, layers=6, width=512),
}


def parse_network(text: str) -> NetworkConfig:
    """A preset's name, or depth x width: `4x64` is 4 blocks of 64 channels, or 4 layers of 64
    units.
    """
    size = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", text.strip())
    if size:
        depth = int(size[1])
        wide = int(size[2])
        return NetworkConfig(blocks=depth, channels=wide, layers=depth, width=wide)
    check_name("network", text.strip(), PRESETS, ", or blocks x channels like 4x64")
    return PRESETS[text.strip()]


def support_of(config: NetworkConfig) -> list[float]:
    """The payoffs over which the value head gives a distribution; empty for a scalar."""
    if config.value == "scalar":
        return []
    if config.value == "wdl":
        return [1.0, 0.0, -1.0]
    return [2.0 * index / (config.bins - 1) - 1.0 for index in range(config.bins)]


def hidden_units(inputs: int) -> int:
    return max(LEAST_HIDDEN, inputs // 2)


class Layout(NamedTuple):
    """How actions map to a board: action = cell * planes + plane, then the extras, which belong to
    no cell.
    """

    planes: int
    extras: int = 0
    last_rows: int = 0
    """Rows at the end of the board whose cells have no action (a domino's lower cell is never in
    the last).
    """


def layout_of(planes_shape: tuple[int, ...], num_actions: int) -> Layout | None:
    """The layout over cells that is consistent with these sizes, or None."""
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
    """The config with every `auto` filled in; an error if the game does not allow a choice."""
    if not game.planes_shape or not game.has("encode"):
        raise BadNetworkError(f"{game.name} has no function encode, which a network needs")
    is_board = len(game.planes_shape) == 3
    kind = config.kind if config.kind != AUTO else "residual" if is_board else "mlp"
    if kind == "residual" and not is_board:
        raise BadNetworkError(
            f"{game.name}: its input is not a board, so its network must be an mlp"
        )
    possible = [
        "flat"
    ]  # what the sizes allow; first the one that preserves most of the board's geometry
    if kind == "residual" and game.num_actions == game.planes_shape[2]:
        possible.insert(0, "columns")
    if kind == "residual" and layout_of(game.planes_shape, game.num_actions):
        possible.insert(0, "cells")
    policy = config.policy if config.policy != AUTO else possible[0]
    if policy not in possible:
        raise BadNetworkError(
            f"{game.name}: its {game.num_actions} actions do not map to {policy}; use policy=flat"
        )
    value = config.value if config.value != AUTO else "scores" if game.num_seats == 1 else "wdl"
    return config.change(kind=kind, policy=policy, value=value)


def fits(
    config: NetworkConfig, planes_shape: tuple[int, ...], num_actions: int, game: Game
) -> bool:
    """Whether a network made for these sizes works for this game: the same sizes, or any size on
    its board.
    """
    ours = game.planes_shape, game.num_actions
    if ours == (planes_shape, num_actions):
        return True
    if (
        config.kind != "residual"
        or len(planes_shape) != 3
        or planes_shape[:1] != game.planes_shape[:1]
    ):
        return False
    if config.policy == "columns":
        return num_actions == planes_shape[2] and game.num_actions == game.planes_shape[2]
    layout = layout_of(planes_shape, num_actions) if config.policy == "cells" else None
    return layout is not None and layout == layout_of(*ours)
