"""The chat-completions protocol: what goes into a request's body, member by member."""

from __future__ import annotations

import base64
from typing import Any

from src.shared.domain.chat import ChatMessage, ImagePart, MessagePart
from src.shared.domain.ports.llm import LLMRequest


def members(request: LLMRequest) -> dict[str, Any]:
    """What the request says of itself; members that it leaves to the provider are left out."""
    optional = {
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "reasoning_effort": request.reasoning_effort,
        "stop": list(request.stop) or None,
    }
    said = {name: value for name, value in optional.items() if value is not None}
    return {"messages": [_message(message) for message in request.messages], **said}


def _message(message: ChatMessage) -> dict[str, Any]:
    """A message of text alone is sent as text, which every server takes."""
    content = [_part(part) for part in message.parts] if message.images else message.text
    return {"role": message.role.value, "content": content}


def _part(part: MessagePart) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type.value};base64,{base64.b64encode(part.data).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": part.text}
