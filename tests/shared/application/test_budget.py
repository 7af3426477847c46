"""No request exceeds a budget: every combination of bounds, every way an answer goes wrong, the repair agent too."""

import asyncio
from dataclasses import dataclass, field, replace
from itertools import product

import pytest

from src.shared.application.question import Question
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget, Stop, TokenPrice, prompt_tokens, tokens_of
from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMBudgetError,
    LLMConnectionError,
    LLMError,
    LLMRateLimitError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.parsing.inspection import read_object
from tests.shared.application.typed import Events, Grade
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio

PRICE = TokenPrice(2.0, 8.0)
BROKEN = '{"score": 80;; "title" -> "approve" | "reason": "as agreed"}'
TOO_HIGH = '{"score": 180, "reason": "' + "as agreed " * 40 + '"}'
PROSE = "I would rather not say. " * 20
WHOLE = '{"score": 80}'


@dataclass
class MeteredLLM:
    """Writes the same text at every request, as far as its limit allows, and says what that costs or does not.

    Attributes:
        text: what it writes.
        is_silent: whether it keeps its usage to itself.
        pause: seconds of each request.
        sent: the requests, in order.
    """

    text: str
    is_silent: bool = False
    pause: float = 0.0
    sent: list[LLMRequest] = field(default_factory=list)
    spent: TokenUsage = field(default_factory=TokenUsage)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Write."""
        self.sent.append(request)
        await asyncio.sleep(self.pause)
        text, finish = self.text, FinishReason.STOP
        while request.max_tokens is not None and tokens_of(text) > request.max_tokens:
            text, finish = text[:-1], FinishReason.LENGTH
        usage = TokenUsage(prompt_tokens(request), tokens_of(text))
        self.spent += usage
        return LLMReply(text, finish, usage=TokenUsage() if self.is_silent else usage)


def typed(llm: MeteredLLM, budget: Budget) -> TypedLLM:
    """The real layers over it, the repair agent among them."""
    events = FanOut()
    repair = RepairAgent(llm, events, read_object)
    return TypedLLM(llm, output_of=plain_output, events=events, repair=repair, budget=budget)


RETRIES = (0, 2)
TOKENS = (None, 1, 300, 2_000)
COST = (None, 0.0, 0.003)
SECONDS = (None, 0.0, 30.0)
TEXTS = {"prose": PROSE, "broken": BROKEN, "too high": TOO_HIGH}
COMBINATIONS = [
    Budget(retries, tokens, seconds, cost, PRICE)
    for retries, tokens, cost, seconds in product(RETRIES, TOKENS, COST, SECONDS)
]


@pytest.mark.parametrize("is_silent", [False, True], ids=["usage told", "usage estimated"])
@pytest.mark.parametrize("max_tokens", [None, 100])
@pytest.mark.parametrize("text", TEXTS)
async def test_no_request_exceeds_a_budget(text: str, max_tokens: int | None, *, is_silent: bool) -> None:
    for budget in COMBINATIONS:
        llm = MeteredLLM(TEXTS[text], is_silent)

        outcome = await typed(llm, budget).generate_and_parse(
            Question.of("Grade it.", max_tokens=max_tokens), plain_output(Grade)
        )

        answers = [attempt for attempt in outcome.attempts if not attempt.by_repair_agent]
        assert llm.spent.total_tokens <= (budget.max_tokens or 10**9), budget
        assert PRICE.cost(llm.spent) <= (10**9 if budget.max_cost is None else budget.max_cost), budget
        assert len(answers) <= budget.max_retries + 1, budget
        assert not (budget.max_seconds == 0 and llm.sent), budget
        assert outcome.usage.total_tokens == llm.spent.total_tokens, budget


async def test_budget_that_allows_no_request_is_an_error_that_says_so() -> None:
    llm = MeteredLLM(WHOLE)

    outcome = await typed(llm, Budget(max_tokens=1)).generate_and_parse(Question.of("?"), plain_output(Grade))

    assert (outcome.stop, llm.sent, len(outcome.attempts)) == (Stop.TOKENS_SPENT, [], 1)
    with pytest.raises(LLMBudgetError):
        outcome.result()


async def test_time_that_is_up_keeps_the_repair_agent_from_being_asked() -> None:
    llm = MeteredLLM(BROKEN, pause=0.06)

    outcome = await typed(llm, Budget(max_retries=0, max_seconds=0.05)).generate_and_parse(
        Question.of("?"), plain_output(Grade)
    )

    assert (outcome.stop, len(llm.sent)) == (Stop.SECONDS_SPENT, 1)


async def test_repair_is_not_asked_for_where_the_budget_has_no_room_for_its_prompt() -> None:
    llm = MeteredLLM(BROKEN)
    room = 60

    question = Question.of("Grade it.")
    asking = typed(llm, Budget(max_retries=0))
    first = await asking.generate_and_parse(question, plain_output(Grade))
    cost = first.attempts[0].usage.total_tokens
    asked = len(llm.sent)
    outcome = await asking.generate_and_parse(
        question, plain_output(Grade), budget=Budget(max_retries=0, max_tokens=cost + room)
    )

    assert asked == 2
    assert (len(llm.sent) - asked, len(outcome.attempts)) == (1, 1)


# --- the fallback model ---------------------------------------------------------------------------------------

QUESTION = Question.of("Grade it.")


@pytest.mark.parametrize("kind", [LLMConnectionError, LLMTimeoutError, LLMRateLimitError, LLMServerError])
async def test_another_model_is_asked_where_the_provider_of_the_first_fails(kind: type[LLMError]) -> None:
    first, other = ScriptedLLM([kind("failed")]), ScriptedLLM([WHOLE])
    llm = TypedLLM(first, output_of=plain_output, events=FanOut(), fallback=other)

    outcome = await llm.generate_and_parse(QUESTION, plain_output(Grade))

    assert outcome.result() == Grade(score=80)
    assert [type(attempt.error) for attempt in outcome.attempts] == [kind, type(None)]
    assert other.calls == first.calls


async def test_first_text_is_the_first_attempt_at_the_output_whatever_failed_before_it() -> None:
    first, other, events = ScriptedLLM([LLMServerError("failed")]), ScriptedLLM([PROSE, WHOLE]), Events()
    llm = TypedLLM(first, output_of=plain_output, events=events, fallback=other)

    await llm.generate_and_parse(QUESTION, plain_output(Grade))

    assert [(event.outcome, event.attempt) for event in events.seen] == [
        (ParseOutcome.REFUSED, 1),
        (ParseOutcome.CLEAN, 2),
    ]


async def test_other_model_is_asked_again_as_the_first_would_be() -> None:
    first, other = ScriptedLLM([LLMServerError("failed")]), ScriptedLLM([PROSE, WHOLE])
    llm = TypedLLM(first, output_of=plain_output, events=FanOut(), fallback=other, budget=Budget(max_retries=1))

    outcome = await llm.generate_and_parse(QUESTION, plain_output(Grade))

    assert (len(first.calls), len(other.calls), outcome.stop) == (1, 2, Stop.ANSWERED)


async def test_failure_of_the_other_model_ends_it() -> None:
    first, other = ScriptedLLM([LLMServerError("failed")]), ScriptedLLM([LLMConnectionError("failed, too")])
    llm = TypedLLM(first, output_of=plain_output, events=FanOut(), fallback=other)

    outcome = await llm.generate_and_parse(QUESTION, plain_output(Grade))

    assert (outcome.stop, len(outcome.attempts)) == (Stop.PROVIDER_ERROR, 2)
    with pytest.raises(LLMConnectionError):
        outcome.result()


async def test_request_that_every_model_would_refuse_is_not_sent_to_another() -> None:
    first, other = ScriptedLLM([LLMAuthenticationError("wrong key")]), ScriptedLLM([WHOLE])
    llm = TypedLLM(first, output_of=plain_output, events=FanOut(), fallback=other)

    outcome = await llm.generate_and_parse(QUESTION, plain_output(Grade))

    assert (outcome.stop, other.calls) == (Stop.PROVIDER_ERROR, [])


async def test_failed_request_counts_in_the_budget_of_the_other_model() -> None:
    late = LLMTimeoutError("too late")
    first, other = ScriptedLLM([late]), ScriptedLLM([WHOLE])
    llm = TypedLLM(first, output_of=plain_output, events=FanOut(), fallback=other)
    whole = await llm.generate_and_parse(QUESTION, plain_output(Grade))
    prompt = whole.attempts[0].usage.total_tokens
    tight = replace(Budget(), max_tokens=prompt + 5)

    first, other = ScriptedLLM([LLMTimeoutError("too late")]), ScriptedLLM([WHOLE])
    llm = TypedLLM(first, output_of=plain_output, events=FanOut(), fallback=other, budget=tight)
    outcome = await llm.generate_and_parse(QUESTION, plain_output(Grade))

    assert (outcome.stop, other.calls) == (Stop.TOKENS_SPENT, [])
    assert isinstance(outcome.error, LLMTimeoutError)
