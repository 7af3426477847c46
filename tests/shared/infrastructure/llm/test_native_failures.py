"""What goes wrong with Anthropic's and Gemini's own APIs, through the real clients, is one of the domain's errors."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture

from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConnectionError,
    LLMError,
    LLMRateLimitError,
    LLMReplyError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.native_llm import NativeLLM
from tests.loopback import anthropic_wire, gemini_wire
from tests.loopback.answers import Answer, ChatRequest, cut_body, cut_stream, drip, hang, raw, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, PROMPT, E
from tests.shared.infrastructure.llm.native_wires import ANTHROPIC, GEMINI, Wire, each_wire

pytestmark = pytest.mark.anyio

REQUEST = LLMRequest.of(PROMPT, max_tokens=100)


async def failure_of(llm: NativeLLM, kind: type[E], request: LLMRequest = REQUEST) -> E:
    async with llm:
        with pytest.raises(kind) as caught:
            await llm.generate(request)
    assert type(caught.value) is kind
    return caught.value


@pytest.mark.parametrize(
    ("wire", "answer", "kind", "code", "sent"),
    [
        (ANTHROPIC, anthropic_wire.error(400, "invalid_request_error"), LLMRequestError, "invalid_request_error", 1),
        (
            ANTHROPIC,
            anthropic_wire.error(401, "authentication_error"),
            LLMAuthenticationError,
            "authentication_error",
            1,
        ),
        (ANTHROPIC, anthropic_wire.error(403, "permission_error"), LLMAuthenticationError, "permission_error", 1),
        (ANTHROPIC, anthropic_wire.error(404, "not_found_error"), LLMRequestError, "not_found_error", 1),
        (ANTHROPIC, anthropic_wire.error(413, "request_too_large"), LLMRequestError, "request_too_large", 1),
        (ANTHROPIC, anthropic_wire.error(429, "rate_limit_error"), LLMRateLimitError, "rate_limit_error", 2),
        (ANTHROPIC, anthropic_wire.error(500, "api_error"), LLMServerError, "api_error", 2),
        (ANTHROPIC, anthropic_wire.error(529, "overloaded_error"), LLMServerError, "overloaded_error", 2),
        (GEMINI, gemini_wire.error(400, "INVALID_ARGUMENT"), LLMRequestError, "invalid_argument", 1),
        (GEMINI, gemini_wire.error(401, "UNAUTHENTICATED"), LLMAuthenticationError, "unauthenticated", 1),
        (GEMINI, gemini_wire.error(403, "PERMISSION_DENIED"), LLMAuthenticationError, "permission_denied", 1),
        (GEMINI, gemini_wire.error(404, "NOT_FOUND"), LLMRequestError, "not_found", 1),
        (GEMINI, gemini_wire.error(413, "PAYLOAD_TOO_LARGE"), LLMRequestError, "payload_too_large", 1),
        (GEMINI, gemini_wire.error(429, "RESOURCE_EXHAUSTED"), LLMRateLimitError, "resource_exhausted", 2),
        (GEMINI, gemini_wire.error(500, "INTERNAL"), LLMServerError, "internal", 2),
        (GEMINI, gemini_wire.error(503, "UNAVAILABLE"), LLMServerError, "unavailable", 2),
    ],
    ids=lambda value: value.provider if isinstance(value, Wire) else value if isinstance(value, str) else "",
)
async def test_status_is_an_error_and_sent_again_only_where_that_may_help(
    chat_server: ChatServer, wire: Wire, answer: Answer, kind: type[LLMError], code: str, sent: int
) -> None:
    chat_server.respond(lambda _: answer)

    error = await failure_of(wire.connect(chat_server, max_attempts=2), kind)

    assert len(chat_server.requests) == sent
    told = {name: error.details[name] for name in ("provider", "model", "error_code", "attempts")}
    assert told == {"provider": chat_server.root, "model": wire.model, "error_code": code, "attempts": sent}
    assert f"HTTP {error.details['status']}" in error.message


async def test_key_that_gemini_calls_an_invalid_argument_is_the_key(chat_server: ChatServer) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    told = {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT", "details": details}
    chat_server.script([status(400, error=told)])

    await failure_of(GEMINI.connect(chat_server), LLMAuthenticationError)


async def test_request_is_named_as_the_provider_names_it(chat_server: ChatServer) -> None:
    chat_server.script([anthropic_wire.error(400, "invalid_request_error")])

    assert (await failure_of(ANTHROPIC.connect(chat_server), LLMRequestError)).details["request_id"] == "req_1"


async def test_failure_reported_inside_a_stream_is_the_providers(chat_server: ChatServer) -> None:
    body = b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}\n\n'
    chat_server.respond(lambda _: raw(body, "text/event-stream"))

    error = await failure_of(ANTHROPIC.connect(chat_server, max_attempts=2), LLMServerError, LLMRequest.of(PROMPT))

    assert (error.details["error_code"], len(chat_server.requests)) == ("overloaded_error", 2)


@pytest.mark.parametrize(
    ("wire", "fault"),
    [
        (ANTHROPIC, anthropic_wire.error(429, "rate_limit_error", {"retry-after": "1"})),
        (GEMINI, gemini_wire.error(429, "RESOURCE_EXHAUSTED", retry_delay="1s")),
    ],
    ids=["retry-after", "retryDelay"],
)
async def test_provider_is_asked_again_when_it_says(
    chat_server: ChatServer, wire: Wire, fault: Answer, waits: list[float]
) -> None:
    chat_server.script([fault, wire.answer("x")])

    async with wire.connect(chat_server) as llm:
        await llm.generate(REQUEST)

    assert waits == [1.0]


@each_wire
@pytest.mark.parametrize("fault", [cut_body(), cut_body(500)], ids=["answer", "error"])
async def test_body_that_breaks_off_is_asked_for_again(chat_server: ChatServer, wire: Wire, fault: Answer) -> None:
    chat_server.script([fault, wire.answer("whole")])

    async with wire.connect(chat_server) as llm:
        assert (await llm.generate(REQUEST)).text == "whole"


@each_wire
async def test_body_that_always_breaks_off_is_a_connection_error(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.respond(lambda _: cut_body())

    error = await failure_of(wire.connect(chat_server, max_attempts=2), LLMConnectionError)

    assert (error.details["reason"], error.details["attempts"]) == ("RemoteProtocolError", 2)


async def test_stream_that_breaks_off_is_a_connection_error(chat_server: ChatServer) -> None:
    chat_server.respond(lambda _: cut_stream("abc"))

    llm = ANTHROPIC.connect(chat_server, max_attempts=2)
    error = await failure_of(llm, LLMConnectionError, LLMRequest.of(PROMPT))

    assert error.details["attempts"] == 2


@each_wire
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>502</html>",
        b"[1]",
        b'"text"',
        b"{}",
        b'{"content": 5, "candidates": 7}',
        b'{"content": [{"type": "text", "te',
        b"\xff\xfe{",
        b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:40]),
)
async def test_body_that_is_not_the_api_is_no_reply(chat_server: ChatServer, wire: Wire, body: bytes) -> None:
    chat_server.script([raw(body)])

    error = await failure_of(wire.connect(chat_server), LLMReplyError)

    assert len(chat_server.requests) == 1
    assert "LLM_PROVIDER" in error.message or "without a text" in error.message


@each_wire
@pytest.mark.parametrize("fault", [hang(60), drip()], ids=["silence", "a byte now and then"])
async def test_answer_that_does_not_come_is_given_up_in_time(
    chat_server: ChatServer, wire: Wire, fault: Answer
) -> None:
    chat_server.script([fault])
    started = time.monotonic()

    error = await failure_of(wire.connect(chat_server, timeout=1), LLMTimeoutError)

    assert 0.9 < time.monotonic() - started < 10
    assert (error.details["timeout"], error.details["attempts"], len(chat_server.requests)) == (1.0, 1, 1)
    assert chat_server.idle()


@each_wire
async def test_request_has_seconds_of_its_own(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([hang(60)])

    error = await failure_of(
        wire.connect(chat_server), LLMTimeoutError, LLMRequest.of(PROMPT, max_tokens=9, timeout=0.3)
    )

    assert error.details["timeout"] == 0.3


@each_wire
async def test_call_that_is_cancelled_gives_its_connection_back(chat_server: ChatServer, wire: Wire) -> None:
    begun = threading.Event()

    def begin(_: ChatRequest) -> Answer:
        begun.set()
        return hang(60)

    chat_server.respond(begin)
    async with wire.connect(chat_server) as llm:
        call = asyncio.ensure_future(llm.generate(REQUEST))
        await asyncio.to_thread(begun.wait, 5)
        call.cancel()

        with pytest.raises(asyncio.CancelledError):
            await call

    assert chat_server.idle()


@each_wire
async def test_provider_that_is_not_there_is_a_connection_error(chat_server: ChatServer, wire: Wire) -> None:
    error = await failure_of(
        wire.connect(chat_server, base_url="http://127.0.0.1:9", max_attempts=2), LLMConnectionError
    )

    assert (error.details["reason"], error.details["attempts"]) == ("ConnectError", 2)


@each_wire
@pytest.mark.parametrize(
    "fault",
    [
        lambda: status(401, error={"type": f"bad {KEY}", "message": f"Incorrect API key: {KEY}", "status": KEY}),
        lambda: status(
            400, {"request-id": f"echo {PROMPT!a}"}, error={"message": PROMPT, "type": PROMPT, "status": PROMPT}
        ),
        lambda: status(500, error=PROMPT),
        lambda: cut_body(text=PROMPT),
        lambda: raw(PROMPT.encode()),
        lambda: raw(b'{"content": "' + PROMPT.encode() + b'", "candidates": "' + PROMPT.encode() + b'"}'),
        lambda: hang(60),
    ],
    ids=["401", "400", "500", "cut body", "no JSON", "not the API", "silence"],
)
async def test_neither_key_nor_prompt_nor_answer_gets_out(
    chat_server: ChatServer, wire: Wire, fault: Callable[[], Answer], caplog: pytest.LogCaptureFixture
) -> None:
    """Not in the error, not in what it came from, not in any log at any level."""
    caplog.set_level(logging.DEBUG)
    log = LogCapture()
    before = structlog.get_config()
    structlog.configure(processors=[log])
    answer = fault()
    chat_server.respond(lambda _: answer)
    try:
        async with wire.connect(chat_server, timeout=0.5, max_attempts=2) as llm:
            with pytest.raises(LLMError) as caught:
                await llm.generate(REQUEST)
    finally:
        structlog.configure(**before)

    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    told: list[Any] = [str(error), repr(error), error.feedback(), vars(error), log.entries, caplog.text]
    assert [text for text in map(repr, told) if KEY in text or PROMPT in text or ascii(PROMPT)[1:-1] in text] == []
