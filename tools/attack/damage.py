"""The attack with damaged texts: by kind, how often the document came back, was refused, or came back changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tools.attack.budget import Budget
from tools.attack.damaged import Damaged, damaged_document
from tools.attack.damages import KINDS
from tools.attack.outcome import Outcome, outcome
from tools.attack.reader import Accepted, Crashed, Read, read
from tools.attack.tables import example, table

_BROKEN = (Outcome.WRONG, Outcome.CRASHED)


@dataclass(frozen=True, slots=True)
class Example:
    """A text that was read wrongly."""

    text: str
    want: Any
    got: Any
    kinds: tuple[str, ...]


@dataclass(slots=True)
class DamageReport:
    """What came of all texts: counts for (kind, number of damages, outcome), and the shortest wrong text by kind."""

    counts: Counter[tuple[str, int, Outcome]] = field(default_factory=Counter)
    shortest: dict[str, Example] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a text was read wrongly."""
        return bool(self.shortest)

    def add(self, damaged: Damaged, result: Outcome, got: Any) -> None:  # noqa: ANN401 - any JSON value
        """Count a text for each of its kinds."""
        for kind in damaged.kinds:
            self.counts[kind, len(damaged.kinds), result] += 1
            if result in _BROKEN:
                found = Example(damaged.text, damaged.document, got, damaged.kinds)
                self.shortest[kind] = min(found, self.shortest.get(kind, found), key=_length)

    def text(self) -> str:
        """Write the table and the examples."""
        header = ("kind", *(f"{outcome}{mark}" for mark in ("", " (2)") for outcome in ("count", *Outcome)))
        rows = [self._row(damage.kind, damage.kind) for damage in KINDS]
        total = self._row("all", *(damage.kind for damage in KINDS))
        examples = [
            example(f"{kind} ({' + '.join(found.kinds)})", text=found.text, want=found.want, got=found.got)
            for kind, found in self.shortest.items()
        ]
        note = "Columns marked (2): two damages; such a text counts for both of its kinds."
        return "\n\n".join([table(header, [*rows, total]), note, *examples])

    def _row(self, name: str, *kinds: str) -> list[object]:
        row: list[object] = [name]
        for damages in (1, 2):
            counts = [sum(self.counts[kind, damages, each] for kind in kinds) for each in Outcome]
            row += [sum(counts), *counts]
        return row


def attack(budget: Budget, seed: int, reader: Read = read) -> DamageReport:
    """Read damaged texts until the budget is used up: every kind in turn, alone and with another."""
    report = DamageReport()
    for number, rng in budget.turns(seed):
        damaged = damaged_document(number, rng)
        if damaged is None:
            continue
        reading = reader(damaged.text, finished=True)
        got = reading.data if isinstance(reading, Accepted) else reading.error if isinstance(reading, Crashed) else None
        report.add(damaged, outcome(reading, damaged.document, damaged.plain), got)
    return report


def _length(found: Example) -> tuple[int, int, str]:
    return len(found.kinds), len(found.text), found.text
