"""Forms of an answer that servers give beside the usual one: read, or refused by decision."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.llm_errors import LLMReplyError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMRequest, TokenUsage
from src.shared.infrastructure.llm.streaming import values
from tests.loopback.answers import ChatRequest, Connection, answer, chunk, completion, events, raw
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask, failure_of

pytestmark = pytest.mark.anyio

TEXT = {"type": "text", "text": "a"}


def body_with(content: object) -> bytes:
    """A completion whose content is this."""
    body = completion(None)
    body["choices"][0]["message"]["content"] = content
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([TEXT, {"type": "output_text", "text": "b"}], "ab", ""),
        (["a", "b"], "ab", ""),
        ([], "", ""),
        ([{"type": "thinking", "thinking": "t"}, TEXT], "a", "t"),
        ([{"type": "reasoning", "text": "t"}, TEXT], "a", "t"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "t"}, 7]}, TEXT], "a", "t"),
        ([{"type": "thinking", "thinking": 7}, TEXT], "a", ""),
        ([TEXT, {"type": "reference", "reference_ids": [1]}], "a", ""),
    ],
)
async def test_content_may_be_a_list_of_parts(
    chat_server: ChatServer, connect: LLMFactory, content: object, text: str, reasoning: str
) -> None:
    chat_server.script([raw(body_with(content))])

    reply = await ask(connect())

    assert (reply.text, reply.reasoning) == (text, reasoning)


async def test_part_that_refuses_is_a_refusal(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([raw(body_with([{"type": "refusal", "refusal": "no"}]))])

    reply = await ask(connect())

    assert (reply.text, reply.finish_reason) == ("", FinishReason.REFUSED)


async def test_content_of_thoughts_alone_has_no_text(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([raw(body_with([{"type": "thinking", "thinking": "t"}]))])

    assert "without a text" in (await failure_of(connect(), LLMReplyError)).message


@pytest.mark.parametrize(
    "content", [7, {"text": "a"}, [TEXT, {"type": "image_url"}], [7], [{"type": "text"}], [{"type": "text", "text": 7}]]
)
async def test_content_with_a_part_that_is_no_text_is_refused(
    chat_server: ChatServer, connect: LLMFactory, content: object
) -> None:
    """What is left out may have been the answer."""
    chat_server.script([raw(body_with(content))])

    assert (await failure_of(connect(), LLMReplyError)).details["reason"] == "content that is no text"


@pytest.mark.parametrize(
    ("usage", "cached"),
    [
        ({"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}, 4),
        ({"prompt_tokens": 7, "prompt_cache_hit_tokens": 3}, 3),
        ({"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": None}}, 0),
    ],
)
async def test_cached_tokens_are_part_of_those_that_were_read(
    chat_server: ChatServer, connect: LLMFactory, usage: dict[str, Any], cached: int
) -> None:
    chat_server.script([answer("x", usage=usage)])

    assert (await ask(connect())).usage == TokenUsage(7, 0, 0, cached)


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


async def test_stream_that_ends_without_a_mark_and_a_reason_has_to_show_its_end(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.script([raw(f"data: {A}\n\n".encode(), "text/event-stream")])

    assert (await ask(connect(stream=True))).finish_reason is FinishReason.UNKNOWN


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        (f'data: {A}\n\nevent: error\ndata: {{"message": "overloaded"}}\n\n', LLMServerError),
        (f"data: {A}\n\nevent: Error\ndata: null\n\n", LLMServerError),
        (f'data: {A}\n\ndata: {{"error": "overloaded"}}\n\n', LLMServerError),
        (f"data: {A}\n\ndata: {A[:-5]}\n\ndata: [DONE]\n\n", LLMReplyError),
        (f"data: {A}\n\ndata: 7\n\n", LLMReplyError),
        (f'data: {A}\n\ndata: {{"object": "list"}}\n\n', LLMReplyError),
        ("data: [DONE]\n\n", LLMReplyError),
        ("", LLMReplyError),
    ],
)
async def test_stream_that_is_no_answer_is_refused(
    chat_server: ChatServer, connect: LLMFactory, stream: str, kind: type[LLMReplyError]
) -> None:
    chat_server.respond(lambda _: raw(stream.encode(), "text/event-stream"))

    await failure_of(connect(stream=True, max_attempts=1), kind)


async def test_stream_of_bytes_that_are_no_text_is_refused(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([raw(b'data: {"choices": "\xff"}\n\n', "text/event-stream")])

    await failure_of(connect(stream=True), LLMReplyError)


async def test_connection_of_a_stream_that_was_read_serves_again(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x"), answer("x")])

    async with connect(stream=True) as llm:
        assert [(await llm.generate(ASKED)).text for _ in range(2)] == ["x", "x"]

    first, second = chat_server.requests
    assert first.port == second.port


async def test_choice_that_is_not_the_first_is_left_aside(chat_server: ChatServer, connect: LLMFactory) -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "b"}}]}
    bare_end = {"choices": [{"index": 0, "finish_reason": "stop"}]}
    chat_server.script([events(chunk({"content": "a"}), other, bare_end)])

    assert (await ask(connect(stream=True))).text == "a"


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
