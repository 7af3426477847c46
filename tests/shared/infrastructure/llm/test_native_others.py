"""Mistral and Bedrock through their own clients, on loopback."""

import base64
import os
from typing import Any, Protocol

import pytest

from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMError,
    LLMRateLimitError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, OutputSchema
from src.shared.infrastructure.llm.native_llm import NativeLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback import bedrock_wire
from tests.loopback.answers import Answer, answer, cut_body, hang, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY
from tests.shared.infrastructure.llm.native_wires import MISTRAL

pytestmark = pytest.mark.anyio

SCHEMA = OutputSchema("Sum", {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]})
CLAUDE = "us.anthropic.claude-sonnet-4-6"


async def ask(llm: NativeLLM, request: LLMRequest | None = None) -> LLMReply:
    async with llm:
        return await llm.generate(request or LLMRequest.of("问"))


async def failure_of(llm: NativeLLM, kind: type[LLMError]) -> LLMError:
    async with llm:
        with pytest.raises(kind) as caught:
            await llm.generate(LLMRequest.of("问"))
    assert type(caught.value) is kind
    return caught.value


class BedrockFactory(Protocol):
    """Makes an adapter for Bedrock; fields of the settings by name."""

    def __call__(self, **fields: object) -> NativeLLM: ...


@pytest.fixture
def bedrock(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> BedrockFactory:
    """Make an adapter for Bedrock on loopback, with credentials of nobody's."""
    variables = {
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "AKIALOOPBACK",
        "AWS_SECRET_ACCESS_KEY": KEY,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def make(**fields: object) -> NativeLLM:
        given: dict[str, Any] = {"provider": "bedrock", "base_url": chat_server.root, "model": CLAUDE}
        return NativeLLM(LLMSettings(**{**given, **fields}))

    return make


async def test_mistral_answers(chat_server: ChatServer) -> None:
    chat_server.script([answer('{"和": 1.10} 😀')])
    request = LLMRequest.of("问", "系统", temperature=0.2, max_tokens=50, stop=("END",))

    reply = await ask(MISTRAL.connect(chat_server), request)

    assert (reply.text, reply.finish_reason, reply.model) == ('{"和": 1.10} 😀', FinishReason.STOP, MISTRAL.served_by)
    assert reply.usage == MISTRAL.usage
    body = chat_server.requests[0].body
    assert [said["role"] for said in body["messages"]] == ["system", "user"]
    assert (body["temperature"], body["max_tokens"], body["stop"]) == (0.2, 50, ["END"])
    assert chat_server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_mistral_keeps_reasoning_apart(chat_server: ChatServer) -> None:
    chat_server.script([MISTRAL.reasoned("draft", "answer")])

    reply = await ask(MISTRAL.connect(chat_server))

    assert (reply.text, reply.reasoning) == ("answer", "draft")


async def test_mistral_calls_the_tool_of_the_type(chat_server: ChatServer) -> None:
    chat_server.script([MISTRAL.call({"sum": 4})])

    llm = MISTRAL.connect(chat_server, structured_output="tools")
    reply = await ask(llm, LLMRequest.of("问", output_schema=SCHEMA))

    assert (reply.text, reply.finish_reason) == ('{"sum": 4}', FinishReason.TOOL_CALLS)
    body = chat_server.requests[0].body
    assert (body["tools"][0]["function"]["name"], body["tool_choice"]) == ("Sum", "any")


@pytest.mark.parametrize(
    ("spelled", "finish_reason"),
    [("length", FinishReason.LENGTH), ("model_length", FinishReason.LENGTH), ("new", FinishReason.UNKNOWN)],
)
async def test_mistral_says_why_it_stopped(chat_server: ChatServer, spelled: str, finish_reason: FinishReason) -> None:
    chat_server.script([answer("x", spelled)])

    assert (await ask(MISTRAL.connect(chat_server))).finish_reason is finish_reason


@pytest.mark.parametrize(
    ("fault", "kind", "sent"),
    [
        (status(401), LLMAuthenticationError, 1),
        (status(422), LLMRequestError, 1),
        (status(429), LLMRateLimitError, 2),
        (status(500), LLMServerError, 2),
        (cut_body(), LLMConnectionError, 2),
        (hang(60), LLMTimeoutError, 1),
    ],
    ids=["401", "422", "429", "500", "cut body", "silence"],
)
async def test_failure_of_mistral_is_one_of_the_domain(
    chat_server: ChatServer, fault: Answer, kind: type[LLMError], sent: int
) -> None:
    chat_server.respond(lambda _: fault)

    await failure_of(MISTRAL.connect(chat_server, max_attempts=2, timeout=1), kind)

    assert len(chat_server.requests) == sent


async def test_bedrock_answers(chat_server: ChatServer, bedrock: BedrockFactory) -> None:
    chat_server.script([bedrock_wire.converse('{"和": 1.10} 😀')])
    message = ChatMessage.of(Role.USER, "看", ImagePart(b"\x89PNG"))
    request = LLMRequest((ChatMessage.of(Role.SYSTEM, "系统"), message), temperature=0.2, max_tokens=50, stop=("END",))

    reply = await ask(bedrock(), request)

    assert (reply.text, reply.finish_reason, reply.model) == ('{"和": 1.10} 😀', FinishReason.STOP, CLAUDE)
    assert (reply.usage.completion_tokens, reply.usage.cached_tokens) == (7, 4)
    sent = chat_server.requests[0]
    assert sent.body["system"] == [{"text": "系统"}]
    assert sent.body["inferenceConfig"] == {"maxTokens": 50, "temperature": 0.2, "stopSequences": ["END"]}
    picture = sent.body["messages"][0]["content"][1]["image"]
    assert (picture["format"], base64.b64decode(picture["source"]["bytes"])) == ("png", b"\x89PNG")
    assert sent.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIALOOPBACK/")


async def test_bedrock_calls_the_tool_of_the_type(chat_server: ChatServer, bedrock: BedrockFactory) -> None:
    chat_server.script([bedrock_wire.converse(None, "tool_use", arguments={"sum": 4})])

    reply = await ask(bedrock(structured_output="tools"), LLMRequest.of("问", output_schema=SCHEMA))

    assert (reply.text, reply.finish_reason) == ('{"sum": 4}', FinishReason.TOOL_CALLS)


@pytest.mark.parametrize("request_", [LLMRequest.of("问", max_tokens=9), LLMRequest.of("问")], ids=["body", "stream"])
@pytest.mark.parametrize(
    ("spelled", "finish_reason"),
    [
        ("max_tokens", FinishReason.LENGTH),
        ("guardrail_intervened", FinishReason.REFUSED),
        ("content_filtered", FinishReason.REFUSED),
        ("something_new", FinishReason.UNKNOWN),
    ],
)
async def test_bedrock_says_why_it_stopped(
    chat_server: ChatServer,
    bedrock: BedrockFactory,
    spelled: str,
    finish_reason: FinishReason,
    request_: LLMRequest,
) -> None:
    chat_server.script([bedrock_wire.converse("x", spelled)])

    assert (await ask(bedrock(), request_)).finish_reason is finish_reason


@pytest.mark.parametrize(
    ("fault", "kind", "sent"),
    [
        (bedrock_wire.error(400, "ValidationException"), LLMRequestError, 1),
        (bedrock_wire.error(403, "AccessDeniedException"), LLMAuthenticationError, 1),
        (bedrock_wire.error(404, "ResourceNotFoundException"), LLMRequestError, 1),
        (bedrock_wire.error(429, "ThrottlingException"), LLMRateLimitError, 2),
        (bedrock_wire.error(500, "InternalServerException"), LLMServerError, 2),
        (bedrock_wire.error(503, "ServiceUnavailableException"), LLMServerError, 2),
        (hang(60), LLMTimeoutError, 1),
    ],
    ids=["400", "403", "404", "429", "500", "503", "silence"],
)
async def test_failure_of_bedrock_is_one_of_the_domain(
    chat_server: ChatServer,
    bedrock: BedrockFactory,
    fault: Answer,
    kind: type[LLMError],
    sent: int,
) -> None:
    chat_server.respond(lambda _: fault)

    await failure_of(bedrock(max_attempts=2, timeout=1), kind)

    assert len(chat_server.requests) == sent


async def test_bedrock_without_a_region_is_a_configuration_error(
    bedrock: BedrockFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.delenv("AWS_REGION", raising=False)

    assert (await failure_of(bedrock(base_url=""), LLMConfigurationError)).details["reason"] == "NoRegionError"


async def test_bedrock_without_credentials_says_so(
    chat_server: ChatServer,
    bedrock: BedrockFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    error = await failure_of(bedrock(), LLMAuthenticationError)

    assert (error.details["reason"], chat_server.requests) == ("NoCredentialsError", [])


async def test_key_of_bedrock_is_not_sent_without_encryption(chat_server: ChatServer, bedrock: BedrockFactory) -> None:
    """botocore refuses it, which shows that the key is what the request would be signed with."""
    error = await failure_of(bedrock(api_key=KEY), LLMConfigurationError)

    assert (error.details["reason"], chat_server.requests) == ("InvalidEndpointConfigurationError", [])
