"""`llm-output demo --serve`: a store of made-up days, and the service that shows them."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.recorded import PACKAGED, packaged
from src.modules.monitoring.container import StepwiseRecording, read_rates, record_stepwise, watch_alarms
from src.modules.monitoring.domain.exceptions import StoreMissingError
from src.modules.monitoring.domain.rate import DAY, SECOND, Moment
from src.shared.application.question import Question
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.parsing.inspection import read_object

Damage = Callable[[str, random.Random], str]

_LAST_BRACE = -1


def _before_the_end(mark: str) -> Damage:
    return lambda text, _: text[:_LAST_BRACE].rstrip() + mark + "}"


def _at_a_line_end(old: str, new: str) -> Damage:
    """Write something else at the end of one line that has it."""

    def damaged(text: str, chance: random.Random) -> str:
        lines = text.split("\n")
        fitting = [number for number, line in enumerate(lines) if line.endswith(old)]
        at = chance.choice(fitting)
        lines[at] = lines[at].removesuffix(old) + new
        return "\n".join(lines)

    return damaged


def _everywhere(old: str, new: str) -> Damage:
    return lambda text, _: text.replace(old, new)


MENDED: tuple[Damage, ...] = (
    _before_the_end(","),
    _at_a_line_end(",", ""),
    _at_a_line_end(",", ",,"),
    _at_a_line_end(",", ",  # checked"),
    _everywhere('": ', '"：'),
    _everywhere('\n  "', "\n  \N{LEFT DOUBLE QUOTATION MARK}"),
    lambda text, _: f"<think>The numbers first.</think>\n```json\n{text}\n```",
    lambda text, _: f"Here is the result:\n\n{text}\n\nTell me if you need more.",
)
"""Damage that the parser undoes by itself, and what stands around a text."""
ASKED_AGAIN: tuple[Damage, ...] = (
    lambda text, chance: text[: int(len(text) * chance.uniform(0.3, 0.8))],
    lambda *_: "I am sorry, I cannot judge this company.",
    lambda text, _: text.replace('": ', '_": ', 1),
    lambda text, _: f"<think>A draft: {text}",
    lambda *_: "",
)
"""Texts that the parser refuses, and that a model has to write anew."""
FOR_THE_REPAIR_AGENT: tuple[Damage, ...] = (_at_a_line_end(",", ", ;;"),)
"""Damage of which the parser cannot prove how it is undone."""


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
_CLEAN, _RECORDED, _MENDED = 0.72, 0.8, 0.95
"""Shares of ordinary texts: clean, recorded, damaged; the rest has to be written anew."""
_USAGE = TokenUsage(1_000, 500)


@dataclass(frozen=True)
class _Planned:
    """A text to come: at a share of the days, of an agent, and whether the repair agent will be needed."""

    at: float
    name: str
    model: str
    is_broken: bool = False


class _Author:
    """Writes texts for all agents; `meant` has what each should have been, with one member a line."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.meant = {
            name: json.dumps(json.loads(_text(name, "clean.txt")), ensure_ascii=False, indent=2) for name in packaged()
        }
        self._recorded = {
            name: [_text(name, recording.file) for recording in manifest.recordings if recording.is_read]
            for name, manifest in packaged().items()
        }

    def text(self, planned: _Planned) -> str:
        """A broken text, or one of an ordinary day: mostly clean, sometimes damaged, seldom of no use."""
        if planned.is_broken:
            return self._damaged(planned.name, FOR_THE_REPAIR_AGENT)
        kind = self._chance.random()
        if kind < _CLEAN:
            return self.meant[planned.name]
        if kind < _RECORDED:
            return self._chance.choice(self._recorded[planned.name])
        return self._damaged(planned.name, MENDED if kind < _MENDED else ASKED_AGAIN)

    def _damaged(self, name: str, damages: tuple[Damage, ...]) -> str:
        return self._chance.choice(damages)(self.meant[name], self._chance)


def _text(name: str, file: str) -> str:
    return read_source(str(PACKAGED / name / file)).text


class _Model:
    """Answers with each text in turn, and goes on with the last one."""

    def __init__(self, model: str, *texts: str) -> None:
        self._replies = [LLMReply(text, FinishReason.STOP, model, _USAGE) for text in reversed(texts)]

    async def generate(self, _: LLMRequest) -> LLMReply:
        return self._replies.pop() if len(self._replies) > 1 else self._replies[0]


class _Clock:
    now: Moment = 0

    def __call__(self) -> Moment:
        return self.now


def fill(url: str, until: Moment) -> int:
    """Fill a store with outcomes of the days before a moment; the number of texts. The same ones every time.

    Raises:
        StoreError: it cannot be written.
    """
    chance, clock = random.Random(SEED), _Clock()  # noqa: S311 - made-up texts, the same every time
    author, recording = _Author(chance), record_stepwise(url, clock)
    watcher = watch_alarms(url, clock=clock)
    planned = sorted(_plan(chance), key=lambda each: each.at)
    with asyncio.Runner() as runner:
        for number, each in enumerate(planned, 1):
            clock.now = until - int((1 - each.at) * DAYS * DAY) - SECOND
            runner.run(_asked(each, author, recording))
            if (each.at > _BEGINS and number % LOOK_EVERY == 0) or number == len(planned):
                recording.flush()
                watcher.look()
    recording.close()
    return len(planned)


async def _asked(planned: _Planned, author: _Author, recording: StepwiseRecording) -> None:
    """Ask for the text, as an application does: what cannot be read is asked for again, or goes to the repair agent."""
    model = _Model(planned.model, author.text(planned), author.meant[planned.name])
    events = FanOut(recording.events)
    repair = RepairAgent(model, events, read_object) if planned.is_broken else None
    llm = TypedLLM(model, output_of=plain_output, events=events, repair=repair)
    budget = Budget(max_retries=0 if planned.is_broken else 1)
    question = Question.of(f"Report as {planned.name}.")
    await llm.generate_and_parse(question, AGENTS[planned.name].output, budget=budget)


def _plan(chance: random.Random) -> Iterator[_Planned]:
    others = [name for name in AGENTS if name != TROUBLED]
    for _ in range(OTHERS):
        yield _Planned(chance.random(), chance.choice(others), chance.choice(MODELS))
    stretches = ((CALM, 0, 0.0, _BEGINS), (RISING, EVERY_RISING, _BEGINS, 0.65), (BAD, EVERY_BAD, 0.65, 0.72))
    for texts, every, begin, end in (*stretches, (CALM_AGAIN, 0, 0.72, 1.0)):
        for number in range(1, texts + 1):
            at = begin + (end - begin) * number / texts
            yield _Planned(at, TROUBLED, TROUBLED_MODEL, bool(every) and number % every == 0)


@contextmanager
def served_store(given: str | None) -> Iterator[str]:
    """The address of an empty store; without one given, of one that is removed in the end.

    Raises:
        CommandError: the store holds outcomes.
    """
    if given is None:
        with tempfile.TemporaryDirectory(prefix="llm-output-demo-") as folder:
            yield f"sqlite:///{folder}/outcomes.db"
        return
    with suppress(StoreMissingError):
        if read_rates(given).facts().newest is not None:
            raise CommandError(
                "该存储中已有结果；请指定一个空的存储", "the store holds outcomes already; name an empty one"
            )
    yield given
