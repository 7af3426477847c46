"""How much of a response is read: counted as it comes over the wire and as it is decompressed.

Only gzip is asked for, and it is unpacked here, a step at a time, so that a small response cannot become a large one
before it is counted. What goes beyond a bound is not read, and the connection is dropped.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMError, LLMReplyError
from src.shared.infrastructure.llm.provider_errors import (
    EVENT_TOO_LARGE,
    NOT_UNPACKED,
    TOO_LARGE,
    TOO_MANY_VALUES,
    Endpoint,
    needs_extra,
)

with needs_extra():
    import httpx2

LARGE = 262_144
"""Bytes from which a body is decoded in a thread."""
MOST_VALUES = 100_000
"""Values (and keys) of a large body. What a model wrote is a few long strings; a million empty lists in as many bytes
would keep every thread waiting while they are decoded, and take a hundred times their size."""


async def decode(body: bytes, endpoint: Endpoint) -> object:
    """Decode a body; what is no JSON becomes None, which is no completion either.

    Raises:
        LLMReplyError: a large body of too many values.
    """
    if len(body) < LARGE:
        return _decoded(body)
    if not await asyncio.to_thread(holds_at_most, MOST_VALUES, body):
        raise endpoint.error(LLMReplyError, TOO_MANY_VALUES, max_values=MOST_VALUES)
    return await asyncio.to_thread(_decoded, body)


def _decoded(body: bytes) -> object:
    with suppress(ValueError, RecursionError):
        return json.loads(body)
    return None


def holds_at_most(values: int, body: bytes) -> bool:
    """Whether there are not too many values: each follows a bracket or a comma outside of strings."""
    bare = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 2 * values:
        return False
    outside = b"".join(bare.split(b'"')[::2])
    return sum(map(outside.count, (b"[", b"{", b","))) <= values


WORK = 0.01
"""Seconds of work after which the others have their turn."""


class CooperativePause:
    """Counts the seconds since the last pause."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    async def pause(self) -> None:
        """Pause if it is time."""
        if time.perf_counter() - self._since > WORK:
            await asyncio.sleep(0)
            self._since = time.perf_counter()


class RefusedError(httpx2.TransportError):
    """Goes through the vendor's package as a broken connection would, and is a domain error behind it.

    Attributes:
        kind: which error it becomes.
        problem: what that error says.
        facts: its `details`.
    """

    def __init__(self, kind: type[LLMError], problem: Message, **facts: Any) -> None:  # noqa: ANN401 - facts of any JSON type
        super().__init__(problem.en)
        self.kind = kind
        self.problem = problem
        self.facts = facts


ACCEPTED_ENCODING = "gzip"
ERROR_LIMIT = 65_536
"""Bytes read of the body of an error or a redirect: the status says what is wrong, and the rest is left aside."""
EVENT_LIMIT = 262_144
"""Bytes of one server-sent event, which is decoded at once."""
STREAM_ROOM = 32
"""How many times larger a stream may be than a whole body: each few characters of it come in an event of their own."""

_STEP = 16_384
"""Bytes that are handed on at once."""
_WINDOW = zlib.MAX_WBITS | 16
_GZIP = {"gzip", "x-gzip"}
_PLAIN = {"", "identity"}
_BLANK_LINES = (b"\n\n", b"\r\r", b"\n\r")


def bound(response: httpx2.Response, limit: int, *, is_streamed: bool) -> None:
    """Put bounds on a response of which only the head has been read.

    Args:
        response: whose `stream` is replaced.
        limit: bytes of a whole body.
        is_streamed: whether it is read event by event.

    Raises:
        RefusedError: the body is compressed in a way that was not asked for.
    """
    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if response.is_success and encoding not in _GZIP | _PLAIN:
        raise RefusedError(LLMReplyError, NOT_UNPACKED)
    source = cast("httpx2.AsyncByteStream", response.stream)  # of an asynchronous client
    unpacker = _Gunzip() if encoding in _GZIP else None
    if not response.is_success:
        response.stream = _BoundedStream(source, unpacker, Size(ERROR_LIMIT), is_cut=True)
    elif is_streamed:
        response.stream = _BoundedStream(source, unpacker, Size(limit * STREAM_ROOM, min(limit, EVENT_LIMIT)))
    else:
        response.stream = _BoundedStream(source, unpacker, Size(limit))


