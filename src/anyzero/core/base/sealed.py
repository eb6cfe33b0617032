"""Files on which results depend. Each has a hash of its content, and is read complete and unchanged
or not at all.

An error is one sentence that names the file. The reader then makes it again, or refuses to
continue: nothing damaged or edited is used.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.files import parse_object, reading, write_whole
from anyzero.core.base.nouns import NamedValues, Values

SEAL = "seal"
HASH = "sha256"


class DamagedError(AnyzeroError):
    """A file that has changed since it was written, or is missing."""


# --- JSON objects


def seal_of(values: NamedValues, context: str = "") -> str:
    """The hash of an object's content and of where it belongs: even a changed number is noticed."""
    rest = {name: value for name, value in values.items() if name != SEAL}
    return hashlib.sha256((context + json.dumps(rest, sort_keys=True)).encode()).hexdigest()


def write_sealed(path: Path, form: str, values: NamedValues) -> Values:
    """Write an object of this form atomically; returns the file's content."""
    sealed: Values = {"form": form, **values}
    sealed[SEAL] = seal_of(sealed)
    write_whole(path, (json.dumps(sealed, indent=1) + "\n").encode())
    return sealed


def read_object(path: Path) -> Values:
    if not path.is_file():
        raise DamagedError(f"it has no {path.name}")
    with reading(path):
        content = parse_object(path.read_bytes())
    if content is None:
        raise DamagedError(f"{path.name} is damaged")
    return content


def read_sealed(path: Path, form: str) -> Values:
    """The object of this form in a file; DamagedError if it is anything else."""
    content = read_object(path)
    if content.get("form") != form or content.get(SEAL) != seal_of(content):
        raise DamagedError(f"{path.name} is damaged, or of another version of anyzero")
    return content


# --- files that an object describes


def describe_file(path: Path) -> Values:
    with reading(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, HASH).hexdigest()
        return {"size": file.tell(), HASH: digest}


def check_file(path: Path, description: object, by: str = "the manifest") -> None:
    """DamagedError unless the file has the recorded size and hash."""
    if not path.is_file():
        raise DamagedError(f"it has no {path.name}")
    if describe_file(path) != description:
        raise DamagedError(f"{path.name} is not what {by} says")


# --- arrays


class Form(NamedTuple):
    """A kind of file with named arrays and a header that describes them."""

    noun: str
    number: int  # of the format
    fields: Mapping[str, type]  # fields of the header besides its format and hash
    error: Callable[[str], AnyzeroError]
    optional: tuple[str, ...] = ()  # fields missing in files of earlier versions


HEADER_KEY = "anyzero"


def write_arrays(
    path: Path, form: Form, header: NamedValues, arrays: Mapping[str, np.ndarray]
) -> None:
    """Write arrays atomically: `path` holds the complete old file or the complete new one."""
    from safetensors.numpy import save  # not needed by a search without a network

    full: Values = {"format": form.number, **header}
    full[HASH] = _checksum(full, arrays)
    write_whole(path, save(dict(arrays), {HEADER_KEY: json.dumps(full, sort_keys=True)}))


def read_arrays(path: Path, form: Form) -> tuple[Values, dict[str, np.ndarray]]:
    """The header and the arrays of a file, bit for bit as written."""
    from safetensors import SafetensorError, safe_open

    try:
        if not path.is_file():
            raise form.error(f"there is no {form.noun} {path}")
        with safe_open(path, framework="np") as file:
            header = _parse_header(path, form, file.metadata() or {})
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise form.error(f"cannot read {path}: {error.strerror or error}") from None
    except (
        SafetensorError,
        TypeError,
    ) as error:  # a TypeError: a number type that NumPy does not have
        raise form.error(f"{path} is not a {form.noun}, or only a part of one ({error})") from None
    if header.pop(HASH, None) not in (None, _checksum(header, arrays)):
        raise form.error(f"{path} is damaged: its checksum does not match its content")
    return header, arrays


def _parse_header(path: Path, form: Form, metadata: Mapping[str, str]) -> Values:
    """The header with exactly the fields of this form."""
    if HEADER_KEY not in metadata:
        raise form.error(f"{path} was not written by anyzero: it has no header")
    header = parse_object(metadata[HEADER_KEY])
    if header is None or type(header.get("format")) is not int:
        raise form.error(f"{path} has a header that cannot be read")
    if header["format"] != form.number:
        raise form.error(
            f"{path} has format {header['format']}; this version of anyzero reads format "
            f"{form.number}"
        )
    for name, kind in {**form.fields, HASH: str}.items():
        if name not in form.optional and type(header.get(name)) is not kind:
            raise form.error(f"{path} has a header without a valid {name!r}")
    if unknown := sorted(
        {*header, *metadata} - {*form.fields, *form.optional, "format", HASH, HEADER_KEY}
    ):
        raise form.error(f"{path} has a header with an unknown {unknown[0]!r}")
    return header


def _checksum(header: NamedValues, arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of the header, and of every array with its name, type and shape."""
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return digest.hexdigest()
