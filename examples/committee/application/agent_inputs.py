"""What one stage hands to the next, in the next one's words."""

from __future__ import annotations

from examples.committee.domain.dossier import Dossier
from examples.committee.domain.market_facts import MarketFacts
from examples.committee.domain.price_view import price_view
from examples.committee.domain.priced_input import PricedJudgeInput
from src.modules.debate.domain.dtos.debate_input import DebateInput, ExpertSummary
from src.modules.debate.domain.dtos.debate_outcome import DebateOutcomeDTO
from src.modules.research.domain.dtos.expert_result import ResearchReport


def debate_input(report: ResearchReport) -> DebateInput:
    """The experts' opinions, and which of the experts has none, and why."""
    summaries = {name: ExpertSummary(**result.opinion().model_dump()) for name, result in report.results.items()}
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
        market=_market(dossier, report),
        key_disagreements=outcome.key_disagreements,
        conflict_resolution=outcome.conflict_resolution,
    )


def _market(dossier: Dossier, report: ResearchReport) -> MarketFacts:
    found, stock = price_view(dossier, report), dossier.stock
    facts = MarketFacts(
        currency=stock.currency,
        price=found.price,
        support=list(found.support),
        resistance=list(found.resistance),
        value_low=found.value_low,
        value_high=found.value_high,
        other_prices=dict(found.other),
    )
    return facts.with_limits(stock.symbol, stock.name)
