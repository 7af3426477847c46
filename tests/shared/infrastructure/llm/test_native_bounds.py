"""The connections of the native APIs are those of chat completions: bounded, to one address, closed with their loop."""

import asyncio
import gzip
from collections.abc import Callable

import pytest

from src.shared.domain.llm_errors import (
    LLMConfigurationError,
    LLMError,
    LLMQuotaError,
    LLMReplyError,
    LLMRequestError,
)
from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.connections import Limiter
from src.shared.infrastructure.llm.native_clients import MOST_VALUES
from src.shared.infrastructure.llm.native_llm import NativeLLM
from tests.loopback import anthropic_wire, gemini_wire
from tests.loopback.answers import Answer, ChatRequest, Connection, raw, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.native_wires import ANTHROPIC, GEMINI, MISTRAL, Wire, each_wire

pytestmark = pytest.mark.anyio

REQUEST = LLMRequest.of("问", max_tokens=100)
LIMIT = 4_096

each_http_wire = pytest.mark.parametrize("wire", [ANTHROPIC, GEMINI, MISTRAL], ids=lambda wire: wire.provider)


async def failure_of(llm: NativeLLM, kind: type[LLMError]) -> LLMError:
    async with llm:
        with pytest.raises(kind) as caught:
            await llm.generate(REQUEST)
    assert type(caught.value) is kind
    return caught.value


def behind_gzip(body: bytes) -> Answer:
    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_encoding="gzip")
        await connection.finish(gzip.compress(body))

    return send


@each_http_wire
@pytest.mark.parametrize("way", [raw, behind_gzip])
async def test_rest_of_a_large_response_is_not_read(
    chat_server: ChatServer, wire: Wire, way: Callable[[bytes], Answer]
) -> None:
    chat_server.script([way(b" " * (LIMIT + 1))])

    error = await failure_of(wire.connect(chat_server, max_response_bytes=LIMIT), LLMReplyError)

    assert (error.details["max_bytes"], error.details["attempts"]) == (LIMIT, 1)
    assert "LLM_MAX_RESPONSE_BYTES" in error.message
    assert chat_server.idle()


@each_http_wire
async def test_body_of_too_many_values_is_not_decoded(chat_server: ChatServer, wire: Wire) -> None:
    """Decoding a few megabytes of empty lists would keep the event loop for minutes."""
    values = ",".join(["[]"] * MOST_VALUES)
    chat_server.script([raw(f'{{"content": [{values}], "candidates": [], "choices": []}}'.encode())])

    error = await failure_of(wire.connect(chat_server), LLMReplyError)

    assert error.details["max_values"] == MOST_VALUES


async def test_event_that_is_too_large_is_not_read(chat_server: ChatServer) -> None:
    """Anthropic's client asks for a stream where nothing bounds the answer."""
    chat_server.script([anthropic_wire.message("x" * (LIMIT + 1))])

    async with ANTHROPIC.connect(chat_server, max_response_bytes=LIMIT) as llm:
        with pytest.raises(LLMReplyError) as caught:
            await llm.generate(LLMRequest.of("问"))

    assert caught.value.details["max_bytes"] == LIMIT


@each_http_wire
async def test_redirect_to_another_address_is_refused(chat_server: ChatServer, wire: Wire) -> None:
    elsewhere = chat_server.root.replace("127.0.0.1", "localhost")
    chat_server.respond(lambda request: status(307, {"location": f"{elsewhere}{request.path}"}))

    error = await failure_of(wire.connect(chat_server), LLMRequestError)

    assert "redirects to another address" in error.message
    assert len(chat_server.requests) == 1


@pytest.mark.parametrize(
    ("wire", "answer"),
    [
        (ANTHROPIC, anthropic_wire.error(402, "billing_error")),
        (ANTHROPIC, anthropic_wire.error(400, "invalid_request_error", message="Your credit balance is too low")),
        (GEMINI, gemini_wire.error(429, "RESOURCE_EXHAUSTED", exceeded="GenerateRequestsPerDayPerProject")),
    ],
    ids=["402", "credit", "a day's quota"],
)
async def test_quota_that_is_used_up_is_named_and_not_asked_for_again(
    chat_server: ChatServer, wire: Wire, answer: Answer
) -> None:
    chat_server.respond(lambda _: answer)

    await failure_of(wire.connect(chat_server), LLMQuotaError)

    assert len(chat_server.requests) == 1


@each_wire
async def test_call_after_closing_says_so(chat_server: ChatServer, wire: Wire) -> None:
    llm = wire.connect(chat_server)
    await llm.aclose()
    await llm.aclose()

    error = await failure_of(llm, LLMConfigurationError)

    assert "were closed" in error.message
    assert chat_server.requests == []


@each_wire
async def test_limiter_can_be_shared(chat_server: ChatServer, wire: Wire) -> None:
    """A place that somebody else holds is waited for."""
    limiter = Limiter(1)
    chat_server.respond(lambda _: wire.answer("x"))
    async with wire.connect(chat_server, limiter=limiter) as llm:
        async with limiter.place():
            call = asyncio.ensure_future(llm.generate(REQUEST))
            await asyncio.sleep(0)
            assert not call.done()
        assert (await call).text == "x"
