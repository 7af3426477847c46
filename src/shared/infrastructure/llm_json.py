"""The unified parser: from a model's raw text to a typed object.

`parse_llm_json_output` returns the object, `parse_llm_json_output_with_trace` the object and how it was read, and
`decode_llm_json` the decoded data if there is no type yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack, cast, overload

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.edits import counted
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import ANY_GRADE, Accept, Grade
from src.shared.domain.options import (
    JSON,
    NO_HOOKS,
    REFUSE,
    Escapes,
    Finished,
    Keep,
    RunTogether,
    Several,
    checked,
    known_end,
)
from src.shared.domain.partial import Partial
from src.shared.domain.read_as import AS_JSON, ReadAs
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.rules import Normalizer
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.domain.work import LimitedWork, TimedWork, TimeIsUpError, WorkLimitError, one_text
from src.shared.infrastructure.events.library_log import log_coercions, log_failure, log_repairs
from src.shared.infrastructure.parsing.decoded import DecodedJson, ParsedOutput, accepted, decoded_later, grade_of
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.parse_errors import tell_root, time_is_up
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


class _Options(TypedDict, total=False):
    normalizers: Sequence[Normalizer] | None
    context_label: str
    finished: Finished
    several: Several


class _DecodeOptions(_Options, total=False):
    salvage: bool


class _ParseOptions(_Options, total=False):
    coerce: bool
    unwrap: bool
    escapes: Escapes
    run_together: RunTogether
    accept: Accept
    timeout: float | None


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: AnswerType[T], *, keep: None = None, **options: Unpack[_ParseOptions]
) -> T: ...


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: AnswerType[T], *, keep: Literal["good"], **options: Unpack[_ParseOptions]
) -> Partial[T]: ...


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: TypeForm[T], *, keep: None = None, **options: Unpack[_ParseOptions]
) -> T: ...


@overload
def parse_llm_json_output(
    raw: str | None, dto_type: TypeForm[T], *, keep: Literal["good"], **options: Unpack[_ParseOptions]
) -> Partial[T]: ...


def parse_llm_json_output(  # type: ignore[misc]  # noqa: PLR0913 - a union is an `AnswerType`, too; one parameter an option
    raw: str | None,
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: Finished = None,
    several: Several = "refuse",
    coerce: bool = False,
    unwrap: bool = False,
    escapes: Escapes = "json",
    run_together: RunTogether = "refuse",
    keep: Keep | None = None,
    accept: Accept = ANY_GRADE,
    timeout: float | None = None,
) -> T | Partial[T]:
    """Turn a model's raw text into a validated object.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        dto_type: any type that Pydantic reads from a JSON object or array (a model, `list[Model]`, a union, a ready
            `TypeAdapter`), or a `JsonSchema`. It decides whether an object or an array is looked for.
        normalizers: hooks that run in order on the decoded data before they are validated; each returns the next data.
        context_label: the caller's name for the log, such as an agent's title.
        finished: True: the model stopped by itself. False: it was cut off, so the text is refused, whatever it looks
            like. None: nobody knows, so the text itself has to show its end. A `FinishReason` says one of these.
        several: if several different objects could be the answer, `refuse` the text or take the `last` one, or none.
        coerce: read a value that is spelled otherwise than its type asks for, if it has exactly one exact reading:
            `"1.2亿"` for a number. Fields marked as `Lenient` are read so anyway.
        unwrap: also take an answer under one key (`{"output": {…}}`) or in a list of one, if just one of both fits.
        escapes: whether a backslash before b, f, n, r or t may begin a `latex` command, or a part of a `path`.
        run_together: `refuse` or `split` an element of a list in which the keys of several complete rows stand.
        keep: `"good"` keeps the elements of a list that satisfy the type, and of a text that was cut off the members
            that were complete. The result is then a `Partial`, which names what is left out.
        accept: the last grade that is taken: a result that is less sure is refused.
        timeout: seconds after which the text is refused, and what comes later: one step may still come to its end.

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
    end = None if finished is None else known_end(finished)
    is_usual = (
        (several is REFUSE and coerce is False and unwrap is False and escapes is JSON and run_together is REFUSE)
        and (keep is None and accept is ANY_GRADE and timeout is None and type(context_label) is str)
        and (normalizers is None or normalizers is NO_HOOKS)
    )
    wanted = known_type(dto_type) if is_usual else None
    if wanted and wanted.is_direct:
        if isinstance(raw, str) and end is not False:
            value = validate_directly(raw, wanted)
            if value is not UNREAD:
                return cast("T", value)
        target = Target(wanted, finished=end, read_as=wanted.read_as)
        return cast("T", _run(raw, target, context_label).result)
    options: dict[str, Any] = {
        "normalizers": normalizers,
        "context_label": context_label,
        "finished": end,
        "several": several,
        "coerce": coerce,
        "unwrap": unwrap,
        "escapes": escapes,
        "run_together": run_together,
        "keep": keep,
        "accept": accept,
        "timeout": timeout,
    }
    parsed: ParsedOutput[Any] = parse_llm_json_output_with_trace(raw, dto_type, **options)
    return cast("T", parsed.value)


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: AnswerType[T], *, keep: None = None, **options: Unpack[_ParseOptions]
) -> ParsedOutput[T]: ...


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: AnswerType[T], *, keep: Literal["good"], **options: Unpack[_ParseOptions]
) -> ParsedOutput[Partial[T]]: ...


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: TypeForm[T], *, keep: None = None, **options: Unpack[_ParseOptions]
) -> ParsedOutput[T]: ...


