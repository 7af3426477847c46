"""Runs side by side: in which order, which one each is compared with, and what of a list is new or gone."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Final

from examples.committee.domain.run_record import RecordedRun

ALIKE: Final = 0.6
"""Share of common characters from which two texts are taken for one risk in other words."""
COMPARED_CHARACTERS: Final = 120
"""Characters of a text that are compared in search of the same risk in other words."""
COMPARED_TEXTS: Final = 40
"""Texts of a run that are compared so; the others have to be the same word for word."""
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class State(StrEnum):
    """What became of an entry since the run before."""

    NEW = "new"
    STILL = "still"
    REWORDED = "reworded"
    """A similar text stood there; whether it means the same is for a reader to say."""
    UNKNOWN = "unknown"
    """There is nothing to compare with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One text of a list; `earlier` is what stood there before, where that was worded differently."""

    text: str
    state: State
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class Tracked:
    """A list beside the same list of the run before, and what of that one is gone."""

    entries: tuple[Entry, ...]
    gone: tuple[str, ...] = ()


def in_order(runs: Iterable[RecordedRun]) -> tuple[RecordedRun, ...]:
    """Runs of one stock next to each other, the oldest dossier first; a run without a date comes last.

    Stocks keep the order in which they are given; runs on one dossier are in the order in which they were begun.
    """
    given = tuple(runs)
    stocks = list(dict.fromkeys(run.symbol for run in given))
    return tuple(
        sorted(given, key=lambda run: (stocks.index(run.symbol), run.as_of or date.max, run.created or _NEVER))
    )


def run_before(runs: Sequence[RecordedRun], at: int) -> RecordedRun | None:
    """The run that another is compared with: the one before it, if that is of the same stock."""
    before = runs[at - 1] if at else None
    return before if before and before.symbol and before.symbol == runs[at].symbol else None


def tracked(before: Sequence[str] | None, now: Sequence[str]) -> Tracked:
    """What of a list is new, and what is gone.

    Args:
        before: the list of the run before; None where there is none, or it is not known.
        now: the list.
    """
    if before is None:
        return Tracked(tuple(Entry(text, State.UNKNOWN) for text in now))
    same, here = ({text.strip() for text in texts} for texts in (before, now))
    left = [text for text in dict.fromkeys(before) if text.strip() not in here]
    fresh = [text for text in dict.fromkeys(now) if text.strip() not in same]
    reworded = _reworded(left[:COMPARED_TEXTS], fresh[:COMPARED_TEXTS])
    entries = tuple(
        Entry(text, State.STILL)
        if text.strip() in same
        else Entry(text, State.REWORDED, reworded[text])
        if text in reworded
        else Entry(text, State.NEW)
        for text in now
    )
    found_again = set(reworded.values())
    return Tracked(entries, tuple(text for text in left if text not in found_again))


def _reworded(before: list[str], now: list[str]) -> dict[str, str]:
    """By each new text the old one that is most like it; the most similar pair first, and no text twice."""
    pairs = [(alike, new, old) for new in now for old in before if (alike := _alike(old, new)) >= ALIKE]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, new, old in sorted(pairs, key=lambda pair: -pair[0]):
        if new not in found and old not in taken:
            found[new] = old
            taken.add(old)
    return found


def _alike(one: str, other: str) -> float:
    """Which share of two texts' characters they have in common, in their order; 0 where it is plainly too small."""
    matcher = difflib.SequenceMatcher(None, one[:COMPARED_CHARACTERS], other[:COMPARED_CHARACTERS], autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    return matcher.ratio()
