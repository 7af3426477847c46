"""The port to a language model: one request goes out, one reply comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from src.shared.domain.chat import ChatMessage, Role
from src.shared.domain.strict_schema import strict_schema


class FinishReason(StrEnum):
    """Why a model stopped writing; `finish_reasons.py` knows how the providers spell it.

    .. versionadded:: 0.1.0
    """

    STOP = "stop"
    """It came to its end, or wrote a stop sequence."""
    LENGTH = "length"
    """It reached a limit: of tokens, of the context window, of rounds."""
    REFUSED = "refused"
    """A filter took the text away from it, or it declined to answer."""
    TOOL_CALLS = "tool_calls"
    """It called a tool."""
    ERROR = "error"
    """The provider broke off in the middle: said of stored texts only, since an adapter raises `LLMServerError`."""
    UNKNOWN = "unknown"
    """Nobody said."""

    @property
    def finished(self) -> bool | None:
        """What the parser is told about the end of the text: True, it is whole; False, it is cut; None, unknown.

        `TOOL_CALLS` is None, too: several servers send it instead of `length` if a call was cut off in the middle of
        its arguments (vLLM issues 53269 and 58228).
        """
        return _FINISHED.get(self)

    @classmethod
    def _missing_(cls, value: object) -> FinishReason | None:
        """`content_filter` is what recordings called `refused` at first."""
        return cls.REFUSED if value == "content_filter" else None


_FINISHED = {
    FinishReason.STOP: True,
    FinishReason.LENGTH: False,
    FinishReason.REFUSED: False,
    FinishReason.ERROR: False,
}


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call, or of several added up; 0 where the provider does not say.

    Attributes:
        prompt_tokens: what was read, cached tokens included.
        completion_tokens: what was written, reasoning included.
        reasoning_tokens: the part of `completion_tokens` that was reasoning.
        cached_tokens: the part of `prompt_tokens` that the provider had read before.
        is_estimated: whether any of it was counted from the characters, since the provider said nothing.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    is_estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """What was read and written."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: TokenUsage) -> TokenUsage:
        """Add two calls up."""
        return TokenUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cached_tokens + other.cached_tokens,
            self.is_estimated or other.is_estimated,
        )


@dataclass(frozen=True, slots=True)
class LLMReply:
    """What a model answered.

    Attributes:
        text: the answer; reasoning that the provider returns apart is not in it.
        finish_reason: why the model stopped. Where its `finished` is False the text is cut off, whatever it looks like.
        model: the model's name as the provider gives it.
        usage: tokens read and written.
        latency: seconds from the request to the last byte, transport retries included.
        reasoning: reasoning returned in a field of its own; never parsed as the answer.
        is_earlier: whether an earlier run received it, which the one that asks now goes on with: nothing was asked, and
            after an answer that cannot be used the model may be asked as though this run had not asked yet.
        is_settled: whether that run went on without an answer, and so does this one: nothing more is asked.
    """

    text: str
    finish_reason: FinishReason = FinishReason.UNKNOWN
    model: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency: float = 0.0
    reasoning: str = field(default="", repr=False)
    is_earlier: bool = False
    is_settled: bool = False


