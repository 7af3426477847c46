"""Typed answers as they are written, over a real connection: torn, slow, cut, unusable, left, and many at once."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing

import pytest
from pydantic import BaseModel, Field

from src.shared.application.streamed_answer import AnswerSnapshot
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import (
    LLMContentRefusedError,
    LLMTimeoutError,
)
from src.shared.domain.ports.events import AnswerFailed, AnswerRequested, CallEnded, CallStarted
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import MemoryEvents
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from tests.loopback.answers import Answer, ChatRequest, answer, cut_stream, pause_stream, tool_call, torn_stream
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, until
from tests.thorough import at_length

pytestmark = pytest.mark.anyio

STREAMS = at_length(25, 500)


class Review(BaseModel):
    number: int = Field(ge=0)
    title: str
    tags: list[str]


class Named(BaseModel, extra="forbid"):
    name: str


def review(number: int) -> Review:
    return Review(number=number, title=f"评论{number}😀“好”", tags=[f"标签{number}", "é\n"])


def text_of(number: int) -> str:
    return json.dumps(review(number).model_dump(), ensure_ascii=False)


def typed(llm: OpenAICompatibleLLM) -> tuple[TypedLLM, MemoryEvents]:
    events = MemoryEvents()
    return TypedLLM(llm, output_of=plain_output, events=events), events


async def taken(llm: TypedLLM, number: int = 7, budget: Budget | None = None) -> list[AnswerSnapshot[Review]]:
    return [snapshot async for snapshot in llm.stream_json(f"{number} ?", output_model=Review, budget=budget)]


def is_part(data: object, whole: object) -> bool:
    """Whether all that is shown is in the whole: strings may be cut, members and elements may be missing."""
    if isinstance(data, str) and isinstance(whole, str):
        return whole.startswith(data)
    if isinstance(data, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in data.items())
    if isinstance(data, list) and isinstance(whole, list):
        return len(data) <= len(whole) and all(map(is_part, data, whole))
    return data == whole


async def test_fields_come_before_the_answer_is_at_its_end(chat_server: ChatServer, connect: LLMFactory) -> None:
    """The server writes on only when the client goes away: what is shown has come over the open connection."""
    chat_server.script([pause_stream('{"number": 7, "title": "ab', 60)])
    async with connect() as llm, aclosing(typed(llm)[0].stream_json("?", output_model=Review)) as snapshots:
        async with asyncio.timeout(10):
            async for snapshot in snapshots:
                if snapshot.data == {"number": 7, "title": "ab"}:
                    break
        assert snapshot.complete == {"$.number"}
    assert chat_server.idle()


async def test_bytes_torn_inside_characters_with_pauses(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([torn_stream(text_of(7), range(0, 4_000, 7), [0.01] * 5)])
    async with connect() as llm:
        snapshots = await taken(typed(llm)[0])
    assert snapshots[-1].value == review(7)
    assert len(snapshots) > 1  # how many pieces arrive is the network's business
    assert all(is_part(snapshot.data or {}, review(7).model_dump()) for snapshot in snapshots)


async def test_connection_that_is_cut_is_asked_again_and_the_consumer_told(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.script([cut_stream(text_of(1) + text_of(1)), answer(text_of(7))])
    async with connect(max_attempts=2) as llm:
        told, events = typed(llm)
        snapshots = await taken(told)
    numbers = [(snapshot.restarted, (snapshot.data or {}).get("number")) for snapshot in snapshots]
    assert (0, 1) in numbers
    assert (1, None) in numbers
    assert (1, 1) not in numbers
    assert (snapshots[-1].restarted, snapshots[-1].value) == (1, review(7))
    assert len(events.of(CallStarted)) == len(events.of(CallEnded)) == 1


async def test_arguments_of_a_tool_behind_a_text_are_another_answer(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    """The reply is the arguments alone: what was shown of the text in front of them is void."""
    words = '{"number": 1, "title": '
    chat_server.script([answer(words, "tool_calls", tool_calls=[tool_call("Named", '{"name": "评论"}')])])
    async with connect(structured_output="tools") as llm:
        snapshots = [snapshot async for snapshot in typed(llm)[0].stream_json("?", output_model=Named)]
    assert (snapshots[-1].restarted, snapshots[-1].value) == (1, Named(name="评论"))


async def test_deadline_ends_a_stream_that_has_fallen_silent(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([pause_stream('{"number": 7, "title": "ab', 60)])
    async with connect() as llm:
        with pytest.raises(LLMTimeoutError, match="budget"):
            await taken(typed(llm)[0], budget=Budget(max_seconds=0.2))
        assert chat_server.idle()


@pytest.mark.parametrize("way", ["close", "break", "cancel"])
async def test_leaving_in_the_middle_closes_the_connection(
    chat_server: ChatServer, connect: LLMFactory, way: str
) -> None:
    chat_server.script([pause_stream('{"number": 7, "title": "ab', 60)])
    async with connect() as llm:
        before = asyncio.all_tasks()
        told, events = typed(llm)
        if way == "cancel":
            begun = asyncio.Event()
            consumer = asyncio.create_task(_until_data(told, begun))
            await until(begun.is_set)
            consumer.cancel()
            with pytest.raises(asyncio.CancelledError):
                await consumer
        elif way == "close":
            snapshots = told.stream_json("?", output_model=Review)
            async with asyncio.timeout(10):
                await anext(snapshots)
            await snapshots.aclose()
        else:
            async with asyncio.timeout(10):
                async for _ in told.stream_json("?", output_model=Review):
                    break
        await _alone(before)
        assert chat_server.idle()
    assert [event.code for event in events.of(CallEnded)] == ["LLM_CALL_CANCELLED"]


async def _until_data(llm: TypedLLM, begun: asyncio.Event) -> None:
    async for _ in llm.stream_json("?", output_model=Review):
        begun.set()


async def _alone(before: set[asyncio.Task[object]]) -> None:
    """Wait until no task is left of what was begun since."""
    async with asyncio.timeout(10):
        while asyncio.all_tasks() - before:  # noqa: ASYNC110 - the event loop closes what was left
            await asyncio.sleep(0)


# --- many at once --------------------------------------------------------------------------------------------------


WAYS = ("good", "cut", "too long", "unusable", "declined", "left", "cancelled")
"""What becomes of the first answer to a number, in turn."""


def way_of(number: int) -> str:
    return WAYS[number % len(WAYS)]


def _first_answer(number: int, chance: random.Random) -> Answer:
    """The bytes torn anywhere, with pauses between."""
    text = text_of(number)
    cuts = [chance.randrange(4_000) for _ in range(12)]
    pauses = [chance.choice([0.0, 0.002, 0.01]) for _ in cuts]
    part = text[: len(text) * 2 // 3]
    answers: dict[str, Callable[[], Answer]] = {
        "good": lambda: torn_stream(text, cuts, pauses),
        "cut": lambda: torn_stream(part, cuts, pauses, finish_reason=None),
        "too long": lambda: torn_stream(part, cuts, pauses, finish_reason="length"),
        "unusable": lambda: torn_stream(text.replace(f'"number": {number}', f'"number": -{number}'), cuts, pauses),
        "declined": lambda: torn_stream(text, cuts, pauses, finish_reason="content_filter"),
        "left": lambda: pause_stream(part, 60),
        "cancelled": lambda: pause_stream(part, 60),
    }
    return answers[way_of(number)]()


async def _follow(llm: TypedLLM, number: int) -> Review | AppException | None:
    """The answer, the error, or None where it was left in the middle; no snapshot shows what is another's."""
    restarted, complete, value, way = 0, frozenset[str](), None, way_of(number)
    try:
        async with aclosing(llm.stream_json(f"{number} ?", output_model=Review)) as snapshots:
            async for snapshot in snapshots:
                if snapshot.restarted > restarted:
                    assert snapshot.data is None
                    restarted, complete = snapshot.restarted, frozenset()
                written = -number if way == "unusable" and not restarted else number
                assert is_part(snapshot.data or {}, {**review(number).model_dump(), "number": written})
                assert complete <= set(snapshot.complete)
                complete, value = frozenset(snapshot.complete), snapshot.value
                if way == "left" and snapshot.data:
                    return None
                if way == "cancelled" and snapshot.data and (task := asyncio.current_task()):
                    task.cancel()
    except AppException as error:
        return error
    return value