@overload
def parse_llm_json_output_with_trace(
    raw: str | None, dto_type: TypeForm[T], *, keep: Literal["good"], **options: Unpack[_ParseOptions]
) -> ParsedOutput[Partial[T]]: ...


@checked  # type: ignore[misc]  # a union is an `AnswerType`, too
def parse_llm_json_output_with_trace(  # noqa: PLR0913 - as above
    raw: str | None,
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: Finished = None,
    several: Several = "refuse",
    coerce: bool = False,
    unwrap: bool = False,
    escapes: Escapes = "json",
    run_together: RunTogether = "refuse",
    keep: Keep | None = None,
    accept: Accept = ANY_GRADE,
    timeout: float | None = None,
) -> ParsedOutput[T] | ParsedOutput[Partial[T]]:
    """`parse_llm_json_output`, also returning how the text was read: decoded data, repairs, what each stage did.

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
    end = known_end(finished)
    wanted = target_type(dto_type, coerce=coerce)
    is_usual = keep is None and accept == ANY_GRADE and timeout is None
    is_direct = is_usual and escapes == "json" and run_together == "refuse" and not unwrap and wanted.is_direct
    if is_direct and isinstance(raw, str) and not normalizers and end is not False:
        value = validate_directly(raw, wanted)
        if value is not UNREAD:
            return ParsedOutput(value, decoded_later(partial(_traced, raw, wanted, end, several)))
    read_as = wanted.read_as.also(unwrap=unwrap, escapes=escapes, run_together=run_together)
    target = Target(wanted, tuple(normalizers or ()), finished=end, several=several, read_as=read_as)
    if not is_usual:
        target = _limited(target, raw, keep, accept, timeout)
    return _parsed(raw, target, context_label)


def _traced(raw: str, wanted: TargetType[Any], finished: bool | None, several: Several) -> ParseState:  # noqa: FBT001 - passed on
    return decoded(raw, Target(wanted, finished=finished, several=several, read_as=wanted.read_as))


def _limited(target: Target, raw: str | None, keep: Keep | None, accept: Accept, timeout: float | None) -> Target:
    """The target with what hardly a caller asks for."""
    work = None if timeout is None else TimedWork(len(text_of(raw, "raw")), timeout)
    return replace(target, keep=keep, accept=Grade(accept), work=work)


def _parsed(raw: str | None, target: Target, context_label: str) -> ParsedOutput[Any]:
    direct = _directly(raw, target) if isinstance(raw, str) else None
    if direct is not None:
        return direct
    state = _run(raw, target, context_label)
    return ParsedOutput(state.result, decoded_later(lambda: state))


def read_draft(raw: str, target: Target, context_label: str) -> ParsedOutput[Draft]:
    """What is read in a text with a target that keeps a draft.

    Raises:
        LLMJsonParseError: the text cannot be read, or is not what the type is read from.
    """
    state = _run(raw, target, context_label)
    return ParsedOutput(state.result, decoded_later(lambda: state))


def finish_draft(data: object, target: Target) -> ParseState:
    """The state of data that were put together of several texts, with a draft as its result.

    Raises:
        LLMJsonParseError: a hook fails, or its result is not what the type is read from.
    """
    return finish(ParseState.of_data(data, target))


def parse_at_once(  # noqa: PLR0913 - as above
    raw: str,
    dto_type: AnswerType[T] | None,
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    read_as: ReadAs = AS_JSON,
    most_work: int,
    spent: Callable[[int], object],
) -> ParsedOutput[T] | None:
    """What `parse_llm_json_output_with_trace` returns, or raises; None if that takes more than a little work.

    For an event loop, which asks a thread only for the texts that are None. The trace is made as well.

    Args:
        raw: a short text: what is done once for each character is not counted.
        dto_type: as for `parse_llm_json_output`; None for any object, as `decode_llm_json` reads it.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`.
        finished: as for `parse_llm_json_output`.
        read_as: what the arguments `unwrap`, `escapes` and `run_together` of `parse_llm_json_output` say.
        most_work: units of work for searching and repairing; one is about 10 ns.
        spent: told in the end how many were spent.

    Raises:
        LLMJsonParseError: as `parse_llm_json_output` does.
    """
    work = LimitedWork(len(raw), most_work)
    wanted = None if dto_type is None else target_type(dto_type)
    read_as = wanted.read_as.also(**read_as.arguments) if wanted else AS_JSON
    target = Target(wanted, tuple(normalizers or ()), finished=finished, work=work, read_as=read_as)
    try:
        state = _run(raw, target, context_label)
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
    if value is UNREAD or (target.work and target.is_late):
        return None
    return ParsedOutput(Partial(value) if target.keep else value, decoded_later(partial(decoded, raw, target)))


@overload
def decode_llm_json(
    raw: str | None, *, root: Literal["object"], **options: Unpack[_DecodeOptions]
) -> DecodedJson[dict[str, Any]]: ...


@overload
def decode_llm_json(
    raw: str | None, *, root: Literal["array"], **options: Unpack[_DecodeOptions]
) -> DecodedJson[list[Any]]: ...


@overload
def decode_llm_json(
    raw: str | None, *, root: Literal["any"], **options: Unpack[_DecodeOptions]
) -> DecodedJson[dict[str, Any] | list[Any]]: ...


@overload
def decode_llm_json(
    raw: str | None, *, root: Roots | None = None, **options: Unpack[_DecodeOptions]
) -> DecodedJson[Any]: ...


def decode_llm_json(
    raw: str | None,
    *,
    root: Roots | None = None,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    finished: Finished = None,
    several: Several = "refuse",
    salvage: bool = False,
) -> DecodedJson[Any]:
    """Decode the object, or the array, in a model's raw text, without a type.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        root: what is looked for. None: an object, or an array where that is all there is: beside prose a list of
            objects counts, any other does not.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`.
        finished: as for `parse_llm_json_output`.
        several: as for `parse_llm_json_output`.
        salvage: if the text was cut off, keep the members that were complete instead of refusing the text;
            `truncated` and the trace then say so.

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
    is_usual = (
        (normalizers is None and salvage is False and several is REFUSE and (finished is None or finished is True))
        and root in _ROOT_WORDS
        and (isinstance(raw, str) and type(context_label) is str)
    )
    if is_usual:
        data = decode_directly(cast("str", raw), ROOTS[root or "any"])
        if data is not UNREAD:
            return decoded_later(partial(_decoded, cast("str", raw), root), data)
    return _decoded_with(
        raw,
        root=root,
        normalizers=normalizers,
        context_label=context_label,
        finished=finished,
        several=several,
        salvage=salvage,
    )


