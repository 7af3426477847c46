"""What is counted of a run. Tallies of its parts add up, in any grouping, to the tally of the whole."""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from src.modules.reparsing.domain.comparison import Comparison, add_counts, add_groups, bounded_name
from src.modules.reparsing.domain.outcome import INPUT_STAGE, TRAITS, RowOutcome
from src.modules.reparsing.domain.record import NAME_LIMIT, Record
from src.shared.domain.one_line import well_formed

MOST_TIMES = 1_000
"""Most hours that are counted; where there are more, days are counted, then months, years and centuries."""
SHOWN = 10
"""How many of the slowest and of the largest texts are kept."""
OUTCOMES = ("texts", "clean", "repaired", "refused", "truncated")
"""What texts are counted by: `clean + repaired + refused` are all `texts`; `truncated` are some of the refused."""

Groups: TypeAlias = dict[str, Counter[str]]
"""Counts by name."""


class Measured(NamedTuple):
    """A text by its size or its time; `value` is characters or seconds, `id` at most `NAME_LIMIT` characters."""

    value: float
    place: str
    id: str


@dataclass(slots=True)
class Tally:
    """The counts of some texts.

    Names are bounded where tallies are added, not where texts are counted one by one: so the sum is the same however
    the texts were grouped.

    Attributes:
        counts: all of them, by `OUTCOMES`.
        by_agent, by_model: the same by the first `NAME_LIMIT` characters of the name; texts without the field are not
            in there.
        by_time: the same by hour, such as `2026-11-23T09`, or by what is longer: all names are of one length.
        stages: refused texts by stage.
        kinds: texts by repair kind, each text once a kind.
        grades: texts that were read, by how sure that is.
        left_out: parts of answers that were not kept.
        reasons: refused texts by `stage: reason`.
        examples: the first of them: `place`, `id` of at most `NAME_LIMIT` characters, `message` and `feedback`.
        written: texts that reached the parser, by model; those without one by the empty name.
        wrappings, dialects, unknown_marks: of these texts, by model, those with each trait.
        largest: by characters.
        slowest: by seconds; the only part, with `seconds`, in which two runs over the same texts differ.
        seconds: reading time of all.
        characters: of all texts.
        comparison: with the old parser, where there is one.
    """

    counts: Counter[str] = field(default_factory=Counter)
    by_agent: Groups = field(default_factory=dict)
    by_model: Groups = field(default_factory=dict)
    by_time: Groups = field(default_factory=dict)
    stages: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    grades: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, dict[str, str]] = field(default_factory=dict)
    written: Counter[str] = field(default_factory=Counter)
    wrappings: Groups = field(default_factory=dict)
    dialects: Groups = field(default_factory=dict)
    unknown_marks: Groups = field(default_factory=dict)
    largest: list[Measured] = field(default_factory=list)
    slowest: list[Measured] = field(default_factory=list)
    seconds: float = 0.0
    characters: int = 0
    comparison: Comparison = field(default_factory=Comparison)

    def count(self, record: Record, outcome: RowOutcome, seconds: float = 0.0) -> None:
        """Count one text, which took so many seconds."""
        row = outcome.row
        counts = ["texts", "refused" if outcome.stage else "repaired" if row["repairs"] else "clean"]
        counts += ["truncated"] if row.get("truncated") else []
        self.counts.update(counts)
        place, key = well_formed(record.place), well_formed(record.id)[:NAME_LIMIT]
        groups = ((self.by_agent, record.agent), (self.by_model, record.model), (self.by_time, record.hour))
        for group, name in groups:
            if name is not None:
                group.setdefault(well_formed(name)[:NAME_LIMIT], Counter()).update(counts)
        if outcome.stage:
            self.stages[outcome.stage] += 1
            reason = well_formed(f"{outcome.stage}: {outcome.reason}")
            self.reasons[reason] += 1
            if reason not in self.examples:
                told = {"message": well_formed(row["message"]), "feedback": well_formed(row["feedback"])}
                self.examples[reason] = {"place": place, "id": key, **told}
        else:
            self.kinds.update({repair["kind"] for repair in row["repairs"]})
            self.grades[row["grade"]] += 1
            self.left_out += len(row["left_out"])
        if outcome.stage != INPUT_STAGE:
            model = well_formed(record.model or "")[:NAME_LIMIT]
            self.written[model] += 1
            for trait in TRAITS:
                found = map(well_formed, outcome.traits.get(trait, ()))
                getattr(self, trait).setdefault(model, Counter()).update(found)
        size = len(record.text or "")
        _measure(self.largest, size, place, key)
        _measure(self.slowest, seconds, place, key)
        self.seconds += seconds
        self.characters += size

    def add(self, other: Tally) -> None:
        """Count those of another as well; its texts come behind the ones counted so far."""
        for name in ("counts", "stages", "kinds", "grades", "written"):
            add_counts(getattr(self, name), getattr(other, name))
        for name in ("by_agent", "by_model", *TRAITS):
            add_groups(getattr(self, name), getattr(other, name))
        self.by_time = _by_time([*self.by_time.items(), *other.by_time.items()])
        for reason, count in other.reasons.items():
            name = bounded_name(reason, self.reasons)
            self.reasons[name] += count
            self.examples.setdefault(name, other.examples[reason])
        for name in ("left_out", "seconds", "characters"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("largest", "slowest"):
            some = (*getattr(self, name), *getattr(other, name))
            setattr(self, name, heapq.nlargest(SHOWN, some, key=attrgetter("value")))  # of equal ones the first
        self.comparison.add(other.comparison)


_TIME_LENGTHS = (13, 10, 7, 4, 2)
"""Of the names of an hour, a day, a month, a year and a century: what is longer begins the name of what is shorter."""


def _by_time(counted: list[tuple[str, Counter[str]]]) -> Groups:
    """The counts by the shortest times of which there are not too many; in any grouping of the texts the same ones."""
    names = {name for name, _ in counted}
    longest = min(map(len, names), default=0)
    length = next(
        (each for each in _TIME_LENGTHS if each <= longest and len({name[:each] for name in names}) <= MOST_TIMES), 0
    )
    grouped: Groups = {}
    for name, counts in counted:
        grouped.setdefault(name[:length], Counter()).update(counts)
    return grouped


def _measure(some: list[Measured], value: float, place: str, key: str) -> None:
    """Put a text among the greatest, behind those of the same value, if it is one of them."""
    if len(some) == SHOWN and value <= some[-1].value:
        return
    insort(some, Measured(value, place, key), key=lambda measured: -measured.value)
    del some[SHOWN:]
