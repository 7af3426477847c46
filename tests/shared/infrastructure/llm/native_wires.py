"""The native APIs that the loopback server speaks, side by side for the tests of the adapter."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from src.shared.domain.llm_exchange import ImagePart, ImageType
from src.shared.domain.ports.llm import TokenUsage
from src.shared.infrastructure.llm.connections import Limiter
from src.shared.infrastructure.llm.native_llm import NativeLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback import answers, anthropic_wire, gemini_wire
from tests.loopback.answers import Answer, ChatRequest
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY


@dataclass(frozen=True)
class Wire:
    """How one provider is asked and answers.

    Attributes:
        provider: its name in the settings.
        model: a name that pydantic-ai knows.
        served_by: the model's name in every answer.
        usage: tokens of every answer.
        answer: makes an answer of a text and why it ended.
        call: makes an answer that calls the tool.
        reasoned: makes an answer with reasoning before the text.
        images: the images of a request.
    """

    provider: str
    model: str
    served_by: str
    usage: TokenUsage
    answer: Callable[..., Answer]
    call: Callable[[dict[str, Any]], Answer]
    reasoned: Callable[[str, str], Answer]
    images: Callable[[ChatRequest], list[ImagePart]]

    def connect(self, server: ChatServer, *, limiter: Limiter | None = None, **fields: object) -> NativeLLM:
        """Make an adapter for the scripted server; fields of the settings by name."""
        given: dict[str, Any] = {
            "provider": self.provider,
            "base_url": server.root,
            "model": self.model,
            "api_key": KEY,
        }
        return NativeLLM(LLMSettings(**{**given, **fields}), limiter)


def _anthropic_images(request: ChatRequest) -> list[ImagePart]:
    blocks = [block for said in request.body["messages"] for block in said["content"]]
    sources = [block["source"] for block in blocks if block["type"] == "image"]
    return [ImagePart(base64.b64decode(source["data"]), ImageType(source["media_type"])) for source in sources]


def _gemini_images(request: ChatRequest) -> list[ImagePart]:
    """Its client writes the alphabet for URLs, which protocol buffers take as well."""
    parts = [part["inlineData"] for said in request.body["contents"] for part in said["parts"] if "inlineData" in part]
    return [ImagePart(base64.urlsafe_b64decode(part["data"]), ImageType(part["mime_type"])) for part in parts]


ANTHROPIC = Wire(
    "anthropic",
    "claude-opus-4-6",
    anthropic_wire.MODEL,
    TokenUsage(18, 7, 2, 5),
    anthropic_wire.message,
    lambda arguments: anthropic_wire.message("I call it.", "tool_use", arguments=arguments),
    lambda thinking, text: anthropic_wire.message(text, thinking=thinking),
    _anthropic_images,
)
GEMINI = Wire(
    "gemini",
    "gemini-2.5-flash",
    gemini_wire.MODEL,
    TokenUsage(10, 7, 2, 4),
    gemini_wire.content,
    lambda arguments: gemini_wire.content(None, "STOP", arguments=arguments),
    lambda thinking, text: gemini_wire.content(text, thought=thinking),
    _gemini_images,
)


def _called(arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - a field of a message
    return [{"id": "call00001", "function": {"name": "Sum", "arguments": json.dumps(arguments)}}]


def _thought(thinking: str, text: str) -> Any:  # noqa: ANN401 - content in chunks, as reasoning models of Mistral have it
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": thinking}]}
    return [thought, {"type": "text", "text": text}]


MISTRAL = Wire(
    "mistral",
    "mistral-large-latest",
    answers.MODEL,
    TokenUsage(7, 5, 2),
    answers.answer,
    lambda arguments: answers.answer(None, "tool_calls", tool_calls=_called(arguments)),
    lambda thinking, text: answers.answer(_thought(thinking, text)),
    lambda _: [],
)

each_wire = pytest.mark.parametrize("wire", [ANTHROPIC, GEMINI], ids=lambda wire: wire.provider)
