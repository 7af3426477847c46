"""One object serves event loops that come and go, and says what is wrong after its end."""

import asyncio
import gc
import threading
import time
from dataclasses import replace
from typing import cast

import pytest

from src.bootstrap import Application
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest, TextProgress
from src.shared.infrastructure.llm.connections import RefusedError
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from tests.loopback.answers import answer, hang, pause_stream
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, until
from tests.shared.infrastructure.llm.wires import CHAT, OWN, Wire, each_of

ASKED = LLMRequest.of("问", max_tokens=100)
each_way = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


async def text_of(llm: LLMPort) -> str:
    return (await llm.generate(ASKED)).text


@each_of(*CHAT, *OWN)
def test_one_loop_after_the_other(chat_server: ChatServer, wire: Wire) -> None:
    """A `ResourceWarning` of a connection that was left open would fail this test."""
    chat_server.respond(lambda _: wire.answer("好"))
    llm = wire.connect(chat_server)

    assert [asyncio.run(text_of(llm)) for _ in range(3)] == ["好"] * 3

    gc.collect()
    assert chat_server.idle()


def test_connection_serves_again_within_one_loop(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: answer("好"))
    llm = connect()

    async def twice() -> None:
        await text_of(llm)
        await text_of(llm)

    asyncio.run(twice())
    asyncio.run(twice())

    ports = [request.port for request in chat_server.requests]
    assert (ports[0], ports[2], len(set(ports))) == (ports[1], ports[3], 2)


def test_loop_that_ends_in_the_middle_of_calls_leaves_nothing(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda request: answer("好") if request.prompt == "问" else hang(60))
    llm = connect()

    async def leave() -> None:
        calls = [asyncio.ensure_future(llm.generate(LLMRequest.of("hang"))) for _ in range(3)]
        await until(lambda: len(chat_server.requests) == len(calls))

    asyncio.run(leave())
    gc.collect()

    assert chat_server.idle()
    assert asyncio.run(text_of(llm)) == "好"


def test_loops_of_several_threads_at_once(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda request: answer(request.prompt))
    llm = connect(max_concurrency=2)
    got: dict[int, list[str]] = {}

    async def several(number: int) -> list[LLMReply]:
        return await asyncio.gather(*(llm.generate(LLMRequest.of(f"{number}.{call}")) for call in range(20)))

    def run(number: int) -> None:
        got[number] = [reply.text for reply in asyncio.run(several(number))]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert got == {number: [f"{number}.{call}" for call in range(20)] for number in range(3)}
    assert chat_server.idle()


def test_closing_in_one_loop_closes_the_connections_of_another(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: answer("好"))
    llm = connect()
    asked, closed = threading.Event(), threading.Event()
    ends: list[object] = []

    async def stay() -> None:
        ends.append(await text_of(llm))
        asked.set()
        await until(closed.is_set)
        ends.append(await asyncio.gather(text_of(llm), return_exceptions=True))
        await asyncio.sleep(0.05)
        ends.append(chat_server.idle())

    thread = threading.Thread(target=asyncio.run, args=(stay(),))
    thread.start()
    assert asked.wait(10)
    asyncio.run(llm.aclose())
    closed.set()
    thread.join(10)

    assert (ends[0], ends[2]) == ("好", True)
    assert isinstance(cast("list[object]", ends[1])[0], LLMConfigurationError)


@pytest.mark.anyio
@each_of(*CHAT, *OWN)
async def test_call_after_closing_says_so(chat_server: ChatServer, wire: Wire) -> None:
    llm = wire.connect(chat_server)
    chat_server.script([wire.answer("好")])
    await text_of(llm)
    await llm.aclose()
    await llm.aclose()

    with pytest.raises(LLMConfigurationError, match="make a new one"):
        await text_of(llm)


@pytest.mark.anyio
@each_way
async def test_calls_that_are_closed_under_way_end_in_an_error_of_the_domain(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.respond(lambda _: hang(60))
    llm = connect(stream=stream, max_concurrency=3)
    calls = [asyncio.ensure_future(text_of(llm)) for _ in range(6)]
    await until(lambda: len(chat_server.requests) == 3)

    await llm.aclose()

    async with asyncio.timeout(10):
        ends = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(end, LLMError) for end in ends), ends
    assert {type(end) for end in ends[3:]} == {LLMConfigurationError}
    assert chat_server.idle()


@pytest.mark.anyio
async def test_call_that_began_before_closing_sends_nothing_after_it(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    llm = connect()
    async with llm._place() as client:  # noqa: SLF001 - the moment between the two cannot be met from outside
        await llm.aclose()
        with pytest.raises(RefusedError, match="connections were closed"):
            await client.post(chat_server.url)

    assert chat_server.requests == []


@pytest.mark.anyio
async def test_waiting_for_a_place_is_not_part_of_the_seconds_of_a_request(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.script([answer("好")])
    async with connect(max_concurrency=1, timeout=0.5) as llm:
        async with llm._place():  # noqa: SLF001 - a place that is held for longer than a request may take
            waiting = asyncio.ensure_future(text_of(llm))
            started = time.monotonic()
            await asyncio.sleep(0.7)
        assert await waiting == "好"

    assert time.monotonic() - started > 0.5


@pytest.mark.anyio
async def test_waiting_for_a_place_ends_with_the_callers_patience(chat_server: ChatServer, connect: LLMFactory) -> None:
    async with connect(max_concurrency=1) as llm, llm._place():  # noqa: SLF001 - as above
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await text_of(llm)

    assert chat_server.requests == []


@pytest.mark.anyio
async def test_stream_holds_its_place_until_it_is_closed(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([pause_stream("ab", 60), answer("好")])
    async with connect(max_concurrency=1) as llm:
        heard = TextProgress()
        first = asyncio.ensure_future(llm.generate(replace(ASKED, progress=heard)))
        await until(lambda: bool(heard.chunks))
        waiting = asyncio.ensure_future(text_of(llm))
        await asyncio.sleep(0.05)
        assert (waiting.done(), len(chat_server.requests)) == (False, 1)
        first.cancel()
        assert await waiting == "好"


@pytest.mark.anyio
async def test_hosts_without_a_proxy_are_reached_as_they_are(
    chat_server: ChatServer, connect: LLMFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    chat_server.script([answer("好")])

    async with connect() as llm:
        assert await text_of(llm) == "好"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("variable", "value"), [("HTTPS_PROXY", "nonsense://x"), ("ALL_PROXY", "socks5://127.0.0.1:9")]
)
async def test_proxy_that_cannot_be_used_is_a_mistake_of_the_settings(
    connect: LLMFactory, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    async with connect() as llm:
        with pytest.raises(LLMConfigurationError, match=variable):
            await text_of(llm)


def test_certificates_that_cannot_be_read_are_a_mistake_of_the_settings(
    connect: LLMFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "nowhere.pem")

    with pytest.raises(LLMConfigurationError, match="SSL_CERT_FILE"):
        connect()


def test_application_serves_one_loop_after_the_other_and_is_closed_twice(chat_server: ChatServer) -> None:
    chat_server.respond(lambda _: answer("好"))
    app = Application()
    app.config.settings.from_dict({"base_url": chat_server.url, "model": "m-1"})
    llm = app.model()
    assert isinstance(llm, OpenAICompatibleLLM)

    assert [asyncio.run(text_of(llm)) for _ in range(2)] == ["好"] * 2
    asyncio.run(app.open_things().aclose())
    asyncio.run(app.open_things().aclose())

    with pytest.raises(LLMConfigurationError, match="make a new one"):
        asyncio.run(text_of(app.model()))
    gc.collect()
    assert chat_server.idle()
