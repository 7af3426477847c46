"""Right answers of Anthropic's and Gemini's own APIs, through the vendors' clients, become replies."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from src.shared.domain.llm_errors import LLMReplyError, LLMServerError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, ImageType, Role, TextPart
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.native_llm import NativeLLM
from tests.loopback import anthropic_wire, gemini_wire
from tests.loopback.answers import Answer, ChatRequest
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, failure
from tests.shared.infrastructure.llm.native_wires import ANTHROPIC, GEMINI, Wire, each_wire

pytestmark = pytest.mark.anyio

SCHEMA = OutputSchema(
    "Sum", {"type": "object", "properties": {"sum": {"type": "number", "minimum": 0}}, "required": ["sum"]}
)
SHORT: dict[str, Any] = {"max_tokens": 100}
"""Where Anthropic is told how much to write, its client asks for one body, not for a stream."""


async def ask(llm: NativeLLM, request: LLMRequest | None = None) -> LLMReply:
    async with llm:
        return await llm.generate(request or LLMRequest.of("问", **SHORT))


@each_wire
async def test_answer_becomes_a_reply(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.answer('{"和": 1.10} 😀')])

    reply = await ask(wire.connect(chat_server))

    assert (reply.text, reply.finish_reason) == ('{"和": 1.10} 😀', FinishReason.STOP)
    assert (reply.model, reply.usage, reply.reasoning) == (wire.served_by, wire.usage, "")
    assert reply.latency > 0


@each_wire
async def test_reasoning_is_no_part_of_the_answer(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.reasoned('draft {"a": 0}', '{"a": 1}')])

    reply = await ask(wire.connect(chat_server))

    assert (reply.text, reply.reasoning) == ('{"a": 1}', 'draft {"a": 0}')


async def test_answer_of_any_length_comes_as_a_stream_from_anthropic(chat_server: ChatServer) -> None:
    """Its client asks for one where nothing bounds the answer, so that no proxy takes a long silence for a failure."""
    chat_server.script([anthropic_wire.message('{"a": 1}', thinking="hm")])

    reply = await ask(ANTHROPIC.connect(chat_server), LLMRequest.of("问"))

    assert chat_server.requests[0].streams
    assert (reply.text, reply.reasoning, reply.finish_reason) == ('{"a": 1}', "hm", FinishReason.STOP)
    assert (reply.model, reply.usage) == (ANTHROPIC.served_by, ANTHROPIC.usage)


async def test_stream_that_just_ends_leaves_open_whether_the_text_is_whole(chat_server: ChatServer) -> None:
    chat_server.script([anthropic_wire.message('{"a": 1}', is_cut=True)])

    reply = await ask(ANTHROPIC.connect(chat_server), LLMRequest.of("问"))

    assert (reply.text, reply.finish_reason) == ('{"a": 1}', FinishReason.UNKNOWN)


@pytest.mark.parametrize(
    ("spelled", "finish_reason"),
    [
        ("end_turn", FinishReason.STOP),
        ("stop_sequence", FinishReason.STOP),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("pause_turn", FinishReason.LENGTH),
        ("tool_use", FinishReason.TOOL_CALLS),
        ("refusal", FinishReason.REFUSED),
        ("something_new", FinishReason.UNKNOWN),
        (None, FinishReason.UNKNOWN),
    ],
)
@pytest.mark.parametrize("request_", [LLMRequest.of("问", **SHORT), LLMRequest.of("问")], ids=["body", "stream"])
async def test_anthropic_says_why_it_stopped(
    chat_server: ChatServer, spelled: str | None, finish_reason: FinishReason, request_: LLMRequest
) -> None:
    chat_server.script([anthropic_wire.message('{"a": 1', spelled)])

    reply = await ask(ANTHROPIC.connect(chat_server), request_)

    assert (reply.text, reply.finish_reason, reply.usage) == ('{"a": 1', finish_reason, ANTHROPIC.usage)


@pytest.mark.parametrize(
    ("spelled", "finish_reason"),
    [
        ("STOP", FinishReason.STOP),
        ("MAX_TOKENS", FinishReason.LENGTH),
        *[
            (spelled, FinishReason.REFUSED)
            for spelled in ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")
        ],
        ("OTHER", FinishReason.UNKNOWN),
        ("FINISH_REASON_UNSPECIFIED", FinishReason.UNKNOWN),
        (None, FinishReason.UNKNOWN),
    ],
)
async def test_gemini_says_why_it_stopped(
    chat_server: ChatServer, spelled: str | None, finish_reason: FinishReason
) -> None:
    chat_server.script([gemini_wire.content('{"a": 1', spelled)])

    reply = await ask(GEMINI.connect(chat_server))

    assert (reply.text, reply.finish_reason, reply.usage) == ('{"a": 1', finish_reason, GEMINI.usage)


async def test_prompt_that_gemini_blocks_is_a_refusal(chat_server: ChatServer) -> None:
    chat_server.script([gemini_wire.blocked()])

    reply = await ask(GEMINI.connect(chat_server))

    assert (reply.text, reply.finish_reason, reply.usage.prompt_tokens) == ("", FinishReason.REFUSED, 10)


@pytest.mark.parametrize("spelled", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
async def test_answer_that_gemini_broke_off_is_asked_for_again(chat_server: ChatServer, spelled: str) -> None:
    chat_server.script([gemini_wire.content(None, spelled), gemini_wire.content("whole")])

    assert (await ask(GEMINI.connect(chat_server))).text == "whole"


async def test_answer_that_is_always_broken_off_is_the_providers_failure(chat_server: ChatServer) -> None:
    chat_server.respond(lambda _: gemini_wire.content(None, "MALFORMED_FUNCTION_CALL"))

    async with GEMINI.connect(chat_server, max_attempts=2) as llm:
        error = await failure(llm, LLMServerError)

    assert (error.details["reason"], error.details["attempts"]) == ("MALFORMED_FUNCTION_CALL", 2)


@pytest.mark.parametrize(
    ("wire", "answer"),
    [
        (ANTHROPIC, anthropic_wire.message(None, "refusal")),
        (ANTHROPIC, anthropic_wire.message(None, "max_tokens", thinking="…")),
        (GEMINI, gemini_wire.content(None, "SAFETY")),
        (GEMINI, gemini_wire.content(None, "MAX_TOKENS", thought="…")),
    ],
    ids=["refusal", "max_tokens", "SAFETY", "MAX_TOKENS"],
)
async def test_text_may_be_missing_where_the_reason_says_why(
    chat_server: ChatServer, wire: Wire, answer: Answer
) -> None:
    chat_server.script([answer])

    assert (await ask(wire.connect(chat_server))).text == ""


@each_wire
async def test_answer_without_a_text_is_no_reply(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.answer(None)])

    async with wire.connect(chat_server) as llm:
        assert "without a text" in (await failure(llm, LLMReplyError)).message


@each_wire
async def test_tool_call_becomes_its_arguments(chat_server: ChatServer, wire: Wire) -> None:
    """What the model says beside its call is no part of the answer."""
    chat_server.script([wire.call({"sum": 4, "为": [True, None]})])

    reply = await ask(
        wire.connect(chat_server, structured_output="tools"), LLMRequest.of("问", output_schema=SCHEMA, **SHORT)
    )

    assert (reply.text, reply.finish_reason) == ('{"sum": 4, "为": [true, null]}', FinishReason.TOOL_CALLS)


async def test_tool_call_that_was_cut_off_is_cut_off(chat_server: ChatServer) -> None:
    chat_server.script([anthropic_wire.message(None, "max_tokens", arguments={"sum": 4})])

    request = LLMRequest.of("问", output_schema=SCHEMA, **SHORT)
    reply = await ask(ANTHROPIC.connect(chat_server, structured_output="tools"), request)

    assert (reply.text, reply.finish_reason) == ('{"sum": 4}', FinishReason.LENGTH)


@each_wire
async def test_images_arrive_as_they_were(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.answer("x")])
    images = [ImagePart(b"\x89PNG\x00\xff"), ImagePart(b"\xff\xd8\xff", ImageType.JPEG, "page 2")]
    message = ChatMessage(Role.USER, (TextPart("before"), images[0], TextPart("between"), images[1]))

    await ask(wire.connect(chat_server), LLMRequest((message,), **SHORT))

    assert wire.images(chat_server.requests[0]) == [images[0], replace(images[1], name="")]
    assert "page 2" not in str(chat_server.requests[0].body)


CONVERSATION = (
    ChatMessage.of(Role.SYSTEM, "系统"),
    ChatMessage.of(Role.USER, "一"),
    ChatMessage.of(Role.ASSISTANT, "二"),
    ChatMessage.of(Role.USER, "三"),
)


async def test_anthropic_is_told_the_whole_conversation(chat_server: ChatServer) -> None:
    chat_server.script([anthropic_wire.message("x")])

    request = LLMRequest(CONVERSATION, temperature=0.2, max_tokens=50, stop=("END",), extra_headers={"x-mine": "1"})
    await ask(ANTHROPIC.connect(chat_server), request)

    sent = chat_server.requests[0]
    assert _told(sent.body["messages"], "content") == [("user", "一"), ("assistant", "二"), ("user", "三")]
    body = {name: sent.body[name] for name in sent.body.keys() - {"messages"}}
    assert body == {
        "model": ANTHROPIC.model,
        "system": "系统",
        "max_tokens": 50,
        "temperature": 0.2,
        "stop_sequences": ["END"],
        "stream": False,
    }
    assert (sent.headers["x-mine"], KEY in str(sent.headers)) == ("1", True)


async def test_gemini_is_told_the_whole_conversation(chat_server: ChatServer) -> None:
    chat_server.script([gemini_wire.content("x")])

    request = LLMRequest(CONVERSATION, temperature=0.2, max_tokens=50, stop=("END",), extra_headers={"x-mine": "1"})
    await ask(GEMINI.connect(chat_server), request)

    sent = chat_server.requests[0]
    assert sent.path == f"/v1beta/models/{GEMINI.model}:generateContent"
    assert _told(sent.body["contents"], "parts") == [("user", "一"), ("model", "二"), ("user", "三")]
    assert _told([sent.body["systemInstruction"]], "parts") == [("user", "系统")]
    assert sent.body["generationConfig"] == {
        "temperature": 0.2,
        "maxOutputTokens": 50,
        "stopSequences": ["END"],
        "responseModalities": ["TEXT"],
    }
    assert (sent.headers["x-mine"], sent.headers["x-goog-api-key"]) == ("1", KEY)


def _told(messages: list[dict[str, Any]], parts: str) -> list[tuple[str, str]]:
    return [(said["role"], "".join(part["text"] for part in said[parts])) for said in messages]


async def test_later_system_message_is_told_first(chat_server: ChatServer) -> None:
    chat_server.script([gemini_wire.content("x")])

    await ask(GEMINI.connect(chat_server), LLMRequest((*CONVERSATION, ChatMessage.of(Role.SYSTEM, "四"))))

    told = chat_server.requests[0].body["systemInstruction"]["parts"]
    assert [part["text"] for part in told] == ["系统", "四"]


@each_wire
async def test_reasoning_effort_reaches_the_provider(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.script([wire.answer("x")])

    await ask(wire.connect(chat_server), LLMRequest.of("问", reasoning_effort="high", **SHORT))

    body = chat_server.requests[0].body
    assert body.get("thinking") == {"type": "adaptive"} or body["generationConfig"]["thinkingConfig"]["thinking_budget"]


async def test_members_of_the_body_reach_anthropic(chat_server: ChatServer) -> None:
    chat_server.script([anthropic_wire.message("x")])

    await ask(ANTHROPIC.connect(chat_server), LLMRequest.of("问", extra_body={"metadata": {"user_id": "u"}}, **SHORT))

    assert chat_server.requests[0].body["metadata"] == {"user_id": "u"}


def _format(request: ChatRequest) -> Any:  # noqa: ANN401 - as JSON has it
    """What of a request holds the model to a type."""
    body = request.body
    if "contents" in body:
        config = body["generationConfig"]
        schema = {name: config[name] for name in ("responseMimeType", "responseJsonSchema") if name in config}
        return {**schema, **{name: body[name] for name in ("tools", "toolConfig") if name in body}}
    return {name: body[name] for name in ("output_config", "tools", "tool_choice") if name in body}


@pytest.mark.parametrize(
    ("wire", "mode", "held"),
    [
        (ANTHROPIC, "prompt", {}),
        (
            ANTHROPIC,
            "json_schema",
            {
                "output_config": {
                    "format": {
                        "type": "json_schema",
                        "schema": {
                            "type": "object",
                            "properties": {"sum": {"type": "number", "description": "{minimum: 0}"}},
                            "required": ["sum"],
                            "additionalProperties": False,
                        },
                    }
                }
            },
        ),
        (
            ANTHROPIC,
            "tools",
            {
                "tools": [{"name": "Sum", "description": "", "input_schema": SCHEMA.json_schema}],
                "tool_choice": {"type": "any"},
            },
        ),
        (GEMINI, "prompt", {}),
        (GEMINI, "json_object", {"responseMimeType": "application/json"}),
        (
            GEMINI,
            "json_schema",
            {"responseMimeType": "application/json", "responseJsonSchema": {**SCHEMA.json_schema, "title": "Sum"}},
        ),
        (
            GEMINI,
            "tools",
            {
                "tools": [
                    {
                        "functionDeclarations": [
                            {"name": "Sum", "description": "", "parameters_json_schema": SCHEMA.json_schema}
                        ]
                    }
                ],
                "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            },
        ),
    ],
    ids=lambda value: value.provider if isinstance(value, Wire) else value if isinstance(value, str) else "",
)
async def test_mode_holds_the_provider_to_the_type(
    chat_server: ChatServer, wire: Wire, mode: str, held: dict[str, Any]
) -> None:
    chat_server.script([wire.answer('{"sum": 4}')])

    request = LLMRequest.of("问", output_schema=SCHEMA, **SHORT)
    await ask(wire.connect(chat_server, structured_output=mode), request)

    assert _format(chat_server.requests[0]) == held
    assert "minimum" not in str(chat_server.requests[0].body.get("system"))


@each_wire
@pytest.mark.parametrize(
    ("mode", "schema"),
    [("json_schema", None), ("json_object", OutputSchema("List", {"type": "array"}, is_object=False))],
    ids=["no type", "no object"],
)
async def test_nothing_holds_the_provider_where_there_is_nothing_to_hold_it_to(
    chat_server: ChatServer, wire: Wire, mode: str, schema: OutputSchema | None
) -> None:
    chat_server.script([wire.answer("[1]")])

    await ask(wire.connect(chat_server, structured_output=mode), LLMRequest.of("问", output_schema=schema, **SHORT))

    assert _format(chat_server.requests[0]) == {}


@each_wire
async def test_usage_may_be_missing(chat_server: ChatServer, wire: Wire) -> None:
    nothing = {"input_tokens": 0, "output_tokens": 0} if wire is ANTHROPIC else {"totalTokenCount": 0}
    chat_server.script([wire.answer("x", usage=nothing)])

    assert (await ask(wire.connect(chat_server))).usage == TokenUsage()


@each_wire
def test_one_adapter_serves_several_event_loops(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.respond(lambda _: wire.answer("x"))
    llm = wire.connect(chat_server)

    texts = [asyncio.run(llm.generate(LLMRequest.of("问", **SHORT))).text for _ in range(3)]

    async def last() -> str:
        async with llm:
            return (await llm.generate(LLMRequest.of("问", **SHORT))).text

    assert [*texts, asyncio.run(last())] == ["x"] * 4


@each_wire
async def test_calls_at_once_get_each_its_own_answer(chat_server: ChatServer, wire: Wire) -> None:
    chat_server.respond(lambda request: wire.answer(f"answer to {_last_text(request)}"))

    async with wire.connect(chat_server) as llm:
        replies = await asyncio.gather(*(llm.generate(LLMRequest.of(f"q{n}", **SHORT)) for n in range(50)))

    assert [reply.text for reply in replies] == [f"answer to q{n}" for n in range(50)]


def _last_text(request: ChatRequest) -> str:
    said = request.body["contents" if "contents" in request.body else "messages"][-1]
    return str(said["parts" if "parts" in said else "content"][-1]["text"])


@each_wire
def test_adapter_is_an_implementation_of_the_port(chat_server: ChatServer, wire: Wire) -> None:
    llm: LLMPort = wire.connect(chat_server)

    assert repr(llm) == f"NativeLLM(base_url={chat_server.root!r}, model={wire.model!r})"
