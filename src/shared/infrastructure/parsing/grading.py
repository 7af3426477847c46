"""How sure a result is, by what was done to read it, and the refusal of one that is not as sure as was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import GRADES, Grade, least_sure
from src.shared.domain.language import Message
from src.shared.domain.parse_reasons import ACCEPT
from src.shared.domain.reading.edits import kinds_of
from src.shared.infrastructure.parsing.parse_errors import parse_error
from src.shared.infrastructure.parsing.state import PASSED_OVER, SPLIT, UNWRAPPED, ParseState, Span

_TYPE_DECIDED = frozenset({PASSED_OVER, UNWRAPPED, SPLIT})


class _Cause(NamedTuple):
    """Something that makes a result less sure.

    Attributes:
        grade: what it makes of the result.
        what: its name: a kind of repair or of coercion, or `passed_over`.
        offset: its place in the text; None where it has none.
        path: the value it is about; None where it is about the text.
    """

    grade: Grade
    what: str
    offset: int | None
    path: str | None = None


def grade_of(state: ParseState) -> Grade:
    """How sure the result of a text is: as sure as the least sure thing that was done to read it."""
    return least_sure((*(GRADES[kind] for kind in kinds_of(state.edits)), *(cause.grade for cause in _beside(state))))


def accepted(state: ParseState) -> ParseState:
    """Refuse a result that is not as sure as was asked for.

    Raises:
        LLMJsonParseError: it names the grade, and the first thing behind it with its place.
    """
    wanted, grade = state.target.accept, grade_of(state)
    if grade.is_behind(wanted):
        cause = next(cause for cause in _causes(state) if cause.grade.is_behind(wanted))
        raise _less_sure(state, grade, cause)
    return state


def _causes(state: ParseState) -> Iterator[_Cause]:
    yield from (_Cause(GRADES[edit.kind], edit.kind.value, edit.offset) for edit in state.edits if edit.kind)
    yield from _beside(state)


def _beside(state: ParseState) -> Iterator[_Cause]:
    """What makes a result less sure and is no edit."""
    for note in state.notes:
        if note.action in _TYPE_DECIDED:
            yield _Cause(Grade.CHOSEN, note.action.replace(" ", "_"), note.span.start)
    for one in state.coercions:
        yield _Cause(Grade.READ, one.kind.value, None, one.path)
    span = state.chosen
    outside = _first_outside(state.raw, span) if span else None
    if outside is not None:
        yield _Cause(Grade.WRAPPED, "wrapping", outside)


def _first_outside(raw: str, span: Span) -> int | None:
    """The first character beside a part of the text that is not white space."""
    for start, end in ((0, span.start), (span.end, len(raw))):
        beside = raw[start:end]
        if beside and not beside.isspace():
            return start + len(beside) - len(beside.lstrip())
    return None


def _less_sure(state: ParseState, grade: Grade, cause: _Cause) -> LLMJsonParseError:
    place = None if cause.offset is None else state.lines.position(cause.offset)
    at = f"line {place['line']}, column {place['column']}" if place else cause.path
    zh_at = f"第 {place['line']} 行第 {place['column']} 列" if place else cause.path
    wanted = state.target.accept
    message = Message.glossed(
        f"结果的等级为 {grade}，要求不低于 {wanted}：{zh_at}为 {cause.what}",
        f"the result is graded {grade}, and only {wanted} or surer is accepted: {cause.what} at {at}",
        f"graded {grade}, not {wanted}: {cause.what}",
    )
    return parse_error(
        message,
        ACCEPT,
        state.raw,
        json_error=f"graded {grade}",
        position=place,
        repairs=state.repair_kinds or None,
        grade=grade.value,
        accept=wanted.value,
        cause=cause.what,
        path=cause.path,
    )
