"""Right answers become the same replies, whichever API they come through, whole or streamed."""

import asyncio
import json
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from src.shared.domain.llm_errors import LLMReplyError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, ImageType, Role, TextPart
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMRequest, TokenUsage
from src.shared.infrastructure.llm.connections import Limiter
from tests.loopback import anthropic_wire, bedrock_wire, gemini_wire
from tests.loopback.answers import Answer, ChatRequest, answer, chunk, cut_stream, events, raw, tool_call
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.wires import (
    ANTHROPIC,
    ANTHROPIC_STREAMED,
    BEDROCK,
    BEDROCK_STREAMED,
    CHAT,
    GEMINI,
    MISTRAL,
    OVER_HTTP,
    OWN,
    PLAIN,
    SCHEMA,
    STREAMED,
    WIRES,
    Wire,
    each_of,
)

pytestmark = pytest.mark.anyio


@each_of(*WIRES)
async def test_answer_becomes_a_reply(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.answer('{"和": 1.10} 😀')])

    async with wire.connect(chat_server) as llm:
        reply = await llm.generate(wire.request)

    assert (reply.text, reply.finish_reason, reply.model) == ('{"和": 1.10} 😀', FinishReason.STOP, wire.served_by)
    assert (reply.usage, reply.reasoning) == (wire.usage, "")
    assert reply.latency > 0


@each_of(*OVER_HTTP, ANTHROPIC_STREAMED)
async def test_reasoning_is_no_part_of_the_answer(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.reasoned('draft {"a": 0}', '{"a": 1}')])

    async with wire.connect(chat_server) as llm:
        reply = await llm.generate(wire.request)

    assert (reply.text, reply.reasoning) == ('{"a": 1}', 'draft {"a": 0}')


@each_of(*WIRES)
async def test_arguments_of_the_call_are_the_answer(chat_server: ChatServer, wire: Wire) -> None:
    """What the model says beside its call is no part of the answer."""
    chat_server.script([wire.call({"sum": 4, "为": [True, None]})])

    async with wire.connect(chat_server, structured_output="tools") as llm:
        reply = await llm.generate(replace(wire.request, output_schema=SCHEMA))

    assert (json.loads(reply.text), reply.finish_reason) == ({"sum": 4, "为": [True, None]}, FinishReason.TOOL_CALLS)


class Case(NamedTuple):
    """An answer, and what of it is in the reply."""

    wires: tuple[Wire, ...]
    answer: Answer
    text: str
    finish_reason: FinishReason = FinishReason.STOP
    usage: TokenUsage | None = None
    reasoning: str = ""
    mode: str = "prompt"


def calls(finish_reason: str | None, *texts: str, text: str | None = None) -> Answer:
    return answer(text, finish_reason, tool_calls=[tool_call("Sum", arguments) for arguments in texts])


