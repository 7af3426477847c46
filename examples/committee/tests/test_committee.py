"""A committee: research, debate and judge for one dossier; nothing found is lost, nothing goes on when cancelled."""

import asyncio
import itertools
import json
from pathlib import Path

import pytest

from examples.committee.application.progress import Stage
from examples.committee.domain.exceptions import CommitteeDeadlineError, CommitteeInterruptedError
from examples.committee.tests.inputs import SEATS, dossier
from examples.committee.tests.run import Watcher, committee
from src.modules.debate.application.services.debate_service import DebateService
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.shared.application.agent_runs import Interruption
from src.shared.application.prompted_agent import AskOptions
from src.shared.domain.budget import Budget, TokenPrice
from src.shared.domain.language import Language
from src.shared.domain.llm_errors import LLMServerError
from src.shared.domain.ports.llm import FinishReason, TokenUsage
from tests.modules.all_contracts import CONTRACTS
from tests.modules.answers import EXPERTS, GOOD, answering
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT
from tests.paths import ROOT
from tests.shared.routed_llm import RoutedLLM
from tests.shared.scripted_llm import reply

pytestmark = pytest.mark.anyio

ALL = set(SEATS)
QUORUM = 3
"""As many experts have to answer, unless told otherwise."""
DOWN = LLMServerError("模型服务不可用")
RECORDINGS = ROOT / "src" / "entrypoints" / "cli" / "recordings"


async def test_agents_come_to_a_verdict() -> None:
    llm = answering()
    result = await committee(llm).run(dossier())
    verdict = result.decision()
    assert (verdict.symbol, verdict.action, verdict.position_percent) == ("688999.SH", "BUY", 0.25)
    assert (result.error, result.failed_in, result.unfinished) == (None, None, ())
    assert {title: len(calls) for title, calls in llm.calls.items()} == dict.fromkeys(ALL, 1)


@pytest.mark.parametrize("case", ["clean", "wrapped", "damaged"])
async def test_recorded_answers_come_to_a_verdict(case: str) -> None:
    def recording(agent: str) -> str:
        return Path(RECORDINGS / agent / f"{case}.txt").read_text(encoding="utf-8")

    llm = RoutedLLM({contract.label: [recording(contract.agent)] for contract in CONTRACTS})
    result = await committee(llm).run(dossier())
    assert result.decision().symbol == "688999.SH"
    assert len(result.answers) == len(SEATS)


async def test_every_answer_is_kept_with_prompt_and_raw_text() -> None:
    llm = answering()
    result = await committee(llm).run(dossier())
    assert {answer.agent.label: answer.raw_output for answer in result.answers} == {
        title: GOOD[title][0] for title in SEATS
    }
    assert {answer.agent.label: answer.prompt for answer in result.answers} == {
        title: calls[0].prompt for title, calls in llm.calls.items()
    }


async def test_debate_gets_the_experts_opinions_and_judge_gets_the_debate() -> None:
    llm = answering()
    result = await committee(llm).run(dossier())
    assert result.research is not None
    assert result.debate is not None
    for opinion in (expert.opinion() for expert in result.research.results.values()):
        assert opinion.signal in llm.calls["多头辩护人"][0].prompt
    judged = llm.calls["裁决"][0].prompt
    assert result.debate.bull_case is not None
    assert result.debate.bull_case.core_thesis in judged
    assert result.debate.risk_matrix[0].risk in judged


async def test_note_for_people_is_not_shown_to_any_agent() -> None:
    llm = answering()
    await committee(llm).run(dossier())
    note = dossier().note
    assert note
    assert not any(note[:20] in calls[0].prompt for calls in llm.calls.values())


# --- experts that fail -------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", EXPERTS)
async def test_without_one_expert_the_others_go_on_and_debate_and_judge_are_told(title: str) -> None:
    llm = answering(**{title: DOWN})
    result = await committee(llm).run(dossier())
    assert result.decision().action == "BUY"
    assert result.research is not None
    (missing,) = result.research.failures.items()
    assert missing[1] == "模型服务不可用"
    for advocate in ("多头辩护人", "空头辩护人"):
        assert f'- "{missing[0]}"："模型服务不可用"' in llm.calls[advocate][0].prompt
    assert f"{title}没有给出结论，该维度未知" in llm.calls["裁决"][0].prompt


@pytest.mark.parametrize("failing", list(itertools.combinations(EXPERTS, len(EXPERTS) - QUORUM + 1)))
async def test_too_few_experts_end_it_before_the_debate_and_keep_what_was_found(failing: tuple[str, ...]) -> None:
    llm = answering(**dict.fromkeys(failing, DOWN))
    result = await committee(llm).run(dossier())
    assert isinstance(result.error, TooFewExpertsError)
    assert result.failed_in is Stage.RESEARCH
    assert result.research is not None
    assert (len(result.research.results), len(result.answers)) == (QUORUM - 1, len(EXPERTS))
    assert set(llm.calls) == set(EXPERTS)
    with pytest.raises(TooFewExpertsError):
        result.decision()


