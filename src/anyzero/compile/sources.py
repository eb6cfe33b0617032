"""Which source files can reach a kernel, and one hash over them: the key of the disk cache.

Numba watches only the file of the function that it compiles. A kernel also holds the code of the game, of its helpers
and every constant that they import, so the key covers each file that the modules involved import, all the way down.
Installed packages of others are left out: their versions are part of the key instead.
"""

import ast
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType


class NoSourceError(Exception):
    """A module has no file (typed at a prompt, say), so that nothing could tell when it changes."""


def source_hash(*module_names: str) -> str:
    """A hash over the files of these modules and of everything of theirs that they import."""
    digest = hashlib.sha256()
    packages = {name.partition(".")[0] for name in module_names}
    for path in sorted(reachable_files(module_names, packages)):
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def hash_texts(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def reachable_files(module_names: tuple[str, ...], packages: set[str]) -> set[Path]:
    """The files of the modules named, of the packages given, and of any import that is not installed."""
    waiting, seen, files = list(module_names), set[str](), set[Path]()
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in seen or module is None:
            continue
        seen.add(name)
        path = file_of(module)
        if path is None:
            if name in module_names:
                raise NoSourceError(name)
            continue
        if name.partition(".")[0] in packages or not is_installed(path):
            files.add(path)
            waiting.extend(imports_of(path, path.stat().st_mtime_ns, module.__package__ or ""))
    return files


def file_of(module: ModuleType) -> Path | None:
    name = getattr(module, "__file__", None)
    return Path(name).resolve() if name and name.endswith(".py") and Path(name).exists() else None


@cache
def installed_folders() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple(Path(paths[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib"))


def is_installed(path: Path) -> bool:
    return any(folder in path.parents for folder in installed_folders())


@cache
def imports_of(path: Path, _changed: int, package: str) -> tuple[str, ...]:
    """The modules that a file names in its import statements."""
    return tuple(imported_names(ast.parse(path.read_bytes()), package))


def imported_names(tree: ast.Module, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = importlib.util.resolve_name("." * node.level + base, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
