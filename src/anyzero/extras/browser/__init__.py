"""Games and nets for other programs: ONNX, C, WebAssembly, and the page without a server."""

import importlib
from collections.abc import Callable
from typing import Any

from anyzero.extras.browser.ahead import compile_object
from anyzero.extras.browser.wasm_memory import can_run_wasm, check_wasm, compile_wasm

__all__ = ["COMPILERS", "can_run_wasm", "check_wasm", "exporter"]

COMPILERS = {"object": compile_object, "wasm": compile_wasm}
"""What `compile_kernel` calls for these targets."""

EXPORTERS = {
    "c": "anyzero.extras.browser.c:export_c",
    "onnx": "anyzero.extras.browser.onnx:export_onnx",
    "wasm": "anyzero.extras.browser.wasm_files:export_wasm",
    "web": "anyzero.extras.browser.page:export_web",
}
"""The function that writes each kind of file."""


def exporter(kind: str) -> Callable[..., Any]:
    """The function that writes files of this kind, loaded only now: compiling needs none."""
    module, _, name = EXPORTERS[kind].partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
