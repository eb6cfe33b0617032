"""What can happen to a file."""

from pathlib import Path

import numpy as np

Rng = np.random.Generator


def flip_a_bit(path: Path, rng: Rng) -> None:
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)


def cut(path: Path, rng: Rng) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.integers(len(content))])


def write_zeros(path: Path, rng: Rng) -> None:
    """Over a part, as a disk may do that lost a block."""
    content = bytearray(path.read_bytes())
    first, last = sorted(rng.integers(len(content) + 1, size=2).tolist())
    content[first:last] = bytes(last - first)
    path.write_bytes(content)


def delete(path: Path, rng: Rng) -> None:
    path.unlink()


def copy_another(path: Path, rng: Rng) -> None:
    """The content of a file of the same kind, else of any."""
    root = next(parent for parent in path.parents if (parent / "config.toml").exists() or parent.name == "run")
    others = sorted(file for file in root.rglob("*") if file.is_file() and file != path)
    alike = [file for file in others if file.suffix == path.suffix] or others
    path.write_bytes(alike[rng.integers(len(alike))].read_bytes())


DAMAGES = {"flip": flip_a_bit, "cut": cut, "zeros": write_zeros, "delete": delete, "another": copy_another}
