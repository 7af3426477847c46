"""Finds the JSON values of a text: strict ones with the standard decoder, damaged ones with the machine.

Of a value that cannot be read it still knows where its brackets end and what is in its strings. What stands after a
value may show that it was not complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from src.shared.domain.expression import expression, match_end
from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.parse_reasons import TOO_DAMAGED, TOO_DEEP, TRUNCATED, TWO_READINGS
from src.shared.domain.reading.layers import RewrittenTexts, may_be_repr
from src.shared.domain.reading.openings import (
    CLOSING_RUN,
    ESCAPED_START,
    FIRST_KEY,
    LINE_LIMIT,
    LISTS_TOO,
    OBJECTS,
    OPEN_LAST_KEY,
    OTHER_FORMAT,
    QUOTE_OR_BRACKETS,
    STRING,
    STRING_END,
    is_more_after_root,
)
from src.shared.domain.reading.reader import read
from src.shared.domain.reading.reading import Problem, Value
from src.shared.domain.reading.signs import BLANK, CLOSERS, COLONS, COMMAS, MARGIN, OPENERS
from src.shared.domain.strict_json import UNTERMINATED_MESSAGE, Uncounted, decode_at, is_damage
from src.shared.domain.work import ATTEMPT, DAMAGED_ATTEMPT, STEP, Work


def data_follows(text: str, end: int) -> bool:
    """Whether a member or an element follows that something larger would have to hold."""
    return is_more_after_root(text, match_end(CLOSING_RUN, text, end))


def goes_on(text: str, start: int, end: int) -> bool:
    """Whether the text after a complete value says that its last bracket or quote was still text."""
    if text.startswith('"', end) and not text.startswith('"', max(0, start - 1)):
        return True
    return data_follows(text, end) or string_goes_on(text, start, end)


def string_goes_on(text: str, start: int, end: int) -> bool:
    """Whether the rest of the line closes a string that nothing on the line opened."""
    rest, line_end, next_line = text[end : end + LINE_LIMIT].partition("\n")
    before = text[max(0, start - LINE_LIMIT) : start].rpartition("\n")[2]
    line = (before + rest).replace("\\\\", "")  # a backslash that is escaped escapes nothing
    quotes = line.count('"') - line.count('\\"') or line.count('"')  # escaped ones alone are those of an escaped text
    if (not line_end and end + LINE_LIMIT < len(text)) or quotes % 2 == 0:
        return False
    ends_string = rest.rstrip().endswith('"') and next_line.lstrip().startswith(("}", "]"))
    return ends_string or any(mark in rest for mark in ('",', '"}', '"]', '":'))


_BEFORE_STRING = frozenset((*OPENERS, *COMMAS, *COLONS))


class Unreadable:
    """The strings and brackets of a text, from any place on, whatever grammar says."""

    def __init__(self, text: str, work: Work) -> None:
        self._text = text
        self._work = work
        self._last_string = (0, 0)

    def place_in_string(self, start: int, place: int) -> bool | None:
        """Whether a place is in a string of the value at `start`; None if nothing tells that it is not.

        Where the quotes do not pair up before the place, the brackets alone could tell, by closing before it.
        """
        depth, paired = 0, True
        for begin, end in self._tokens(start):
            is_string = self._text[begin] == '"'
            if end > place:
                covers = is_string and begin < place
                if covers and STRING_END.match(self._text, end):
                    return True
                return None if covers or not paired else False
            if is_string:
                paired = paired and self._is_paired(begin, end)
                continue
            depth += end - begin if self._text[begin] in OPENERS else begin - end
            if depth <= 0:
                return False
        return False if paired else None

    def end_of_brackets(self, start: int) -> int:
        """Where the value at `start` ends by its brackets; the end of the text if they do not balance."""
        depth = 0
        for begin, end in self._tokens(start):
            first, length = self._text[begin], end - begin
            if first in OPENERS:
                depth += length
            elif first in CLOSERS:
                if depth <= length:
                    return begin + depth
                depth -= length
        return len(self._text)

    def _tokens(self, start: int) -> Iterator[tuple[int, int]]:
        """Strings and runs of brackets, while there is work left."""
        token = QUOTE_OR_BRACKETS.search(self._text, start)
        while token:
            begin, end = token.span()
            if not self._work.spend(STEP + end - begin):
                return
            if self._text[begin] == '"':
                end = self._end_of_string(begin)
            yield begin, end
            token = QUOTE_OR_BRACKETS.search(self._text, end)

    def _end_of_string(self, start: int) -> int:
        """Where a string ends, or the text; a quote inside the last one is escaped, so that both end in one place."""
        begin, end = self._last_string
        if not begin <= start < end - 1:
            self._last_string = start, match_end(STRING, self._text, start)
            self._work.spend(self._last_string[1] - start)
        return self._last_string[1]

    def _is_paired(self, start: int, end: int) -> bool:
        """Whether the quotes of a string stand where those of keys and values do."""
        before = self._text[max(0, start - LINE_LIMIT) : start].rstrip()
        return before[-1:] in _BEFORE_STRING and STRING_END.match(self._text, end) is not None


_FAILED_TIMES = 8
"""So many times its charge counts for a reading that fails: what it decides takes longer than what it passes."""
_LOOK = 4 * STEP
"""Units of work to see whether a bracket opens a value."""
_TOO_DEEP_COST = 500 * STEP
"""Units of work for as many levels as the decoder goes down, and up again with its error."""
_SURPLUS = expression(r"\s*+\}")
_SURPLUS_BESIDE = expression(rf"{BLANK}*+\}}")
"""An extra closing brace, which may be any of those before it; not one alone on the line after all of them."""
_AT_END = expression(r"\s*+\Z")
_OTHER_QUOTE_AT_END = expression(
    rf"""
    [^“”„‘＂]*+                            # text without another quotation, which the sign could belong to
    [“”＂]
    \s{{0,{MARGIN}}} [{COMMAS}}}\]] [\s{COMMAS}}}\]]*+  (?: \Z | ``` | ~~~ )  # the brackets at the end
    """,
    re.VERBOSE,
)
"""The last string of a text ends with a typographic quote: what closes its brackets, and no more, comes after it."""
VALUES_FLOOR = 10_000
CHARACTERS_PER_VALUE = 40
"""Most places of a text whose values are remembered: the floor, and one for so many characters. It bounds memory."""
_FENCE_MARKS = "`~ \t\r\n"


class ScanOptions(NamedTuple):
    """What is known of a text, and which of its values are looked for.

    Attributes:
        finished: whether the model stopped by itself (True), so that brackets missing at the end were forgotten, or was
            cut off (False); None if unknown.
        salvage: where the text was cut off, keep the members that were complete.
        as_written: keep the digits of numbers that a float cannot hold.
        lists: a list of plain values counts too, not only one of objects.
        fits: whether a value is one of the type that is asked for, with no keys but the type's; None without a type.
    """

    finished: bool | None = None
    salvage: bool = False
    as_written: bool = False
    lists: bool = False
    fits: Callable[[object], bool] | None = None


class ValueScanner:
    """Finds and remembers the values of one text. Its work is bounded by a multiple of the text's length.

    Args:
        level: how many strings the text stands in, each encoded in the next.
    """

    def __init__(
        self, text: str, options: ScanOptions | None = None, work: Work | None = None, *, level: int = 0
    ) -> None:
        self.text = text
        self.work = work or Work(len(text))
        self._options = options or ScanOptions()
        self._level = level
        self._openings = LISTS_TOO if self._options.lists else OBJECTS
        self._known: dict[int, Value | None] = {}
        self._most = VALUES_FLOOR + len(text) // CHARACTERS_PER_VALUE
        self._not_strict: dict[int, int] = {}
        self._cut: set[int] = set()
        self._open: set[int] = set()

    @cached_property
    def _unreadable(self) -> Unreadable:
        return Unreadable(self.text, self.work)

    @cached_property
    def _uncounted(self) -> Uncounted:
        return Uncounted(self.text)

    @cached_property
    def _rewritten(self) -> RewrittenTexts:
        salvage = self._options.salvage
        return RewrittenTexts(self.text, self.work, self._inside, level=self._level, salvage=salvage)

    def value_at(self, start: int) -> Value | None:
        """The value that opens at `start`; None if the bracket belongs to prose."""
        if start not in self._known:
            self._known[start] = self._find(start)
        return self._known[start]

    def whole_at(self, start: int, end: int) -> Value | None:
        """The value between two offsets, where that is all there is: its bracket need not show that it is no prose."""
        value = self.value_at(start) or self._damaged(start)
        return value if value.problem or value.end == end else None

    def strict_at(self, start: int) -> Value | None:
        """The value that opens at `start` if it is undamaged, raw control characters apart."""
        if start not in self._known:
            try:
                value = self._strict(start)
            except RecursionError:
                return None
            if value is None:
                return None
            self._known[start] = value
        known = self._known[start]
        return known if known and known.problem is None and not known.damaged else None

    def values(self, start: int, end: int) -> Iterator[Value]:
        """The outermost values between two offsets, in order; the inside of an unreadable one is passed over."""
        bracket = self._openings.search(self.text, start, end)
        while bracket >= 0:
            value = self.value_at(bracket)
            if value is None:
                at = bracket + 1
            else:
                yield value
                at = value.end if value.problem is None else self.end_of_unreadable(value)
            bracket = self._openings.search(self.text, at, end)

    def covering(
        self, start: int, place: int, *, in_open_string: bool = False, in_brackets: bool = False
    ) -> int | None:
        """The end of the first value that opens between `start` and `place` and reaches beyond `place`, if any.

        One that cannot be read reaches to the end of its brackets if `place` is in one of its strings: that is
        still data. A string that never ends counts with `in_open_string`, and else after a key; with `in_brackets`,
        all between the brackets does. One that was written as a string reaches to the end of that string.
        """
        bracket = self._openings.search(self.text, start, place)
        while bracket >= 0:
            if not self.work.is_left():
                return len(self.text)
            value = self.value_at(bracket)
            at = bracket + 1
            if value is not None and value.problem and value.problem.reason is TOO_DEEP:
                return len(self.text)  # so many brackets are no prose, and each would be looked at to the end
            if value is not None and (value.problem is None or ESCAPED_START.match(self.text, bracket)):
                at = value.end
            elif value is not None and (
                self._is_in_string(value.start, place, in_open_string)
                or (in_brackets and self.end_of_unreadable(value) > place)
            ):
                at = max(place + 1, self.end_of_unreadable(value))
            if at > place:
                return at
            bracket = self._openings.search(self.text, at, place)
        return None

    def _find(self, start: int) -> Value | None:
        if not self.work.is_left() or len(self._known) > self._most:
            return Value(start, len(self.text), problem=Problem(start, TOO_DAMAGED))
        if self._openings.strict.match(self.text, start):
            try:
                strict = self._strict(start)
            except RecursionError:
                return Value(start, len(self.text), problem=Problem(start, TOO_DEEP))
            if strict:
                return strict
            if start in self._cut and not self._options.salvage and not self._has_other_end(start):
                value = self._find_damaged(start) if self._options.finished else None
                problem = Problem(len(self.text), TRUNCATED)
                is_read = value and value.problem is None
                return value if is_read else Value(start, len(self.text), problem=problem, damaged=True)
        return self._find_damaged(start)

    def _has_other_end(self, start: int) -> bool:
        """Whether the string in which the text ends, without another `"`, may end before, at another sign."""
        at = self._not_strict[start]
        return (
            _OTHER_QUOTE_AT_END.match(self.text, at + 1) is not None or OPEN_LAST_KEY.match(self.text, at) is not None
        )

    def _find_damaged(self, start: int) -> Value | None:
        self.work.spend(_LOOK)
        if ESCAPED_START.match(self.text, start):
            return self._rewritten.escaped_at(start)
        value = self._rewritten.encoded_at(start) if OTHER_FORMAT.match(self.text, start) else None
        if value is not None:
            return value
        if self._openings.is_damaged(self.text, start):
            return self._damaged(start)
        return None

    def _inside(self, text: str) -> Callable[[int], Value | None]:
        """What reads the values of a text that was written as a string, or for another format."""
        return ValueScanner(text, self._options, self.work, level=self._level + 1).value_at

    def _strict(self, start: int) -> Value | None:
        if start in self._not_strict:
            return None
        before = self.work.left
        self.work.spend(ATTEMPT)
        try:
            data, end, edits = decode_at(
                self._uncounted if self._not_strict else self.text, start, as_written=self._options.as_written
            )
        except RecursionError:
            self.work.spend(_TOO_DEEP_COST)
            self.work.charge_failed(before)
            raise
        except ValueError as error:
            place = getattr(error, "pos", start)
            self._not_strict[start] = place
            self.work.spend(place - start)
            if str(error).startswith(UNTERMINATED_MESSAGE):
                self._cut.add(start)  # JSON so far, and then no quote any more: nothing could close the string
                self.work.spend(len(self.text) - place)
            elif _AT_END.match(self.text, place):
                self._open.add(start)
            self.work.charge_failed(before)
            return None
        self.work.spend(end - start)
        latex = is_damage(edits) and ANY_COMMAND.search(self.text, start, end)
        surplus = (_SURPLUS if "\n" in self.text[start:end] else _SURPLUS_BESIDE).match(self.text, end)
        # the reader tells the commands of LaTeX from escapes
        if latex or surplus or goes_on(self.text, start, end) or may_be_repr(self.text, start, end):
            self._not_strict[start] = end
            return None
        return Value(start, end, data, edits)

    def _damaged(self, start: int) -> Value:
        before = self.work.left
        value = self._resolved(start)
        if value.problem:
            self.work.charge_failed(before, _FAILED_TIMES)
        return value

    def _resolved(self, start: int) -> Value:
        self.work.spend(DAMAGED_ATTEMPT)
        options = self._options
        if start in self._open and not options.finished and not options.salvage:  # JSON so far, and none of it is last
            end = len(self.text)
            return Value(start, end, problem=Problem(end, TRUNCATED), damaged=True)
        reading = read(
            self.text, start, finished=options.finished, fits=options.fits, salvage=options.salvage,
            as_written=options.as_written, work=self.work,
        )  # fmt: skip
        followed = data_follows(self.text, reading.end)
        if reading.edits and not followed:
            followed = string_goes_on(self.text, start, reading.end)
        followed = followed or may_be_repr(self.text, start, reading.end)
        if reading.problem is None and not reading.cut and followed:
            return Value(start, reading.end, problem=Problem(reading.end - 1, TWO_READINGS, start), damaged=True)
        return reading

    def _is_in_string(self, start: int, place: int, in_open_string: bool) -> bool:  # noqa: FBT001 - passed on
        """Whether a place is, or may be, in a string of the unreadable value at `start`."""
        before = self.work.left
        in_string = self._unreadable.place_in_string(start, place)
        self.work.charge_failed(before)
        if in_string is not None:
            return in_string
        first_key = FIRST_KEY.match(self.text, start)
        if first_key is None:
            return in_open_string
        return not self._starts_again(first_key.group(), place)

    def _starts_again(self, first_key: str, place: int) -> bool:
        """Whether an undamaged object with the same first key follows and ends the text, so that this was a draft."""
        again = FIRST_KEY.search(self.text, place, place + LINE_LIMIT)
        if again is None or again.group().split() != first_key.split():
            return False
        value = self.strict_at(again.start())
        return value is not None and not self.text[value.end :].strip(_FENCE_MARKS)

    def end_of_unreadable(self, value: Value) -> int:
        """Where a value that cannot be read ends by its brackets."""
        return self._unreadable.end_of_brackets(value.start)
