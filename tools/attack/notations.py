"""Every notation of the table, damaged in its marks and cut at every offset: what is read, and what is not.

python -m tools.attack.notations [--show [--all]] [--seconds]

A second table is of slips: one sign that is inserted at each place of an example, or replaced. What is read has to be
the call, of which the value may have that slip if it is one of its own signs: never an argument with more of a mark in
it, never another call. A notation without marks is an object: what is read of a damaged one is counted by itself.

The texts are made of the examples of the rows. A damage drops a mark, writes it twice, or drops one of its signs; a
near miss speaks of a mark in front of the call. A damage has lost the call where the name of the tool or of the
parameter went with the mark, or where the mark that ends a value went and white space was left there, which may be of
the value. A text that only lacks its end is a cut one. Exit code 1 where a call came back with other arguments, or
none came back where one had begun. `--seconds` prints how long a text of a million characters takes that repeats one
mark, the longest first.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, TURN_ENDS, Notation
from src.shared.infrastructure.tool_calls import read_tool_calls
from tools.attack.tables import table


class Weather(BaseModel):
    """Arguments of the only tool."""

    city: str
    days: int = 1


TOOL, KEY, VALUE = "get_weather", "city", "Rome is old"
TOOLS = {TOOL: Weather}
WANTED = [(TOOL, Weather(city=VALUE))]
LEAST_BEGUN = 4
"""Fewest characters of a mark by which a call has begun."""
MOST_SECONDS = 0.5
"""That a million characters of one mark may take, on a machine with other work."""
KINDS = ("whole", "near", "damaged", "lost", "cut")
OUTCOMES = ("right", "refused", "silent", "wrong")
SIGNS = "<>/|｜\"'= \n\t[]{}:.,-_xs0\\"
"""That are inserted, and put in place of others."""
SIGNS_AT_A_PLACE = 9
"""How many of them at each place, drawn anew for each; so there are more than 80,000 texts."""
SLIPS = ("right", "slip in the value", "refused", "silent", "piece of a mark", "invented call", "damaged object")
_MARK = re.compile(r"<[^<>\n]{1,80}+>|\[/?[A-Z_]{3,20}+\]|```\w*+\n?|>>>")


class Text(NamedTuple):
    """A text, what was done to it, and whether a call has begun in it."""

    text: str
    kind: str
    has_begun: bool = True


def example_of(row: Notation) -> str:
    """The example of a row with a tool, a parameter and a value of more than one letter."""
    return row.written(TOOL, KEY, VALUE)


def texts(row: Notation) -> Iterator[Text]:
    """All texts of one notation."""
    whole = example_of(row)
    yield Text(whole, "whole")
    yield Text(f"I will look that up.\n\n{whole}", "whole")
    yield from (Text(text, "near") for text in near_misses(row, whole))
    yield from (Text(text, kind_of(row, whole, text)) for text in damaged(whole))
    begun = begins_at(row, whole)
    yield from (Text(whole[:size], "cut", size > begun) for size in range(1, len(whole)))


def begins_at(row: Notation, whole: str) -> int:
    """The offset behind which a call has begun."""
    if row.needs_a_tool or (not row.wraps and not row.calls):
        return whole.index(TOOL) + len(TOOL)
    return LEAST_BEGUN


def kind_of(row: Notation, whole: str, text: str) -> str:
    """Whether a damaged text still says all of the call, has lost a part of it, or only lacks its end."""
    if whole.startswith(text.rstrip()):
        return "cut"
    closing = row.parameter[1]
    is_open = bool(closing) and closing not in text and re.search(rf"{VALUE}\s++(?=<)", text) is not None
    return "lost" if TOOL not in text or KEY not in text or is_open else "damaged"


def near_misses(row: Notation, whole: str) -> Iterator[str]:
    """The call behind a sentence that speaks of a mark."""
    for mark in {opened.replace("~", "").strip() for opened, _ in row.wraps} - {""}:
        yield f'The literal "{mark}" marker is part of the explanation.{whole}'
        yield f"The `{mark}` marker begins it.\n{whole}"
        yield f"I use the {mark} marker now.\n{whole}"


def damaged(whole: str) -> Iterator[str]:
    """The call with one mark missing, doubled, or without one of its signs; and with slips in what is not a mark."""
    marks = [*_MARK.finditer(whole)]
    for mark in marks:
        start, end = mark.span()
        yield whole[:start] + whole[end:]
        yield whole[:end] + whole[start:]
        yield whole[: end - 1] + whole[end:]
        yield whole[:start] + whole[start + 1 :]
    if marks:
        if whole.endswith(marks[-1].group()):
            yield whole + marks[-1].group()
        yield marks[0].group() + "\n" + whole
    yield whole + "\n"
    yield whole + "\n\nDone."
    yield whole.replace('"', "'")
    yield whole.replace("}", ",}", 1)
    before, brace, behind = whole.rpartition("}")
    yield before + behind if brace else whole.replace("</", "< /")


def outcome(text: Text, *, finished: bool | None = None) -> str:
    """What became of a text."""
    try:
        found = [(call.name, call.arguments) for call in read_tool_calls(text.text, TOOLS, finished=finished)]
    except LLMJsonParseError:
        return "refused"
    if found == WANTED or (not found and not text.has_begun):
        return "right"
    return "wrong" if found else "silent"


def attack(rows: Sequence[Notation] = NOTATIONS, step: int = 1) -> dict[str, Counter[tuple[str, str]]]:
    """Count what became of the texts of some notations, of the cuts every so manieth."""
    counted: dict[str, Counter[tuple[str, str]]] = {}
    for row in rows:
        counts = counted.setdefault(row.name, Counter())
        for number, text in enumerate(texts(row)):
            if text.kind != "cut":
                counts[text.kind, outcome(text)] += 1
            elif number % step == 0:
                counts.update((text.kind, outcome(text, finished=finished)) for finished in (None, True))
    return counted


def slips(whole: str, count: int = SIGNS_AT_A_PLACE) -> Iterator[tuple[str, str]]:
    """A text with one sign inserted or replaced, and that sign: so many signs at each place."""
    draw = random.Random(whole)
    for at in range(len(whole) + 1):
        for sign in draw.sample(SIGNS, count):
            yield whole[:at] + sign + whole[at:], sign
            if whole[at : at + 1] not in {"", sign}:
                yield whole[:at] + sign + whole[at + 1 :], sign


def slip_outcome(row: Notation, text: str, sign: str) -> str:
    """What became of a text with one slip, whatever is known of its end."""
    try:
        calls = read_tool_calls(text, TOOLS, finished=True)
    except LLMJsonParseError:
        return "refused"
    if len(calls) != 1:
        return "invented call" if calls else "silent"
    if calls[0].arguments == WANTED[0][1]:
        return "right"
    if calls[0].arguments.days == 1 and calls[0].arguments.city in _values_with(sign):
        return "slip in the value"
    return "piece of a mark" if row.wraps or row.calls else "damaged object"


def _values_with(sign: str) -> set[str]:
    """The value with this sign inserted, or in place of one of its own; that one may only be lost."""
    places = range(len(VALUE) + 1)
    return {VALUE[:at] + put + VALUE[at + by :] for at in places for by in (0, 1) for put in (sign, "")}


def slip_counts(row: Notation, count: int = SIGNS_AT_A_PLACE) -> Counter[str]:
    """What became of the slips of one notation."""
    return Counter(slip_outcome(row, text, sign) for text, sign in dict(slips(example_of(row), count)).items())


def print_slips(rows: Sequence[Notation] = NOTATIONS, count: int = SIGNS_AT_A_PLACE) -> bool:
    """Print what became of the slips; return whether an argument had a piece of a mark, or a call was invented."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        counted = [*pool.map(partial(slip_counts, count=count), rows)]
    total = sum(counted, Counter[str]())
    names = [*(row.name for row in rows), "all"]
    cells = [[name, *(counts[one] for one in SLIPS)] for name, counts in zip(names, [*counted, total], strict=True)]
    print("\n" + table(("one sign inserted or replaced", *SLIPS), cells))
    print(f"\ntexts with one sign inserted or replaced: {total.total():,}")
    return bool(total["piece of a mark"] or total["invented call"])


