"""An answer as server-sent events: what became certain with each chunk, and in the end the object or the error."""

import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi.sse import ServerSentEvent
from pydantic import BaseModel

from llm_output import LLMJsonParseError, LLMJsonStream, StreamSnapshot, StreamState


class Part(BaseModel):
    """A value that appeared, grew or became whole.

    Attributes:
        path: its JSON path.
        kind: `object`, `array`, `string` or `other`.
        text: what a string grew by, or another value as JSON; empty for an object and an array, whose members have
            parts of their own.
        whole: whether nothing of it can change any more.
    """

    path: str
    kind: str
    text: str
    whole: bool


class Parts:
    """Makes the parts of one answer. Each character of a string is sent once."""

    def __init__(self) -> None:
        self._sent: dict[str, int] = {}

    def of(self, snapshot: StreamSnapshot[Any]) -> list[Part]:
        """What is new in a snapshot."""
        return [self._part(path, snapshot.at(path), whole=path in snapshot.complete) for path in snapshot.changed]

    def _part(self, path: str, value: object, *, whole: bool) -> Part:
        if isinstance(value, dict | list):
            return Part(path=path, kind="object" if isinstance(value, dict) else "array", text="", whole=whole)
        if not isinstance(value, str):
            return Part(path=path, kind="other", text=json.dumps(value), whole=whole)
        sent = self._sent.get(path, 0)
        self._sent[path] = len(value)
        return Part(path=path, kind="string", text=value[sent:], whole=whole)


async def events_of(
    chunks: AsyncIterator[str], dto_type: type[BaseModel], *, finished: bool | None
) -> AsyncIterator[ServerSentEvent]:
    """Read an answer and tell what becomes of it: `snapshot` events, then one event `accepted` or `refused`."""
    stream = LLMJsonStream(dto_type)
    parts = Parts()
    state: StreamState | None = None
    async for chunk in chunks:
        snapshot = stream.feed(chunk)
        if snapshot.changed or snapshot.state != state:
            state = snapshot.state
            yield ServerSentEvent(data={"state": state, "parts": parts.of(snapshot)}, event="snapshot")
    try:
        value = stream.close(finished)
    except LLMJsonParseError as error:
        yield ServerSentEvent(data={"message": error.message}, event="refused")
    else:
        yield ServerSentEvent(data={"value": value}, event="accepted")
