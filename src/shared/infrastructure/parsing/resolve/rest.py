"""The text after the outermost container: evidence against its end, if it would go on there."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left

from src.shared.domain.notation import MARGIN
from src.shared.domain.possessive import match_end
from src.shared.infrastructure.parsing.reader.budget import STEP, Work
from src.shared.infrastructure.parsing.reader.patterns import CLOSING_RUN, GAP, MORE_AFTER_ROOT
from src.shared.infrastructure.parsing.resolve.costs import DOUBT, EDIT, GOES_ON

_CLOSER = re.compile(r"[}\]｝］]")
_TAG = rf"(?:</?+\|?[/\w]{{1,{MARGIN}}}+\|?>\s*+)?"
_DATA_NEXT = re.compile(rf"\s*+[,，][,，\s]*+{GAP.pattern}{_TAG}(?:[\[{{\"\d［｛]|['“]\w)")
_CLOSER_BEHIND_COMMA = re.compile(r"\s*+[,，][,，\s]*+[}\]｝］]")
_COLON_NEXT = re.compile(r"[:：]\S")


class Rest:
    """What an end costs, by its place. In a run of closing brackets each may be the end: the run is looked at once."""

    def __init__(self, text: str, start: int, work: Work) -> None:
        self._text = text
        self._start = start
        self._work = work
        self._known: dict[int, int] = {}
        self._run = range(0)
        self._closers: array[int] = array("I")
        self._goes_on = False

    def cost(self, end: int) -> int:
        """What the text after `end` adds to the cost of a reading that ends there."""
        if end not in self._known:
            self._known[end] = self._cost(end)
        return self._known[end]

    def _cost(self, end: int) -> int:
        if end not in self._run:
            self._look(end)
        cost = DOUBT * self._text.startswith('"', end) + EDIT * self._text.startswith("[", end)
        if self._goes_on:
            cost = GOES_ON
        elif _DATA_NEXT.match(self._text, end) or _COLON_NEXT.match(self._text, end):
            cost = 3 * EDIT
        elif _CLOSER_BEHIND_COMMA.match(self._text, end):
            cost += EDIT
        return cost + EDIT * self._surplus(end)

    def _surplus(self, end: int) -> int:
        """How many closing brackets follow; one on a line of its own is none of a value that stands on one line."""
        first = bisect_left(self._closers, end)
        if first == len(self._closers):
            return 0
        is_apart = "\n" in self._text[end : self._closers[first]] and "\n" not in self._text[self._start : end]
        return 0 if is_apart else len(self._closers) - first

    def _look(self, end: int) -> None:
        """Look at all of the run of closing brackets, and the white space between them, that a place is in."""
        start, over = end, match_end(CLOSING_RUN, self._text, end)
        while start and CLOSING_RUN.fullmatch(self._text, start - 1, start):
            start -= 1
        self._work.spend(STEP * (end - start) + over - start)
        self._run = range(start, over + 1)
        self._closers = array("I", (found.start() for found in _CLOSER.finditer(self._text, start, over)))
        self._goes_on = MORE_AFTER_ROOT.match(self._text, over) is not None
