"""Games and nets for other programs: ONNX, C, WebAssembly, and the page without a server."""

from anyzero.extras.browser.ahead import compile_object
from anyzero.extras.browser.wasm_memory import can_run_wasm, check_wasm, compile_wasm

__all__ = ["COMPILERS", "can_run_wasm", "check_wasm"]

COMPILERS = {"object": compile_object, "wasm": compile_wasm}
"""What `compile_kernel` calls for these targets."""
