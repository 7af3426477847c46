"""What a report shows of one expert, whichever it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from examples.committee.reports.labels import Stance, agent_title, stance_of, title_of
from src.entrypoints.reports.words import number
from src.modules.research.domain.dtos.expert_result import ExpertReport, ExpertResult
from src.shared.domain.exceptions import error_of

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

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text of it that makes a claim."""
        own = [text for part in self.parts for text in (part.text, *part.items, *_values(part.facts))]
        found = [text for each in self.dimensions for text in (each.assessment, *each.findings)]
        return tuple(text for text in (*own, *found) if text)


def _values(facts: tuple[tuple[tuple[str, str], ...], ...]) -> Iterator[str]:
    return (text for each in facts for _, text in each)


def expert_view(report: ExpertReport) -> ExpertView:
    """What a report shows of one expert."""
    label = agent_title(report.name, report.label)
    if report.result is None:
        return ExpertView(report.name, label, failure=error_of(report.error).message)
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
