"""Of a response that is too large the rest is not read, and the error says which bound it was."""

import gzip
import json
from collections.abc import Callable

import pytest

from src.shared.domain.llm_errors import LLMReplyError, LLMServerError
from src.shared.infrastructure.llm import response_bounds as decoding
from src.shared.infrastructure.llm.response_bounds import ERROR_LIMIT, EVENT_LIMIT, STREAM_ROOM
from tests.loopback.answers import Answer, ChatRequest, Connection, answer, chunk, completion, events, raw
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask, failure_of

pytestmark = pytest.mark.anyio

LIMIT = 4_096


def body_of(length: int) -> bytes:
    """A right answer in so many bytes."""
    empty = len(json.dumps(completion("")))
    return json.dumps(completion("x" * (length - empty))).encode()


def encoded(body: bytes, coding: str = "gzip", code: int = 200) -> Answer:
    async def send(request: ChatRequest, connection: Connection) -> None:
        content_type = "text/event-stream" if request.streams else "application/json"
        await connection.start(code, content_type, content_encoding=coding)
        await connection.finish(body)

    return send


def as_it_is(body: bytes) -> Answer:
    return raw(body)


def behind_gzip(body: bytes) -> Answer:
    return encoded(gzip.compress(body))


WAYS = pytest.mark.parametrize("way", [as_it_is, behind_gzip])


@WAYS
async def test_body_may_be_as_large_as_the_bound(
    chat_server: ChatServer, connect: LLMFactory, way: Callable[[bytes], Answer]
) -> None:
    chat_server.script([way(body_of(LIMIT))])

    assert set((await ask(connect(max_response_bytes=LIMIT))).text) == {"x"}


@WAYS
async def test_body_may_not_be_larger_than_the_bound(
    chat_server: ChatServer, connect: LLMFactory, way: Callable[[bytes], Answer]
) -> None:
    chat_server.script([way(body_of(LIMIT + 1))])

    error = await failure_of(connect(max_response_bytes=LIMIT), LLMReplyError)

    assert (error.details["max_bytes"], error.details["attempts"]) == (LIMIT, 1)
    assert all(part in error.message for part in ("LLM_MAX_RESPONSE_BYTES", str(LIMIT)))
    assert chat_server.idle()


