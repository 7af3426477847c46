"""What agents did: one record for each time an agent was asked, for the listener of the run.

Agents return what the domain wants from them. Prompt, raw text, attempts and cost go to the listener of the run, which
is known by the context of the task (`contextvars`): tasks started within the run inherit it, runs side by side do not
mix.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

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


LISTENER: ContextVar[AgentListener | None] = ContextVar("agent_listener", default=None)
"""Who is told in this context, or None."""


@contextmanager
def listening(listener: AgentListener) -> Iterator[None]:
    """Tell this listener of every agent that is asked in this context, until the end of the block."""
    token = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(token)
