"""On whose behalf a model is asked: what every event and every span of a request says about it.

The caller is known by the context of the task (`contextvars`) while its request is under way: an adapter that wraps a
model does not have to be told, and requests side by side do not mix.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum

from src.shared.domain.event_names import event_name


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

    def for_repair(self) -> Caller:
        """The same caller, who has the repair agent ask."""
        return replace(self, purpose=Purpose.REPAIR)


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
