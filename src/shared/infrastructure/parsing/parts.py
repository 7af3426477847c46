"""Keeps what satisfies the type, and names the rest: bad elements of a list, and what was cut off.

An element is a member of the first list, or object of free keys, on the way from the root: one that has a bad member is
left out as a whole, however deep that member is. What is wrong outside such a list leaves nothing to keep.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from src.shared.domain.edits import kinds_of
from src.shared.domain.exceptions import LLMJsonParseError, json_path
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import CUT_OFF, TRUNCATED
from src.shared.domain.partial import Partial, PartProblem
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import Path, TypeParts
from src.shared.infrastructure.parsing.parse_errors import broken_contract, data_summary, found_in
from src.shared.infrastructure.parsing.paths import NOTHING, AnswerText, data_path, member_at, member_of, refusal
from src.shared.infrastructure.parsing.plain import decoded
from src.shared.infrastructure.parsing.state import ParseState, Span, Target, changed
from src.shared.infrastructure.parsing.target_type import TargetType, Validated

MOST_PROBLEMS = 1_000
"""Most elements that are left out; with more of them the answer is refused as a whole."""
MOST_PARTS = 20
"""Most parts of an answer that are asked for on their own; with more of them all of it is asked for again."""
MOST_ROUNDS = 4
"""Times that what is left is validated: once more for what only shows when the rest is right."""
_GIVEN_UP = frozenset({RepairKind.ELLIPSIS, RepairKind.DUPLICATE_KEY})
"""Repairs that leave it open which part of a text that was cut off is not whole."""
_BRACKETS = {"}": dict, "]": list}
_KEY = expression(r"[\"']?+([^\"'\\:\n]{1,200}+)[\"']?+[ \t]*+:")
"""A member's key, if it is plain."""


def cut_answer(raw: str, target: Target, error: LLMJsonParseError) -> ParseState:
    """The state with what was complete of a text that was cut off.

    Args:
        raw: the text.
        target: what was asked for.
        error: why the text is refused as a whole.

    Raises:
        LLMJsonParseError: nothing can be kept.
    """
    if target.work:
        target.work.begin_again()
    state = decoded(raw, replace(target, salvage=True))
    if kinds_of(state.edits) & _GIVEN_UP:
        raise error
    return state


class Draft(NamedTuple):
    """An answer that may be mended in parts.

    Attributes:
        data: what was decoded, before any hook.
        kept: what of it satisfies the type; None where the rest does not either.
        wanted: the parts to ask for; empty where the answer is whole, or it can only be asked for as a whole.
        error: why it is not whole; None where it is.
    """

    data: Any
    kept: Partial[Any] | None
    wanted: tuple[tuple[Path, PartProblem], ...] = ()
    error: LLMJsonParseError | None = None


class _Missing(NamedTuple):
    """A part that never came, or came in part: its path, and where what there is of it begins and ends."""

    path: Path
    start: int
    end: int


_Cut: TypeAlias = tuple[Path | None, list[_Missing]]
"""Of a text that was cut off the element that is left out, if one was open, and what never came, or came in part."""


def drafted(state: ParseState, wanted: TargetType[Any]) -> ParseState:
    """The state with a `Draft` as its result."""
    try:
        validated = wanted.read(state.data, hooked=bool(state.target.normalizers))
    except ValidationError as error:
        first = error
    else:
        result = Draft(state.data, Partial(validated.value))
        return changed(state, result=result, coercions=(*state.coercions, *validated.coercions))
    state = _shaped(state, wanted)
    kept, coercions = None, state.coercions
    with suppress(LLMJsonParseError):
        read = good(state, wanted)
        kept, coercions = read.result, read.coercions
    data = decoded(state.raw, state.target).data if state.target.normalizers and state.raw else state.data
    whole = _Whole(state.data, TypeParts(wanted.adapter.core_schema))
    parts = whole.parts_in(first)
    if any(not _still_there(state.data, data, path[:-1]) for path in parts):
        parts = {}
    whole.broken.update(parts)
    problems = {json_path(path): path for path in parts}
    found = tuple((problems[one.path], one) for one in _broken(state, wanted, whole))
    return changed(state, result=Draft(data, kept, found, _refused(first, wanted.name, state)), coercions=coercions)


