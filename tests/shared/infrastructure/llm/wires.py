"""Every way to ask the loopback server, side by side: chat completions, whole and streamed, and the native APIs."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from src.shared.domain.llm_exchange import ImagePart, ImageType
from src.shared.domain.ports.llm import LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.connections import Limiter
from src.shared.infrastructure.llm.models import connect
from src.shared.infrastructure.llm.native_llm import NativeLLM
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback import answers, anthropic_wire, bedrock_wire, gemini_wire
from tests.loopback.answers import Answer, ChatRequest
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, PROMPT

SCHEMA = OutputSchema(
    "Sum", {"type": "object", "properties": {"sum": {"type": "number", "minimum": 0}}, "required": ["sum"]}
)
USUAL = LLMRequest.of(PROMPT, max_tokens=100)
LIST = OutputSchema("List", {"type": "array"}, is_object=False)


@dataclass(frozen=True)
class Wire:
    """How one provider is asked and answers.

    Attributes:
        name: of the test's case.
        model: a name that pydantic-ai knows.
        served_by: the model's name in every answer.
        usage: tokens of every answer.
        answer: makes an answer of a text and why it ended.
        call: makes an answer that calls the tool.
        reasoned: makes an answer with reasoning before the text.
        settings: fields of the settings that go with it.
        request: what is usually asked.
        images: the images of a request.
    """

    name: str
    model: str
    served_by: str
    usage: TokenUsage
    answer: Callable[..., Answer]
    call: Callable[[dict[str, Any]], Answer]
    reasoned: Callable[[str, str], Answer]
    settings: dict[str, Any] = field(default_factory=dict)
    request: LLMRequest = USUAL
    images: Callable[[ChatRequest], list[ImagePart]] = lambda _: []

    def connect(
        self, server: ChatServer, *, limiter: Limiter | None = None, **fields: object
    ) -> OpenAICompatibleLLM | NativeLLM:
        """Make an adapter for the scripted server; fields of the settings by name."""
        return connect(LLMSettings(**self.fields(server, **fields)), limiter)

    def fields(self, server: ChatServer, **fields: object) -> dict[str, Any]:
        """The fields of the settings."""
        base_url = server.url if self in CHAT else server.root
        return {"base_url": base_url, "model": self.model, "api_key": KEY, **self.settings, **fields}


def _anthropic_images(request: ChatRequest) -> list[ImagePart]:
    blocks = [block for message in request.body["messages"] for block in message["content"]]
    sources = [block["source"] for block in blocks if block["type"] == "image"]
    return [ImagePart(base64.b64decode(source["data"]), ImageType(source["media_type"])) for source in sources]


def _gemini_images(request: ChatRequest) -> list[ImagePart]:
    """Its client writes the alphabet for URLs, which protocol buffers take as well."""
    parts = [part for message in request.body["contents"] for part in message["parts"]]
    images = [part["inlineData"] for part in parts if "inlineData" in part]
    return [ImagePart(base64.urlsafe_b64decode(image["data"]), ImageType(image["mime_type"])) for image in images]


def _thought(thinking: str, text: str) -> Any:  # noqa: ANN401 - content in chunks, as reasoning models of Mistral have it
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}
    return [thought, {"type": "text", "text": text}]


PLAIN = Wire(
    "plain",
    "m-1",
    answers.MODEL,
    TokenUsage(7, 5, 2),
    answers.answer,
    lambda arguments: answers.answer(None, "tool_calls", tool_calls=[answers.tool_call("Sum", _json(arguments))]),
    lambda thinking, text: answers.answer(text, reasoning_content=thinking),
)
STREAMED = replace(PLAIN, name="streamed", settings={"stream": True})
ANTHROPIC = Wire(
    "anthropic",
    "claude-opus-4-6",
    anthropic_wire.MODEL,
    TokenUsage(18, 7, 2, 5),
    anthropic_wire.message,
    lambda arguments: anthropic_wire.message("I call it.", "tool_use", arguments=arguments),
    lambda thinking, text: anthropic_wire.message(text, thinking=thinking),
    {"provider": "anthropic"},
    images=_anthropic_images,
)
ANTHROPIC_STREAMED = replace(ANTHROPIC, name="anthropic streamed", request=LLMRequest.of(PROMPT))
"""Where nothing bounds the answer its client asks for a stream, so that no proxy takes a long silence for a failure."""
GEMINI = Wire(
    "gemini",
    "gemini-2.5-flash",
    gemini_wire.MODEL,
    TokenUsage(10, 7, 2, 4),
    gemini_wire.content,
    lambda arguments: gemini_wire.content(None, "STOP", arguments=arguments),
    lambda thinking, text: gemini_wire.content(text, thought=thinking),
    {"provider": "gemini"},
    images=_gemini_images,
)
MISTRAL = Wire(
    "mistral",
    "mistral-large-latest",
    answers.MODEL,
    TokenUsage(7, 5, 2),
    answers.answer,
    lambda arguments: answers.answer(
        None, "tool_calls", tool_calls=[{"id": "call00001", "function": {"name": "Sum", "arguments": _json(arguments)}}]
    ),
    lambda thinking, text: answers.answer(_thought(thinking, text)),
    {"provider": "mistral"},
)
BEDROCK = Wire(
    "bedrock",
    "us.anthropic.claude-sonnet-4-6",
    "us.anthropic.claude-sonnet-4-6",
    TokenUsage(14, 7, 0, 4),
    bedrock_wire.converse,
    lambda arguments: bedrock_wire.converse(None, "tool_use", arguments=arguments),
    lambda _, text: bedrock_wire.converse(text),
    {"provider": "bedrock", "api_key": ""},
)
BEDROCK_STREAMED = replace(BEDROCK, name="bedrock streamed", request=LLMRequest.of(PROMPT))

CHAT = (PLAIN, STREAMED)
OWN = (ANTHROPIC, GEMINI)
OVER_HTTP = (*CHAT, *OWN, MISTRAL)
WIRES = (*OVER_HTTP, ANTHROPIC_STREAMED, BEDROCK)


def each_of(*wires: Wire) -> pytest.MarkDecorator:
    """Run a test for each of the wires."""
    return pytest.mark.parametrize("wire", wires, ids=[wire.name for wire in wires])


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)
