"""Re-asking: the same model once more, with the error in words, within a budget."""

import asyncio

import pytest

from src.shared.application.question import Outcome, Question
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget, Spending, Stop
from src.shared.domain.caller import NOBODY, Caller
from src.shared.domain.exceptions import FEEDBACK_LIMIT, AppException, LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.llm_errors import AnswerTruncatedError, LLMRateLimitError, LLMTimeoutError
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from src.shared.domain.ports.repair import RepairedText
from src.shared.domain.repair_errors import RepairCode, RepairRefusedError
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from tests.processes import LIMIT
from tests.shared.application.typed import Grade, Repairer, typed
from tests.shared.scripted_llm import HangingLLM, ScriptedLLM, reply

pytestmark = pytest.mark.anyio

GOOD = '{"score": 80}'
HIGH = '{"score": 180}'
NO_JSON = "I would say eighty."
QUESTION = Question.of("Grade it.", max_tokens=100, prompt_id="grade-1")
GRADE = plain_output(Grade)


async def ask(*script: str | LLMReply | Exception, budget: Budget | None = None) -> tuple[Outcome[Grade], ScriptedLLM]:
    llm, scripted, _ = typed(*script, budget=budget)
    return await llm.generate_and_parse(QUESTION, GRADE), scripted


async def test_wrong_value_is_asked_about_with_its_path_and_what_was_expected() -> None:
    outcome, llm = await ask(HIGH, GOOD)
    assert outcome.result().score == 80
    assert "$.score: Input should be less than or equal to 100" in llm.calls[1].prompt


async def test_reask_repeats_the_question_and_adds_less_than_a_thousand_characters() -> None:
    _, llm = await ask('{"score": "' + "x" * 50_000 + '"}', GOOD)
    first, second = llm.calls[0].prompt, llm.calls[1].prompt
    assert second.startswith(first)
    assert len(second) - len(first) < FEEDBACK_LIMIT + 100


async def test_third_question_holds_the_second_error_only() -> None:
    _, llm = await ask(HIGH, NO_JSON, GOOD)
    assert "no JSON object" in llm.calls[2].prompt
    assert "less than or equal" not in llm.calls[2].prompt


async def test_reask_keeps_system_message_temperature_and_limit() -> None:
    llm, scripted, _ = typed(HIGH, GOOD)
    await llm.generate_and_parse(Question.of("Grade it.", "You grade.", temperature=0.2, max_tokens=50), GRADE)
    assert [(c.system_message, c.temperature, c.max_tokens) for c in scripted.calls] == [("You grade.", 0.2, 50)] * 2


@pytest.mark.parametrize(
    ("script", "budget", "stop", "error"),
    [
        ([GOOD], Budget(), Stop.ANSWERED, None),
        ([HIGH, NO_JSON, '{"score": -1}'], Budget(), Stop.RETRIES_SPENT, "greater than or equal to 0"),
        ([HIGH], Budget(max_retries=0), Stop.RETRIES_SPENT, "less than or equal to 100"),
        ([HIGH, HIGH], Budget(max_retries=9), Stop.SAME_ANSWER, "less than or equal to 100"),
        ([reply(HIGH, tokens=500)], Budget(max_tokens=1000), Stop.TOKENS_SPENT, "less than or equal to 100"),
        (
            [reply(HIGH, tokens=300), reply(NO_JSON, tokens=200)],
            Budget(max_tokens=1000),
            Stop.TOKENS_SPENT,
            "no JSON object",
        ),
        ([], Budget(max_seconds=0.0), Stop.SECONDS_SPENT, "budget"),
        ([LLMRateLimitError("busy")], Budget(), Stop.PROVIDER_ERROR, "busy"),
        ([HIGH, LLMRateLimitError("busy")], Budget(), Stop.PROVIDER_ERROR, "busy"),
    ],
)
async def test_asking_stops_for_a_reason_with_the_last_error(
    script: list[str | LLMReply | Exception], budget: Budget, stop: Stop, error: str | None
) -> None:
    outcome, llm = await ask(*script, budget=budget)
    assert (outcome.stop, len(llm.calls)) == (stop, len(script))
    if error is None:
        assert outcome.result() == Grade(score=80)
    else:
        with pytest.raises(AppException, match=error):
            outcome.result()


