"""The attack with cuts: nothing that is cut off may pass for whole, and what is salvaged has to say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tools.attack.budget import Budget
from tools.attack.documents import Document
from tools.attack.outcome import all_from, same
from tools.attack.reader import FINISHED_IS_KNOWN, Accepted, Crashed, Read, Reading, Refused, read
from tools.attack.styles import STYLES, Style, in_style, styled_document
from tools.attack.tables import example, table

_CUTS_OF_A_TEXT = 25
BROKEN = {
    "missing": "an accepted cut with something missing",
    "unmarked": "salvaged data that is not the whole and does not say `truncated`",
    "half": "salvaged data with something the document does not have at that place",
    "not refused": "a text known to be cut (`finished=False`) that was not refused as truncated",
    "crashed": "an exception that is not the parser's",
}
"""Counts that break a promise."""
_COLUMNS = (
    *("whole texts", "texts refused", "texts misread", "cuts", "refused", "whole", "missing"),
    *("salvage: refused", "salvage: whole", "marked", "unmarked", "half"),
    *("finished: refused", "finished: whole", "finished: part", "not refused", "crashed"),
)


@dataclass(slots=True)
class CutReport:
    """Counts for (style, column), and the shortest text for each broken promise of a style."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shortest: dict[tuple[str, str], tuple[str, Document, Any]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""
        return any(column in BROKEN for _, column in self.shortest)

    def add(self, style: str, column: str, text: str, document: Document, reading: Reading) -> None:
        """Count a reading."""
        self.counts[style, column] += 1
        if column in BROKEN or column in {"texts refused", "texts misread"}:
            got = reading.data if isinstance(reading, Accepted) else repr(reading)
            found = (text, document, got)
            self.shortest[style, column] = min(found, self.shortest.get((style, column), found), key=_length)

    def text(self) -> str:
        """Write the table, what its columns mean, and the examples."""
        rows = [[style.name, *(self.counts[style.name, column] for column in _COLUMNS)] for style in STYLES]
        total = ["all", *(sum(self.counts[style.name, column] for style in STYLES) for column in _COLUMNS)]
        notes = [f"{column}: {meaning}; must be 0." for column, meaning in BROKEN.items()]
        if not FINISHED_IS_KNOWN:
            notes.append("This parser cannot be told how a text ended: the columns of `finished` are empty.")
        examples = [
            example(f"{style}, {column}", text=text, document=document, got=got)
            for (style, column), (text, document, got) in sorted(self.shortest.items())
        ]
        return "\n\n".join([table(("style", *_COLUMNS), [*rows, total]), "\n".join(notes), *examples])


def attack(budget: Budget, seed: int, reader: Read = read, *, finished_too: bool = FINISHED_IS_KNOWN) -> CutReport:
    """Cut texts of every style in turn until the budget is used up; `count` counts cuts."""
    report = CutReport()
    cuts = 0
    for number, rng in Budget(seconds=budget.seconds).turns(seed):
        style = STYLES[number % len(STYLES)]
        document = styled_document(rng, style)
        text = in_style(rng, style, document)
        _whole(report, style, reader, document, text)
        for end in _ends(rng, text):
            if cuts == budget.count:
                return report
            cuts += 1
            _cut(report, style, reader, document, text[:end])
            if finished_too:
                _finished(report, style, reader, document, text[:end])
    return report


def _ends(rng: Random, text: str) -> Iterator[int]:
    """Where a text is cut: never at its very end, and not before its first character."""
    places = range(1, len(text))
    yield from sorted(rng.sample(places, min(_CUTS_OF_A_TEXT, len(places))))


def _whole(report: CutReport, style: Style, reader: Read, document: Document, text: str) -> None:
    reading = reader(text)
    report.add(style.name, "whole texts", text, document, reading)
    if not isinstance(reading, Accepted):
        report.add(style.name, "texts refused", text, document, reading)
    elif not same(reading.data, document):
        report.add(style.name, "texts misread", text, document, reading)


def _cut(report: CutReport, style: Style, reader: Read, document: Document, text: str) -> None:
    reading = reader(text)
    report.add(style.name, "cuts", text, document, reading)
    report.add(style.name, _column(reading, document, "", "missing"), text, document, reading)
    salvaged = reader(text, salvage=True)
    column = _column(salvaged, document, "salvage: ", "marked")
    if column == "marked" and isinstance(salvaged, Accepted):
        if not all_from(salvaged.data, document):
            report.add(style.name, "half", text, document, salvaged)
        column = "marked" if salvaged.truncated else "unmarked"
    report.add(style.name, column, text, document, salvaged)


def _finished(report: CutReport, style: Style, reader: Read, document: Document, text: str) -> None:
    told_whole = reader(text, finished=True)
    report.add(style.name, _column(told_whole, document, "finished: ", "finished: part"), text, document, told_whole)
    told_cut = reader(text, finished=False)
    if told_cut != Refused(truncated=True):
        report.add(style.name, "not refused", text, document, told_cut)


def _column(reading: Reading, document: Document, prefix: str, otherwise: str) -> str:
    if isinstance(reading, Crashed):
        return "crashed"
    if isinstance(reading, Refused):
        return prefix + "refused"
    return prefix + "whole" if same(reading.data, document) else otherwise


def _length(found: tuple[str, Document, Any]) -> tuple[int, str]:
    return len(found[0]), found[0]
