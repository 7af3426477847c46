"""No `assert` stands between a text and its error: whatever fails, fails with an error that callers know."""

import ast

import pytest

from tests.paths import ROOT

SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "llm_output").rglob("*.py")]


def assertions(text: str) -> list[int]:
    """The lines of a module's assertions."""
    if "assert" not in text:
        return []
    return [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]


def test_no_module_has_an_assertion() -> None:
    found = {str(path.relative_to(ROOT)): assertions(path.read_text(encoding="utf-8")) for path in SOURCES}

    assert found
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("text", "lines"), [("assert x", [1]), ("def f(x):\n    assert x is not None", [2]), ("x", [])]
)
def test_the_check_sees_an_assertion(text: str, lines: list[int]) -> None:
    assert assertions(text) == lines
