"""What the reports show, computed once: plain values for the templates, without any layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import BaseModel

from src.committee.application.result import CommitteeResult
from src.committee.domain.dossier import Dossier
from src.entrypoints.reports.cases import CaseView, cases_of
from src.entrypoints.reports.contents import contents_of
from src.entrypoints.reports.effort import AgentEffort, efforts_of
from src.entrypoints.reports.labels import Stance, agent_title, said, stage_title, stance_of, title_of, warning_title
from src.entrypoints.reports.ladder import Ladder, ladder_of
from src.entrypoints.reports.missing import MissingSection, missing_in
from src.entrypoints.reports.replies import AgentReplies, replies_of
from src.entrypoints.reports.text import number
from src.entrypoints.reports.timeline import Timeline, timeline_of
from src.modules.research.application.public import ExpertReport, ExpertResult

_LAST = "narrative_report"
_CONFIDENCES = ("confidence", "confidence_score")


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of an expert's analysis.

    Attributes:
        score: as the expert gave it.
        share: of the bar to fill, 0 to 100; a score outside that scale fills it to its end.
    """

    title: str
    assessment: str
    score: float
    share: float
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a result.

    Attributes:
        title: what it is called.
        text: its value, if that is one text or number; else empty.
        items: its values, if that is a list of them.
        facts: title and value of each field of an object, or of each of several objects.
    """

    title: str
    text: str = ""
    items: tuple[str, ...] = ()
    facts: tuple[tuple[tuple[str, str], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ExpertView:
    """One expert: a conclusion and all that it rests on, or why there is none."""

    name: str
    label: str
    failure: str = ""
    stance: Stance | None = None
    confidence: float = 0.0
    dimensions: tuple[Dimension, ...] = ()
    parts: tuple[Part, ...] = ()


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
    replies: tuple[AgentReplies, ...]
    timeline: Timeline

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
            }
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
    experts = tuple(map(_expert, result.research.experts)) if result.research else ()
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
        ladder=ladder_of(dossier, result),
        replies=replies_of(result),
        timeline=timeline_of(result),
    )


def _unfinished(result: CommitteeResult) -> Iterator[str]:
    """Who was cut off, but for the experts: each of them is told with the reason."""
    reported = {expert.name for expert in result.research.experts} if result.research else set()
    for agent in result.unfinished:
        if agent.name not in reported:
            yield agent_title(agent.name, agent.label)


def _missing(section: MissingSection) -> Missing:
    return Missing(section.title.text(), tuple(field.text() for field in section.fields))


def _expert(report: ExpertReport) -> ExpertView:
    label = agent_title(report.name, report.label)
    if report.result is None:
        assert report.error is not None  # noqa: S101 - a report has one or the other
        return ExpertView(report.name, label, failure=report.error.message)
    opinion = report.result.opinion()
    return ExpertView(
        report.name,
        label,
        stance=stance_of(opinion.signal),
        confidence=opinion.confidence,
        dimensions=tuple(_dimensions(report.result)),
        parts=tuple(_parts(report.result, opinion.signal)),
    )


def _dimensions(result: ExpertResult) -> Iterator[Dimension]:
    for found in getattr(result, "dimension_analyses", ()):
        share = min(max(found.score, 0.0), 100.0)
        yield Dimension(found.dimension, found.assessment, found.score, share, tuple(found.key_findings))


def _parts(result: ExpertResult, signal: str) -> Iterator[Part]:
    """Every other field, whichever expert's it is: one that this code has never heard of is shown too."""
    for name in sorted(type(result).model_fields, key=_LAST.__eq__):
        value = getattr(result, name)
        if name in (*_CONFIDENCES, "dimension_analyses") or value == signal or value in ("", []):
            continue
        yield _part(title_of(name), value)


def _part(title: str, value: object) -> Part:
    if isinstance(value, BaseModel):
        return Part(title, facts=(_facts(value),))
    if not isinstance(value, list):
        return Part(title, text=_text(value))
    if all(isinstance(item, BaseModel) for item in value):
        return Part(title, facts=tuple(map(_facts, value)))
    return Part(title, items=tuple(map(_text, value)))


def _facts(value: BaseModel) -> tuple[tuple[str, str], ...]:
    texts = ((name, _text(getattr(value, name))) for name in type(value).model_fields)
    return tuple((title_of(name), text) for name, text in texts if text)


def _text(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


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
