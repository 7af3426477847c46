"""Counts as bars: where each part of a bar or a column begins and how long it is, in percent or pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from src.entrypoints.reports.batch.shares import grouped, share
from src.entrypoints.reports.labels import COLON, said
from src.modules.reparsing.domain.tally import Counts

COLUMN_HEIGHT = 96
"""Pixels of the highest column."""
_NARROWEST = 0.6
"""Percent of the width that a part which is not empty has at least."""
_LOWEST = 1.5
"""Pixels of the height, likewise."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar, in percent of its width, or of a column, in pixels from the top; `tone` is its colour."""

    tone: str
    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Column:
    """One time: where it stands, in percent of the width, its parts, and its share of refused texts.

    Attributes:
        x: where it begins.
        width: of it.
        name: of the time.
        counts: of its texts.
        parts: clean, repaired and refused texts, from the bottom.
        refused: the bar of the refused share; None where there are no texts.
        words: what a reader is told of it.
    """

    x: float
    width: float
    name: str
    counts: Counts
    parts: tuple[Part, ...]
    refused: Part | None
    words: str


def bar(parts: Iterable[tuple[str, int]]) -> tuple[Part, ...]:
    """The parts of a bar of the whole width, from the left; an empty one is not drawn, a small one can be seen."""
    some = [(tone, count) for tone, count in parts if count]
    whole = sum(count for _, count in some)
    widths = [max(count / whole * 100, _NARROWEST) for _, count in some]
    return _placed([tone for tone, _ in some], [width / sum(widths) * 100 for width in widths])


def outcome_bar(counts: Counts) -> tuple[Part, ...]:
    """The bar of what came of some texts."""
    return bar((("clean", counts.clean), ("repaired", counts.repaired), ("refused", counts.refused)))


def columns(times: Sequence[tuple[str, Counts]]) -> tuple[Column, ...]:
    """A column for each time, those without texts empty; the highest number of texts has the whole height."""
    most = max(counts.texts for _, counts in times)
    worst = max(counts.refused / counts.texts for _, counts in times if counts.texts)
    step = 100 / len(times)
    return tuple(
        Column(
            x=round(place * step + step * 0.1, 3),
            width=round(step * 0.8, 3),
            name=name,
            counts=counts,
            parts=_column(counts, most),
            refused=_refused(counts, worst) if counts.texts else None,
            words=_words(name, counts),
        )
        for place, (name, counts) in enumerate(times)
    )


def worst_share(times: Sequence[tuple[str, Counts]]) -> str:
    """The largest share of refused texts of any time."""
    counts = max((counts for _, counts in times if counts.texts), key=lambda one: one.refused / one.texts)
    return share(counts.refused, counts.texts)


def _column(counts: Counts, most: int) -> tuple[Part, ...]:
    some = [("clean", counts.clean), ("repaired", counts.repaired), ("refused", counts.refused)]
    drawn = [(tone, max(count / most * COLUMN_HEIGHT, _LOWEST)) for tone, count in some if count]
    excess = max(sum(height for _, height in drawn) - COLUMN_HEIGHT, 0.0)
    parts: list[Part] = []
    top = float(COLUMN_HEIGHT)
    tallest = max((height for _, height in drawn), default=0.0)
    for tone, height in drawn:
        fitting = height - excess if height == tallest else height
        top -= fitting
        parts.append(Part(tone, round(top, 2), round(fitting, 2)))
    return tuple(parts)


def _refused(counts: Counts, worst: float) -> Part:
    height = counts.refused / counts.texts / worst * COLUMN_HEIGHT if counts.refused else 0.0
    height = max(height, _LOWEST)
    return Part("refused" if counts.refused else "none", round(COLUMN_HEIGHT - height, 2), round(height, 2))


def _words(name: str, counts: Counts) -> str:
    if not counts.texts:
        return name + COLON.text() + said("没有文本", "no texts")
    texts, refused = grouped(counts.texts), grouped(counts.refused)
    percent = share(counts.refused, counts.texts)
    return (
        name
        + COLON.text()
        + said(f"{texts} 条，拒绝 {refused} 条（{percent}）", f"{texts} texts, {refused} refused ({percent})")
    )


def _placed(tones: list[str], widths: list[float]) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0.0
    for tone, width in zip(tones, widths, strict=True):
        parts.append(Part(tone, round(at, 3), round(width, 3)))
        at += width
    return tuple(parts)
