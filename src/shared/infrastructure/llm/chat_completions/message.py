"""The chat-completions protocol: a message, or one delta of it, in every form that servers give it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

_TEXTS = frozenset({"text", "output_text"})
_THOUGHTS = frozenset({"thinking", "reasoning"})
_REFUSAL = "refusal"
_ASIDE = frozenset({"reference", "document_url"})
"""Parts beside the text, which are no part of the answer (Mistral)."""
_REASONING = ("reasoning_content", "reasoning")
"""Where providers put reasoning; who sends both sends the same twice."""


class OtherContentError(ValueError):
    """The content is neither a text nor made of parts that are known."""


@dataclass(slots=True)
class FunctionCall:
    """A function that the model called, or a piece of the call; the arguments are the model's own text."""

    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Part:
    """What a message holds; `text` is None where there is no content, `calls` are by their place."""

    text: str | None = None
    refusal: str = ""
    reasoning: str = ""
    calls: dict[int, FunctionCall] = field(default_factory=dict)


def read_part(message: dict[str, Any]) -> Part:
    """Read a message or a delta.

    Raises:
        OtherContentError: its content cannot be read.
    """
    content = message.get("content")
    part = _of_content(content) if isinstance(content, list) else Part(content)
    if part.text is not None and not isinstance(part.text, str):
        raise OtherContentError
    thought = next((said for name in _REASONING if (said := text_of(message.get(name)))), "")
    part.reasoning = thought or part.reasoning
    part.refusal = text_of(message.get(_REFUSAL)) or part.refusal
    part.calls = _calls(message.get("tool_calls"))
    return part


def joined(pieces: Iterable[FunctionCall]) -> FunctionCall:
    """The pieces of one call together; the name comes once, or again with every piece."""
    pieces = list(pieces)
    name = next((piece.name for piece in pieces if piece.name), "")
    return FunctionCall(name, "".join(piece.arguments for piece in pieces))


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a decoded value is an object."""
    return isinstance(value, dict)


def text_of(value: object) -> str:
    """The value, if it is a text."""
    return value if isinstance(value, str) else ""


def _of_content(content: list[Any]) -> Part:
    texts: list[str] = []
    part = Part()
    for piece in content:
        kind = piece.get("type") if is_object(piece) else "text"
        if kind in _TEXTS:
            texts.append(_said(piece))
        elif kind in _THOUGHTS:
            part.reasoning += _thought(piece)
        elif kind == _REFUSAL:
            part.refusal += text_of(piece.get(_REFUSAL))
        elif kind not in _ASIDE:
            raise OtherContentError
    part.text = "".join(texts) if texts or not (part.reasoning or part.refusal) else None
    return part


def _said(piece: object) -> str:
    said = piece.get("text") if is_object(piece) else piece
    if not isinstance(said, str):
        raise OtherContentError
    return said


def _thought(piece: dict[str, Any]) -> str:
    """A text, or parts of one (Mistral)."""
    thought = next((piece[name] for name in (*_THOUGHTS, "text") if piece.get(name)), "")
    if isinstance(thought, list):
        return "".join(text_of(part.get("text")) for part in thought if is_object(part))
    return text_of(thought)


def _calls(value: object) -> dict[int, FunctionCall]:
    calls: dict[int, FunctionCall] = {}
    for place, call in enumerate(value if isinstance(value, list) else []):
        function = call.get("function") if is_object(call) else None
        if is_object(function):
            at = call["index"] if isinstance(call.get("index"), int) else place
            calls[at] = FunctionCall(text_of(function.get("name")), _arguments(function.get("arguments")))
    return calls


def _arguments(value: object) -> str:
    """The arguments as text; some servers decode them."""
    return json.dumps(value, ensure_ascii=False) if is_object(value) else text_of(value)
