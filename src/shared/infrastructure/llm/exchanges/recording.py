"""Writes down what a model was asked and what it answered, for `ReplayLLM` to answer from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import (
    ForwardingLLM,
    LLMPort,
    LLMReply,
    LLMRequest,
    TextListener,
    generate_with,
    model_asked,
)
from src.shared.infrastructure.llm.exchanges.exchange import (
    Exchange,
    RecordedError,
    RecordedReply,
    RecordedUsage,
    exchange_of,
    redact,
)
from src.shared.infrastructure.llm.provider_errors import configuration_error

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


class RecordingLLM(ForwardingLLM):
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

    async def _reply(self, request: LLMRequest, listener: TextListener | None) -> LLMReply:
        exchange = exchange_of(request, self._redact)
        overheard = _Overheard(listener) if listener else None
        try:
            reply = await generate_with(self._inner, request, overheard)
        except LLMError as error:
            exchange.error = self._recorded_error(error)
            self._append(_line(exchange))
            raise
        exchange.reply = self._recorded(reply, overheard.lengths if overheard else [])
        self._append(_line(exchange))
        return reply

    def _recorded(self, reply: LLMReply, lengths: list[int]) -> RecordedReply:
        text = self._redact(reply.text)
        is_same = text == reply.text and sum(lengths) == len(text)
        return RecordedReply(
            text=text,
            chunks=lengths if lengths and is_same else None,
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
            problem = Message.glossed(
                f"无法写入录制文件 {self._path}：{reason}",
                f"cannot write the recording {self._path}: {reason}",
                "cannot write the recording",
            )
            raise configuration_error(problem, path=str(self._path), reason=reason) from error


class _Overheard:
    """Passes chunks on and notes the length of each."""

    def __init__(self, listener: TextListener) -> None:
        self._listener = listener
        self.lengths: list[int] = []

    def text_begins(self) -> None:
        self.lengths = []
        self._listener.text_begins()

    def text_grows(self, chunk: str) -> None:
        if chunk:
            self.lengths.append(len(chunk))
        self._listener.text_grows(chunk)


def _line(exchange: Exchange) -> bytes:
    return exchange.model_dump_json(exclude_none=True).encode() + b"\n"