def marks_of(row: Notation) -> list[str]:
    """Every mark of a notation, and its example."""
    pairs = (*row.wraps, row.parameter)
    marks = [*(mark for pair in pairs for mark in pair), *row.calls, *row.ends, row.quotes, *row.leaks]
    names = {"{name}": TOOL, "{id}": TOOL, "{key}": KEY, "~": "", "…": " "}
    names |= {"{element}": "tool", "{label}": "name", "{input}": "args", "{attributes}": ' city="x"', "{index}": "0"}
    names |= {"{others}": "", "：": ":", "‘": "", "¶": "\n"}
    filled = [re.sub(r"\{\w+\}|[~…：‘¶]", lambda sign: names[sign.group()], mark) for mark in marks]
    return [*filled, *(part for mark in filled for part in _MARK.findall(mark)), example_of(row)]


def seconds_of(mark: str, size: int = 1_000_000) -> float:
    """The processor time that a text takes which repeats a mark."""
    text = (mark * (size // len(mark) + 1))[:size]
    start = time.process_time()
    with suppress(LLMJsonParseError):
        read_tool_calls(text, TOOLS)
    return time.process_time() - start


def print_seconds() -> int:
    """Print the time of each mark, the longest first; return the exit code."""
    marks = dict.fromkeys(mark for row in NOTATIONS for mark in marks_of(row) if mark)
    found = sorted(((seconds_of(mark), mark) for mark in (*marks, *TURN_ENDS)), reverse=True)
    print(table(("seconds", "mark"), [[f"{seconds:.2f}", mark.replace("\n", "↵")] for seconds, mark in found]))
    return int(found[0][0] > MOST_SECONDS)


def main() -> int:
    """Print the table; return the exit code."""
    if "--seconds" in sys.argv:
        return print_seconds()
    shown = {"silent", "wrong", *(["refused"] if "--all" in sys.argv else [])} if "--show" in sys.argv else set()
    for row in NOTATIONS if shown else ():
        for text in texts(row):
            became = outcome(text)
            if became in shown and (became != "refused" or text.kind != "cut"):
                print(f"{became}, {text.kind}, {row.name}\n{text.text}\n")
    counted = attack()
    heads = [(kind, one) for kind in KINDS for one in OUTCOMES if (kind, one) != ("whole", "wrong")]
    rows = [[name, *(counts[head] for head in heads)] for name, counts in counted.items()]
    total = sum(counted.values(), Counter[tuple[str, str]]())
    print(
        table(
            ("notation", *(f"{kind} {one}" for kind, one in heads)), [*rows, ["all", *(total[head] for head in heads)]]
        )
    )
    read, refused = total["damaged", "right"], total["damaged", "refused"]
    print(f"\nread of the damaged ones with one reading left: {read / (read + refused):.1%}")
    is_wrong = any(total[kind, one] for kind in KINDS for one in ("silent", "wrong")) or total["whole", "refused"] > 0
    return int(print_slips() or is_wrong)


if __name__ == "__main__":
    sys.exit(main())
