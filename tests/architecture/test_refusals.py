"""A test that something is refused says why: it names words of the message, or looks at what was raised.

A test without stays green when the text is refused for another reason, or when the program itself is broken.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.paths import ROOT

OF_MANY_REASONS = {
    *("AppException", "Exception", "KeyError", "LookupError", "RuntimeError", "SystemExit", "TypeError", "ValueError"),
    *("LLMConfigurationError", "LLMJsonParseError", "BatchInputError", "Problem", "RepairRefusedError"),
    *("InstructorRetryException", "ModuleNotFoundError", "OutputParserException", "PydanticUserError"),
    *("RefusedOutputError", "ResponseParsingError", "UnexpectedModelBehavior", "ValidationError"),
}
"""Errors whose class does not say what was wrong, as `LLMTimeoutError` does."""
Scope = ast.FunctionDef | ast.AsyncFunctionDef


def untold(text: str) -> list[int]:
    """The lines where `pytest.raises` has no `match`, and where nobody looks at what was raised."""
    if "raises" not in text:
        return []
    scopes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, Scope)]
    return sorted({call.lineno for scope in scopes for call, name in _raises(scope) if not _is_told(scope, call, name)})


def _raises(scope: Scope) -> Iterator[tuple[ast.Call, str | None]]:
    """Each context that expects an error, and the name that the error is given."""
    for node in ast.walk(scope):
        for item in node.items if isinstance(node, ast.With | ast.AsyncWith) else ():
            call = item.context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.raises" and _is_of_many(call):
                yield call, item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else None


def _is_of_many(call: ast.Call) -> bool:
    return not call.args or ast.unparse(call.args[0]).rpartition(".")[2] in OF_MANY_REASONS


def _is_told(scope: Scope, call: ast.Call, name: str | None) -> bool:
    has_match = any(word.arg in {"match", "check"} for word in call.keywords)
    looks = {node.id for node in ast.walk(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return has_match or name in looks


def test_each_refusal_says_why() -> None:
    paths = sorted((ROOT / "tests").rglob("*.py"))
    assert [f"{path}:{line}" for path in paths for line in untold(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def test():\n    with pytest.raises(ValueError):\n        f()", [2]),
        ("def test():\n    with pytest.raises(ValueError) as error:\n        f()", [2]),
        ("def test():\n    with pytest.raises(ValueError, match='x'):\n        f()", []),
        ("def test():\n    with pytest.raises(ValueError) as error:\n        f()\n    assert error.value.code", []),
        ("def test():\n    with closing(f()), pytest.raises(ValueError):\n        f()", [2]),
        ("def test():\n    with pytest.raises(LLMTimeoutError):\n        f()", []),
        ("def test():\n    with f():\n        pass", []),
    ],
)
def test_check_sees_a_refusal_that_says_nothing(text: str, lines: list[int]) -> None:
    assert untold(text) == lines