async def test_tokens_and_seconds_of_all_attempts_are_counted_together() -> None:
    outcome, _ = await ask(reply(HIGH, tokens=7), reply(NO_JSON, tokens=2), LLMRateLimitError("busy"))
    assert (outcome.usage, outcome.latency) == (TokenUsage(9, 9), 1.0)


async def test_call_that_outlives_the_budget_is_given_up() -> None:
    llm = TypedLLM(HangingLLM(), output_of=plain_output, events=FanOut(), budget=Budget(max_seconds=0.05))
    outcome = await llm.generate_and_parse(QUESTION, GRADE)
    assert outcome.stop is Stop.SECONDS_SPENT
    with pytest.raises(LLMTimeoutError, match=r"0\.05"):
        outcome.result()


async def test_answer_cut_off_at_its_limit_is_never_parsed_as_whole() -> None:
    outcome, _ = await ask(reply(GOOD, FinishReason.LENGTH), budget=Budget(max_retries=0))
    with pytest.raises(AnswerTruncatedError) as caught:
        outcome.result()
    assert caught.value.details == {"truncated": True, "raw_length": 13, "max_tokens": 100}


CUT = reply('{"sco', FinishReason.LENGTH)
LONGER = [reply('{"sco', FinishReason.LENGTH, tokens=tokens) for tokens in (100, 4096, 8192)]


@pytest.mark.parametrize(
    ("script", "limits", "stop"),
    [
        ([CUT, CUT, GOOD], [100, 200, 400], Stop.ANSWERED),
        ([CUT, HIGH, GOOD], [100, 200, 200], Stop.ANSWERED),
        *(
            ([reply('{"sco', FinishReason.LENGTH, tokens=written), GOOD], [None, limit], Stop.ANSWERED)
            for written, limit in [(10, 4096), (2048, 4096), (2049, 4098), (8000, 16000)]
        ),
        ([CUT, reply('{"scor', FinishReason.LENGTH)], [None, 4096], Stop.CUT_OFF),
        (LONGER, [None, 4096, 8192], Stop.RETRIES_SPENT),
    ],
)
async def test_answer_cut_off_is_asked_for_again_with_a_larger_limit_while_that_makes_it_longer(
    script: list[str | LLMReply | Exception], limits: list[int | None], stop: Stop
) -> None:
    llm, scripted, _ = typed(*script)
    outcome = await llm.generate_and_parse(Question.of("Grade it.", max_tokens=limits[0]), GRADE)
    assert (outcome.stop, [call.max_tokens for call in scripted.calls]) == (stop, limits)
    assert scripted.calls[1].prompt == scripted.calls[0].prompt
    assert isinstance(outcome.error, AnswerTruncatedError | None)


async def test_error_of_an_answer_cut_off_at_the_models_own_limit_names_no_limit_of_ours() -> None:
    llm, _, _ = typed(reply(GOOD, FinishReason.LENGTH), budget=Budget(max_retries=0))
    outcome = await llm.generate_and_parse(Question.of("Grade it."), GRADE)
    assert isinstance(outcome.error, AnswerTruncatedError)
    assert "max_tokens" not in outcome.error.details


async def test_outcome_tells_every_attempt() -> None:
    outcome, llm = await ask(HIGH, GOOD)
    first, second = outcome.attempts
    assert (first.number, first.prompt, first.max_tokens) == (1, llm.calls[0].prompt, 100)
    assert first.reply == reply(HIGH)
    assert isinstance(first.error, LLMJsonParseError)
    assert (second.number, second.reply, second.error) == (2, reply(GOOD), None)


async def test_every_parse_is_one_event() -> None:
    llm, _, events = typed(HIGH, GOOD)
    await llm.generate_and_parse(QUESTION, GRADE)
    told = [(e.attempt, e.outcome, e.prompt_id, e.model) for e in events.seen]
    assert told == [
        (1, ParseOutcome.REFUSED, "grade-1", "scripted"),
        (2, ParseOutcome.CLEAN, "grade-1", "scripted"),
    ]


