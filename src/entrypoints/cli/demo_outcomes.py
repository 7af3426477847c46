"""Fills a store for the demonstration: three days of an application, with an incident, really parsed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.demo_texts import Author, Written
from src.modules.monitoring.container import StepwiseRecording, record_stepwise, watch_alarms
from src.modules.monitoring.domain.moment import DAY, SECOND, Moment
from src.shared.application.question import Question
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.parsing.inspection import read_object

SEED = 1
DAYS = 3
MODELS = ("large-model", "small-model")
TROUBLED, TROUBLED_MODEL = "technical_analyst", "small-model"
"""The agent of the incident, and the model that it asks."""
CALM, RISING, BAD, CALM_AGAIN = 200, 120, 100, 280
"""Texts of that agent before, in the two stretches of the incident, and after it."""
EVERY_RISING, EVERY_BAD = 9, 4
"""In these stretches every so many of its texts need the repair agent."""
OTHERS = 500
"""Texts of the other agents."""
LOOK_EVERY = 40
"""Texts after which somebody looks for alarms, once the incident has begun."""
_BEGINS = 0.5
"""Share of the days after which it begins."""


@dataclass(frozen=True)
class _Planned:
    """A text to come: at a share of the days, of an agent, and whether the repair agent will be needed."""

    at: float
    name: str
    model: str
    is_broken: bool = False


_USAGE = TokenUsage(1_000, 500)


class _Model:
    """Answers what the script says: the text first, and then what was meant."""

    def __init__(self) -> None:
        self.replies: list[LLMReply] = []

    def write(self, written: Written, model: str) -> None:
        self.replies = [LLMReply(text, FinishReason.STOP, model, _USAGE) for text in (written.meant, written.text)]

    async def generate(self, _: LLMRequest) -> LLMReply:
        return self.replies.pop() if len(self.replies) > 1 else self.replies[0]


def fill(url: str, until: Moment) -> int:
    """Fill a store with outcomes of the days before a moment; the number of texts. The same ones every time.

    Raises:
        StoreError: it cannot be written.
    """
    chance, clock = random.Random(SEED), _Clock()  # noqa: S311 - made-up texts, the same every time
    author, recording = Author(chance), record_stepwise(url, clock)
    watcher = watch_alarms(url, clock=clock)
    planned = sorted(_plan(chance), key=lambda each: each.at)
    with asyncio.Runner() as runner:
        for number, each in enumerate(planned, 1):
            clock.now = until - int((1 - each.at) * DAYS * DAY) - SECOND
            written = author.broken(each.name) if each.is_broken else author.ordinary(each.name)
            runner.run(_asked(written, each.model, recording))
            if (each.at > _BEGINS and number % LOOK_EVERY == 0) or number == len(planned):
                recording.flush()
                watcher.look()
    recording.close()
    return len(planned)


class _Clock:
    now: Moment = 0

    def __call__(self) -> Moment:
        return self.now


async def _asked(written: Written, model: str, recording: StepwiseRecording) -> None:
    """Ask for the text, as an application does: what cannot be read is asked for again, or goes to the repair agent."""
    script, events = _Model(), FanOut(recording.events)
    script.write(written, model)
    repair = None if written.is_asked_again else RepairAgent(script, events, read_object)
    llm = TypedLLM(script, output_of=plain_output, events=events, repair=repair)
    budget = Budget(max_retries=1 if written.is_asked_again else 0)
    await llm.generate_and_parse(Question.of(f"Report as {written.agent.name}."), written.agent.output, budget=budget)


def _plan(chance: random.Random) -> Iterator[_Planned]:
    others = [name for name in AGENTS if name != TROUBLED]
    for _ in range(OTHERS):
        yield _Planned(chance.random(), chance.choice(others), chance.choice(MODELS))
    stretches = ((CALM, 0, 0.0, _BEGINS), (RISING, EVERY_RISING, _BEGINS, 0.65), (BAD, EVERY_BAD, 0.65, 0.72))
    for texts, every, begin, end in (*stretches, (CALM_AGAIN, 0, 0.72, 1.0)):
        for number in range(1, texts + 1):
            at = begin + (end - begin) * number / texts
            yield _Planned(at, TROUBLED, TROUBLED_MODEL, bool(every) and number % every == 0)
