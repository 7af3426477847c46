"""What the parser returns: the decoded data, how they were read, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.edits import kinds_of
from src.shared.domain.grade import Grade, least_sure
from src.shared.domain.language import Phrase
from src.shared.domain.parse_reasons import ACCEPT
from src.shared.domain.partial import Partial
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.repair import Repair
from src.shared.domain.strict_json import is_damage
from src.shared.infrastructure.parsing.parse_errors import parse_error
from src.shared.infrastructure.parsing.state import (
    ALONE,
    NOTATED,
    PASSED_OVER,
    SPLIT,
    STATED,
    UNWRAPPED,
    Note,
    ParseState,
    Span,
    Target,
)

if TYPE_CHECKING:
    from src.shared.infrastructure.parsing.places import ValuePlaces

T_co = TypeVar("T_co", covariant=True)
Data_co = TypeVar("Data_co", covariant=True)


_GRADES = {
    **dict.fromkeys((PASSED_OVER, UNWRAPPED, SPLIT), Grade.CHOSEN),
    ALONE: Grade.WRAPPED,
    **dict.fromkeys((STATED, *NOTATED.values()), Grade.READ),
}
"""What a note of such an action makes of a result."""


class _Cause(NamedTuple):
    """What makes a result less sure: what it makes of it, its name, and its place in the text, or the value's path."""

    grade: Grade
    what: str
    offset: int | None
    path: str | None = None


def grade_of(state: ParseState) -> Grade:
    """How sure the result of a text is: as sure as the least sure thing that was done to read it."""
    return least_sure((*(kind.grade for kind in kinds_of(state.edits)), *(cause.grade for cause in _beside(state))))


