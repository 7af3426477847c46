"""The attack with cuts through tool calls as models write them: no call is read with other arguments, none is lost.

Each notation's texts are cut at every offset, and read with each of the three things that may be known of the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_calls import read_tool_calls
from tools.attack.tables import example, table
from tools.benchmarks.tool_call_texts import DIALECTS, MARKS, ONE_CALL, SEVERAL, TOOLS, Call, Dialect

LEADS = ("", "I will look that up.\n\n", "<think>\nMaybe.\n</think>\n\n")
"""What stands in front of the calls."""
LEAST_BEGUN = 4
"""Fewest characters of a mark by which a call has begun: fewer may be anything."""
FINISHED = (None, True, False)
BROKEN = {
    "cut accepted": "calls came back, and not the first ones of the whole text",
    "silent": "a call had begun, and the text counts as one without calls",
    "crashed": "an exception that is not the application's",
}
"""Counts that break a promise."""
_COLUMNS = ("cuts", "refused", "whole calls", "no call begun", *BROKEN)

Found = list[tuple[str, Any]]
Reader = Callable[[str, bool | None], Found | None]
"""Reads the calls of a text; None where it is refused."""


class Cut(NamedTuple):
    """A text that was cut: what is left of it, whether a call has begun in it, and the calls of the whole text."""

    text: str
    has_begun: bool
    calls: Found


def read(text: str, finished: bool | None) -> Found | None:  # noqa: FBT001 - passed on
    """The calls that are read from a text; None where it is refused."""
    try:
        return [(call.name, call.arguments) for call in read_tool_calls(text, TOOLS, finished=finished)]
    except LLMJsonParseError:
        return None


@dataclass(slots=True)
class CutReport:
    """Counts for (notation, column), and the shortest text for each broken promise."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shortest: dict[tuple[str, str], tuple[str, Found, Any]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""
        return bool(self.shortest)

    def add(self, notation: str, cut: Cut, column: str, got: object) -> None:
        """Count a cut."""
        self.counts[notation, "cuts"] += 1
        self.counts[notation, column] += 1
        if column in BROKEN:
            found = (cut.text, cut.calls, got)
            kept = self.shortest.setdefault((notation, column), found)
            self.shortest[notation, column] = min(found, kept, key=lambda one: len(one[0]))

    def text(self) -> str:
        """Write the table, what its columns mean, and the examples."""
        names = [*dict.fromkeys(name for name, _ in self.counts)]
        rows = [[name, *(self.counts[name, column] for column in _COLUMNS)] for name in names]
        total = ["all", *(sum(self.counts[name, column] for name in names) for column in _COLUMNS)]
        notes = [f"{column}: {meaning}; must be 0." for column, meaning in BROKEN.items()]
        examples = [
            example(f"{name}, {column}", text=text, answer=calls, got=got)
            for (name, column), (text, calls, got) in self.shortest.items()
        ]
        return "\n\n".join([table(("notation", *_COLUMNS), [*rows, total]), "\n".join(notes), *examples])


def attack(dialects: Mapping[str, Dialect] = DIALECTS, reader: Reader = read, step: int = 1) -> CutReport:
    """Cut the texts of every notation at every `step`th offset, and read each with all that may be known of its end."""
    report = CutReport()
    for name, dialect in dialects.items():
        for cut in islice(cuts(dialect), 0, None, step):
            for finished in FINISHED:
                try:
                    got = reader(cut.text, finished)
                except Exception as error:  # noqa: BLE001 - that this never happens is one of the promises
                    report.add(name, cut, "crashed", repr(error))
                else:
                    report.add(name, cut, judged(cut, got), got)
    return report


def cuts(dialect: Dialect) -> Iterator[Cut]:
    """All cuts of the texts of one notation."""
    for calls in [*((one,) for one in ONE_CALL), *SEVERAL]:
        written = dialect.write(calls)
        if MARKS in calls and "<parameter" in written:
            continue  # between bare tags, a mark in a text is a mark
        found = [(call.name, TOOLS[call.name].model_validate(call.arguments)) for call in calls]
        for lead in _leads(calls):
            text = lead + written
            begun = len(lead) + written.index(dialect.mark) + min(LEAST_BEGUN, len(dialect.mark))
            yield from (Cut(text[:size], size >= begun, found) for size in range(1, len(text)))


def _leads(calls: Sequence[Call]) -> Sequence[str]:
    """Every lead for one short text; the others have none, to save time."""
    return LEADS if calls == ONE_CALL[:1] else LEADS[:1]


def judged(cut: Cut, got: Found | None) -> str:
    """Name the column for what came back."""
    if got is None:
        return "refused"
    if not got:
        return "silent" if cut.has_begun else "no call begun"
    return "whole calls" if got == cut.calls[: len(got)] else "cut accepted"
