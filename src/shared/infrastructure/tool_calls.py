"""Calls of tools: from a model's arguments, or from its text, to typed objects.

`parse_tool_call` reads the arguments of a call that a provider has told apart from the text. `read_tool_calls` finds
the calls in the text of a model whose server does not, and `contains_tool_call` tells whether there are any.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypedDict, TypeGuard, TypeVar, Unpack, overload

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.options import Finished, known_end, takes
from src.shared.domain.reading.signs import OPENERS
from src.shared.domain.rules import Normalizer
from src.shared.domain.work import one_text
from src.shared.infrastructure.events.library_log import log_failure
from src.shared.infrastructure.llm_json import parse_llm_json_output, text_of
from src.shared.infrastructure.parsing.answer import cut_off
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.leaked_calls import place_of_call, place_of_list
from src.shared.infrastructure.parsing.leaked_rests import BESIDE, is_clean, notes_in, notes_of
from src.shared.infrastructure.parsing.stages import dropped_and_fenced
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, Target
from src.shared.infrastructure.parsing.target_type import TargetType
from src.shared.infrastructure.tool_call_forms.find_calls import find_calls
from src.shared.infrastructure.tool_call_forms.marks import REST, plain_name, with_plain_quotes
from src.shared.infrastructure.tool_call_forms.mending import damaged_marks, read_mended
from src.shared.infrastructure.tool_call_forms.typed_calls import (
    EMPTY_TEXT,
    NO_ARGUMENTS,
    ToolCall,
    Tools,
    TypedCalls,
    arguments_type,
    place_in_original,
    validate_arguments,
)
from src.shared.infrastructure.tool_call_forms.words import add_tool, move_places, unknown_tool

if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")


class _CallOptions(TypedDict, total=False):
    finished: Finished
    normalizers: Sequence[Normalizer] | None
    context_label: str
    coerce: bool


_BRACES = [sign for sign, plain in OPENERS.items() if plain == "{"]

__all__ = ["ToolCall", "contains_tool_call", "parse_tool_call", "read_tool_calls"]


@overload
def parse_tool_call(
    arguments: str | None, dto_type: AnswerType[T], *, name: str = "", **options: Unpack[_CallOptions]
) -> T: ...


@overload
def parse_tool_call(
    arguments: str | None, dto_type: TypeForm[T], *, name: str = "", **options: Unpack[_CallOptions]
) -> T: ...


@takes()  # type: ignore[misc]  # a union is an `AnswerType`, too
def parse_tool_call(
    arguments: str | None,
    dto_type: AnswerType[T],
    *,
    name: str = "",
    finished: Finished = None,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    coerce: bool = False,
) -> T:
    """Turn the arguments of a tool call into a validated object.

    Unlike an answer, a call may have no arguments: `{}` and `null` are read if the type has no required fields.
    Nothing at all is read like that only if the type has no fields, or if the model is known to have stopped by
    itself; otherwise it may be a call that was cut off before its first character.

    Args:
        arguments: their text as the provider gave it, damaged or not; `None` counts as empty.
        dto_type: any type that Pydantic reads from a JSON object, as for `parse_llm_json_output`.
        name: the tool, for errors and the log.
        finished: what is known about the end. False: it was cut off, so the call is refused. Servers tell of tool
            calls also when one was cut off: so a bracket that is missing at the end is not closed, even with True.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`; by default the name.
        coerce: as for `parse_llm_json_output`.

    Returns:
        An object of `dto_type`.

    Raises:
        LLMJsonParseError: the arguments are refused.
        TypeError: as for `parse_llm_json_output`, and for a type that is not read from an object.

    Example:
        >>> from pydantic import BaseModel
        >>> class Search(BaseModel):
        ...     query: str
        >>> parse_tool_call('{"query": "tea",}', Search, name="search", finished=True)
        Search(query='tea')

    .. versionadded:: 0.1.0
    """
    finished = known_end(finished)
    label = context_label or name
    hooks = tuple(normalizers or ())
    wanted = arguments_type(dto_type, coerce=coerce)
    if coerce and isinstance(arguments, str) and EMPTY_TEXT.match(arguments):
        arguments = "null"
    is_none = _says_none(arguments, wanted, finished)
    try:
        if is_none:
            return validate_arguments({}, Target(wanted, hooks), label)  # type: ignore[no-any-return]  # of the target's type
        if finished is not False and _begins_with_mark(arguments):
            call = only_call(arguments, Tools({name: dto_type}, {name: hooks}, label, coerce=coerce))
            if call:
                return call.arguments  # type: ignore[no-any-return]  # as above
        known = None if finished else finished
        return parse_llm_json_output(
            arguments, dto_type, normalizers=hooks, context_label=label, finished=known, coerce=coerce
        )
    except LLMJsonParseError as error:
        if is_none:  # nothing else has logged it
            log_failure(error, arguments or "", label)
        raise add_tool(error, name) from error.__cause__


def _begins_with_mark(arguments: str | None) -> TypeGuard[str]:
    """Whether what stands first in arguments is no JSON, but may be a mark of a call."""
    return isinstance(arguments, str) and arguments.lstrip().startswith("<")


@one_text()
def only_call(text: str, tools: Tools) -> ToolCall | None:
    """The call that a text of arguments is, marks and all, if it is one of these tools and no other object is there."""
    typed_calls = TypedCalls(text, tools)
    with suppress(LLMJsonParseError):
        calls = [call for one in find_calls(text, typed_calls, finished=None) for call in typed_calls.calls(one)]
        (call,) = calls if len(calls) == 1 else (None,)
        if call and not any(brace in text[: call.span.start] + text[call.span.end :] for brace in _BRACES):
            return call
    return None


def parse_named_call(
    name: str,
    arguments: str | None,
    tools: Mapping[str, AnswerType[Any]],
    *,
    id_: str | None = None,
    finished: Finished = None,
    coerce: bool = False,
) -> ToolCall:
    """A call that a provider has told apart from the text, as an object of its tool's type.

    Raises:
        LLMJsonParseError: there is no such tool, or its arguments are refused.
        TypeError: as for `parse_tool_call`.
    """
    text = arguments or ""
    if name not in tools:
        error = unknown_tool(name, tools, text, 0)
        log_failure(error, text, name)
        raise error
    value = parse_tool_call(arguments, tools[name], name=name, finished=finished, coerce=coerce)
    notes = () if is_clean(text) else _rests_of(text, Tools({name: tools[name]}, coerce=coerce))
    return ToolCall(name, value, id_, Span(0, len(text)), notes)


def _rests_of(text: str, tools: Tools) -> tuple[Note, ...]:
    """The rests of a format in the arguments of the one tool, which could be read, and beside them."""
    with suppress(ValueError, RecursionError):  # most are JSON with quotes in it, which need not be read again
        if isinstance(data := json.loads(text), dict):
            start = len(text) - len(text.lstrip())
            return tuple(notes_in(data, text, Span(start, len(text.rstrip()))))
    call = only_call(text, tools) if _begins_with_mark(text) else None
    if call is None:
        (dto_type,) = tools.types.values()
        return notes_of(inspect(text, dto_type, coerce=tools.coerces))
    inside = {note.span for note in call.notes}
    marks = (Note("tool_call", BESIDE, Span(*rest.span())) for rest in REST.finditer(text))
    return (*(note for note in marks if note.span not in inside), *call.notes)


@takes()
def read_tool_calls(
    text: str | None,
    tools: Mapping[str, AnswerType[Any]],
    *,
    finished: Finished = None,
    normalizers: Mapping[str, Sequence[Normalizer]] | None = None,
    context_label: str = "",
    coerce: bool = False,
) -> tuple[ToolCall, ...]:
    """Find the calls of tools that a model wrote as text, and turn the arguments of each into a validated object.

    The forms of Hermes, Qwen, Mistral, Llama, DeepSeek, GLM, Kimi, MiniMax, Granite, Phi, Command, Gemma, harmony and
    others are known by their marks, and a call without marks by its name and its arguments. A call inside a block of
    reasoning is none, and neither is one inside a string.

    Args:
        text: the text as the model gave it; `None` counts as empty.
        tools: the type of the arguments of each tool, by the tool's name.
        finished: whether the model stopped by itself; False: refused. None: the text has to show the end of each call.
        normalizers: for the arguments of a tool, by its name; as for `parse_llm_json_output`.
        context_label: the caller's name for the log.
        coerce: as for `parse_llm_json_output`; and arguments that were run together, `{…}{…}`, are several calls of the
            tool where each is complete, satisfies its type, and has a key that all have.

    Returns:
        The calls in the order of the text; none where nothing in it marks a call.

    Raises:
        LLMJsonParseError: something marks a call that cannot be read without guessing, or that was cut off; or there
            is no such tool; or the arguments do not satisfy its type.
        TypeError: `text` is neither a string nor None, or a type is not read from an object.

    Example:
        >>> from pydantic import BaseModel
        >>> class Search(BaseModel):
        ...     query: str
        >>> text = '<tool_call>{"name": "search", "arguments": {"query": "tea"}}</tool_call>'
        >>> [(call.name, call.arguments) for call in read_tool_calls(text, {"search": Search})]
        [('search', Search(query='tea'))]

    .. versionadded:: 0.1.0
    """
    return read_calls(
        text_of(text, "text"),
        Tools(tools, normalizers, context_label, coerce=coerce),
        finished=known_end(finished),
    )


@one_text()
def read_calls(raw: str, tools: Tools, *, finished: bool | None) -> tuple[ToolCall, ...]:
    """The calls of a text, as `read_tool_calls` finds them.

    Raises:
        LLMJsonParseError: as for `read_tool_calls`.
    """
    reached = 0

    def read(text: str) -> tuple[ToolCall, ...]:
        """The calls of the text, as it stands or with marks mended."""
        nonlocal reached
        plain = with_plain_quotes(text)
        typed_calls = TypedCalls(plain.text, tools)
        try:
            found = find_calls(plain.text, typed_calls, finished=finished)
            return tuple(place_in_original(call, plain) for one in found for call in typed_calls.calls(one))
        except LLMJsonParseError as error:
            reached = reached or plain.begin_origin(typed_calls.reached)
            if plain.text != text:
                move_places(error, text, plain.begin_origin)
            raise

    try:
        if finished is False:
            raise add_tool(cut_off(ParseState.of(raw, Target())), "")
        return read(raw)
    except LLMJsonParseError as error:
        edits = damaged_marks(raw, tools.names, tools.keys, reached) if finished is not False else []
        mended = read_mended(raw, edits, read)
        if mended is not None:
            return mended
        log_failure(error, raw, tools.context_label)
        raise


def contains_tool_call(text: str | None, tools: Collection[str] | None = None) -> bool:
    """Whether a model wrote the call of a tool as text: then the text is no answer, and the parser refuses it.

    A call is known by its marks, whatever tool it names; one in reasoning, in a string or in code that a sentence
    mentions is none. With `tools` it is whether `read_tool_calls` finds one there, or refuses what looks like one.

    Args:
        text: the text as the model gave it; `None` counts as empty.
        tools: the tools, as for `read_tool_calls`, or only their names: then a call of one of them counts without
            marks, too.

    Returns:
        True where there is one.

    Raises:
        TypeError: `text` is neither a string nor None, or `tools` is one string.

    Example:
        >>> contains_tool_call('<tool_call>{"name": "search", "arguments": {}}</tool_call>')
        True
        >>> contains_tool_call('{"score": 4}')
        False

    .. versionadded:: 0.1.0
    """
    if isinstance(tools, str):
        message = f"tools must be the names of tools, not one str; write [{tools!r}]"
        raise TypeError(message)
    raw = text_of(text, "text")
    if tools:
        return _finds_call(raw, tools)
    try:
        state = dropped_and_fenced(raw)
    except LLMJsonParseError as error:
        return bool(error.details["stage"] == "tool_call")
    return not state.decoded and (place_of_call(state) is not None or place_of_list(state) is not None)


def _finds_call(raw: str, tools: Collection[str]) -> bool:
    """Whether `read_tool_calls` finds the call of a tool in a text, or refuses what has the shape of one."""
    types = {name: tools[name] if isinstance(tools, Mapping) else dict[str, Any] for name in tools}
    plain = with_plain_quotes(raw)
    try:
        found = find_calls(plain.text, TypedCalls(plain.text, Tools(types)), finished=None)
    except LLMJsonParseError as error:
        return bool(error.details["stage"] != "think")
    is_known = any(plain_name(one.name, types) in types for one in found)
    return is_known or (bool(found) and contains_tool_call(raw))  # of another tool it is one only if it is marked


def _says_none(arguments: str | None, wanted: TargetType[Any], finished: bool | None) -> bool:  # noqa: FBT001 - passed on
    """Whether the text of a call's arguments says that there are none."""
    text: object = "" if arguments is None else arguments
    if finished is False or not isinstance(text, str) or not NO_ARGUMENTS.match(text):
        return False
    return bool(text.strip() or finished or wanted.expected.has_no_fields)
