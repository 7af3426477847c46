"""However a run stops, the events of the one that goes on with it hold only what was asked in it."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given

from src.shared.application.question import Outcome, Question
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.caller import Purpose
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import CallEnded, CallStarted, OutputParsed, RepairAsked, RepairAttempted
from src.shared.domain.ports.llm import LLMPort, TokenUsage
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import MemoryEvents
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.replay import EarlierRun, ResumingLLM
from src.shared.infrastructure.parsing.inspection import read_object
from tests.properties.test_costs_add_up import BROKEN, GOOD, Grade, Model, Step, spent, steps_of_a_model

FAILED = AppException("不符合契约", code="LLM_OUTPUT_PARSE_ERROR")
DAMAGED = Step("answers", BROKEN, usage=TokenUsage(7, 5))
RIGHT = Step("answers", GOOD, usage=TokenUsage(3, 2))


def run_of(llm: LLMPort) -> tuple[MemoryEvents, Outcome[Grade] | None]:
    """What a run tells of, and its outcome; None where it was cancelled."""
    events = MemoryEvents()
    repair = RepairAgent(llm, events, read_object)
    typed = TypedLLM(llm, output_of=plain_output, events=events, repair=repair, budget=Budget(max_retries=1))

    async def run() -> Outcome[Grade] | None:
        with suppress(asyncio.CancelledError):
            return await typed.generate_and_parse(Question.of("Grade it."), plain_output(Grade, "评分"))
        return None

    return events, asyncio.run(run())


def both_runs(
    first: list[Step], then: list[Step], settled: Mapping[str, AppException] | None = None
) -> tuple[Model, Model, MemoryEvents, Outcome[Grade] | None]:
    """A run that is recorded, and one that goes on with it: both models, the second one's events and its outcome."""
    before, after = Model(first), Model(then)
    with TemporaryDirectory() as folder:
        recording = Path(folder) / "recording.jsonl"
        run_of(RecordingLLM(before, recording))
        events, outcome = run_of(ResumingLLM(after, EarlierRun(recording, settled or {})))
    return before, after, events, outcome


@given(steps_of_a_model, steps_of_a_model)
def test_events_of_a_resumed_run_hold_what_was_asked_in_it(first: list[Step], then: list[Step]) -> None:
    _, model, events, _ = both_runs(first, then)
    ended = events.of(CallEnded)
    assert len(events.of(CallStarted)) == len(ended) == model.asked
    assert spent(ended) == model.given


@given(steps_of_a_model, steps_of_a_model)
def test_texts_and_repairs_of_a_resumed_run_are_told_where_it_received_or_asked_for_them(
    first: list[Step], then: list[Step]
) -> None:
    _, _, events, _ = both_runs(first, then)
    purposes = [(event.caller.purpose, bool(event.code)) for event in events.of(CallEnded)]
    parsed = [event for event in events.of(OutputParsed) if not event.by_repair_agent]
    assert len(parsed) == purposes.count((Purpose.ANSWER, False))
    repairs = sum(purpose is Purpose.REPAIR for purpose, _ in purposes)
    assert len(events.of(RepairAsked)) == len(events.of(RepairAttempted)) == repairs


def test_answer_of_the_earlier_run_is_told_of_by_nobody_and_costs_what_it_did() -> None:
    before, after, events, outcome = both_runs([DAMAGED, RIGHT], [RIGHT])
    kinds = {type(event) for event in events.events}
    assert kinds.isdisjoint({CallStarted, CallEnded, OutputParsed, RepairAsked, RepairAttempted})
    assert outcome is not None
    assert (outcome.usage, outcome.result()) == (before.given, Grade(score=80, note="x"))
    assert after.asked == 0


def test_repair_of_the_earlier_run_is_told_of_by_nobody() -> None:
    other = Step("answers", f"{BROKEN} ", usage=TokenUsage(7, 5))
    _, after, events, outcome = both_runs([DAMAGED, other, RIGHT], [RIGHT])
    assert (events.of(RepairAsked), events.of(RepairAttempted), after.asked) == ([], [], 0)
    assert outcome is not None
    assert [attempt.by_repair_agent for attempt in outcome.attempts] == [False, False, True]


def test_repair_that_failed_in_the_earlier_run_and_is_settled_is_told_of_by_nobody() -> None:
    other = Step("answers", f"{BROKEN} ", usage=TokenUsage(7, 5))
    _, after, events, outcome = both_runs([DAMAGED, other, Step("fails")], [RIGHT], {"评分": FAILED})
    assert (events.of(CallEnded), events.of(RepairAsked), events.of(RepairAttempted)) == ([], [], [])
    assert (after.asked, outcome and outcome.parsed) == (0, None)


def test_what_is_settled_is_not_asked_again() -> None:
    wrong = [Step("answers", text, usage=TokenUsage(7, 5)) for text in ("eighty", "ninety")]
    before, after, events, outcome = both_runs(wrong, [RIGHT], {"评分": FAILED})
    assert (events.of(CallStarted), after.asked) == ([], 0)
    assert outcome is not None
    assert (outcome.usage, len(outcome.attempts)) == (before.given, 2)
