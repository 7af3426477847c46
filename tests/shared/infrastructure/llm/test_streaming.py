"""An answer can be taken piece by piece, and comes to the same reply as a whole one."""

import asyncio

import pytest

from src.shared.domain.llm_errors import LLMConnectionError, LLMReplyError, LLMServerError, LLMTimeoutError
from src.shared.domain.ports.llm import FinishReason, LLMRequest
from tests.loopback.answers import answer, chunk, cut_stream, events, pause_stream, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask

pytestmark = pytest.mark.anyio


async def test_pieces_come_in_order_and_end_in_the_reply(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("", pieces=["一", "", "二三"], reasoning_content="想")])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        pieces = [piece async for piece in stream]

    assert pieces == ["一", "二三"]
    assert (stream.reply.text, stream.reply.reasoning) == ("一二三", "想")


async def test_reply_is_the_one_that_a_whole_answer_gives(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: answer('{"a": "b"}', reasoning="想"))
    whole = await ask(connect())

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        [_ async for _ in stream]

    assert (stream.reply.text, stream.reply.reasoning) == (whole.text, whole.reasoning)
    assert (stream.reply.usage, stream.reply.model) == (whole.usage, whole.model)
    assert stream.reply.finish_reason == whole.finish_reason


async def test_reply_is_not_there_before_the_last_piece(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("一二三四五六七八")])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        await anext(stream)
        with pytest.raises(LLMReplyError, match="not been read to its end"):
            _ = stream.reply

    assert chat_server.idle()


async def test_stream_that_was_read_has_no_more_pieces(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        assert [piece async for piece in stream] == ["x"]
        assert [piece async for piece in stream] == []


async def test_stream_without_a_finish_reason_gives_a_reply_whose_end_nobody_knows(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.script([cut_stream('{"a": 1, "b": 2}', clean=True)])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        pieces = [piece async for piece in stream]

    assert (stream.reply.text, stream.reply.finish_reason) == ("".join(pieces), FinishReason.UNKNOWN)


async def test_dropped_stream_ends_in_an_error_after_its_pieces(chat_server: ChatServer, connect: LLMFactory) -> None:
    """What was given out cannot be taken back, so nothing is sent again."""
    chat_server.script([cut_stream("abcdefgh")])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        assert await anext(stream) == "abcd"
        with pytest.raises(LLMConnectionError):
            await anext(stream)
        with pytest.raises(LLMReplyError):
            _ = stream.reply

    assert len(chat_server.requests) == 1


async def test_stream_that_broke_is_not_at_its_end(chat_server: ChatServer, connect: LLMFactory) -> None:
    """Reading on after the error must not give what came so far as the answer."""
    chat_server.script([cut_stream("abcdefgh")])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        with pytest.raises(LLMConnectionError):
            [_ async for _ in stream]
        with pytest.raises(LLMReplyError, match="not been read to its end"):
            await anext(stream)


async def test_stream_that_was_cancelled_is_not_at_its_end(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([pause_stream("abcd", 60)])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        assert await anext(stream) == "abcd"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await anext(stream)
        with pytest.raises(LLMReplyError, match="not been read to its end"):
            await anext(stream)


async def test_stream_that_does_not_begin_is_asked_for_again(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([status(503), answer("x")])

    async with connect() as llm, llm.stream(LLMRequest.of("问")) as stream:
        assert [piece async for piece in stream] == ["x"]


async def test_stream_that_never_begins_is_an_error(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: status(503))

    async with connect(max_attempts=2) as llm:
        with pytest.raises(LLMServerError):
            await llm.stream(LLMRequest.of("问")).__aenter__()

    assert len(chat_server.requests) == 2


async def test_callers_own_time_between_pieces_is_not_counted(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("", pieces=["a", "b"])])
    pieces = []

    async with connect(timeout=0.3) as llm, llm.stream(LLMRequest.of("问")) as stream:
        async for piece in stream:
            pieces.append(piece)
            await asyncio.sleep(0.2)

    assert pieces == ["a", "b"]


async def test_time_spent_waiting_adds_up_over_the_pieces(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([pause_stream("ab", 60)])

    async with connect(timeout=0.3) as llm, llm.stream(LLMRequest.of("问")) as stream:
        assert await anext(stream) == "ab"
        with pytest.raises(LLMTimeoutError):
            await anext(stream)


async def test_choice_that_is_not_the_first_is_left_aside(chat_server: ChatServer, connect: LLMFactory) -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "b"}}]}
    bare_end = {"choices": [{"index": 0, "finish_reason": "stop"}]}
    chat_server.script([events(chunk({"content": "a"}), other, bare_end)])

    assert (await ask(connect(stream=True))).text == "a"
