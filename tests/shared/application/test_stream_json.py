"""`stream_json`: the answer of `call_with_json`, seen while it is written."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import assert_type

import pytest

from src.shared.application.question import Question
from src.shared.application.streamed_answer import AnswerSnapshot
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.llm_errors import LLMServerError, LLMTimeoutError
from src.shared.domain.ports.events import AnswerFailed, CallEnded, Event
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.domain.ports.repair import RepairPort
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.application.typed import Events, Grade, Repairer
from tests.shared.scripted_llm import HangingLLM, ScriptedLLM, reply

pytestmark = pytest.mark.anyio

GOOD = '{"score": 80, "reason": "clear words"}'
HIGH = '{"score": 180, "reason": "x"}'
BROKEN = '{"score": 80, "reason": f(x)}'
ONCE = Budget(max_retries=0)


class WritingLLM(ScriptedLLM):
    """A scripted model that writes its answers three characters at a time; `pause` is called after each chunk."""

    pause: Callable[[], None] | None = None
    written = 0

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Answer with what comes next."""
        answer = await super().generate(request)
        for at in range(0, len(answer.text) if request.progress else 0, 3):
            assert request.progress is not None
            request.progress.add(answer.text[at : at + 3])
            self.written += 1
            if self.pause:
                self.pause()
            await asyncio.sleep(0)
        return answer


def typed(
    *script: str | LLMReply | Exception,
    repair: RepairPort | None = None,
    budget: Budget | None = None,
    fallback: ScriptedLLM | None = None,
) -> tuple[TypedLLM, WritingLLM, Events]:
    llm, events = WritingLLM(list(script)), Events()
    asked = TypedLLM(llm, output_of=plain_output, events=events, repair=repair, budget=budget, fallback=fallback)
    return asked, llm, events


async def taken(llm: TypedLLM, budget: Budget | None = None) -> list[AnswerSnapshot[Grade]]:
    return [snapshot async for snapshot in llm.stream_json("Grade it.", output_model=Grade, budget=budget)]


async def note(llm: TypedLLM, shown: list[object]) -> None:
    """Note what is shown, to the end or to an error."""
    async for snapshot in llm.stream_json("Grade it.", output_model=Grade):
        shown += [snapshot.data]


async def test_fields_appear_as_they_are_written() -> None:
    llm, _, _ = typed(GOOD)
    shown = [(snapshot.data, sorted(snapshot.complete)) async for snapshot in llm.stream_json("?", output_model=Grade)]
    assert ({"score": 80}, ["$.score"]) in shown
    assert any(data == {"score": 80, "reason": "clear"} and "$.reason" not in whole for data, whole in shown)
    llm, _, _ = typed(GOOD)
    assert {path for snapshot in await taken(llm) for path in snapshot.changed} == {"$", "$.score", "$.reason"}


async def test_last_snapshot_holds_the_object() -> None:
    llm, _, _ = typed(GOOD)
    last = (await taken(llm))[-1]
    assert_type(last.value, Grade | None)
    assert (last.value, last.state, last.restarted) == (Grade(score=80, reason="clear words"), "done", 0)
    assert last.data == {"score": 80, "reason": "clear words"}
    assert last.complete == {"$", "$.score", "$.reason"}


async def test_model_that_cannot_stream_answers_in_one_chunk() -> None:
    llm = TypedLLM(ScriptedLLM([GOOD]), output_of=plain_output, events=Events())
    first, last = await taken(llm)
    assert (first.data, last.value) == (last.data, Grade(score=80, reason="clear words"))


async def test_empty_text_of_a_model_that_cannot_stream_is_no_answer_that_was_given_up() -> None:
    llm = TypedLLM(ScriptedLLM(["", GOOD]), output_of=plain_output, events=Events())
    assert [snapshot.restarted for snapshot in await taken(llm)] == [0, 0]


