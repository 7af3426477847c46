"""The rows of a batch's report: names and texts from its inputs on one line and bounded, numbers as they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from src.entrypoints.reports.batch.advice import advice_for
from src.entrypoints.reports.batch.drawing import Part, outcome_bar
from src.entrypoints.reports.batch.words import (
    Refusals,
    cause_word,
    group_word,
    grouped,
    groups_of,
    share,
    stage_word,
)
from src.entrypoints.reports.words import without_gloss
from src.modules.reparsing.domain.tally import Counts, Measured
from src.shared.domain.one_line import one_line

NAME_SHOWN = 120
"""Most characters of a name, an id or a place."""
MESSAGE_SHOWN = 600
"""Most characters of a refusal's message."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A count and its share of a whole."""

    count: str
    share: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """A name, its count, and the count's share of a whole as a bar; `title` says the name in words."""

    name: str
    title: str
    cell: Cell
    width: float


@dataclass(frozen=True, slots=True)
class GroupRow:
    """An agent or a model: its texts, what came of them, and that as a bar."""

    name: str
    texts: str
    clean: Cell
    repaired: Cell
    refused: Cell
    truncated: Cell
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands; its id is empty where it has none of its own."""

    place: str
    id: str


@dataclass(frozen=True, slots=True)
class RefusalRow:
    """A reason for refusals, how often it came, one of the texts, and what to do."""

    stage: str
    stage_word: str
    reason: str
    cell: Cell
    place: Place
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A large or a slow text."""

    value: str
    place: Place


def cell(count: int, whole: int) -> Cell:
    """A count of a whole."""
    return Cell(grouped(count), share(count, whole))


def bar_row(name: str, title: str, count: int, whole: int) -> BarRow:
    """A count of a whole, by name."""
    return BarRow(name_shown(name), title, cell(count, whole), round(min(count / whole, 1) * 100, 3) if whole else 0.0)


def group_rows(group: Mapping[str, Counts]) -> tuple[GroupRow, ...]:
    """Agents or models, that of the most texts first."""
    return tuple(_group_row(name, counts) for name, counts in groups_of(group))


def refusal_row(refusals: Refusals, refused: int) -> RefusalRow:
    """A reason, of so many refused texts."""
    example = refusals.example
    message = without_gloss(example.message)
    return RefusalRow(
        stage=name_shown(refusals.stage),
        stage_word=stage_word(refusals.stage),
        reason=one_line(cause_word(refusals.reason), NAME_SHOWN),
        cell=cell(refusals.texts, refused),
        place=place_of(example.place, example.id),
        message=one_line(message, MESSAGE_SHOWN),
        advice=advice_for(refusals.stage, refusals.reason) if refusals.stage else "",
    )


def measured_row(measured: Measured, value: str) -> MeasuredRow:
    """A large or a slow text; `value` is its size or its time in words."""
    return MeasuredRow(value, place_of(measured.place, measured.id))


def place_of(place: str, key: str) -> Place:
    """Where a text stands. Of a place that is too long the end is shown, which has the line."""
    shown = one_line(place, len(place) * 10)
    shown = shown if len(shown) <= NAME_SHOWN else "…" + shown[1 - NAME_SHOWN :]
    return Place(shown, "" if key == place else name_shown(key))


def name_shown(name: str) -> str:
    """A name as a page shows it."""
    return one_line(name, NAME_SHOWN)


def _group_row(name: str, counts: Counts) -> GroupRow:
    return GroupRow(
        name=name_shown(group_word(name)),
        texts=grouped(counts.texts),
        clean=cell(counts.clean, counts.texts),
        repaired=cell(counts.repaired, counts.texts),
        refused=cell(counts.refused, counts.texts),
        truncated=cell(counts.truncated, counts.texts),
        parts=outcome_bar(counts),
    )