F = FinishReason
ODD_USAGE: list[dict[str, Any] | None] = [
    None,
    {},
    {"prompt_tokens": None, "completion_tokens": "5"},
    {"prompt_tokens": -1},
]
TEXT = {"type": "text", "text": "a"}
CONTENTS: list[tuple[list[Any], str, str]] = [
    ([TEXT, {"type": "output_text", "text": "b"}], "ab", ""),
    (["a", "b"], "ab", ""),
    ([], "", ""),
    ([{"type": "thinking", "thinking": "t"}, TEXT], "a", "t"),
    ([{"type": "reasoning", "text": "t"}, TEXT], "a", "t"),
    ([{"type": "thinking", "thinking": [{"type": "text", "text": "t"}, 7]}, TEXT], "a", "t"),
    ([{"type": "thinking", "thinking": 7}, TEXT], "a", ""),
    ([TEXT, {"type": "reference", "reference_ids": [1]}], "a", ""),
]
CACHED: list[tuple[dict[str, Any], int]] = [
    ({"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}, 4),
    ({"prompt_tokens": 7, "prompt_cache_hit_tokens": 3}, 3),
    ({"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": None}}, 0),
]
ENDS: list[tuple[tuple[Wire, ...], Any, dict[str | None, FinishReason]]] = [
    (
        CHAT,
        answer,
        {
            "length": F.LENGTH,
            "max_tokens": F.LENGTH,
            "MAX_TOKENS": F.LENGTH,
            "tool_calls": F.TOOL_CALLS,
            "content_filter": F.REFUSED,
            "something new": F.UNKNOWN,
            "": F.UNKNOWN,
            None: F.UNKNOWN,
        },
    ),
    (
        (ANTHROPIC, ANTHROPIC_STREAMED),
        anthropic_wire.message,
        {
            "stop_sequence": F.STOP,
            "max_tokens": F.LENGTH,
            "model_context_window_exceeded": F.LENGTH,
            "pause_turn": F.LENGTH,
            "tool_use": F.TOOL_CALLS,
            "refusal": F.REFUSED,
            "something_new": F.UNKNOWN,
            None: F.UNKNOWN,
        },
    ),
    (
        (GEMINI,),
        gemini_wire.content,
        {
            "MAX_TOKENS": F.LENGTH,
            **dict.fromkeys(("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), F.REFUSED),
            "OTHER": F.UNKNOWN,
            "FINISH_REASON_UNSPECIFIED": F.UNKNOWN,
            None: F.UNKNOWN,
        },
    ),
    ((MISTRAL,), answer, {"length": F.LENGTH, "model_length": F.LENGTH, "new": F.UNKNOWN}),
    (
        (BEDROCK, BEDROCK_STREAMED),
        bedrock_wire.converse,
        {
            "max_tokens": F.LENGTH,
            "guardrail_intervened": F.REFUSED,
            "content_filtered": F.REFUSED,
            "something_new": F.UNKNOWN,
        },
    ),
]
CASES: dict[str, Case] = {
    **{
        f"{spelled} of {wires[0].name}": Case(wires, make('{"a": 1', spelled), '{"a": 1', reason)
        for wires, make, reasons in ENDS
        for spelled, reason in reasons.items()
    },
    "reasoning in another field": Case(CHAT, answer("x", reasoning="想"), "x", reasoning="想"),
    "reasoning given twice": Case(CHAT, answer("x", reasoning_content="想", reasoning="想"), "x", reasoning="想"),
    "reasoning alone, cut": Case(CHAT, answer(None, "length", reasoning_content="…"), "", F.LENGTH, reasoning="…"),
    "reasoning alone, and tools": Case(
        CHAT, answer(None, "tool_calls", reasoning_content="…"), "", F.TOOL_CALLS, reasoning="…"
    ),
    "empty": Case(CHAT, answer("", pieces=[""]), ""),
    "declined": Case(CHAT, answer(None, refusal="I cannot help"), "", F.REFUSED, TokenUsage(7, 5, 2)),
    **{
        f"usage {number}": Case(CHAT, answer("x", usage=usage), "x", usage=TokenUsage())
        for number, usage in enumerate(ODD_USAGE)
    },
    "no model": Case(
        (PLAIN,), raw(b'\n\n {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}', "text/plain"), "x"
    ),
    "other choices": Case(
        (PLAIN,),
        raw(
            b'{"choices": [{"index": 1, "message": {"content": "b"}}, '
            b'{"index": 0, "message": {"content": "a"}, "finish_reason": "stop"}]}'
        ),
        "a",
    ),
    **{
        f"content {number}": Case((PLAIN,), answer(content), text, reasoning=reasoning)  # type: ignore[arg-type]  # a list of parts
        for number, (content, text, reasoning) in enumerate(CONTENTS)
    },
    "a part that refuses": Case((PLAIN,), answer([{"type": "refusal", "refusal": "no"}]), "", F.REFUSED),  # type: ignore[arg-type]  # as above
    **{
        f"cached tokens {number}": Case((PLAIN,), answer("x", usage=usage), "x", usage=TokenUsage(7, 0, 0, cached))
        for number, (usage, cached) in enumerate(CACHED)
    },
    "a stream that just ends": Case((STREAMED,), cut_stream("abcdefgh", clean=True), "abcd", F.UNKNOWN),
    "other choices of a stream": Case(
        (STREAMED,),
        events(
            chunk({"content": "a"}),
            {"choices": [{"index": 1, "delta": {"content": "b"}}]},
            {"choices": [{"index": 0, "finish_reason": "stop"}]},
        ),
        "a",
    ),
    "prose for JSON": Case(CHAT, answer("抱歉，不行。"), "抱歉，不行。", mode="json_object"),
    **{
        f"a call, {reason}": Case(CHAT, calls(reason, '{"sum": 4}'), '{"sum": 4}', F(told), mode="tools")
        for reason, told in {"stop": "stop", "length": "length", None: "unknown"}.items()
    },
    "words beside a call": Case(
        CHAT, calls("tool_calls", '{"sum": 4}', text='Calling: {"sum": 0}'), '{"sum": 4}', F.TOOL_CALLS, mode="tools"
    ),
    "no call": Case((*CHAT, MISTRAL), answer('{"sum": 4}'), '{"sum": 4}', mode="tools"),
    "arguments that a server has decoded": Case(
        (PLAIN,),
        answer(None, tool_calls=[{"function": {"name": "Sum", "arguments": {"sum": 4, "注": "和"}}}, {"type": "mcp"}]),
        '{"sum": 4, "注": "和"}',
        mode="tools",
    ),
    "a call that nobody asked for": Case(CHAT, answer("x", tool_calls=[tool_call("Other", "{}")]), "x"),
    "a call of Anthropic that is cut": Case(
        (ANTHROPIC,),
        anthropic_wire.message(None, "max_tokens", arguments={"sum": 4}),
        '{"sum": 4}',
        F.LENGTH,
        mode="tools",
    ),
    "a stream of Anthropic that just ends": Case(
        (ANTHROPIC_STREAMED,), anthropic_wire.message('{"a": 1}', is_cut=True), '{"a": 1}', F.UNKNOWN
    ),
    "a refusal of Anthropic": Case((ANTHROPIC,), anthropic_wire.message(None, "refusal"), "", F.REFUSED),
    "Anthropic's reasoning alone": Case(
        (ANTHROPIC,), anthropic_wire.message(None, "max_tokens", thinking="…"), "", F.LENGTH, reasoning="…"
    ),
    "a refusal of Gemini": Case((GEMINI,), gemini_wire.content(None, "SAFETY"), "", F.REFUSED),
    "a prompt that Gemini blocks": Case((GEMINI,), gemini_wire.blocked(), "", F.REFUSED, TokenUsage(10)),
    "Gemini's reasoning alone": Case(
        (GEMINI,), gemini_wire.content(None, "MAX_TOKENS", thought="…"), "", F.LENGTH, reasoning="…"
    ),
    "no usage of Anthropic": Case(
        (ANTHROPIC,),
        anthropic_wire.message("x", usage={"input_tokens": 0, "output_tokens": 0}),
        "x",
        usage=TokenUsage(),
    ),
    "no usage of Gemini": Case(
        (GEMINI,), gemini_wire.content("x", usage={"totalTokenCount": 0}), "x", usage=TokenUsage()
    ),
}


@pytest.mark.parametrize(
    ("wire", "case"),
    [pytest.param(wire, case, id=f"{wire.name}: {name}") for name, case in CASES.items() for wire in case.wires],
)
async def test_what_of_an_answer_is_in_the_reply(chat_server: ChatServer, wire: Wire, case: Case) -> None:
    chat_server.script([case.answer])

    async with wire.connect(chat_server, structured_output=case.mode) as llm:
        reply = await llm.generate(replace(wire.request, output_schema=SCHEMA))

    assert (reply.text, reply.finish_reason, reply.reasoning) == (case.text, case.finish_reason, case.reasoning)
    assert case.usage in {None, reply.usage}
    assert reply.model


@each_of(*CHAT)
@pytest.mark.parametrize(
    ("tool_calls", "says"),
    [
        ([tool_call("Sum", '{"sum": 4}'), tool_call("Sum", '{"sum": 5}')], "several functions"),
        ([tool_call("Other", '{"sum": 4}')], "not asked for"),
    ],
)
async def test_call_that_was_not_asked_for_is_no_answer(
    chat_server: ChatServer, wire: Wire, tool_calls: list[dict[str, Any]], says: str
) -> None:
    chat_server.script([answer(None, "tool_calls", tool_calls=tool_calls)])

    async with wire.connect(chat_server, structured_output="tools") as llm:
        with pytest.raises(LLMReplyError, match=says):
            await llm.generate(replace(wire.request, output_schema=SCHEMA))


@each_of(*OWN)
async def test_images_arrive_as_they_were(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.answer("x")])
    images = [ImagePart(b"\x89PNG\x00\xff"), ImagePart(b"\xff\xd8\xff", ImageType.JPEG, "page 2")]
    message = ChatMessage(Role.USER, (TextPart("before"), images[0], TextPart("between"), images[1]))

    async with wire.connect(chat_server) as llm:
        await llm.generate(LLMRequest((message,), max_tokens=9))

    assert wire.images(chat_server.requests[0]) == [images[0], replace(images[1], name="")]
    assert "page 2" not in str(chat_server.requests[0].body)


# --- the life of an adapter ----------------------------------------------------------------------------------------


@each_of(*OWN)
async def test_calls_at_once_get_each_its_own_answer(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.respond(lambda request: wire.answer(f"answer to {_last_text(request)}"))

    async with wire.connect(chat_server) as llm:
        replies = await asyncio.gather(*(llm.generate(LLMRequest.of(f"q{n}", max_tokens=9)) for n in range(50)))

    assert [reply.text for reply in replies] == [f"answer to q{n}" for n in range(50)]


def _last_text(request: ChatRequest) -> str:
    message = request.body["contents" if "contents" in request.body else "messages"][-1]
    return str(message["parts" if "parts" in message else "content"][-1]["text"])


@each_of(*OWN)
async def test_limiter_can_be_shared(chat_server: ChatServer, wire: Wire) -> None:
    """A place that somebody else holds is waited for."""
    limiter = Limiter(1)
    chat_server.respond(lambda _: wire.answer("x"))
    async with wire.connect(chat_server, limiter=limiter) as llm:
        async with limiter.place():
            call = asyncio.ensure_future(llm.generate(wire.request))
            await asyncio.sleep(0)
            assert not call.done()
        assert (await call).text == "x"


@each_of(PLAIN, *OWN)
def test_adapter_is_a_port_and_names_no_key(chat_server: ChatServer, wire: Wire) -> None:
    llm: LLMPort = wire.connect(chat_server)

    url = wire.fields(chat_server)["base_url"]
    assert repr(llm) == f"{type(llm).__name__}(base_url={url!r}, model={wire.model!r})"
