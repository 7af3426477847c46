"""The port to a language model: a prompt goes out, a reply comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class FinishReason(StrEnum):
    """Why a model stopped writing; `finish_reasons.py` knows how the providers spell it."""

    STOP = "stop"
    """It came to its end, or wrote a stop sequence."""
    LENGTH = "length"
    """It reached a limit: of tokens, of the context window, of rounds."""
    CONTENT_FILTER = "content_filter"
    """The provider took the text away from it, or it declined to go on."""
    TOOL_CALLS = "tool_calls"
    """It called a tool."""
    ERROR = "error"
    """The provider broke off in the middle."""
    UNKNOWN = "unknown"
    """Nobody said."""

    @property
    def finished(self) -> bool | None:
        """What the parser is told about the end of the text: True, it is whole; False, it is cut; None, unknown.

        `TOOL_CALLS` is None, too: several servers send it instead of `length` if a call was cut off in the middle of
        its arguments (vLLM issues 53269 and 58228).
        """
        return _FINISHED.get(self)


_FINISHED = {
    FinishReason.STOP: True,
    FinishReason.LENGTH: False,
    FinishReason.CONTENT_FILTER: False,
    FinishReason.ERROR: False,
}


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call, or of several added up; 0 where the provider does not say.

    Attributes:
        prompt_tokens: what was read.
        completion_tokens: what was written, reasoning included.
        reasoning_tokens: the part of `completion_tokens` that was reasoning.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0

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
    """

    text: str
    finish_reason: FinishReason = FinishReason.UNKNOWN
    model: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency: float = 0.0
    reasoning: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The type the answer should have, for providers that can be held to one.

    Attributes:
        name: letters, digits, `_` and `-`, at most 64.
        json_schema: the JSON Schema of the type.
        is_object: whether every answer is a JSON object; providers can be held to nothing else.
    """

    name: str
    json_schema: dict[str, Any]
    is_object: bool = True


class LLMPort(Protocol):
    """Any language model."""

    async def generate(
        self,
        prompt: str,
        system_message: str | None = None,
        temperature: float = 0.7,
        max_tokens: int | None = None,
        *,
        output_schema: OutputSchema | None = None,
    ) -> LLMReply:
        """Ask once and wait for the whole answer.

        Args:
            prompt: the user's message.
            system_message: the system's message, if any.
            temperature: 0 (always the likeliest) to 2.
            max_tokens: most tokens to write; None leaves it to the provider.
            output_schema: the type the answer should have; used only where the adapter is configured to.

        Raises:
            LLMError: the provider could not be reached, refused, or did not answer.
        """
        ...
