"""What each kind of provider is sent: every profile and every structured mode, over a real socket."""

from typing import Any

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.domain.ports.llm import LLMRequest, OutputSchema
from tests.loopback.answers import answer
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, LLMFactory

pytestmark = pytest.mark.anyio

PLAIN: dict[str, Any] = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
STRICT = PLAIN | {"additionalProperties": False}
SCHEMA = OutputSchema("Sum", PLAIN)
LIST = OutputSchema("Sums", {"type": "array", "items": PLAIN}, is_object=False)
ASKED = LLMRequest.of("问", temperature=0.2, max_tokens=50, stop=("END",), reasoning_effort="low")
USUAL = {"temperature": 0.2, "stop": ["END"], "max_tokens": 50, "reasoning_effort": "low"}
REASONING = {"max_completion_tokens": 50, "reasoning_effort": "low"}

each_way = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


async def sent(server: ChatServer, connect: LLMFactory, request: LLMRequest, **settings: object) -> dict[str, Any]:
    """What the server is sent beside the model, the messages and what asks for a stream."""
    server.script([answer("x")])
    async with connect(**settings) as llm:
        await llm.generate(request)
    usual = {"model", "messages", "stream", "stream_options"}
    return {name: value for name, value in server.requests[-1].body.items() if name not in usual}


@each_way
@pytest.mark.parametrize(
    ("profile", "body"),
    [
        ("openai_compatible", USUAL),
        ("reasoning", REASONING),
        ("azure", USUAL),
        ("azure_reasoning", REASONING),
        ("vllm", USUAL),
        ("ollama", USUAL),
    ],
)
async def test_profile_decides_what_a_request_says(
    chat_server: ChatServer, connect: LLMFactory, profile: str, body: dict[str, Any], *, stream: bool
) -> None:
    assert await sent(chat_server, connect, ASKED, profile=profile, stream=stream) == body


@pytest.mark.parametrize("profile", ["azure", "azure_reasoning"])
async def test_azure_takes_the_key_in_a_header_of_its_own_and_a_version_in_the_query(
    chat_server: ChatServer, connect: LLMFactory, profile: str
) -> None:
    chat_server.script([answer("x")])

    async with connect(profile=profile, api_key=KEY, extra_query={"api-version": "2024-10-21"}) as llm:
        await llm.generate(ASKED)

    request = chat_server.requests[0]
    assert (request.headers["api-key"], "authorization" in request.headers) == (KEY, False)
    assert request.path == "/v1/chat/completions?api-version=2024-10-21"


async def test_what_is_extra_is_sent_and_the_requests_own_wins(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("x")])
    request = LLMRequest.of("问", extra_headers={"X-Run": "7"}, extra_body={"seed": 2, "top_p": 0.5}, temperature=1)

    async with connect(extra_headers={"X-Team": "desk", "X-Run": "0"}, extra_body={"seed": 1, "user": "u"}) as llm:
        await llm.generate(request)

    seen = chat_server.requests[0]
    assert (seen.headers["x-team"], seen.headers["x-run"]) == ("desk", "7")
    assert {"seed": 2, "top_p": 0.5, "user": "u", "temperature": 1}.items() <= seen.body.items()


async def test_effort_of_the_settings_holds_where_a_request_names_none(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    body = await sent(chat_server, connect, LLMRequest.of("问"), profile="reasoning", reasoning_effort="high")

    assert body == {"reasoning_effort": "high"}


STRICT_FORMAT = {"type": "json_schema", "json_schema": {"name": "Sum", "schema": STRICT, "strict": True}}
PLAIN_FORMAT = {"type": "json_schema", "json_schema": {"name": "Sum", "schema": PLAIN}}


def tool(function: dict[str, Any]) -> dict[str, Any]:
    """What makes a model call one function."""
    return {
        "tools": [{"type": "function", "function": {"name": "Sum", **function}}],
        "tool_choice": {"type": "function", "function": {"name": "Sum"}},
        "parallel_tool_calls": False,
    }


@each_way
@pytest.mark.parametrize(
    ("profile", "mode", "schema", "held"),
    [
        ("openai_compatible", "prompt", SCHEMA, {}),
        ("openai_compatible", "json_object", None, {}),
        ("openai_compatible", "json_schema", None, {}),
        ("openai_compatible", "tools", None, {}),
        ("openai_compatible", "json_object", SCHEMA, {"response_format": {"type": "json_object"}}),
        ("openai_compatible", "json_object", LIST, {}),
        ("openai_compatible", "json_schema", SCHEMA, {"response_format": STRICT_FORMAT}),
        ("openai_compatible", "tools", SCHEMA, tool({"parameters": STRICT, "strict": True})),
        ("reasoning", "json_schema", SCHEMA, {"response_format": STRICT_FORMAT}),
        ("reasoning", "tools", SCHEMA, tool({"parameters": STRICT, "strict": True})),
        ("azure", "json_schema", SCHEMA, {"response_format": STRICT_FORMAT}),
        ("azure_reasoning", "json_schema", SCHEMA, {"response_format": STRICT_FORMAT}),
        ("vllm", "json_object", SCHEMA, {"response_format": {"type": "json_object"}}),
        ("vllm", "json_schema", SCHEMA, {"structured_outputs": {"json": PLAIN}}),
        ("vllm", "json_schema", LIST, {"structured_outputs": {"json": LIST.json_schema}}),
        ("vllm", "tools", SCHEMA, tool({"parameters": PLAIN})),
        ("ollama", "json_object", SCHEMA, {"response_format": {"type": "json_object"}}),
        ("ollama", "json_schema", SCHEMA, {"response_format": PLAIN_FORMAT}),
        ("ollama", "tools", SCHEMA, tool({"parameters": PLAIN})),
    ],
)
async def test_provider_is_held_to_a_type_as_it_wants_it(
    chat_server: ChatServer,
    connect: LLMFactory,
    profile: str,
    mode: str,
    schema: OutputSchema | None,
    held: dict[str, Any],
    *,
    stream: bool,
) -> None:
    request = LLMRequest.of("问", output_schema=schema)

    assert await sent(chat_server, connect, request, profile=profile, structured_output=mode, stream=stream) == held


@pytest.mark.parametrize(
    ("mode", "profile", "schema", "reason"),
    [
        ("json_schema", "openai_compatible", LIST, r"\$: .*root has to be an object"),
        ("tools", "openai_compatible", LIST, r"\$: .*root has to be an object"),
        ("tools", "vllm", LIST, r"\$: .*root has to be an object"),
        ("json_schema", "reasoning", OutputSchema("Free", {"type": "object"}), "free keys"),
    ],
)
async def test_type_that_no_provider_can_be_held_to_is_refused_before_any_call(
    chat_server: ChatServer, connect: LLMFactory, mode: str, profile: str, schema: OutputSchema, reason: str
) -> None:
    async with connect(structured_output=mode, profile=profile) as llm:
        with pytest.raises(LLMConfigurationError, match=reason):
            await llm.generate(LLMRequest.of("问", output_schema=schema))

    assert chat_server.requests == []
