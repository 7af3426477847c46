"""Many calls at once share one client: nothing is lost, nothing is left over."""

import asyncio
import gc
import socket

import pytest

from src.shared.domain.ports.llm import LLMRequest
from tests.loopback.answers import Answer, ChatRequest, answer, cut_body, hang, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory
from tests.thorough import at_length

pytestmark = pytest.mark.anyio

CALLS = at_length(80, 200)


async def turns_of_the_loop() -> None:
    """Let what is being finalized end."""
    for _ in range(10):
        await asyncio.sleep(0)


def open_sockets(port: int) -> list[socket.socket]:
    """Find this process's connections to a port, on the client's side."""
    gc.collect()
    found = [value for value in gc.get_objects() if isinstance(value, socket.socket) and value.fileno() >= 0]
    return [value for value in found if _peer_port(value) == port]


def _peer_port(value: socket.socket) -> int:
    try:
        return int(value.getpeername()[1])
    except (OSError, IndexError):
        return 0


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_every_call_gets_its_own_answer(chat_server: ChatServer, connect: LLMFactory, *, stream: bool) -> None:
    chat_server.respond(lambda request: answer(f"回答 {request.prompt}"))
    before = asyncio.all_tasks()

    async with connect(stream=stream) as llm:
        replies = await asyncio.gather(*(llm.generate(LLMRequest.of(str(number))) for number in range(CALLS)))

    assert [reply.text for reply in replies] == [f"回答 {number}" for number in range(CALLS)]
    await turns_of_the_loop()
    assert asyncio.all_tasks() == before
    assert chat_server.idle()
    assert open_sockets(int(chat_server.url.rpartition(":")[2].partition("/")[0])) == []


async def test_every_call_gets_its_own_answer_through_faults(chat_server: ChatServer, connect: LLMFactory) -> None:
    seen: set[str] = set()
    faults = [status(500), status(429, {"retry-after": "0"}), cut_body()]

    def first_a_fault(request: ChatRequest) -> Answer:
        if request.prompt in seen:
            return answer(request.prompt)
        seen.add(request.prompt)
        return faults[int(request.prompt) % len(faults)]

    chat_server.respond(first_a_fault)

    async with connect(max_attempts=2) as llm:
        replies = await asyncio.gather(*(llm.generate(LLMRequest.of(str(number))) for number in range(CALLS)))

    assert [reply.text for reply in replies] == [str(number) for number in range(CALLS)]
    assert len(chat_server.requests) == 2 * CALLS
    assert chat_server.idle()


async def test_calls_that_hang_keep_no_other_call_waiting(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda request: hang(60) if request.prompt == "hang" else answer("x"))

    async with connect() as llm:
        hanging = [asyncio.ensure_future(llm.generate(LLMRequest.of("hang"))) for _ in range(20)]
        replies = await asyncio.gather(*(llm.generate(LLMRequest.of("x")) for _ in range(CALLS)))
        assert not any(call.done() for call in hanging)
        for call in hanging:
            call.cancel()
        ends = await asyncio.gather(*hanging, return_exceptions=True)

    assert {reply.text for reply in replies} == {"x"}
    assert {type(end) for end in ends} == {asyncio.CancelledError}
    assert chat_server.idle()


async def test_cancelled_call_closes_its_connection(chat_server: ChatServer, connect: LLMFactory) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang_at_first(request: ChatRequest) -> Answer:
        loop.call_soon_threadsafe(arrived.set)
        return hang(60) if request.prompt == "hang" else answer("x")

    chat_server.respond(hang_at_first)

    async with connect() as llm:
        call = asyncio.ensure_future(llm.generate(LLMRequest.of("hang")))
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await llm.generate(LLMRequest.of("问"))).text == "x"

    assert chat_server.idle()
