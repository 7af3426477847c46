"""What a provider is sent; and what it does not take is refused before anything is sent, never left out."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMRequestError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, ImageType, Role, TextPart
from src.shared.domain.ports.llm import LLMRequest, OutputSchema
from tests.loopback.answers import ChatRequest
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY
from tests.shared.infrastructure.llm.wires import (
    ANTHROPIC,
    BEDROCK,
    CHAT,
    GEMINI,
    LIST,
    MISTRAL,
    OWN,
    PLAIN,
    SCHEMA,
    Wire,
    each_of,
)

pytestmark = pytest.mark.anyio

IMAGE = ImagePart(b"\x89PNG", ImageType.PNG, "page 1")
CONVERSATION = (
    ChatMessage.of(Role.SYSTEM, "系统"),
    ChatMessage.of(Role.USER, "一"),
    ChatMessage.of(Role.ASSISTANT, "二"),
    ChatMessage.of(Role.USER, "三"),
)
ASKED = LLMRequest(CONVERSATION, temperature=0.2, max_tokens=50, stop=("END",))


async def sent(server: ChatServer, wire: Wire, request: LLMRequest, **fields: Any) -> ChatRequest:  # noqa: ANN401 - of the settings
    """What the server is sent."""
    server.script([wire.answer("x")])
    async with wire.connect(server, **fields) as llm:
        await llm.generate(request)
    return server.requests[-1]


def _text(role: str, text: str, member: str = "parts") -> dict[str, Any]:
    return {"role": role, member: [{"text": text}]}


BODIES: list[tuple[Wire, dict[str, Any]]] = [
    (
        PLAIN,
        {
            "messages": [
                {"role": "system", "content": "系统"},
                {"role": "user", "content": "一"},
                {"role": "assistant", "content": "二"},
                {"role": "user", "content": "三"},
            ],
            "model": "m-1",
            "temperature": 0.2,
            "max_tokens": 50,
            "stop": ["END"],
        },
    ),
    (
        ANTHROPIC,
        {"system": "系统", "max_tokens": 50, "temperature": 0.2, "stop_sequences": ["END"], "stream": False},
    ),
    (
        GEMINI,
        {
            "contents": [_text("user", "一"), _text("model", "二"), _text("user", "三")],
            "systemInstruction": _text("user", "系统"),
            "generationConfig": {
                "temperature": 0.2,
                "maxOutputTokens": 50,
                "stopSequences": ["END"],
                "responseModalities": ["TEXT"],
            },
        },
    ),
    (MISTRAL, {"temperature": 0.2, "max_tokens": 50, "stop": ["END"]}),
    (
        BEDROCK,
        {
            "system": [{"text": "系统"}],
            "messages": [
                _text("user", "一", "content"),
                _text("assistant", "二", "content"),
                _text("user", "三", "content"),
            ],
            "inferenceConfig": {"maxTokens": 50, "temperature": 0.2, "stopSequences": ["END"]},
        },
    ),
]
KEYS = {
    PLAIN.name: ("authorization", f"Bearer {KEY}"),
    GEMINI.name: ("x-goog-api-key", KEY),
    MISTRAL.name: ("authorization", f"Bearer {KEY}"),
    BEDROCK.name: ("authorization", "AWS4-HMAC-SHA256 Credential=AKIALOOPBACK/"),
}


@pytest.mark.parametrize(("wire", "body"), BODIES, ids=[wire.name for wire, _ in BODIES])
async def test_request_says_what_was_asked(chat_server: ChatServer, wire: Wire, body: dict[str, Any]) -> None:
    request = await sent(chat_server, wire, ASKED)

    assert {name: request.body.get(name) for name in body} == body
    header, key = KEYS.get(wire.name, ("", ""))
    assert request.headers.get(header, "").startswith(key)
    assert wire is BEDROCK or KEY in str(request.headers)


@each_of(ANTHROPIC, MISTRAL)
async def test_whole_conversation_is_told(chat_server: ChatServer, wire: Wire) -> None:
    messages = (await sent(chat_server, wire, ASKED)).body["messages"]

    told = [(message["role"], str(message["content"])) for message in messages]
    assert [role for role, _ in told][-3:] == ["user", "assistant", "user"]
    assert all(text in content for text, (_, content) in zip("三二一", told[::-1], strict=False))
    assert [role for role, _ in told][:-3] == (["system"] if wire is MISTRAL else [])


async def test_request_leaves_out_what_was_not_asked(chat_server: ChatServer) -> None:
    request = await sent(chat_server, PLAIN, LLMRequest.of("问"), api_key="")

    assert request.body == {"model": "m-1", "messages": [{"role": "user", "content": "问"}]}
    assert "authorization" not in request.headers


async def test_images_are_parts_of_a_message(chat_server: ChatServer) -> None:
    """Of the other APIs test_replies.py asks the same."""
    seen = LLMRequest((ChatMessage(Role.USER, (TextPart("第 1 页"), IMAGE)), *CONVERSATION[2:]), max_tokens=9)

    chat = await sent(chat_server, PLAIN, seen)
    bedrock = await sent(chat_server, BEDROCK, seen)

    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    assert chat.body["messages"][0] == {"role": "user", "content": [{"type": "text", "text": "第 1 页"}, picture]}
    image = bedrock.body["messages"][0]["content"][1]["image"]
    assert (image["format"], base64.b64decode(image["source"]["bytes"])) == ("png", IMAGE.data)


async def test_later_system_message_is_told_first(chat_server: ChatServer) -> None:
    request = await sent(chat_server, GEMINI, LLMRequest((*CONVERSATION, ChatMessage.of(Role.SYSTEM, "四"))))

    assert [part["text"] for part in request.body["systemInstruction"]["parts"]] == ["系统", "四"]


@each_of(*OWN)
async def test_reasoning_effort_reaches_the_provider(chat_server: ChatServer, wire: Wire) -> None:
    body = (await sent(chat_server, wire, LLMRequest.of("问", reasoning_effort="high", max_tokens=9))).body

    assert body.get("thinking") == {"type": "adaptive"} or body["generationConfig"]["thinkingConfig"]["thinking_budget"]


async def test_reasoning_can_be_turned_off(chat_server: ChatServer) -> None:
    body = (await sent(chat_server, GEMINI, LLMRequest.of("问", reasoning_effort="none"))).body

    assert body["generationConfig"]["thinkingConfig"] == {"thinking_budget": 0}


async def test_model_that_does_not_sample_is_told_no_temperature(chat_server: ChatServer) -> None:
    """Callers send one without knowing the model; the repair agent always does."""
    request = LLMRequest.of("问", temperature=0.0, max_tokens=9)

    assert "temperature" not in (await sent(chat_server, ANTHROPIC, request, model="claude-opus-4-8")).body


async def test_settings_speak_where_the_request_does_not(chat_server: ChatServer) -> None:
    settings: dict[str, Any] = {
        "reasoning_effort": "low",
        "extra_headers": {"x-a": "1", "x-b": "1"},
        "extra_body": {"metadata": {"user_id": "1"}},
    }
    own: dict[str, Any] = {"extra_headers": {"x-b": "2"}, "extra_body": {"metadata": {"user_id": "2"}}}

    usual = await sent(chat_server, ANTHROPIC, LLMRequest.of("问", max_tokens=9), **settings)
    other = LLMRequest.of("问", max_tokens=9, reasoning_effort="high", **own)
    another = await sent(chat_server, ANTHROPIC, other, **settings)

    told = [(one.headers["x-a"], one.headers["x-b"], one.body["metadata"]) for one in (usual, another)]
    assert told == [("1", "1", {"user_id": "1"}), ("1", "2", {"user_id": "2"})]
    assert [one.body["output_config"]["effort"] for one in (usual, another)] == ["low", "high"]


@each_of(PLAIN, *OWN)
async def test_nothing_is_taken_from_the_vendors_variables(
    chat_server: ChatServer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "ambient-value")
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "ambient-value")
    for name in ("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/ambient-value")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-ambient: value")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: ambient-value\nX-Ambient: ambient-value")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")

    assert "ambient" not in repr((await sent(chat_server, wire, wire.request)).headers).lower()


# --- what holds a provider to a type; of chat completions the profiles ask the same -------------------------------


def _format(request: ChatRequest) -> Any:  # noqa: ANN401 - as JSON has it
    """What of a request holds the model to a type."""
    body = request.body
    if "contents" in body:
        config = body["generationConfig"]
        schema = {name: config[name] for name in ("responseMimeType", "responseJsonSchema") if name in config}
        return {**schema, **{name: body[name] for name in ("tools", "toolConfig") if name in body}}
    return {name: body[name] for name in ("output_config", "tools", "tool_choice") if name in body}


TOOL = {"name": "Sum", "description": ""}
CLOSED = {
    "type": "object",
    "properties": {"sum": {"type": "number", "description": "{minimum: 0}"}},
    "required": ["sum"],
    "additionalProperties": False,
}
HELD: list[tuple[Wire, str, OutputSchema | None, dict[str, Any]]] = [
    *((wire, "prompt", SCHEMA, {}) for wire in OWN),
    *((wire, "json_schema", None, {}) for wire in OWN),
    *((wire, "json_object", LIST, {}) for wire in OWN),
    (ANTHROPIC, "json_schema", SCHEMA, {"output_config": {"format": {"type": "json_schema", "schema": CLOSED}}}),
    (
        ANTHROPIC,
        "tools",
        SCHEMA,
        {"tools": [{**TOOL, "input_schema": SCHEMA.json_schema}], "tool_choice": {"type": "any"}},
    ),
    (GEMINI, "json_object", SCHEMA, {"responseMimeType": "application/json"}),
    (
        GEMINI,
        "json_schema",
        SCHEMA,
        {"responseMimeType": "application/json", "responseJsonSchema": {**SCHEMA.json_schema, "title": "Sum"}},
    ),
    (
        GEMINI,
        "tools",
        SCHEMA,
        {
            "tools": [{"functionDeclarations": [{**TOOL, "parameters_json_schema": SCHEMA.json_schema}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        },
    ),
    (
        MISTRAL,
        "tools",
        SCHEMA,
        {
            "tools": [
                {"type": "function", "function": {**TOOL, "parameters": SCHEMA.json_schema}},
            ],
            "tool_choice": "any",
        },
    ),
]


@pytest.mark.parametrize(
    ("wire", "mode", "schema", "held"),
    HELD,
    ids=[f"{wire.name} {mode} {schema and schema.name}" for wire, mode, schema, _ in HELD],
)
async def test_mode_holds_the_provider_to_the_type(
    chat_server: ChatServer, wire: Wire, mode: str, schema: OutputSchema | None, held: dict[str, Any]
) -> None:
    asked = LLMRequest.of("问", output_schema=schema, max_tokens=9)

    request = await sent(chat_server, wire, asked, structured_output=mode)

    assert _format(request) == held
    assert "minimum" not in str(request.body.get("system"))


# --- what is refused -------------------------------------------------------------------------------------------------


async def refusal(server: ChatServer, wire: Wire, request: LLMRequest, **fields: Any) -> LLMError:  # noqa: ANN401 - of the settings
    async with wire.connect(server, **fields) as llm:
        with pytest.raises(LLMError) as caught:
            await llm.generate(request)
    assert server.requests == []
    return caught.value


MAGISTRAL = "magistral-medium-2509"


@pytest.mark.parametrize(
    ("wire", "model", "option", "value"),
    [
        (ANTHROPIC, ANTHROPIC.model, "reasoning_effort", "much"),
        (GEMINI, "gemini-2.0-flash", "reasoning_effort", "low"),
        (GEMINI, GEMINI.model, "reasoning_effort", "a little"),
        (GEMINI, GEMINI.model, "extra_body", {"safetySettings": []}),
        (MISTRAL, MISTRAL.model, "extra_body", {"safe_prompt": True}),
        (MISTRAL, MISTRAL.model, "extra_headers", {"x-mine": "1"}),
        (MISTRAL, MISTRAL.model, "reasoning_effort", "high"),
        (MISTRAL, MAGISTRAL, "reasoning_effort", "high"),
    ],
)
async def test_option_that_would_be_left_out_is_refused(
    chat_server: ChatServer,
    wire: Wire,
    model: str,
    option: str,
    value: Any,  # noqa: ANN401 - as JSON has it
) -> None:
    error = await refusal(chat_server, wire, LLMRequest.of("问", **{option: value}), model=model)

    assert (type(error), error.details["reason"]) == (LLMRequestError, option)
    assert "nothing was sent" in error.message
    assert "attempts" not in error.details


@each_of(*OWN)
@pytest.mark.parametrize("role", [Role.SYSTEM, Role.ASSISTANT])
async def test_image_that_the_user_did_not_show_is_refused(chat_server: ChatServer, wire: Wire, role: Role) -> None:
    request = LLMRequest((ChatMessage.of(role, "看", IMAGE), ChatMessage.of(Role.USER, "问")))

    assert (await refusal(chat_server, wire, request)).details["reason"] == "images"


@pytest.mark.parametrize(
    ("wire", "mode", "schema", "model", "says"),
    [
        (ANTHROPIC, "json_object", SCHEMA, ANTHROPIC.model, "json_object"),
        (MISTRAL, "json_object", SCHEMA, MISTRAL.model, "json_object"),
        (MISTRAL, "json_schema", SCHEMA, MISTRAL.model, "LLM_STRUCTURED_OUTPUT"),
        (ANTHROPIC, "json_schema", SCHEMA, "claude-3-5-haiku-latest", "LLM_STRUCTURED_OUTPUT"),
        *((wire, mode, LIST, wire.model, mode) for wire in OWN for mode in ("json_schema", "tools")),
    ],
)
async def test_mode_that_cannot_hold_the_model_to_the_type_is_refused(
    chat_server: ChatServer, wire: Wire, mode: str, schema: OutputSchema, model: str, says: str
) -> None:
    request = LLMRequest.of("问", output_schema=schema)

    error = await refusal(chat_server, wire, request, structured_output=mode, model=model)

    assert type(error) is LLMConfigurationError
    assert says in error.message


@each_of(PLAIN, *OWN)
@pytest.mark.parametrize("name", ["model", "messages", "stream", "stream_options"])
async def test_what_the_request_is_made_of_is_not_replaced(chat_server: ChatServer, wire: Wire, name: str) -> None:
    error = await refusal(chat_server, wire, LLMRequest.of("问", extra_body={name: "another"}))

    assert (type(error), error.details["reason"]) == (LLMConfigurationError, name)


@each_of(*OWN)
@pytest.mark.parametrize(
    ("variable", "option", "value"),
    [
        ("LLM_STREAM", "stream", True),
        ("LLM_EXTRA_QUERY", "extra_query", {"a": "b"}),
        ("LLM_PROFILE", "profile", "vllm"),
    ],
)
def test_setting_of_chat_completions_is_refused(
    chat_server: ChatServer,
    wire: Wire,
    variable: str,
    option: str,
    value: Any,  # noqa: ANN401 - as above
) -> None:
    with pytest.raises(LLMConfigurationError) as caught:
        wire.connect(chat_server, **{option: value})

    assert caught.value.details["reason"] == variable


# --- the profiles of chat completions ---------------------------------------------------------------------------------

OPEN: dict[str, Any] = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
STRICT = OPEN | {"additionalProperties": False}
SUM = OutputSchema("Sum", OPEN)
SUMS = OutputSchema("Sums", {"type": "array", "items": OPEN}, is_object=False)
SAMPLED = {"temperature": 0.2, "stop": ["END"], "max_tokens": 50, "reasoning_effort": "low"}
REASONED = {"max_completion_tokens": 50, "reasoning_effort": "low"}


async def members(server: ChatServer, wire: Wire, request: LLMRequest, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of the settings
    """What the server is sent beside the model, the messages and what asks for a stream."""
    body = (await sent(server, wire, request, **fields)).body
    usual = {"model", "messages", "stream", "stream_options"}
    return {name: value for name, value in body.items() if name not in usual}


@each_of(*CHAT)
@pytest.mark.parametrize(
    ("profile", "body"),
    [
        *((profile, SAMPLED) for profile in ("openai_compatible", "azure", "vllm", "ollama")),
        *((profile, REASONED) for profile in ("reasoning", "azure_reasoning")),
    ],
)
async def test_profile_decides_what_a_request_says(
    chat_server: ChatServer, wire: Wire, profile: str, body: dict[str, Any]
) -> None:
    asked = replace(ASKED, reasoning_effort="low")

    assert await members(chat_server, wire, asked, profile=profile) == body


@pytest.mark.parametrize("profile", ["azure", "azure_reasoning"])
async def test_azure_takes_the_key_in_a_header_of_its_own_and_a_version_in_the_query(
    chat_server: ChatServer, profile: str
) -> None:
    request = await sent(chat_server, PLAIN, ASKED, profile=profile, extra_query={"api-version": "2024-10-21"})

    assert (request.headers["api-key"], "authorization" in request.headers) == (KEY, False)
    assert request.path == "/v1/chat/completions?api-version=2024-10-21"


async def test_what_is_extra_is_sent_and_the_requests_own_wins(chat_server: ChatServer) -> None:
    request = LLMRequest.of("问", extra_headers={"X-Run": "7"}, extra_body={"seed": 2, "top_p": 0.5}, temperature=1)
    settings: dict[str, Any] = {
        "extra_headers": {"X-Team": "desk", "X-Run": "0"},
        "extra_body": {"seed": 1, "user": "u"},
    }

    seen = await sent(chat_server, PLAIN, request, **settings)

    assert (seen.headers["x-team"], seen.headers["x-run"]) == ("desk", "7")
    assert {"seed": 2, "top_p": 0.5, "user": "u", "temperature": 1}.items() <= seen.body.items()


async def test_effort_of_the_settings_holds_where_a_request_names_none(chat_server: ChatServer) -> None:
    body = await members(chat_server, PLAIN, LLMRequest.of("问"), profile="reasoning", reasoning_effort="high")

    assert body == {"reasoning_effort": "high"}


STRICT_FORMAT = {"type": "json_schema", "json_schema": {"name": "Sum", "schema": STRICT, "strict": True}}
OPEN_FORMAT = {"type": "json_schema", "json_schema": {"name": "Sum", "schema": OPEN}}


def tool(function: dict[str, Any]) -> dict[str, Any]:
    """What makes a model call one function."""
    return {
        "tools": [{"type": "function", "function": {"name": "Sum", **function}}],
        "tool_choice": {"type": "function", "function": {"name": "Sum"}},
        "parallel_tool_calls": False,
    }


@each_of(*CHAT)
@pytest.mark.parametrize(
    ("profile", "mode", "schema", "held"),
    [
        ("openai_compatible", "prompt", SUM, {}),
        ("openai_compatible", "json_object", None, {}),
        ("openai_compatible", "json_schema", None, {}),
        ("openai_compatible", "tools", None, {}),
        ("openai_compatible", "json_object", SUM, {"response_format": {"type": "json_object"}}),
        ("openai_compatible", "json_object", SUMS, {}),
        ("openai_compatible", "json_schema", SUM, {"response_format": STRICT_FORMAT}),
        ("openai_compatible", "tools", SUM, tool({"parameters": STRICT, "strict": True})),
        ("reasoning", "json_schema", SUM, {"response_format": STRICT_FORMAT}),
        ("reasoning", "tools", SUM, tool({"parameters": STRICT, "strict": True})),
        ("azure", "json_schema", SUM, {"response_format": STRICT_FORMAT}),
        ("azure_reasoning", "json_schema", SUM, {"response_format": STRICT_FORMAT}),
        ("vllm", "json_object", SUM, {"response_format": {"type": "json_object"}}),
        ("vllm", "json_schema", SUM, {"structured_outputs": {"json": OPEN}}),
        ("vllm", "json_schema", SUMS, {"structured_outputs": {"json": SUMS.json_schema}}),
        ("vllm", "tools", SUM, tool({"parameters": OPEN})),
        ("ollama", "json_object", SUM, {"response_format": {"type": "json_object"}}),
        ("ollama", "json_schema", SUM, {"response_format": OPEN_FORMAT}),
        ("ollama", "tools", SUM, tool({"parameters": OPEN})),
    ],
)
async def test_provider_is_held_to_a_type_as_it_wants_it(
    chat_server: ChatServer, wire: Wire, profile: str, mode: str, schema: OutputSchema | None, held: dict[str, Any]
) -> None:
    request = LLMRequest.of("问", output_schema=schema)

    assert await members(chat_server, wire, request, profile=profile, structured_output=mode) == held


@pytest.mark.parametrize(
    ("mode", "profile", "schema", "reason"),
    [
        ("json_schema", "openai_compatible", SUMS, "root has to be an object"),
        ("tools", "openai_compatible", SUMS, "root has to be an object"),
        ("tools", "vllm", SUMS, "root has to be an object"),
        ("json_schema", "reasoning", OutputSchema("Free", {"type": "object"}), "free keys"),
    ],
)
async def test_type_that_no_provider_can_be_held_to_is_refused_before_any_call(
    chat_server: ChatServer, mode: str, profile: str, schema: OutputSchema, reason: str
) -> None:
    request = LLMRequest.of("问", output_schema=schema)

    error = await refusal(chat_server, PLAIN, request, structured_output=mode, profile=profile)

    assert type(error) is LLMConfigurationError
    assert "$: " in error.message
    assert reason in error.message
