"""No function grows beyond what a reader can hold in the head."""

import ast
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
MOST_LINES_OF_A_FUNCTION = 52
"""Without its docstring, which is there to be read."""


def sources() -> dict[str, str]:
    return {str(path.relative_to(SRC)): path.read_text(encoding="utf-8") for path in sorted(SRC.rglob("*.py"))}


def functions(text: str) -> Iterator[tuple[str, int]]:
    """Each function with the number of its lines."""
    if text.count("\n") <= MOST_LINES_OF_A_FUNCTION:
        return  # no function is longer than its file
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            told = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node, clean=False) else 0
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1 - told


def test_functions_are_short() -> None:
    lengths = [(path, name, length) for path, text in sources().items() for name, length in functions(text)]

    assert lengths
    assert [one for one in lengths if one[-1] > MOST_LINES_OF_A_FUNCTION] == []
