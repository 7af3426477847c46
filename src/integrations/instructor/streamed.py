"""Answers of chat completions that come in pieces: objects of what is certain, or the elements of a list.

With normalizers, with coercion, and where the last of several answers is taken, nothing is shown before the end: what
was read may still change.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin

from instructor.v2.dsl.iterable import IterableBase
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from src.integrations.instructor.reading import BETWEEN_CALLS, Asked, Options, parsed
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.parsing.as_json import validate_as_json


def shown(chunks: Any, streamed: Streamed) -> Iterator[Any]:  # noqa: ANN401 - a Stream of ChatCompletionChunk
    """The objects of a stream."""
    for chunk in chunks:
        yield from streamed.take(chunk)
    yield from streamed.end()


async def shown_async(chunks: Any, streamed: Streamed) -> AsyncIterator[Any]:  # noqa: ANN401 - an AsyncStream
    """The objects of a stream."""
    async for chunk in chunks:
        for one in streamed.take(chunk):
            yield one
    for one in streamed.end():
        yield one


class Streamed:
    """One answer that comes in pieces."""

    def __init__(self, asked: Asked, options: Options, *, in_calls: bool) -> None:
        """Begin an answer.

        Args:
            asked: what the call was made with.
            options: what the client was made with.
            in_calls: whether the answer is in the arguments of tool calls; the content counts where there are none.
        """
        self._view = _Items(asked) if issubclass(asked.response_model, IterableBase) else _Growing(asked)
        self._stream = LLMJsonStream[Any](self._view.adapter)
        self._options = options
        self._shows_early = not (options.normalizers or options.coerce or options.several == "last")
        self._in_calls = in_calls
        self._call: int | None = None
        self._aside: list[str] = []
        self._reason: str | None = None

    def take(self, chunk: Any) -> Iterator[Any]:  # noqa: ANN401 - a ChatCompletionChunk
        """What the next piece makes certain."""
        for choice in chunk.choices:
            if choice.index or not choice.delta:
                continue
            self._reason = choice.finish_reason or self._reason
            snapshot = self._stream.feed("".join(self._pieces(choice.delta)))
            if self._shows_early:
                yield from self._view.so_far(snapshot)

    def end(self) -> Iterator[Any]:
        """What the end makes certain.

        Raises:
            IncompleteOutputException: the model reached its length limit.
            ResponseParsingError: the text is refused.
        """
        if self._call is None:
            self._stream.feed("".join(self._aside))
        reason = finish_reason_of(self._reason)
        yield from self._view.whole(parsed(self._stream.text, self._view.adapter, self._options, reason))

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


class _Growing:
    """Objects of the type, unvalidated, with what is certain so far; then the validated one."""

    def __init__(self, asked: Asked) -> None:
        self._kind = asked.response_model._original_model  # noqa: SLF001 - where instructor keeps the type asked for
        self.adapter = asked.adapter(self._kind)

    def so_far(self, snapshot: StreamSnapshot[Any]) -> Iterator[Any]:
        if snapshot.changed:
            yield _partial(self._kind, snapshot.data)

    def whole(self, value: Any) -> Iterator[Any]:  # noqa: ANN401 - of the type asked for
        yield value


class _Items:
    """The elements of a list, each when it is whole."""

    def __init__(self, asked: Asked) -> None:
        self.adapter = asked.adapter(asked.response_model)
        self._item = asked.adapter(asked.response_model.task_type)
        self._given = 0

    def so_far(self, snapshot: StreamSnapshot[Any]) -> Iterator[Any]:
        while f"$.tasks[{self._given}]" in snapshot.complete:
            element = snapshot.data["tasks"][self._given]
            try:
                item = validate_as_json(self._item, element, hooked=False, decimals=True)
            except ValidationError:  # the end refuses the answer and says why
                return
            self._given += 1
            yield item

    def whole(self, value: Any) -> Iterator[Any]:  # noqa: ANN401 - an IterableModel
        yield from value.tasks[self._given :]


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
