"""The use case: research, then debate, then judge, for one dossier; and what one stage hands to the next."""

from __future__ import annotations

import asyncio
import time

from examples.committee.dossier import Dossier
from examples.committee.market_facts import PricedJudgeInput, market_facts
from examples.committee.result import CommitteeResult, Stage
from examples.committee.verdict.adapter import PricedVerdictAdapter
from src.modules.debate.application.services.debate_service import DebateService
from src.modules.debate.container import DebateContainer
from src.modules.debate.domain.dtos.debate_input import DebateInput, ExpertSummary
from src.modules.debate.domain.dtos.debate_outcome import DebateOutcomeDTO
from src.modules.judge.application.services.judge_service import JudgeService
from src.modules.judge.domain.rules import warnings_about
from src.modules.research.application.services.research_service import ResearchService
from src.modules.research.container import ResearchContainer
from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.modules.research.domain.exceptions import TooFewExpertsError
from src.shared.application.prompted_agent import listening
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message


class CommitteeInterruptedError(AppException):
    """Somebody stopped it before its verdict; `details` holds `stage` and `unfinished` (agents)."""

    default_code = "COMMITTEE_INTERRUPTED"

    @classmethod
    def of(cls, result: CommitteeResult) -> CommitteeInterruptedError:
        """The error for what was going on."""
        stage, unfinished = result.stage.value, [agent.label for agent in result.unfinished]
        zh = f"运行在 {stage} 阶段被中断，未完成的成员：{'、'.join(unfinished) or '无'}"
        en = f"the run was interrupted in {stage}, unfinished: {', '.join(unfinished) or 'nobody'}"
        message = Message.glossed(zh, en, "the run was interrupted")
        return cls(message.text(), {"stage": stage, "unfinished": unfinished})


class Committee:
    """Runs committees; any number at a time.

    Args:
        research: asks the experts.
        debate: lets two advocates argue and settles it.
        judge: decides.
    """

    def __init__(self, research: ResearchService, debate: DebateService, judge: JudgeService) -> None:
        self._research = research
        self._debate = debate
        self._judge = judge

    async def run(self, dossier: Dossier, result: CommitteeResult | None = None) -> CommitteeResult:
        """Decide on a stock. What fails on purpose is in the result, with all that was found until then.

        Args:
            dossier: what is known of the stock.
            result: an empty one to fill: who cancels the run has in it what was found. None: a new one.

        Raises:
            CancelledError: somebody cancelled it, and so every agent.
        """
        result = result or CommitteeResult(dossier.stock.symbol)
        began = time.monotonic()
        try:
            with listening(result):
                await self._sit(dossier, result)
        except AppException as error:
            result.error = error
        except asyncio.CancelledError:
            result.error = CommitteeInterruptedError.of(result)
            raise
        finally:
            result.seconds = time.monotonic() - began
        return result

    async def _sit(self, dossier: Dossier, result: CommitteeResult) -> None:
        result.stage_started(Stage.RESEARCH)
        try:
            report = result.research = await self._research.run(dossier)
        except TooFewExpertsError as error:
            result.research = error.report
            raise
        result.stage_started(Stage.DEBATE)
        debated = debate_input(report)
        result.arguments = await self._debate.argue(debated)
        outcome = result.debate = await self._debate.settle(debated, result.arguments)
        result.stage_started(Stage.JUDGE)
        question = judge_input(dossier, report, outcome)
        result.verdict = await self._judge.run(question)
        result.warnings = warnings_about(result.verdict, question)


def debate_input(report: ResearchReport) -> DebateInput:
    """The experts' opinions, and which of the experts has none, and why."""
    summaries = {name: ExpertSummary(**found.opinion().model_dump()) for name, found in report.results.items()}
    return DebateInput(symbol=report.symbol, expert_summaries=summaries, missing_experts=report.failures)


def judge_input(dossier: Dossier, report: ResearchReport, outcome: DebateOutcomeDTO) -> PricedJudgeInput:
    """The debate's outcome and what is known of the price.

    A dimension that nobody could judge and a case that nobody made are risks.
    """
    risks = [
        f"{row.risk}（概率：{row.probability}；影响：{row.impact}；缓解：{row.mitigation}）"
        for row in outcome.risk_matrix
    ]
    unheard = [
        f"{side}没有给出论证：缺少这一方，不代表它认输"
        for side, case in (("多头辩护人", outcome.bull_case), ("空头辩护人", outcome.bear_case))
        if case is None
    ]
    unknown = [f"{expert.label}没有给出结论，该维度未知" for expert in report.experts if expert.result is None]
    return PricedJudgeInput(
        symbol=outcome.symbol,
        direction=outcome.direction,
        confidence=outcome.confidence,
        bull_thesis=outcome.bull_case and outcome.bull_case.core_thesis,
        bear_thesis=outcome.bear_case and outcome.bear_case.core_thesis,
        risk_factors=[*risks, *unheard, *unknown],
        market=market_facts(dossier, report),
        key_disagreements=outcome.key_disagreements,
        conflict_resolution=outcome.conflict_resolution,
    )


def committee_of(llm: TypedLLM) -> Committee:
    """A committee over one model, whose budget holds for each agent."""
    research, debate = ResearchContainer(llm=llm), DebateContainer(llm=llm)
    judge = JudgeService(PricedVerdictAdapter(llm))
    return Committee(research.research_service(), debate.debate_service(), judge)
