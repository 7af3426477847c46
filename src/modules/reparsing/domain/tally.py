"""What is counted of a run. Tallies of its parts add up, in any grouping, to the tally of the whole."""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from src.modules.reparsing.domain.comparison import Comparison, known, well_formed
from src.modules.reparsing.domain.outcome import INPUT_STAGE, Answer, Parsed, Refused, Traits
from src.modules.reparsing.domain.record import NAME_LIMIT

MOST_TIMES = 1_000
"""Most hours that are counted; where there are more, days are counted, then months, years and centuries."""
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
    """A text by its size or its time; `value` is characters or seconds, `id` at most `NAME_LIMIT` characters."""

    value: float
    place: str
    id: str


class Example(NamedTuple):
    """A refused text that stands for its reason; `id` has at most `NAME_LIMIT` characters."""

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
class Writing:
    """How the texts of one model are written: how many there are, and how many of them have each trait."""

    texts: int = 0
    wrappings: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    unknown_marks: Counter[str] = field(default_factory=Counter)

    def count(self, traits: Traits) -> None:
        """Count one text."""
        self.texts += 1
        for aspect in Traits._fields:
            getattr(self, aspect).update(map(well_formed, getattr(traits, aspect)))

    def add(self, other: Writing) -> None:
        """Count those of another as well."""
        self.texts += other.texts
        for aspect in Traits._fields:
            counted: Counter[str] = getattr(self, aspect)
            for name, texts in getattr(other, aspect).items():
                counted[known(name, counted)] += texts


@dataclass(slots=True)
class Tally:
    """The counts of some texts.

    Names are bounded where tallies are added, not where texts are counted one by one: so the sum is the same however
    the texts were grouped.

    Attributes:
        counts: all of them.
        by_agent, by_model: the same by the first `NAME_LIMIT` characters of the name; texts without the field are not
            in there.
        by_time: the same by hour, such as `2026-11-23T09`, or by what is longer: all names are of one length.
        stages: refused texts by stage.
        kinds: texts by repair kind, each text once a kind.
        grades: texts that were read, by how sure that is.
        left_out: parts of answers that were not kept.
        reasons: refused texts by `stage: reason`.
        largest: by characters.
        slowest: by seconds; the only part, with `seconds`, in which two runs over the same texts differ.
        seconds: reading time of all.
        characters: of all texts.
        comparison: with the old parser, where there is one.
        writing: how texts are written, by model; of those without one by the empty name.
    """

    counts: Counts = field(default_factory=Counts)
    by_agent: dict[str, Counts] = field(default_factory=dict)
    by_model: dict[str, Counts] = field(default_factory=dict)
    by_time: dict[str, Counts] = field(default_factory=dict)
    stages: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    grades: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    reasons: dict[str, Reason] = field(default_factory=dict)
    largest: list[Measured] = field(default_factory=list)
    slowest: list[Measured] = field(default_factory=list)
    seconds: float = 0.0
    characters: int = 0
    comparison: Comparison = field(default_factory=Comparison)
    writing: dict[str, Writing] = field(default_factory=dict)

    def count(self, answer: Answer) -> None:
        """Count one text."""
        record, outcome, seconds = answer
        counts = _counts(outcome)
        self.counts.add(counts)
        place, key = well_formed(record.place), well_formed(record.id)[:NAME_LIMIT]
        groups = ((self.by_agent, record.agent), (self.by_model, record.model), (self.by_time, record.hour))
        for group, name in groups:
            if name is not None:
                group.setdefault(well_formed(name)[:NAME_LIMIT], Counts()).add(counts)
        if isinstance(outcome, Refused):
            self.stages[outcome.stage] += 1
            example = Example(place, key, well_formed(outcome.message), well_formed(outcome.feedback))
            self._refused(well_formed(f"{outcome.stage}: {outcome.reason}"), Reason(1, example))
        else:
            self.kinds.update({mark.kind for mark in outcome.repairs})
            self.grades[outcome.grade] += 1
            self.left_out += len(outcome.left_out)
        if not (isinstance(outcome, Refused) and outcome.stage == INPUT_STAGE):
            self.writing.setdefault(well_formed(record.model or "")[:NAME_LIMIT], Writing()).count(outcome.traits)
        size = len(record.text or "")
        _measure(self.largest, size, place, key)
        _measure(self.slowest, seconds, place, key)
        self.seconds += seconds
        self.characters += size

    def add(self, other: Tally) -> None:
        """Count those of another as well; its texts come behind the ones counted so far."""
        self.counts.add(other.counts)
        for group, more in ((self.by_agent, other.by_agent), (self.by_model, other.by_model)):
            for name, counts in more.items():
                group.setdefault(known(name, group), Counts()).add(counts)
        self.by_time = _by_time([*self.by_time.items(), *other.by_time.items()])
        self.stages.update(other.stages)
        self.kinds.update(other.kinds)
        self.grades.update(other.grades)
        self.left_out += other.left_out
        for name, reason in other.reasons.items():
            self._refused(known(name, self.reasons), reason)
        self.largest = _greatest(self.largest, other.largest)
        self.slowest = _greatest(self.slowest, other.slowest)
        self.seconds += other.seconds
        self.characters += other.characters
        self.comparison.add(other.comparison)
        for name, writing in other.writing.items():
            self.writing.setdefault(known(name, self.writing), Writing()).add(writing)

    def _refused(self, name: str, reason: Reason) -> None:
        if name in self.reasons:
            self.reasons[name].count += reason.count
        else:
            self.reasons[name] = Reason(reason.count, reason.example)


_TIME_LENGTHS = (13, 10, 7, 4, 2)
"""Of the names of an hour, a day, a month, a year and a century: what is longer begins the name of what is shorter."""


def _by_time(counted: list[tuple[str, Counts]]) -> dict[str, Counts]:
    """The counts by the shortest times of which there are not too many; in any grouping of the texts the same ones."""
    names = {name for name, _ in counted}
    longest = min(map(len, names), default=0)
    length = next(
        (each for each in _TIME_LENGTHS if each <= longest and len({name[:each] for name in names}) <= MOST_TIMES), 0
    )
    grouped: dict[str, Counts] = {}
    for name, counts in counted:
        grouped.setdefault(name[:length], Counts()).add(counts)
    return grouped


def _counts(outcome: Parsed | Refused) -> Counts:
    if isinstance(outcome, Refused):
        return Counts(refused=1, truncated=int(outcome.truncated))
    return Counts(repaired=1) if outcome.repairs else Counts(clean=1)


def _measure(some: list[Measured], value: float, place: str, key: str) -> None:
    """Put a text among the greatest, behind those of the same value, if it is one of them."""
    if len(some) == SHOWN and value <= some[-1].value:
        return
    insort(some, Measured(value, place, key), key=lambda measured: -measured.value)
    del some[SHOWN:]


def _greatest(some: list[Measured], more: list[Measured]) -> list[Measured]:
    """The greatest of both, the greatest first; of equal ones those that came first."""
    return heapq.nlargest(SHOWN, [*some, *more], key=lambda measured: measured.value)
