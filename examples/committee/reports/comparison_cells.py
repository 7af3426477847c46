"""The cells of a comparison: what a run says, and in words what changed since the run before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from examples.committee.domain.run_comparison import Entry, State, tracked
from examples.committee.domain.run_record import RecordedRun
from examples.committee.reports.labels import Stance
from src.entrypoints.reports.templates_of import percent
from src.entrypoints.reports.words import chinese, number, said

MOST_ENTRIES: Final = 60
"""Entries of one list that are shown; the rest is counted."""
_DECIMALS = 6
"""Digits behind the point that a difference keeps."""
_STATES: Final = {
    State.NEW: chinese("新出现", "new"),
    State.STILL: chinese("仍在", "still there"),
    State.REWORDED: chinese("措辞不同", "other words"),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list: what became of it in words, its text, and what is told beside it."""

    text: str
    state: str = ""
    note: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """What one run says in one row.

    Attributes:
        text: in words; empty where the cell is a list, or the run does not say it.
        stance: a conclusion, shown before the text.
        failed: what is missing that should be there, shown as an alarm.
        note: what is told below.
        more: a long text, folded.
        change: what changed since the run before; empty where nothing did, or there is none.
        items: the entries of a list.
        gone: entries that stood in the run before.
        hidden: how many more entries there are, those that are gone included.
    """

    text: str = ""
    stance: Stance | None = None
    failed: str = ""
    note: str = ""
    more: str = ""
    change: str = ""
    items: tuple[Item, ...] = ()
    gone: tuple[str, ...] = ()
    hidden: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether the run says nothing here."""
        shown = (self.text, self.stance, self.failed, self.note, self.more, self.change, self.items, self.gone)
        return not any(shown)

    @property
    def words(self) -> str:
        """The conclusion and the text."""
        return " ".join(filter(None, (self.stance.word if self.stance else "", self.failed, self.text)))


@dataclass(frozen=True, slots=True)
class Row:
    """One fact of every run, in the order of the columns."""

    title: str
    cells: tuple[Cell, ...]


Pairs: TypeAlias = Sequence[tuple[RecordedRun, RecordedRun | None]]
"""Each run, and the one that it is compared with."""


def row(title: str, pairs: Pairs, cell: Callable[[RecordedRun], Cell]) -> Row:
    """A row of conclusions and texts: where what is read first differs, the earlier one is named."""
    return Row(title, tuple(_beside(cell(run), cell(before) if before else None) for run, before in pairs))


def plain_row(title: str, pairs: Pairs, text: Callable[[RecordedRun], str], *, empty: str = "") -> Row:
    """A row of texts whose change tells nothing; `empty` is for a run without one beside a run with one."""
    texts = [text(run) for run, _ in pairs]
    return Row(title, tuple(Cell(one or empty) for one in texts) if any(texts) else ())


def number_row(
    title: str,
    pairs: Pairs,
    value: Callable[[RecordedRun], float | None],
    shown: Callable[[float], str] = number,
    difference: Callable[[float], str] | None = None,
) -> Row:
    """A row of numbers: the difference is told.

    Args:
        title: of the row.
        pairs: the runs.
        value: a run's number; None where it is not known.
        shown: how a number is written.
        difference: how a difference is written without its sign; as a number without it.
    """

    def cell(run: RecordedRun, before: RecordedRun | None) -> Cell:
        now, then = value(run), value(before) if before else None
        text = "" if now is None else shown(now)
        if before is None or now == then:
            return Cell(text)
        if now is None or then is None:
            return Cell(text, change=_not_both(text, "" if then is None else shown(then)))
        return Cell(text, change=f"{signed(now - then, difference or shown)}{said('，', ', ')}{was(shown(then))}")

    return Row(title, tuple(cell(run, before) for run, before in pairs))


def text_row(title: str, pairs: Pairs, text: Callable[[RecordedRun], str | None], *, fold: bool = False) -> Row:
    """A row of texts: whether one is worded as before; what it was is in the column before."""

    def cell(run: RecordedRun, before: RecordedRun | None) -> Cell:
        now, then = text(run) or "", (text(before) or "") if before else ""
        found = Cell(more=now) if fold else Cell(now)
        if before is None or now == then:
            return found
        if now and then:
            return replace(found, change=said("文字有改动", "worded differently"))
        return replace(found, change=said("此前没有", "not there before") if now else said("不再有", "no more"))

    return Row(title, tuple(cell(run, before) for run, before in pairs))


def list_row(title: str, pairs: Pairs, entries: Callable[[RecordedRun], Mapping[str, str] | None]) -> Row:
    """A row of lists: what is new, what is still there, what is gone.

    Args:
        title: of the row.
        pairs: the runs.
        entries: each entry of a run's list with what is told beside it; None where the list is not known.
    """
    return Row(title, tuple(_listed(entries(run), entries(before) if before else None) for run, before in pairs))


def _listed(now: Mapping[str, str] | None, before: Mapping[str, str] | None) -> Cell:
    if now is None:
        return Cell()
    found = tracked(None if before is None else list(before), list(now))
    return Cell(
        "" if now else said("无", "none"),
        items=tuple(_item(entry, now[entry.text]) for entry in found.entries[:MOST_ENTRIES]),
        gone=found.gone[:MOST_ENTRIES],
        hidden=max(len(found.entries) - MOST_ENTRIES, 0) + max(len(found.gone) - MOST_ENTRIES, 0),
    )


def _item(entry: Entry, note: str) -> Item:
    state = _STATES[entry.state].text() if entry.state in _STATES else ""
    earlier = said(f"此前：{entry.earlier}", f"before: {entry.earlier}") if entry.earlier else ""
    return Item(entry.text, state, said("；", "; ").join(filter(None, (note, earlier))), entry.state is State.NEW)


def _beside(now: Cell, before: Cell | None) -> Cell:
    if before is None or now.words == before.words:
        return now
    return replace(now, change=was(before.words) if now.words and before.words else _not_both(now.words, before.words))


def _not_both(now: str, then: str) -> str:
    return said("此前没有", "not there before") if now else said(f"不再有，{was(then)}", f"no more, {was(then)}")


def was(text: str) -> str:
    """What it was in the run before."""
    return said(f"此前为 {text}", f"was {text}")


def share_row(title: str, pairs: Pairs, value: Callable[[RecordedRun], float | None]) -> Row:
    """A row of shares of one; their difference is in percentage points."""
    return number_row(title, pairs, value, percent, points)


def points(share: float) -> str:
    """A difference of two shares."""
    return f"{share * 100:.4g} {said('个百分点', 'points')}"


def signed(difference: float, shown: Callable[[float], str] = number) -> str:
    """A difference with its sign; digits that only come from binary fractions are left out."""
    size = shown(round(abs(difference), _DECIMALS))
    return f"{'+' if difference > 0 else '−'}{size}"


def is_told(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows in which at least one run says something."""
    return tuple(one for one in rows if not all(cell.is_empty for cell in one.cells))
