"""One container per context; a test, or anybody, overrides what it holds."""

import pytest
from dependency_injector.errors import Error

from examples.committee.container import CommitteeContainer
from examples.committee.tests.inputs import dossier
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.shared.application.prompted_agent import AskOptions
from tests.modules.answers import answering
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT
from tests.shared.routed_llm import typed_llm

pytestmark = pytest.mark.anyio


class FakeJudge:
    async def judge(self, judge_input: JudgeInput) -> VerdictResult:
        del judge_input
        return VerdictResult(**(VERDICT.answer | {"action": "HOLD", "position_percent": 0}))


async def test_agent_can_be_overridden() -> None:
    llm = answering()
    container = CommitteeContainer(llm=typed_llm(llm))
    container.judge.verdict_agent.override(FakeJudge())
    result = await container.committee().run(dossier())
    assert result.decision().action == "HOLD"
    assert "裁决" not in llm.calls


async def test_options_reach_every_agent() -> None:
    llm = answering()
    container = CommitteeContainer(llm=typed_llm(llm), options=AskOptions(0.0, 321))
    await container.committee().run(dossier())
    asked = {(call.temperature, call.max_tokens) for calls in llm.calls.values() for call in calls}
    assert asked == {(0.0, 321)}


async def test_container_without_a_model_says_so() -> None:
    with pytest.raises(Error, match="llm"):
        CommitteeContainer().committee()
