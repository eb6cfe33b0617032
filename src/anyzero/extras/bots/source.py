"""Functions as one source file: each with its callees, with known values inlined and dead code
removed.

The walk is that of `compile.bind`: generic functions become the game's own. Constants replace their
names, a fixed field (`settings.amaf`) is replaced by its value, and a branch that they rule out is
dropped with everything only it calls. Annotations and docstrings are removed.
"""

import ast
import inspect
import math
import re
import sys
import textwrap
import zlib
from collections.abc import Mapping
from types import FunctionType, ModuleType

import numpy as np

from anyzero.core.base.errors import AnyzeroError
from anyzero.core.base.nouns import NamedValues, RecordType, Values
from anyzero.core.compile.bind import Function, global_names

ONE_THREAD = "import os\nos.environ.setdefault('OPENBLAS_NUM_THREADS', '1')"
"""For matrices as small as a bot's, more threads only wait for each other."""
WIDE = (
    "import math as _math",
    "np.seterr(all='ignore')",
    "float = np.float64",
    "class math:",
    " pi = float(_math.pi)",
    *(
        f" {name} = staticmethod(lambda x: float(_math.{name}(x)))"
        for name in ("sqrt", "log", "exp", "cos", "tanh")
    ),
)
"""Compiled code computes with 64 bits if one number has them; NumPy does so only with its own
numbers.
"""
INSTALLED = {*sys.stdlib_module_names, "numpy"}  # modules available wherever a bot runs
SIMPLE = (int, float, bool, str, type(None))
FIRST_LETTER = 0x4E00
LETTER_BITS = 14
"""Bytes are written as Chinese characters, 16,384 of which are contiguous: sites limit a file by
its characters.
"""


class Source:
    def __init__(self, functions: Mapping[Function, Function], fixed: NamedValues) -> None:
        self.functions = functions
        self.fixed = fixed
        self.names: dict[int, str] = {}
        self.kept: list[object] = []  # keeps named objects alive, so that no other gets the same id
        self.imports: dict[str, str] = {"os": ONE_THREAD, "np": "import numpy as np"}
        self.numbers: dict[float, str] = {}
        self.parts: list[str] = []

    def text(self) -> str:
        numbers = [f"{name} = float({value!r})" for value, name in self.numbers.items()]
        return "\n".join([*self.imports.values(), *WIDE, *numbers, *self.parts]) + "\n"

    def add(self, value: object, base_name: str) -> str:
        """The name of a value in the file, which is added if missing."""
        value = self.functions.get(value, value) if isinstance(value, FunctionType) else value
        if value is math:
            return base_name  # one of those below the imports
        if isinstance(value, ModuleType):
            self.imports[base_name] = f"import {value.__name__}" + (
                f" as {base_name}" if base_name != value.__name__ else ""
            )
            return base_name
        if isinstance(value, SIMPLE):
            return repr(value)
        if type(value).__name__ == "Own":
            return base_name
        if id(value) not in self.names:
            taken = {*self.names.values(), *self.imports}
            self.kept.append(value)
            possible = [base_name, *(f"{base_name}_{number}" for number in range(2, 99))]
            self.names[id(value)] = next(name for name in possible if name not in taken)
            self.parts.append(self._define(value, self.names[id(value)]))
        return self.names[id(value)]

    def _define(self, value: object, name: str) -> str:
        if isinstance(value, FunctionType):
            return self._function(value, name)
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            self.imports["namedtuple"] = "from collections import namedtuple"
            return f"{name} = namedtuple({name!r}, {' '.join(value._fields)!r})"
        if isinstance(value, type) and value.__module__ != "numpy":
            return self._class(value)
        return f"{name} = {self.literal(value)}"

    # --- values

    def literal(self, value: object) -> str:
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = ", ".join(map(self.literal, value))
            return f"{self.add(type(value), type(value).__name__)}({fields})"
        if isinstance(value, tuple | list):
            inner = ", ".join(map(self.literal, value)) + (
                "," if isinstance(value, tuple) and len(value) == 1 else ""
            )
            return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
        if isinstance(value, dict):
            return (
                "{"
                + ", ".join(
                    f"{self.literal(key)}: {self.literal(part)}" for key, part in value.items()
                )
                + "}"
            )
        if isinstance(value, SIMPLE):
            return repr(value)
        if isinstance(value, np.dtype):
            return self._dtype(value)
        if isinstance(value, np.generic | type):
            return f"np.{value.__name__}" if isinstance(value, type) else repr(value)
        raise AnyzeroError(f"{type(value).__name__} cannot be written into a single file")

    def _array(self, array: np.ndarray) -> str:
        if not np.ascontiguousarray(array).reshape(-1).view(np.uint8).any():
            return f"np.zeros({array.shape}, {self._dtype(array.dtype)})"
        unpack = self.add(unpack_array, "unpack_array")
        return (
            f"{unpack}({pack_bytes(array.tobytes())!r}, {self._dtype(array.dtype)}, {array.shape})"
        )

    def _dtype(self, dtype: RecordType) -> str:
        if dtype.fields is None:
            return repr(dtype.str)
        parts = [(name, form.base.str, form.shape) for name, (form, *_) in dtype.fields.items()]
        return f"np.dtype((np.record, np.dtype({parts}, align=True)))"

    # --- code

    def _class(self, kind: type) -> str:
        node = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
        module = vars(inspect.getmodule(kind))
        bare = ast.fix_missing_locations(_Bare().visit(node))
        for name in {
            part.id for part in ast.walk(bare) if isinstance(part, ast.Name) and part.id in module
        }:
            self.add(module[name], name)
        return _unparse(bare)

    def _function(self, function: FunctionType, name: str) -> str:
        try:
            node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        except (OSError, SyntaxError):
            raise AnyzeroError(f"the source of {function.__qualname__} cannot be read") from None
        code = function.__code__
        outside = function.__globals__
        local_names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        constants = {
            each: outside[each]
            for each in global_names(code)
            if each in outside and each not in local_names
        }
        node = _Fold(constants, self.fixed).visit(_Bare().visit(node))
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in constants:
                part.id = self.add(constants[part.id], part.id.rpartition(".")[2])
        node = _Widen(self).visit(node)
        node.name = name
        return _unparse(ast.fix_missing_locations(node))