@dataclass(frozen=True)
class OutputSchema:
    """The type the answer should have, for providers that can be held to one. All calls of a type share it.

    Attributes:
        name: letters, digits, `_` and `-`, at most 64.
        json_schema: the JSON Schema of the type; an adapter copies it before it changes anything.
        is_object: whether every answer is a JSON object; providers can be held to nothing else.
    """

    name: str
    json_schema: dict[str, Any]
    is_object: bool = True

    @cached_property
    def strict(self) -> dict[str, Any]:
        """The schema for providers that hold a model strictly to it, worked out once.

        Raises:
            NotStrictError: the type cannot be held to strictly; it names the place and the reason.
        """
        return strict_schema(self.json_schema)


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """What a model is asked: everything that one request needs, for every provider.

    Attributes:
        messages: the conversation, in order; at least one.
        output_schema: the type the answer should have; used in the mode that the adapter is configured to.
        temperature: 0 (always the likeliest) to 2; None leaves it to the provider, as reasoning models want it.
        max_tokens: most tokens to write, reasoning included; None leaves it to the provider.
        reasoning_effort: how long to reason, in the provider's words, such as `low`; None leaves it to the provider.
        stop: texts at which the model stops writing; they are not part of the answer.
        extra_headers: headers beside the adapter's own.
        extra_body: members of the request's body beside the adapter's own, which they do not replace.
        timeout: seconds for this request; None is what the adapter is configured to.
    """

    messages: tuple[ChatMessage, ...]
    output_schema: OutputSchema | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    stop: tuple[str, ...] = ()
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    timeout: float | None = None

    def __post_init__(self) -> None:
        """Refuse a request that asks nothing."""
        if not self.messages:
            message = "a request needs at least one message"
            raise ValueError(message)

    @classmethod
    def of(cls, prompt: str, system_message: str | None = None, **options: Any) -> LLMRequest:  # noqa: ANN401 - fields of this class
        """A request of one user's message, after the system's if there is one; `options` are other fields."""
        system = () if system_message is None else (ChatMessage.of(Role.SYSTEM, system_message),)
        return cls((*system, ChatMessage.of(Role.USER, prompt)), **options)

    def with_prompt(self, prompt: str) -> LLMRequest:
        """The same request with other words in its last message; the images of it stay."""
        last = self.messages[-1]
        return replace(self, messages=(*self.messages[:-1], ChatMessage.of(last.role, prompt, *last.images)))

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return self.messages[-1].text

    @property
    def system_message(self) -> str | None:
        """The text of the system's first message, if there is one."""
        return next((message.text for message in self.messages if message.role is Role.SYSTEM), None)


class LLMPort(Protocol):
    """Any language model."""

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer.

        Raises:
            LLMError: the provider could not be reached, refused, or did not answer.
        """
        ...


@runtime_checkable
class RecallingLLM(LLMPort, Protocol):
    """A language model that goes on with an earlier run.

    .. versionadded:: 0.1.0
    """

    def recall(self, request: LLMRequest) -> LLMReply | None:
        """What the earlier run was answered to these messages, each reply once; None where the model is to be asked.

        Raises:
            LLMError: it got no answer, and this run goes on without one too; `is_earlier` is set.
        """
        ...


def model_asked(llm: LLMPort) -> str:
    """The model's name at its provider, as it is asked for: the attribute `model` of an adapter that has one."""
    name = getattr(llm, "model", "")
    return name if isinstance(name, str) else ""


class TextListener(Protocol):
    """Follows one answer as it is written. It returns at once, and what it raises ends the request.

    .. versionadded:: 0.1.0
    """

    def text_begins(self) -> None:
        """A request for the answer goes out: what came of one before it is given up."""
        ...

    def text_grows(self, chunk: str) -> None:
        """So much more of the text has come."""
        ...


class _Unheard:
    def text_begins(self) -> None:
        """Nothing."""

    def text_grows(self, chunk: str) -> None:
        """Nothing."""


NOBODY_LISTENS: TextListener = _Unheard()
"""For an answer that comes in chunks and is wanted whole."""


@runtime_checkable
class StreamingLLM(LLMPort, Protocol):
    """A language model that gives its answer while it writes it.

    .. versionadded:: 0.1.0
    """

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """Ask once and wait for the whole answer, as `generate` does.

        The chunks between the last `text_begins` and the return are the text of the reply, unless the model answers
        otherwise than it began.

        Args:
            request: what is asked.
            listener: told of each chunk of the text. Where a connection breaks and the request is sent again, the
                text begins again.

        Raises:
            LLMError: as for `generate`.
        """
        ...


async def generate_with(llm: LLMPort, request: LLMRequest, listener: TextListener | None) -> LLMReply:
    """Ask a model, and let somebody follow; one that cannot stream answers in one chunk.

    Args:
        llm: the model.
        request: what it is asked.
        listener: told of each chunk; None: nobody follows.

    Raises:
        LLMError: the model's.
    """
    if listener is None:
        return await llm.generate(request)
    if isinstance(llm, StreamingLLM):
        return await llm.generate_streaming(request, listener)
    listener.text_begins()
    reply = await llm.generate(request)
    listener.text_grows(reply.text)
    return reply


def tell_whole(listener: TextListener | None, reply: LLMReply) -> None:
    """Tell of a reply that is there already, as of one chunk."""
    if listener is not None:
        listener.text_begins()
        listener.text_grows(reply.text)
