"""Finds out whether a candidate is only a part of something larger that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, chain

from src.shared.domain.reading.edits import kinds_of
from src.shared.domain.reading.lexicon import MARGIN
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.tokens import KEY_LIMIT
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.candidates.siblings import unread_beside
from src.shared.infrastructure.parsing.notes import Span

_CLOSERS = re.compile(r"[\s}\]｝］]*+")
_LEVELS = {
    "{": (re.compile(r"[{}｛｝]++"), {"{": 1, "｛": 1, "}": -1, "｝": -1}),
    "[": (re.compile(r"[\[\]［］]++"), {"[": 1, "［": 1, "]": -1, "］": -1}),
}
"""Runs of brackets of either kind, and what each does to the depth."""
_BLANKS = rf"\s{{0,{MARGIN}}}"
_KEY_BEFORE = re.compile(rf"(?:[\"”'’]|[,，]{_BLANKS}\w{{1,{KEY_LIMIT}}}){_BLANKS}[:：]{_BLANKS}[\"“'‘]?\Z")
_MEMBER_BEFORE = re.compile(rf"[,，{{\[(\n]{_BLANKS}[\"“'][^\"“”'\n]{{1,{KEY_LIMIT}}}[\"”']{_BLANKS}[:：]\Z")
"""A quoted key where a member would begin: the value is that member's, and the object around it has no bracket."""
_CALL_CLOSES = re.compile(r"\s*+[)）]")
_BEFORE_ARGUMENT = ("(", "（", ",", "，")
_PART = 1 << 16
"""Characters whose brackets are listed together: a list of all would take twenty times the text."""
LOOK_BACK = KEY_LIMIT + 4 * MARGIN
"""Characters before a value in which the key that it belongs to has to stand."""


def place_in_more(text: str, span: Span, value: Value, others: Iterable[Value]) -> int | None:
    """Where something shows that a value is only a part of something larger; None if nothing does.

    That is something unread beside it in an array (`siblings.py`), braces outside every candidate that open before it
    and close after it, or a key before it. A brace that only opens, or only closes, is prose, except one that closes
    after a value whose own was missing, and one that opens before a value in which one closed too many: that one was
    its own.
    """
    before: list[Span] = []
    after: list[Span] = []
    at = span.start
    for other in [*sorted(others, key=lambda found: found.start), None]:
        end = other.start if other else span.end
        if at < end:
            (before if end <= value.start else after).append(Span(at, end))
        at = max(at, other.end) if other else at
    opened, _ = _unmatched(text, before)
    _, closed = _unmatched(text, after)
    lead = _lead(text, span.start, value.start)
    has_surplus = RepairKind.SURPLUS_BRACKET in kinds_of(value.edits)
    needs_brackets = has_surplus or RepairKind.MISSING_BRACKET in kinds_of(value.edits)
    is_part = (
        _lost_its_rest(text, span, value)
        or (has_surplus and ("{" in opened or _KEY_BEFORE.search(lead) is not None))
        or (needs_brackets and ("[" in opened or _is_in_open_call(text, value, lead)))
        or "{" in opened & closed
        or ("{" in closed and _KEY_BEFORE.search(lead) is not None)
        or _MEMBER_BEFORE.search(lead) is not None
    )
    return value.start if is_part else unread_beside(text, span, value, before, after)


def _is_in_open_call(text: str, value: Value, lead: str) -> bool:
    """Whether a value is an argument of a call whose bracket is not closed right after it."""
    return lead.endswith(_BEFORE_ARGUMENT) and _CALL_CLOSES.match(text, value.end) is None


def _lead(text: str, start: int, end: int) -> str:
    """The text before a value, with a line end for the beginning."""
    beginning = "\n" if end - start < LOOK_BACK else ""
    return (beginning + text[max(start, end - LOOK_BACK) : end]).rstrip()


def _lost_its_rest(text: str, span: Span, value: Value) -> bool:
    """Whether a bracket was supplied, and one that nothing opened stands after further text: that was inside, too."""
    if RepairKind.MISSING_BRACKET not in kinds_of(value.edits):
        return False
    rest = _CLOSERS.match(text, value.end).end()  # type: ignore[union-attr]  # it matches the empty text too
    return bool(_unmatched(text, [(rest, span.end)])[1])


def _unmatched(text: str, parts: Iterable[tuple[int, int]]) -> tuple[set[str], set[str]]:
    """The kinds of brackets that open and never close, and of those that close what never opened."""
    opened: set[str] = set()
    closed: set[str] = set()
    windows = [(at, end) for start, end in parts for at in range(start, end, _PART)]
    for kind, (brackets, level) in _LEVELS.items():
        found = chain.from_iterable(brackets.findall(text, at, min(at + _PART, end)) for at, end in windows)
        lowest = depth = 0
        for depth in accumulate(map(level.__getitem__, chain.from_iterable(found))):
            lowest = min(lowest, depth)
        if lowest < 0:
            closed.add(kind)
        if depth > lowest:
            opened.add(kind)
    return opened, closed
