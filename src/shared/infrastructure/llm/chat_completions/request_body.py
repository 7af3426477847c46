"""The chat-completions protocol: what goes into a request's body, member by member."""

from __future__ import annotations

import base64
from typing import Any

from src.shared.domain.chat import ChatMessage, ImagePart, MessagePart
from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.chat_completions.profiles import Dialect


def messages(request: LLMRequest) -> list[dict[str, Any]]:
    """The conversation. A message of text alone is sent as text, which every server takes."""
    return [{"role": message.role.value, "content": _content(message)} for message in request.messages]


def members(request: LLMRequest, dialect: Dialect, reasoning_effort: str | None = None) -> dict[str, Any]:
    """What the request says beside its messages; what it leaves to the provider is left out.

    Args:
        request: what is asked.
        dialect: how the provider wants it.
        reasoning_effort: where the request names none.
    """
    optional = {
        "temperature": request.temperature if dialect.samples else None,
        "stop": list(request.stop) if request.stop and dialect.samples else None,
        dialect.limit: request.max_tokens,
        "reasoning_effort": request.reasoning_effort or reasoning_effort,
    }
    return {name: value for name, value in optional.items() if value is not None}


def _content(message: ChatMessage) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.parts] if message.images else message.text


def _part(part: MessagePart) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type.value};base64,{base64.b64encode(part.data).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": part.text}
