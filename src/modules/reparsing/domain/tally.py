"""What is counted of a run. Tallies of its parts add up, in any grouping, to the tally of the whole."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from src.modules.reparsing.domain.comparison import Comparison
from src.modules.reparsing.domain.outcome import Answer, Parsed, Refused

MOST_NAMES = 200
"""Most agents, models, hours or reasons that are counted by name; those that come later count together."""
OTHERS = "…"
"""The name under which they do."""
SHOWN = 10
"""How many of the slowest and of the largest texts are kept."""


@dataclass(slots=True)
class Counts:
    """Texts by what came of them. `clean + repaired + refused` are all; `truncated` are some of the refused."""

    clean: int = 0
    repaired: int = 0
    refused: int = 0
    truncated: int = 0

    @property
    def texts(self) -> int:
        """All of them."""
        return self.clean + self.repaired + self.refused

    def add(self, other: Counts) -> None:
        """Count those of another as well."""
        self.clean += other.clean
        self.repaired += other.repaired
        self.refused += other.refused
        self.truncated += other.truncated


class Measured(NamedTuple):
    """A text by its size or its time; `value` is characters or seconds."""

    value: float
    place: str
    id: str


class Example(NamedTuple):
    """A refused text that stands for its reason."""

    place: str
    id: str
    message: str
    feedback: str


@dataclass(slots=True)
class Reason:
    """How often texts were refused for one reason, by stage and words, and the first of them."""

    count: int
    example: Example


@dataclass(slots=True)
class Tally:
    """The counts of some texts.

    Attributes:
        counts: all of them.
        by_agent, by_model, by_hour: the same by name; texts without the field are not in there.
        stages: refused texts by stage.
        kinds: texts by repair kind, each text once a kind.
        reasons: refused texts by `stage: reason`.
        largest: by characters.
        slowest: by seconds; the only part, with `seconds`, in which two runs over the same texts differ.
        seconds: reading time of all.
        characters: of all texts.
        comparison: with the old parser, where there is one.
    """

    counts: Counts = field(default_factory=Counts)
    by_agent: dict[str, Counts] = field(default_factory=dict)
    by_model: dict[str, Counts] = field(default_factory=dict)
    by_hour: dict[str, Counts] = field(default_factory=dict)
    stages: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Reason] = field(default_factory=dict)
    largest: list[Measured] = field(default_factory=list)
    slowest: list[Measured] = field(default_factory=list)
    seconds: float = 0.0
    characters: int = 0
    comparison: Comparison = field(default_factory=Comparison)

    def count(self, answer: Answer) -> None:
        """Count one text."""
        record, outcome, seconds = answer
        counts = _counts(outcome)
        self.counts.add(counts)
        groups = ((self.by_agent, record.agent), (self.by_model, record.model), (self.by_hour, record.hour))
        for group, name in groups:
            if name is not None:
                group.setdefault(name, Counts()).add(counts)
        if isinstance(outcome, Refused):
            self.stages[outcome.stage] += 1
            example = Example(record.place, record.id, outcome.message, outcome.feedback)
            self._refused(f"{outcome.stage}: {outcome.reason}", Reason(1, example))
        else:
            self.kinds.update({mark.kind for mark in outcome.repairs})
        size = len(record.text or "")
        self.largest = _greatest(self.largest, [Measured(size, record.place, record.id)])
        self.slowest = _greatest(self.slowest, [Measured(seconds, record.place, record.id)])
        self.seconds += seconds
        self.characters += size

    def add(self, other: Tally) -> None:
        """Count those of another as well; its texts come behind the ones counted so far."""
        self.counts.add(other.counts)
        mine, theirs = (self.by_agent, self.by_model, self.by_hour), (other.by_agent, other.by_model, other.by_hour)
        for group, more in zip(mine, theirs, strict=True):
            for name, counts in more.items():
                group.setdefault(known(name, group), Counts()).add(counts)
        self.stages.update(other.stages)
        self.kinds.update(other.kinds)
        for name, reason in other.reasons.items():
            self._refused(name, reason)
        self.largest = _greatest(self.largest, other.largest)
        self.slowest = _greatest(self.slowest, other.slowest)
        self.seconds += other.seconds
        self.characters += other.characters
        self.comparison.add(other.comparison)

    def _refused(self, name: str, reason: Reason) -> None:
        name = known(name, self.reasons)
        if name in self.reasons:
            self.reasons[name].count += reason.count
        else:
            self.reasons[name] = Reason(reason.count, reason.example)


def known(name: str, names: dict[str, Any]) -> str:
    """The name under which something is counted: its own, as long as there are not too many."""
    return name if name in names or len(names) < MOST_NAMES else OTHERS


def _counts(outcome: Parsed | Refused) -> Counts:
    if isinstance(outcome, Refused):
        return Counts(refused=1, truncated=int(outcome.truncated))
    return Counts(repaired=1) if outcome.repairs else Counts(clean=1)


def _greatest(some: list[Measured], more: list[Measured]) -> list[Measured]:
    """The greatest of both, the greatest first; of equal ones those that came first."""
    if len(some) == SHOWN and len(more) == 1 and more[0].value <= some[-1].value:
        return some
    return heapq.nlargest(SHOWN, [*some, *more], key=lambda measured: measured.value)
