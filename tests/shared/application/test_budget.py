"""No request exceeds a budget: every combination of bounds, every way an answer goes wrong, the repair agent too."""

import asyncio
from dataclasses import dataclass, field
from itertools import product

import pytest

from src.shared.application.question import Outcome, Question
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


async def asked_of_two(
    first: Exception, *other: str | Exception, budget: Budget | None = None
) -> tuple[Outcome[Grade], ScriptedLLM, Events]:
    """The outcome where the first model fails, the other model, and what was told."""
    llm, events = ScriptedLLM(list(other)), Events()
    asking = TypedLLM(ScriptedLLM([first]), output_of=plain_output, events=events, fallback=llm, budget=budget)
    return await asking.generate_and_parse(QUESTION, plain_output(Grade)), llm, events


@pytest.mark.parametrize("kind", [LLMConnectionError, LLMTimeoutError, LLMRateLimitError, LLMServerError])
async def test_another_model_is_asked_where_the_provider_of_the_first_fails(kind: type[LLMError]) -> None:
    outcome, other, _ = await asked_of_two(kind("failed"), WHOLE)

    assert outcome.result() == Grade(score=80)
    assert [type(attempt.error) for attempt in outcome.attempts] == [kind, type(None)]
    assert [call.prompt for call in other.calls] == [outcome.attempts[0].prompt]


async def test_other_model_is_asked_again_as_the_first_would_be_and_its_texts_are_the_attempts() -> None:
    outcome, other, events = await asked_of_two(LLMServerError("failed"), PROSE, WHOLE, budget=Budget(max_retries=1))

    told = [(event.outcome, event.attempt) for event in events.seen]
    assert told == [(ParseOutcome.REFUSED, 1), (ParseOutcome.CLEAN, 2)]
    assert (len(other.calls), outcome.stop) == (2, Stop.ANSWERED)


@pytest.mark.parametrize(
    ("first", "asked", "kind"),
    [
        (LLMServerError("failed"), 1, LLMConnectionError),
        (LLMAuthenticationError("wrong key"), 0, LLMAuthenticationError),
    ],
    ids=["both fail", "both would refuse"],
)
async def test_error_is_that_of_the_model_that_was_asked_last(
    first: LLMError, asked: int, kind: type[LLMError]
) -> None:
    outcome, other, _ = await asked_of_two(first, LLMConnectionError("failed, too"))

    assert (outcome.stop, len(other.calls), type(outcome.error)) == (Stop.PROVIDER_ERROR, asked, kind)


async def test_failed_request_counts_in_the_budget_of_the_other_model() -> None:
    whole, _, _ = await asked_of_two(LLMTimeoutError("too late"), WHOLE)
    tight = Budget(max_tokens=whole.attempts[0].usage.total_tokens + 5)

    outcome, other, _ = await asked_of_two(LLMTimeoutError("too late"), WHOLE, budget=tight)

    assert (outcome.stop, other.calls, type(outcome.error)) == (Stop.TOKENS_SPENT, [], LLMTimeoutError)
