"""Where replies say why the model stopped: the fields of providers and libraries; `finish_reasons.py` has the words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from src.shared.domain.finish_reasons import finish_reason_of

FIELDS = ("finish_reason", "stop_reason", "done_reason", "stopReason", "status")
"""Where a reply has it: OpenAI, Gemini, Mistral; Anthropic; Ollama; Bedrock; OpenAI's responses."""


def finished_by(*replies: object) -> bool | None:
    """What is known of the end of a text, from what its provider said.

    Args:
        replies: mappings or objects, each with any of `FIELDS` or none of them.

    Returns:
        True, it is whole; False, it was cut off; None, nobody said.

    Example:
        >>> finished_by({"finish_reason": "stop"})
        True

    .. versionadded:: 0.1.0
    """
    return end_of({finish_reason_of(field_of(reply, name)).finished for reply in replies for name in FIELDS})


def end_of(ends: Collection[bool | None]) -> bool | None:
    """What all the pieces of an answer say of its end: False if one says that it was cut off, else True if one does."""
    return False if False in ends else True if True in ends else None


def field_of(reply: object, name: str) -> Any:  # noqa: ANN401 - whatever a provider sends
    """A field of a mapping or an object; None where there is none."""
    return reply.get(name) if isinstance(reply, Mapping) else getattr(reply, name, None)
