"""Server-sent events, each with the bytes that it came in (WHATWG, "Server-sent events")."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from src.entrypoints.http.problems import json_bytes
from src.shared.infrastructure.llm.wire import PINGS

MEDIA_TYPE = "text/event-stream"
DONE = "[DONE]"
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_LONGEST_BLANK = 4


class ServerEvent(NamedTuple):
    """One event.

    Attributes:
        raw: as it came.
        name: of its kind; empty for the usual one.
        data: what it says; empty for a comment, and where it only keeps the connection open.
    """

    raw: bytes
    name: str = ""
    data: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it is the last one of a stream."""
        return self.data.strip() == DONE


async def server_events(pieces: AsyncIterator[bytes], most: int) -> AsyncIterator[list[ServerEvent]]:
    """The events that end with each piece of a body; each byte is looked at once.

    Raises:
        ValueError: it is not UTF-8, or an event has more than `most` bytes.
    """
    kept = bytearray()
    async for piece in pieces:
        looked = max(0, len(kept) - _LONGEST_BLANK)
        kept += piece
        start, events = 0, list[ServerEvent]()
        while found := _BLANK_LINE.search(kept, max(start, looked)):
            events.append(_event(bytes(kept[start : found.end()])))
            start = found.end()
        del kept[:start]
        yield events
        if len(kept) > most:
            raise ValueError
    if kept.strip():
        yield [_event(bytes(kept.rstrip()) + b"\n\n")]


def _event(raw: bytes) -> ServerEvent:
    name, data = "", []
    for line in raw.splitlines():
        key, _, value = line.decode().partition(":")
        key = key.strip("\ufeff \t").lower()
        if key == "data":
            data.append(value.removeprefix(" "))
        elif key == "event":
            name = value.strip().lower()
    return ServerEvent(raw, name, "" if name in PINGS else "\n".join(data))


def event_of(members: dict[str, Any]) -> bytes:
    """An event with an object as its data."""
    return b"data: %b\n\n" % json_bytes(members, allow_nan=False)


def server_event(members: dict[str, Any]) -> ServerEvent:
    """The same, as though it had come."""
    return _event(event_of(members))


def with_member(event: ServerEvent, name: str, value: object) -> bytes:
    """An event whose object has one more member; everything else in it stays as it came."""
    data = event.data.rstrip()
    if "\n" in data or data.endswith("{}"):
        return event_of({**json.loads(data), name: value})
    return b'data: %b,"%b":%b}\n\n' % (data[:-1].rstrip().encode(), name.encode(), json_bytes(value))
