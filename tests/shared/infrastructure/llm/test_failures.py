"""What goes wrong on the way to a model and back is one of the domain's errors, and says what to do."""

import asyncio
import logging
import socket
import time
from contextlib import ExitStack
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture

from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConnectionError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMReplyError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.llm import FinishReason, LLMRequest, TokenUsage
from src.shared.infrastructure.llm import transport
from tests.loopback.answers import (
    REQUEST_ID,
    Answer,
    answer,
    chunk,
    cut_body,
    cut_stream,
    drip,
    events,
    hang,
    pause_stream,
    raw,
    status,
)
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, PROMPT, LLMFactory, ask, failure_of

pytestmark = pytest.mark.anyio

each_way = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


@each_way
@pytest.mark.parametrize(
    "fault",
    [status(429, {"retry-after": "1"}), status(500), status(503), cut_body(), cut_body(500), cut_stream()],
    ids=["429", "500", "503", "cut body", "cut body of an error", "cut stream"],
)
async def test_transient_failure_is_overcome_by_asking_again(
    chat_server: ChatServer, connect: LLMFactory, fault: Answer, *, stream: bool
) -> None:
    chat_server.script([fault, fault, answer("好")])

    reply = await ask(connect(stream=stream, max_attempts=3))

    assert (reply.text, len(chat_server.requests)) == ("好", 3)


@each_way
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (status(429), LLMRateLimitError),
        (status(500), LLMServerError),
        (status(529), LLMServerError),
        (cut_body(), LLMConnectionError),
        (cut_body(502), LLMConnectionError),
    ],
    ids=["429", "500", "529", "cut body", "cut body of an error"],
)
async def test_lasting_failure_ends_after_the_last_attempt(
    chat_server: ChatServer, connect: LLMFactory, fault: Answer, kind: type[LLMError], *, stream: bool
) -> None:
    chat_server.respond(lambda _: fault)

    error = await failure_of(connect(stream=stream, max_attempts=2), kind)

    assert (error.details["attempts"], len(chat_server.requests)) == (2, 2)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, LLMRequestError),
        (401, LLMAuthenticationError),
        (402, LLMQuotaError),
        (403, LLMAuthenticationError),
        (404, LLMRequestError),
        (408, LLMRequestError),
        (409, LLMRequestError),
        (413, LLMRequestError),
        (422, LLMRequestError),
        (300, LLMRequestError),
    ],
)
@each_way
async def test_request_the_provider_does_not_accept_is_not_sent_again(
    chat_server: ChatServer, connect: LLMFactory, code: int, kind: type[LLMError], *, stream: bool
) -> None:
    chat_server.script([status(code)])

    error = await failure_of(connect(stream=stream), kind)

    assert len(chat_server.requests) == 1
    assert error.details == {
        "provider": chat_server.url,
        "model": "m-1",
        "error_code": f"scripted_{code}",
        "status": code,
        "request_id": REQUEST_ID,
        "attempts": 1,
    }
    assert f"HTTP {code}，scripted_{code}" in error.message


@each_way
@pytest.mark.parametrize("fault", [hang(60), drip()], ids=["silence", "a byte now and then"])
async def test_answer_that_does_not_come_is_given_up_in_time(
    chat_server: ChatServer, connect: LLMFactory, fault: Answer, *, stream: bool
) -> None:
    """60 seconds of the server against 1 second of ours; once, for a timeout has cost enough."""
    chat_server.script([fault])
    started = time.monotonic()

    error = await failure_of(connect(stream=stream, timeout=1), LLMTimeoutError)

    assert 0.9 < time.monotonic() - started < 10
    assert (error.details["timeout"], error.details["attempts"], len(chat_server.requests)) == (1.0, 1, 1)
    assert chat_server.idle()


