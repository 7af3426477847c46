"""Names and codes as they stand in events: bounded, and fit for any log; some of them come from a provider."""

from __future__ import annotations

import asyncio

from src.shared.domain.exceptions import AppException

NAME_LIMIT = 200
"""Most characters of a label, a model's name, a prompt's id, a stage and a code in an event."""
CANCELLED = "LLM_CALL_CANCELLED"
"""The code of a request that nobody waited for any longer: its task was cancelled, or the time for it was over."""


def event_name(text: str) -> str:
    """At most `NAME_LIMIT` characters of a name, without lone surrogates, which no log can encode."""
    return text[:NAME_LIMIT].encode("utf-8", "backslashreplace").decode("utf-8")[:NAME_LIMIT]


def event_code(error: BaseException) -> str:
    """The code of an error; `LLM_CALL_CANCELLED` for a cancelled request, the type of an exception that is not ours."""
    if isinstance(error, asyncio.CancelledError):
        return CANCELLED
    return event_name(error.code if isinstance(error, AppException) else type(error).__name__)
