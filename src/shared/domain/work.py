"""Limits the work for one text: one counter, charged by all code that looks at the text.

One unit is the time in which a regular expression passes over one character. A step in Python costs `STEP` units.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WORK_PER_CHARACTER = 40
"""Units of work allowed for each character of a text."""
WORK_FLOOR = 10_000_000
"""Units of work allowed for any text, however short: what some 400 irregular damages take that nothing settles."""
FAILED_PER_CHARACTER = 400
"""Units of it, for each character, that may go into readings that fail."""
FAILED_FLOOR = 1_000_000
"""Units of it that may go into readings that fail, however short the text."""

STEP = 100
"""Units of one step in Python: a decision, a token, an edit."""
ATTEMPT = 30 * STEP
"""Units of one way of reading a value, apart from what it reads."""

DAMAGED_ATTEMPT = 60 * STEP
"""The same for a value that is damaged."""


class WorkLimitError(Exception):
    """A reading that may only take a little work has taken it: nothing is known of the text yet."""


class TimeIsUpError(Exception):
    """The time that a caller gave to read a text is over."""


class Work:
    """What is left to spend on a text; it never grows.

    Readings that fail have a bound of their own, without which texts of many openings, each read to the end in vain,
    would cost their square until the bound on all work was reached.

    Attributes:
        left: how much may still be spent; negative where the last reading took more than there was.
        seconds: how long it may take, from its beginning on.
        refused: whether something was not looked at because there was nothing left: then no answer is sure.
    """

    __slots__ = ("_failed", "_most_failed", "left", "refused", "seconds")

    def __init__(self, length: int) -> None:
        self.left = WORK_FLOOR + WORK_PER_CHARACTER * length
        self._failed = self._most_failed = FAILED_FLOOR + FAILED_PER_CHARACTER * length
        self.refused = False
        self.seconds = math.inf

    @property
    def is_over(self) -> bool:
        """Whether the time for the text is over; only a `TimedWork` has an end."""
        return False

    def spend(self, units: int) -> bool:
        """Charge for work that is about to be done; False if it must not be done."""
        self.left -= units
        self.refused = self.refused or self.left < 0
        return self.left >= 0

    def charge_failed(self, before: int, times: int = 1) -> None:
        """Say that all work since `left` was `before` led nowhere; `times` what it was charged is what it took."""
        self._failed -= times * (before - self.left)

    def begin_again(self) -> None:
        """Say that the text is read in another way: what failed in the one before does not count against it."""
        self._failed = self._most_failed
        self.refused = self.left < 0

    def is_left(self) -> bool:
        """Whether another reading may begin."""
        self.refused = self.refused or self.left < 0 or self._failed < 0
        return not self.refused


class LimitedWork(Work):
    """The work for a text that may only be read if that takes little of it."""

    __slots__ = ("_all", "_least")

    def __init__(self, length: int, most: int) -> None:
        """Allow `most` units for a text of this length."""
        super().__init__(length)
        self._all, self._least = self.left, self.left - most

    @property
    def spent(self) -> int:
        """How much has been spent."""
        return self._all - self.left

    def spend(self, units: int) -> bool:
        """Charge for work, as for any text.

        Raises:
            WorkLimitError: that is more than the reading may take.
        """
        may = super().spend(units)
        if self.left < self._least:
            raise WorkLimitError
        return may


BETWEEN_LOOKS = 50_000
"""Units of work between two looks at the clock: about half a millisecond."""


class TimedWork(Work):
    """The work for a text that may only be read within a time; it looks at the clock as it goes."""

    __slots__ = ("_ends", "_looks")

    def __init__(self, length: int, seconds: float) -> None:
        """Begin; it ends in so many seconds."""
        super().__init__(length)
        self.seconds = seconds
        self._ends, self._looks = time.monotonic() + seconds, self.left - BETWEEN_LOOKS

    def spend(self, units: int) -> bool:
        """Charge for work, as for any text.

        Raises:
            TimeIsUpError: the time is over.
        """
        may = super().spend(units)
        if self.left < self._looks:
            self._looks = self.left - BETWEEN_LOOKS
            if self.is_over:
                raise TimeIsUpError
        return may

    @property
    def is_over(self) -> bool:
        """Whether the time for the text is over."""
        return time.monotonic() >= self._ends


MAX_EXCESS = 1_000_000
"""Applications of schemas to one text that its length does not explain: with their explanation a tenth of a second."""
_applied_left: ContextVar[int | None] = ContextVar("applied_left", default=None)


@contextmanager
def one_text() -> Iterator[None]:
    """Count the schemas that are applied in a block together: to all that is tried as the answer of one text."""
    token = _applied_left.set(applied_left())
    try:
        yield
    finally:
        _applied_left.reset(token)


def applied_left() -> int:
    """How many may still be applied to the text; to data without a text as many as to one."""
    left = _applied_left.get()
    return MAX_EXCESS if left is None else left


def spend_applied(count: int) -> bool:
    """Charge for schemas that are to be applied; False if that is more than is left, and they must not be."""
    left = applied_left() - count
    if left >= 0 and _applied_left.get() is not None:
        _applied_left.set(left)
    return left >= 0
