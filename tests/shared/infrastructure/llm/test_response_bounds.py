"""Of a response that is too large the rest is not read, and the error says which bound it was."""

import gzip
import json

import pytest

from src.shared.domain.llm_errors import LLMReplyError
from src.shared.infrastructure.llm import connections as decoding
from src.shared.infrastructure.llm.connections import ERROR_LIMIT, EVENT_LIMIT, STREAM_ROOM
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


def event(text: str, end: bytes = b"\n\n") -> bytes:
    return b"data: " + json.dumps(chunk({"content": text}, "stop")).encode() + end


def stream(body: bytes) -> Answer:
    return raw(body, "text/event-stream")


def too_many(delta: dict[str, object]) -> Answer:
    return events(*[chunk(delta)] * (LIMIT // 100 + 1))


WHOLE, MORE = body_of(LIMIT), body_of(LIMIT + 1)
EMPTY_EVENT = len(event("")) - 2
PING = b": ping\n\n"
NOTHING = gzip.compress(b"")
THIRD = EVENT_LIMIT // 3
BOUNDED: dict[str, object] = {"max_response_bytes": LIMIT}
STREAMED: dict[str, object] = {"stream": True}

READ: dict[str, tuple[Answer, str, dict[str, object]]] = {
    "a body as large as the bound": (raw(WHOLE), "x", BOUNDED),
    "the same behind gzip": (encoded(gzip.compress(WHOLE)), "x", BOUNDED),
    "a body that unpacks to many times its size": (encoded(gzip.compress(body_of(100_000))), "x", {}),
    **{
        f"members of {coding}": (encoded(gzip.compress(WHOLE[:99]) + gzip.compress(WHOLE[99:]), coding), "x", {})
        for coding in ("gzip", "x-gzip", "GZIP")
    },
    "no encoding, which is said": (encoded(WHOLE, "identity"), "x", {}),
    "a stream behind gzip": (encoded(gzip.compress(b"".join(map(event, "xxx")))), "xxx", STREAMED),
    "an event as large as the bound": (stream(event("x" * (EVENT_LIMIT - EMPTY_EVENT))), "x", STREAMED),
    **{
        f"events that end in {end!r}": (stream(event("x" * THIRD, end) * 5), "x" * 5 * THIRD, STREAMED)
        for end in (b"\n\n", b"\r\r", b"\r\n\r\n")
    },
    "a stream that says nothing for longer than a body": (
        stream(PING * (LIMIT * (STREAM_ROOM - 1) // len(PING)) + event("x")),
        "x",
        STREAMED | BOUNDED,
    ),
}
"""What is read: the answer, its text or the beginning of it, and the settings."""


@pytest.mark.parametrize(("given", "text", "fields"), READ.values(), ids=READ)
async def test_response_within_the_bounds_is_read(
    chat_server: ChatServer, connect: LLMFactory, given: Answer, text: str, fields: dict[str, object]
) -> None:
    chat_server.script([given])

    found = (await ask(connect(**fields))).text

    assert set(found) == {"x"}
    assert found.startswith(text)
    assert chat_server.requests[0].headers["accept-encoding"] == "gzip"


NOT_READ: dict[str, tuple[Answer, dict[str, object], str, dict[str, object]]] = {
    "a body": (raw(MORE), {"max_bytes": LIMIT}, "LLM_MAX_RESPONSE_BYTES", BOUNDED),
    "a body behind gzip": (encoded(gzip.compress(MORE)), {"max_bytes": LIMIT}, f"{LIMIT}", BOUNDED),
    "bytes that unpack to nothing": (encoded(NOTHING * (LIMIT // len(NOTHING) + 1)), {"max_bytes": LIMIT}, "", BOUNDED),
    **{
        f"the encoding {coding}": (encoded(b"anything", coding), {}, "decompress", {})
        for coding in ("br", "zstd", "deflate", "gzip, gzip", "nonsense")
    },
    "no gzip": (encoded(WHOLE), {}, "decompress", {}),
    "a wrong checksum": (encoded(gzip.compress(WHOLE)[:-8] + b"checksum"), {}, "decompress", {}),
    "an empty body behind gzip": (encoded(b""), {}, "choices", {}),
    "an event": (
        stream(event("x" * (EVENT_LIMIT - EMPTY_EVENT + 1))),
        {"max_bytes": EVENT_LIMIT},
        "LLM_STREAM",
        STREAMED,
    ),
    **{
        f"a stream's {name}": (too_many({name: "x" * 100}), {"max_bytes": LIMIT}, "", STREAMED | BOUNDED)
        for name in ("content", "reasoning_content", "refusal")
    },
    "a stream's arguments": (
        too_many({"tool_calls": [{"index": 0, "function": {"arguments": "x" * 100}}]}),
        {"max_bytes": LIMIT},
        "",
        STREAMED | BOUNDED,
    ),
    "a stream that says nothing": (
        stream(PING * (LIMIT * STREAM_ROOM // len(PING) + 1)),
        {"max_bytes": LIMIT * STREAM_ROOM},
        "",
        STREAMED | BOUNDED,
    ),
}
"""What is not: the answer, what the error's details and its message say, and the settings."""


@pytest.mark.parametrize("name", NOT_READ)
async def test_response_beyond_a_bound_is_refused(chat_server: ChatServer, connect: LLMFactory, name: str) -> None:
    given, told, says, fields = NOT_READ[name]
    chat_server.script([given])

    error = await failure_of(connect(**fields), LLMReplyError)

    assert {"attempts": 1, **told}.items() <= error.details.items()
    assert says in error.message
    assert "nonsense" not in error.message
    assert chat_server.idle()


@pytest.mark.parametrize("is_streamed", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize(
    "fault",
    [raw(b"x" * 100 * ERROR_LIMIT, code=503), encoded(gzip.compress(WHOLE)[:-9]), encoded(b"anything", "br", 500)],
    ids=["a large error", "gzip without its end", "an error in another encoding"],
)
async def test_of_an_error_only_the_start_is_read_and_gzip_without_its_end_is_a_broken_connection(
    chat_server: ChatServer, connect: LLMFactory, fault: Answer, *, is_streamed: bool
) -> None:
    chat_server.script([fault, answer("好")])

    assert (await ask(connect(max_attempts=2, stream=is_streamed))).text == "好"


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
