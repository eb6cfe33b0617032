"""How Numba compiles what only other compiled code calls: as a part to be linked, never as code of its own.

Numba makes every function executable by itself, together with all that it calls, although only the kernel at the top is
ever called from Python. Without that, a kernel of eighty functions is ready in about half the time.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class CalleeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into its callers; they optimise it with their own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is nothing to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return NoEnvironment()


class NoEnvironment:
    """Executable code has an environment for its exceptions; a part that is linked has none."""

    def set_env(self, name: str, environment: Any) -> None:
        """Leave it unset."""


class CalleeCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with that kind of library."""

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = CalleeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()
