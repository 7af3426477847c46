"""The report: one HTML file that shows what each agent was asked, wrote, what was repaired, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup
from pydantic import BaseModel

from examples.committee.dossier import Dossier
from examples.committee.result import CommitteeResult
from examples.committee.words import Conclusion, agent_title, chinese, conclusion_of, said, stage_title
from src.entrypoints.reports.templates_of import html_environment
from src.entrypoints.reports.words import number, reason_of, word_of
from src.shared.application.prompted_agent import AgentAnswer
from src.shared.application.question import Attempt
from src.shared.domain.repair import Repair, RepairKind, how_often

_CUT: Final = "…"
"""What ends a repair's excerpt of a text that is longer."""
_CONFIDENCES: Final = ("confidence", "confidence_score")
_TITLES: Final = {
    "financial_score": chinese("财务评分（满分 100）", "Financial score (out of 100)"),
    "summary_reasoning": chinese("理由", "Reasons"),
    "reasoning_summary": chinese("理由", "Reasons"),
    "reasoning": chinese("理由", "Reasons"),
    "macro_summary": chinese("总述", "Summary"),
    "catalyst_summary": chinese("总述", "Summary"),
    "key_technical_levels": chinese("关键价位", "Key levels"),
    "support": chinese("支撑位", "Support"),
    "resistance": chinese("压力位", "Resistance"),
    "estimated_intrinsic_value_range": chinese("每股内在价值区间", "Intrinsic value per share"),
    "lower_bound": chinese("下限", "Lower bound"),
    "upper_bound": chinese("上限", "Upper bound"),
    "key_evidence": chinese("依据", "Evidence"),
    "risk_factors": chinese("风险因素", "Risk factors"),
    "key_risks": chinese("主要风险", "Main risks"),
    "risk_warning": chinese("什么会证明判断错误", "What would prove this wrong"),
    "risk_warnings": chinese("会让这个决定亏损的情形", "What would make this decision lose money"),
    "key_opportunities": chinese("机会", "Opportunities"),
    "information_sources": chinese("信息来源", "Sources"),
    "dimension_analyses": chinese("分项评价", "Assessment by dimension"),
    "dimension": chinese("方面", "Dimension"),
    "score": chinese("得分", "Score"),
    "assessment": chinese("评价", "Assessment"),
    "key_findings": chinese("发现", "Findings"),
    "positive_catalysts": chinese("正面催化", "Positive catalysts"),
    "negative_catalysts": chinese("负面催化", "Negative catalysts"),
    "event": chinese("事件", "Event"),
    "expected_impact": chinese("影响", "Impact"),
    "timeframe": chinese("时间", "Time"),
    "core_thesis": chinese("核心论点", "Thesis"),
    "supporting_arguments": chinese("论据", "Arguments"),
    "acknowledged_risks": chinese("承认的风险", "Risks it acknowledges"),
    "acknowledged_strengths": chinese("承认的长处", "Strengths it acknowledges"),
    "price_catalysts": chinese("可能推动上涨的事件", "Events that may push the price up"),
    "risk_triggers": chinese("会触发风险的事件", "Events that would trigger the risks"),
    "bull_case_summary": chinese("多头的论证", "The case for it"),
    "bear_case_summary": chinese("空头的论证", "The case against it"),
    "risk_matrix": chinese("风险矩阵", "Risk matrix"),
    "risk": chinese("风险", "Risk"),
    "probability": chinese("概率", "Probability"),
    "impact": chinese("影响", "Impact"),
    "mitigation": chinese("缓解办法", "Mitigation"),
    "key_disagreements": chinese("主要分歧", "Main disagreements"),
    "conflict_resolution": chinese("冲突消解", "How it was settled"),
    "position_percent": chinese("目标仓位", "Position"),
    "entry_strategy": chinese("进场", "Entry"),
    "stop_loss": chinese("止损", "Stop loss"),
    "take_profit": chinese("止盈", "Take profit"),
    "time_horizon": chinese("期限", "Horizon"),
    "narrative_report": chinese("分析全文", "The full analysis"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a reply; where it was repaired, the number of the kind of repair and what was read instead."""

    text: str
    note: int = 0
    put: str = ""


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One question and what came of it.

    Attributes:
        attempt: as it was made.
        refused: why the reply is not the answer, or none came; empty where it is the answer.
        pieces: the reply; empty where none came.
        notes: number, word and count of each kind of repair that was made in it.
    """

    attempt: Attempt
    refused: str
    pieces: tuple[Piece, ...]
    notes: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True, slots=True)
class AgentView:
    """What one agent was asked, and what came of it.

    Attributes:
        answer: as it was given.
        title: the agent's.
        conclusion: what it comes out for; None where it has no usable answer.
        parts: title and lines of each other field of its result.
        attempts: in their order.
    """

    answer: AgentAnswer[BaseModel]
    title: str
    conclusion: Conclusion | None
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    attempts: tuple[AttemptView, ...]


def html_report(dossier: Dossier, result: CommitteeResult) -> str:
    """The report as one document without scripts or anything from elsewhere; a model's text is always escaped."""
    environment = html_environment(Path(__file__).parent)
    environment.globals["say"] = lambda zh, en: Markup(said(zh, en))  # noqa: S704 - a literal of ours
    answers = sorted(result.answers, key=lambda answer: result.asked.index(answer.agent))
    return environment.get_template("report.html.j2").render(
        stock=dossier.stock,
        note=dossier.note or "",
        result=result,
        verdict=conclusion_of(result.verdict) if result.verdict else None,
        stopped_in=stage_title(result.stage),
        warnings=[said(warning.message.zh, warning.message.en) for warning in result.warnings],
        absent=list(_absent(result)),
        agents=list(map(agent_view, answers)),
    )


def _absent(result: CommitteeResult) -> Iterator[tuple[str, str]]:
    """Title of each agent that has no part in the result, and why."""
    for expert in result.research.experts if result.research else ():
        if expert.error:
            yield agent_title(expert.name, expert.label), reason_of(expert.error)
    labels = {agent.name: agent.label for agent in result.asked}
    for side, error in result.arguments.failures.items() if result.arguments else ():
        yield agent_title(side, labels.get(side, side)), reason_of(error)
    for agent in result.unfinished:
        yield agent_title(agent.name, agent.label), said("被中途停止，没有答复。", "was stopped midway.")


def agent_view(answer: AgentAnswer[BaseModel]) -> AgentView:
    """What the report shows of one agent, whichever it is."""
    parsed, title = answer.outcome.parsed, agent_title(answer.agent.name, answer.agent.label)
    attempts = tuple(_attempt(one, parsed.repairs if parsed else ()) for one in answer.outcome.attempts)
    if parsed is None:
        return AgentView(answer, title, None, (), attempts)
    return AgentView(answer, title, conclusion_of(parsed.value), tuple(_parts(parsed.value)), attempts)


def _attempt(attempt: Attempt, repairs: tuple[Repair, ...]) -> AttemptView:
    made = () if attempt.error else repairs
    kinds = list(enumerate(how_often(made).items(), 1))
    numbers = {kind.value: place for place, (kind, _) in kinds}
    return AttemptView(
        attempt,
        reason_of(attempt.error) if attempt.error else "",
        tuple(_pieces(attempt.reply.text if attempt.reply else "", made, numbers)),
        tuple((place, word_of(RepairKind(kind).words), count) for place, (kind, count) in kinds),
    )


def _pieces(text: str, repairs: tuple[Repair, ...], numbers: dict[str, int]) -> Iterator[Piece]:
    """The text, cut where a repair begins and ends; a repair that is not where it says is only counted."""
    end = 0
    for repair in sorted(repairs, key=lambda one: one.offset):
        found = repair.found if text.startswith(repair.found, repair.offset) else repair.found.removesuffix(_CUT)
        if repair.offset < end or not text.startswith(found, repair.offset):
            continue
        if repair.offset > end:
            yield Piece(text[end : repair.offset])
        yield Piece(found, numbers[repair.kind], repair.put)
        end = repair.offset + len(found)
    if end < len(text):
        yield Piece(text[end:])


def _parts(result: BaseModel) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every field but the conclusion, whichever agent's it is: one that this code has never heard of is shown too."""
    conclusion = conclusion_of(result)
    for name in type(result).model_fields:
        value = getattr(result, name)
        if name in _CONFIDENCES or value == conclusion.raw or value in ("", []):
            continue
        yield _title(name), tuple(map(_text, value)) if isinstance(value, list) else (_text(value),)


def _text(value: object) -> str:
    """A value in one text: of an object each field with its title."""
    if isinstance(value, BaseModel):
        fields = ((name, _text(getattr(value, name))) for name in type(value).model_fields)
        return said("；", "; ").join(f"{_title(name)}{said('：', ': ')}{text}" for name, text in fields if text)
    if isinstance(value, list):
        return said("、", ", ").join(map(_text, value))
    return number(value) if isinstance(value, float) else str(value)


def _title(field: str) -> str:
    return _TITLES[field].text() if field in _TITLES else field
