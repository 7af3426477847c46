"""What a provider does not take is refused before anything is sent, never left out."""

from typing import Any

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMRequestError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import LLMRequest, OutputSchema
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import PROMPT
from tests.shared.infrastructure.llm.native_wires import ANTHROPIC, GEMINI, MISTRAL, Wire, each_wire

pytestmark = pytest.mark.anyio

SCHEMA = OutputSchema("Sum", {"type": "object", "properties": {"sum": {"type": "integer"}}})
IMAGE = ImagePart(b"\x89PNG")


async def refusal(server: ChatServer, wire: Wire, request: LLMRequest, **fields: Any) -> LLMError:  # noqa: ANN401 - of the settings
    async with wire.connect(server, **fields) as llm:
        with pytest.raises(LLMError) as caught:
            await llm.generate(request)
    assert server.requests == []
    assert "attempts" not in caught.value.details
    return caught.value


@pytest.mark.parametrize(
    ("wire", "model", "option", "given"),
    [
        (ANTHROPIC, "claude-opus-4-6", "reasoning_effort", {"reasoning_effort": "much"}),
        (GEMINI, "gemini-2.0-flash", "reasoning_effort", {"reasoning_effort": "low"}),
        (GEMINI, "gemini-2.5-flash", "reasoning_effort", {"reasoning_effort": "a little"}),
        (GEMINI, "gemini-2.5-flash", "extra_body", {"extra_body": {"safetySettings": []}}),
        (MISTRAL, "mistral-large-latest", "extra_body", {"extra_body": {"safe_prompt": True}}),
        (MISTRAL, "mistral-large-latest", "extra_headers", {"extra_headers": {"x-mine": "1"}}),
        (MISTRAL, "mistral-large-latest", "reasoning_effort", {"reasoning_effort": "high"}),
        (MISTRAL, "magistral-medium-2509", "reasoning_effort", {"reasoning_effort": "high"}),
    ],
)
async def test_option_that_would_be_left_out_is_refused(
    chat_server: ChatServer, wire: Wire, model: str, option: str, given: dict[str, Any]
) -> None:
    error = await refusal(chat_server, wire, LLMRequest.of("问", **given), model=model)

    assert (type(error), error.details["reason"]) == (LLMRequestError, option)
    assert "nothing was sent" in error.message


@each_wire
@pytest.mark.parametrize("role", [Role.SYSTEM, Role.ASSISTANT])
async def test_image_that_the_user_did_not_show_is_refused(chat_server: ChatServer, wire: Wire, role: Role) -> None:
    request = LLMRequest((ChatMessage.of(role, "看", IMAGE), ChatMessage.of(Role.USER, "问")))

    assert (await refusal(chat_server, wire, request)).details["reason"] == "images"


@pytest.mark.parametrize(
    ("wire", "mode"),
    [(ANTHROPIC, "json_object"), (MISTRAL, "json_object")],
    ids=lambda value: value.provider if isinstance(value, Wire) else value,
)
async def test_mode_that_the_provider_does_not_have_is_refused(chat_server: ChatServer, wire: Wire, mode: str) -> None:
    request = LLMRequest.of("问", output_schema=SCHEMA)

    error = await refusal(chat_server, wire, request, structured_output=mode)

    assert (type(error), error.details["reason"]) == (LLMConfigurationError, mode)


@pytest.mark.parametrize(
    ("wire", "model"),
    [(MISTRAL, "mistral-large-latest"), (ANTHROPIC, "claude-3-5-haiku-latest")],
    ids=lambda value: value.provider if isinstance(value, Wire) else value,
)
async def test_mode_that_the_client_finds_the_model_does_not_have_is_refused(
    chat_server: ChatServer, wire: Wire, model: str
) -> None:
    async with wire.connect(chat_server, structured_output="json_schema", model=model) as llm:
        with pytest.raises(LLMConfigurationError, match="LLM_STRUCTURED_OUTPUT"):
            await llm.generate(LLMRequest.of("问", output_schema=SCHEMA))

    assert chat_server.requests == []


