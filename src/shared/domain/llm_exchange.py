"""What goes to a language model and what comes back: a request, a reply, why it stopped, and the tokens of both.

A model is shown messages with roles, each made of texts and images.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeAlias

from src.shared.domain.finish_reasons import FinishReason
from src.shared.domain.strict_schema import strict_schema


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class ImageType(StrEnum):
    """What an image's bytes are; the types that every provider with eyes takes."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    WEBP = "image/webp"
    GIF = "image/gif"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a message that is read."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A part of a message that is seen. Logs and recordings hold its digest, never its bytes.

    Attributes:
        data: the encoded image.
        media_type: what `data` is.
        name: what a person knows it by, such as `page 12`; not sent.
    """

    data: bytes = field(repr=False)
    media_type: ImageType = ImageType.PNG
    name: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


MessagePart: TypeAlias = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation.

    Attributes:
        role: who speaks.
        parts: what is said and shown, in order; at least one.
    """

    role: Role
    parts: tuple[MessagePart, ...]

    def __post_init__(self) -> None:
        """Refuse a message that says nothing."""
        if not self.parts:
            message = "a message needs at least one part"
            raise ValueError(message)

    @classmethod
    def of(cls, role: Role, text: str, *images: ImagePart) -> ChatMessage:
        """A message of one text, and the images it speaks of."""
        return cls(role, (TextPart(text), *images))

    @property
    def text(self) -> str:
        """What is read of it, without images."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """What is seen of it."""
        return tuple(part for part in self.parts if isinstance(part, ImagePart))


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
    """

    text: str
    finish_reason: FinishReason = FinishReason.UNKNOWN
    model: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency: float = 0.0
    reasoning: str = field(default="", repr=False)


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


class TextProgress:
    """The text of an answer while it is written: the model adds to it, and who asked follows.

    Attributes:
        chunks: what has come of the text, in the pieces in which it came.
        restarts: texts that were given up before this one, because a connection broke or the answer was of no use.

    .. versionadded:: 0.1.0
    """

    def __init__(self, changed: Callable[[], object] | None = None) -> None:
        """`changed`: called after each change; it returns at once, and what it raises ends the request."""
        self.chunks: list[str] = []
        self.restarts = 0
        self._changed = changed or (lambda: None)

    def begin(self) -> None:
        """Begin the text, and give up what has come of one before; whoever sends a request calls it."""
        if self.chunks:
            self.chunks = []
            self.restarts += 1
            self._changed()

    def add(self, chunk: str) -> None:
        """Take so much more of the text."""
        if chunk:
            self.chunks.append(chunk)
            self._changed()


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
        progress: takes the text while it is written, from a model that can do so; None where nobody follows.
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
    progress: TextProgress | None = field(default=None, repr=False, compare=False)

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
