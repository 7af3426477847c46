"""The parser for the OpenAI SDK: typed objects from completions, responses and streams of its own client.

The finish reason and the refusal that the SDK tells of are respected: what was cut off is refused, whatever it looks
like, and a refusal is never read as an answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, Unpack, overload

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import LLMContentRefusedError, LLMReplyError, why_cut
from src.shared.domain.options import ReaderOptions, takes
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.infrastructure.answer_in_pieces import AnswerInPieces, through, through_async
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import StreamSnapshot
from src.shared.infrastructure.tool_calls import ToolCall, parse_named_call, read_tool_calls

with needs_package("openai"):
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from openai.types.chat.chat_completion import Choice
    from openai.types.responses import Response

__all__ = ["ModelRefusalError", "parse_completion", "parse_tool_calls", "stream_completion"]


_REFUSED = Phrase("the model refused to answer")
_NO_CHOICE = Phrase("the reply does not have this choice")


class ModelRefusalError(LLMContentRefusedError):
    """The model declined to answer, and said so in the field that the SDK has for it.

    Attributes:
        refusal: what it said; the message and the details do not repeat it.

    .. versionadded:: 0.1.0
    """

    def __init__(self, refusal: str, model: str) -> None:
        super().__init__(_REFUSED.text(), {"model": model, "reason": "refusal"})
        self.refusal = refusal


class Call(NamedTuple):
    """A tool call as the SDK has it."""

    name: str
    arguments: str
    id: str | None


class Answer(NamedTuple):
    """What a model answered, in either of the SDK's two forms."""

    text: str
    reason: FinishReason
    model: str
    calls: tuple[Call, ...] = ()
    refusal: str = ""

    def check(self) -> None:
        """Refuse what the model declined, and what a filter or the provider broke off.

        Raises:
            ModelRefusalError: the model declined to answer.
            LLMContentRefusedError: a content filter stopped the answer.
            LLMServerError: the provider broke off in the middle of it.
        """
        if self.refusal:
            raise ModelRefusalError(self.refusal, self.model)
        error = why_cut(LLMReply(text=self.text, finish_reason=self.reason, model=self.model), None)
        if error is not None and self.reason is not FinishReason.LENGTH:  # the parser tells of the length
            raise error


def answer_of(completion: ChatCompletion | Response, choice: int) -> Answer:
    """What was answered, if nothing refused it."""
    if isinstance(completion, Response):
        answer = _of_response(completion)
    else:
        one = next((one for one in completion.choices or () if one.index == choice), None)
        if one is None:
            raise LLMReplyError(_NO_CHOICE.text(), {"model": completion.model, "reason": f"choice {choice}"})
        answer = _of_choice(one, completion.model)
    answer.check()
    return answer


def _of_choice(choice: Choice, model: str) -> Answer:
    message = choice.message
    calls = [
        Call(call.function.name, call.function.arguments, call.id)
        if call.type == "function"
        else Call(call.custom.name, call.custom.input, call.id)
        for call in message.tool_calls or ()
    ]
    if message.function_call:  # as it was before there were several calls
        calls.append(Call(message.function_call.name, message.function_call.arguments, None))
    reason = finish_reason_of(choice.finish_reason)
    return Answer(message.content or "", reason, model, tuple(calls), message.refusal or "")


def _of_response(response: Response) -> Answer:
    details = response.incomplete_details
    reason = finish_reason_of(details.reason if details and details.reason else response.status)
    messages = [item for item in response.output if item.type == "message"]
    refusals = [part.refusal for message in messages for part in message.content if part.type == "refusal"]
    calls = [Call(item.name, item.arguments, item.call_id) for item in response.output if item.type == "function_call"]
    if calls and reason is FinishReason.STOP:
        reason = FinishReason.TOOL_CALLS  # the response came to its end, which says nothing of a call's arguments
    return Answer(response.output_text, reason, str(response.model), tuple(calls), "\n".join(refusals))


T = TypeVar("T")


