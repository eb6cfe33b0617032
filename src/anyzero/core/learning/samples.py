"""Samples: the training target of one position. Positions are stored, and inputs are encoded when
needed.

The game loop writes rows. When a game is over its rows are complete, and `finish_rows` makes
samples of them; what a run adds, `in_generation`, and what it replaces, `expectations.expect` and
`replay.merge`, are new samples. `COLUMNS` says what each column means, and from when on.
"""

import math
import zlib
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from anyzero.core.base.nouns import Numbers, States
from anyzero.core.base.sealed import DamagedError, Form, read_arrays, write_arrays
from anyzero.core.game.game import Game, game_text
from anyzero.core.game.rollouts import encode_states

CHUNK = 4096  # positions encoded at a time for their keys

# from when on a column is valid
SEARCH = "its search"
END = "the game's end"
FINISH = "the finished block"
# how wide a column is: a number, or one for each
ACTION = "legal action"
OTHER = "following seat"


class Column(NamedTuple):
    """A column of rows, of samples, or of both: what it means from when on."""

    dtype: str  # of rows; that of states is the game's
    since: str
    meaning: str
    width: str = ""


COLUMNS = {
    "states": Column("state", SEARCH, "the position; before a draw it has no policy to learn"),
    "seats": Column("int8", SEARCH, "the seat to move; before a draw the first seat"),
    "actions": Column("int16", SEARCH, "the legal actions, ascending; padded with -1", ACTION),
    "policies": Column("float32", SEARCH, "the policy after search; samples: float16", ACTION),
    "policy_weights": Column("float32", SEARCH, "0 if there is no policy to learn, else 1"),
    "surprises": Column("float32", SEARCH, "KL(policy || priors) in nats"),
    "plies": Column("int16", SEARCH, "moves before this position"),
    "lengths": Column("int16", END, "plies of the whole game"),
    "payoffs": Column("float32", END, "the seat's result; the value, if the game was cut off"),
    "values": Column("float32", END, "the value after search for the seat, and what is traced"),
    "others": Column("float32", END, "the results of the following seats, in turn", OTHER),
    "keys": Column("uint64", FINISH, "equal for equal inputs; 0 if left out"),
    "generations": Column("int32", FINISH, "of the games; 0 outside a run"),
    "ages": Column("int32", FINISH, "generations by which the playing network was older"),
    "weights": Column("float32", FINISH, "how much it counts in training; 1 on average"),
}
"""Every column. A value before a draw is that of the next position, at the end the payoff. Where
one value does not determine those of the other seats, `others` has their results; elsewhere it is
empty.
"""


class Rows(NamedTuple):
    """What the game loop writes, one row per position; complete once the game is over."""

    states: States
    actions: np.ndarray
    policies: np.ndarray  # float16 on a GPU; the kernels of a CPU have no such numbers
    policy_weights: np.ndarray
    payoffs: np.ndarray
    values: np.ndarray
    plies: np.ndarray
    lengths: np.ndarray
    others: np.ndarray
    seats: np.ndarray
    surprises: np.ndarray

    @property
    def num(self) -> int:
        return len(self.plies)


class Samples(NamedTuple):
    """Finished samples, one per position, as files hold them."""

    states: States
    keys: np.ndarray
    actions: np.ndarray
    policies: np.ndarray  # float16
    policy_weights: np.ndarray
    payoffs: np.ndarray
    values: np.ndarray
    plies: np.ndarray
    lengths: np.ndarray
    generations: np.ndarray
    ages: np.ndarray
    weights: np.ndarray
    others: np.ndarray

    @property
    def num(self) -> int:
        return len(self.keys)


Table = TypeVar("Table", Rows, Samples)


def new_column(game: Game, name: str, num: int) -> np.ndarray:
    column = COLUMNS[name]
    if name == "states":
        return np.asarray(game.new_states(num))
    widths = {"": (), ACTION: (game.max_legal,), OTHER: (game.num_values - 1,)}
    padding = -1 if name == "actions" else int(name in ("policy_weights", "weights"))
    return np.full((num, *widths[column.width]), padding, column.dtype)


def new_rows(game: Game, num: int) -> Rows:
    return Rows(**{name: new_column(game, name, num) for name in Rows._fields})


def new_samples(game: Game, num: int) -> Samples:
    columns = {name: new_column(game, name, num) for name in Samples._fields}
    return Samples(**columns)._replace(policies=columns["policies"].astype(np.float16))


def finish_rows(game: Game, rows: Rows, *, keys: bool = True) -> Samples:
    """The samples of finished games, of which no run knows yet; without keys on request."""
    fresh = new_samples(game, rows.num)
    shared = {name: column for name, column in rows._asdict().items() if name in Samples._fields}
    samples = fresh._replace(**shared)
    return samples._replace(
        policies=rows.policies.astype(np.float16, copy=False),
        keys=input_keys(game, rows.states) if keys else fresh.keys,
    )


def in_generation(samples: Samples, generation: int, *, age: int, weights: np.ndarray) -> Samples:
    """The same samples as part of a run; `age` is that of the network that played."""
    return samples._replace(
        generations=np.full(samples.num, generation, np.int32),
        ages=np.full(samples.num, age, np.int32),
        weights=weights,
    )


def surprise_weights(policy_weights: Numbers, surprises: Numbers, share: float) -> np.ndarray:
    """Weights with mean 1 over a block, `share` of them by surprise."""
    searched = policy_weights > 0.0
    mean = float(surprises[searched].mean(dtype=np.float64)) if searched.any() else 0.0
    relative = surprises / mean if mean > 0.0 else np.ones(len(surprises), np.float32)
    return np.where(searched, 1.0 - share + share * relative, 1.0).astype(np.float32)


def take(table: Table, rows: Numbers | slice) -> Table:
    """A subset of the rows: a slice, indices or a mask."""
    return type(table)(*(column[rows] for column in table))


def join(parts: list[Table]) -> Table:
    """The rows of all parts, in order; requires at least one part, and does not copy a single
    one.
    """
    if len(parts) == 1:
        return parts[0]
    columns = zip(*parts, strict=True)
    return type(parts[0])(*(np.concatenate(column) for column in columns))


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
    kept = {name: column for name, column in samples._asdict().items() if is_kept(name, column)}
    kept["states"] = as_bytes(samples.states)
    if set(columns) | LATER != set(kept):
        raise BadShardError(f"{path} does not hold the columns that samples have")
    for name, stored in columns.items():
        column = kept[name]
        room = column[:, : stored.shape[1]] if name in TRIMMED and stored.ndim == 2 else column
        if (stored.shape, stored.dtype) != (room.shape, room.dtype):
            shape = f"{stored.dtype} {stored.shape}"
            raise BadShardError(
                f"{path}: its column {name!r} is {shape}, not {room.dtype} {room.shape}"
            )
        room[...] = stored
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
    return name != "others" or column.shape[1] > 0


def as_bytes(states: States) -> np.ndarray:
    """The memory of positions, [positions, bytes]."""
    return np.asarray(states.view(np.uint8).reshape(len(states), states.dtype.itemsize))


def state_fields(game: Game) -> str:
    """The fields of a position, as text that changes with them."""
    return f"{game.state_dtype.itemsize} bytes: {game.state_dtype.descr}"
