"""Every adapter and every wrapper gives its answer while it is written, and the same reply as a whole one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from httpx2 import HTTPError

from src.shared.application.requests import FallbackLLM, ObservedLLM
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMServerError
from src.shared.domain.ports.events import CallEnded
from src.shared.domain.ports.llm import (
    FinishReason,
    LLMPort,
    LLMReply,
    LLMRequest,
    OutputSchema,
    TextProgress,
)
from src.shared.infrastructure.events.fan_out import MemoryEvents
from src.shared.infrastructure.llm.exchange import PIECE, RecordingLLM
from src.shared.infrastructure.llm.models import DeferredLLM, ModelFactory
from src.shared.infrastructure.llm.provider import ModelAddress
from src.shared.infrastructure.llm.replay import ReplayLLM
from src.shared.infrastructure.llm.traced import TracedLLM
from tests.loopback.answers import answer, chunk, cut_stream, events, status, tool_call, torn_stream
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, LLMFactory
from tests.shared.scripted_llm import ScriptedLLM, reply

pytestmark = pytest.mark.anyio

TEXT = '{"评分": 80, "理由": "清楚😀"}'
ASKED = LLMRequest.of("问")
RECORDING = Path("recording.jsonl")
ADDRESS = ModelAddress("m-1", "deepseek", "api.deepseek.com", 443)


class Heard(TextProgress):
    """Keeps the texts that were given up, too."""

    def __init__(self) -> None:
        super().__init__()
        self._given_up: list[list[str]] = []

    @property
    def texts(self) -> list[list[str]]:
        """The chunks of each text."""
        return [*self._given_up, self.chunks]

    def begin(self) -> None:
        """Keep the text."""
        self._given_up += [self.chunks] if self.chunks else []
        super().begin()


async def streamed(llm: LLMPort, heard: TextProgress, request: LLMRequest = ASKED) -> LLMReply:
    """The reply of a model that is followed."""
    return await llm.generate(replace(request, progress=heard))


class WritingLLM:
    """Writes a text in chunks, and breaks off where the end is an error."""

    model = "writing"

    def __init__(self, *chunks: str, end: LLMError | None = None) -> None:
        self.chunks, self.end = chunks, end

    async def generate(self, request: LLMRequest) -> LLMReply:
        """In its chunks, where somebody follows."""
        if request.progress:
            request.progress.begin()
            for piece in self.chunks:
                request.progress.add(piece)
        if self.end:
            raise self.end
        return reply("".join(self.chunks))


WRAPPERS: dict[str, Callable[[LLMPort], LLMPort]] = {
    "deferred": lambda llm: DeferredLLM(lambda: llm),
    "traced": lambda llm: TracedLLM(llm, ADDRESS),
    "recording": lambda llm: RecordingLLM(llm, RECORDING),
    "fallback": lambda llm: FallbackLLM(llm, None),
    "observed": lambda llm: ObservedLLM(llm, MemoryEvents()),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
async def test_wrapper_passes_chunks_on(wrapper: str) -> None:
    heard = TextProgress()
    assert (await streamed(WRAPPERS[wrapper](WritingLLM("ab", "c")), heard)).text == "abc"
    assert heard.chunks == ["ab", "c"]


@pytest.mark.parametrize("wrapper", WRAPPERS)
async def test_text_of_a_model_that_cannot_stream_is_one_chunk(wrapper: str) -> None:
    heard, llm = TextProgress(), WRAPPERS[wrapper](ScriptedLLM(["abc"]))
    assert (await streamed(ObservedLLM(llm, MemoryEvents()), heard)).text == "abc"
    assert heard.chunks == ["abc"]


async def test_text_that_begins_again_gives_up_what_had_come() -> None:
    changes: list[int] = []
    heard = TextProgress(lambda: changes.append(len(heard.chunks)))
    heard.begin()
    heard.add("ab")
    heard.add("")
    heard.begin()
    heard.begin()
    heard.add("x")
    assert (heard.chunks, heard.restarts, changes) == (["x"], 1, [1, 0, 1])


# --- the provider ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ValueError, TimeoutError, RecursionError, HTTPError])
async def test_what_a_follower_raises_is_no_failure_of_the_provider(
    kind: type[Exception], chat_server: ChatServer, connect: LLMFactory
) -> None:
    def follow() -> None:
        raise failure

    failure = kind("the follower's own")
    chat_server.respond(lambda _: answer(TEXT))
    async with connect() as llm:
        with pytest.raises(kind) as error:
            await streamed(llm, TextProgress(follow))

    assert error.value is failure
    assert len(chat_server.requests) == 1


async def test_chunks_are_the_text_of_the_reply(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: answer(TEXT, reasoning_content="想"))
    heard = Heard()
    async with connect() as llm:
        whole = await llm.generate(ASKED)
        followed = await streamed(llm, heard)
    (chunks,) = heard.texts
    assert len(chunks) > 1
    assert "".join(chunks) == followed.text == whole.text
    assert (followed.finish_reason, followed.usage, followed.reasoning) == (
        whole.finish_reason,
        whole.usage,
        whole.reasoning,
    )
    assert followed.latency > 0


async def test_bytes_torn_inside_characters_are_put_together(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([torn_stream(TEXT, range(2_000))])
    heard = Heard()
    async with connect() as llm:
        assert (await streamed(llm, heard)).text == TEXT
    assert "".join(heard.texts[0]) == TEXT


async def test_halves_of_a_character_are_one_chunk(chat_server: ChatServer, connect: LLMFactory) -> None:
    """Some servers write a character outside the basic plane as two escapes, and cut between them."""
    halves = [chunk({"content": piece}) for piece in ("a\ud83d", "\ude00b", "c\ud83d")]
    chat_server.script([events(*halves, chunk({}, "stop"))])
    heard = Heard()
    async with connect() as llm:
        whole = await streamed(llm, heard)
    assert (heard.texts, whole.text) == ([["a", "😀b", "c", "�"]], "a😀bc�")


async def test_arguments_of_the_tool_are_the_text(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer(None, "tool_calls", tool_calls=[tool_call("Grade", TEXT)])])
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    request = LLMRequest.of("问", output_schema=OutputSchema("Grade", schema))
    heard = Heard()
    async with connect(structured_output="tools") as llm:
        assert (await streamed(llm, heard, request)).text == TEXT
    assert len(heard.texts[0]) > 1
    assert "".join(heard.texts[0]) == TEXT


async def test_text_begins_again_where_the_connection_broke(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([status(503), cut_stream("abcdefgh"), answer("xy")])
    heard = Heard()
    async with connect(max_attempts=3) as llm:
        assert (await streamed(llm, heard)).text == "xy"
    assert (heard.texts, heard.restarts) == ([["abcd"], ["xy"]], 1)


# --- recordings ----------------------------------------------------------------------------------------------------


def recorded() -> str:
    return RECORDING.read_text(encoding="utf-8")


async def replayed() -> list[list[str]]:
    heard = Heard()
    await streamed(ReplayLLM(RECORDING), heard)
    return heard.texts


async def test_recording_is_replayed_in_its_chunks() -> None:
    await streamed(RecordingLLM(WritingLLM("a", "", "bcd", "e"), RECORDING), TextProgress())
    assert await replayed() == [["a", "bcd", "e"]]


async def test_chunks_of_a_text_that_broke_off_are_not_recorded(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([cut_stream("abcdefgh"), answer("", pieces=["x", "yz"])])
    async with connect(max_attempts=2) as llm:
        await streamed(RecordingLLM(llm, RECORDING), TextProgress())
    assert await replayed() == [["x", "yz"]]


async def test_secret_is_not_recorded_in_chunks() -> None:
    await streamed(RecordingLLM(WritingLLM(KEY[:9], KEY[9:], " is it"), RECORDING), TextProgress())
    written = recorded()
    assert KEY[9:] not in written
    assert "chunks" not in written


async def test_recording_of_a_whole_answer_is_replayed_in_pieces() -> None:
    text = "x" * (2 * PIECE + 1)
    await RecordingLLM(ScriptedLLM([text]), RECORDING).generate(ASKED)
    assert await replayed() == [["x" * PIECE, "x" * PIECE, "x"]]


async def test_others_have_their_turn_between_the_chunks_of_a_recording() -> None:
    await streamed(RecordingLLM(WritingLLM(*"abc"), RECORDING), TextProgress())
    heard, turns = Heard(), []
    replaying = asyncio.create_task(streamed(ReplayLLM(RECORDING), heard))
    while not replaying.done():
        await asyncio.sleep(0)
        turns.append(len(heard.texts[0]))
    assert {1, 2, 3} <= set(turns)


@pytest.mark.parametrize("chunks", ["[1, 1]", "[4, -1]", "[3, 0]"])
def test_chunks_that_are_not_those_of_the_text_are_refused(chunks: str) -> None:
    RECORDING.write_text(f'{{"prompt": "问", "reply": {{"text": "abc", "chunks": {chunks}}}}}', encoding="utf-8")
    with pytest.raises(LLMConfigurationError, match="malformed"):
        ReplayLLM(RECORDING)


# --- what stands around a model --------------------------------------------------------------------------------------


async def test_fallback_begins_the_text_again() -> None:
    heard = Heard()
    llm = FallbackLLM(WritingLLM("ab", end=LLMServerError("down")), WritingLLM("x", "y"))
    assert (await streamed(llm, heard)).text == "xy"
    assert heard.texts == [["ab"], ["x", "y"]]


async def test_observed_request_is_told_of_once() -> None:
    told = MemoryEvents()
    await streamed(ObservedLLM(WritingLLM("a", "b"), told), TextProgress())
    assert [event.finish_reason for event in told.of(CallEnded)] == [FinishReason.STOP]


async def test_models_of_an_application_stream(chat_server: ChatServer) -> None:
    settings = {"base_url": chat_server.url, "model": "m-1", "api_key": KEY}
    chat_server.script([answer("", pieces=["a", "b"])])
    async with AsyncExitStack() as open_things:
        llm = ModelFactory(open_things, settings, None, [RECORDING], "on").first()
        await streamed(llm, TextProgress())
        replaying = ModelFactory(open_things, None, RECORDING, None, "off").first()
        heard = Heard()
        await streamed(replaying, heard)
    assert heard.texts == [["a", "b"]]
