"""Judging: one decision from a debate's outcome, and the rules it keeps."""

import pytest

from src.modules.judge.application.services.judge_service import JudgeService
from src.modules.judge.container import JudgeContainer
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.judge.domain.dtos.verdict_result import TradeAction, VerdictResult
from tests.modules.answers import answering
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT
from tests.shared.routed_llm import typed_llm

pytestmark = pytest.mark.anyio

INPUT = JudgeInput(
    symbol="600519.SH",
    direction="BULLISH",
    confidence=0.6,
    bull_thesis="护城河稳固",
    bear_thesis="渠道库存高企",
    risk_factors=["批价下行"],
    key_disagreements=["增速"],
    conflict_resolution="多头占优",
)


def verdict(action: TradeAction = "BUY") -> VerdictResult:
    return VerdictResult(**(VERDICT.answer | {"action": action}))


class FakeJudge:
    """Decides as told."""

    def __init__(self, answer: VerdictResult) -> None:
        self.answer = answer

    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        assert judge_input == INPUT
        return self.answer


async def test_verdict_is_the_judges_result_and_the_symbol() -> None:
    found = await JudgeService(FakeJudge(verdict())).run(INPUT)
    assert found == VerdictDTO(symbol="600519.SH", **verdict().model_dump())


async def test_agent_judges() -> None:
    llm = answering()
    found = await JudgeContainer(llm=typed_llm(llm)).judge_service().run(INPUT)
    assert (found.symbol, found.action) == ("600519.SH", "BUY")
    assert "渠道库存高企" in llm.calls["裁决"][0].prompt