async def test_bytes_on_the_wire_count_even_where_they_unpack_to_nothing(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    empty = gzip.compress(b"")
    chat_server.script([encoded(empty * (LIMIT // len(empty) + 1))])

    assert (await failure_of(connect(max_response_bytes=LIMIT), LLMReplyError)).details["max_bytes"] == LIMIT


async def test_only_gzip_is_asked_for(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])
    await ask(connect())

    assert chat_server.requests[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "GZIP"])
async def test_gzip_of_several_members_is_one_body(chat_server: ChatServer, connect: LLMFactory, coding: str) -> None:
    body = body_of(LIMIT)
    chat_server.script([encoded(gzip.compress(body[:1_000]) + gzip.compress(body[1_000:]), coding)])

    assert (await ask(connect())).text


async def test_stream_behind_gzip_is_read(chat_server: ChatServer, connect: LLMFactory) -> None:
    whole = b"".join(b"data: " + json.dumps(chunk({"content": word}, "stop")).encode() + b"\n\n" for word in "一二三")
    chat_server.script([encoded(gzip.compress(whole))])

    assert (await ask(connect(stream=True))).text == "一二三"


async def test_body_without_an_encoding_says_so(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([encoded(body_of(LIMIT), "identity")])

    assert (await ask(connect())).text


@pytest.mark.parametrize("coding", ["br", "zstd", "deflate", "gzip, gzip", "nonsense"])
async def test_encoding_that_was_not_asked_for_is_refused(
    chat_server: ChatServer, connect: LLMFactory, coding: str
) -> None:
    chat_server.script([encoded(b"anything", coding)])

    error = await failure_of(connect(), LLMReplyError)

    assert error.details["attempts"] == 1
    assert coding not in error.message


async def test_gzip_without_its_end_is_a_broken_connection(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([encoded(gzip.compress(body_of(LIMIT))[:-9]), answer("好")])

    assert (await ask(connect(max_attempts=2))).text == "好"


async def test_empty_body_behind_gzip_is_an_empty_body(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([encoded(b"")])

    assert "choices" in (await failure_of(connect(), LLMReplyError)).details["reason"]


@pytest.mark.parametrize("way", [lambda body: body, lambda body: gzip.compress(body)[:-8] + b"checksum"])
async def test_what_is_no_gzip_is_refused(
    chat_server: ChatServer, connect: LLMFactory, way: Callable[[bytes], bytes]
) -> None:
    chat_server.script([encoded(way(body_of(LIMIT)))])

    error = await failure_of(connect(), LLMReplyError)

    assert "decompress" in error.message


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_of_an_error_only_the_start_is_read_and_its_status_counts(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.script([raw(b"x" * 100 * ERROR_LIMIT, code=503), answer("好")])

    assert (await ask(connect(max_attempts=2, stream=stream))).text == "好"


async def test_error_in_another_encoding_keeps_its_status(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: encoded(b"anything", "br", 500))

    assert (await failure_of(connect(max_attempts=1), LLMServerError)).details["status"] == 500


@pytest.mark.parametrize(("surplus", "is_read"), [(0, True), (1, False)])
async def test_one_event_of_a_stream_is_bounded(
    chat_server: ChatServer, connect: LLMFactory, surplus: int, *, is_read: bool
) -> None:
    empty = len(b"data: " + json.dumps(chunk({"content": ""}, "stop")).encode())
    chat_server.script([events(chunk({"content": "x" * (EVENT_LIMIT - empty + surplus)}, "stop"))])

    if is_read:
        assert (await ask(connect(stream=True))).text
    else:
        error = await failure_of(connect(stream=True), LLMReplyError)
        assert (error.details["max_bytes"], "LLM_STREAM" in error.message) == (EVENT_LIMIT, True)


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n"], ids=["LF", "CR", "CRLF"])
async def test_events_are_counted_one_by_one(chat_server: ChatServer, connect: LLMFactory, end: bytes) -> None:
    one = b"data: " + json.dumps(chunk({"content": "x" * (EVENT_LIMIT // 3)}, "stop")).encode() + end
    chat_server.script([raw(one * 5, "text/event-stream")])

    assert len((await ask(connect(stream=True))).text) == 5 * (EVENT_LIMIT // 3)


@pytest.mark.parametrize("name", ["content", "reasoning_content", "refusal"])
async def test_text_of_a_stream_is_bounded(chat_server: ChatServer, connect: LLMFactory, name: str) -> None:
    pieces = [chunk({name: "x" * 100}) for _ in range(LIMIT // 100 + 1)]
    chat_server.script([events(*pieces)])

    assert (await failure_of(connect(stream=True, max_response_bytes=LIMIT), LLMReplyError)).details[
        "max_bytes"
    ] == LIMIT


async def test_arguments_of_a_stream_are_bounded(chat_server: ChatServer, connect: LLMFactory) -> None:
    call = {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 100}}]}
    chat_server.script([events(*(chunk(call) for _ in range(LIMIT // 100 + 1)))])

    await failure_of(connect(stream=True, max_response_bytes=LIMIT), LLMReplyError)


async def test_stream_may_say_nothing_for_longer_than_a_body(chat_server: ChatServer, connect: LLMFactory) -> None:
    """Each few characters come in an event of some hundred bytes."""
    ping = b": ping\n\n"
    end = b"data: " + json.dumps(chunk({"content": "x"}, "stop")).encode() + b"\n\n"
    long = ping * (LIMIT * (STREAM_ROOM - 1) // len(ping)) + end
    chat_server.script(
        [raw(long, "text/event-stream"), raw(ping * (LIMIT * STREAM_ROOM // len(ping) + 1), "text/event-stream")]
    )

    async with connect(stream=True, max_response_bytes=LIMIT) as llm:
        assert (await ask(llm)).text == "x"
    error = await failure_of(connect(stream=True, max_response_bytes=LIMIT), LLMReplyError)
    assert error.details["max_bytes"] == LIMIT * STREAM_ROOM


@pytest.mark.parametrize("size", [decoding.LARGE - 1, decoding.LARGE, 2_000_000])
async def test_text_of_any_size_and_kind_comes_back(chat_server: ChatServer, connect: LLMFactory, size: int) -> None:
    text = ('[{"a\\": 1,' * size)[:size]
    chat_server.script([raw(json.dumps(completion(text)).encode())])

    assert (await ask(connect())).text == text


@pytest.mark.parametrize("value", ["[],", "{},", '"",', "1,"])
async def test_large_body_of_too_many_values_is_refused(
    chat_server: ChatServer, connect: LLMFactory, value: str
) -> None:
    many = "[" + value * (2 * decoding.MOST_VALUES + 1) + "0]"
    chat_server.script([raw(many.encode())])

    assert (await failure_of(connect(), LLMReplyError)).details["max_values"] == decoding.MOST_VALUES


@pytest.mark.parametrize("body", [b"[" * decoding.LARGE, b"x" * decoding.LARGE], ids=["deep", "no JSON"])
async def test_large_body_that_is_no_reply_is_refused(
    chat_server: ChatServer, connect: LLMFactory, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "MOST_VALUES", 10 * decoding.LARGE)
    chat_server.script([raw(body)])

    assert "choices" in (await failure_of(connect(), LLMReplyError)).details["reason"]
