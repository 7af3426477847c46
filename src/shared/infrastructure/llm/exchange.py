"""One recorded exchange: what was asked and its reply or error, as one line of JSON; and what writes it down.

A line written by hand needs only `prompt`, `reply.text` and, if there was one, `system_message`. Without a
`finish_reason` it is unknown whether the text is whole, so the text itself has to show its end::

    {"prompt": "2+2?", "reply": {"text": "4", "finish_reason": "stop"}}

A conversation, or a message with images, is in `messages` as well. Of an image there is the digest, not the image.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from math import ceil
from pathlib import Path
from typing import Any, Self, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

from src.shared.domain import llm_errors
from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, ImageType, Role
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMReply, LLMRequest, TokenUsage, model_asked
from src.shared.infrastructure.llm.provider_errors import configuration_error

Redact: TypeAlias = Callable[[str], str]
"""Takes secrets out of a text."""

PIECE = 12
"""Characters of a piece of a text that was recorded whole."""
_ERROR_TYPES = {
    kind.default_code: kind
    for kind in vars(llm_errors).values()
    if isinstance(kind, type) and issubclass(kind, LLMError)
}


class _Recorded(BaseModel):
    """Something in a file; nothing unknown may stand beside it."""

    model_config = ConfigDict(extra="forbid")


class RecordedUsage(_Recorded):
    """`TokenUsage` in a file."""

    prompt_tokens: int = Field(0, ge=0)
    completion_tokens: int = Field(0, ge=0)
    reasoning_tokens: int = Field(0, ge=0)
    cached_tokens: int = Field(0, ge=0)


class RecordedReply(_Recorded):
    """`LLMReply` in a file.

    Attributes:
        chunks: characters of each chunk in which the text came, in their order; None where it came whole.
    """

    text: str
    chunks: list[PositiveInt] | None = None
    finish_reason: FinishReason = FinishReason.UNKNOWN
    model: str = ""
    usage: RecordedUsage = RecordedUsage()
    latency: float = Field(0.0, ge=0, allow_inf_nan=False)
    reasoning: str = ""

    @model_validator(mode="after")
    def _has_chunks_of_its_text(self) -> Self:
        if self.chunks is not None and sum(self.chunks) != len(self.text):
            message = "the chunks are not as long as the text"
            raise ValueError(message)
        return self

    def pieces(self) -> list[str]:
        """The text in its chunks; where they are not known, in pieces of about two words."""
        lengths = [PIECE] * ceil(len(self.text) / PIECE) if self.chunks is None else self.chunks
        ends = [0, *accumulate(lengths)]
        return [self.text[start:end] for start, end in pairwise(ends)]

    def outcome(self) -> LLMReply:
        """The reply as it was."""
        usage = TokenUsage(**dict(self.usage))
        return LLMReply(self.text, self.finish_reason, self.model, usage, self.latency, self.reasoning)


class RecordedError(_Recorded):
    """An `LLMError` in a file."""

    code: str
    message: str
    details: dict[str, Any] = Field(default_factory=dict)

    def outcome(self) -> LLMError:
        """The error as it was; of an unknown code it is an LLMError."""
        return _ERROR_TYPES.get(self.code, LLMError)(self.message, self.details, code=self.code)


class RecordedPart(_Recorded):
    """A part of a message in a file: a text, or what identifies an image."""

    text: str | None = None
    image: str | None = None
    media_type: ImageType | None = None
    name: str = ""


class RecordedMessage(_Recorded):
    """`ChatMessage` in a file."""

    role: Role
    parts: list[RecordedPart]

    @classmethod
    def of(cls, message: ChatMessage, redact: Redact) -> Self:
        """The message as it is written; `redact` takes secrets out of its texts."""
        parts = [
            RecordedPart(image=part.digest, media_type=part.media_type, name=redact(part.name))
            if isinstance(part, ImagePart)
            else RecordedPart(text=redact(part.text))
            for part in message.parts
        ]
        return cls(role=message.role, parts=parts)


class Exchange(_Recorded):
    """What was asked, and either a reply or an error.

    Attributes:
        prompt: the last message's text, redacted.
        system_message: the system's message, redacted, if there was one.
        messages: the conversation, redacted, if there is more to it than the two.
        digest: of all messages as they were before they were redacted; worked out where it is missing.
        reply: what was answered.
        error: what went wrong.
    """

    prompt: str
    system_message: str | None = None
    messages: list[RecordedMessage] | None = None
    digest: str = ""
    reply: RecordedReply | None = None
    error: RecordedError | None = None

    @model_validator(mode="after")
    def _has_one_outcome(self) -> Self:
        if (self.reply is None) == (self.error is None):
            message = "give either a reply or an error"
            raise ValueError(message)
        return self

    @classmethod
    def of(cls, request: LLMRequest, redact: Redact = str) -> Exchange:
        """The exchange that begins with a request; its outcome is still to come."""
        system = request.system_message
        is_plain = request.messages == LLMRequest.of(request.prompt, system).messages  # there is no more to it
        return cls.model_construct(
            prompt=redact(request.prompt),
            system_message=None if system is None else redact(system),
            messages=None if is_plain else [RecordedMessage.of(message, redact) for message in request.messages],
        )

    def key(self) -> str:
        """The digest that a call is matched by, of what is sent: an image's name is not."""
        if self.digest:
            return self.digest
        value: list[Any] = [self.system_message, self.prompt]
        if self.messages is not None:
            parts = ((message.role, *([part.text, part.image] for part in message.parts)) for message in self.messages)
            value = list(map(list, parts))
        return hashlib.sha256(json.dumps(value).encode()).hexdigest()

    def outcome(self) -> LLMReply | LLMError:
        """What the call comes to: a reply to return, or an error to raise."""
        return cast("RecordedReply | RecordedError", self.reply or self.error).outcome()  # one of both is there


