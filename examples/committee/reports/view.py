"""What the reports show, computed once: plain values for the templates, without any layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.reports.cases import CaseView, cases_of
from examples.committee.reports.charts import Chart, charts_of
from examples.committee.reports.claims import Piece, pieces_of
from examples.committee.reports.effort import AgentEffort, efforts_of
from examples.committee.reports.expert_view import ExpertView, expert_view
from examples.committee.reports.figures import Figure, Source, by_section, figures_of, sources_of
from examples.committee.reports.labels import Stance, agent_title, stage_title, stance_of, warning_title
from examples.committee.reports.ladder import Ladder, ladder_of
from examples.committee.reports.missing import MissingSection, missing_in
from examples.committee.reports.price_line import PriceLine, price_line_of
from examples.committee.reports.replies import AgentReplies, replies_of
from examples.committee.reports.timeline import Timeline, timeline_of
from src.entrypoints.reports.templates_of import contents_of
from src.entrypoints.reports.words import chinese, said

_TITLES: Final = {
    "contradictions": chinese("裁决的矛盾与疑点", "Contradictions and doubts"),
    "absent": chinese("没有结论的成员", "Members without a conclusion"),
    "missing": chinese("资料中没有的", "Missing data"),
    "levels": chinese("价位", "Price levels"),
    "reasons": chinese("理由", "Reasons"),
    "conclusions": chinese("各方的结论与置信度", "Conclusions and confidence"),
    "debate": chinese("多空辩论", "Debate"),
    "risks": chinese("风险矩阵", "Risk matrix"),
    "experts": chinese("专家意见", "Expert opinions"),
    "figures": chinese("资料", "The dossier"),
    "process": chinese("形成过程", "How it came about"),
    "replies": chinese("答复原文", "The replies as they came"),
}
"""The title of each section of a committee's report by its anchor, in their order."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One agent's conclusion and confidence, 0 to 1; None where it has none."""

    label: str
    stance: Stance | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Missing:
    """What is missing of one section of the dossier; no fields where the whole section is."""

    title: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportView:
    """All that a report shows of a run."""

    dossier: Dossier
    result: CommitteeResult
    verdict: Stance | None
    direction: Stance | None
    failure: str
    failed_in: str
    experts: tuple[ExpertView, ...]
    bars: tuple[Bar, ...]
    cases: tuple[CaseView, ...]
    missing: tuple[Missing, ...]
    efforts: tuple[AgentEffort, ...]
    unfinished: tuple[str, ...]
    ladder: Ladder | None
    price_line: PriceLine | None
    replies: tuple[AgentReplies, ...]
    timeline: Timeline
    figures: tuple[Figure, ...]
    sources: tuple[Source, ...]

    @property
    def figures_by_section(self) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
        """Title and figures of each section of the dossier."""
        return by_section(self.figures)

    def pieces(self, text: str) -> tuple[Piece, ...]:
        """A text that an agent wrote, with the dossier's figures in it."""
        return pieces_of(text, self.figures)

    def charts(self, expert: ExpertView) -> tuple[Chart, ...]:
        """The dossier's series that an expert's claims use."""
        cited = {piece.anchor for text in expert.texts for piece in self.pieces(text) if piece.anchor}
        return charts_of(self.figures, cited)

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """Title and text of each warning about the verdict."""
        return tuple(
            (warning_title(found.rule), said(found.message.zh, found.message.en)) for found in self.result.warnings
        )

    @property
    def contents(self) -> dict[str, str]:
        """Anchor and title of each section of the report."""
        verdict = self.result.verdict
        return contents_of(
            {
                "contradictions": self.result.warnings,
                "absent": self.without_result or self.unheard or self.unfinished,
                "missing": self.missing,
                "levels": self.ladder,
                "reasons": verdict and (verdict.reasoning or verdict.narrative_report or verdict.risk_warnings),
                "conclusions": self.bars,
                "debate": self.cases,
                "risks": self.result.debate,
                "experts": self.experts,
                "replies": self.replies,
                "figures": self.figures or self.sources,
            },
            _TITLES,
        )

    @property
    def without_result(self) -> tuple[ExpertView, ...]:
        """The experts that gave no conclusion: dimensions nobody has judged."""
        return tuple(expert for expert in self.experts if expert.failure)

    @property
    def unheard(self) -> tuple[CaseView, ...]:
        """The sides of the debate that nobody argued."""
        return tuple(case for case in self.cases if case.failure)


def report_view(dossier: Dossier, result: CommitteeResult) -> ReportView:
    """Work out what a report shows."""
    ladder = ladder_of(dossier, result)
    experts = tuple(map(expert_view, result.research.experts)) if result.research else ()
    cases = cases_of(result)
    return ReportView(
        dossier=dossier,
        result=result,
        verdict=stance_of(result.verdict.action) if result.verdict else None,
        direction=stance_of(result.debate.direction) if result.debate else None,
        failure=result.error.message if result.error else "",
        failed_in=stage_title(result.failed_in) if result.failed_in else "",
        experts=experts,
        bars=(*_expert_bars(experts), *_case_bars(cases), *_later_bars(result)),
        cases=cases,
        missing=tuple(map(_missing, missing_in(dossier))),
        efforts=tuple(replace(effort, label=agent_title(effort.name, effort.label)) for effort in efforts_of(result)),
        unfinished=tuple(_unfinished(result)),
        ladder=ladder,
        price_line=price_line_of(dossier, ladder),
        replies=replies_of(result),
        timeline=timeline_of(result),
        figures=figures_of(dossier),
        sources=sources_of(dossier),
    )


def _unfinished(result: CommitteeResult) -> Iterator[str]:
    """Who was cut off, but for the experts: each of them is told with the reason."""
    reported = {expert.name for expert in result.research.experts} if result.research else set()
    for agent in result.unfinished:
        if agent.name not in reported:
            yield agent_title(agent.name, agent.label)


def _missing(section: MissingSection) -> Missing:
    return Missing(section.title.text(), tuple(field.text() for field in section.fields))


def _expert_bars(experts: tuple[ExpertView, ...]) -> Iterator[Bar]:
    for expert in experts:
        yield Bar(expert.label, expert.stance, expert.confidence if expert.stance else None)


def _case_bars(cases: tuple[CaseView, ...]) -> Iterator[Bar]:
    for case in cases:
        yield Bar(case.label, case.stance, case.argument.confidence if case.argument else None)


def _later_bars(result: CommitteeResult) -> Iterator[Bar]:
    if result.debate:
        yield Bar(agent_title("resolution", "冲突消解"), stance_of(result.debate.direction), result.debate.confidence)
    if result.verdict:
        yield Bar(agent_title("verdict", "裁决"), stance_of(result.verdict.action), result.verdict.confidence)
