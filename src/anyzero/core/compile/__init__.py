"""Plain functions to machine code: CPU, CUDA, WebAssembly and interpreted, one disk cache, bits and
random streams.

A *kernel* is a plain module-level function over arrays and records. It may call other plain
functions, the intrinsics of `bits`, and generic functions that are placeholders for the game's own.
`compile_kernel` rebuilds it with those names filled in and compiles the result for one target.
"""

from anyzero.core.compile.kernels import TARGETS, LateKernel, Unit, compile_kernel

__all__ = ["TARGETS", "LateKernel", "Unit", "compile_kernel"]
