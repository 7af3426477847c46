"""The page of the notations of tool calls, made of the rows of their table.

python -m tools.benchmarks.tool_call_notations > docs/reference/tool-call-notations.md
"""

from __future__ import annotations

import re
import sys

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Notation

HEAD = """# Notations of tool calls

`read_tool_calls` reads {count} notations. [Read tool calls](../how-to/read-tool-calls.md) says how. Each example
calls the tool `f` with the text `x` as its parameter `n`; a line break in it is `↵`. Other marks are those that a
notation has and its example does not show. `python -m tools.benchmarks.tool_call_notations` makes this page from the
table of the reader.
"""
TABLE = """
## Arguments: {grammar}

| notation | models | without marks | example | other marks |
| --- | --- | --- | --- | --- |"""


_SIGNS = {"~": "", "…": " … ", "：": ": ", "‘": "", "¶": "\n", "{others}": "", "{attributes}": ' {key}="{value}"'}
_SHOWN = re.compile("|".join(map(re.escape, _SIGNS)))


def page() -> str:
    """The whole page: a table for each way of writing the arguments."""
    lines = [HEAD.format(count=len(NOTATIONS))]
    for grammar in dict.fromkeys(row.grammar for row in NOTATIONS):
        lines += [TABLE.format(grammar=grammar.value), *(_row(row) for row in NOTATIONS if row.grammar is grammar)]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _row(row: Notation) -> str:
    opening = [*(wrap[0] for wrap in row.wraps), *row.calls, row.parameter[0]]
    closing = [row.parameter[1], *row.ends, *(wrap[1] for wrap in row.wraps)]
    marks = [_SHOWN.sub(lambda sign: _SIGNS[sign.group()], mark) for mark in (*opening, *closing) if mark]
    others = _codes([mark for mark in marks if not _is_in(mark, row.example)])
    bare = "yes" if row.may_be_bare else "beside the name of a tool" if row.needs_a_tool else "no"
    return f"| {' | '.join((row.name, row.models, bare, _code(row.example), others))} |"


def _is_in(mark: str, example: str) -> bool:
    """Whether an example shows a mark, blanks apart; what stands in braces is any word."""
    parts = re.split(r"\{\w+\}|…", "".join(mark.split()))
    return re.search(".*?".join(map(re.escape, parts)), "".join(example.split())) is not None


def _codes(marks: list[str]) -> str:
    return " ".join(map(_code, marks))


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    shown = text.replace("\n", "↵").replace("|", "\\|")
    return f"{fence} {shown} {fence}" if "`" in text else f"{fence}{shown}{fence}"


if __name__ == "__main__":
    sys.stdout.write(page())
