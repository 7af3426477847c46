"""A debate: both advocates at once, then the resolution."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pytest

from src.modules.debate.application.services.debate_service import DebateService
from src.modules.debate.container import DebateContainer
from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.debate_input import DebateInput
from src.modules.debate.domain.dtos.debate_outcome import DebateOutcomeDTO
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.modules.debate.domain.exceptions import LLMOutputParseError
from src.shared.domain.llm_errors import LLMServerError
from tests.modules.all_contracts import BEAR, BULL, contract_of
from tests.modules.answers import answering
from tests.modules.inputs import DEBATE
from tests.shared.routed_llm import typed_llm

pytestmark = pytest.mark.anyio

SETTLED = ResolutionResult(**contract_of("resolution").answer)
T = TypeVar("T", BullArgument, BearArgument)


@dataclass
class FakeAdvocate(Generic[T]):
    """Argues, fails, or never ends."""

    answer: T | Exception | None
    asked: list[DebateInput] = field(default_factory=list)
    cancelled: bool = False

    async def advocate(self, debate_input: DebateInput) -> T:
        self.asked.append(debate_input)
        try:
            await asyncio.sleep(60 if self.answer is None else 0)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        assert self.answer is not None
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass
class FakeResolution:
    """Settles it."""

    asked: list[tuple[str, BullArgument | None, BearArgument | None]] = field(default_factory=list)

    async def resolve(self, symbol: str, bull: BullArgument | None, bear: BearArgument | None) -> ResolutionResult:
        self.asked.append((symbol, bull, bear))
        return SETTLED


async def test_outcome_is_both_cases_and_the_resolution() -> None:
    bull, bear, resolution = FakeAdvocate(BULL), FakeAdvocate(BEAR), FakeResolution()
    outcome = await DebateService(bull, bear, resolution).run(DEBATE)
    assert bull.asked == bear.asked == [DEBATE]
    assert outcome == DebateOutcomeDTO(
        symbol="600519.SH",
        direction=SETTLED.direction,
        confidence=SETTLED.confidence,
        bull_case=BULL,
        bear_case=BEAR,
        risk_matrix=SETTLED.risk_matrix,
        key_disagreements=SETTLED.key_disagreements,
        conflict_resolution=SETTLED.conflict_resolution,
    )
    assert resolution.asked == [("600519.SH", BULL, BEAR)]


BULL_FAILED, BEAR_FAILED = LLMOutputParseError("无法解析多头"), LLMOutputParseError("无法解析空头")


@pytest.mark.parametrize(
    ("bull", "bear", "cases", "missing"),
    [
        (BULL_FAILED, BEAR, (None, BEAR), {"bull_advocate": "无法解析多头"}),
        (BULL, BEAR_FAILED, (BULL, None), {"bear_advocate": "无法解析空头"}),
    ],
    ids=["bull", "bear"],
)
async def test_advocate_that_fails_leaves_the_others_case_standing_and_says_so(
    bull: Any,  # noqa: ANN401 - a case or an error
    bear: Any,  # noqa: ANN401 - a case or an error
    cases: tuple[BullArgument | None, BearArgument | None],
    missing: dict[str, str],
) -> None:
    resolution = FakeResolution()
    outcome = await DebateService(FakeAdvocate(bull), FakeAdvocate(bear), resolution).run(DEBATE)
    assert ((outcome.bull_case, outcome.bear_case), outcome.missing_cases) == (cases, missing)
    assert resolution.asked == [("600519.SH", *cases)]


async def test_debate_that_nobody_argued_ends_with_the_bulls_error() -> None:
    resolution = FakeResolution()
    with pytest.raises(LLMOutputParseError, match="无法解析多头"):
        await DebateService(FakeAdvocate(BULL_FAILED), FakeAdvocate(BEAR_FAILED), resolution).run(DEBATE)
    assert resolution.asked == []


async def test_defect_of_an_advocate_is_not_reported_as_a_failure_of_the_model() -> None:
    bear: FakeAdvocate[BearArgument] = FakeAdvocate(None)
    with pytest.raises(ExceptionGroup) as caught:
        await DebateService(FakeAdvocate(KeyError("bug")), bear, FakeResolution()).run(DEBATE)
    assert isinstance(caught.value.exceptions[0], KeyError)
    assert bear.cancelled


async def test_cancelling_cancels_both_advocates() -> None:
    bull: FakeAdvocate[BullArgument] = FakeAdvocate(None)
    bear: FakeAdvocate[BearArgument] = FakeAdvocate(None)
    task = asyncio.create_task(DebateService(bull, bear, FakeResolution()).run(DEBATE))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert bull.cancelled
    assert bear.cancelled


async def test_three_agents_debate() -> None:
    llm = answering()
    outcome = await DebateContainer(llm=typed_llm(llm)).debate_service().run(DEBATE)
    assert (outcome.bull_case, outcome.bear_case, outcome.direction) == (BULL, BEAR, SETTLED.direction)
    assert BULL.core_thesis in llm.calls["冲突消解"][0].prompt
    assert BEAR.core_thesis in llm.calls["冲突消解"][0].prompt


async def test_whoever_settles_a_debate_of_one_side_is_told_that_the_other_is_missing() -> None:
    llm = answering(多头辩护人=LLMServerError("模型服务不可用"))
    outcome = await DebateContainer(llm=typed_llm(llm)).debate_service().run(DEBATE)
    assert (outcome.bull_case, outcome.bear_case) == (None, BEAR)
    asked = llm.calls["冲突消解"][0]
    bull = asked.prompt.partition("## 多头论证")[2].partition("## 空头论证")[0]
    assert "\n缺失\n" in bull
    assert "写作“缺失”" in str(asked.system_message)
