"""The numbers of a run as a file that TensorBoard reads, written here: its own package brings six others and 60 MB.

A file is a row of records: length, checksum, an `Event`, checksum. An event is a protocol buffer message, of which we
write the time, the step and scalar values (tensorboard/compat/proto/event.proto and summary.proto).
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anyzero.files import write_whole, writing

EVENTS = "events.out.tfevents.anyzero"
VERSION = b"brain.Event:2"

Timed = tuple[Mapping[str, Any], float]
"""A report, and when it was written."""


def update_events(path: Path, timed: Sequence[Timed]) -> None:
    """Let the file hold these reports; where it holds the first of them it is added to, as TensorBoard may read it."""
    content = b"".join(write_records(timed))
    old = path.read_bytes() if path.is_file() else b""
    if not old or not content.startswith(old):
        write_whole(path, content)
    elif len(content) > len(old):
        with writing(path), path.open("ab") as file:
            file.write(content[len(old) :])


def write_records(timed: Sequence[Timed]) -> Iterator[bytes]:
    yield record(double(1, timed[0][1] if timed else 0.0) + message(3, VERSION))
    for report, time in timed:
        values = [message(1, message(1, tag.encode()) + single(2, value)) for tag, value in scalars(report)]
        yield record(double(1, time) + whole(2, report["generation"]) + message(5, b"".join(values)))


def scalars(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Every number in a report, as `training/policy_loss`."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from scalars(value, f"{prefix}{name}/")
        elif isinstance(value, int | float) and f"{prefix}{name}" != "generation":
            yield f"{prefix}{name}", float(value)


# --- protocol buffers: a key (number * 8 + kind), then the value


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; not negative."""
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def whole(number: int, value: int) -> bytes:
    return varint(number << 3 | 0) + varint(value)


def double(number: int, value: float) -> bytes:
    return varint(number << 3 | 1) + struct.pack("<d", value)


def message(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def single(number: int, value: float) -> bytes:
    return varint(number << 3 | 5) + struct.pack("<f", value)


# --- records


def record(content: bytes) -> bytes:
    length = struct.pack("<Q", len(content))
    return length + masked(length) + content + masked(content)


def masked(content: bytes) -> bytes:
    """The checksum turned and moved, so that one of data with checksums in it is no accident."""
    found = crc32c(content)
    return struct.pack("<I", ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def crc32c(content: bytes) -> int:
    """Castagnoli's cyclic redundancy check (RFC 3720, appendix B.4)."""
    found = 0xFFFFFFFF
    for byte in content:
        found = found >> 8 ^ TABLE[(found ^ byte) & 0xFF]
    return found ^ 0xFFFFFFFF


def divide(value: int) -> int:
    """One byte of the division by the polynomial, bits reversed."""
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


TABLE = tuple(map(divide, range(256)))