async def test_all_experts_failing_together_is_one_refusal_that_names_all() -> None:
    result = await committee(answering(**dict.fromkeys(EXPERTS, DOWN))).run(dossier())
    assert isinstance(result.error, TooFewExpertsError)
    assert len(result.error.details["failed"]) == len(EXPERTS)


async def test_quorum_is_a_setting() -> None:
    llm = answering(**dict.fromkeys(EXPERTS[1:], DOWN))
    result = await committee(llm, least_experts=1).run(dossier())
    assert result.decision().action == "BUY"


# --- later stages that fail --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "stage", "has_debate"),
    [
        ("冲突消解", Stage.DEBATE, False),
        ("裁决", Stage.JUDGE, True),
    ],
)
async def test_failure_of_a_later_stage_keeps_the_earlier_ones(title: str, stage: Stage, has_debate: bool) -> None:  # noqa: FBT001 - a parameter of the case
    result = await committee(answering(**{title: DOWN})).run(dossier())
    assert (result.error, result.failed_in, result.verdict) == (DOWN, stage, None)
    assert result.research is not None
    assert len(result.research.results) == len(EXPERTS)
    assert (result.debate is not None) == has_debate


@pytest.mark.parametrize(("failing", "standing"), [("多头辩护人", "空头辩护人"), ("空头辩护人", "多头辩护人")])
async def test_advocate_that_fails_leaves_the_others_case_and_the_judge_is_told(failing: str, standing: str) -> None:
    llm = answering(**{failing: DOWN})
    result = await committee(llm).run(dossier())
    assert result.decision().action == "BUY"
    assert result.arguments is not None
    assert [error.message for error in result.arguments.failures.values()] == ["模型服务不可用"]
    judged = llm.calls["裁决"][0].prompt
    assert f"{failing}没有给出论证：缺少这一方，不代表它认输" in judged
    assert f"{standing}没有给出论证" not in judged


async def test_settlement_that_fails_leaves_both_cases() -> None:
    result = await committee(answering(冲突消解=DOWN)).run(dossier())
    assert result.arguments is not None
    assert (result.arguments.bull is None, result.arguments.bear is None, result.debate) == (False, False, None)


async def test_debate_that_nobody_argued_keeps_the_experts() -> None:
    result = await committee(answering(多头辩护人=DOWN, 空头辩护人=DOWN)).run(dossier())
    assert (result.error, result.failed_in, result.arguments) == (DOWN, Stage.DEBATE, None)
    assert result.research is not None
    assert len(result.research.results) == len(EXPERTS)


async def test_verdict_that_contradicts_itself_to_the_end_is_an_error() -> None:
    nothing = [GOOD["裁决"][0].replace("0.25", position) for position in ("0", "0.0", "0.00")]
    result = await committee(answering(裁决=list(nothing))).run(dossier())
    assert isinstance(result.error, VERDICT.error)
    assert result.error.details["validation_errors"][0]["type"] == "buy_has_position"
    assert result.verdict is None


async def test_verdict_against_the_debate_comes_with_a_warning() -> None:
    settled = GOOD["冲突消解"][0].replace('"BULLISH"', '"BEARISH"').replace('"NEUTRAL"', '"BEARISH"')
    result = await committee(answering(冲突消解=settled)).run(dossier())
    assert result.decision().action == "BUY"
    assert "方向相反" in result.warnings[0].message.text()


async def test_judge_is_told_the_price_its_levels_and_the_value_range() -> None:
    llm = answering()
    await committee(llm).run(dossier())
    asked = llm.calls["裁决"][0].prompt
    told = asked.partition("## 价格与价位")[2].partition("## 风险因素")[0]
    for text in ("最近收盘价，单位：元）：38.62", "跌停价", "30.9", "46.34", "36.9", "39.9", '"20 日均线"：36.92'):
        assert text in told
    value = json.loads(GOOD["估值建模师"][0])["estimated_intrinsic_value_range"]
    assert str(value["lower_bound"]) in told


async def test_price_that_nobody_gave_is_warned_of_with_its_rule() -> None:
    result = await committee(answering()).run(dossier())
    (warning,) = result.warnings
    assert warning.rule == "prices_from_dossier"
    assert "1650、1580、1900" in warning.message.text(Language.ZH)
    assert "is not in the dossier" in warning.message.text(Language.EN)


# --- totals ------------------------------------------------------------------------------------------------


