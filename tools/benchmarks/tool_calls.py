"""What becomes of tool calls that models write as text, dialect by dialect: right, refused or wrong.

python -m tools.benchmarks.tool_calls

Each text is read as it is, behind prose and reasoning, with damage, and cut at every offset. A cut text may give the
calls that are whole in it, and no other. Exit code 1 where one was read wrong or a text without damage was refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_calls import read_tool_calls
from tools.benchmarks.tool_call_texts import DIALECTS, MARKS, NOW, ONE_CALL, PARIS, SEVERAL, TOOLS, Call, Dialect

LEADS = (
    "",
    "I will look that up.\n\n",
    '<think>\nMaybe <tool_call>{"name": "now", "arguments": {}}</tool_call>?\n</think>\n\n',
)
"""What stands in front of the calls."""
PLAIN = (PARIS, NOW)
KINDS = ("whole", "damaged", "cut")
OUTCOMES = ("right", "refused", "wrong")


class Text(NamedTuple):
    """A text, the calls that are in it, and whether fewer of them may be read."""

    text: str
    calls: Sequence[Call]
    kind: str


def texts(dialect: Dialect) -> Iterator[Text]:
    """All texts of one dialect."""
    for calls in [*((one,) for one in ONE_CALL), *SEVERAL]:
        if not is_writable(dialect, calls):
            continue
        written = dialect.write(calls)
        yield from (Text(f"{lead}{written}", calls, "whole") for lead in LEADS)
        if all(call in PLAIN for call in calls):  # a slip inside a text would be another text
            yield from (Text(text, calls, "damaged") for text in damaged(written))
        least = written.index(dialect.mark) + len(dialect.mark)
        yield from (Text(written[:size], calls, "cut") for size in range(least, len(written)))


def is_writable(dialect: Dialect, calls: Sequence[Call]) -> bool:
    """Whether the dialect can say it: between bare tags, a mark in a text is a mark, and quotes may be missing."""
    return MARKS not in calls or "<parameter" not in dialect.write([MARKS])


def damaged(text: str) -> Iterator[str]:
    """The text with slips of the kind that models make in JSON."""
    yield text.replace('"}', '",}').replace("}}", "},}")
    yield text.replace('"', "'")
    yield text.replace('": ', '" : ').replace(", ", ",\n  ")
    yield text.replace('"city"', "city").replace(", ", " , ")
    yield text.replace("\n", "\r\n")
    before, brace, behind = text.rpartition("}")
    yield before + behind if brace else text.replace("</", "< /")


def outcome(text: Text) -> str:
    """What became of a text."""
    try:
        found = read_tool_calls(text.text, TOOLS)
    except LLMJsonParseError:
        return "refused"
    read = [(call.name, call.arguments) for call in found]
    wanted = [(call.name, TOOLS[call.name].model_validate(call.arguments)) for call in text.calls]
    may_be_fewer = text.kind == "cut" and bool(read)
    return "right" if read == (wanted[: len(read)] if may_be_fewer else wanted) else "wrong"


def main() -> int:
    """Print the table; return the exit code."""
    head = [f"{kind}: {one}" for kind in KINDS for one in OUTCOMES]
    print("| dialect |", " | ".join(head), "|")
    print("| --- |", " | ".join("---:" for _ in head), "|")
    total: Counter[tuple[str, str]] = Counter()
    for name, dialect in DIALECTS.items():
        counted = Counter((text.kind, outcome(text)) for text in texts(dialect))
        total += counted
        _row(name, counted)
    _row("all", total)
    return int(any(total[kind, "wrong"] for kind in KINDS) or total["whole", "refused"] > 0)


def _row(name: str, counted: Counter[tuple[str, str]]) -> None:
    print(f"| {name} |", " | ".join(str(counted[kind, one]) for kind in KINDS for one in OUTCOMES), "|")


if __name__ == "__main__":
    sys.exit(main())
