"""A model that knows who asks: a script for each agent, so that agents may ask in any order."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.ports.events import Event
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.scripted_llm import reply

Answer = str | LLMReply | Exception


@dataclass
class RoutedLLM:
    """Answers each agent, known by its title in the system message, from that agent's script; its last answer repeats.

    Attributes:
        scripts: title → answers; an exception is raised.
        pause: awaited before each answer, with the title.
        calls: what each agent asked.
        cancelled: titles of agents whose call was cancelled.
    """

    scripts: dict[str, Sequence[Answer]]
    pause: Callable[[str], float] = lambda _title: 0.0
    calls: dict[str, list[LLMRequest]] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)

    async def generate(self, request: LLMRequest) -> LLMReply:
        title = next(title for title in self.scripts if f"**{title}**" in (request.system_message or ""))
        asked = self.calls.setdefault(title, [])
        asked.append(request)
        number = len(asked)
        try:
            await asyncio.sleep(self.pause(title))
        except asyncio.CancelledError:
            self.cancelled.append(title)
            raise
        answer = self.scripts[title][min(number, len(self.scripts[title])) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, LLMReply) else reply(answer)


class NoEvents:
    """Nobody who listens."""

    def publish(self, event: Event) -> None:
        del event


def typed_llm(llm: LLMPort) -> TypedLLM:
    """The real ask layer over a model."""
    return TypedLLM(llm, output_of=plain_output, events=NoEvents())