def _unparse(node: ast.AST) -> str:
    return re.sub(
        r"^(?:    )+",
        lambda indent: " " * (len(indent[0]) // 4),
        ast.unparse(node),
        flags=re.MULTILINE,
    )


class _Bare(ast.NodeTransformer):
    """Removes annotations and docstrings."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        return self.without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self.without_docstring(node)

    def without_docstring(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        return ast.Assign([node.target], node.value) if node.value is not None else None


class _Widen(ast.NodeTransformer):
    """Gives numbers the width they have when compiled: with Python's own floats, NumPy would
    compute in 32 bits.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if type(node.value) is not float:
            return node
        name = self.source.numbers.setdefault(node.value, f"F{len(self.source.numbers)}")
        return ast.Name(name, ast.Load())


class _Fold(ast.NodeTransformer):
    """Inlines known values, and drops code that they rule out."""

    def __init__(self, constants: Values, fixed: NamedValues) -> None:
        self.known = constants
        self.fixed = fixed

    def expression(self, node: ast.expr) -> ast.expr:
        folded = self.visit(node)
        assert isinstance(folded, ast.expr)
        return folded

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not isinstance(node.value, ast.Name):
            self.generic_visit(node)
            return node
        name = f"{node.value.id}.{node.attr}"
        owner = self.known.get(node.value.id)
        if name in self.fixed:
            return ast.Constant(self.fixed[name])
        if isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] not in INSTALLED:
            self.known[name] = getattr(owner, node.attr)
            return self.expression(ast.Name(name, node.ctx))
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.known:
            return node
        value = self.fixed.get(node.id, self.known[node.id])
        return ast.Constant(value) if type(value) in SIMPLE else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return _evaluated(node, node.left, *node.comparators)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _evaluated(node, node.operand)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.test(node.test)
        if isinstance(test, ast.Constant):
            return self.expression(node.body if test.value else node.orelse)
        node.test = test
        node.body = self.expression(node.body)
        node.orelse = self.expression(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        test = self.test(node.test)
        if isinstance(test, ast.Constant):
            return self.block(node.body if test.value else node.orelse)
        node.test = test
        node.body = self.block(node.body)
        node.orelse = self.block(node.orelse) if node.orelse else []
        return node

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        folded_block: list[ast.stmt] = []
        for statement in statements:
            folded = self.visit(statement)
            folded_block += folded if isinstance(folded, list) else [folded]
        return folded_block or [ast.Pass()]

    def test(self, node: ast.expr) -> ast.expr:
        """A condition without its parts that are certain."""
        if not isinstance(node, ast.BoolOp):
            return self.expression(node)
        decides = isinstance(node.op, ast.Or)
        parts = []
        for value in node.values:
            part = self.test(value)
            if not isinstance(part, ast.Constant):
                parts.append(part)
            elif bool(part.value) == decides:
                return (
                    ast.Constant(decides)
                    if not parts
                    else ast.BoolOp(node.op, [*parts, ast.Constant(decides)])
                )
        if not parts:
            return ast.Constant(not decides)
        return parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts)


def _evaluated(node: ast.expr, *operands: ast.expr) -> ast.expr:
    """The value of an expression whose operands are all known."""
    if all(isinstance(operand, ast.Constant) for operand in operands):
        return ast.Constant(
            eval(compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval"), {})
        )
    return node


# --- bytes as text


def pack_bytes(content: bytes) -> str:
    """14 bits per character, after compression."""
    bits = np.unpackbits(np.frombuffer(zlib.compress(content, 9), np.uint8))
    groups = np.pad(bits, (0, -len(bits) % LETTER_BITS)).reshape(-1, LETTER_BITS)
    return "".join(
        chr(FIRST_LETTER + int(code)) for code in groups @ (1 << np.arange(LETTER_BITS)[::-1])
    )


def unpack_array(text: str, dtype: RecordType, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of `pack_bytes`, as a writable array; this function goes into the file."""
    codes = np.array([ord(letter) - FIRST_LETTER for letter in text])
    bits = (codes[:, None] >> np.arange(LETTER_BITS)[::-1]) & 1
    content = zlib.decompressobj().decompress(np.packbits(bits.astype(np.uint8)).tobytes())
    return np.frombuffer(content, dtype).reshape(shape).copy()
