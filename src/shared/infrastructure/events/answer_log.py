"""The lines of a typed answer: one INFO when a model is asked for it, one WARNING when there is none."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import partial
from typing import Any, get_args

from pydantic_core.core_schema import ErrorType

from src.shared.domain.ports.events import AnswerFailed, AnswerRequested
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write

_SAID_AS_IS = ("stage", "json_error", "position", "truncated", "validation_error_count")
"""Facts of a parse error that hold nothing of the text."""
_PYDANTICS_TYPES = frozenset(get_args(ErrorType))
_OTHER_TYPE = "custom"
"""Stands for a type of validation error that is not Pydantic's own: a validator names it, perhaps after a value."""


def log_requested(event: AnswerRequested) -> None:
    """Write `Calling LLM with JSON format`."""
    write("info", "Calling LLM with JSON format", partial(asdict, event))


def log_failed(event: AnswerFailed) -> None:
    """Write `LLM call failed`.

    The places and messages of validation errors may quote the answer (a key of a mapping, a validator's message); the
    bound on excerpts holds for them. Their number and types are always written.
    """
    write("warning", "LLM call failed", partial(_facts, event))


def _facts(event: AnswerFailed) -> dict[str, Any]:
    details = event.details
    facts: dict[str, Any] = {
        "context_label": event.context_label,
        "output_model": event.output_model,
        "code": event.code,
        "stop": event.stop,
        "attempts": event.attempts,
    }
    facts |= {name: details[name] for name in _SAID_AS_IS if name in details}
    errors = details.get("validation_errors")
    if errors:
        facts["validation_error_types"] = _types(errors)
        limit = excerpt_limit()
        if limit:
            facts["validation_errors"] = [_cut(error, limit) for error in errors]
    return facts


def _types(errors: list[dict[str, Any]]) -> dict[str, int]:
    """How often each type occurs."""
    named = (error["type"] if error["type"] in _PYDANTICS_TYPES else _OTHER_TYPE for error in errors)
    return dict(sorted(Counter(named).items()))


def _cut(error: dict[str, Any], limit: int) -> dict[str, Any]:
    """A validation error whose every text is at most `limit` characters long."""
    loc = tuple(excerpt(step, limit) if isinstance(step, str) else step for step in error["loc"])
    return {"loc": loc, "type": excerpt(error["type"], limit), "msg": excerpt(error["msg"], limit)}
