"""What a scripted chat-completions server can answer, well or badly."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from itertools import chain, pairwise, repeat, zip_longest
from typing import Any

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]

MODEL = "loopback-1"
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 2}}
"""Tokens of every right answer."""
REQUEST_ID = "req-loopback"
"""`x-request-id` of every response."""
_PIECE = 4


@dataclass(frozen=True)
class ChatRequest:
    """One request as it came.

    Attributes:
        path: of the URL, with the query.
        headers: by lower-case name.
        body: the decoded JSON.
        at: seconds, of a monotonic clock.
        port: the client's, which is another one for each connection.
    """

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    port: int = 0

    @property
    def prompt(self) -> str:
        """The last message's text."""
        return str(self.body["messages"][-1]["content"])

    @property
    def streams(self) -> bool:
        """Whether server-sent events are asked for."""
        return bool(self.body.get("stream"))


@dataclass(frozen=True)
class Connection:
    """The way back to the client; returning before `finish` cuts it."""

    send: Send
    receive: Receive = field(repr=False)

    async def start(self, status: int = 200, content_type: str = "application/json", **headers: str) -> None:
        """Send the head of a response; underscores in header names become hyphens."""
        named = {"content-type": content_type, "x-request-id": REQUEST_ID, **headers}
        lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": lines})

    async def write(self, part: bytes) -> None:
        """Send a part of the body."""
        await self.send({"type": "http.response.body", "body": part, "more_body": True})

    async def finish(self, last: bytes = b"") -> None:
        """Send the last part of the body."""
        await self.send({"type": "http.response.body", "body": last})

    async def wait(self, seconds: float) -> None:
        """Wait for the client to go away, so long at most."""

        async def gone() -> None:
            while (await self.receive())["type"] != "http.disconnect":
                pass

        try:
            await asyncio.wait_for(gone(), seconds)
        except TimeoutError:
            return


Answer = Callable[[ChatRequest, Connection], Awaitable[None]]


def answer(
    text: str | None = "",
    finish_reason: str | None = "stop",
    *,
    pieces: list[str] | None = None,
    usage: dict[str, Any] | None = USAGE,
    model: str = MODEL,
    **message: Any,  # noqa: ANN401 - of any JSON type
) -> Answer:
    """Answer with a text, as JSON or as a stream of `pieces` (default: of a few characters each).

    `message` are further fields of the message, such as `reasoning_content`; a stream sends them first.
    """

    async def send(request: ChatRequest, connection: Connection) -> None:
        if request.streams:
            parts = pieces if pieces is not None else _pieces(text)
            events = [*_deltas(parts, message), _chunk({}, finish_reason, model=model)]
            if usage is not None and request.body.get("stream_options", {}).get("include_usage"):
                events.append({"object": "chat.completion.chunk", "model": model, "choices": [], "usage": usage})
            await connection.start(content_type="text/event-stream")
            for event in events:
                await connection.write(_event(event))
            await connection.finish(b"data: [DONE]\n\n")
        else:
            await _send_json(connection, completion(text, finish_reason, usage=usage, model=model, **message))

    return send


def completion(
    text: str | None,
    finish_reason: str | None = "stop",
    *,
    usage: dict[str, Any] | None = USAGE,
    model: str = MODEL,
    **message: Any,  # noqa: ANN401 - of any JSON type
) -> dict[str, Any]:
    """Return the body of a right answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
    return {"id": "c-1", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage}


def tool_call(name: str, arguments: str) -> dict[str, Any]:
    """Return one of a message's `tool_calls`."""
    return {"id": f"call-{name}", "type": "function", "function": {"name": name, "arguments": arguments}}


def status(code: int, headers: dict[str, str] | None = None, error: object = None) -> Answer:
    """Answer with an HTTP status and a provider's error object."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        body = {"error": error if error is not None else {"message": f"scripted {code}", "code": f"scripted_{code}"}}
        await connection.start(code, **(headers or {}))
        await connection.finish(_json(body))

    return send


def hang(seconds: float) -> Answer:
    """Answer nothing for so long; end early only when the client goes away."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.wait(seconds)

    return send


def drip(part: bytes = b" ", pause: float = 0.05, times: int = 1_000) -> Answer:
    """Send a part of a body again and again, often enough that no wait for bytes is long, and never an answer."""

    async def send(request: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type=_content_type(request))
        for _ in range(times):
            await connection.write(part)
            await connection.wait(pause)

    return send