def put(data: Any, path: Path, value: object) -> Any:  # noqa: ANN401 - decoded JSON
    """The data with another value at a path, which may be a member that an object lacks."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    inside = put(data[step] if isinstance(step, int) or step in data else {}, rest, value)
    if isinstance(step, int):
        return [*data[:step], inside, *data[step + 1 :]]
    return {**data, step: inside}


def _shaped(state: ParseState, wanted: TargetType[Any]) -> ParseState:
    """The state in which every part is found by the names that the type has."""
    data, coercions = wanted.shaped(state.data)
    return changed(state, data=data, coercions=(*state.coercions, *coercions)) if coercions else state


def good(state: ParseState, wanted: TargetType[Any]) -> ParseState:
    """The state with a `Partial` as its result.

    Raises:
        LLMJsonParseError: what is wrong is no element of a list, or the rest does not satisfy the type either.
        ValidatorCrashError: the type's own code failed.
    """
    parts = TypeParts(wanted.adapter.core_schema)
    is_cut = state.truncated or state.target.finished is False
    if not is_cut:
        state = _shaped(state, wanted)
    gone, missing = _cut_of(state, parts) if is_cut else (None, [])
    whole = _Whole(state.data, parts)
    if gone:
        whole.leave_out(gone)
    validated = _rest(state, wanted, whole)
    problems = [*_broken(state, wanted, whole)]
    for path, start, end in missing:
        error = _cut_error(state, end)
        problems.append(PartProblem(json_path(path), state.lines.position(start), state.raw[start:end], error))
    coercions = (*state.coercions, *validated.coercions)
    return changed(state, result=Partial(validated.value, tuple(problems)), coercions=coercions)


class _Whole:
    """The data of an answer, and which elements of it are left out.

    Attributes:
        broken: what is wrong in each element that the type refuses, by its path.
    """

    def __init__(self, data: Any, parts: TypeParts) -> None:  # noqa: ANN401 - decoded JSON
        self.data = data
        self.broken: dict[Path, list[ErrorDetails]] = defaultdict(list)
        self._parts = parts
        self._left_out: dict[Path, set[str | int]] = defaultdict(set)

    def leave_out(self, element: Path) -> None:
        """Leave out a member."""
        self._left_out[element[:-1]].add(element[-1])

    def rest(self, path: Path = ()) -> Any:  # noqa: ANN401 - decoded JSON
        """The data, or what of them is at a path, without the members that are left out."""
        data = member_at(self.data, path)
        if path in self._left_out:
            steps = self._kept(path)
            return [data[step] for step in steps] if isinstance(data, list) else {step: data[step] for step in steps}
        inside = {left[len(path)] for left in self._left_out if left[: len(path)] == path}
        return data | {step: self.rest((*path, step)) for step in inside} if inside else data

    def _kept(self, path: Path) -> list[Any]:
        """The keys, or the indexes, of the members of a container that are not left out."""
        members = member_at(self.data, path)
        steps = range(len(members)) if isinstance(members, list) else members
        return [step for step in steps if step not in self._left_out.get(path, ())]

    def take(self, error: ValidationError) -> bool:
        """Leave out the elements that are refused; whether that is all that is wrong."""
        rest, kept = self.rest(), dict[Path, list[Any]]()
        for one in found_in(error):
            element = self._parts.element_of(data_path(one, rest, as_written=True) or ())
            if element is None:
                return False
            *path, step = element
            where = tuple(path)
            if where not in kept:
                kept[where] = self._kept(where)
            at = (*path, kept[where][step] if isinstance(step, int) else step)
            self.broken[at].append({**one, "loc": (*at, *one["loc"][len(at) :])})
        for at in self.broken:
            self.leave_out(at)
        return len(self.broken) <= MOST_PROBLEMS

    def parts_in(self, error: ValidationError) -> dict[Path, list[ErrorDetails]]:
        """The parts that are refused, elements or fields, if each of them is one for which the type has a schema."""
        found = dict[Path, list[ErrorDetails]]()
        for one in found_in(error):
            path = data_path(one, self.data, as_written=True) or ()
            if one["type"] == "missing":
                path = (*path, one["loc"][-1])
            part = self._parts.element_of(path) or path
            if not part or len(found) > MOST_PARTS or self._parts.at(part) is None:
                return {}
            found.setdefault(part, []).append(one)
        return found if len(found) <= MOST_PARTS else {}


def _rest(state: ParseState, wanted: TargetType[Any], whole: _Whole) -> Validated[Any]:
    """What is left of the answer, validated, once no element is in the way."""
    rounds = 0
    while True:
        try:
            return wanted.read(whole.rest(), hooked=bool(state.target.normalizers))
        except ValidationError as error:
            rounds += 1
            if rounds > MOST_ROUNDS or not whole.take(error):
                raise _refused(error, wanted.name, state) from error


def _refused(error: ValidationError, name: str, state: ParseState) -> LLMJsonParseError:
    refused = refusal(error, name, state)
    if state.truncated:
        refused.details["truncated"] = True
    return refused


def _broken(state: ParseState, wanted: TargetType[Any], whole: _Whole) -> Iterator[PartProblem]:
    """The elements that the type refuses."""
    answer = AnswerText(state) if whole.broken else None
    texts = answer.values(whole.broken) if answer else {}
    for path in sorted(whole.broken):
        element = member_at(whole.data, path)
        found = texts.get(path)
        if found and state.target.normalizers and not _says(found.written, element):
            found = None  # a hook has put it there, or has changed it
        place = state.lines.position(found.span.start) if found else None
        written = state.raw[found.span.start : found.span.end] if found else ""
        text = written if found or element is NOTHING else data_summary(element)
        error = broken_contract(whole.broken[path], wanted.name, element, text)
        if place:
            error.details["position"] = place
        yield PartProblem(json_path(path), place, text, error)


def _says(written: str, element: object) -> bool:
    try:
        return bool(json.loads(written, strict=False) == element)
    except (ValueError, RecursionError):
        return False


def _cut_of(state: ParseState, parts: TypeParts) -> _Cut:
    """What a text that was cut off lacks.

    Raises:
        LLMJsonParseError: nothing says what of it is whole.
    """
    edit = next((edit for edit in state.edits if edit.kind is RepairKind.TRUNCATED_MEMBER), None)
    if edit is None:  # it looks whole, and the caller knows that it is not
        return None, [_Missing((), len(state.raw), len(state.raw))]
    answer = AnswerText(state)
    opened = _opened(answer.data, edit.put[: len(edit.put) - len(state.inside)])
    if not opened or not _still_there(state.data, answer.data, opened[-1]):
        raise _cut_error(state, edit.offset)
    return _lacking(state, answer, parts, opened, Span(edit.offset, edit.offset + edit.length))


def _lacking(state: ParseState, answer: AnswerText, parts: TypeParts, opened: list[Path], last: Span) -> _Cut:
    """What is missing of the containers that were open at the end; `last` is what there was of the last member.

    An object of fields keeps those that were complete. Anything else that was open is not whole.
    """
    at = next((at for at, path in enumerate(opened) if not parts.fields(path)), len(opened))
    objects = [(one, member_at(state.data, one)) for one in opened[:at]]
    absent = [(*one, min(keys)) for one, data in objects for keys in parts.fields(one) if keys.isdisjoint(data)]
    never = [_Missing(path, last.end, last.end) for path in absent]
    if at == len(opened):
        key = _KEY.match(state.raw, _behind_comma(state.raw, *last), last.end)
        if key and key.group(1) in member_at(answer.data, opened[-1]):
            raise _cut_error(state, last.end)  # it would have had another value
        return None, _with_text(never, _Missing(opened[-1], *last), state.raw)
    has_elements = parts.has_elements(opened[at])
    if has_elements and at == len(opened) - 1:
        members = member_at(answer.data, opened[at])
        element = (*opened[at], len(members)) if isinstance(members, list) else opened[at]
        return None, [_Missing(element, _behind_comma(state.raw, *last), last.end), *never]
    if not has_elements and at == 0:
        raise _cut_error(state, last.end)
    gone = opened[at + 1] if has_elements else opened[at]
    found = answer.values([gone]).get(gone)
    return gone, [_Missing(gone, found.span.start if found else last.start, last.end), *never]


def _opened(data: Any, put: str) -> list[Path]:  # noqa: ANN401 - decoded JSON
    """The paths of the containers that were open at the end, from the root; none where that is not sure."""
    path: Path = ()
    found: list[Path] = []
    for bracket in reversed(put):
        if found:
            step = max(0, len(data) - 1) if isinstance(data, list) else next(reversed(data), "")
            path, data = (*path, step), member_of(data, step)
        if not isinstance(data, _BRACKETS.get(bracket, ())):
            return []
        found.append(path)
    return found


def _still_there(data: object, before: object, path: Path) -> bool:
    """Whether the hooks have left each container on a path where it was, with as many elements if it is a list."""
    for step in (*path, None):
        if type(data) is not type(before) or (isinstance(data, list) and len(data) != len(before)):  # type: ignore[arg-type]
            return False
        if step is not None:
            data, before = member_of(data, step), member_of(before, step)
    return True


def _with_text(never: list[_Missing], member: _Missing, raw: str) -> list[_Missing]:
    """What never came of an object, with the text of the member that was cut off, which may be one of its fields."""
    start = _behind_comma(raw, member.start, member.end)
    key = _KEY.match(raw, start, member.end)
    path = (*member.path, key.group(1)) if key else None
    if any(one.path == path for one in never):
        return [one._replace(start=start) if one.path == path else one for one in never]
    return [member._replace(start=start), *never]


def _behind_comma(raw: str, start: int, end: int) -> int:
    """Where a member begins of which the text from a comma on is known."""
    rest = raw[start:end]
    return end - len(rest.lstrip().removeprefix(",").lstrip())


def _cut_error(state: ParseState, offset: int) -> LLMJsonParseError:
    reason = CUT_OFF if state.target.finished is False else TRUNCATED
    return state.refused(reason, "repair", offset, truncated=True)