async def test_tokens_calls_and_cost_are_totalled() -> None:
    llm = RoutedLLM({title: [reply(script[0], tokens=1000)] for title, script in GOOD.items()})
    result = await committee(llm, price=TokenPrice(2.0, 8.0, "CNY")).run(dossier())
    totals = result.totals
    assert (totals.usage, totals.calls, totals.complete) == (
        TokenUsage(1000 * len(SEATS), 1000 * len(SEATS)),
        len(SEATS),
        True,
    )
    assert totals.cost == pytest.approx(0.01 * len(SEATS))
    assert totals.currency == "CNY"
    assert totals.seconds > 0


async def test_answers_that_could_not_be_used_are_in_the_totals() -> None:
    wasted = [
        reply("无法回答", tokens=100),
        reply("{", FinishReason.STOP, tokens=50),
        reply(GOOD["裁决"][0], tokens=10),
    ]
    llm = RoutedLLM({**{title: [reply(script[0], tokens=10)] for title, script in GOOD.items()}, "裁决": wasted})
    result = await committee(llm).run(dossier())
    assert result.totals.calls == len(SEATS) + 2
    assert result.totals.usage.prompt_tokens == 10 * (len(SEATS) - 1) + 160


async def test_without_a_price_no_cost_is_given() -> None:
    result = await committee(answering()).run(dossier())
    assert (result.totals.cost, result.totals.currency) == (None, "")


# --- deadline and cancelling --------------------------------------------------------------------------------


async def test_deadline_holds_for_the_whole_and_keeps_what_was_found() -> None:
    llm = answering()
    llm.pause = lambda title: 60 if title == "空头辩护人" else 0
    result = await committee(llm, deadline=0.3).run(dossier())
    assert isinstance(result.error, CommitteeDeadlineError)
    assert result.error.details == {"deadline": 0.3, "stage": "debate", "unfinished": ["空头辩护人"]}
    assert result.failed_in is Stage.DEBATE
    assert [agent.label for agent in result.unfinished] == ["空头辩护人"]
    assert result.research is not None
    assert result.arguments is not None
    assert (result.arguments.bull is None, result.arguments.bear) == (False, None)
    assert (len(result.answers), result.totals.calls, result.totals.complete) == (
        len(EXPERTS) + 2,
        len(EXPERTS) + 1,
        False,
    )
    assert llm.cancelled == ["空头辩护人"]


async def test_deadline_in_research_ends_the_experts_that_are_still_asked_and_reports_the_others() -> None:
    llm = answering()
    llm.pause = lambda title: 60 if title in EXPERTS[2:] else 0
    result = await committee(llm, deadline=0.3).run(dossier())
    assert isinstance(result.error, CommitteeDeadlineError)
    assert result.failed_in is Stage.RESEARCH
    assert result.research is not None
    assert [expert.label for expert in result.research.experts if expert.result] == list(EXPERTS[:2])
    assert [agent.label for agent in result.unfinished] == list(EXPERTS[2:])
    assert sorted(llm.cancelled) == sorted(EXPERTS[2:])


async def test_deadline_keeps_the_replies_of_an_agent_that_was_being_asked_again() -> None:
    llm = answering(裁决=["无法解析", GOOD["裁决"][0]])
    llm.pause = lambda title: 60 if title == "裁决" and len(llm.calls["裁决"]) > 1 else 0
    result = await committee(llm, deadline=0.3).run(dossier())
    assert isinstance(result.error, CommitteeDeadlineError)
    assert [reply.text for reply in result.answers[-1].replies] == ["无法解析"]
    assert (result.totals.calls, result.totals.complete) == (len(SEATS), False)


async def test_nobody_is_asked_when_the_deadline_has_passed() -> None:
    llm = answering()
    llm.pause = lambda title: 60 if title == "技术分析师" else 0
    result = await committee(llm, deadline=0.2).run(dossier())
    assert isinstance(result.error, CommitteeDeadlineError)
    assert set(llm.calls) == set(EXPERTS)


@pytest.mark.parametrize(
    ("hanging", "stage", "unfinished", "asked"),
    [
        ("估值建模师", Stage.RESEARCH, ["估值建模师"], len(EXPERTS)),
        ("空头辩护人", Stage.DEBATE, ["空头辩护人"], len(EXPERTS) + 2),
        ("裁决", Stage.JUDGE, ["裁决"], len(SEATS)),
    ],
)
async def test_interrupted_run_keeps_what_was_found_and_asks_nobody_more(
    hanging: str, stage: Stage, unfinished: list[str], asked: int
) -> None:
    llm, interruption = answering(), Interruption()

    def pause(title: str) -> float:
        if title != hanging:
            return 0
        asyncio.get_running_loop().call_later(0.05, interruption.set)
        return 60

    llm.pause = pause
    result = await committee(llm).run(dossier(), interruption=interruption)
    assert isinstance(result.error, CommitteeInterruptedError)
    assert result.error.details == {"stage": stage.value, "unfinished": unfinished}
    assert (result.failed_in, [agent.label for agent in result.unfinished]) == (stage, unfinished)
    assert (len(llm.calls), result.totals.calls, result.totals.complete) == (asked, asked - 1, False)
    assert result.research is not None
    assert len(result.research.results) == len(EXPERTS) - (stage is Stage.RESEARCH)
    assert llm.cancelled == [hanging]


