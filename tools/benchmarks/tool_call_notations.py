"""The page of the notations of tool calls, made of the rows of their table.

python -m tools.benchmarks.tool_call_notations > docs/reference/tool-call-notations.md
"""

from __future__ import annotations

import re
import sys

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Notation

HEAD = """# Notations of tool calls

`read_tool_calls` reads {count} notations. [Read tool calls](../how-to/read-tool-calls.md) says how. Each example
calls the tool `f` with the text `x` as its parameter `n`; a line break in it is `↵`. This page is made by
`python -m tools.benchmarks.tool_call_notations` from the table that the reader is made of.

| notation | models | arguments | opening marks | closing marks | without marks | example |
| --- | --- | --- | --- | --- | --- | --- |"""


_SIGNS = {"~": "", "…": " … ", "：": ": ", "‘": "", "¶": "\n", "{others}": "", "{attributes}": ' {key}="{value}"'}
_SHOWN = re.compile("|".join(map(re.escape, _SIGNS)))


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD.format(count=len(NOTATIONS)), *map(_row, NOTATIONS)]) + "\n"


def _row(row: Notation) -> str:
    opening = [*(wrap[0] for wrap in row.wraps), *row.calls, row.parameter[0]]
    closing = [row.parameter[1], *row.ends, *(wrap[1] for wrap in row.wraps)]
    bare = "yes" if row.may_be_bare else "beside the name of a tool" if row.needs_a_tool else "no"
    cells = (row.name, row.models, row.grammar.value, _codes(opening), _codes(closing), bare, _code(row.example))
    return f"| {' | '.join(cells)} |"


def _codes(marks: list[str]) -> str:
    return " ".join(_code(_SHOWN.sub(lambda sign: _SIGNS[sign.group()], mark)) for mark in marks if mark)


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    shown = text.replace("\n", "↵").replace("|", "\\|")
    return f"{fence} {shown} {fence}" if "`" in text else f"{fence}{shown}{fence}"


if __name__ == "__main__":
    sys.stdout.write(page())
