"""Right answers of a chat-completions server, plain and streamed, become the same replies."""

from typing import Any

import pytest

from src.shared.domain.llm_exchange import ChatMessage, ImagePart, ImageType, Role, TextPart
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback.answers import MODEL, Answer, answer, raw
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, LLMFactory, ask

pytestmark = pytest.mark.anyio

each_way = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])

SCHEMA = OutputSchema("Sum", {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]})


@each_way
async def test_answer_becomes_a_reply(chat_server: ChatServer, connect: LLMFactory, *, stream: bool) -> None:
    chat_server.script([answer('{"和": 4} 😀', reasoning_content="2 加 2")])

    reply = await ask(connect(stream=stream))

    assert (reply.text, reply.finish_reason, reply.model) == ('{"和": 4} 😀', FinishReason.STOP, MODEL)
    assert (reply.usage, reply.reasoning) == (TokenUsage(7, 5, 2), "2 加 2")
    assert reply.latency > 0


@each_way
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_in_a_field_of_its_own_is_no_part_of_the_answer(
    chat_server: ChatServer, connect: LLMFactory, field: str, *, stream: bool
) -> None:
    message: dict[str, Any] = {field: 'draft {"a": 0}'}
    chat_server.script([answer('{"a": 1}', **message)])

    reply = await ask(connect(stream=stream))

    assert (reply.text, reply.reasoning) == ('{"a": 1}', 'draft {"a": 0}')


@each_way
async def test_reasoning_given_twice_is_kept_once(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.script([answer("x", reasoning_content="thought", reasoning="thought")])

    assert (await ask(connect(stream=stream))).reasoning == "thought"


@each_way
@pytest.mark.parametrize(
    ("spelled", "finish_reason"),
    [
        ("length", FinishReason.LENGTH),
        ("max_tokens", FinishReason.LENGTH),
        ("tool_calls", FinishReason.TOOL_CALLS),
        ("MAX_TOKENS", FinishReason.LENGTH),
        ("something new", FinishReason.UNKNOWN),
        ("", FinishReason.UNKNOWN),
        (None, FinishReason.UNKNOWN),
    ],
)
async def test_finish_reason_says_why_the_model_stopped(
    chat_server: ChatServer, connect: LLMFactory, spelled: str | None, finish_reason: FinishReason, *, stream: bool
) -> None:
    chat_server.script([answer('{"a": 1', spelled)])

    reply = await ask(connect(stream=stream))

    assert (reply.text, reply.finish_reason) == ('{"a": 1', finish_reason)


@each_way
@pytest.mark.parametrize("finish_reason", ["length", "tool_calls"])
async def test_text_may_be_missing_where_all_went_into_reasoning_or_tools(
    chat_server: ChatServer, connect: LLMFactory, finish_reason: str, *, stream: bool
) -> None:
    chat_server.script([answer(None, finish_reason, reasoning_content="…")])

    assert (await ask(connect(stream=stream))).text == ""


@each_way
async def test_empty_text_is_an_answer_for_the_parser_to_refuse(
    chat_server: ChatServer, connect: LLMFactory, *, stream: bool
) -> None:
    chat_server.script([answer("", pieces=[""])])

    assert (await ask(connect(stream=stream))).text == ""


@each_way
@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": "5"}, {"prompt_tokens": -1}])
async def test_odd_usage_costs_no_answer(
    chat_server: ChatServer, connect: LLMFactory, usage: dict[str, Any] | None, *, stream: bool
) -> None:
    chat_server.script([answer("x", usage=usage)])

    reply = await ask(connect(stream=stream))

    assert (reply.text, reply.usage) == ("x", TokenUsage())


async def test_model_asked_for_stands_in_for_one_that_is_not_named(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    chat_server.script([raw(b'\n\n {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}')])

    assert (await ask(connect())).model == "m-1"


async def test_other_choices_than_the_first_are_left_aside(chat_server: ChatServer, connect: LLMFactory) -> None:
    second, first = b'{"index": 1, "message": {"content": "b"}}', b'{"index": 0, "message": {"content": "a"}}'
    chat_server.script([raw(b'{"choices": [' + second + b", " + first + b"]}")])

    assert (await ask(connect())).text == "a"


async def test_json_is_read_whatever_the_content_type_says(chat_server: ChatServer, connect: LLMFactory) -> None:
    body = b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}'
    chat_server.script([raw(body, "text/plain")])

    assert (await ask(connect())).text == "x"


async def test_request_says_what_was_asked(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])

    async with connect(api_key=KEY) as llm:
        await llm.generate(LLMRequest.of("问", "系统", temperature=0.2, max_tokens=50))

    request = chat_server.requests[0]
    messages = [{"role": "system", "content": "系统"}, {"role": "user", "content": "问"}]
    assert request.body == {"model": "m-1", "messages": messages, "temperature": 0.2, "max_tokens": 50}
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_request_leaves_out_what_was_not_asked(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])

    await ask(connect(), "问")

    body = {"model": "m-1", "messages": [{"role": "user", "content": "问"}]}
    assert chat_server.requests[0].body == body


async def test_request_with_images_is_sent_in_parts(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])
    seen = ChatMessage(Role.USER, (TextPart("第 1 页"), ImagePart(b"\x89PNG", ImageType.PNG, "page 1")))
    said = ChatMessage.of(Role.ASSISTANT, "看到了")

    async with connect() as llm:
        await llm.generate(LLMRequest((seen, said, ChatMessage.of(Role.USER, "问")), stop=("</answer>",)))

    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    assert chat_server.requests[0].body == {
        "model": "m-1",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "第 1 页"}, picture]},
            {"role": "assistant", "content": "看到了"},
            {"role": "user", "content": "问"},
        ],
        "stop": ["</answer>"],
    }


async def test_without_a_key_none_is_sent(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])

    await ask(connect())

    assert "authorization" not in chat_server.requests[0].headers


async def test_nothing_is_taken_from_the_vendors_variables(
    chat_server: ChatServer, connect: LLMFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "ambient-value")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/ambient-value")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: ambient-value\nX-Ambient: ambient-value")
    chat_server.script([answer("x")])

    await ask(connect())

    assert "ambient" not in repr(chat_server.requests[0].headers).lower()


async def test_provider_that_promised_json_may_still_answer_prose(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("抱歉，不行。")])

    async with connect(structured_output="json_object") as llm:
        assert (await llm.generate(LLMRequest.of("问", output_schema=SCHEMA))).text == "抱歉，不行。"


SPLIT: list[tuple[Answer, str]] = [
    (answer("", pieces=["a\ud83d", "\ude00b"]), "a😀b"),
    (answer("", pieces=["a\ud83d", "b"]), "a\ufffdb"),
]


@pytest.mark.parametrize(("script", "text"), SPLIT)
async def test_surrogates_in_two_chunks_are_one_character(
    chat_server: ChatServer, connect: LLMFactory, script: Answer, text: str
) -> None:
    """A gateway that counts UTF-16 units escapes the halves of one character apart."""
    chat_server.script([script])

    assert (await ask(connect(stream=True))).text == text


def test_adapter_is_a_port_and_names_no_key() -> None:
    llm: LLMPort = OpenAICompatibleLLM(LLMSettings(base_url="http://127.0.0.1:9/v1", model="m-1", api_key=KEY))

    assert repr(llm) == "OpenAICompatibleLLM(base_url='http://127.0.0.1:9/v1', model='m-1')"