def is_event_stream(response: httpx2.Response) -> bool:
    """Whether a response is server-sent events."""
    return response.headers.get("content-type", "").lower().startswith("text/event-stream")


def _steps(chunk: bytes) -> Iterator[bytes]:
    return (chunk[at : at + _STEP] for at in range(0, len(chunk), _STEP))


class _Gunzip:
    """gzip (RFC 1952), of one member or several."""

    def __init__(self) -> None:
        self._inflating = zlib.decompressobj(_WINDOW)
        self._is_empty = True

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What a chunk unpacks to."""
        while chunk:
            if self._inflating.eof:
                self._inflating = zlib.decompressobj(_WINDOW)
            self._is_empty = False
            try:
                piece = self._inflating.decompress(chunk, _STEP)
            except zlib.error:
                raise RefusedError(LLMReplyError, NOT_UNPACKED) from None
            yield piece
            chunk = self._inflating.unused_data if self._inflating.eof else self._inflating.unconsumed_tail

    def rest(self) -> bytes:
        """What is left after the last chunk.

        Raises:
            httpx2.RemoteProtocolError: the end is missing.
        """
        rest = self._inflating.flush()
        if not self._inflating.eof and not self._is_empty:
            message = "the end of the gzip data is missing"
            raise httpx2.RemoteProtocolError(message)
        return rest


@dataclass(slots=True)
class Size:
    """Counts bytes.

    Attributes:
        most: bytes of everything.
        most_at_once: bytes of one event, which ends with a blank line; None where there are no events.
        total: bytes so far.
        of_event: bytes since the last blank line.
    """

    most: int
    most_at_once: int | None = None
    total: int = 0
    of_event: int = 0
    _last: bytes = b""

    def add(self, piece: bytes) -> None:
        """Count a piece.

        Raises:
            RefusedError: that is too much.
        """
        self.total += len(piece)
        if self.total > self.most:
            raise _too_much(TOO_LARGE, self.most)
        if self.most_at_once is None:
            return
        text = self._last + piece
        first = min((at for at in map(text.find, _BLANK_LINES) if at >= 0), default=len(text))
        if self.of_event - len(self._last) + first > self.most_at_once:
            raise _too_much(EVENT_TOO_LARGE, self.most_at_once)
        last = max(map(text.rfind, _BLANK_LINES))
        self.of_event = len(text) - last - 2 if last >= 0 else self.of_event + len(piece)
        self._last = text[-1:]


def _too_much(problem: Message, most: int) -> RefusedError:
    return RefusedError(LLMReplyError, problem, reason=f"> {most} bytes", max_bytes=most)


class _BoundedStream(httpx2.AsyncByteStream):
    """The body of a response, unpacked and counted.

    Args:
        source: the body as it comes.
        unpacker: undoes its encoding; None where there is none.
        size: counts what comes out; what comes in may not be more either.
        is_cut: whether the body just ends at the bound.
    """

    def __init__(
        self, source: httpx2.AsyncByteStream, unpacker: _Gunzip | None, size: Size, *, is_cut: bool = False
    ) -> None:
        self._source = source
        self._unpacker, self._pieces = unpacker, unpacker.pieces if unpacker else _steps
        self._size = size
        self._on_the_wire = Size(size.most)
        self._is_cut = is_cut
        self._pause = CooperativePause()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The pieces.

        Raises:
            RefusedError: there are too many bytes.
        """
        try:
            async for chunk in self._source:
                self._on_the_wire.add(chunk)
                for piece in self._pieces(chunk):
                    self._size.add(piece)
                    yield piece
                    await self._pause.pause()
            if self._unpacker:
                yield self._unpacker.rest()
        except RefusedError:
            if not self._is_cut:
                raise

    async def aclose(self) -> None:
        await self._source.aclose()
