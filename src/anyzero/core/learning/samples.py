"""Samples: the training target of one position. Positions are stored, and inputs are encoded when
needed.
"""

import math
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anyzero.core.base.nouns import States
from anyzero.core.base.sealed import DamagedError, Form, read_arrays, write_arrays
from anyzero.core.game.game import Game, game_text
from anyzero.core.game.rollouts import encode_states

CHUNK = 4096  # positions encoded at a time for their keys


class Samples(NamedTuple):
    """Columns of equal length, one row per position."""

    # [samples]: positions; at a chance node the afterstate, which has a value target but no policy
    states: Any
    keys: np.ndarray  # [samples] uint64: equal inputs have equal keys
    actions: np.ndarray  # [samples, max_legal] int16: the legal actions, ascending; padded with -1
    policies: (
        np.ndarray
    )  # [samples, max_legal] float16: the policy after search, in the order of `actions`
    policy_weights: np.ndarray  # [samples] float32: 0 if there is no policy to learn
    payoffs: np.ndarray
    """[samples] float32: the game's result for the seat to move; at a chance node, for the first
    seat.
    """
    values: np.ndarray  # [samples] float32: the value after search, for the same seat
    plies: np.ndarray  # [samples] int16
    lengths: np.ndarray  # [samples] int16: plies of the whole game
    generations: np.ndarray  # [samples] int32: of the games
    ages: (
        np.ndarray
    )  # [samples] int32: how many generations older than the newest the playing network was
    weights: np.ndarray  # [samples] float32
    others: np.ndarray
    """[samples, values - 1] float32: the results of the following seats, in turn, where one does
    not determine all.
    """
    seats: (
        np.ndarray
    )  # [samples] int8: that seat, until the game is over; then 0, and not stored in files
    surprises: (
        np.ndarray
    )  # [samples] float32: KL(policy || priors) in nats, for a block's weights; not stored in files

    @property
    def num(self) -> int:
        return len(self.keys)


LATER_KNOWN = ("keys", "generations", "ages", "weights")  # columns filled in after the game


def new_samples(game: Game, num: int) -> Samples:
    return Samples(
        states=game.new_states(num),
        keys=np.zeros(num, np.uint64),
        actions=np.full((num, game.max_legal), -1, np.int16),
        policies=np.zeros((num, game.max_legal), np.float16),
        **{name: np.ones(num, np.float32) for name in ("policy_weights", "weights")},
        **{name: np.zeros(num, np.float32) for name in ("payoffs", "values", "surprises")},
        **{name: np.zeros(num, np.int16) for name in ("plies", "lengths")},
        **{name: np.zeros(num, np.int32) for name in ("generations", "ages")},
        others=np.zeros((num, game.num_values - 1), np.float32),
        seats=np.zeros(num, np.int8),
    )


def take(samples: Samples, rows: Any) -> Samples:
    """A subset of the rows: a slice, indices or a mask."""
    return Samples(*(column[rows] for column in samples))


