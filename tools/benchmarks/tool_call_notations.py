"""The page of the notations of tool calls, made of the rows of their table.

python -m tools.benchmarks.tool_call_notations > docs/reference/tool-call-notations.md
"""

from __future__ import annotations

import re
import sys
from collections import Counter

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Notation

HEAD = """# Notations of tool calls

`read_tool_calls` reads {count} notations. [Read tool calls](../how-to/read-tool-calls.md) says how. Each example
calls the tool `f` with the text `x` as its parameter `n`; a line break in it is `↵`. Other marks are those that a
notation has and its example does not show. A notation with a star is read without its marks too, and one with two
stars where it names one of your tools. `python -m tools.benchmarks.tool_call_notations` makes this page from the
table of the reader.
"""
TABLE = """
## Arguments: {grammar}

| notation | models | example | other marks |
| --- | --- | --- | --- |"""


_FEW = 3
"""Labels that stand one by one."""
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
    bare = " \\*" if row.may_be_bare else " \\*\\*" if row.needs_a_tool else ""
    return f"| {' | '.join((row.name + bare, row.models, _code(row.example), others))} |"


def _is_in(mark: str, example: str) -> bool:
    """Whether an example shows a mark, blanks apart; what stands in braces is any word."""
    parts = re.split(r"\{\w+\}|…", "".join(mark.split()))
    return re.search(".*?".join(map(re.escape, parts)), "".join(example.split())) is not None


def _codes(marks: list[str]) -> str:
    """The marks; labels that differ in their word alone share what follows it."""
    tails = Counter(mark.partition(": ")[2] for mark in marks)
    labels = [mark.partition(": ") for mark in marks if ": " in mark and tails[mark.partition(": ")[2]] > _FEW]
    shown = [_code(mark) for mark in marks if mark.partition(": ") not in labels]
    if labels:
        shown.append(f"{', '.join(word for word, _, _ in labels)}, each before {_code(f': {labels[0][2]}')}")
    return " ".join(shown)


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    shown = text.replace("\n", "↵").replace("|", "\\|")
    return f"{fence} {shown} {fence}" if "`" in text else f"{fence}{shown}{fence}"


if __name__ == "__main__":
    sys.stdout.write(page())
