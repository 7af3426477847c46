"""What agents did: one record for each time an agent was asked, for the listener of the run.

Agents return what the domain wants from them. Prompt, raw text, attempts and cost go to the listener of the run, which
is known by the context of the task (`contextvars`): tasks started within the run inherit it, runs side by side do not
mix. How long the run may still take, and whether somebody has ended it before that, is known by the same context: an
agent ends by itself then, with every reply it has got.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from src.shared.application.question import Outcome
from src.shared.domain.ports.llm import LLMReply

T_co = TypeVar("T_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True, slots=True)
class AgentId:
    """Which agent: the name of its folder, and its Chinese title."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class AgentAnswer(Generic[T_co]):
    """One time an agent was asked, and everything that came of it.

    Attributes:
        agent: who.
        system_message: the system's message.
        outcome: every attempt, the result or the error, tokens and time.
    """

    agent: AgentId
    system_message: str
    outcome: Outcome[T_co]

    @property
    def result(self) -> T_co:
        """The typed answer.

        Raises:
            AppException: there is none; `Outcome.result`.
        """
        return self.outcome.result()

    @property
    def prompt(self) -> str:
        """The user's message as it was sent first."""
        return self.outcome.attempts[0].prompt

    @property
    def raw_output(self) -> str:
        """The agent's last text, as it came; empty where none came."""
        own = [attempt.reply for attempt in self.outcome.attempts if attempt.reply and not attempt.by_repair_agent]
        return own[-1].text if own else ""

    @property
    def replies(self) -> tuple[LLMReply, ...]:
        """All replies of all attempts, the repair agent's too."""
        return tuple(attempt.reply for attempt in self.outcome.attempts if attempt.reply)


class AgentListener(Protocol):
    """Follows a run. It never raises."""

    def agent_started(self, agent: AgentId) -> None:
        """An agent is being asked."""
        ...

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """An agent has answered, or failed to; one that is cancelled never gets here."""
        ...


class Interruption:
    """Ends the agents of a run before its time is up; used once, in the thread of the run's event loop.

    Attributes:
        is_set: whether it has.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._ends: list[Callable[[], None]] = []

    def set(self) -> None:
        """End whoever is asking; whoever asks from now on ends at once."""
        self.is_set = True
        for end in tuple(self._ends):
            end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Call this within the block, as soon as the run is ended."""
        self._ends.append(end)
        try:
            yield
        finally:
            self._ends.remove(end)


class _Run(NamedTuple):
    listener: AgentListener | None = None
    ends_at: float | None = None
    interruption: Interruption | None = None


_NO_RUN = _Run()
_RUN: ContextVar[_Run] = ContextVar("agent_run", default=_NO_RUN)


@contextmanager
def listening(
    listener: AgentListener, *, seconds: float | None = None, interruption: Interruption | None = None
) -> Iterator[None]:
    """Tell this listener of every agent that is asked in this context, until the end of the block.

    Args:
        listener: follows the run.
        seconds: for all agents of the block together; None: no bound.
        interruption: may end them before; None: nothing does.
    """
    token = _RUN.set(_Run(listener, None if seconds is None else time.monotonic() + seconds, interruption))
    try:
        yield
    finally:
        _RUN.reset(token)


def current_listener() -> AgentListener | None:
    """The listener of this context, or None."""
    return _RUN.get().listener


def seconds_left() -> float | None:
    """Seconds that are left of this context's run, 0 where it is over; None without a bound."""
    run = _RUN.get()
    if run.interruption and run.interruption.is_set:
        return 0.0
    return None if run.ends_at is None else max(0.0, run.ends_at - time.monotonic())


def ending(end: Callable[[], None]) -> AbstractContextManager[None]:
    """Have this called within the block, as soon as this context's run is ended before its time."""
    interruption = _RUN.get().interruption
    return interruption.ending(end) if interruption else nullcontext()
