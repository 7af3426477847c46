"""The parser in an instructor client: `from_openai(OpenAI(), mode=Mode.JSON)` in place of `instructor.from_openai`.

instructor looks up, by provider and mode, a handler that prepares the request, reads the response and asks again. The
handlers here are its own but for the reading. They are registered beside the built-in ones, under a
provider that has none, so that other clients in the process stay as they are.

Answers of chat completions that come in pieces: objects of what is certain, or the elements of a list.

With normalizers, with coercion, and where the last of several answers is taken, nothing is shown before the end: what
was read may still change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import UnionType
from typing import Any, NamedTuple, Union, cast, get_args, get_origin, overload

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.options import ReaderOptions, takes, unusual
from src.shared.domain.ports.llm import FinishReason
from src.shared.infrastructure.answer_in_pieces import through, through_async
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.parsing.as_json import validate_as_json

with needs_package("instructor"):
    from instructor import AsyncInstructor, Instructor, Mode, Provider
    from instructor.v2.core.decorators import register_mode_handler
    from instructor.v2.core.errors import ConfigurationError, IncompleteOutputException, ModeError, ResponseParsingError
    from instructor.v2.core.patch import patch_v2
    from instructor.v2.dsl.iterable import IterableBase
    from instructor.v2.providers.openai import handlers as built_in
    from openai import AsyncOpenAI, OpenAI

__all__ = ["MODES", "from_openai"]


BETWEEN_CALLS = "\n\n"


options_of_call: ContextVar[ReaderOptions] = ContextVar("options_of_call")
"""What the client of a call was made with, for every answer it reads."""


class CallSettings(NamedTuple):
    """What a call was made with.

    Attributes:
        response_model: the class that instructor made of the type asked for.
        context: for Pydantic's validators.
        strict: whether Pydantic is to be strict.
    """

    response_model: type[Any]
    context: dict[str, Any] | None
    strict: bool | None

    def adapter(self, kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any type
        """What validates as the call wants it."""
        adapter = TypeAdapter[Any](kind)
        validator: Any = _ValidatorOfCall(adapter.validator, {"context": self.context, "strict": self.strict})
        adapter.validator = validator
        return adapter


class _ValidatorOfCall:
    """A validator with a context and a strictness of its own."""

    def __init__(self, validator: Any, asked: dict[str, Any]) -> None:  # noqa: ANN401 - Pydantic's, or a plugin's
        self._validator = validator
        self._asked = asked

    def validate_json(self, data: Any, **options: Any) -> Any:  # noqa: ANN401 - as Pydantic has it
        return self._validator.validate_json(data, **{**options, **self._asked})

    def validate_python(self, data: Any, **options: Any) -> Any:  # noqa: ANN401 - as Pydantic has it
        return self._validator.validate_python(data, **{**options, **self._asked})


def read(response: Any, asked: CallSettings) -> Any:  # noqa: ANN401 - a ChatCompletion; an object of the type asked for
    """The typed object of a response.

    Raises:
        AssertionError: the model declined to answer: instructor's error for that, which is not asked again.
        IncompleteOutputException: it reached its length limit.
        ResponseParsingError: the text is refused.
    """
    choices = getattr(response, "choices", None) or [None]
    message = getattr(choices[0], "message", None)
    if refusal := getattr(message, "refusal", None):
        problem = f"Unable to generate a response due to {refusal}"
        raise AssertionError(problem)
    reason = finish_reason_of(getattr(choices[0], "finish_reason", None))
    return parsed(_text_of(message), asked.adapter(asked.response_model), options_of_call.get(), reason, response)


def parsed(
    text: str, adapter: TypeAdapter[Any], options: ReaderOptions, reason: FinishReason, response: object = None
) -> Any:  # noqa: ANN401 - an object of the adapter's type
    """The typed object of a text.

    Raises:
        IncompleteOutputException: the model reached its length limit, which is not asked again.
        ResponseParsingError: the text is refused for another reason, and asked again.
    """
    try:
        return parse_llm_json_output(text, adapter, finished=reason.finished, **options)
    except LLMJsonParseError as error:
        told: Exception = ResponseParsingError(error.feedback(), raw_response=response)
        if reason is FinishReason.LENGTH:
            told = IncompleteOutputException(last_completion=response)
        raise told from error


def _text_of(message: Any) -> str:  # noqa: ANN401 - a ChatCompletionMessage, or None
    """The arguments of its tool calls, which the parser settles if there are several; without any, the content."""
    calls = [getattr(call, "function", None) for call in getattr(message, "tool_calls", None) or ()]
    if calls:
        return BETWEEN_CALLS.join(_arguments(getattr(function, "arguments", None)) for function in calls)
    return getattr(message, "content", None) or ""


def _arguments(given: object) -> str:
    """The arguments of a call as text: some servers send them as an object, or not at all."""
    if given is None or isinstance(given, str):
        return given or ""
    return json.dumps(given)


class StreamReader:
    """One answer that comes in pieces: objects that grow, or the elements of a list, each when it is whole."""

    def __init__(self, asked: CallSettings, options: ReaderOptions, *, in_calls: bool) -> None:
        """Begin an answer.

        Args:
            asked: what the call was made with.
            options: what the client was made with.
            in_calls: whether the answer is in the arguments of tool calls; the content counts where there are none.
        """
        model = asked.response_model
        self._item = asked.adapter(model.task_type) if issubclass(model, IterableBase) else None
        self._kind = model if self._item else model._original_model  # noqa: SLF001 - where instructor keeps the type asked for
        self._adapter = asked.adapter(self._kind)
        self._stream = LLMJsonStream[Any](self._adapter)
        self._options = options
        self._shows_early = unusual(options).keys() <= {"context_label", "timeout"}
        self._in_calls = in_calls
        self._call: int | None = None
        self._aside: list[str] = []
        self._reason: str | None = None
        self._given = 0

    def take(self, chunk: Any) -> Iterator[Any]:  # noqa: ANN401 - a ChatCompletionChunk
        """What the next piece makes certain."""
        for choice in chunk.choices:
            if choice.index or not choice.delta:
                continue
            self._reason = choice.finish_reason or self._reason
            snapshot = self._stream.feed("".join(self._pieces(choice.delta)))
            if self._shows_early and self._item:
                yield from self._elements(self._item, snapshot)
            elif self._shows_early and snapshot.changed:
                yield _partial(self._kind, snapshot.data)

    def end(self) -> Iterator[Any]:
        """What the end makes certain.

        Raises:
            IncompleteOutputException: the model reached its length limit.
            ResponseParsingError: the text is refused.
        """
        if self._call is None:
            self._stream.feed("".join(self._aside))
        value = parsed(self._stream.text, self._adapter, self._options, finish_reason_of(self._reason))
        yield from value.tasks[self._given :] if self._item else [value]

    def _pieces(self, delta: Any) -> Iterator[str]:  # noqa: ANN401 - a ChoiceDelta
        for call in delta.tool_calls or ():
            if self._call not in (None, call.index):
                yield BETWEEN_CALLS
            self._call = call.index
            yield getattr(call.function, "arguments", None) or ""
        if self._in_calls:
            self._aside.append(delta.content or "")
        else:
            yield delta.content or ""

    def _elements(self, item: TypeAdapter[Any], snapshot: StreamSnapshot[Any]) -> Iterator[Any]:
        """The elements that are whole and were not given yet; one that does not fit ends them: the end says why."""
        while f"$.tasks[{self._given}]" in snapshot.complete:
            element = snapshot.data["tasks"][self._given]
            try:
                value = validate_as_json(item, element, hooked=False, decimals=True)
            except ValidationError:
                return
            self._given += 1
            yield value


def _partial(kind: Any, data: Any) -> Any:  # noqa: ANN401 - any type, decoded JSON
    """Data as objects of their models, unvalidated; a field that is not there yet is None, or an object without any."""
    model = _model_in(kind)
    if isinstance(data, dict) and model:
        fields = model.model_fields.items()
        there = {
            name: _partial(field.annotation, data[key]) for name, field in fields for key in _key(name, field, data)
        }
        absent = {name: _without_fields(field.annotation) for name, field in fields}
        return model.model_construct({*there}, **{**absent, **there})
    if isinstance(data, list) and get_origin(kind) is list:
        return [_partial(get_args(kind)[0], item) for item in data]
    return data


def _without_fields(kind: Any) -> Any:  # noqa: ANN401 - any type
    return _partial(kind, {}) if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _key(name: str, field: FieldInfo, data: dict[str, Any]) -> list[str]:
    return [key for key in (field.validation_alias, field.alias, name) if isinstance(key, str) and key in data][:1]


def _model_in(kind: Any) -> type[BaseModel] | None:  # noqa: ANN401 - any type
    """The one model that a type is, or is if it is not None."""
    kinds = (
        [one for one in get_args(kind) if one is not type(None)] if get_origin(kind) in (Union, UnionType) else [kind]
    )
    only = kinds[0] if len(kinds) == 1 else None
    return only if isinstance(only, type) and issubclass(only, BaseModel) else None


BESIDE = Provider.UNKNOWN
"""Where the handlers are registered: no built-in one has this provider."""


class _ReadByTheParser(built_in.OpenAIHandlerBase):
    def parse_response(
        self,
        response: Any,  # noqa: ANN401 - a ChatCompletion or a stream of its chunks
        response_model: type[Any],
        validation_context: dict[str, Any] | None = None,
        strict: bool | None = None,  # noqa: FBT001 - as instructor has it
        stream: bool = False,  # noqa: FBT001, FBT002 - as instructor has it
        is_async: bool = False,  # noqa: FBT001, FBT002 - as instructor has it
    ) -> Any:  # noqa: ANN401 - an object of the type asked for, or an iterator of objects
        asked = CallSettings(response_model, validation_context, strict)
        if self._should_parse_streaming(response_model, stream):
            streamed = StreamReader(asked, options_of_call.get(), in_calls=self.mode is Mode.TOOLS)
            return (through_async if is_async else through)(response, streamed.take, streamed.end)
        if stream:
            problem = "a stream is read by create_partial or create_iterable, not by create(stream=True)"
            raise ConfigurationError(problem)
        return read(response, asked)

    def handle_reask(self, kwargs: dict[str, Any], response: Any, exception: Exception) -> dict[str, Any]:  # noqa: ANN401 - as above
        """Ask again as the mode does, also where the response has no choice: the built-in handlers take the first."""
        answered = response if getattr(response, "choices", None) else None
        asked: dict[str, Any] = super().handle_reask(kwargs, answered, exception)
        return asked


_BUILT_IN = {
    Mode.TOOLS: built_in.OpenAIToolsHandler,
    Mode.JSON: built_in.OpenAIJSONHandler,
    Mode.MD_JSON: built_in.OpenAIMDJSONHandler,
    Mode.JSON_SCHEMA: built_in.OpenAIJSONSchemaHandler,
}
for _mode, _handler in _BUILT_IN.items():
    register_mode_handler(BESIDE, _mode)(type(f"Unified{_handler.__name__}", (_ReadByTheParser, _handler), {}))
MODES = tuple(_BUILT_IN)
"""The modes whose answers are read by the parser."""


@overload
def from_openai(
    client: OpenAI,
    mode: Mode = ...,
    model: str | None = ...,
    **kwargs: Any,  # noqa: ANN401 - as instructor has it
) -> Instructor: ...


@overload
def from_openai(
    client: AsyncOpenAI,
    mode: Mode = ...,
    model: str | None = ...,
    **kwargs: Any,  # noqa: ANN401 - as instructor has it
) -> AsyncInstructor: ...


@takes(ReaderOptions)
def from_openai(
    client: OpenAI | AsyncOpenAI, mode: Mode = Mode.TOOLS, model: str | None = None, **kwargs: Any
) -> Instructor | AsyncInstructor:
    """An instructor client whose answers are read by the parser.

    A reply that is refused is asked for again by instructor, with the error's text for the model, up to `max_retries`
    times; then instructor raises `InstructorRetryException`. One that the model's length limit cut raises
    `IncompleteOutputException` at once. Both have the `LLMJsonParseError` in their chain of causes. A stream
    (`create_partial`, `create_iterable`) gives what is certain as it comes, or nothing before its end if an option may
    still change it, such as `normalizers`, `coerce` or `accept`. If the answer is refused in the end, it raises, and
    nobody is asked again.

    Args:
        client: a client of chat completions, of any provider that speaks OpenAI's API.
        mode: one of `MODES`.
        model: the model of requests that name none.
        options: those of `ReaderOptions`; the time is for reading an answer, not for the request.
        kwargs: as for `instructor.from_openai`.

    Raises:
        ModeError: the mode is another one.

    .. versionadded:: 0.1.0
    """
    if mode not in MODES:
        raise ModeError(mode=mode.value, provider=Provider.OPENAI.value, valid_modes=[known.value for known in MODES])
    given = {name: kwargs.pop(name) for name in ReaderOptions.__annotations__ if name in kwargs}
    options = cast("ReaderOptions", given)
    create = patch_v2(client.chat.completions.create, provider=BESIDE, mode=mode, default_model=model)
    if isinstance(client, AsyncOpenAI):
        return AsyncInstructor(client=client, create=_async_with(options, create), mode=mode, **kwargs)
    return Instructor(client=client, create=_with(options, create), mode=mode, **kwargs)


def _with(options: ReaderOptions, create: Callable[..., Any]) -> Callable[..., Any]:
    def created(**kwargs: Any) -> Any:  # noqa: ANN401 - what instructor passes on
        with _set(options):
            return create(**kwargs)

    return created


def _async_with(options: ReaderOptions, create: Callable[..., Any]) -> Callable[..., Any]:
    async def created(**kwargs: Any) -> Any:  # noqa: ANN401 - what instructor passes on
        with _set(options):
            return await create(**kwargs)

    return created


@contextmanager
def _set(options: ReaderOptions) -> Iterator[None]:
    token = options_of_call.set(options)
    try:
        yield
    finally:
        options_of_call.reset(token)