def join(parts: list[Samples]) -> Samples:
    """The rows of all parts, in order; requires at least one part, and does not copy a single
    one.
    """
    if len(parts) == 1:
        return parts[0]
    return Samples(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def input_keys(game: Game, states: States) -> np.ndarray:
    """A 64-bit key of each position's input: the sum of its words, each times a random odd
    number.
    """
    keys = np.zeros(len(states), np.uint64)
    num = math.prod(game.planes_shape)
    factors = np.random.default_rng(0).integers(0, 1 << 63, num, np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    for first in range(0, len(states), CHUNK):
        planes = encode_states(game, states[first : first + CHUNK])
        words = planes.reshape(len(planes), -1).view(np.uint32).astype(np.uint64)
        keys[first : first + CHUNK] = (words * factors).sum(axis=1, dtype=np.uint64)
    return keys


def surprise_weights(samples: Samples, share: float) -> np.ndarray:
    """Weights with mean 1 over a block, `share` of them by surprise."""
    searched = samples.policy_weights > 0.0
    mean = float(samples.surprises[searched].mean(dtype=np.float64)) if searched.any() else 0.0
    relative = samples.surprises / mean if mean > 0.0 else np.ones(samples.num, np.float32)
    return np.where(searched, 1.0 - share + share * relative, 1.0).astype(np.float32)


# --- files


# the header's entry with the type and shape of each column; files without it are uncompressed
PACKED = "packed"
PACKING_LEVEL = 1
"""zlib level: a tenth of the bytes for chess, a quarter for Connect Four; higher levels cost more
than they save.
"""
TRIMMED = ("actions", "policies")  # columns written only as wide as the row with the most actions
LATER = {"ages"}  # columns missing in older files; they stay zero


class BadShardError(DamagedError):
    """A file without samples of this game, or with damaged ones."""


FIELDS = {"game": str, "options": dict, "state": str, "num": int}
SHARD = Form("file of samples", 1, FIELDS, BadShardError, optional=(PACKED,))


def save_shard(path: Path | str, game: Game, samples: Samples) -> None:
    """Write samples atomically: `path` holds all of them or none."""
    columns = to_columns(samples)
    forms = {name: [column.dtype.str, list(column.shape)] for name, column in columns.items()}
    packed = {
        name: zlib.compress(column.tobytes(), PACKING_LEVEL) for name, column in columns.items()
    }
    header = {
        "game": game.name,
        "options": dict(game.options),
        "state": state_fields(game),
        "num": samples.num,
    }
    arrays = {name: np.frombuffer(content, np.uint8) for name, content in packed.items()}
    write_arrays(Path(path), SHARD, {**header, PACKED: forms}, arrays)


def load_shard(path: Path | str, game: Game) -> Samples:
    header, columns = read_arrays(Path(path), SHARD)
    if (header["game"], header["options"]) != (game.name, dict(game.options)):
        made_for = game_text(header["game"], header["options"])
        raise BadShardError(
            f"{path} holds samples of {made_for}, not of {game_text(game.name, game.options)}"
        )
    if header["state"] != state_fields(game):
        now = f"those of {game.name} are now of {state_fields(game)}"
        raise BadShardError(f"{path} holds positions of {header['state']}, but {now}")
    for name, (kind, shape) in header.get(PACKED, {}).items():
        columns[name] = np.frombuffer(zlib.decompress(columns[name].tobytes()), kind).reshape(shape)
    samples = new_samples(game, header["num"])
    wanted = {name: column for name, column in samples._asdict().items() if is_kept(name, column)}
    wanted["states"] = as_bytes(samples.states)
    if set(columns) | LATER != set(wanted):
        raise BadShardError(f"{path} does not hold the columns that samples have")
    for name, found in columns.items():
        column = wanted[name]
        room = column[:, : found.shape[1]] if name in TRIMMED and found.ndim == 2 else column
        if (found.shape, found.dtype) != (room.shape, room.dtype):
            shape = f"{found.dtype} {found.shape}"
            raise BadShardError(
                f"{path}: its column {name!r} is {shape}, not {room.dtype} {room.shape}"
            )
        room[...] = found
    return samples


def to_columns(samples: Samples) -> dict[str, np.ndarray]:
    """Plain arrays by name: positions as bytes, actions and policies as narrow as possible."""
    columns = dict(samples._asdict())
    columns["states"] = as_bytes(np.ascontiguousarray(samples.states))
    widest = int((samples.actions >= 0).sum(axis=1).max(initial=0))
    for name in TRIMMED:
        columns[name] = columns[name][:, :widest]
    return {
        name: np.ascontiguousarray(column)
        for name, column in columns.items()
        if is_kept(name, column)
    }


def is_kept(name: str, column: np.ndarray) -> bool:
    """Whether files have this column: games of one or two seats need no `others`."""
    return name not in ("seats", "surprises") and (name != "others" or column.shape[1] > 0)


def as_bytes(states: States) -> np.ndarray:
    """The memory of positions, [positions, bytes]."""
    return np.asarray(states.view(np.uint8).reshape(len(states), states.dtype.itemsize))


def state_fields(game: Game) -> str:
    """The fields of a position, as text that changes with them."""
    return f"{game.state_dtype.itemsize} bytes: {game.state_dtype.descr}"
