"""On whose behalf a model is asked: what every event and every span of a request says about it.

The caller is known by the context of the task (`contextvars`) while its request is under way: an adapter that wraps a
model does not have to be told, and requests side by side do not mix.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from src.shared.domain.exceptions import AppException
from src.shared.domain.one_line import well_formed

NAME_LIMIT = 200
"""Most characters of a label, a model's name, a prompt's id, a stage and a code in an event."""
CANCELLED = "LLM_CALL_CANCELLED"
"""The code of a request that nobody waited for any longer: its task was cancelled, or the time for it was over."""


def event_name(text: str) -> str:
    """At most `NAME_LIMIT` characters of a name, without lone surrogates, which no log can encode."""
    return well_formed(text[:NAME_LIMIT])[:NAME_LIMIT]


def event_code(error: BaseException) -> str:
    """The code of an error; `LLM_CALL_CANCELLED` for a cancelled request, the type of an exception that is not ours."""
    if isinstance(error, asyncio.CancelledError):
        return CANCELLED
    return event_name(error.code if isinstance(error, AppException) else type(error).__name__)


class Purpose(StrEnum):
    """What a model is asked for."""

    ANSWER = "answer"
    """An answer to the caller's question, a re-ask included."""
    REPAIR = "repair"
    """The syntax of a text that the parser could not read."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks a model, and what for; its names are as `event_name` makes them.

    Attributes:
        context_label: who, such as an agent's title.
        prompt_id: identifies the prompt to readers of events; empty if none was given.
        attempt: 1 for the first question, 2 for the one after the first re-ask, and so on; the repair agent's is the
            one after the last.
        purpose: an answer, or a repair.
    """

    context_label: str = ""
    prompt_id: str = ""
    attempt: int = 1
    purpose: Purpose = Purpose.ANSWER

    def __post_init__(self) -> None:
        """Make the names fit for any log."""
        for name in ("context_label", "prompt_id"):
            object.__setattr__(self, name, event_name(getattr(self, name)))


NOBODY = Caller()
"""Stands for a caller that did not say who it is."""

_CALLER: ContextVar[Caller] = ContextVar("caller", default=NOBODY)


@contextmanager
def asking_as(caller: Caller) -> Iterator[None]:
    """Let every request in this context be this caller's, until the end of the block."""
    token = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(token)


def current_caller() -> Caller:
    """Whose request is under way in this context; `NOBODY` where none is."""
    return _CALLER.get()