async def test_run_that_is_interrupted_between_two_stages_asks_nobody_more() -> None:
    interruption = Interruption()

    class Ending(Watcher):
        def stage_started(self, stage: Stage) -> None:
            if stage is Stage.JUDGE:
                interruption.set()

    llm = answering()
    result = await committee(llm).run(dossier(), Ending(), interruption)
    assert isinstance(result.error, CommitteeInterruptedError)
    assert result.debate is not None
    assert "裁决" not in llm.calls


async def test_verdict_that_was_there_before_the_interruption_stands() -> None:
    interruption = Interruption()

    class Ending(Watcher):
        def stage_finished(self, stage: Stage) -> None:
            if stage is Stage.JUDGE:
                interruption.set()

    result = await committee(answering()).run(dossier(), Ending(), interruption)
    assert (result.error, result.decision().action) == (None, "BUY")


async def test_cancelling_cancels_every_agent_and_raises() -> None:
    llm = answering()
    llm.pause = lambda _title: 60
    watcher = Watcher()
    task = asyncio.create_task(committee(llm).run(dossier(), watcher))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(llm.cancelled) == sorted(EXPERTS)
    assert len(watcher.seen) == 1 + len(EXPERTS)


async def test_agents_own_time_limit_is_not_taken_for_the_deadline() -> None:
    llm = answering()
    llm.pause = lambda title: 60 if title == "技术分析师" else 0
    options = AskOptions(budget=Budget(max_seconds=0.2))
    result = await committee(llm, deadline=30.0, options=options).run(dossier())
    assert result.decision().action == "BUY"
    assert result.research is not None
    assert list(result.research.failures) == ["technical_analyst"]


@pytest.mark.parametrize("deadline", [None, 30.0])
async def test_defect_that_looks_like_a_timeout_is_not_taken_for_the_deadline(deadline: float | None) -> None:
    class Broken(DebateService):
        def __init__(self) -> None:
            pass

        async def argue(self, _debate_input: object) -> None:  # type: ignore[override]  # it never returns
            raise TimeoutError

    broken = committee(answering(), deadline=deadline)
    broken._debate = Broken()  # noqa: SLF001 - no agent of ours raises one
    with pytest.raises(TimeoutError):
        await broken.run(dossier())


# --- watching, and many at a time ---------------------------------------------------------------------------


async def test_watcher_is_told_of_stages_and_agents_as_it_happens() -> None:
    watcher = Watcher()
    result = await committee(answering()).run(dossier(), watcher)
    assert watcher.answers == list(result.answers)
    assert result.research is not None
    asked = ["research begins", *(f"{expert.name} asked" for expert in result.research.experts)]
    seen = watcher.seen
    assert seen[: len(asked)] == asked
    after = len(asked) + len(EXPERTS)
    assert seen[after : after + 3] == ["research ends", "debate begins", "bull_advocate asked"]
    assert seen[-4:] == ["judge begins", "verdict asked", "verdict answered", "judge ends"]


async def test_stage_that_fails_does_not_end_for_the_watcher() -> None:
    watcher = Watcher()
    await committee(answering(冲突消解=DOWN)).run(dossier(), watcher)
    assert "debate begins" in watcher.seen
    assert "debate ends" not in watcher.seen
    assert "judge begins" not in watcher.seen


async def test_fifty_committees_at_a_time_do_not_mix() -> None:
    llm = answering()
    waits = itertools.cycle([0.0, 0.003, 0.001, 0.002])
    llm.pause = lambda _title: next(waits)
    one = committee(llm, price=TokenPrice(1, 1))
    dossiers = [
        dossier().model_copy(update={"stock": dossier().stock.model_copy(update={"symbol": f"S{number}"})})
        for number in range(50)
    ]
    watchers = [Watcher() for _ in dossiers]
    results = await asyncio.gather(*map(one.run, dossiers, watchers))
    for result, watcher, asked in zip(results, watchers, dossiers, strict=True):
        assert result.decision().symbol == asked.stock.symbol
        assert {answer.agent.label for answer in result.answers} == ALL
        assert all(f'"{asked.stock.symbol}"' in answer.prompt for answer in result.answers)
        assert result.totals.usage == TokenUsage(10 * len(SEATS), 10 * len(SEATS))
        assert watcher.answers == list(result.answers)