async def test_stream_that_falls_silent_is_given_up_in_time(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([pause_stream("half an answer", 60)])

    await failure_of(connect(stream=True, timeout=0.3), LLMTimeoutError)

    assert chat_server.idle()


async def test_timeout_of_the_client_itself_is_a_timeout(chat_server: ChatServer, connect: LLMFactory) -> None:
    """The HTTP client gives a single silence as long as the whole request; whichever ends first, it is the same."""
    chat_server.script([hang(60)])
    llm = connect(timeout=5)
    async with llm._place() as client:  # noqa: SLF001 - the two clocks cannot be told apart from outside
        client.timeout = 0.1

    assert (await failure_of(llm, LLMTimeoutError)).details["reason"] == "ReadTimeout"


async def test_request_may_have_less_time_than_the_others(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([hang(60)])

    async with connect(timeout=30) as llm:
        with pytest.raises(LLMTimeoutError) as caught:
            await llm.generate(LLMRequest.of("问", timeout=0.1))

    assert caught.value.details["timeout"] == 0.1


@pytest.mark.parametrize(
    "error",
    [
        {"message": "x", "type": "insufficient_quota", "param": None, "code": "insufficient_quota"},
        {"message": "x", "type": "insufficient_quota", "code": None},
        {"message": "x", "type": "billing_not_active", "code": "billing_not_active"},
    ],
)
async def test_quota_that_is_used_up_is_named_and_not_asked_for_again(
    chat_server: ChatServer, connect: LLMFactory, error: dict[str, Any]
) -> None:
    chat_server.script([status(429, {"retry-after": "0"}, error)])

    raised = await failure_of(connect(max_attempts=3), LLMQuotaError)

    assert (raised.code, raised.details["attempts"], len(chat_server.requests)) == ("LLM_QUOTA_EXHAUSTED", 1, 1)


@pytest.mark.parametrize("code", [["insufficient_quota"], {"a": 1}, 429, None])
async def test_too_many_requests_are_no_question_of_quota(
    chat_server: ChatServer, connect: LLMFactory, code: object
) -> None:
    chat_server.script(
        [status(429, {"retry-after-ms": "1"}, {"message": "insufficient_quota", "code": code}), answer("好")]
    )

    assert (await ask(connect(max_attempts=2))).text == "好"


async def test_retry_after_is_waited_for(
    chat_server: ChatServer, connect: LLMFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "sleep", asyncio.sleep)
    chat_server.script([status(429, {"retry-after": "1"}), answer("x")])

    await ask(connect())

    first, second = (request.at for request in chat_server.requests)
    assert 1 <= second - first < 10


@pytest.mark.parametrize("header", ["61", "Wed, 21 Oct 2105 07:28:00 GMT"])
async def test_provider_that_asks_for_too_long_a_wait_is_not_asked_again(
    chat_server: ChatServer, connect: LLMFactory, header: str
) -> None:
    chat_server.script([status(429, {"retry-after": header})])

    error = await failure_of(connect(max_retry_after=60), LLMRateLimitError)

    assert error.details["retry_after"] > 60
    assert len(chat_server.requests) == 1


async def test_provider_that_is_not_there_is_a_connection_error(connect: LLMFactory) -> None:
    error = await failure_of(connect(base_url="http://127.0.0.1:9/v1", max_attempts=2), LLMConnectionError)

    assert (error.details["reason"], error.details["attempts"]) == ("ConnectError", 2)
    assert "LLM_BASE_URL" in error.message


async def test_provider_that_accepts_no_connection_is_a_connection_error(connect: LLMFactory) -> None:
    """It was never reached, so asking again is no second answer to pay for: not a timeout."""
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        if not _fill(full.getsockname(), stack):
            pytest.skip("this system accepts more connections than a socket's backlog")

        url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        error = await failure_of(connect(base_url=url, connect_timeout=0.2, max_attempts=2), LLMConnectionError)

    assert (error.details["reason"], error.details["attempts"]) == ("ConnectTimeout", 2)


def _fill(address: tuple[str, int], stack: ExitStack) -> bool:
    """Connect until a connection has to wait; whether one has."""
    for _ in range(20):
        waiting = stack.enter_context(socket.socket())
        waiting.settimeout(0.1)
        try:
            waiting.connect(address)
        except TimeoutError:
            return True
    return False


@each_way
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>502</html>",
        b"[1]",
        b'"text"',
        b"{}",
        b'{"choices": null}',
        b'{"choices": ["x"]}',
        b'{"choices": [{"index": 0}]}',
        b'{"choices": [{"message": {"content": 1}}]}',
        b"\xff\xfe{",
        b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:40]),
)
async def test_body_that_is_not_the_protocol_is_no_reply(
    chat_server: ChatServer, connect: LLMFactory, body: bytes, *, stream: bool
) -> None:
    chat_server.script([raw(body)])

    await failure_of(connect(stream=stream), LLMReplyError)

    assert len(chat_server.requests) == 1
    assert chat_server.idle()


@pytest.mark.parametrize(
    "data",
    [b"data: {\n\n", b"data: [1]\n\n", b"data: \xff\n\n", b"data: {}\n\n", b"data: " + b"[" * 100_000 + b"\n\n"],
    ids=["cut JSON", "list", "not UTF-8", "no choices", "deep"],
)
async def test_event_that_is_not_the_protocol_is_no_reply(
    chat_server: ChatServer, connect: LLMFactory, data: bytes
) -> None:
    chat_server.script([raw(data, "text/event-stream")])

    await failure_of(connect(stream=True), LLMReplyError)

    assert chat_server.idle()


