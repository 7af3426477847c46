"""The unified parser: from a model's raw text to a typed object.

`parse_llm_json_output` gives the object, `parse_llm_json_output_with_trace` the object and the evidence,
`decode_llm_json` the decoded data where there is no type yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.normalizer import Normalizer
from src.shared.domain.repair import Repair
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.infrastructure.events.parse_log import log_failure, log_repairs
from src.shared.infrastructure.parsing.fast.direct import validate_directly
from src.shared.infrastructure.parsing.fast.plain import plain
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.notes import Note
from src.shared.infrastructure.parsing.parse_errors import tell_root
from src.shared.infrastructure.parsing.reader.edits import counted
from src.shared.infrastructure.parsing.state import ParseState, Several, Target
from src.shared.infrastructure.parsing.target_type import target_type

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Data_co = TypeVar("Data_co", covariant=True)

__all__ = [
    "DecodedJson",
    "ParsedOutput",
    "decode_llm_json",
    "parse_llm_json_output",
    "parse_llm_json_output_with_trace",
]


class _Unread:
    """Has the slot of what a `DecodedJson` is read from when somebody looks at it; empty where all of it is there."""

    __slots__ = ("_read",)
    _read: Callable[[], ParseState]


@dataclass(frozen=True, slots=True)
class DecodedJson(_Unread, Generic[Data_co]):
    r"""Decoded data and how it was read. What the parser returns is worked out when it is looked at, and then kept.

    Attributes:
        data: the object, or the array where one was asked for.
        repairs: every departure from strict JSON, in the order of the text; empty for clean JSON.
        truncated: whether the text was cut off and only the members that were complete are in `data` (salvage).
        notes: what the stages recognised, dropped and chose, as spans of the raw text; also where a clean text has
            an escape that looks like LaTeX (`\\times` without its second backslash, which JSON reads as a tab).
    """

    data: Data_co
    repairs: tuple[Repair, ...] = ()
    truncated: bool = False
    notes: tuple[Note, ...] = ()

    if TYPE_CHECKING:
        ...  # a type checker shall know of these four fields, and of no others
    else:

        def __getattr__(self, name: str) -> object:
            """Fill the slot of a field that is asked for the first time."""
            if name not in _FIELDS:
                raise AttributeError(name)
            value = _FIELDS[name](self._read())
            object.__setattr__(self, name, value)
            return value


_FIELDS: dict[str, Callable[[ParseState], object]] = {
    "data": lambda state: state.data,
    "repairs": lambda state: state.repairs,
    "truncated": lambda state: state.truncated or state.target.finished is False,
    "notes": lambda state: (*state.notes, *state.latex_notes()),
}


def _decoded(read: Callable[[], ParseState]) -> DecodedJson[Any]:
    """What is in the state, which is asked for when somebody looks at it."""
    decoded = object.__new__(DecodedJson)
    object.__setattr__(decoded, "_read", read)
    return decoded


@dataclass(frozen=True, slots=True)
class ParsedOutput(Generic[T_co]):
    """A typed object and the evidence.

    Attributes:
        value: the validated object.
        decoded: what it was made from: the data as the normalizers left it, the repairs, the notes.
    """

    value: T_co
    decoded: DecodedJson[Any]


def parse_llm_json_output(
    raw: str | None,
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
) -> T:
    """Turn a model's raw text into a validated object.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        dto_type: any type that Pydantic reads from a JSON object or array, or a ready `TypeAdapter`: a model, a
            dataclass, a `TypedDict`, `list[Model]`, `dict[str, Model]`, a union of them. The root that the type is
            read from is the one that is looked for.
        normalizers: hooks run in order on the decoded object (or array, where the type is read from one) before it is
            validated; each returns the data to go on with.
        context_label: who is asking, such as an agent's title; goes to the log.
        finished: what is known of the end: True, the model stopped by itself; False, it was cut off, so that the text
            is refused as truncated whatever it looks like; None, nobody knows, and the text alone has to show it.
        several: where several different objects could be the answer, refuse the text, or take the last one. Never
            revives an object in front of a last one that cannot be read.

    Raises:
        LLMJsonParseError: the text holds no object, or not one that can be read without a guess, or it does not
            satisfy `dto_type`, or a validator of `dto_type` fails on it; and nothing else for any text.
        TypeError: `raw` is neither a string nor None; `dto_type` is no type, or its JSON is neither an object nor an
            array.
        pydantic.errors.PydanticUserError: `dto_type` itself is wrong, such as one with a name that is not defined.

    Source: specification "unified-llm-output-parser".
    """
    wanted = target_type(dto_type)
    if isinstance(raw, str) and not normalizers and finished is not False:
        direct = validate_directly(raw, wanted)
        if direct is not None:
            if direct.mended:
                log_repairs(direct.mended.counted, raw, context_label)
            return direct.value
    target = Target(wanted, tuple(normalizers or ()), finished=finished, several=several)
    result: T = _run(raw, target, context_label).result
    return result


def parse_llm_json_output_with_trace(
    raw: str | None,
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
) -> ParsedOutput[T]:
    """`parse_llm_json_output` with the evidence: the decoded data, the repairs, what each stage did."""
    wanted = target_type(dto_type)
    target = Target(wanted, tuple(normalizers or ()), finished=finished, several=several)
    if isinstance(raw, str) and not normalizers and finished is not False:
        direct = validate_directly(raw, wanted)
        if direct is not None:
            if direct.mended:
                log_repairs(direct.mended.counted, raw, context_label)
            return ParsedOutput(direct.value, _decoded(cache(partial(_decode, raw, target))))
    state = _run(raw, target, context_label)
    return ParsedOutput(state.result, _decoded(lambda: state))


@overload
def decode_llm_json(
    raw: str | None,
    *,
    root: Literal["object"] = "object",
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
    salvage: bool = False,
) -> DecodedJson[dict[str, Any]]: ...


@overload
def decode_llm_json(
    raw: str | None,
    *,
    root: Literal["array"],
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
    salvage: bool = False,
) -> DecodedJson[list[Any]]: ...


@overload
def decode_llm_json(
    raw: str | None,
    *,
    root: Literal["any"],
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
    salvage: bool = False,
) -> DecodedJson[dict[str, Any] | list[Any]]: ...


def decode_llm_json(
    raw: str | None,
    *,
    root: Roots = "object",
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
    salvage: bool = False,
) -> DecodedJson[Any]:
    """Decode the object, or the array, in a model's raw text, without a type to satisfy.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        root: what is looked for.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`.
        finished: as for `parse_llm_json_output`.
        several: as for `parse_llm_json_output`.
        salvage: where the text was cut off, keep the members that were complete instead of refusing it;
            `truncated` and the trace then say so.

    Raises:
        LLMJsonParseError: there is none, or several, or none that can be read without a guess.
        TypeError: `raw` is neither a string nor None.
        ValueError: `root` is none of the three.
    """
    if root not in ROOTS:
        message = f"root must be one of {', '.join(ROOTS)}, not {root!r}"
        raise ValueError(message)
    target = Target(
        normalizers=tuple(normalizers or ()),
        salvage=salvage,
        finished=finished,
        several=several,
        decoded_roots=ROOTS[root],
    )
    state = _run(raw, target, context_label)
    return _decoded(lambda: state)


def _run(raw: str | None, target: Target, context_label: str) -> ParseState:
    text = _text(raw)
    try:
        state = finish(_decode(text, target))
    except LLMJsonParseError as error:
        tell_root(error, target.roots)
        log_failure(error, text, context_label)
        raise
    if state.edits:
        log_repairs(partial(counted, state.edits), text, context_label)
    return state


def _decode(text: str, target: Target) -> ParseState:
    """The state in which the object is decoded: by the plain way, or by the stages, with which comes the reader."""
    state = plain(ParseState.of(text, target))
    if state.decoded:
        return state
    from src.shared.infrastructure.parsing.pipeline import search  # noqa: PLC0415 - for the first text that is not plain

    return search(state)


def _text(raw: object) -> str:
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    message = f"raw must be str or None, not {type(raw).__name__}; decode bytes first, e.g. raw.decode('utf-8')"
    raise TypeError(message)
