"""Objects in a row where the type is a list: JSON Lines, and objects with commas between them and no brackets around.

Such a list has no bracket that shows its end: it counts where the model is known to have stopped by itself, or where
text follows, such as the end of a fenced block. At the bare end of a text more rows may have been cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from operator import itemgetter

from src.shared.domain.edits import Edit, EditedText, merged
from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import ROWS_WITHOUT_END
from src.shared.domain.reading.reading import Problem, Value
from src.shared.domain.reading.scanner import Unreadable
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.state import ParseState

_COLON = expression(r"\s*+:\s*+")
_COMMA = expression(repeated(r"\s*+,\s*+", "?"))
_GOES_ON = expression(r'\s*+(?:\}|,\s*+["}])')
"""What an object goes on with behind the value of one of its keys."""
_BETWEEN = expression(r"\s*+" + repeated(r",\s*+", "?"))


def in_a_row(state: ParseState, values: Iterable[Value]) -> Iterator[Value]:
    """The values, of which objects that follow each other with nothing but a comma between them are one list."""
    row: list[Value] = []
    for value in values:
        is_object = value.problem is None and isinstance(value.data, dict)
        if row and not (is_object and _BETWEEN.fullmatch(state.text, row[-1].end, value.start)):
            yield from _as_list(state, row)
            row = []
        if is_object:
            row.append(value)
        else:
            yield value
    yield from _as_list(state, row)


def with_list_brackets(state: ParseState, value: Value) -> Value:
    """A value that cannot be read, with the brackets of its lists put in, if it can be read so and fits the type.

    `{"rows": {"a": 1}, {"a": 2}}`: after a comma an object has no key, and the type says that `rows` is a list.
    """
    dto_type = state.target.dto_type
    if value.problem is None or dto_type is None or state.text[value.start] != "{":
        return value
    lists = [key for key in dto_type.own_keys if _is_list(dto_type.expected, key)]
    put = [edit for key in sorted(lists) for edit in _brackets_for(state, value, key)]
    if not put:
        return value
    put.sort()
    edited = EditedText(state.text, value.start, len(state.text), put)
    found = state.target.scanner(edited.text, state.scanner.work).value_at(0)
    if found is None or found.problem or not state.target.fits(found.data):
        return value
    moved: list[Edit] = [edit._replace(offset=edited.origin(edit.offset)) for edit in found.edits]
    edits = sorted((*put, *moved), key=itemgetter(0))
    return replace(found, start=value.start, end=edited.origin(found.end - 1) + 1, edits=edits, damaged=True)


def _is_list(expected: Expected, key: str) -> bool:
    member = expected.member(key)
    return member is not ANYTHING and member.arrays and not member.objects and member.element(0).objects


def _brackets_for(state: ParseState, value: Value, key: str) -> Iterator[Edit]:
    """A bracket before the first and behind the last of several objects in a row that stand under a key."""
    at, name = value.start, f'"{key}"'
    brackets = Unreadable(state.text, state.scanner.work)
    while (at := state.text.find(name, at)) >= 0:
        at += len(name)
        colon = _COLON.match(state.text, at)
        start = end = colon.end() if colon else at
        size = 0
        while state.text.startswith("{", at := _COMMA.match(state.text, end).end() if size else start):  # type: ignore[union-attr]  # it matches nothing, too
            end, size = brackets.end_of_brackets(at), size + 1
        if size > 1 and _GOES_ON.match(state.text, end):
            yield Edit(start, 0, "[", RepairKind.MISSING_BRACKET)
            yield Edit(end, 0, "]", RepairKind.MISSING_BRACKET)
        at = max(start, end)


def _as_list(state: ParseState, row: list[Value]) -> Iterator[Value]:
    if len(row) < 2:  # noqa: PLR2004 - one object may be anything
        yield from row
        return
    start, end = row[0].start, row[-1].end
    if not state.target.finished and not state.raw[end:].strip(" \t\r\n,"):
        yield Value(start, end, problem=Problem(end, ROWS_WITHOUT_END), damaged=True)
    else:
        edits = merged(list(_edits_of(state.text, row)), [edit for value in row for edit in value.edits])
        yield Value(start, end, [value.data for value in row], edits, damaged=True)


def _edits_of(text: str, row: list[Value]) -> Iterator[Edit]:
    """The brackets around the row, and the commas that are missing in it."""
    yield Edit(row[0].start, 0, "[", RepairKind.MISSING_BRACKET)
    for value, following in pairwise(row):
        if "," not in text[value.end : following.start]:
            yield Edit(value.end, 0, ",", RepairKind.MISSING_COMMA)
    yield Edit(row[-1].end, 0, "]", RepairKind.MISSING_BRACKET)
