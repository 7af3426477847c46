"""The unified parser: from a model's raw text to a typed object.

`parse_llm_json_output` returns the object, `parse_llm_json_output_with_trace` the object and how it was read, and
`decode_llm_json` the decoded data if there is no type yet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, cast, overload

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.edits import counted
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.language import Language, speaking
from src.shared.domain.options import (
    DEFAULTS,
    READ_AS,
    DecodeOptions,
    ReadOptions,
    TypedOptions,
    describes,
    is_usual,
    known_end,
    takes,
)
from src.shared.domain.partial import Partial
from src.shared.domain.read_as import AS_JSON, told_scalar
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.domain.work import LimitedWork, TimedWork, TimeIsUpError, WorkLimitError, one_text
from src.shared.infrastructure.events.library_log import log_coercions, log_failure, log_repairs
from src.shared.infrastructure.parsing.decoded import DecodedJson, ParsedOutput, accepted, decoded_later, grade_of
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.parse_errors import speak, tell_root, time_is_up
from src.shared.infrastructure.parsing.plain import decode_directly, decoded, validate_directly
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.parsing.target_type import TargetType, known_type, target_type

_LAST = Grade.CHOSEN
_ROOT_WORDS = (None, *ROOTS)
"""A tuple, since whatever a caller gives can be compared with it."""
if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from src.shared.infrastructure.parsing.parts import Draft

T = TypeVar("T")

__all__ = [
    "DecodedJson",
    "ParsedOutput",
    "decode_llm_json",
    "parse_llm_json_output",
    "parse_llm_json_output_with_trace",
]


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: AnswerType[T], *, keep: None = None, **options: Unpack[TypedOptions]
) -> T: ...


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: AnswerType[T], *, keep: Literal["good"], **options: Unpack[TypedOptions]
) -> Partial[T]: ...


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: TypeForm[T], *, keep: None = None, **options: Unpack[TypedOptions]
) -> T: ...


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: TypeForm[T], *, keep: Literal["good"], **options: Unpack[TypedOptions]
) -> Partial[T]: ...


@describes(ReadOptions)  # type: ignore[misc]  # a union is an `AnswerType`, too
def parse_llm_json_output(raw: str | None, dto_type: AnswerType[T], **options: Unpack[ReadOptions]) -> T | Partial[T]:
    """Turn a model's raw text into a validated object.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        dto_type: any type that Pydantic reads from a JSON object or array (a model, `list[Model]`, a union, a ready
            `TypeAdapter`), or a `JsonSchema`. It decides whether an object or an array is looked for. With
            `scalar=True` also an enum, a `Literal`, a number, a boolean, a date, or a union of them.
        options: those of `ReadOptions`.

    Returns:
        An object of `dto_type`; with `keep`, a `Partial` of one.

    Raises:
        LLMJsonParseError: the text has no such object, or none that can be read without guessing, or it does not
            satisfy `dto_type`, or a validator of `dto_type` crashes. No text raises anything else.
        TypeError: `raw` is no string, or `dto_type` is no type that is read from an object or an array, or an option
            is of another type; `finished` is never a provider's word: `finish_reason_of` reads those.
        ValueError: an option is none of its words, or `timeout` is no positive number.
        pydantic.errors.PydanticUserError: `dto_type` itself is wrong, for example because it uses an undefined name.

    Example:
        >>> from pydantic import BaseModel
        >>> class Review(BaseModel):
        ...     score: int
        >>> parse_llm_json_output("Sure! {'score': 4,}", Review)
        Review(score=4)

    Source: specification "unified-llm-output-parser".

    .. versionadded:: 0.1.0
    """
    if not options or is_usual(options):
        wanted = known_type(dto_type)
        if wanted.is_direct:
            value = validate_directly(raw, wanted) if isinstance(raw, str) else UNREAD
            if value is UNREAD:
                target = Target(wanted, finished=options.get("finished"), read_as=wanted.read_as)  # type: ignore[arg-type]  # None or True
                value = _run(raw, target, options).result
            return cast("T", value)
    parsed: ParsedOutput[Any] = parse_llm_json_output_with_trace(raw, dto_type, **cast("Any", options))
    return cast("T", parsed.value)


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: AnswerType[T], *, keep: None = None, **options: Unpack[TypedOptions]
) -> ParsedOutput[T]: ...


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: AnswerType[T], *, keep: Literal["good"], **options: Unpack[TypedOptions]
) -> ParsedOutput[Partial[T]]: ...


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: TypeForm[T], *, keep: None = None, **options: Unpack[TypedOptions]
) -> ParsedOutput[T]: ...


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: TypeForm[T], *, keep: Literal["good"], **options: Unpack[TypedOptions]
) -> ParsedOutput[Partial[T]]: ...


@takes(ReadOptions)  # type: ignore[misc]  # a union is an `AnswerType`, too
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: AnswerType[T], **options: Unpack[ReadOptions]
) -> ParsedOutput[T] | ParsedOutput[Partial[T]]:
    """`parse_llm_json_output`, also returning how the text was read: decoded data, repairs, what each stage did.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        dto_type: as for `parse_llm_json_output`.
        options: those of `ReadOptions`.

    Returns:
        The object as `value`, and how it was read as `decoded`.

    Example:
        >>> from pydantic import BaseModel
        >>> class Review(BaseModel):
        ...     score: int
        >>> parsed = parse_llm_json_output_with_trace("{'score': 4,}", Review)
        >>> parsed.value, [str(repair.kind) for repair in parsed.decoded.repairs], str(parsed.decoded.grade)
        (Review(score=4), ['single_quote', 'trailing_comma'], 'lossless')

    .. versionadded:: 0.1.0
    """
    wanted = target_type(told_scalar(dto_type, options), coerce=options.get("coerce", False))
    target = _target(raw, wanted, options)
    direct = _directly(raw, target) if isinstance(raw, str) else None
    if direct is not None:
        return direct
    state = _run(raw, target, options)
    return ParsedOutput(state.result, decoded_later(lambda: state))


def _target(
    raw: str | None, wanted: TargetType[Any] | None, options: Mapping[str, Any], root: Roots | None = None
) -> Target:
    """What a call asks for: without a type, data with this root."""
    asked = {**DEFAULTS, **options}
    read_as = wanted.read_as.also(**{name: asked[name] for name in READ_AS}) if wanted else AS_JSON
    return Target(
        wanted,
        tuple(asked["normalizers"] or ()),
        salvage=asked["salvage"],
        finished=known_end(asked["finished"]),
        several=asked["several"],
        work=None if asked["timeout"] is None else TimedWork(len(text_of(raw, "raw")), asked["timeout"]),
        accept=Grade(asked["accept"]),
        keep=asked["keep"],
        read_as=read_as,
        decoded_roots=ROOTS[root] if root else None,
    )


def read_draft(raw: str, target: Target, context_label: str) -> ParsedOutput[Draft]:
    """What is read in a text with a target that keeps a draft.

    Raises:
        LLMJsonParseError: the text cannot be read, or is not what the type is read from.
    """
    state = _run(raw, target, {"context_label": context_label})
    return ParsedOutput(state.result, decoded_later(lambda: state))


def finish_draft(data: object, target: Target) -> ParseState:
    """The state of data that were put together of several texts, with a draft as its result.

    Raises:
        LLMJsonParseError: a hook fails, or its result is not what the type is read from.
    """
    return finish(ParseState.of_data(data, target))


def parse_at_once(
    raw: str,
    dto_type: AnswerType[T] | None,
    *,
    most_work: int,
    spent: Callable[[int], object],
    **options: Unpack[TypedOptions],
) -> ParsedOutput[T] | None:
    """What `parse_llm_json_output_with_trace` returns, or raises; None if that takes more than a little work.

    For an event loop, which asks a thread only for the texts that are None. The trace is made as well.

    Args:
        raw: a short text: what is done once for each character is not counted.
        dto_type: as for `parse_llm_json_output`; None for any object, as `decode_llm_json` reads it.
        most_work: units of work for searching and repairing; one is about 10 ns.
        spent: told in the end how many were spent.
        options: as for `parse_llm_json_output`, but `timeout`.

    Raises:
        LLMJsonParseError: as `parse_llm_json_output` does.
    """
    work = LimitedWork(len(raw), most_work)
    coerce = options.get("coerce", False)
    wanted = None if dto_type is None else target_type(told_scalar(dto_type, options), coerce=coerce)
    target = replace(_target(raw, wanted, options), work=work)
    try:
        state = _run(raw, target, options)
    except WorkLimitError:
        return None
    finally:
        spent(work.spent)
    return ParsedOutput(state.result if wanted else state.data, decoded_later(lambda: state))


def _directly(raw: str, target: Target) -> ParsedOutput[Any] | None:
    wanted = target.dto_type
    if wanted is None or target.normalizers or target.finished is False or not wanted.is_read_directly(target.read_as):
        return None
    value = validate_directly(raw, wanted) if target.accept is _LAST else UNREAD
    if value is UNREAD or (target.work and target.work.is_over):
        return None
    return ParsedOutput(Partial(value) if target.keep else value, decoded_later(partial(decoded, raw, target)))


@overload
def decode_llm_json(
    raw: str | None, *, root: Literal["object"], **options: Unpack[DecodeOptions]
) -> DecodedJson[dict[str, Any]]: ...


@overload
def decode_llm_json(
    raw: str | None, *, root: Literal["array"], **options: Unpack[DecodeOptions]
) -> DecodedJson[list[Any]]: ...


@overload
def decode_llm_json(
    raw: str | None, *, root: Literal["any"], **options: Unpack[DecodeOptions]
) -> DecodedJson[dict[str, Any] | list[Any]]: ...


@overload
def decode_llm_json(
    raw: str | None, *, root: Roots | None = None, **options: Unpack[DecodeOptions]
) -> DecodedJson[Any]: ...


@describes(DecodeOptions)
def decode_llm_json(
    raw: str | None, *, root: Roots | None = None, **options: Unpack[DecodeOptions]
) -> DecodedJson[Any]:
    """Decode the object, or the array, in a model's raw text, without a type.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        root: what is looked for. None: an object, or an array where that is all there is: beside prose a list of
            objects counts, any other does not.
        options: those of `DecodeOptions`.

    Returns:
        The data as `data`, and how they were read.

    Raises:
        LLMJsonParseError: the text has no such value, or several, or none that can be read without guessing.
        TypeError: `raw` is neither a string nor None, or an option is of another type.
        ValueError: an option is none of its words.

    Example:
        >>> decode_llm_json("Here it is: {'score': 4}").data
        {'score': 4}

    .. versionadded:: 0.1.0
    """
    if isinstance(raw, str) and root in _ROOT_WORDS and (not options or is_usual(options)):
        data = decode_directly(raw, ROOTS[root or "any"])
        if data is not UNREAD:
            return decoded_later(lambda: decoded(raw, Target(decoded_roots=ROOTS[root] if root else None)), data)
    return _decoded_with(raw, root=root, **options)


@takes(DecodeOptions)
def _decoded_with(raw: str | None, *, root: Roots | None, **options: Unpack[DecodeOptions]) -> DecodedJson[Any]:
    state = _run(raw, _target(raw, None, options, root), options)
    return decoded_later(lambda: state)


def read_any_root(raw: str, options: Mapping[str, Any], root: Roots | None, *, as_written: bool) -> ParseState:
    """The state of a text that may also be one plain value, where no root is asked for; `options` may have `accept`.

    Raises:
        LLMJsonParseError: the text cannot be read.
    """
    target = replace(_target(raw, None, options, root), takes_scalars=root is None, as_written=as_written)
    return _run(raw, target, options)


def _run(raw: str | None, target: Target, options: Mapping[str, Any]) -> ParseState:
    text, context_label = text_of(raw, "raw"), options.get("context_label", "")
    language = Language(options["language"]) if options.get("language") else None
    try:
        with speaking(language) if language else nullcontext():
            state = _read(text, target)
    except LLMJsonParseError as error:
        if language:
            speak(error, language)
        tell_root(error, target.roots)
        log_failure(error, text, context_label)
        raise
    if state.edits:
        log_repairs(partial(counted, state.edits), partial(grade_of, state), text, context_label)
    if state.coercions:
        log_coercions(state.coercions, context_label)
    return state


def _read(text: str, target: Target) -> ParseState:
    work = target.work
    try:
        with one_text():
            state = finish(_decoded_for(text, target))
    except TimeIsUpError:
        raise time_is_up(text, work.seconds if work else math.inf) from None
    if work and work.is_over:
        raise time_is_up(text, work.seconds)
    return state if target.accept is Grade.CHOSEN else accepted(state)


def _decoded_for(text: str, target: Target) -> ParseState:
    """The state with the decoded object; with `keep`, of a text that was cut off what was complete."""
    try:
        return decoded(text, target)
    except LLMJsonParseError as error:
        if target.keep != "good" or target.is_scalar or not error.details.get("truncated"):
            raise
        from src.shared.infrastructure.parsing.parts import cut_answer  # noqa: PLC0415 - for callers that ask for it

        return cut_answer(text, target, error)


def text_of(raw: object, name: str) -> str:
    """An argument of this name as a text; None counts as empty.

    Raises:
        TypeError: it is something else.
    """
    if raw is None or isinstance(raw, str):
        return raw or ""
    message = f"{name} must be str or None, not {type(raw).__name__}; decode bytes first, e.g. {name}.decode('utf-8')"
    raise TypeError(message)
