"""Server-sent events: bytes in, the values in the events' data out.

Read as the WHATWG's standard has it ("Server-sent events", interpreting an event stream), but for the case of fields'
names, which gateways change. Comments, pings and events without data are what servers keep a connection open with.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

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
    name, data = "", list[str]()
    async with aclosing(_lines(chunks)) as lines:
        async for line in lines:
            if line:
                field, value = _field(line)
                if field == "data":
                    data.append(value.removeprefix(" "))
                elif field == "event":
                    name = value.strip().lower()
                continue
            said = "" if name in _PINGS else "\n".join(data)
            if said.strip().upper() == _DONE:
                return
            if said:
                decoded = json.loads(said)
                yield {"error": decoded or name} if name == "error" else decoded
            name, data = "", []


def _field(line: bytes) -> tuple[str, str]:
    """The name and the value of a line; a comment begins with a colon and has no name."""
    name, _, value = line.decode().partition(":")
    return name.strip(_AROUND_NAMES).lower(), value


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
