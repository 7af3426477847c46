"""Whatever models answer and however their requests end, the events tell of every request once and of every token."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from src.shared.application.question import Question
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.caller import Caller, Purpose
from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMRateLimitError, LLMReplyError
from src.shared.domain.ports.events import CallEnded, CallStarted, RepairAsked, RepairAttempted
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from src.shared.domain.repair_rate import RepairRate, RepairRates
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut, MemoryEvents
from src.shared.infrastructure.parsing.inspection import read_object
from tests.thorough import at_length

GOOD, BROKEN = '{"score": 80, "note": "x"}', '{"score": 80 ;; "note": "x"}'
TEXTS = [GOOD, BROKEN, '{"score": 80 ;; "note": "y"}', '{"score": 180}', "eighty", "", '{"score": 8']
"""Right; damaged in two ways that only the repair agent may mend; and wrong in ways that nobody mends."""


class Grade(BaseModel):
    """A small target."""

    score: int = Field(ge=0, le=100)
    note: str = ""


@dataclass(frozen=True)
class Step:
    """What a model does with a request: it answers, fails, hangs, or the task is cancelled."""

    does: str
    text: str = ""
    finish_reason: FinishReason = FinishReason.STOP
    usage: TokenUsage = field(default_factory=TokenUsage)


@dataclass
class Model:
    """Does one step a request, the last one again and again, and adds up what it gave out."""

    steps: list[Step]
    asked: int = 0
    given: TokenUsage = field(default_factory=TokenUsage)

    async def generate(self, request: LLMRequest) -> LLMReply:
        del request
        self.asked += 1
        step = self.steps[min(self.asked, len(self.steps)) - 1]
        if step.does == "hangs":
            await asyncio.Event().wait()
        if step.does == "cancelled":
            raise asyncio.CancelledError
        self.given += step.usage
        if step.does == "fails":
            error = LLMReplyError("no text") if step.usage.total_tokens else LLMRateLimitError("busy")
            error.usage = step.usage
            raise error
        return LLMReply(step.text, step.finish_reason, "m", step.usage, latency=0.25)


usages = st.builds(TokenUsage, st.integers(1, 100), *[st.integers(0, 100)] * 3)
answers = st.builds(Step, st.just("answers"), st.sampled_from(TEXTS), st.sampled_from(FinishReason), usages)
failures = st.builds(Step, st.just("fails"), usage=usages | st.just(TokenUsage()))
steps_of_a_model = st.lists(answers | failures | st.just(Step("cancelled")), min_size=1, max_size=5)


def told_by(steps: list[Step], budget: Budget) -> tuple[Model, MemoryEvents, TokenUsage | None]:
    """The model, its events, and what the outcome says it cost; None where the call was cancelled."""
    model, events = Model(steps), MemoryEvents()
    repair = RepairAgent(model, events, read_object)
    typed = TypedLLM(model, output_of=plain_output, events=events, repair=repair, budget=budget)

    async def run() -> TokenUsage | None:
        with suppress(asyncio.CancelledError):
            question = Question.of("Grade it.", max_tokens=100)
            return (await typed.generate_and_parse(question, plain_output(Grade, "评分"))).usage
        return None

    return model, events, asyncio.run(run())


def spent(events: Iterable[CallEnded]) -> TokenUsage:
    return reduce(add, (event.usage for event in events), TokenUsage())


@given(steps_of_a_model, st.integers(0, 3))
def test_tokens_of_all_requests_are_what_the_model_gave_out(steps: list[Step], max_retries: int) -> None:
    model, events, cost = told_by(steps, Budget(max_retries=max_retries))
    assert spent(events.of(CallEnded)) == model.given
    assert cost in {None, model.given}


@given(steps_of_a_model, st.integers(0, 3))
def test_each_request_has_one_start_and_then_one_end(steps: list[Step], max_retries: int) -> None:
    model, events, _ = told_by(steps, Budget(max_retries=max_retries))
    requests = [event for event in events.events if isinstance(event, CallStarted | CallEnded)]
    begun, ended = requests[::2], requests[1::2]
    assert [type(event) for event in begun] == [CallStarted] * model.asked
    assert [type(event) for event in ended] == [CallEnded] * model.asked
    assert [event.caller for event in begun] == [event.caller for event in ended]
    assert [event.caller.attempt for event in begun] == [*range(1, model.asked + 1)]


@given(steps_of_a_model)
def test_each_question_of_the_repair_agent_is_one_repair_and_one_request(steps: list[Step]) -> None:
    _, events, _ = told_by(steps, Budget(max_retries=1))
    requests = [event for event in events.of(CallEnded) if event.caller.purpose is Purpose.REPAIR]
    asked, attempted = events.of(RepairAsked), events.of(RepairAttempted)
    assert len(asked) == len(attempted) == len(requests) <= 1
    assert [event.code for event in requests if event.code] == [event.code for event in attempted if not event.model]


def test_repair_that_the_time_cuts_short_is_told_with_its_request() -> None:
    hanging = [Step("answers", BROKEN, usage=TokenUsage(7, 5)), Step("hangs")]
    model, events, cost = told_by(hanging, Budget(max_retries=0, max_seconds=0.2))
    assert [(e.caller.purpose, e.code) for e in events.of(CallEnded)] == [
        (Purpose.ANSWER, ""),
        (Purpose.REPAIR, "LLM_CALL_CANCELLED"),
    ]
    assert [(e.accepted, e.code) for e in events.of(RepairAttempted)] == [(False, "LLM_CALL_CANCELLED")]
    assert cost == model.given == TokenUsage(7, 5)


def test_request_that_the_budgets_time_cuts_short_is_told() -> None:
    _, events, _ = told_by([Step("hangs")], Budget(max_seconds=0.01))
    assert [event.code for event in events.of(CallEnded)] == ["LLM_CALL_CANCELLED"]


# --- the repair rate of what really happens -----------------------------------------------------------------


def rate_after(*texts: str) -> RepairRate:
    """The rate of an agent after one answer, whose model writes these texts in turn."""
    rates = RepairRates()
    model = Model([Step("answers", text, usage=TokenUsage(7, 5)) for text in texts])
    events = FanOut(rates)
    typed = TypedLLM(model, output_of=plain_output, events=events, repair=RepairAgent(model, events, read_object))
    asyncio.run(typed.generate_and_parse(Question.of("Grade it."), plain_output(Grade, "评分")))
    return rates.by_agent()["评分"]


OTHER_BROKEN = f"{BROKEN} "


@pytest.mark.parametrize(
    ("texts", "parses", "asked", "refused"),
    [
        ((GOOD,), 1, 0, 0),
        (("{'score': 80, 'note': 'x',}",), 1, 0, 0),
        ((BROKEN, GOOD), 2, 0, 1),
        ((BROKEN, OTHER_BROKEN, BROKEN, GOOD), 3, 1, 2),
        ((BROKEN, OTHER_BROKEN, BROKEN, "no"), 3, 1, 3),
        ((BROKEN, OTHER_BROKEN, BROKEN, '{"score": 8, "note": "x"}'), 3, 1, 3),
        (('{"score": 180}', '{"score": 181}', '{"score": 182}'), 3, 0, 3),
    ],
    ids=["clean", "a comma", "re-asked", "repaired", "repair refused", "a lie", "breaks the contract"],
)
def test_text_is_one_parse_and_one_question_of_the_repair_agent_at_most(
    texts: tuple[str, ...], parses: int, asked: int, refused: int
) -> None:
    rate = rate_after(*texts)
    assert (rate.parses, rate.asked, rate.refused) == (parses, asked, refused)


def test_rate_says_what_made_the_repair_agent_necessary() -> None:
    assert rate_after(BROKEN, OTHER_BROKEN, BROKEN, GOOD).damage == (("a value is expected here", 1),)


# --- many at once -----------------------------------------------------------------------------------------

CALLS = at_length(200, 1_000)


class Busy:
    """Answers some turns of the loop later, in any order, every third time damaged; adds up what it gave out."""

    def __init__(self) -> None:
        self.asked = 0
        self.given = TokenUsage()

    async def generate(self, request: LLMRequest) -> LLMReply:
        self.asked += 1
        number = self.asked
        for _ in range(number % 7):
            await asyncio.sleep(0)
        usage = TokenUsage(number, 1)
        self.given += usage
        is_repair = "JSON 修复" in (request.system_message or "")
        return LLMReply(BROKEN if number % 3 == 0 and not is_repair else GOOD, FinishReason.STOP, "m", usage)


async def _calls(typed: TypedLLM, is_cancelled: Callable[[int], bool]) -> None:
    async def call(number: int) -> None:
        with suppress(AppException):
            question = Question.of(f"{number}?", prompt_id=str(number))
            await typed.generate_and_parse(question, plain_output(Grade, f"agent-{number % 9}"))

    tasks = [asyncio.create_task(call(number)) for number in range(CALLS)]
    for _ in range(3):
        await asyncio.sleep(0)
    for number, task in enumerate(tasks):
        if is_cancelled(number):
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("is_cancelled", [lambda _: False, lambda number: number % 2 == 0], ids=["none", "half"])
def test_many_calls_at_once_add_up_cancelled_or_not(is_cancelled: Callable[[int], bool]) -> None:
    model, events = Busy(), MemoryEvents()
    repair = RepairAgent(model, events, read_object)
    asyncio.run(_calls(TypedLLM(model, output_of=plain_output, events=events, repair=repair), is_cancelled))
    ended = events.of(CallEnded)
    assert len(events.of(CallStarted)) == len(ended) == model.asked >= CALLS
    assert spent(ended) == model.given
    assert {event.code for event in ended} <= {"", "LLM_CALL_CANCELLED"}
    assert any(event.code for event in ended) is is_cancelled(0)

    def requests(kind: type[CallStarted | CallEnded]) -> Counter[Caller]:
        return Counter(event.caller for event in events.of(kind))

    assert requests(CallStarted) == requests(CallEnded)
