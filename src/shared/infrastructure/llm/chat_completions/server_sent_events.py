"""Server-sent events: bytes in, the values in the events' data out.

Read as the WHATWG's standard has it ("Server-sent events", interpreting an event stream), but for the case of fields'
names, which gateways change. Comments, pings and events without data are what servers keep a connection open with.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

EVENT_STREAM = "text/event-stream"
"""The content type of such a stream."""
_DONE = "[DONE]"
_PINGS = frozenset({"ping", "keepalive", "keep-alive", "heartbeat"})
_AROUND_NAMES = "\ufeff \t"
"""What may stand around a field's name: a byte order mark at the stream's begin, and blanks."""


async def values(chunks: AsyncIterator[bytes]) -> AsyncGenerator[object]:
    """The decoded value of each event's data, until `[DONE]` or the end of the stream.

    An event named `error` gives an object with the member `error`, which is how a body reports one.

    Raises:
        ValueError: data that is no JSON, or bytes that are no UTF-8.
    """
    event = _Event()
    async with aclosing(_lines(chunks)) as lines:
        async for line in lines:
            if line:
                event.add(line)
                continue
            data = event.data
            if data.strip().upper() == _DONE:
                return
            if data:
                yield event.value()
            event = _Event()


class _Event:
    """One event, as its lines come."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []

    def add(self, line: bytes) -> None:
        """Take a line; a comment begins with a colon and has no name."""
        name, _, value = line.decode().partition(":")
        field = name.strip(_AROUND_NAMES).lower()
        if field == "data":
            self._data.append(value.removeprefix(" "))
        elif field == "event":
            self._name = value.strip().lower()

    @property
    def data(self) -> str:
        """What is said; empty for a ping."""
        return "" if self._name in _PINGS else "\n".join(self._data)

    def value(self) -> object:
        """What is said, decoded."""
        decoded = json.loads(self.data)
        return {"error": decoded or self._name} if self._name == "error" else decoded


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Lines without their ends; an empty one ends the last event, whatever comes of the stream.

    Each byte is looked at once: a line that has no end yet is kept in pieces.
    """
    kept: list[bytes] = []
    after_return = False
    async for chunk in chunks:
        fresh = chunk.removeprefix(b"\n") if after_return else chunk
        after_return = fresh.endswith(b"\r")
        *ended, rest = fresh.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in ended:
            yield b"".join([*kept, line])
            kept.clear()
        kept.append(rest)
    yield b"".join(kept)
    yield b""
