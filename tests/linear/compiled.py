"""Every expression of `src` as an interpreter compiles it whose possessive groups are unsound.

`python -m tests.linear.compiled` prints them as JSON, whichever interpreter runs it: it imports every module that can
compile one, and calls what compiles expressions only when it is called.
"""

from __future__ import annotations

import ast
import importlib
import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import create_model

from tests.paths import ROOT

_SOURCES = ROOT / "src"
_COMPILING = frozenset(
    f"re.{name}" for name in ("compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
) | {"expression"}
_CAN_COMPILE = re.compile(r"^\s*+(?:import|from) re\b|\bexpression import\b|\bimport expression\b", re.MULTILINE)
"""What stands in a module that can compile an expression; the others need the packages of vendors, and seconds."""
_EVERY = 20
"""Of so many recorded texts one is read."""


class Expression(NamedTuple):
    """An expression, and the place in `src` that compiled it."""

    file: str
    line: int
    pattern: str
    flags: int


class Found(NamedTuple):
    """Every expression that was compiled, and the places that may compile one and did not."""

    expressions: list[Expression]
    missed: list[str]


@cache
def found() -> Found:
    """The expressions, from a process of their own."""
    command = [sys.executable, "-m", __name__]
    expressions, missed = json.loads(subprocess.check_output(command, cwd=ROOT))  # noqa: S603 - this file
    return Found([Expression(*one) for one in expressions], missed)


def _found() -> Found:
    seen: set[Expression] = set()
    compiled = re._compile  # type: ignore[attr-defined]  # noqa: SLF001 - every way of compiling goes through it

    def noted(pattern: Any, flags: Any) -> Any:  # noqa: ANN401 - as re has it
        caller = sys._getframe(2)  # noqa: SLF001 - who called re
        if caller.f_code.co_filename.startswith(str(_SOURCES)) and isinstance(pattern, (str, bytes)):
            text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
            file = caller.f_code.co_filename.removeprefix(f"{ROOT}/")
            seen.add(Expression(file, caller.f_lineno, text, int(flags)))
        return compiled(pattern, flags)

    re._compile = noted  # type: ignore[attr-defined]  # noqa: SLF001
    from src.shared.domain import expression  # noqa: PLC0415 - it tries an expression, which is seen

    expression.expression = re.compile  # each is compiled where it stands, not where it is used
    expression.repeated.__kwdefaults__ = {"sound": False}
    _import_all()
    _call_what_compiles()
    places = {(one.file, one.line) for one in seen}
    missed = [f"{file}:{call.lineno}" for file, call in _compiling_calls() if (file, call.lineno) not in places]
    return Found(sorted(seen), missed)


def _files() -> dict[Path, str]:
    """The text of each module that can compile an expression."""
    texts = {path.relative_to(ROOT): path.read_text("utf-8") for path in sorted(_SOURCES.rglob("*.py"))}
    return {path: text for path, text in texts.items() if _CAN_COMPILE.search(text)}


def _import_all() -> None:
    for path in _files():
        with suppress(ImportError):  # an extra that is not installed
            importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))


def _call_what_compiles() -> None:
    from llm_output import LLMJsonParseError, read_tool_calls  # noqa: PLC0415 - as above
    from src.entrypoints.vendoring import rewritten_for  # noqa: PLC0415
    from src.shared.domain.expression import _NotCompiled  # noqa: PLC0415
    from src.shared.domain.reading.dialect import HABITS, dialect  # noqa: PLC0415
    from src.shared.infrastructure.llm_json import parse_llm_json_output  # noqa: PLC0415
    from tests.recorded_readings.recording import reading_of, recorded  # noqa: PLC0415

    _NotCompiled("a").match("a")
    logging.getLogger("llm_output").addHandler(logging.NullHandler())
    for text in ('{"a": "{"b": 1}"}', *(one.text for one in list(recorded())[::_EVERY])):
        reading_of(text)
    for habits in ((), *zip(HABITS, strict=True), HABITS):
        dialect(frozenset(habits))
    with_a = create_model("WithA", a=(int, ...))
    parse_llm_json_output('```python\nd = {"x": 1}\n```\nSo:\n```json\n{"a": 2,}\n```\nwhere `x` is so', with_a)
    whole = "<function=f><parameter=a>1</parameter></function>"
    named = "<function=f><parameter=a>see </parameter> here</parameter></function>"
    lone = "<|start|>assistant to=f<|message|></atem:function_calls><|eom|>"
    for text in ("no call", "[f(a=1)]", whole, f"{whole}<tool_call", "<f><a>1</a></f>", named, lone):
        with suppress(LLMJsonParseError):
            read_tool_calls(text, {"f": with_a})
    with suppress(LLMJsonParseError):
        parse_llm_json_output("a: 1", with_a, notations=("labelled", "xml"))
    parse_llm_json_output("The answer is BUY, as said.\n\nAnswer: BUY", Literal["BUY"], scalar=True)
    rewritten_for("shop.llm_output", "from src.a import b")


def _compiling_calls() -> Iterator[tuple[str, ast.Call]]:
    """The calls that compile an expression."""
    for path, text in _files().items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in _COMPILING:
                yield path.as_posix(), node


if __name__ == "__main__":
    print(json.dumps(_found()))  # noqa: T201 - a command prints