async def test_answer_without_choices_is_no_reply(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([raw(b'{"choices": []}')])

    assert "no choices" in (await failure_of(connect(), LLMReplyError)).message


@each_way
async def test_answer_without_a_text_is_no_reply(chat_server: ChatServer, connect: LLMFactory, *, stream: bool) -> None:
    chat_server.script([answer(None)])

    assert "without a text" in (await failure_of(connect(stream=stream), LLMReplyError)).message


@each_way
@pytest.mark.parametrize(
    ("script", "text"), [(answer(None, refusal="I cannot help"), ""), (answer("half", "content_filter"), "half")]
)
async def test_refusal_is_a_reply_that_says_so_and_what_it_cost(
    chat_server: ChatServer, connect: LLMFactory, script: Answer, text: str, *, stream: bool
) -> None:
    chat_server.script([script])

    reply = await ask(connect(stream=stream))

    assert (reply.text, reply.finish_reason, reply.usage.total_tokens) == (text, FinishReason.REFUSED, 12)


@each_way
@pytest.mark.parametrize("finish_reason", ["error", "insufficient_system_resource"])
async def test_answer_that_the_provider_broke_off_is_asked_for_again(
    chat_server: ChatServer, connect: LLMFactory, finish_reason: str, *, stream: bool
) -> None:
    chat_server.script([answer("half", finish_reason), answer("whole")])

    assert (await ask(connect(stream=stream))).text == "whole"


async def test_failure_reported_under_the_status_of_a_success_is_the_providers(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.respond(lambda _: raw(b'{"error": {"message": "overloaded"}}'))

    await failure_of(connect(max_attempts=1), LLMServerError)


async def test_failure_reported_inside_a_stream_is_the_providers(chat_server: ChatServer, connect: LLMFactory) -> None:
    report = {"error": {"message": "overloaded", "code": "overloaded"}}
    chat_server.respond(lambda _: events(chunk({"content": "half"}), report))

    error = await failure_of(connect(stream=True, max_attempts=1), LLMServerError)

    assert error.details["error_code"] == "overloaded"


async def test_stream_that_is_dropped_in_the_middle_is_asked_for_again(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.respond(lambda _: cut_stream('{"a": 1} and more'))

    error = await failure_of(connect(stream=True, max_attempts=2), LLMConnectionError)

    assert (error.details["attempts"], len(chat_server.requests)) == (2, 2)


async def test_server_that_does_not_stream_is_told_from_a_broken_one(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.script([raw(b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}')])

    assert "LLM_STREAM=false" in (await failure_of(connect(stream=True), LLMReplyError)).message


@each_way
@pytest.mark.parametrize(("prompt", "temperature"), [("\ud800", 0.7), ("问", float("nan"))])
async def test_request_that_cannot_be_written_is_not_sent(
    chat_server: ChatServer, connect: LLMFactory, prompt: str, temperature: float, *, stream: bool
) -> None:
    async with connect(stream=stream) as llm:
        with pytest.raises(LLMRequestError, match="cannot be written as JSON"):
            await llm.generate(LLMRequest.of(prompt, temperature=temperature))

    assert chat_server.requests == []


@each_way
@pytest.mark.parametrize(
    "fault",
    [
        status(401, error={"message": f"Incorrect API key: {KEY}", "code": f"bad {KEY}"}),
        status(400, {"x-request-id": f"echo {PROMPT!a}"}, error={"message": PROMPT, "code": PROMPT}),
        status(500, error=PROMPT),
        cut_body(text=PROMPT),
        raw(PROMPT.encode()),
        hang(60),
    ],
    ids=["401", "400", "500", "cut body", "no JSON", "silence"],
)
async def test_neither_key_nor_prompt_nor_answer_gets_out(
    chat_server: ChatServer, connect: LLMFactory, fault: Answer, caplog: pytest.LogCaptureFixture, *, stream: bool
) -> None:
    """Not in the error, not in what it came from, not in any log at any level."""
    caplog.set_level(logging.DEBUG)
    log = LogCapture()
    before = structlog.get_config()
    structlog.configure(processors=[log])
    chat_server.respond(lambda _: fault)
    try:
        async with connect(stream=stream, api_key=KEY, timeout=0.5, max_attempts=2) as llm:
            with pytest.raises(LLMError) as caught:
                await llm.generate(LLMRequest.of(PROMPT))
    finally:
        structlog.configure(**before)

    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    told: list[Any] = [str(error), repr(error), error.feedback(), vars(error), log.entries, caplog.text]
    assert [text for text in map(repr, told) if KEY in text or PROMPT in text or ascii(PROMPT)[1:-1] in text] == []


# --- what a failure cost ----------------------------------------------------------------------------------


@each_way
async def test_tokens_of_a_reply_that_is_none_are_the_errors(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.script([answer(None)])
    error = await failure_of(connect(stream=stream), LLMReplyError)
    assert error.usage == TokenUsage(7, 5, 2)


@each_way
async def test_tokens_of_every_try_are_in_the_reply(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.script([answer("半", "error"), status(500), answer("半", "error"), answer("好")])
    reply = await ask(connect(stream=stream, max_attempts=4))
    assert (reply.text, reply.usage) == ("好", TokenUsage(21, 15, 6))


@each_way
async def test_tokens_of_every_try_are_in_the_last_error(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.script([answer("半", "error"), status(500)])
    error = await failure_of(connect(stream=stream, max_attempts=2), LLMServerError)
    assert error.usage == TokenUsage(7, 5, 2)
