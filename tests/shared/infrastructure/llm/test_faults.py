"""What goes wrong on the way to a model and back is one of the domain's errors, and says what to do."""

import asyncio
import gzip
import logging
import socket
import threading
import time
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest
import structlog
from structlog.testing import LogCapture

from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMReplyError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.llm import LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm import transport
from src.shared.infrastructure.llm.native_llm import MOST_VALUES
from tests.log_lines import structlog_unconfigured
from tests.loopback import anthropic_wire, bedrock_wire, gemini_wire
from tests.loopback.answers import (
    REQUEST_ID,
    Answer,
    ChatRequest,
    Connection,
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
from tests.shared.infrastructure.llm.wires import (
    ANTHROPIC,
    ANTHROPIC_STREAMED,
    BEDROCK,
    CHAT,
    GEMINI,
    MISTRAL,
    OVER_HTTP,
    OWN,
    PLAIN,
    STREAMED,
    WIRES,
    Wire,
    each_of,
)

pytestmark = pytest.mark.anyio


class Fault(NamedTuple):
    """What a server does instead of answering, and what becomes of it.

    Attributes:
        wires: who may do it.
        answer: what is done, every time.
        kind: the error, of exactly this type.
        sent: requests, where two are allowed.
        told: of the error's details, beside where it happened.
        says: a part of its message.
        settings: fields that go with it.
    """

    wires: tuple[Wire, ...]
    answer: Answer
    kind: type[LLMError]
    sent: int = 1
    told: dict[str, Any] = {}  # noqa: RUF012 - is not changed
    says: str = ""
    settings: dict[str, Any] = {}  # noqa: RUF012 - as above


def gzipped(body: bytes) -> Answer:
    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_encoding="gzip")
        await connection.finish(gzip.compress(body))

    return send


def _status(wire: Wire, answer: Answer, kind: type[LLMError], code: str, sent: int = 1) -> Fault:
    return Fault((wire,), answer, kind, sent, {"error_code": code}, "HTTP ")


STATUS: dict[int, tuple[type[LLMError], int]] = {
    **dict.fromkeys((300, 400, 404, 408, 409, 413, 422), (LLMRequestError, 1)),
    **dict.fromkeys((401, 403), (LLMAuthenticationError, 1)),
    402: (LLMQuotaError, 1),
    429: (LLMRateLimitError, 2),
    **dict.fromkeys((500, 503, 529), (LLMServerError, 2)),
}
ANTHROPICS = [
    (400, "invalid_request_error", LLMRequestError, 1),
    (401, "authentication_error", LLMAuthenticationError, 1),
    (403, "permission_error", LLMAuthenticationError, 1),
    (404, "not_found_error", LLMRequestError, 1),
    (413, "request_too_large", LLMRequestError, 1),
    (429, "rate_limit_error", LLMRateLimitError, 2),
    (500, "api_error", LLMServerError, 2),
    (529, "overloaded_error", LLMServerError, 2),
]
GEMINIS = [
    (400, "INVALID_ARGUMENT", LLMRequestError, 1),
    (401, "UNAUTHENTICATED", LLMAuthenticationError, 1),
    (403, "PERMISSION_DENIED", LLMAuthenticationError, 1),
    (404, "NOT_FOUND", LLMRequestError, 1),
    (413, "PAYLOAD_TOO_LARGE", LLMRequestError, 1),
    (429, "RESOURCE_EXHAUSTED", LLMRateLimitError, 2),
    (500, "INTERNAL", LLMServerError, 2),
    (503, "UNAVAILABLE", LLMServerError, 2),
]
BEDROCKS = [
    (400, "ValidationException", LLMRequestError, 1),
    (403, "AccessDeniedException", LLMAuthenticationError, 1),
    (404, "ResourceNotFoundException", LLMRequestError, 1),
    (429, "ThrottlingException", LLMRateLimitError, 2),
    (500, "InternalServerException", LLMServerError, 2),
    (503, "ServiceUnavailableException", LLMServerError, 2),
]
KEY_INVALID = {
    "code": 400,
    "message": "API key not valid",
    "status": "INVALID_ARGUMENT",
    "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
}
NO_QUOTA = [
    {"message": "x", "type": "insufficient_quota", "param": None, "code": "insufficient_quota"},
    {"message": "x", "type": "insufficient_quota", "code": None},
    {"message": "x", "type": "billing_not_active", "code": "billing_not_active"},
]
NO_PROTOCOL = [
    b"",
    b"<html>502</html>",
    b"[1]",
    b'"text"',
    b"{}",
    b'{"choices": null}',
    b'{"choices": ["x"]}',
    b'{"choices": [{"index": 0}]}',
    b'{"choices": [{"message": {"content": 1}}]}',
    b'{"content": 5, "candidates": 7}',
    b'{"content": [{"type": "text", "te',
    b"\xff\xfe{",
    b"[" * 100_000,
]
NO_EVENT = [b"{", b"[1]", b"\xff", b"{}", b"[" * 100_000]
NO_TEXT: list[Any] = [
    7,
    {"text": "a"},
    [{"type": "text", "text": "a"}, {"type": "image_url"}],
    [7],
    [{"type": "text"}],
    [{"type": "text", "text": 7}],
]
"""What is left out may have been the answer."""
A = '{"choices": [{"index": 0, "delta": {"content": "a"}}]}'
NO_STREAM: list[tuple[str, type[LLMError], int]] = [
    (f'data: {A}\n\nevent: error\ndata: {{"message": "overloaded"}}\n\n', LLMServerError, 2),
    (f"data: {A}\n\nevent: Error\ndata: null\n\n", LLMServerError, 2),
    (f'data: {A}\n\ndata: {{"error": "overloaded"}}\n\n', LLMServerError, 2),
    (f"data: {A}\n\ndata: {A[:-5]}\n\ndata: [DONE]\n\n", LLMReplyError, 1),
    (f"data: {A}\n\ndata: 7\n\n", LLMReplyError, 1),
    (f'data: {A}\n\ndata: {{"object": "list"}}\n\n', LLMReplyError, 1),
    ("data: [DONE]\n\n", LLMReplyError, 1),
    ("", LLMReplyError, 1),
    ('data: {"choices": "\xff"}\n\n', LLMReplyError, 1),
]
LIMIT = 4_096
IN_TIME = {"timeout": 0.3}
MANY_VALUES = ",".join(["[]"] * MOST_VALUES)

