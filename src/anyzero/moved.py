"""Old names of modules, which go on for one release with a sentence that names the new one.

Each has a file of its own, which asks for its stand-in here. With the next release those files, and
this one, are deleted.
"""

import importlib
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = str(Path(__file__).parent)

MOVED = {
    "anyzero.compile.bits": "anyzero.core.compile.bits",
    "anyzero.compile.random": "anyzero.core.compile.random",
    "anyzero.doctor.examine": "anyzero.tools.doctor.examine",
    "anyzero.errors": "anyzero.core.base.errors",
    "anyzero.experiments": "anyzero.tools.lab",
    "anyzero.games.contract": "anyzero.core.game.contract",
    "anyzero.games.game": "anyzero.core.game.game",
    "anyzero.games.load": "anyzero.core.game.load",
    "anyzero.games.rollouts": "anyzero.core.game.rollouts",
    "anyzero.networks.evaluator": "anyzero.core.nets.evaluator",
    "anyzero.networks.weights": "anyzero.core.nets.weights",
    "anyzero.players": "anyzero.tools.players",
    "anyzero.records.files": "anyzero.app.records.files",
    "anyzero.records.in_progress": "anyzero.app.records.in_progress",
}
"""The module that stands behind each old name."""


def stand_in(old: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has only its old name left; warns whoever imports it."""
    new = MOVED[old]
    sentence = f"{old} is now {new}; the old name goes with the next release"
    file, line = importer()
    warnings.warn_explicit(sentence, FutureWarning, file, line)
    module = importlib.import_module(new)

    def look_up(name: str) -> Any:
        if name == "__path__":  # a package's modules would be loaded a second time
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        return getattr(module, name)

    return look_up


def importer() -> tuple[str, int]:
    """The file and line of the import: of a game's file, not of what loads it for us."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and (
        frame.f_code.co_filename.startswith((PACKAGE, "<frozen importlib"))
    ):
        frame = frame.f_back
    return ("<unknown>", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
