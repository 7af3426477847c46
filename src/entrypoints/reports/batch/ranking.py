"""A tally's counts in the order in which they are told: the most frequent first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from src.modules.reparsing.domain.comparison import Comparison
from src.modules.reparsing.domain.names import OTHERS
from src.modules.reparsing.domain.tally import Counts, Example, Tally


@dataclass(frozen=True, slots=True)
class Refusals:
    """Texts that were refused for one reason, and one of them; the stage is empty where many reasons count together."""

    stage: str
    reason: str
    texts: int
    example: Example


def ranked(counter: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names and counts, the most frequent first, equally frequent ones by name."""
    return sorted(counter.items(), key=lambda row: (-row[1], row[0]))


def groups_of(group: Mapping[str, Counts]) -> list[tuple[str, Counts]]:
    """Names and counts, that of the most texts first, and those that count together last."""
    return sorted(group.items(), key=lambda row: (row[0] == OTHERS, -row[1].texts, row[0]))


def compared_groups_of(comparison: Comparison) -> list[tuple[str, Mapping[str, int]]]:
    """Names and counts by class, in the same order."""
    return sorted(comparison.by_agent.items(), key=lambda row: (row[0] == OTHERS, -sum(row[1].values()), row[0]))


def refusals_of(tally: Tally) -> list[Refusals]:
    """The reasons, the most frequent first, and those that count together last."""
    rows = sorted(tally.reasons.items(), key=lambda row: (row[0] == OTHERS, -row[1].count, row[0]))
    return [_refusals(name, reason.count, reason.example) for name, reason in rows]


def _refusals(name: str, texts: int, example: Example) -> Refusals:
    stage, separator, reason = name.partition(": ")
    return Refusals(stage, reason, texts, example) if separator else Refusals("", name, texts, example)