def is_as_due(number: int, end: object) -> bool:
    """Whether a stream came to the end that is due."""
    kinds = {"left": type(None), "cancelled": asyncio.CancelledError, "declined": LLMContentRefusedError}
    way = way_of(number)
    return isinstance(end, kinds[way]) if way in kinds else end == review(number)


async def test_many_streams_lose_and_mix_nothing(chat_server: ChatServer, connect: LLMFactory) -> None:
    chance, asked = random.Random(17), Counter[int]()  # noqa: S311 - chance that can be repeated

    def respond(request: ChatRequest) -> Answer:
        number = int(request.prompt.split()[0])
        asked[number] += 1
        return _first_answer(number, chance) if asked[number] == 1 else torn_stream(text_of(number), [50, 301])

    chat_server.respond(respond)
    before = asyncio.all_tasks()
    async with connect(max_concurrency=STREAMS, timeout=60, connect_timeout=60, max_attempts=2) as llm:
        told, events = typed(llm)
        following = (_follow(told, number) for number in range(STREAMS))
        ends = await asyncio.gather(*following, return_exceptions=True)
        await _alone(before)

    assert [(number, end) for number, end in enumerate(ends) if not is_as_due(number, end)] == []
    again = {"cut", "too long", "unusable"}
    assert asked == {number: 2 if way_of(number) in again else 1 for number in range(STREAMS)}
    assert len(events.of(AnswerRequested)) == STREAMS
    assert len(events.of(AnswerFailed)) == sum(way_of(number) == "declined" for number in range(STREAMS))
    assert len(events.of(CallStarted)) == len(events.of(CallEnded))
    assert chat_server.idle()
