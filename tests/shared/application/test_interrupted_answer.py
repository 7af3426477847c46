"""An answer in the making that somebody ends: what was received is kept, and nothing more is asked."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import BaseModel

from src.shared.application.agent_runs import AgentAnswer, AgentId, Interruption, ending, listening, seconds_left
from src.shared.application.question import Outcome, Question, Stop
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.llm_errors import LLMInterruptedError
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.application.typed import Events, Grade
from tests.shared.scripted_llm import reply

pytestmark = pytest.mark.anyio

GOOD, UNUSABLE = '{"score": 80}', "eighty"


class Nobody:
    """A listener that notes nothing."""

    def agent_started(self, agent: AgentId) -> None:
        """Nothing."""

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Nothing."""


class Model:
    """Answers with its replies in turn; a function in place of one is called, and no reply comes."""

    def __init__(self, *replies: LLMReply | Callable[[], None]) -> None:
        self.replies = [*replies]
        self.asked = 0

    async def generate(self, request: LLMRequest) -> LLMReply:
        del request
        answer = self.replies[self.asked]
        self.asked += 1
        if isinstance(answer, LLMReply):
            return answer
        answer()
        await asyncio.Event().wait()
        raise AssertionError


async def ended(model: Model, interruption: Interruption, *, fallback: Model | None = None) -> Outcome[Grade]:
    typed = TypedLLM(model, output_of=plain_output, events=Events(), fallback=fallback)
    with listening(Nobody(), interruption=interruption):
        question = Question.of("Grade it.")
        return await typed.generate_and_parse(question, plain_output(Grade), seconds=seconds_left())


async def test_request_that_is_waited_for_ends_and_nobody_else_is_asked() -> None:
    interruption, fallback = Interruption(), Model(reply(GOOD))
    outcome = await ended(Model(interruption.set), interruption, fallback=fallback)
    assert isinstance(outcome.error, LLMInterruptedError)
    assert (outcome.stop, len(outcome.attempts), fallback.asked) == (Stop.SECONDS_SPENT, 1, 0)


async def test_replies_before_it_are_kept() -> None:
    interruption = Interruption()
    outcome = await ended(Model(reply(UNUSABLE), interruption.set), interruption)
    assert [attempt.reply and attempt.reply.text for attempt in outcome.attempts] == [UNUSABLE, None]
    assert isinstance(outcome.error, LLMInterruptedError)


async def test_nothing_is_asked_after_it() -> None:
    interruption, model = Interruption(), Model(reply(GOOD))
    interruption.set()
    outcome = await ended(model, interruption)
    assert (outcome.stop, model.asked) == (Stop.SECONDS_SPENT, 0)


async def test_earlier_runs_replies_are_not_gone_on_with_after_it() -> None:
    interruption = Interruption()

    class Ending(Model):
        async def generate(self, request: LLMRequest) -> LLMReply:
            interruption.set()
            return replace(await super().generate(request), is_earlier=True)

    model = Ending(reply(UNUSABLE), reply(GOOD))
    outcome = await ended(model, interruption)
    assert (outcome.stop, model.asked, outcome.parsed) == (Stop.SECONDS_SPENT, 1, None)


async def test_interruption_while_a_time_limit_runs_out_changes_nothing() -> None:
    interruption = Interruption()

    class Late(Model):
        async def generate(self, request: LLMRequest) -> LLMReply:
            try:
                return await super().generate(request)
            finally:
                interruption.set()

    typed = TypedLLM(Late(lambda: None), output_of=plain_output, events=Events())
    with listening(Nobody(), seconds=0.05, interruption=interruption):
        question = Question.of("Grade it.")
        outcome = await typed.generate_and_parse(question, plain_output(Grade), seconds=seconds_left())
    assert outcome.stop is Stop.SECONDS_SPENT


async def test_context_that_nobody_can_interrupt_needs_no_care() -> None:
    with ending(lambda: None):
        assert seconds_left() is None


async def test_whoever_is_done_is_not_ended() -> None:
    interruption, ends = Interruption(), []
    with listening(Nobody(), interruption=interruption):
        with ending(lambda: ends.append("first")):
            pass
        with ending(lambda: ends.append("second")):
            interruption.set()
    assert ends == ["second"]