FAULTS: dict[str, Fault] = {
    **{
        f"HTTP {code}": Fault(
            CHAT,
            status(code),
            kind,
            sent,
            {"status": code, "error_code": f"scripted_{code}", "request_id": REQUEST_ID},
            f"HTTP {code}，scripted_{code}",
        )
        for code, (kind, sent) in STATUS.items()
    },
    **{name: _status(ANTHROPIC, anthropic_wire.error(code, name), kind, name, n) for code, name, kind, n in ANTHROPICS},
    **{name: _status(GEMINI, gemini_wire.error(code, name), kind, name.lower(), n) for code, name, kind, n in GEMINIS},
    **{name: Fault((BEDROCK,), bedrock_wire.error(code, name), kind, n) for code, name, kind, n in BEDROCKS},
    "HTTP 401 of Mistral": Fault((MISTRAL,), status(401), LLMAuthenticationError),
    "HTTP 422 of Mistral": Fault((MISTRAL,), status(422), LLMRequestError),
    "HTTP 429 of Mistral": Fault((MISTRAL,), status(429), LLMRateLimitError, 2),
    "HTTP 500 of Mistral": Fault((MISTRAL,), status(500), LLMServerError, 2),
    "a request that Anthropic names": Fault(
        (ANTHROPIC,), anthropic_wire.error(400, "invalid_request_error"), LLMRequestError, 1, {"request_id": "req_1"}
    ),
    "a key that Gemini calls an invalid argument": Fault(
        (GEMINI,), status(400, error=KEY_INVALID), LLMAuthenticationError
    ),
    **{
        f"no quota {number}": Fault(CHAT, status(429, {"retry-after": "0"}, error), LLMQuotaError)
        for number, error in enumerate(NO_QUOTA)
    },
    "a bill that is due": Fault((ANTHROPIC,), anthropic_wire.error(402, "billing_error"), LLMQuotaError),
    "no credit": Fault(
        (ANTHROPIC,),
        anthropic_wire.error(400, "invalid_request_error", message="Your credit balance is too low"),
        LLMQuotaError,
    ),
    "a day's quota": Fault(
        (GEMINI,),
        gemini_wire.error(429, "RESOURCE_EXHAUSTED", exceeded="GenerateRequestsPerDayPerProject"),
        LLMQuotaError,
    ),
    **{
        f"too many requests, code {code}": Fault(
            CHAT,
            status(429, {"retry-after-ms": "1"}, {"message": "insufficient_quota", "code": code}),
            LLMRateLimitError,
            2,
        )
        for code in (["insufficient_quota"], {"a": 1}, 429, None)
    },
    "a wait that is too long": Fault(CHAT, status(429, {"retry-after": "61"}), LLMRateLimitError),
    "a wait until a distant day": Fault(
        CHAT, status(429, {"retry-after": "Wed, 21 Oct 2105 07:28:00 GMT"}), LLMRateLimitError
    ),
    "a body that is cut": Fault(OVER_HTTP, cut_body(), LLMConnectionError, 2, {"reason": "RemoteProtocolError"}),
    "a body of an error that is cut": Fault((*CHAT, *OWN), cut_body(502), LLMConnectionError, 2),
    "a stream that is cut": Fault((STREAMED, ANTHROPIC_STREAMED), cut_stream("abcdefgh"), LLMConnectionError, 2),
    "silence": Fault(WIRES, hang(60), LLMTimeoutError, 1, IN_TIME, "LLM_TIMEOUT", IN_TIME),
    "a byte now and then": Fault((*CHAT, *OWN), drip(), LLMTimeoutError, 1, IN_TIME, "LLM_TIMEOUT", IN_TIME),
    "a stream that falls silent": Fault(
        (STREAMED,), pause_stream("half", 60), LLMTimeoutError, 1, IN_TIME, "", IN_TIME
    ),
    **{f"body {body[:40]!r}": Fault((*CHAT, *OWN), raw(body), LLMReplyError) for body in NO_PROTOCOL},
    **{
        f"event {data[:40]!r}": Fault((STREAMED,), raw(b"data: " + data + b"\n\n", "text/event-stream"), LLMReplyError)
        for data in NO_EVENT
    },
    **{
        f"content {content!r}": Fault(
            (PLAIN,), answer(content), LLMReplyError, 1, {"reason": "content that is no text"}
        )
        for content in NO_TEXT
    },
    "thoughts alone": Fault(
        (PLAIN,),
        answer([{"type": "thinking", "thinking": "t"}]),  # type: ignore[arg-type]  # as above
        LLMReplyError,
        1,
        {},
        "without a text",
    ),
    **{
        f"stream {text!r}": Fault((STREAMED,), raw(text.encode("latin-1"), "text/event-stream"), kind, sent)
        for text, kind, sent in NO_STREAM
    },
    "no choices": Fault((PLAIN,), raw(b'{"choices": []}'), LLMReplyError, 1, {}, "no choices"),
    "no text": Fault(CHAT, answer(None), LLMReplyError, 1, {}, "without a text"),
    "no text of Anthropic": Fault((ANTHROPIC,), anthropic_wire.message(None), LLMReplyError, 1, {}, "without a text"),
    "no text of Gemini": Fault((GEMINI,), gemini_wire.content(None), LLMReplyError, 1, {}, "without a text"),
    "no stream": Fault(
        (STREAMED,),
        raw(b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}'),
        LLMReplyError,
        1,
        {},
        "LLM_STREAM=false",
    ),
    **{
        f"an answer broken off: {reason}": Fault(CHAT, answer("half", reason), LLMServerError, 2, {"reason": reason})
        for reason in ("error", "insufficient_system_resource")
    },
    **{
        f"an answer broken off: {reason}": Fault(
            (GEMINI,), gemini_wire.content(None, reason), LLMServerError, 2, {"reason": reason}
        )
        for reason in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")
    },
    "a failure in a body": Fault((PLAIN,), raw(b'{"error": {"message": "overloaded"}}'), LLMServerError, 2),
    "a failure in a stream": Fault(
        (STREAMED,),
        events(chunk({"content": "half"}), {"error": {"message": "overloaded", "code": "overloaded"}}),
        LLMServerError,
        2,
        {"error_code": "overloaded"},
    ),
    "a failure in a stream of Anthropic": Fault(
        (ANTHROPIC_STREAMED,),
        raw(
            b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}\n\n',
            "text/event-stream",
        ),
        LLMServerError,
        2,
        {"error_code": "overloaded_error"},
    ),
    "a redirect": Fault(
        OVER_HTTP, status(307, {"location": "http://localhost:1/v1"}), LLMRequestError, 1, {}, "redirects to another"
    ),
    **{
        f"a large body {name}": Fault(
            OVER_HTTP,
            way(b" " * (LIMIT + 1)),
            LLMReplyError,
            1,
            {"max_bytes": LIMIT},
            "LLM_MAX_RESPONSE_BYTES" if way is raw else "",
            {"max_response_bytes": LIMIT, "stream": False},
        )
        for name, way in (("as it is", raw), ("behind gzip", gzipped))
    },
    "a large event of Anthropic": Fault(
        (ANTHROPIC_STREAMED,),
        anthropic_wire.message("x" * (LIMIT + 1)),
        LLMReplyError,
        1,
        {"max_bytes": LIMIT},
        "",
        {"max_response_bytes": LIMIT},
    ),
    "a body of many values": Fault(
        (*OWN, MISTRAL),
        raw(f'{{"content": [{MANY_VALUES}], "candidates": [], "choices": []}}'.encode()),
        LLMReplyError,
        1,
        {"max_values": MOST_VALUES},
    ),
}
CASES = [pytest.param(wire, fault, id=f"{wire.name}: {name}") for name, fault in FAULTS.items() for wire in fault.wires]
PASSING = [case for case in CASES if case.values[1].sent > 1]  # type: ignore[union-attr]  # they are faults


