"""Many calls at once share one client: nothing is lost, nothing is left over."""

import asyncio
import gc
import json
import random
import socket

import pytest
from pydantic import BaseModel

from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.ports.events import CallEnded
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.loopback.answers import Answer, ChatRequest, answer, cut_body, hang, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory
from tests.thorough import at_length

pytestmark = pytest.mark.anyio

CALLS = at_length(40, 200)
CROWD, AT_ONCE = at_length((60, 25), (1_000, 100))
"""Calls, and how many of them the limiter lets through at once."""


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


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_crowd_passes_a_limiter_half_of_it_cancelled(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    """No call fails, no answer is another's, what was paid for is what was answered."""
    chance = random.Random(stream)  # noqa: S311 - chance that can be repeated
    chat_server.respond(lambda request: answer(f"回答 {request.prompt}"))
    gone: set[int] = set()

    async with connect(stream=stream, max_concurrency=AT_ONCE, timeout=60, connect_timeout=60, max_attempts=1) as llm:
        calls = [asyncio.ensure_future(llm.generate(LLMRequest.of(str(number)))) for number in range(CROWD)]
        for place, number in enumerate(chance.sample(range(CROWD), CROWD // 2)):
            if calls[number].cancel():
                gone.add(number)
            if not place % 20:
                await asyncio.sleep(chance.random() / 200)
        ends = await asyncio.gather(*calls, return_exceptions=True)

    assert {number for number, end in enumerate(ends) if isinstance(end, asyncio.CancelledError)} == gone
    replies = {number: end for number, end in enumerate(ends) if isinstance(end, LLMReply)}
    assert replies.keys() == set(range(CROWD)) - gone
    assert all(reply.text == f"回答 {number}" for number, reply in replies.items())
    assert sum(reply.usage.total_tokens for reply in replies.values()) == 12 * len(replies)
    assert len(chat_server.requests) <= CROWD
    assert len({request.port for request in chat_server.requests}) <= AT_ONCE + len(gone)
    assert chat_server.idle()


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_crowd_gets_each_its_own_answer_on_as_many_connections_as_the_limiter_lets_through(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.respond(lambda request: answer(request.prompt))
    before = asyncio.all_tasks()

    async with connect(stream=stream, max_concurrency=AT_ONCE, timeout=60, connect_timeout=60, max_attempts=1) as llm:
        replies = await asyncio.gather(*(llm.generate(LLMRequest.of(str(number))) for number in range(CROWD)))

    assert [reply.text for reply in replies] == list(map(str, range(CROWD)))
    assert len({request.port for request in chat_server.requests}) <= AT_ONCE
    await turns_of_the_loop()
    assert asyncio.all_tasks() == before
    assert chat_server.idle()
    assert open_sockets(int(chat_server.url.rpartition(":")[2].partition("/")[0])) == []


class Numbered(BaseModel):
    number: int


class _Noting:
    """Notes the ends of requests among the events."""

    def __init__(self, ended: list[CallEnded]) -> None:
        self._ended = ended

    def publish(self, event: object) -> None:
        if isinstance(event, CallEnded):
            self._ended.append(event)


async def test_what_a_crowd_paid_for_is_in_its_events(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda request: answer(json.dumps({"number": int(request.prompt.split()[0])})))
    ended: list[CallEnded] = []

    async with connect(max_concurrency=AT_ONCE, timeout=60, connect_timeout=60, max_attempts=1) as llm:
        typed = TypedLLM(llm, output_of=plain_output, events=_Noting(ended))
        calls = [
            asyncio.ensure_future(typed.call_with_json(f"{number} ?", output_model=Numbered)) for number in range(CROWD)
        ]
        for call in calls[::2]:
            await asyncio.sleep(0.001)
            call.cancel()
        ends = await asyncio.gather(*calls, return_exceptions=True)

    answered = {number for number, end in enumerate(ends) if isinstance(end, Numbered)}
    assert all(isinstance(end, Numbered | asyncio.CancelledError) for end in ends)
    assert all(end.number == number for number, end in enumerate(ends) if isinstance(end, Numbered))
    assert answered >= set(range(1, CROWD, 2))
    paid = [event for event in ended if not event.code]
    assert len(paid) >= len(answered)  # an answer may have come before its call was cancelled
    assert sum(event.usage.total_tokens for event in paid) == 12 * len(paid)
    assert {event.code for event in ended} <= {"", "LLM_CALL_CANCELLED"}
