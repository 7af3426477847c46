"""The rows of a list without its brackets: objects in a row, and rows that were run together in one object.

Objects in a row are a list where the type is one: JSON Lines, and objects with commas between them. Such a list has no
bracket that shows its end: it counts where the model is known to have stopped by itself, or where text follows, such as
the end of a fenced block. At the bare end of a text more rows may have been cut off.

In rows that were run together the keys of a second row follow those of the first. The decoder keeps the last value of
each key, so that the first row would be lost, or mixed with the second. Such an element is refused with both places, or
split where the caller asks for that and every row is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from pydantic import ValidationError

from src.shared.domain.edits import Edit, EditedText, merged
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, repeated
from src.shared.domain.language import Phrase
from src.shared.domain.parse_reasons import ROWS_WITHOUT_END
from src.shared.domain.reading.reading import Problem, Value
from src.shared.domain.reading.scanner import Unreadable
from src.shared.domain.repair import RepairKind
from src.shared.domain.strict_json import Repeating
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.parse_errors import Loc, problem_of
from src.shared.infrastructure.parsing.paths import AnswerText, refusal
from src.shared.infrastructure.parsing.state import SPLIT, Note, ParseState, changed

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
        unseparated = [one.end for one, other in pairwise(row) if "," not in state.text[one.end : other.start]]
        put = [
            Edit(start, 0, "[", RepairKind.MISSING_BRACKET),
            *(Edit(at, 0, ",", RepairKind.MISSING_COMMA) for at in unseparated),
            Edit(end, 0, "]", RepairKind.MISSING_BRACKET),
        ]
        edits = merged(put, [edit for value in row for edit in value.edits])
        yield Value(start, end, [value.data for value in row], edits, damaged=True)


# --- run together ---

KIND = "rows_run_together"
"""Type of the validation error."""


class RunTogether(NamedTuple):
    """An object that holds several rows.

    Attributes:
        loc: where it is in the data.
        key: its first key.
        value: the object.
        is_placed: whether it is at this location in the text, too; not in a row that was split from others.
    """

    loc: Loc
    key: str
    value: Repeating
    is_placed: bool


class _Several(NamedTuple):
    """Stands in a list for the rows of one of its elements, until the list is put together."""

    rows: list[dict[str, Any]]


def separated(
    root: list[Any], expected: Expected, *, splits: bool, keeps: bool = False
) -> tuple[list[RunTogether], list[RunTogether]]:
    """The objects whose rows were split, and those whose were not, where the type says that there is a list of them.

    Args:
        root: the data that a decoder returned, in a list; changed so that no key stands twice in an object any more.
        expected: what the type says of the data.
        splits: whether rows are split of which each is complete.
        keeps: whether what is refused or split nowhere stays as the decoder returned it.
    """
    split, refused = list[RunTogether](), list[RunTogether]()
    lists: dict[int, list[Any]] = {}
    waiting: list[tuple[Any, Any, Expected, Loc, bool, bool]] = [(root, 0, expected, (), False, True)]
    while waiting:
        around, step, wanted, loc, in_list, is_placed = waiting.pop()
        value = around[step]
        if isinstance(value, Repeating):
            around[step] = value if keeps else dict(value)
            row = wanted if in_list else wanted.element(0)
            is_row = row.objects and row is not ANYTHING and (in_list or (wanted.arrays and not wanted.objects))
            rows = _rows_of(value.members) if is_row else []
            if len(rows) > 1:
                together = RunTogether(loc, value.members[0][0], value, is_placed)
                needed = row.required or {key for key, _ in rows[0]}
                keys = [{key for key, _ in one} for one in rows]
                are_complete = all(len(own) == len(one) and needed <= own for own, one in zip(keys, rows, strict=True))
                if not splits or not are_complete:
                    refused.append(together)
                    continue
                split.append(together)
                made = [dict(one) for one in rows]
                around[step] = _Several(made) if in_list else made
                lists |= {id(around): around} if in_list else {}
                waiting += [(made, at, row, (*loc, at), True, False) for at in range(len(made))]
                continue
            value = around[step]
        if isinstance(value, dict):
            waiting += [(value, key, wanted.member(key), (*loc, key), False, is_placed) for key in value]
        elif isinstance(value, list):
            is_list = wanted.arrays and wanted is not ANYTHING
            waiting += [(value, at, wanted.element(at), (*loc, at), is_list, is_placed) for at in range(len(value))]
    for some in lists.values():
        some[:] = [row for one in some for row in (one.rows if isinstance(one, _Several) else [one])]
    return split, refused[::-1]  # in the order of the text


def _rows_of(members: Sequence[tuple[str, Any]]) -> list[list[tuple[str, Any]]]:
    """The members of each row: it begins with the first key, and has the keys of the first row in the same order.

    One row where that is not so: then a key stands twice, and no more is known.
    """
    first = members[0][0]
    starts = [at for at, (key, _) in enumerate(members) if key == first]
    if len(starts) == 1 or starts[1] == 1:
        return [list(members)]
    rows = [list(members[start:end]) for start, end in pairwise([*starts, len(members)])]
    order = {key: at for at, (key, _) in reversed(list(enumerate(rows[0])))}
    for row in rows[1:]:
        places = [order[key] for key, _ in row if key in order]
        if places != sorted(places):
            return [list(members)]
    return rows


def without_repeating(state: ParseState) -> ParseState:
    """The state in which no object has a key twice; the data are changed.

    Raises:
        LLMJsonParseError: rows were run together, and may not or cannot be told apart.
    """
    dto_type = state.target.dto_type
    expected = dto_type.expected if dto_type else ANYTHING
    root = [state.data]
    keeps = dto_type is not None and dto_type.coerces  # whose keys and lists are not known yet
    split, refused = separated(root, expected, splits=state.target.read_as.run_together == "split", keeps=keeps)
    state = changed(state, data=root[0])
    if dto_type and refused:
        raise _refused(state, dto_type.name, refused)
    return changed(state, **_traced(state, split), is_split=True) if split else state


def _traced(state: ParseState, found: Sequence[RunTogether]) -> dict[str, Any]:
    """The notes and the edits of a state in which rows were split: brackets were missing, and no key stands twice."""
    placed = AnswerText(state).objects(one.loc for one in found if one.is_placed)
    notes, put, again = [], [], set[int]()
    for span, keys in placed.values():
        notes.append(Note("root", SPLIT, span))
        put += [Edit(at, 0, "}, {", RepairKind.MISSING_BRACKET) for key, at in keys[1:] if key == keys[0][0]]
        again.update(at for _, at in keys)
    stays = (one for one in state.edits if one.kind is not RepairKind.DUPLICATE_KEY or one.offset not in again)
    notes.sort(key=attrgetter("span.start"))
    return {"notes": (*state.notes, *notes), "edits": sorted((*stays, *put), key=itemgetter(0))}


def _refused(state: ParseState, name: str, found: Sequence[RunTogether]) -> LLMJsonParseError:
    """The error that names both places of the first of them, and each in its problems."""
    problems = []
    for loc, key, value, _ in found:
        message = Phrase(
            "several rows stand in one object, where the key {key} begins again; write each as an object of its own",
            key=key,
        )
        problems.append(problem_of(KIND, message, loc, value))
    error = refusal(ValidationError.from_exception_data(name, problems), name, state)
    first = found[0]
    for _, keys in AnswerText(state).objects([first.loc]).values() if first.is_placed else ():
        places = [state.lines.position(at) for key, at in keys if key == first.key][:2]
        error.details |= {"position": places[-1], "candidates": places}
    return error