async def test_consumer_is_told_before_the_next_answer_comes() -> None:
    llm, _, _ = typed(HIGH, GOOD)
    snapshots = await taken(llm)
    first_of_second = next(snapshot for snapshot in snapshots if snapshot.restarted)
    assert (first_of_second.restarted, first_of_second.data, first_of_second.state) == (1, None, "waiting")
    assert {snapshot.restarted for snapshot in snapshots} == {0, 1}
    assert snapshots[-1].value == Grade(score=80, reason="clear words")


async def test_nothing_of_an_answer_that_was_given_up_is_in_the_next_one() -> None:
    llm, _, _ = typed('{"reason": "first", "score": 999}', '{"score": 80}')
    second = [snapshot for snapshot in await taken(llm) if snapshot.restarted]
    assert all("reason" not in (snapshot.data or {}) for snapshot in second)


async def test_attempt_without_a_text_is_no_answer_that_was_given_up() -> None:
    llm, _, _ = typed(LLMServerError("down"), fallback=WritingLLM([GOOD]))
    assert {snapshot.restarted for snapshot in await taken(llm)} == {0}


async def test_fallback_begins_again_where_the_first_model_broke_off() -> None:
    class Breaking(WritingLLM):
        async def generate(self, request: LLMRequest) -> LLMReply:
            await super().generate(request)
            message = "broke off"
            raise LLMServerError(message)

    fallback = WritingLLM([GOOD])
    llm = TypedLLM(Breaking([GOOD[:-9]]), output_of=plain_output, events=Events(), fallback=fallback)
    snapshots = await taken(llm)
    assert {snapshot.restarted for snapshot in snapshots} == {0, 1}
    assert snapshots[-1].value == Grade(score=80, reason="clear words")


async def test_text_of_the_repair_agent_is_another_answer() -> None:
    llm, _, _ = typed(BROKEN, repair=Repairer('{"score": 80, "reason": "f(x)"}'), budget=ONCE)
    snapshots = await taken(llm)
    told = [(snapshot.restarted, snapshot.data) for snapshot in snapshots]
    assert (1, None) in told
    assert (snapshots[-1].restarted, snapshots[-1].value) == (1, Grade(score=80, reason="f(x)"))


async def test_consumer_that_takes_its_time_loses_nothing_and_waits_for_nobody() -> None:
    llm, model, _ = typed(HIGH, GOOD)
    shown: list[tuple[int, object]] = []
    async for snapshot in llm.stream_json("Grade it.", output_model=Grade):
        shown.append((snapshot.restarted, snapshot.data))
        async with asyncio.timeout(10):
            while len(model.calls) < 2 or model.written < 23:  # noqa: ASYNC110 - until the model has written everything
                await asyncio.sleep(0)
    assert shown[1:] == [(1, None), *[(1, {"score": 80, "reason": "clear words"})] * 2]


async def test_error_comes_after_what_was_shown() -> None:
    llm, _, _ = typed(HIGH, budget=ONCE)
    shown: list[object] = []
    with pytest.raises(LLMJsonParseError, match="不符合契约 Grade"):
        await note(llm, shown)
    assert shown[-1] == {"score": 180, "reason": "x"}


async def test_type_that_is_no_answer_is_refused_before_the_model_is_asked() -> None:
    llm, model, _ = typed(GOOD)
    with pytest.raises(TypeError, match="neither an object nor an array"):
        await anext(llm.stream_json("Grade it.", output_model=int))
    assert model.calls == []


async def test_answer_may_be_a_list() -> None:
    llm, _, _ = typed('[{"score": 1}, {"score": 2}]')
    snapshots = [snapshot async for snapshot in llm.stream_json("Grade.", output_model=list[Grade])]
    assert any(snapshot.data == [{"score": 1}] for snapshot in snapshots)
    assert snapshots[-1].value == [Grade(score=1), Grade(score=2)]


async def test_what_is_asked_is_what_call_with_json_asks() -> None:
    asked: list[list[LLMRequest]] = []
    options = {"system_message": "You grade.", "temperature": 0.1, "max_tokens": 9}
    llm, model, _ = typed(HIGH, GOOD)
    await llm.call_with_json("Grade it.", output_model=Grade, **options)  # type: ignore[call-overload]  # of several types
    asked.append(model.calls)
    llm, model, _ = typed(HIGH, GOOD)
    [_ async for _ in llm.stream_json("Grade it.", output_model=Grade, **options)]  # type: ignore[arg-type]  # as above
    assert model.calls == asked[0]