def accepted(state: ParseState) -> ParseState:
    """Refuse a result that is not as sure as was asked for.

    Raises:
        LLMJsonParseError: it names the grade, and the first thing behind it with its place.
    """
    wanted, grade = state.target.accept, grade_of(state)
    if not grade.is_behind(wanted):
        return state
    repaired = (_Cause(edit.kind.grade, edit.kind.value, edit.offset) for edit in state.edits if edit.kind)
    cause = next(cause for cause in chain(repaired, _beside(state)) if cause.grade.is_behind(wanted))
    place = None if cause.offset is None else state.lines.position(cause.offset)
    message = Phrase(
        "the result is graded {grade}, and only {wanted} or surer is accepted: {what} at {at}",
        grade=grade,
        wanted=wanted,
        what=cause.what,
        at=Phrase("line {line}, column {column}", **place) if place else cause.path,
    )
    raise parse_error(
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


def _beside(state: ParseState) -> Iterator[_Cause]:
    """What makes a result less sure and is no edit."""
    for note in state.notes:
        if note.action in _GRADES:
            yield _Cause(_GRADES[note.action], note.action.replace(" ", "_"), note.span.start)
    for one in state.coercions:
        yield _Cause(Grade.READ, one.kind.value, None, one.path)
    span = state.chosen
    for start, end in ((0, span.start), (span.end, len(state.raw))) if span else ():
        beside = state.raw[start:end]
        if beside and not beside.isspace():
            yield _Cause(Grade.WRAPPED, "wrapping", start + len(beside) - len(beside.lstrip()))
            return


class _Unread:
    """Holds what a `DecodedJson` is computed from on first access; empty if all fields are already set."""

    __slots__ = ("_places", "_read")
    _read: Callable[[], ParseState]
    _places: Any


@dataclass(frozen=True, slots=True)
class DecodedJson(_Unread, Generic[Data_co]):
    r"""Decoded data and how it was read. The parser's own results compute a field on first access and then keep it.

    Attributes:
        data: the object, or the array if one was asked for.
        repairs: every departure from strict JSON, in the order of the text; empty for clean JSON.
        coercions: every value that was read as what its type asks for, in the order of the data; `data` is as before.
        grade: how sure the result is: as sure as the least sure thing that was done to read it.
        truncated: whether the text was cut off and `data` has only the members that were complete (salvage).
        notes: what the stages recognised, dropped and chose, as spans of the raw text; also each place at which a clean
            text has an escape that looks like LaTeX (`\\times` with one backslash, which JSON reads as a tab) or like a
            part of a path; and rests of the model's own format, such as `<|call|>`, beside the answer and in its
            strings, and strings whose escapes may be doubled.

    .. versionadded:: 0.1.0
    """

    data: Data_co
    repairs: tuple[Repair, ...] = ()
    truncated: bool = False
    notes: tuple[Note, ...] = ()
    coercions: tuple[Coercion, ...] = ()
    grade: Grade = Grade.CLEAN

    def span(self, path: str) -> Span | None:
        """Where a value stands in the raw text: `raw[span.start:span.end]` is what it was read from.

        Args:
            path: its JSON path in `data`, as errors and coercions have it: `$.rows[0].price`. One inside a value that
                was coerced has the place of that value.

        Returns:
            Its offsets; None where it has no single place: a normalizer made or moved it, its row was split off
            another, the answer was escaped as a whole, or the result was made by hand.

        Raises:
            KeyError: there is no value at the path.
            ValueError: it is no JSON path.

        .. versionadded:: 0.1.0
        """
        places: ValuePlaces = self._places
        return places.span(self.data, path)

    def spans(self) -> dict[str, Span]:
        """The place of each value that has one, by its path; the first 10,000 of them.

        .. versionadded:: 0.1.0
        """
        return dict(self._places.spans())

    if TYPE_CHECKING:
        ...  # a type checker should see these six fields and no others
    else:

        def __getattr__(self, name: str) -> object:
            """Compute a field when it is first accessed."""
            if name == "_read":  # made by hand, or in another process
                return lambda: ParseState.of("", Target())
            if name not in _FIELDS:
                raise AttributeError(name)
            state = self._read()
            object.__setattr__(self, "_read", lambda: state)
            value = _FIELDS[name](state)
            object.__setattr__(self, name, value)
            return value


def _places_of(state: ParseState) -> ValuePlaces:
    from src.shared.infrastructure.parsing.places import ValuePlaces  # noqa: PLC0415 - for callers that ask for it

    return ValuePlaces(state)


_FIELDS: dict[str, Callable[[ParseState], object]] = {
    "data": lambda state: state.data,
    "repairs": lambda state: state.repairs,
    "truncated": lambda state: state.truncated or state.target.finished is False,
    "notes": lambda state: all_notes(state),  # noqa: PLW0108 - defined below
    "coercions": lambda state: state.coercions,
    "grade": grade_of,
    "_places": _places_of,
}


def all_notes(state: ParseState) -> tuple[Note, ...]:
    """What the stages noted, and what in the answer may be a slip of the model."""
    return (*state.notes, *escape_notes(state), *rest_notes(state))


def escape_notes(state: ParseState) -> tuple[Note, ...]:
    """Where the answer, read unchanged, has an escape that may have been meant otherwise."""
    if is_damage(state.edits) or state.target.read_as.escapes != "json":
        return ()  # in a damaged text the reader has decided already, or the caller has
    if "\\" not in state.text:
        return ()
    from src.shared.infrastructure.parsing.meant_escapes import notes_of  # noqa: PLC0415 - hardly a text needs it

    return notes_of(state)


def rest_notes(state: ParseState) -> tuple[Note, ...]:
    """Where a rest of the model's own format stands, beside the answer or in it."""
    if "<" not in state.text and "\\" not in state.text:
        return ()
    from src.shared.infrastructure.parsing.leaked_rests import notes_of  # noqa: PLC0415 - hardly a text needs it

    return notes_of(state)


def decoded_later(read: Callable[[], ParseState], data: object = UNREAD) -> DecodedJson[Any]:
    """The decoded data of a state that is computed on first access; `data` itself may be known."""
    decoded = object.__new__(DecodedJson)
    object.__setattr__(decoded, "_read", read)
    if data is not UNREAD:
        object.__setattr__(decoded, "data", data)
    return decoded


@dataclass(frozen=True, slots=True)
class ParsedOutput(Generic[T_co]):
    """A typed object and how it was read.

    Attributes:
        value: the validated object.
        decoded: what it was made from: the data after the normalizers, the repairs, the notes.

    .. versionadded:: 0.1.0
    """

    value: T_co
    decoded: DecodedJson[Any]

    def span(self, path: str) -> Span | None:
        """Where a value stands in the raw text: `decoded.span`.

        .. versionadded:: 0.1.0
        """
        return self.decoded.span(path)

    @property
    def kept(self) -> Partial[Any]:
        """The object, and the parts of the answer that are left out of it where `keep` was asked for."""
        return self.value if isinstance(self.value, Partial) else Partial(self.value)
