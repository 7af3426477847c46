"""Replies that are still written."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

from openai.types.chat import ChatCompletionChunk

from src.integrations.openai_sdk.answers import Answer, ModelRefusalError
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.normalizer import Normalizer
from src.shared.domain.ports.llm import FinishReason
from src.shared.domain.ports.output import ParsedText
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.parsing.state import Several

T = TypeVar("T")


@overload
def stream_completion(
    stream: Iterable[ChatCompletionChunk],
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    several: Several = "refuse",
    coerce: bool = False,
) -> Iterator[StreamSnapshot[T]]: ...


@overload
def stream_completion(
    stream: AsyncIterable[ChatCompletionChunk],
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    several: Several = "refuse",
    coerce: bool = False,
) -> AsyncIterator[StreamSnapshot[T]]: ...


def stream_completion(
    stream: Iterable[ChatCompletionChunk] | AsyncIterable[ChatCompletionChunk],
    dto_type: AnswerType[T],
    *,
    normalizers: Sequence[Normalizer] | None = None,
    context_label: str = "",
    several: Several = "refuse",
    coerce: bool = False,
) -> Iterator[StreamSnapshot[T]] | AsyncIterator[StreamSnapshot[T]]:
    """What is certain of an answer after each chunk; the `value` of the last snapshot is the typed object.

    The first choice is read. A stream that is left early is closed.

    Args:
        stream: what `chat.completions.create(stream=True)` of a client returned, or awaited of an async one.
        dto_type: any type the parser takes.
        normalizers: as for `parse_llm_json_output`.
        context_label: as for `parse_llm_json_output`.
        several: as for `parse_llm_json_output`; an answer that was shown is never replaced by a later one.
        coerce: as for `parse_llm_json_output`; what is shown before the end is as the model wrote it.

    Raises:
        LLMJsonParseError: at the end: the text is refused, or was cut off at the length limit.
        ModelRefusalError, LLMContentRefusedError, LLMServerError: at the end, as for `parse_completion`.
        openai.OpenAIError, httpx.HTTPError: what the SDK raises if the stream breaks.

    .. versionadded:: 0.1.0
    """
    options: dict[str, Any] = {"context_label": context_label, "several": several, "coerce": coerce}
    reading = _Reading(dto_type, normalizers, options)
    if isinstance(stream, AsyncIterable):
        return _stream_async(stream, reading)
    return _stream(stream, reading)


def _stream(stream: Iterable[ChatCompletionChunk], reading: _Reading[T]) -> Iterator[StreamSnapshot[T]]:
    try:
        for chunk in stream:
            if reading.takes(chunk):
                yield reading.stream.snapshot
        yield reading.close()
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


async def _stream_async(
    stream: AsyncIterable[ChatCompletionChunk], reading: _Reading[T]
) -> AsyncIterator[StreamSnapshot[T]]:
    try:
        async for chunk in stream:
            if reading.takes(chunk):
                yield reading.stream.snapshot
        yield reading.close()
    finally:
        close = getattr(stream, "close", None) or getattr(stream, "aclose", None)
        if close is not None:
            await close()


class _Reading(Generic[T]):
    """The chunks of one answer."""

    def __init__(
        self, dto_type: AnswerType[T], normalizers: Sequence[Normalizer] | None, options: Mapping[str, Any]
    ) -> None:
        self.stream = LLMJsonStream(dto_type, normalizers=normalizers)
        self._dto_type = dto_type
        self._options = {"normalizers": normalizers, **options}
        self._refusal = ""
        self._reason = FinishReason.UNKNOWN
        self._model = ""

    def takes(self, chunk: ChatCompletionChunk) -> bool:
        """Take a chunk; whether it has text of the answer."""
        self._model = chunk.model or self._model
        choice = next((choice for choice in chunk.choices if choice.index == 0), None)
        if choice is None:
            return False
        self._refusal += choice.delta.refusal or ""
        if choice.finish_reason:
            self._reason = finish_reason_of(choice.finish_reason)
        if not choice.delta.content:
            return False
        self.stream.feed(choice.delta.content)
        return True

    def close(self) -> StreamSnapshot[T]:
        """The snapshot of the whole answer."""
        if self._refusal:
            raise ModelRefusalError(self._refusal, self._model)
        Answer(self.stream.text, self._reason, self._model).check()
        finished = self._reason.finished
        parsed = parse_llm_json_output_with_trace(self.stream.text, self._dto_type, finished=finished, **self._options)
        return self.stream.close_as(ParsedText(parsed.value, data=parsed.decoded.data))
