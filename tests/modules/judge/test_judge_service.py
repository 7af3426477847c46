"""Judging: one decision from a debate's outcome, and the rules it keeps."""

import pytest

from src.modules.judge.application.services.judge_service import JudgeService
from src.modules.judge.container import JudgeContainer
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict import VerdictDTO
from src.modules.judge.domain.dtos.verdict_result import TradeAction, VerdictResult
from tests.modules.all_contracts import contract_of
from tests.modules.answers import answering
from tests.modules.inputs import JUDGE
from tests.shared.routed_llm import typed_llm

pytestmark = pytest.mark.anyio


def verdict(action: TradeAction = "BUY") -> VerdictResult:
    return VerdictResult(**(contract_of("verdict").answer | {"action": action}))


class FakeJudge:
    """Decides as told."""

    def __init__(self, answer: VerdictResult) -> None:
        self.answer = answer

    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        assert judge_input == JUDGE
        return self.answer


async def test_verdict_is_the_judges_result_and_the_symbol() -> None:
    found = await JudgeService(FakeJudge(verdict())).run(JUDGE)
    assert found == VerdictDTO(symbol="600519.SH", **verdict().model_dump())


async def test_agent_judges() -> None:
    llm = answering()
    found = await JudgeContainer(llm=typed_llm(llm)).judge_service().run(JUDGE)
    assert (found.symbol, found.action) == ("600519.SH", "BUY")
    assert f"{JUDGE.conflict_resolution}" in llm.calls["裁决"][0].prompt
