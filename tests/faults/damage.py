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
    root = next(
        parent
        for parent in path.parents
        if (parent / "config.toml").exists() or parent.name == "run"
    )
    others = sorted(file for file in root.rglob("*") if file.is_file() and file != path)
    alike = [file for file in others if file.suffix == path.suffix] or others
    path.write_bytes(alike[rng.integers(len(alike))].read_bytes())


def empty(path: Path, rng: Rng) -> None:
    path.write_bytes(b"")


def end_lines_otherwise(path: Path, rng: Rng) -> None:
    """As an editor of another system does; at the end, where there are no lines."""
    content = path.read_bytes()
    path.write_bytes(content.replace(b"\n", b"\r\n") if b"\n" in content else content + b"\r\n")


def link_to_nowhere(path: Path, rng: Rng) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def link_to_itself(path: Path, rng: Rng) -> None:
    """There, and yet it cannot be read, not even by root."""
    path.unlink()
    path.symlink_to(path.name)


def make_folder(path: Path, rng: Rng) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").touch()


DAMAGES = {
    "flip": flip_a_bit,
    "cut": cut,
    "zeros": write_zeros,
    "delete": delete,
    "another": copy_another,
}
DAMAGES |= {
    "empty": empty,
    "lines": end_lines_otherwise,
    "dangling": link_to_nowhere,
    "unreadable": link_to_itself,
}
DAMAGES |= {"folder": make_folder}