async def test_cancelling_the_caller_cancels_the_call() -> None:
    llm = TypedLLM(HangingLLM(), output_of=plain_output, events=FanOut())
    task = asyncio.create_task(llm.generate_and_parse(QUESTION, GRADE))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- the repair agent's try --------------------------------------------------------------------------------

BROKEN = '{"score": eighty}'


async def test_repair_agent_gets_the_last_answer_after_the_retries() -> None:
    repairer = Repairer(GOOD)
    llm, _, events = typed(BROKEN, BROKEN, repair=repairer)
    outcome = await llm.generate_and_parse(QUESTION, GRADE)
    assert outcome.result().score == 80
    assert repairer.asked == [BROKEN]
    assert outcome.attempts[-1].by_repair_agent
    assert events.seen[-1].outcome is ParseOutcome.MODEL_REPAIRED


@pytest.mark.parametrize(
    ("script", "budget", "accepting", "stop"),
    [
        ([HIGH, HIGH], Budget(), False, Stop.SAME_ANSWER),
        ([GOOD], Budget(), True, Stop.ANSWERED),
        ([LLMRateLimitError("busy")], Budget(), True, Stop.PROVIDER_ERROR),
        ([BROKEN], Budget(max_tokens=20), True, Stop.TOKENS_SPENT),
        ([reply(BROKEN, tokens=1000)], Budget(max_tokens=1500), True, Stop.TOKENS_SPENT),
        ([BROKEN], Budget(max_seconds=0.0), True, Stop.SECONDS_SPENT),
    ],
    ids=["not accepted", "an answer", "a provider's error", "no token", "tokens spent", "seconds spent"],
)
async def test_repair_agent_is_not_asked_after(
    script: list[str | LLMReply | Exception], budget: Budget, *, accepting: bool, stop: Stop
) -> None:
    repairer = Repairer(GOOD, accepting=accepting)
    llm, _, _ = typed(*script, repair=repairer, budget=budget)
    outcome = await llm.generate_and_parse(QUESTION, GRADE)
    assert (outcome.stop, repairer.asked) == (stop, [])


REFUSAL = RepairRefusedError(RepairCode.UNPROVEN, Message("refused", "refused"), {})
REFUSAL.reply = reply("no", tokens=50)


@pytest.mark.parametrize(
    ("failure", "tokens"), [(REFUSAL, 140), (LLMRateLimitError("busy"), 40)], ids=["refused", "provider fails"]
)
async def test_parsers_error_stands_when_the_repair_fails(failure: AppException, tokens: int) -> None:
    llm, _, _ = typed(BROKEN, BROKEN, repair=Repairer(failure))
    outcome = await llm.generate_and_parse(QUESTION, GRADE)
    assert isinstance(outcome.error, LLMJsonParseError)
    assert outcome.attempts[-1].error is failure
    assert outcome.usage.total_tokens == tokens


async def test_repaired_text_that_breaks_the_contract_is_no_answer() -> None:
    llm, _, _ = typed(BROKEN, BROKEN, repair=Repairer(HIGH))
    outcome = await llm.generate_and_parse(QUESTION, GRADE)
    assert outcome.parsed is None
    assert outcome.attempts[-1].error is not None


class SlowRepairer(Repairer):
    async def repair(
        self,
        broken: str,
        error: AppException,
        *,
        finished: bool | None = None,
        caller: Caller = NOBODY,
        spending: Spending | None = None,
    ) -> RepairedText:
        del broken, error, finished, caller, spending
        await asyncio.sleep(LIMIT)
        raise AssertionError


async def test_repair_that_outlives_the_budget_is_given_up() -> None:
    llm, _, _ = typed(BROKEN, BROKEN, repair=SlowRepairer(GOOD), budget=Budget(max_seconds=0.2))
    outcome = await llm.generate_and_parse(QUESTION, GRADE)
    assert isinstance(outcome.attempts[-1].error, LLMTimeoutError)
    assert isinstance(outcome.error, LLMJsonParseError)
