"""The actor's side: a process on a node of the cluster that does one job at a time."""

import contextlib
import hashlib
import importlib
import os
import platform
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from anyzero import stopping
from anyzero.cluster.jobs import Kind, Shared
from anyzero.errors import AnyzeroError
from anyzero.files import cache_folder, remove_unused

DONE, STOPPED, FAILED = "done", "stopped", "failed"


class Worker:
    def __init__(self, kind: Kind) -> None:
        self.kind, self.number, self.lock = kind, -1, threading.Lock()

    def hello(self) -> dict[str, str]:
        """What this process is, and what is wrong with it."""
        return {**facts(), "fault": missing_gpu() if self.kind.gpus else ""}

    def run(
        self, number: int, function: str, arguments: dict[str, Any], files: Shared | None
    ) -> tuple[str, Any, float]:
        """What came of it, the result or a sentence, and the seconds that it took."""
        with self.lock:
            self.number = number
            stopping.forget()
        start = time.monotonic()
        try:
            if files is not None:
                os.chdir(unpack(files))
            module, _, name = function.partition(":")
            kind, value = DONE, getattr(importlib.import_module(module), name)(self.kind, **arguments)
        except KeyboardInterrupt:
            kind, value = STOPPED, "it was stopped"
        except AnyzeroError as error:
            kind, value = FAILED, str(error)
        except Exception as error:
            kind, value = FAILED, f"{type(error).__name__}: {error}"
        with self.lock:
            self.number = -1
        return kind, value, time.monotonic() - start

    def stop(self, number: int) -> None:
        """Leave this job at its next step, if it is still under way."""
        with self.lock:
            if self.number == number:
                stopping.ask()


def unpack(files: Shared) -> Path:
    """A folder with these files and no others. Its name is that of its content: code compiled for it is found again."""
    folder = cache_folder() / "bundles" / files.key
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_unused(folder.parent)
        beside = Path(tempfile.mkdtemp(dir=folder.parent))
        for name, content in files.get().items():
            (beside / name).parent.mkdir(parents=True, exist_ok=True)
            (beside / name).write_bytes(content)
        with contextlib.suppress(OSError):  # another actor was faster
            beside.rename(folder)
        shutil.rmtree(beside, ignore_errors=True)
    os.utime(folder)
    return folder


def missing_gpu() -> str:
    """A sentence if the GPU that Ray has given this process is not there."""
    import torch

    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return "" if torch.cuda.is_available() else f"Ray gives its GPU {given} to a process, but torch finds none there"


def facts() -> dict[str, str]:
    """What must be the same here and there for results to be the same."""
    import numba
    import numpy
    from numba.core.registry import cpu_target

    from anyzero import __version__

    processor = cpu_target.target_context.codegen().magic_tuple()
    return {
        "anyzero": f"{__version__} ({source_hash()})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "processor": " ".join(processor[1:]),
    }


def source_hash() -> str:
    package, found = Path(__file__).parent.parent, hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:8]
