"""Research: all experts at once, each with an outcome of its own."""

import asyncio
from dataclasses import dataclass, field

import pytest

from src.modules.research.application.services.research_service import ResearchService
from src.modules.research.container import ResearchContainer
from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertResult
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.modules.research.domain.inputs import ResearchInput
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from tests.modules.answers import EXPERTS, answering
from tests.modules.inputs import dossier
from tests.shared.routed_llm import typed_llm

pytestmark = pytest.mark.anyio


class View(ExpertResult):
    def opinion(self) -> ExpertOpinion:
        return ExpertOpinion(signal="x", confidence=1, reasoning="", risk_warning="")


@dataclass
class FakeExpert:
    """Answers, fails, or waits for somebody."""

    name: str
    error: Exception | None = None
    waits_for: asyncio.Event | None = None
    sets: asyncio.Event | None = None
    cancelled: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        return f"{self.name}专家"

    async def analyse(self, research_input: ResearchInput) -> ExpertResult:
        del research_input
        if self.sets:
            self.sets.set()
        try:
            if self.waits_for:
                await asyncio.wait_for(self.waits_for.wait(), 10)
        except asyncio.CancelledError:
            self.cancelled.append(self.name)
            raise
        if self.error:
            raise self.error
        return View()


async def test_every_expert_is_reported_in_its_place() -> None:
    report = await ResearchService([FakeExpert("b"), FakeExpert("a")], least=2).run(dossier())
    assert [(expert.name, expert.label, expert.result) for expert in report.experts] == [
        ("b", "b专家", View()),
        ("a", "a专家", View()),
    ]
    assert (report.symbol, report.failures) == ("688999.SH", {})


async def test_experts_work_side_by_side() -> None:
    first, second = asyncio.Event(), asyncio.Event()
    experts = [FakeExpert("a", sets=first, waits_for=second), FakeExpert("b", sets=second, waits_for=first)]
    report = await asyncio.wait_for(ResearchService(experts, least=2).run(dossier()), 5)
    assert len(report.results) == 2


@pytest.mark.parametrize("failing", range(5))
async def test_one_that_fails_is_reported_with_its_reason_and_the_others_go_on(failing: int) -> None:
    experts = [FakeExpert(str(n), AppException("坏了") if n == failing else None) for n in range(5)]
    report = await ResearchService(experts).run(dossier())
    assert report.failures == {str(failing): "坏了"}
    assert list(report.results) == [str(n) for n in range(5) if n != failing]


@pytest.mark.parametrize("answering_experts", range(5))
async def test_fewer_than_the_chosen_number_is_a_refusal_that_keeps_what_was_found(answering_experts: int) -> None:
    experts = [FakeExpert(str(n), AppException(f"坏了{n}") if n >= answering_experts else None) for n in range(5)]
    with pytest.raises(TooFewExpertsError) as caught:
        await ResearchService(experts, least=answering_experts + 1).run(dossier())
    assert list(caught.value.report.results) == [str(n) for n in range(answering_experts)]
    assert caught.value.details["least"] == answering_experts + 1
    assert "坏了4" in caught.value.message


async def test_defect_of_an_expert_is_not_reported_as_a_failure_of_the_model() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        await ResearchService([FakeExpert("a", KeyError("bug")), FakeExpert("b")], least=1).run(dossier())
    assert isinstance(caught.value.exceptions[0], KeyError)


async def test_cancelling_cancels_every_expert() -> None:
    never = asyncio.Event()
    experts = [FakeExpert(str(n), waits_for=never) for n in range(5)]
    task = asyncio.create_task(ResearchService(experts).run(dossier()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [expert.cancelled for expert in experts] == [[str(n)] for n in range(5)]


@pytest.mark.parametrize("least", [0, 3])
async def test_quorum_nobody_can_reach_is_a_mistake_of_the_caller(least: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 2"):
        ResearchService([FakeExpert("a"), FakeExpert("b")], least=least)


async def test_two_experts_of_one_name_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="differ in name"):
        ResearchService([FakeExpert("a"), FakeExpert("a")], least=1)


# --- with the real agents ---------------------------------------------------------------------------------


async def test_agents_answer() -> None:
    llm = answering()
    report = await ResearchContainer(llm=typed_llm(llm)).research_service().run(dossier())
    assert [expert.label for expert in report.experts] == list(EXPERTS)
    assert len(report.results) == len(EXPERTS)
    assert set(llm.calls) == set(EXPERTS)


async def test_expert_that_answers_nonsense_twice_is_reported_as_failed() -> None:
    llm = answering(财务审计员=["财务状况良好。", "财务状况非常良好。", "总之很好。"])
    report = await ResearchContainer(llm=typed_llm(llm)).research_service().run(dossier())
    (failed,) = [expert for expert in report.experts if expert.error]
    assert failed.name == "financial_auditor"
    assert failed.error is not None
    assert isinstance(failed.error.__cause__, LLMJsonParseError)
    assert len(llm.calls["财务审计员"]) == 3


async def test_expert_without_data_is_not_asked() -> None:
    llm = answering()
    without = dossier().model_copy(update={"macro": None})
    report = await ResearchContainer(llm=typed_llm(llm)).research_service().run(without)
    assert "缺少 macro" in report.failures["macro_intelligence"]
    assert "宏观情报员" not in llm.calls
