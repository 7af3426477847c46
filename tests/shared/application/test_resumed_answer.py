"""An answer in the making whose first replies are an earlier run's: it goes on as with a new budget."""

from dataclasses import replace

import pytest

from src.shared.application.question import Outcome, Question, Stop
from src.shared.domain.budget import Budget, prompt_tokens
from src.shared.domain.llm_errors import LLMContentRefusedError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.application.typed import Grade, typed
from tests.shared.scripted_llm import ScriptedLLM, reply

pytestmark = pytest.mark.anyio

GOOD = '{"score": 80}'
ONE_RETRY = Budget(max_retries=1)


def earlier(text: str, finish_reason: FinishReason = FinishReason.STOP) -> LLMReply:
    return replace(reply(text, finish_reason), is_earlier=True)


async def ask(*script: str | LLMReply | Exception) -> tuple[Outcome[Grade], ScriptedLLM]:
    llm, scripted, _ = typed(*script, budget=ONE_RETRY)
    return await llm.generate_and_parse(Question.of("Grade it."), plain_output(Grade)), scripted


async def test_usable_reply_of_an_earlier_run_is_the_answer() -> None:
    outcome, llm = await ask(earlier(GOOD))
    assert (outcome.result(), len(llm.calls)) == (Grade(score=80), 1)


async def test_retries_that_an_earlier_run_has_spent_are_there_again() -> None:
    outcome, llm = await ask(earlier("eighty"), earlier('{"score": 180}'), "nonsense", GOOD)
    assert (outcome.result(), len(llm.calls)) == (Grade(score=80), 4)
    assert [attempt.number for attempt in outcome.attempts] == [1, 2, 3, 4]


async def test_next_question_tells_what_was_wrong_with_the_last_answer_of_the_earlier_run() -> None:
    _, llm = await ask(earlier("eighty"), earlier('{"score": 180}'), GOOD)
    assert "less than or equal to 100" in llm.calls[2].prompt


async def test_answer_that_was_cut_off_in_an_earlier_run_is_asked_for_with_a_higher_limit_than_that() -> None:
    script = (earlier("{", FinishReason.LENGTH), earlier("{", FinishReason.LENGTH), GOOD)
    outcome, llm = await ask(*script)
    assert (outcome.result(), [call.max_tokens for call in llm.calls]) == (Grade(score=80), [None, 4096, 8192])


async def test_same_unusable_answer_of_an_earlier_run_does_not_end_this_one() -> None:
    outcome, _ = await ask(earlier("eighty"), earlier("eighty"), GOOD)
    assert outcome.result() == Grade(score=80)


async def test_answer_that_was_declined_in_an_earlier_run_is_asked_for_as_at_first() -> None:
    outcome, llm = await ask(earlier("I", FinishReason.REFUSED), GOOD)
    assert outcome.result() == Grade(score=80)
    assert llm.calls[1].prompt == llm.calls[0].prompt


async def test_answer_that_is_declined_now_ends_it() -> None:
    outcome, llm = await ask(earlier("eighty"), reply("I", FinishReason.REFUSED))
    assert (outcome.stop, len(llm.calls)) == (Stop.PROVIDER_ERROR, 2)
    assert isinstance(outcome.error, LLMContentRefusedError)


async def test_budget_of_this_run_is_held_where_it_has_asked() -> None:
    outcome, llm = await ask(earlier("eighty"), "nonsense")
    assert (outcome.stop, len(llm.calls)) == (Stop.RETRIES_SPENT, 2)


async def test_provider_that_fails_now_ends_it() -> None:
    outcome, llm = await ask(earlier("eighty"), LLMServerError("down"))
    assert (outcome.stop, len(llm.calls), len(outcome.attempts)) == (Stop.PROVIDER_ERROR, 2, 2)


async def test_budget_too_small_for_another_question_ends_it() -> None:
    _, unbounded = await ask(GOOD)
    enough = prompt_tokens(unbounded.calls[0]) + 30
    llm, scripted, _ = typed(earlier("eighty"), GOOD, budget=Budget(max_retries=0, max_tokens=enough))
    outcome = await llm.generate_and_parse(Question.of("Grade it."), plain_output(Grade))
    assert (outcome.stop, len(scripted.calls), len(outcome.attempts)) == (Stop.TOKENS_SPENT, 1, 1)
