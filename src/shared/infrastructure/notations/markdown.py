"""A Markdown table: its head names the fields and a row is an object; or the first column does, of one object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Any

from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import ONLY_ASIDE, Reason
from src.shared.domain.reading.reading import ELISION
from src.shared.infrastructure.notations.fields import NotationError, Wanted, folded

_DASHES = r"[ \t]*+:?-++:?[ \t]*+"
_MORE = repeated(rf"[|]{_DASHES}")
DELIMITERS = expression(
    rf"^[ \t]*+(?:[|]{_DASHES}{_MORE}[|]?|{_DASHES}[|](?:[ \t]*+$|{_DASHES}{_MORE}[|]?))[ \t\r]*+$", re.MULTILINE
)
"""The line under the head of a table."""
_SIGN = expression(r"\\.|[|]")
"""What ends a cell, and what does not: a sign behind a backslash."""
_LEFT_OUT = frozenset(["", "...", "…"])
"""The cells of a row that stands for others, or for none."""
_BLANKS = " \t\r"
_RAGGED = Reason("a row of the table has more cells than its head, or fewer, or its last one is not closed")
_NO_ROWS = Reason("the table has no rows")
_ONE_OBJECT = Reason("the table is not one object: it has several rows, and its columns are no field and value")
_NO_VALUES = frozenset(
    (
        *("description", "type", "meaning", "example", "format", "default", "required", "constraints"),
        *("描述", "说明", "类型", "含义", "示例", "例子", "格式", "默认值", "要求"),
    )
)
"""The heads of columns that speak of fields, and have none of their values."""
_TWO_WAYS = Reason("the table may be one row, or a field a row")


def tables(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the tables behind a place begin and end: from the line over that of the dashes up to an empty one."""
    for under in DELIMITERS.finditer(text, start):
        begin = text.rfind("\n", 0, max(0, under.start() - 1)) + 1
        if "|" in text[begin : under.start()]:
            end = under.end()
            while end < len(text):
                stop = text.find("\n", end + 1) % (len(text) + 1)
                if not text[end:stop].strip():
                    break
                end = stop
            yield begin, end


def read(text: str, wanted: Wanted) -> Any:  # noqa: ANN401 - an object or an array
    """The rows of a table, or the one object that it is.

    Raises:
        NotationError: a column is no field or there twice, a row is ragged, or a cell has no one reading.
    """
    (head, at, is_closed), under, *rows = _rows(text)
    if not rows:
        raise NotationError(_NO_ROWS, at)
    for cells, place, has_end in (under, *rows):
        if _LEFT_OUT.issuperset(cells):
            raise NotationError(ELISION, place)
        if len(cells) != len(head) or (is_closed and not has_end):
            raise NotationError(_RAGGED, place)
    is_list = wanted.shape.arrays
    if not is_list and len(head) == 2 and not any(map(wanted.field_of, head)):  # noqa: PLR2004 - a field and its value
        if folded(head[1]) in _NO_VALUES:
            raise NotationError(ONLY_ASIDE, at)
        return wanted.flat((_unmarked(cells[0]), cells[1], at) for cells, *_ in rows)
    if not is_list and len(rows) > 1:
        raise NotationError(_ONE_OBJECT, at)
    if not is_list and len(head) == 2 and wanted.field_of(_unmarked(rows[0][0][0])):  # noqa: PLR2004 - as above
        raise NotationError(_TWO_WAYS, at)
    objects = [wanted.flat(zip(head, cells, repeat(place))) for cells, place, _ in rows]
    return objects if is_list else objects[0]


def _rows(text: str) -> Iterator[tuple[list[str], int, bool]]:
    """The cells of each line, where it begins, and whether a sign closes the last of them; the head without marks."""
    at = 0
    for line in text.split("\n"):
        bare = line.strip(_BLANKS)
        cells, begin = list[str](), 0
        for sign in _SIGN.finditer(bare):
            if sign[0] == "|":
                cells.append(bare[begin : sign.start()])
                begin = sign.end()
        is_closed = begin == len(bare) and bool(cells)
        cells += [] if is_closed else [bare[begin:]]
        clean = [cell.replace("\\|", "|").strip(_BLANKS) for cell in cells[bare.startswith("|") :]]
        yield clean if at else [*map(_unmarked, clean)], at, is_closed
        at += len(line) + 1


def _unmarked(cell: str) -> str:
    """A name without the marks of bold, italics and code around it."""
    return cell.strip("*_` \t") if cell[:1] in "*`" else cell
