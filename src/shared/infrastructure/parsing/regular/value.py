"""Reads a value with regular damage from a text that may continue after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.candidates.continuation import goes_on
from src.shared.infrastructure.parsing.reader.budget import ATTEMPT, STEP, Work
from src.shared.infrastructure.parsing.reader.edits import Edit, EditedText, Edits, LazyEdits, kinds_of
from src.shared.infrastructure.parsing.regular.mend import Mended, mended
from src.shared.infrastructure.parsing.regular.trace import edits_of
from src.shared.infrastructure.parsing.strict_json import Uncounted, decode_at
from src.shared.infrastructure.parsing.written_numbers import written_float

COST = 3
"""Units of work for each character that is mended and decoded."""
WINDOW = 256
WINDOW_GROWTH = 4
"""Characters that are mended after the first value that was tried, beyond so many times what that one took; and how
much more is mended where the value did not end there."""
FIRST_WINDOW = 65_536
"""Characters that are mended at first: a text of many values is not taken for one."""
VAIN_FLOOR = 100_000
VAIN_PER_CHARACTER = 3
"""Characters that may be mended in vain: the floor, and so many times the text."""
_CLOSERS = {"{": "}｝", "｛": "}｝", "[": "]］", "［": "]］"}
_IS_OVER = re.compile(r"[ \t]*+ (?: [,，\n] | \Z | ``` | ~~~ | < )", re.VERBOSE)
_LARGE_EXPONENT = re.compile(r"[eE]\+?[0-9]{3}")


class RegularValue(NamedTuple):
    """A value, the offset after it in the original text, and what undoes its damage."""

    data: Any
    end: int
    edits: Edits


def lazy_edits(text: str, start: int, end: int, of: Mended) -> LazyEdits:
    """The edits that mended a part of a text."""
    return LazyEdits(of.kinds, partial(edits_of, text, start, end), of.counted)


class _Attempt(NamedTuple):
    """What became of a part of the text: a value, or how far it was one, and whether the part may be too short."""

    value: RegularValue | None
    reached: int
    cut: bool


class RegularReader:
    """Reads values of one text; what it cannot read is not regular."""

    def __init__(self, text: str, work: Work, *, as_written: bool = False) -> None:
        self._text = text
        self._work = work
        self._as_written = as_written
        self._window = min(len(text), FIRST_WINDOW)
        self._vain = VAIN_FLOOR + VAIN_PER_CHARACTER * len(text)

    def value_at(self, start: int, undamaged: int) -> RegularValue | None:
        """The value that opens at `start` if all its damage is regular, or None.

        `undamaged` is how many characters from there are strict JSON.
        """
        for end in self._ends(start, undamaged):
            if self._vain < 0 or not self._work.spend(ATTEMPT + COST * (end - start)):
                return None
            attempt = self._attempt(start, end)
            if attempt.value:
                self._window = WINDOW + WINDOW_GROWTH * (attempt.value.end - start)
                return attempt.value if self._is_whole(start, attempt.value) else None
            self._vain -= end - start
            if not self._text[end:].strip() and (attempt.reached or not attempt.cut):
                self._window = WINDOW + WINDOW_GROWTH * attempt.reached
                return None
        return None

    def _is_whole(self, start: int, value: RegularValue) -> bool:
        """Whether nothing after a value says that it goes on; with quotes in its strings, something has to say so."""
        quoting = RepairKind.UNESCAPED_QUOTE in kinds_of(value.edits)
        if quoting and not _IS_OVER.match(self._text, value.end):
            return False
        return not goes_on(self._text, start, value.end)

    def _ends(self, start: int, undamaged: int) -> Iterator[int]:
        """Where to mend to: as far as may be, or as the value before suggests; if that does not do, from little on."""
        length, window = len(self._text), self._window + undamaged
        yield self._last_closer(start, start + window)
        if window >= length:
            yield self._first_closer(start)
            window = WINDOW + 2 * undamaged
            yield self._last_closer(start, start + window)
        while window < length:
            window *= WINDOW_GROWTH
            yield self._last_closer(start, start + window)

    def _attempt(self, start: int, end: int) -> _Attempt:
        fixed = mended(self._text[start:end])
        if fixed is None:
            return _Attempt(None, 0, cut=True)
        try:
            return _Attempt(self._read(start, end, fixed), end - start, cut=False)
        except (ValueError, RecursionError) as error:
            stopped = getattr(error, "pos", 0)
            return _Attempt(None, stopped, cut=stopped >= len(fixed.text) - len(fixed.gaps[-1]))

    def _last_closer(self, start: int, limit: int) -> int:
        """After the last bracket of the right kind: what follows is no part of the value."""
        ends = [self._text.rfind(closer, start, limit) + 1 for closer in _CLOSERS[self._text[start]]]
        return max(*ends, start + 1)

    def _first_closer(self, start: int) -> int:
        """After the first one, where a value with nothing nested in it ends."""
        ends = [self._text.find(closer, start, start + WINDOW) + 1 for closer in _CLOSERS[self._text[start]]]
        return min(filter(None, ends), default=start + 1)

    def _read(self, start: int, end: int, attempt: Mended) -> RegularValue | None:
        oddities = _Oddities(as_written=self._as_written)
        data, decoded_to = oddities.decoder.raw_decode(Uncounted(attempt.text))
        edits: Edits = lazy_edits(self._text, start, end, attempt)
        if decoded_to == len(attempt.text) and not oddities.found(attempt.gaps):
            return RegularValue(data, end, edits)
        return self._with_places(start, end, edits)

    def _with_places(self, start: int, end: int, edits: Edits) -> RegularValue | None:
        """The value where its end has to be found, or what the decoder lets through named; None without damage."""
        between = [edit for edit in edits if edit.kind is not RepairKind.CONTROL_CHARACTER]
        edited = EditedText(self._text, start, end, between)
        data, decoded_to, found = decode_at(Uncounted(edited.text), 0, as_written=self._as_written)
        raw_end = edited.origin(decoded_to - 1) + 1  # after its bracket, and not after what was left out there
        moved = [Edit(edited.origin(edit[0]), *edit[1:]) for edit in found]
        inside = [edit for edit in between if edit.offset < raw_end]
        self._work.spend(ATTEMPT + STEP * (len(between) - len(inside)))  # mended again, and what is behind it in vain
        kept = sorted((*inside, *moved), key=itemgetter(0))
        return RegularValue(data, raw_end, kept) if kept else None


class _Oddities:
    """Sees what the decoder lets through: keys that occur twice, numbers that no float holds."""

    def __init__(self, *, as_written: bool) -> None:
        self._members = 0
        self._constants = 0
        self.decoder = json.JSONDecoder(
            object_hook=self._count,
            parse_constant=self._constant,
            parse_float=written_float if as_written else None,
        )

    def found(self, gaps: list[str]) -> bool:
        """Whether something was seen, given the gaps of the text."""
        between = '"'.join(gaps)
        colons = between.count(":") + between.count("：")
        return bool(self._constants or colons != self._members or _LARGE_EXPONENT.search(between))

    def _count(self, made: dict[str, Any]) -> dict[str, Any]:
        self._members += len(made)
        return made

    def _constant(self, name: str) -> float:
        self._constants += 1
        return float(name)