@pytest.mark.parametrize(("wire", "fault"), CASES)
async def test_fault_is_an_error_of_the_domain_and_sent_again_only_where_that_may_help(
    chat_server: ChatServer, wire: Wire, fault: Fault
) -> None:
    chat_server.respond(lambda _: fault.answer)
    started = time.monotonic()
    settings = wire.fields(chat_server, max_attempts=2, **fault.settings)

    async with wire.connect(chat_server, **settings) as llm:
        with pytest.raises(fault.kind) as caught:
            await llm.generate(wire.request)

    error, where = caught.value, {"provider": settings["base_url"], "model": wire.model, "attempts": fault.sent}
    assert type(error) is fault.kind
    assert {name: error.details.get(name) for name in {**where, **fault.told}} == {**where, **fault.told}
    assert fault.says in error.message
    assert len(chat_server.requests) == fault.sent
    assert time.monotonic() - started < 10
    assert wire is BEDROCK or chat_server.idle()


@pytest.mark.parametrize(("wire", "fault"), PASSING)
async def test_fault_that_passes_is_overcome_by_asking_again(chat_server: ChatServer, wire: Wire, fault: Fault) -> None:
    chat_server.script([fault.answer, fault.answer, wire.answer("好")])

    async with wire.connect(chat_server, max_attempts=3, **fault.settings) as llm:
        assert (await llm.generate(wire.request)).text == "好"