def cut_body(code: int = 200, text: str = "never seen whole") -> Answer:
    """Promise a length, send half of it, and drop the connection."""

    async def send(request: ChatRequest, connection: Connection) -> None:
        body = _json(completion(text)) if not request.streams else b"".join(map(_event, _deltas(_pieces(text), {})))
        await connection.start(code, _content_type(request), content_length=str(len(body)))
        await connection.write(body[: len(body) // 2])

    return send


def cut_stream(text: str = "never seen whole", *, clean: bool = False) -> Answer:
    """Stream half of an answer, then drop the connection or, if `clean`, end the body as though all were said."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type="text/event-stream")
        for event in _deltas(_pieces(text[: len(text) // 2]), {}):
            await connection.write(_event(event))
        if clean:
            await connection.finish()

    return send


def torn_stream(
    text: str, cuts: Iterable[int], pauses: Iterable[float] = (), *, finish_reason: str | None = "stop"
) -> Answer:
    """Stream a text whose bytes are torn at these places, inside a character perhaps, with a pause after each part.

    `finish_reason` None drops the connection in front of the end.
    """

    async def send(_: ChatRequest, connection: Connection) -> None:
        events = _deltas(_pieces(text), {})
        if finish_reason:
            ending = {"object": "chat.completion.chunk", "model": MODEL, "choices": [], "usage": USAGE}
            events += [_chunk({}, finish_reason), ending]
        body = b"".join(map(_event, events))
        await connection.start(content_type="text/event-stream")
        ends = [0, *sorted({cut % len(body) for cut in cuts}), len(body)]
        for (start, end), pause in zip(pairwise(ends), chain(pauses, repeat(0.0)), strict=False):
            await connection.write(body[start:end])
            if pause:
                await connection.wait(pause)
        if finish_reason:
            await connection.finish(b"data: [DONE]\n\n")

    return send


def pause_stream(text: str, seconds: float) -> Answer:
    """Stream a text without its end, then fall silent for so long."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type="text/event-stream")
        for event in _deltas(_pieces(text), {}):
            await connection.write(_event(event))
        await connection.wait(seconds)

    return send


def raw(body: bytes, content_type: str = "application/json", code: int = 200) -> Answer:
    """Answer with these bytes, whatever they are."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(code, content_type)
        await connection.finish(body)

    return send


def events(*data: object) -> Answer:
    """Answer with server-sent events of these values, and no `[DONE]`."""
    return raw(b"".join(_event(value) for value in data), "text/event-stream")


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    """Return one chunk of a stream, for `events`."""
    return _chunk(delta, finish_reason)


async def body_of(receive: Receive) -> bytes:
    """Read a request's body."""

    async def parts() -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await receive()
            yield message.get("body", b"")
            more = message.get("more_body", False)

    return b"".join([part async for part in parts()])


async def _send_json(connection: Connection, value: object) -> None:
    await connection.start()
    await connection.finish(_json(value))


def _content_type(request: ChatRequest) -> str:
    return "text/event-stream" if request.streams else "application/json"


def _pieces(text: str | None) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)] if text is not None else []


def _deltas(pieces: list[str], message: dict[str, Any]) -> list[dict[str, Any]]:
    first: dict[str, Any] = {"role": "assistant", "content": "" if pieces else None}
    calls = message.get("tool_calls", [])
    texts = {name: value for name, value in message.items() if name != "tool_calls"}
    rows = zip_longest(*(_pieces(value) for value in texts.values()))
    extra = [{name: part for name, part in zip(texts, row, strict=True) if part} for row in rows]
    said = [first, *extra, *({"content": piece} for piece in pieces), *_call_deltas(calls)]
    return [_chunk(delta) for delta in said]


def _call_deltas(calls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """First the names, then the arguments a few characters at a time, as providers stream them."""
    for index, call in enumerate(calls):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {"name": function["name"], "arguments": ""}}]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _chunk(delta: dict[str, Any], finish_reason: str | None = None, *, model: str = MODEL) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice]}


def _event(value: object) -> bytes:
    return b"data: " + _json(value) + b"\n\n"


def _json(value: object) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()  # half a surrogate pair has no other form
