"""Forms of an answer that servers give beside the usual one: read, or refused by decision."""

import asyncio
import json
import time
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.ports.llm import FinishReason, LLMRequest
from src.shared.infrastructure.llm.wire import server_events, values
from tests.loopback.answers import ChatRequest, Connection, answer, chunk, raw
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask

pytestmark = pytest.mark.anyio


ASKED = LLMRequest.of("问")


# --- streams -------------------------------------------------------------------------------------------------

A, B = json.dumps(chunk({"content": "a"})), json.dumps(chunk({"content": "b"}, "stop"))
WHOLE = [
    ("as usual", f"data: {A}\n\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("lines that end in CRLF", f"data: {A}\r\n\r\ndata: {B}\r\n\r\ndata: [DONE]\r\n\r\n"),
    ("lines that end in CR", f"data: {A}\r\rdata: {B}\r\rdata: [DONE]\r\r"),
    ("no blank after the colon", f"data:{A}\n\ndata:{B}\n\ndata:[DONE]\n\n"),
    ("field names in another case", f"Data: {A}\n\nDATA: {B}\n\ndata: [done]\n\n"),
    ("events with a name", f"event: message\ndata: {A}\n\nevent: completion.chunk\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("comments as pings", f": ping\n\ndata: {A}\n\n: OPENROUTER PROCESSING\n\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("events as pings", f"event: ping\ndata: {{}}\n\ndata: {A}\n\nevent: Ping\n\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("data as pings", f'data: {{"type": "ping"}}\n\ndata: {A}\n\ndata: {{}}\n\ndata:\n\ndata: {B}\n\ndata: [DONE]\n\n'),
    ("identifiers and intervals", f"id: 1\nretry: 10\ndata: {A}\n\nid\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("data in several lines", f"data: {A[:-1]}\ndata: {A[-1:]}\n\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("a byte order mark", f"\ufeffdata: {A}\n\ndata: {B}\n\ndata: [DONE]\n\n"),
    ("no end mark", f"data: {A}\n\ndata: {B}\n\n"),
    ("no end of the last event", f"data: {A}\n\ndata: {B}"),
    ("something after the end mark", f"data: {A}\n\ndata: {B}\n\ndata: [DONE]\n\ndata: {A}\n\n"),
]


@pytest.mark.parametrize("stream", [text for _, text in WHOLE], ids=[name for name, _ in WHOLE])
@pytest.mark.parametrize("content_type", ["text/event-stream", "Text/Event-Stream; charset=UTF-8"])
async def test_stream_of_every_form_is_read(
    chat_server: ChatServer, connect: LLMFactory, stream: str, content_type: str
) -> None:
    chat_server.script([raw(stream.encode(), content_type)])

    reply = await ask(connect(stream=True))

    assert (reply.text, reply.finish_reason) == ("ab", FinishReason.STOP)


async def test_connection_of_a_stream_that_was_read_serves_again(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x"), answer("x")])

    async with connect(stream=True) as llm:
        assert [(await llm.generate(ASKED)).text for _ in range(2)] == ["x", "x"]

    first, second = chat_server.requests
    assert first.port == second.port


@pytest.mark.parametrize("pause", [0.0, 60.0])
async def test_what_follows_the_end_of_a_stream_is_not_waited_for(
    chat_server: ChatServer, connect: LLMFactory, pause: float
) -> None:
    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type="text/event-stream")
        await connection.write(f"data: {A}\n\ndata: {B}\n\ndata: [DONE]\n\n".encode())
        await asyncio.sleep(0.05)
        await connection.write(b": bye\n\n")
        await connection.wait(pause)
        await connection.finish()

    chat_server.script([send])
    started = time.monotonic()

    assert (await ask(connect(stream=True))).text == "ab"
    assert time.monotonic() - started < 10


@given(st.data())
async def test_values_do_not_depend_on_how_the_bytes_arrive(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([text for _, text in WHOLE])).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    async def chunks() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def at_once() -> AsyncIterator[bytes]:
        yield text

    assert [value async for value in values(chunks())] == [value async for value in values(at_once())]


async def test_events_have_the_bytes_that_they_came_in_and_a_bound() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for piece in (b": a\r\n\r", b"\ndata: b\r\rda", b"ta: c"):
            yield piece

    seen = [[event.raw for event in events] async for events in server_events(chunks())]
    assert seen == [[b": a\r\n\r"], [b"\ndata: b\r\r"], [], [b"data: c\n\n"]]
    with pytest.raises(ValueError, match="4"):
        _ = [events async for events in server_events(chunks(), 4)]