@checked
def _decoded_with(
    raw: str | None,
    *,
    root: Roots | None,
    normalizers: Sequence[Normalizer] | None,
    context_label: str,
    finished: Finished,
    several: Several,
    salvage: bool,
) -> DecodedJson[Any]:
    end = known_end(finished)
    target = Target(
        normalizers=tuple(normalizers or ()),
        salvage=salvage,
        finished=end,
        several=several,
        decoded_roots=ROOTS[root] if root else None,
    )
    state = _run(raw, target, context_label)
    return decoded_later(lambda: state)


def _decoded(raw: str, root: Roots | None) -> ParseState:
    return decoded(raw, Target(decoded_roots=ROOTS[root] if root else None))


def _run(raw: str | None, target: Target, context_label: str) -> ParseState:
    text = text_of(raw, "raw")
    try:
        state = _read(text, target)
    except LLMJsonParseError as error:
        tell_root(error, target.roots)
        log_failure(error, text, context_label)
        raise
    if state.edits:
        log_repairs(partial(counted, state.edits), partial(grade_of, state), text, context_label)
    if state.coercions:
        log_coercions(state.coercions, context_label)
    return state


def _read(text: str, target: Target) -> ParseState:
    try:
        with one_text():
            state = finish(_decoded_for(text, target))
    except TimeIsUpError:
        raise time_is_up(text, target.seconds) from None
    if target.is_late:
        raise time_is_up(text, target.seconds)
    return state if target.accept is Grade.CHOSEN else accepted(state)


def _decoded_for(text: str, target: Target) -> ParseState:
    """The state with the decoded object; with `keep`, of a text that was cut off what was complete."""
    try:
        return decoded(text, target)
    except LLMJsonParseError as error:
        if target.keep != "good" or not error.details.get("truncated"):
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
