"""A typed model over a script, and what it told everybody."""

from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget, Spending
from src.shared.domain.caller import NOBODY, Caller
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import OutputParsed
from src.shared.domain.ports.llm import LLMPort, LLMReply
from src.shared.domain.ports.repair import RepairedText, RepairPort
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut, MemoryEvents
from src.shared.infrastructure.events.log import LogEvents
from tests.shared.scripted_llm import ScriptedLLM


class Grade(BaseModel):
    """A small target."""

    score: int = Field(ge=0, le=100)
    reason: str = ""


class Events(MemoryEvents):
    """Keeps what it is told."""

    @property
    def seen(self) -> list[OutputParsed]:
        """The parses."""
        return self.of(OutputParsed)


@dataclass
class Repairer:
    """Answers every repair with the same text, or raises."""

    answer: str | AppException
    accepting: bool = True
    asked: list[str] = field(default_factory=list)
    told: list[bool | None] = field(default_factory=list)

    def accepts(self, broken: str, error: AppException) -> bool:
        """As told."""
        del broken, error
        return self.accepting

    async def repair(
        self,
        broken: str,
        error: AppException,
        *,
        finished: bool | None = None,
        caller: Caller = NOBODY,
        spending: Spending | None = None,
    ) -> RepairedText:
        """Answer."""
        del error, caller, spending
        self.asked.append(broken)
        self.told.append(finished)
        if isinstance(self.answer, AppException):
            raise self.answer
        return RepairedText(self.answer, LLMReply(self.answer, model="repairer"))


def typed(
    *script: str | LLMReply | Exception,
    repair: RepairPort | None = None,
    budget: Budget | None = None,
    fallback: LLMPort | None = None,
) -> tuple[TypedLLM, ScriptedLLM, Events]:
    """A model that answers from a script, behind `TypedLLM`."""
    llm, events = ScriptedLLM(list(script)), Events()
    told = FanOut(LogEvents(), events)
    asked = TypedLLM(llm, output_of=plain_output, events=told, repair=repair, budget=budget, fallback=fallback)
    return asked, llm, events
