"""Changes of the code: comparisons, conditions, numbers, arithmetic, results, and calls that are left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.mutation.mutant import Mutant, Source

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}

_TYPES = frozenset({"int", "str", "float", "bool", "dict", "list"})


def code_mutants(source: Source) -> Iterator[Mutant]:
    """Every change of the code of a file."""
    for node in source.nodes():
        for after in _changes(node):
            assert isinstance(node, ast.expr | ast.stmt)  # noqa: S101 - others are not changed
            yield source.mutant(node, after)


def _changes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        yield from _compared(node)
    elif isinstance(node, ast.BoolOp):
        yield from _joined(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED and not _is_text(node):
        yield f"({ast.unparse(ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))})"
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield str(not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield str(node.value + 1)
    elif isinstance(node, ast.Break | ast.Continue):
        yield "continue" if isinstance(node, ast.Break) else "break"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "pass"
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"


def _compared(node: ast.Compare) -> Iterator[str]:
    for at, operator in enumerate(node.ops):
        ops = [*node.ops[:at], _COMPARED[type(operator)](), *node.ops[at + 1 :]]
        yield f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})"


def _joined(node: ast.BoolOp) -> Iterator[str]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    for at in range(len(node.values)):
        left = [*node.values[:at], *node.values[at + 1 :]]
        yield f"({ast.unparse(ast.BoolOp(node.op, left) if left[1:] else left[0])})"


def _is_text(node: ast.BinOp) -> bool:
    """Whether texts or types are put together: another operator is an error of types, which needs no test."""
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and (part.value is None or isinstance(part.value, str)))
        or (isinstance(part, ast.Name) and part.id in _TYPES)
        for part in ast.walk(node)
    )