REDACTED = "[REDACTED]"

_SECRETS = (
    re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}+"),  # OpenAI and many others
    re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}+"),
    re.compile(r"(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{10,}+"),
    re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+"),  # JSON Web Tokens
)
_LABELLED = (
    re.compile(r"(?i:(bearer\s{1,8}))[A-Za-z0-9._~+/=-]{8,}+"),
    re.compile(
        r"(?i:((?:api[_-]?key|access[_-]?token|client[_-]?secret|password)[\"']?\s{0,4}[:=]\s{0,4}[\"']?))"
        r"[A-Za-z0-9._~+/=-]{8,}+"
    ),
    re.compile(r"(://)[^\s/@:]{1,100}:[^\s/@]{1,100}(?=@)"),  # a URL's credentials
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text with known secrets, and what has the shape of a key, replaced by REDACTED."""
    for secret in filter(None, secrets):
        text = text.replace(secret, REDACTED)
    for shape in _SECRETS:
        text = shape.sub(REDACTED, text)
    for shape in _LABELLED:
        text = shape.sub(rf"\1{REDACTED}", text)
    return text


OWNER_ONLY = 0o600
"""Mode of a new file: what people ask models is nobody else's business."""


def append_whole(path: Path, line: bytes, *, is_new: bool = False) -> None:
    """Append a line, by one system call, which no signal divides; take back what a full disk left of it.

    Args:
        path: the file; a new one is readable for its owner only.
        line: the line with its end; nothing only makes sure that the file can be written.
        is_new: whether the file must not exist yet.

    Raises:
        OSError: it cannot be written; a FileExistsError where `is_new` and it does exist.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | (os.O_EXCL if is_new else 0), OWNER_ONLY)
    try:
        size = os.fstat(file).st_size
        unfinished = size and line and os.pread(file, 1, size - 1) != b"\n"  # written by hand
        line = b"\n" + line if unfinished else line
        if os.write(file, line) != len(line):
            os.ftruncate(file, size)
            message = "the disk is full"
            raise OSError(message)
    finally:
        os.close(file)


class RecordingLLM:
    """Passes calls on to a model and appends each exchange, a reply or an error, to a file.

    A line is written at once or not at all; where that fails, the call is an LLMConfigurationError. The chunks of a
    text that somebody follows are recorded, too, unless something is redacted in it. Keys and tokens are redacted in
    everything that is written, replies included; prompts are still matched when they are replayed. The model is its
    owner's to close.
    """

    def __init__(self, inner: LLMPort, path: Path | str, *, secrets: Iterable[str] = ()) -> None:
        """Make sure that the file can be written.

        Args:
            inner: the model that is asked.
            path: the recording; a new one is readable for its owner only, an existing one is appended to.
            secrets: texts that must not be written, such as the key in use.

        Raises:
            LLMConfigurationError: the file cannot be written.
        """
        self._inner = inner
        self._path = Path(path)
        self._secrets = tuple(secrets)
        self._append(b"")

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return model_asked(self._inner)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: the model's, which is recorded.
            LLMConfigurationError: the file cannot be written.
        """
        exchange = Exchange.of(request, self._redact)
        exchange.digest = Exchange.of(request).key()
        try:
            reply = await self._inner.generate(request)
        except LLMError as error:
            exchange.error = self._recorded_error(error)
            raise
        else:
            exchange.reply = self._recorded(reply, request.progress.chunks if request.progress else [])
            return reply
        finally:
            if exchange.reply or exchange.error:  # else it was cancelled
                self._append(exchange.model_dump_json(exclude_none=True).encode() + b"\n")

    def _recorded(self, reply: LLMReply, chunks: list[str]) -> RecordedReply:
        text = self._redact(reply.text)
        is_same = text == reply.text == "".join(chunks)
        return RecordedReply(
            text=text,
            chunks=list(map(len, chunks)) if chunks and is_same else None,
            finish_reason=reply.finish_reason,
            model=reply.model,
            usage=RecordedUsage.model_validate(reply.usage, from_attributes=True),
            latency=round(reply.latency, 3),
            reasoning=self._redact(reply.reasoning),
        )

    def _recorded_error(self, error: LLMError) -> RecordedError:
        texts = {name: self._redact(value) for name, value in error.details.items() if isinstance(value, str)}
        numbers = {name: value for name, value in error.details.items() if isinstance(value, int | float)}
        return RecordedError(code=error.code, message=self._redact(error.message), details=texts | numbers)

    def _redact(self, text: str) -> str:
        return redact(text, self._secrets).encode("utf-8", "replace").decode()

    def _append(self, line: bytes) -> None:
        try:
            append_whole(self._path, line)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            problem = Phrase("cannot write the recording {path}: {reason}", path=self._path, reason=reason)
            raise configuration_error(problem, path=str(self._path), reason=reason) from error
