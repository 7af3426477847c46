r"""Decodes an object written as a string: `"{\"a\": 1}"`, or `{\"a\": 1}` without the outer quotes.

The string is decoded by JSON's own rules, and its content is read like any other text. It has to be exactly one
object: if it is cut off, or cannot be read, nothing inside it is an answer.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from src.shared.domain.latex import COMMAND
from src.shared.domain.parse_reasons import ESCAPED_UNREADABLE, PART_OF_MORE, TRUNCATED, TWO_ESCAPE_READINGS, Reason
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.edits import Edit, EditedText, Edits, named
from src.shared.infrastructure.parsing.reader.patterns import ESCAPED_MARGIN, TO_PLAIN_QUOTE
from src.shared.infrastructure.parsing.reader.places import Places
from src.shared.infrastructure.parsing.reader.problem import Problem

if TYPE_CHECKING:
    from src.shared.infrastructure.parsing.scanner import ValueScanner
    from src.shared.infrastructure.parsing.values import Value

MAX_LEVELS = 3
"""So many times an object may have been written as a string, one inside the other; more is refused."""
MARGIN_LIMIT = 64
"""Characters before an escaped object searched for the quote that opens its string."""
_TO_BRACKET = re.compile(repeated(rf'\\*+"{ESCAPED_MARGIN}') + rf"(?P<bracket>\{{|\[{ESCAPED_MARGIN}\{{)")
_INNER_QUOTES = re.compile(repeated(rf'\\++"{ESCAPED_MARGIN}') + r"\Z")
_OPENS = re.compile(rf'(?<!\\)"{ESCAPED_MARGIN}\Z')
_CLOSES = re.compile(rf'{ESCAPED_MARGIN}"')
_OVER = re.compile(r'"?\s*+\Z')
_IN_CODE = re.compile(r"[=(,]\s*+[\"']?\Z")
"""What says that a string is an argument of a call or assigned to a name, and so part of a program."""
_CODE = r"u[0-9a-fA-F]{4}"
_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rf"""\\(?:(?P<pair>{_PAIR})|(?P<code>{_CODE})|(?P<sign>["\\/bfnrt])|(?P<bad>[^']|\Z)|')""", re.DOTALL
)
_QUOTE_INSIDE = '\\\\\\"'
"""An escaped quote in a string, escaped again: then so was every backslash."""
_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def bracket_of_escaped(text: str, start: int) -> int:
    """The place of the bracket of the object or list that may begin, inside a string, at `start`; -1 if none does."""
    found = _TO_BRACKET.match(text, start)
    return found.start("bracket") if found else -1


def _may_be_single(decoded: str) -> bool:
    r"""Whether an escape in decoded JSON would be a command: then perhaps only the quotes had been escaped.

    Nobody writes backspaces and form feeds, `\b` and `\f`.
    """
    if "\\" not in decoded:
        return False
    single = decoded.replace("\\\\", "")
    return "\\b" in single or "\\f" in single or COMMAND.search(single) is not None


class Found(NamedTuple):
    """A value in an escaped text, with the quotes around it, or why it is none."""

    start: int
    end: int
    data: Any = None
    edits: Edits = ()
    problem: Problem | None = None
    cut: bool = False


class EscapedText:
    """A text, from where an escaped object opens to the first quote without a backslash, decoded as a string.

    Attributes:
        start: offset of the bracket, or of the escaped quotes before it.
        end: offset of the quote without a backslash, or the length of the text.
    """

    def __init__(self, text: str, start: int, scanner_of: Callable[[str], ValueScanner], *, salvage: bool) -> None:
        self.start = start = _INNER_QUOTES.search(text, max(0, start - MARGIN_LIMIT), start).start()  # type: ignore[union-attr]  # it matches the empty text too
        self.end = TO_PLAIN_QUOTE.match(text, start).end()  # type: ignore[union-attr]  # it matches the empty text too
        self._text = text
        self._salvage = salvage
        self._places, self._bad = Places(start), array("q")
        self._decoded = _ESCAPE.sub(self._decode, text[start : self.end])
        self._scanner = scanner_of(self._decoded)

    def value_at(self, start: int) -> Found:
        """The object or list whose bracket is at `start`."""
        value = self._scanner.value_at(self._places.inside(start))
        if value is None:
            return self._refused(start, ESCAPED_UNREADABLE)
        value = self._scanner.decoded(value)
        if value.problem:
            return self._refused(start, value.problem.reason, value.problem)
        begin, end = self._places.outside(value.start), self._places.outside(value.end)
        opens = _OPENS.search(self._text, max(0, begin - MARGIN_LIMIT), begin)
        closes = _CLOSES.match(self._text, end)
        if opens and not closes and self.end == len(self._text):
            if not self._salvage:
                return self._refused(start, TRUNCATED)
            return self._found(opens.start(), self.end, value, cut=True)
        if bool(opens) is not bool(closes):
            return self._refused(start, ESCAPED_UNREADABLE)
        return self._found(opens.start() if opens else begin, closes.end() if closes else end, value)

    def _found(self, start: int, end: int, value: Value, *, cut: bool = False) -> Found:
        if _IN_CODE.search(self._text, max(0, start - MARGIN_LIMIT), start):
            return self._refused(start, PART_OF_MORE)
        bad = bisect_left(self._bad, start)
        if bad < len(self._bad) and self._bad[bad] < end:
            return self._refused(start, ESCAPED_UNREADABLE)
        is_whole = self._text.find(_QUOTE_INSIDE, start, end) >= 0
        if not is_whole and _may_be_single(EditedText(self._decoded, value.start, value.end, value.edits).text):
            return self._refused(start, TWO_ESCAPE_READINGS)
        whole = Edit(start, end - start, self._decoded[value.start : value.end], RepairKind.ESCAPED_JSON)
        moved = (edit._replace(offset=self._places.outside(edit.offset)) for edit in named(value.edits))
        return Found(start, end, value.data, (whole, *moved), cut=cut or value.cut)

    def _refused(self, start: int, reason: Reason, problem: Problem | None = None) -> Found:
        offset = self._places.outside(problem.offset) if problem else start
        if reason is TRUNCATED:
            over = _OVER.match(self._text, self.end)
            reason, offset = (TRUNCATED, len(self._text)) if over else (ESCAPED_UNREADABLE, start)
        other = self._places.outside(problem.other) if problem and problem.other is not None else None
        return Found(start, self.end, problem=Problem(offset, reason, other))

    def _decode(self, escape: re.Match[str]) -> str:
        """One escape as JSON decodes it, noted with its place; what JSON does not know stays as it is."""
        kind = escape.lastgroup
        if kind == "sign":
            put = _CONTROL.get(escape["sign"], escape["sign"])
        elif kind == "code":
            put = chr(int(escape["code"][1:], 16))
        elif kind == "pair":
            high, low = escape["pair"][1:5], escape["pair"][7:]
            put = bytes.fromhex(high + low).decode("utf-16-be")
        else:
            if kind:
                self._bad.append(self.start + escape.start())
            return escape.group()
        self._places.replaced(self.start + escape.start(), self.start + escape.end(), 1)
        return put
