"""What the repair agent's tests ask again and again: an agent with a scripted model, its refusal, its event."""

from dataclasses import dataclass, field

import pytest

from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import RepairAttempted
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.repair_errors import RepairCode, RepairRefusedError
from src.shared.infrastructure.events.fan_out import MemoryEvents
from src.shared.infrastructure.parsing.inspection import read_object
from tests.shared.reading import refusal_of
from tests.shared.scripted_llm import ScriptedLLM


@dataclass
class Asked:
    """An agent whose model answers from a script, and what it did."""

    answers: tuple[str | LLMReply | Exception, ...]
    bound: int = 16_000
    llm: ScriptedLLM = field(init=False)
    events: MemoryEvents = field(default_factory=MemoryEvents)
    agent: RepairAgent = field(init=False)

    def __post_init__(self) -> None:
        self.llm = ScriptedLLM(list(self.answers))
        self.agent = RepairAgent(self.llm, self.events, read_object, max_input_chars=self.bound)

    @property
    def event(self) -> RepairAttempted:
        """What was told of the only repair."""
        (event,) = self.events.of(RepairAttempted)
        return event

    async def repair(self, broken: str, error: AppException | None = None, *, finished: bool | None = None) -> str:
        """Repair a text, given the error of a reader that refused it, or else the real reader's own."""
        error = error or refusal_of(broken, finished=finished)
        return (await self.agent.repair(broken, error, finished=finished)).text

    async def refusal(
        self, broken: str, code: RepairCode | None = None, error: AppException | None = None
    ) -> RepairRefusedError:
        """Return the error of a repair that must be refused, for this reason if one is given."""
        with pytest.raises(RepairRefusedError) as caught:
            await self.repair(broken, error)
        assert code in {None, caught.value.code}
        return caught.value


def asked(*answers: str | LLMReply | Exception, bound: int = 16_000) -> Asked:
    """An agent whose model gives these answers."""
    return Asked(answers, bound)
