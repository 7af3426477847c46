"""One recorded exchange: a prompt and its reply or error, as one line of JSON.

A line written by hand needs only `prompt`, `reply.text` and, if there was one, `system_message`. Without a
`finish_reason` it is unknown whether the text is whole, so the text itself has to show its end::

    {"prompt": "2+2?", "reply": {"text": "4", "finish_reason": "stop"}}
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Self, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from src.shared.domain import llm_errors
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage

_ERROR_TYPES = {
    kind.default_code: kind
    for kind in vars(llm_errors).values()
    if isinstance(kind, type) and issubclass(kind, LLMError)
}


class RecordedUsage(BaseModel):
    """`TokenUsage` in a file."""

    model_config = ConfigDict(extra="forbid")

    prompt_tokens: int = Field(0, ge=0)
    completion_tokens: int = Field(0, ge=0)
    reasoning_tokens: int = Field(0, ge=0)


class RecordedReply(BaseModel):
    """`LLMReply` in a file."""

    model_config = ConfigDict(extra="forbid")

    text: str
    finish_reason: FinishReason = FinishReason.UNKNOWN
    model: str = ""
    usage: RecordedUsage = RecordedUsage()
    latency: float = Field(0.0, ge=0, allow_inf_nan=False)
    reasoning: str = ""

    def outcome(self) -> LLMReply:
        """The reply as it was."""
        usage = TokenUsage(**dict(self.usage))
        return LLMReply(self.text, self.finish_reason, self.model, usage, self.latency, self.reasoning)


class RecordedError(BaseModel):
    """An `LLMError` in a file."""

    model_config = ConfigDict(extra="forbid")

    code: str
    message: str
    details: dict[str, Any] = Field(default_factory=dict)

    def outcome(self) -> LLMError:
        """The error as it was; of an unknown code it is an LLMError."""
        return _ERROR_TYPES.get(self.code, LLMError)(self.message, self.details, code=self.code)


class Exchange(BaseModel):
    """A prompt, and either a reply or an error.

    Attributes:
        prompt: the user's message, redacted.
        system_message: the system's message, redacted, if there was one.
        digest: of both as they were before they were redacted; worked out where it is missing.
        reply: what was answered.
        error: what went wrong.
    """

    model_config = ConfigDict(extra="forbid")

    prompt: str
    system_message: str | None = None
    digest: str = ""
    reply: RecordedReply | None = None
    error: RecordedError | None = None

    @model_validator(mode="after")
    def _has_one_outcome(self) -> Self:
        if (self.reply is None) == (self.error is None):
            message = "give either a reply or an error"
            raise ValueError(message)
        return self

    def key(self) -> str:
        """The digest that a call is matched by."""
        return self.digest or digest(self.prompt, self.system_message)

    def outcome(self) -> LLMReply | LLMError:
        """What the call comes to: a reply to return, or an error to raise."""
        if self.error is not None:
            return self.error.outcome()
        return cast("RecordedReply", self.reply).outcome()  # one of both is there


def digest(prompt: str, system_message: str | None) -> str:
    """What identifies a prompt: SHA-256 of both messages, in hexadecimal."""
    both = json.dumps([system_message, prompt])
    return hashlib.sha256(both.encode()).hexdigest()
