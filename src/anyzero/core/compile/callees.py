"""How Numba compiles a kernel of a hundred functions: each becomes a part, and the kernel links
them all once.

Numba makes every function executable by itself, optimised together with everything it calls,
although only the kernel at the top is called from Python. Here a callee is only translated;
linking, optimisation and code generation come once.
"""

from types import CodeType
from typing import Any

from llvmlite.binding import Linkage, newpassmanagers
from numba.core import ir, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import FunctionPass, register_pass

from anyzero.core.base.nouns import LlvmModule

Library = Any  # Numba's: the code of a function, and of what it calls
Codegen = Any  # Numba's, which turns modules of LLVM into machine code
CompilerState = Any  # of a function that Numba is compiling


class CalleeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that a kernel links and optimises with its own."""

    def _optimize_functions(self, ll_module: LlvmModule) -> None:
        tidy(ll_module, self._codegen)

    def finalize(self) -> None:
        """Do not link: the kernel links all parts together."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> LlvmModule:
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"
        return self._final_module

    def get_pointer_to_function(self, name: str) -> int:
        """A part has no address of its own."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "NoEnvironment":
        return NoEnvironment()


class RulesLibrary(CalleeLibrary):
    """Code of a game, also optimised by itself: without this Oware plays a quarter fewer random
    games per second.
    """

    def _optimize_functions(self, ll_module: LlvmModule) -> None:
        JITCodeLibrary._optimize_functions(self, ll_module)


class NoEnvironment:
    """Executable code has an environment for its exceptions; a linked part has none."""

    def set_env(self, name: str, environment: object) -> None:
        """Leave it unset."""


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The kernel's own code, and that of everything it calls."""

    def _optimize_functions(self, ll_module: LlvmModule) -> None:
        tidy(ll_module, self._codegen)

    def finalize(self) -> None:
        self._linking_libraries = callers_first(self)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Inline first, and optimise once; Numba optimises twice, for reference counts that kernels
        do not have.
        """
        missing = [
            function.name
            for function in self._final_module.functions
            if function.is_declaration and function.name[:3] == "_ZN"
        ]
        if missing:  # a call of it would jump to address 0
            raise RuntimeError(f"{self.name} was linked without {missing[0]}")
        own_parts(self._final_module)
        first = newpassmanagers.create_new_module_pass_manager()
        first.add_always_inliner_pass()
        first.add_global_dead_code_eliminate_pass()
        first.add_sroa_pass()  # turns memory written by `by_pointer` back into registers
        first.add_instruction_combine_pass()
        first.add_simplify_cfg_pass()
        first.run(self._final_module, self._codegen._pass_builder())
        rest, builder = self._codegen._module_pass_manager()
        rest.run(self._final_module, builder)


def own_parts(module: LlvmModule) -> None:
    """Make linked functions internal: LLVM then inlines those called once, and drops unused
    arguments.
    """
    for function in module.functions:
        if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
            function.linkage = "internal"


def callers_first(kernel: Library) -> list[Library]:
    """All parts of a kernel, callers before callees: the linker drops what has not been called so
    far.
    """
    parts = []
    visited = set()

    def visit(part: Library) -> None:
        visited.add(id(part))
        for other in part._linking_libraries:
            if id(other) not in visited:
                visit(other)
        parts.append(part)

    visit(kernel)
    return parts[-2::-1]


def tidy(module: LlvmModule, codegen: Codegen) -> None:
    """Simplify a translation: variables become values, and empty blocks are removed."""
    module.data_layout = codegen._data_layout
    passes = newpassmanagers.create_new_function_pass_manager()
    builder = codegen._pass_builder()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


@register_pass(mutates_CFG=False, analysis_only=False)
class FixedFields(FunctionPass):  # type: ignore[misc]
    """Replace a field of an argument by its constant in this kernel: a branch that it rules out is
    never typed.

    A kernel constant named `settings.formula` is the field `formula` of every argument `settings`.
    """

    _name = "fixed_fields"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: CompilerState) -> bool:
        fixed = state.func_id.func.__globals__
        definitions = state.func_ir._definitions
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                old = statement.value
                name = (
                    f"{old.value.name}.{old.attr}"
                    if isinstance(old, ir.Expr) and old.op == "getattr"
                    else ""
                )
                if name in fixed:
                    statement.value = ir.Const(fixed[name], statement.loc)
                    values = definitions[statement.target.name]
                    values[values.index(old)] = statement.value
        return True


FOR_OTHER_CODE = {
    untyped_passes.InlineClosureLikes,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.DumpParforDiagnostics,
}
"""Passes without effect on plain functions without closures; each would traverse all of the code.
"""


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler with our library and pass."""

    library: Library = KernelLibrary

    def define_pipelines(self) -> Any:
        self.state.library = self.library(
            self.state.targetctx.codegen(), self.state.func_id.func_qualname
        )
        if self.library is KernelLibrary:
            self.state.library.enable_object_caching()
        (pipeline,) = pipelines = super().define_pipelines()
        pipeline.add_pass_after(FixedFields, untyped_passes.IRProcessing)
        if not any(
            isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts
        ):
            pipeline.passes = [
                (kind, name) for kind, name in pipeline.passes if kind not in FOR_OTHER_CODE
            ]
        pipeline.finalize()
        return pipelines


class CalleeCompiler(KernelCompiler):
    library = CalleeLibrary  # for functions called only by other compiled code


class RulesCompiler(KernelCompiler):
    library = RulesLibrary  # for the functions of a game


PARTS = (
    CalleeLibrary,
    RulesLibrary,
    KernelLibrary,
    FixedFields,
    KernelCompiler,
    callers_first,
    own_parts,
    tidy,
)
"""All of these, for the key of the disk cache."""
