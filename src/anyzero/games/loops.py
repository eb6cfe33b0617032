"""Loops that end: code whose turns are counted, for games that nobody has checked."""

import ast
import inspect
from types import CodeType
from typing import Any

from anyzero.compile.bind import Function

MOST_TURNS = 10_000_000
"""Of all loops in one call of a game's function; plain Python takes half a second for them."""
ENDLESS = f"its loops turned more than {MOST_TURNS:,} times in one call"


class _Counting(ast.NodeTransformer):
    def __init__(self, most: int, words: str) -> None:
        self.look = f"_turns += 1\nif _turns > {most}:\n    raise ValueError({words!r})"

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        first = 0 if ast.get_docstring(node) is None else 1  # which stays the first statement
        node.body[first:first] = placed("_turns = 0", node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self.count(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self.count(node)

    def count(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body[:0] = placed(self.look, node)
        return node


def placed(text: str, where: ast.stmt) -> list[ast.stmt]:
    """Statements that stand on the line of another."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        ast.copy_location(node, where)
    return tree.body


def compile_counted(source: bytes | str, file: str, most: int = MOST_TURNS, words: str = ENDLESS) -> CodeType:
    """The code of a file. A function in it raises a ValueError with these words once its loops turned too often."""
    tree = ast.parse(source, file)
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            _Counting(most, words).visit(part)
    return compile(tree, file, "exec")


def limit_loops(function: Function, most: int, words: str) -> Function:
    """A copy of a function of ours that raises once its loops turned too often."""
    names: dict[str, Any] = dict(function.__globals__)
    exec(compile_counted(inspect.getsource(function), function.__code__.co_filename, most, words), names)
    found: Function = names[function.__name__]
    return found
