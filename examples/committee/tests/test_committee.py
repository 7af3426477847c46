"""A committee: research, debate and judge for one dossier; nothing found is lost, nothing goes on when cancelled."""

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from examples.committee.committee import CommitteeInterruptedError, committee_of
from examples.committee.result import CommitteeResult, Stage
from examples.committee.tests.committees import DOSSIER, DOWN, sat
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.ports.llm import TokenUsage
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.modules.all_contracts import CONTRACTS
from tests.modules.answers import EXPERTS, GOOD, answering
from tests.paths import ROOT
from tests.shared.routed_llm import Answer, NoEvents, RoutedLLM, typed_llm
from tests.shared.scripted_llm import reply

pytestmark = pytest.mark.anyio

LEAST = 3
"""As many experts have to answer."""
RECORDINGS = ROOT / "src" / "entrypoints" / "cli" / "recordings"


async def test_agents_come_to_a_verdict_and_every_answer_is_kept_with_prompt_and_text() -> None:
    llm = answering()
    result = await committee_of(typed_llm(llm)).run(DOSSIER)
    verdict = result.decision()
    assert (verdict.symbol, verdict.action, verdict.position_percent) == ("688999.SH", "BUY", 0.25)
    assert (result.error, result.unfinished) == (None, ())
    kept = {answer.agent.label: (answer.prompt, answer.raw_output) for answer in result.answers}
    assert kept == {title: (llm.calls[title][0].prompt, GOOD[title][0]) for title in GOOD}


@pytest.mark.parametrize("case", ["clean", "wrapped", "damaged"])
async def test_recorded_answers_come_to_a_verdict(case: str) -> None:
    def recording(agent: str) -> str:
        return Path(RECORDINGS / agent / f"{case}.txt").read_text(encoding="utf-8")

    llm = RoutedLLM({contract.label: [recording(contract.agent)] for contract in CONTRACTS})
    result = await committee_of(typed_llm(llm)).run(DOSSIER)
    assert result.decision().symbol == "688999.SH"
    assert len(result.answers) == len(CONTRACTS)


@pytest.mark.parametrize("title", EXPERTS)
async def test_without_one_expert_the_others_go_on_and_debate_and_judge_are_told(title: str) -> None:
    llm = answering(**{title: DOWN})
    result = await committee_of(typed_llm(llm)).run(DOSSIER)
    assert result.decision().action == "BUY"
    assert result.research is not None
    (missing,) = result.research.failures
    for advocate in ("多头辩护人", "空头辩护人"):
        assert f'- "{missing}"："模型服务不可用' in llm.calls[advocate][0].prompt
    assert f"{title}没有给出结论，该维度未知" in llm.calls["裁决"][0].prompt


@pytest.mark.parametrize("failing", list(itertools.combinations(EXPERTS, len(EXPERTS) - LEAST + 1)))
async def test_too_few_experts_end_it_before_the_debate_and_keep_what_was_found(failing: tuple[str, ...]) -> None:
    llm = answering(**dict.fromkeys(failing, DOWN))
    result = await committee_of(typed_llm(llm)).run(DOSSIER)
    assert result.research is not None
    assert (len(result.research.results), len(result.answers)) == (LEAST - 1, len(EXPERTS))
    assert (set(llm.calls), result.stage) == (set(EXPERTS), Stage.RESEARCH)
    with pytest.raises(TooFewExpertsError, match=f"只有 {LEAST - 1} 位专家给出结论"):
        result.decision()


@pytest.mark.parametrize(("failing", "standing"), [("多头辩护人", "空头辩护人"), ("空头辩护人", "多头辩护人")])
async def test_advocate_that_fails_leaves_the_others_case_and_the_judge_is_told(failing: str, standing: str) -> None:
    llm = answering(**{failing: DOWN})
    result = await committee_of(typed_llm(llm)).run(DOSSIER)
    assert result.decision().action == "BUY"
    judged = llm.calls["裁决"][0].prompt
    assert f"{failing}没有给出论证：缺少这一方，不代表它认输" in judged
    assert f"{standing}没有给出论证" not in judged


@pytest.mark.parametrize(
    ("failing", "stage", "answers"),
    [
        (("多头辩护人", "空头辩护人"), Stage.DEBATE, len(EXPERTS) + 2),
        (("冲突消解",), Stage.DEBATE, len(EXPERTS) + 3),
        (("裁决",), Stage.JUDGE, len(GOOD)),
    ],
)
async def test_failure_of_a_later_stage_keeps_the_earlier_ones(
    failing: tuple[str, ...], stage: Stage, answers: int
) -> None:
    result = await sat(**dict.fromkeys(failing, DOWN))
    assert (result.error, result.stage, result.verdict) == (DOWN, stage, None)
    assert result.research is not None
    assert (len(result.research.results), len(result.answers)) == (len(EXPERTS), answers)
    assert (result.arguments is None, result.debate is None) == (len(failing) == 2, stage is Stage.DEBATE)


async def test_verdict_against_the_debate_comes_with_a_warning() -> None:
    settled = GOOD["冲突消解"][0].replace('"BULLISH"', '"BEARISH"').replace('"NEUTRAL"', '"BEARISH"')
    result = await sat(冲突消解=settled)
    assert result.decision().action == "BUY"
    assert "方向相反" in result.warnings[0].message.text()


async def test_replies_and_tokens_of_all_attempts_are_added_up() -> None:
    scripts: dict[str, Sequence[Answer]] = {title: [reply(script[0], tokens=10)] for title, script in GOOD.items()}
    scripts["裁决"] = [reply("无法回答", tokens=100), *scripts["裁决"]]
    result = await committee_of(typed_llm(RoutedLLM(scripts))).run(DOSSIER)
    assert (result.replies, result.usage) == (len(GOOD) + 1, TokenUsage(10 * len(GOOD) + 100, 10 * len(GOOD) + 100))
    assert result.seconds > 0


@pytest.mark.parametrize(
    ("hanging", "stage", "answered"),
    [("估值建模师", Stage.RESEARCH, 4), ("空头辩护人", Stage.DEBATE, 6), ("裁决", Stage.JUDGE, 8)],
)
async def test_cancelling_cancels_who_is_asked_and_loses_no_answer(hanging: str, stage: Stage, answered: int) -> None:
    llm, result, is_asked = answering(), CommitteeResult(DOSSIER.stock.symbol), asyncio.Event()

    def pause(title: str) -> float:
        if title != hanging:
            return 0
        asyncio.get_running_loop().call_later(0.05, is_asked.set)
        return 60

    llm.pause = pause
    task = asyncio.create_task(committee_of(typed_llm(llm)).run(DOSSIER, result))
    await asyncio.wait_for(is_asked.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert llm.cancelled == [hanging]
    assert (result.stage, len(result.answers), result.verdict) == (stage, answered, None)
    assert isinstance(result.error, CommitteeInterruptedError)
    assert result.error.details == {"stage": stage.value, "unfinished": [hanging]}


async def test_agent_that_takes_longer_than_its_budget_costs_no_verdict() -> None:
    llm = answering()
    llm.pause = lambda title: 60 if title == "技术分析师" else 0
    typed = TypedLLM(llm, output_of=plain_output, events=NoEvents(), budget=Budget(max_seconds=0.2))
    result = await committee_of(typed).run(DOSSIER)
    assert result.decision().action == "BUY"
    assert result.research is not None
    assert list(result.research.failures) == ["technical_analyst"]
