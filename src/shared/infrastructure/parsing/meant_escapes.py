r"""Valid JSON that is hardly meant: a tab that begins a LaTeX command (`"\times"`) or part of a path (`"C:\temp"`).

JSON's reading stands, with a note that says what it may have been. A caller who knows better says so, for a call or for
a field: then the backslash of such an escape is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.edits import Edit, Edits
from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import expression, repeated
from src.shared.domain.latex import commands
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import decode_at
from src.shared.domain.type_shapes import CoreSchema, definitions_of, escapes_of, parts_with_keys
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, changed

PART_LIMIT = 255
"""Most characters of one part of a path, as file systems have them."""
_PART = rf"\\(?![\\\"/])[^\\\"/:*?<>|\x00-\x1f]{{0,{PART_LIMIT}}}+"
_NAMES = repeated(r"\\[\w-]++", "+")
_PATH = expression(
    rf"""
      (?<! [A-Za-z0-9\\] ) [A-Za-z]: {repeated(_PART, "+")}                 # C:\temp\new
    | (?<= " ) \.{{1,2}}+ {repeated(_PART, "+")}                            # ..\build\new
    | (?<= " ) [\w-]++ {_NAMES} \.[A-Za-z0-9]{{1,5}}+ (?= " )               # reports\new\table.csv
    """,
    re.VERBOSE,
)
_PAIR_OR_LETTER = expression(r"\\(?:\\|(?P<letter>[bfnrt]))")


def meant_in_paths(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The escapes that stand in what looks like a path with single backslashes, each with that path."""
    for path in _PATH.finditer(text, start, end):
        for at in _letters(text, *path.span()):
            yield at, path.group()


def _letters(text: str, start: int, end: int) -> Iterator[int]:
    return (found.start() for found in _PAIR_OR_LETTER.finditer(text, start, end) if found["letter"])


def notes_of(state: ParseState) -> tuple[Note, ...]:
    """A note for each escape of the answer that may be no escape."""
    start, end = state.chosen or Span(0, 0)
    found = {at: ("looks_like_latex", name) for at, name in commands(state.text, start, end)}
    found |= {at: ("looks_like_path", path) for at, path in meant_in_paths(state.text, start, end)}
    return tuple(Note("strict", action, Span(at, at + 2), meant) for at, (action, meant) in sorted(found.items()))


def _offsets(text: str, span: Span, escapes: str) -> list[int]:
    if escapes == "latex":
        return [at for at, _ in commands(text, *span, short=True)]
    if escapes == "path":
        return [at for at, _ in meant_in_paths(text, *span)]
    return list(_letters(text, *span))


def with_meant_escapes(state: ParseState) -> ParseState:
    """The state in which the escapes are read as the caller, or the type of a field, says."""
    dto_type = state.target.dto_type
    wanted = state.target.read_as.escapes
    if wanted != "json":
        state = _read(state, wanted)
    fields = dto_type.field_escapes if dto_type else frozenset[str]()
    if not fields or dto_type is None:
        return state
    # a field that is a path has no control character: none of its escapes for one is meant
    others = {mode: _read(state, "every" if mode == "path" else mode).data for mode in fields}
    taken: list[Coercion] = []
    data = with_fields(dto_type.adapter.core_schema, state.data, others, taken)
    return changed(state, data=data, coercions=(*state.coercions, *taken))


def _read(state: ParseState, escapes: str) -> ParseState:
    """The state with these backslashes kept, which the decoder reads again."""
    span = state.chosen or Span(0, 0)
    put = list(_outside(_offsets(state.text, span, escapes), state.edits))
    if not put:
        return state
    meant = changed(state, edits=sorted((*state.edits, *put), key=itemgetter(0)))
    try:
        data = decode_at(meant.answer_text.text, 0, as_written=state.target.reads_decimals).data
    except (ValueError, RecursionError):  # JSON in a string: the edits name the repairs, and do not make JSON
        return state
    return changed(meant, data=data)


def _outside(offsets: list[int], edits: Edits) -> Iterator[Edit]:
    """An edit for each backslash that no other edit has touched, or taken out with what it stands in."""
    touched, reached = iter(edits), 0
    edit = next(touched, None)
    for at in offsets:
        while edit is not None and edit.offset <= at:
            reached = max(reached, edit.offset + max(edit.length, edit.put.startswith("\\")))
            edit = next(touched, None)
        if at >= reached:
            yield Edit(at, 0, "\\", RepairKind.BAD_ESCAPE)


def with_fields(schema: CoreSchema, data: Any, others: Mapping[str, Any], taken: list[Coercion]) -> Any:  # noqa: ANN401 - decoded JSON
    """The data, changed in place, with the strings of marked fields as the text has them in that way of reading."""
    definitions, root = definitions_of(schema), [data]
    waiting: list[tuple[CoreSchema, str, Any, Any, tuple[str | int, ...], dict[str, Any]]]
    waiting = [(schema, "json", root, 0, (), {mode: [other] for mode, other in others.items()})]
    seen = set[tuple[int, int, object]]()
    while waiting:
        part, mode, around, step, path, read = waiting.pop()
        if (id(part), id(around), step) in seen:  # a type may be one of its own choices
            continue
        seen.add((id(part), id(around), step))
        mode = escapes_of(part) or mode
        value = around[step]
        # a key with an escape of its own is another one in the other way of reading
        inside = {name: other[step] for name, other in read.items() if isinstance(other, list) or step in other}
        if isinstance(value, str):
            if mode in inside and inside[mode] != value:
                taken.append(Coercion(CoercionKind.ESCAPE, json_path(path), value, inside[mode]))
                around[step] = inside[mode]
            if mode != "json":
                continue
        for inner, key in parts_with_keys(part, value, definitions):
            if key is None:
                waiting.append((inner, mode, around, step, path, read))
            else:
                waiting.append((inner, mode, value, key, (*path, key), inside))
    taken.reverse()
    return root[0]