@each_wire
@pytest.mark.parametrize(
    "request_",
    [
        LLMRequest.of("\ud800"),
        LLMRequest.of("问", stop=("\udfff",)),
        LLMRequest.of("问", temperature=float("nan")),
        LLMRequest.of("问", output_schema=OutputSchema("Sum", {"type": "object", "default": float("inf")})),
    ],
    ids=["prompt", "stop", "temperature", "schema"],
)
async def test_request_that_cannot_be_written_is_refused(
    chat_server: ChatServer, wire: Wire, request_: LLMRequest
) -> None:
    error = await refusal(chat_server, wire, request_)

    assert type(error) is LLMRequestError
    assert "cannot be written as JSON" in error.message


async def test_reasoning_can_be_turned_off(chat_server: ChatServer) -> None:
    chat_server.script([GEMINI.answer("x")])

    async with GEMINI.connect(chat_server) as llm:
        await llm.generate(LLMRequest.of("问", reasoning_effort="none"))

    assert chat_server.requests[0].body["generationConfig"]["thinkingConfig"] == {"thinking_budget": 0}


async def test_model_that_does_not_sample_is_told_no_temperature(chat_server: ChatServer) -> None:
    """Callers send one without knowing the model; the repair agent always does."""
    chat_server.script([ANTHROPIC.answer("x")])

    async with ANTHROPIC.connect(chat_server, model="claude-opus-4-8") as llm:
        await llm.generate(LLMRequest.of("问", temperature=0.0, max_tokens=9))

    assert "temperature" not in chat_server.requests[0].body


@each_wire
@pytest.mark.parametrize("name", ["model", "messages", "stream"])
async def test_what_the_request_is_made_of_is_not_replaced(chat_server: ChatServer, wire: Wire, name: str) -> None:
    error = await refusal(chat_server, wire, LLMRequest.of("问", extra_body={name: "another"}))

    assert (type(error), error.details["reason"]) == (LLMConfigurationError, name)


@pytest.mark.parametrize("mode", ["json_schema", "tools"])
@each_wire
async def test_type_that_is_no_object_is_refused_where_it_cannot_be_held_to(
    chat_server: ChatServer, wire: Wire, mode: str
) -> None:
    request = LLMRequest.of("问", output_schema=OutputSchema("List", {"type": "array"}, is_object=False))

    error = await refusal(chat_server, wire, request, structured_output=mode)

    assert (type(error), error.details["reason"]) == (LLMConfigurationError, mode)


async def test_settings_speak_where_the_request_does_not(chat_server: ChatServer) -> None:
    chat_server.script([ANTHROPIC.answer("x")] * 2)
    settings: dict[str, Any] = {
        "reasoning_effort": "low",
        "extra_headers": {"x-a": "1", "x-b": "1"},
        "extra_body": {"metadata": {"user_id": "1"}},
    }
    own: dict[str, Any] = {"extra_headers": {"x-b": "2"}, "extra_body": {"metadata": {"user_id": "2"}}}

    async with ANTHROPIC.connect(chat_server, **settings) as llm:
        await llm.generate(LLMRequest.of("问", max_tokens=9))
        await llm.generate(LLMRequest.of("问", max_tokens=9, reasoning_effort="high", **own))

    told = [(sent.headers["x-a"], sent.headers["x-b"], sent.body["metadata"]) for sent in chat_server.requests]
    assert told == [("1", "1", {"user_id": "1"}), ("1", "2", {"user_id": "2"})]
    assert [sent.body["output_config"]["effort"] for sent in chat_server.requests] == ["low", "high"]


@each_wire
@pytest.mark.parametrize(
    ("variable", "given"),
    [
        ("LLM_STREAM", {"stream": True}),
        ("LLM_EXTRA_QUERY", {"extra_query": {"a": "b"}}),
        ("LLM_PROFILE", {"profile": "vllm"}),
    ],
)
def test_setting_of_chat_completions_is_refused(
    chat_server: ChatServer, wire: Wire, variable: str, given: dict[str, Any]
) -> None:
    with pytest.raises(LLMConfigurationError) as caught:
        wire.connect(chat_server, **given)

    assert caught.value.details["reason"] == variable


@each_wire
async def test_nothing_of_the_vendors_variables_is_used(
    chat_server: ChatServer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "not-ours")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-not: ours")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    chat_server.script([wire.answer("x")])

    async with wire.connect(chat_server) as llm:
        await llm.generate(LLMRequest.of(PROMPT))

    headers = chat_server.requests[0].headers
    assert "x-not" not in headers
    assert "not-ours" not in str(headers)