SAME: dict[str, tuple[list[str | LLMReply | Exception], Repairer | None, Budget]] = {
    "an answer": ([GOOD], None, Budget()),
    "a second try": ([HIGH, GOOD], None, Budget()),
    "no try is good": ([HIGH, BROKEN, HIGH], None, Budget()),
    "the same answer twice": ([HIGH, HIGH], None, Budget()),
    "one try": ([HIGH], None, ONCE),
    "cut off, then whole": ([reply(GOOD[:20], FinishReason.LENGTH), GOOD], None, Budget()),
    "cut off": ([reply(GOOD, FinishReason.LENGTH)], None, ONCE),
    "declined": ([reply("I can't", FinishReason.REFUSED)], None, Budget()),
    "nobody knows the end": ([reply(GOOD, FinishReason.UNKNOWN)], None, Budget()),
    "cut, and nobody said so": ([reply(GOOD[:20], FinishReason.UNKNOWN), GOOD], None, Budget()),
    "a provider that fails": ([LLMTimeoutError("late")], None, Budget()),
    "the fallback answers": ([LLMServerError("down")], None, Budget()),
    "too few tokens for a second try": ([HIGH, GOOD], None, Budget(max_tokens=20)),
    "no token for the first": ([GOOD], None, Budget(max_tokens=1)),
    "the repair agent": ([BROKEN], Repairer('{"score": 80, "reason": "f(x)"}'), ONCE),
    "the repair agent fails": ([BROKEN], Repairer(LLMServerError("down")), ONCE),
    "an empty answer": (["", GOOD], None, Budget()),
}


@pytest.mark.parametrize("case", SAME.values(), ids=SAME)
async def test_events_attempts_and_result_are_those_of_call_with_json(
    case: tuple[list[str | LLMReply | Exception], Repairer | None, Budget],
) -> None:
    script, repair, budget = case
    seen: list[tuple[list[Event], object, object]] = []
    for is_streaming in (False, True):
        fallback = ScriptedLLM([GOOD])
        llm, _, events = typed(*script, repair=repair, budget=budget, fallback=fallback)
        question, output = Question.of("Grade it.", temperature=0.7), plain_output(Grade)
        if is_streaming:
            answer = llm.stream_and_parse(question, output)
            [_ async for _ in answer.snapshots()]
            outcome = answer.outcome
        else:
            outcome = await llm.generate_and_parse(question, output)
        told = [replace(event, latency=0.0) if isinstance(event, CallEnded) else event for event in events.events]
        told = [replace(event, details={}) if isinstance(event, AnswerFailed) else event for event in told]
        attempts = [(one.prompt, one.max_tokens, one.reply, type(one.error)) for one in outcome.attempts]
        seen.append((told, attempts, (outcome.parsed, outcome.stop, str(outcome.error))))
    assert seen[0] == seen[1]


async def test_outcome_is_there_when_the_snapshots_are_at_their_end() -> None:
    llm, _, _ = typed(GOOD)
    answer = llm.stream_and_parse(Question.of("Grade it."), plain_output(Grade))
    with pytest.raises(RuntimeError, match="not been taken to their end"):
        _ = answer.outcome
    [_ async for _ in answer.snapshots()]
    assert answer.outcome.result() == Grade(score=80, reason="clear words")


async def test_time_of_the_budget_holds() -> None:
    budget, silent = Budget(max_seconds=0.05), HangingLLM('{"score": 80, "reason": ')
    llm = TypedLLM(silent, output_of=plain_output, events=Events(), budget=budget)
    shown: list[object] = []
    with pytest.raises(LLMTimeoutError, match="no whole answer within the budget"):
        await note(llm, shown)
    assert shown == [{"score": 80}]