@takes(ReaderOptions)
def parse_completion(
    completion: ChatCompletion | Response,
    dto_type: AnswerType[T],
    *,
    choice: int = 0,
    **options: Unpack[ReaderOptions],
) -> T:
    """The typed object in what `chat.completions.create` or `responses.create` returned.

    Args:
        completion: the reply.
        dto_type: any type the parser takes.
        choice: which of several choices, where `n` asked for more than one.
        options: those of `ReaderOptions`.

    Raises:
        LLMJsonParseError: the text is refused, or was cut off at the length limit, or there is none.
        ModelRefusalError: the model declined to answer.
        LLMContentRefusedError: a content filter stopped the answer.
        LLMServerError: the provider broke off in the middle of it.
        LLMReplyError: the reply has no such choice.
        TypeError: as for `parse_llm_json_output`.

    .. versionadded:: 0.1.0
    """
    answer = answer_of(completion, choice)
    return parse_llm_json_output(answer.text, dto_type, finished=answer.reason.finished, **options)


@takes()
def parse_tool_calls(
    completion: ChatCompletion | Response,
    tools: Mapping[str, AnswerType[Any]],
    *,
    choice: int = 0,
    written: bool = False,
    coerce: bool = False,
) -> tuple[ToolCall, ...]:
    """The tool calls of a reply, the arguments of each as an object of its tool's type.

    Args:
        completion: the reply.
        tools: the type of the arguments of each tool, by the tool's name.
        choice: as for `parse_completion`.
        written: whether calls that stand in the text count, too, if the reply has no others: of a model whose server
            does not tell them apart.
        coerce: as for `parse_llm_json_output`.

    Raises:
        LLMJsonParseError: arguments are refused, or the reply was cut off, or there is no such tool.
        ModelRefusalError, LLMContentRefusedError, LLMServerError, LLMReplyError, TypeError: as for `parse_completion`.

    .. versionadded:: 0.1.0
    """
    answer = answer_of(completion, choice)
    finished = answer.reason.finished
    if written and not answer.calls:
        return read_tool_calls(answer.text, tools, finished=finished, coerce=coerce)
    return tuple(
        parse_named_call(call.name, call.arguments, tools, id_=call.id, finished=finished, coerce=coerce)
        for call in answer.calls
    )


@overload
def stream_completion(
    stream: Iterable[ChatCompletionChunk],
    dto_type: AnswerType[T],
    **options: Unpack[ReaderOptions],
) -> Iterator[StreamSnapshot[T]]: ...


@overload
def stream_completion(
    stream: AsyncIterable[ChatCompletionChunk],
    dto_type: AnswerType[T],
    **options: Unpack[ReaderOptions],
) -> AsyncIterator[StreamSnapshot[T]]: ...


@takes(ReaderOptions)
def stream_completion(
    stream: Iterable[ChatCompletionChunk] | AsyncIterable[ChatCompletionChunk],
    dto_type: AnswerType[T],
    **options: Unpack[ReaderOptions],
) -> Iterator[StreamSnapshot[T]] | AsyncIterator[StreamSnapshot[T]]:
    """What is certain of an answer after each chunk; the `value` of the last snapshot is the typed object.

    The first choice is read. A stream that is left early is closed.

    Args:
        stream: what `chat.completions.create(stream=True)` of a client returned, or awaited of an async one.
        dto_type: any type the parser takes.
        options: those of `ReaderOptions`; what is shown before the end is as the model wrote it, and an answer that was
            shown is never replaced by a later one.

    Raises:
        LLMJsonParseError: at the end: the text is refused, or was cut off at the length limit.
        ModelRefusalError, LLMContentRefusedError, LLMServerError: at the end, as for `parse_completion`.
        openai.OpenAIError, httpx.HTTPError: what the SDK raises if the stream breaks.

    .. versionadded:: 0.1.0
    """
    answer = AnswerInPieces(dto_type, options)
    refusal, model, reason = "", "", FinishReason.UNKNOWN

    def take(chunk: ChatCompletionChunk) -> Iterator[StreamSnapshot[T]]:
        nonlocal refusal, model, reason
        model = chunk.model or model
        for choice in chunk.choices:
            if choice.index == 0:
                refusal += choice.delta.refusal or ""
                reason = finish_reason_of(choice.finish_reason) if choice.finish_reason else reason
                if choice.delta.content:
                    yield answer.feed(choice.delta.content)

    def end() -> Iterator[StreamSnapshot[T]]:
        Answer(answer.stream.text, reason, model, refusal=refusal).check()
        answer.feed("", finished=reason.finished)
        yield answer.close()

    if isinstance(stream, AsyncIterable):
        return through_async(stream, take, end)
    return through(stream, take, end)