@each_of(*OVER_HTTP)
async def test_provider_that_is_not_there_is_a_connection_error(chat_server: ChatServer, wire: Wire) -> None:
    async with wire.connect(chat_server, base_url="http://127.0.0.1:9/v1", max_attempts=2) as llm:
        with pytest.raises(LLMConnectionError, match="LLM_BASE_URL") as caught:
            await llm.generate(wire.request)

    assert (caught.value.details["reason"], caught.value.details["attempts"]) == ("ConnectError", 2)


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


async def test_timeout_of_the_client_itself_is_a_timeout(chat_server: ChatServer, connect: LLMFactory) -> None:
    """The HTTP client gives a single silence as long as the whole request; whichever ends first, it is the same."""
    chat_server.script([hang(60)])
    llm = connect(timeout=5)
    async with llm._place() as client:  # noqa: SLF001 - the two clocks cannot be told apart from outside
        client.timeout = 0.1

    assert (await failure_of(llm, LLMTimeoutError)).details["reason"] == "ReadTimeout"


@each_of(PLAIN, *OWN)
async def test_request_may_have_less_time_than_the_others(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([hang(60)])

    async with wire.connect(chat_server, timeout=30) as llm:
        with pytest.raises(LLMTimeoutError) as caught:
            await llm.generate(LLMRequest.of("问", max_tokens=9, timeout=0.1))

    assert caught.value.details["timeout"] == 0.1


@each_of(*OWN)
async def test_call_that_is_cancelled_gives_its_connection_back(chat_server: ChatServer, wire: Wire) -> None:
    begun = threading.Event()

    def begin(_: ChatRequest) -> Answer:
        begun.set()
        return hang(60)

    chat_server.respond(begin)
    async with wire.connect(chat_server) as llm:
        call = asyncio.ensure_future(llm.generate(wire.request))
        await asyncio.to_thread(begun.wait, 5)
        call.cancel()

        with pytest.raises(asyncio.CancelledError):
            await call

    assert chat_server.idle()


async def test_retry_after_is_waited_for(
    chat_server: ChatServer, connect: LLMFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "sleep", asyncio.sleep)
    chat_server.script([status(429, {"retry-after": "1"}), answer("x")])

    await ask(connect())

    first, second = (request.at for request in chat_server.requests)
    assert 1 <= second - first < 10


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
        await llm.generate(wire.request)

    assert waits == [1.0]


@each_of(*CHAT, *OWN)
@pytest.mark.parametrize(
    "request_",
    [
        LLMRequest.of("\ud800"),
        LLMRequest.of("问", stop=("\udfff",)),
        LLMRequest.of("问", temperature=float("nan")),
        LLMRequest.of("问", output_schema=OutputSchema("Sum", {"type": "object", "default": float("inf")})),
    ],
    ids=["prompt", "stop", "temperature", "schema"],
)
async def test_request_that_cannot_be_written_is_not_sent(
    chat_server: ChatServer, wire: Wire, request_: LLMRequest
) -> None:
    as_it_is: dict[str, Any] = {} if wire in OWN else {"structured_output": "json_schema", "profile": "ollama"}
    async with wire.connect(chat_server, **as_it_is) as llm:
        with pytest.raises(LLMRequestError, match="cannot be written as JSON") as error:
            await llm.generate(request_)

    assert error.value.__context__ is None  # which would hold the prompt
    assert chat_server.requests == []


@each_of(*CHAT, *OWN)
@pytest.mark.parametrize(
    "fault",
    [
        status(401, error={"message": f"Incorrect API key: {KEY}", "code": f"bad {KEY}", "type": KEY, "status": KEY}),
        status(
            400,
            {"x-request-id": f"echo {PROMPT!a}", "request-id": f"echo {PROMPT!a}"},
            error={"message": PROMPT, "code": PROMPT, "type": PROMPT, "status": PROMPT},
        ),
        status(500, error=PROMPT),
        cut_body(text=PROMPT),
        raw(PROMPT.encode()),
        raw(f'{{"content": "{PROMPT}", "candidates": "{PROMPT}", "choices": "{PROMPT}"}}'.encode()),
        hang(60),
    ],
    ids=["401", "400", "500", "cut body", "no JSON", "not the API", "silence"],
)
async def test_neither_key_nor_prompt_nor_answer_gets_out(
    chat_server: ChatServer, wire: Wire, fault: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in the error, not in what it came from, not in any log at any level."""
    caplog.set_level(logging.DEBUG)
    log = LogCapture()
    chat_server.respond(lambda _: fault)
    with structlog_unconfigured():
        structlog.configure(processors=[log])
        async with wire.connect(chat_server, timeout=0.5, max_attempts=2) as llm:
            with pytest.raises(LLMError) as caught:
                await llm.generate(wire.request)

    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    told: list[Any] = [str(error), repr(error), error.feedback(), vars(error), log.entries, caplog.text]
    assert [text for text in map(repr, told) if KEY in text or PROMPT in text or ascii(PROMPT)[1:-1] in text] == []


@each_of(*CHAT)
async def test_tokens_of_every_try_are_in_the_reply_and_in_the_last_error(chat_server: ChatServer, wire: Wire) -> None:
    """Of every adapter: they share what adds them up."""
    half = answer("半", "error")
    chat_server.script([half, status(500), half, answer("好"), half, status(500), answer(None)])

    async with wire.connect(chat_server, max_attempts=4) as llm:
        assert (await llm.generate(wire.request)).usage == TokenUsage(21, 15, 6)
        with pytest.raises(LLMReplyError) as caught:
            await llm.generate(wire.request)

    assert caught.value.usage == TokenUsage(14, 10, 4)


async def test_bedrock_without_a_region_is_a_configuration_error(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.delenv("AWS_REGION", raising=False)

    async with BEDROCK.connect(chat_server, base_url="") as llm:
        with pytest.raises(LLMConfigurationError, match="NoRegionError"):
            await llm.generate(BEDROCK.request)


async def test_bedrock_without_credentials_says_so(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    async with BEDROCK.connect(chat_server) as llm:
        with pytest.raises(LLMAuthenticationError, match="NoCredentialsError"):
            await llm.generate(BEDROCK.request)

    assert chat_server.requests == []


async def test_key_of_bedrock_is_not_sent_without_encryption(chat_server: ChatServer) -> None:
    """botocore refuses it, which shows that the key is what the request would be signed with."""
    async with BEDROCK.connect(chat_server, api_key=KEY) as llm:
        with pytest.raises(LLMConfigurationError, match="InvalidEndpointConfigurationError"):
            await llm.generate(BEDROCK.request)

    assert chat_server.requests == []
