r"""Decodes JSON that was written into something else, and maps every place back to the model's text.

- Written as a string: `"{\"a\": 1}"`, or `{\"a\": 1}` without the outer quotes. It is decoded by JSON's own rules, and
  has to be exactly one object: if it is cut off, or cannot be read, nothing inside it is an answer.
- Written for another format: HTML, a CSV cell, a Markdown quotation or list, a diff. The additions of that format are
  removed everywhere in the object. If a line of it lacks the mark that the others have, it is not decoded.

What was decoded is read like any other text.
"""

from __future__ import annotations

import html
import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from src.shared.domain.edits import Edit, EditedText, Places, named
from src.shared.domain.expression import expression, repeated
from src.shared.domain.latex import COMMAND, COMMAND_REST
from src.shared.domain.parse_reasons import (
    ESCAPED_UNREADABLE,
    PART_OF_MORE,
    TOO_DEEP,
    TRUNCATED,
    TWO_ESCAPE_READINGS,
    Reason,
)
from src.shared.domain.reading.openings import ESCAPED_LINES, ESCAPED_MARGIN, KEY_LIMIT, LINE_LIMIT
from src.shared.domain.reading.reading import Problem, Value
from src.shared.domain.reading.signs import BLANK, CODE_UNIT, HEX, JSON_ESCAPE, JSON_LITERAL, SURROGATES
from src.shared.domain.repair import RepairKind
from src.shared.domain.work import STEP, Work

MAX_LEVELS = 3
"""So many times an object may have been written as a string, one inside the other; more is refused."""
MARGIN_LIMIT = 64
"""Characters before an escaped object searched for the quote that opens its string."""
_TO_BRACKET = expression(repeated(rf'\\*+"{ESCAPED_MARGIN}') + rf"(?P<bracket>\{{|\[{ESCAPED_MARGIN}\{{)")
_INNER_QUOTES = expression(repeated(rf'\\++"{ESCAPED_MARGIN}') + r"\Z")
_OPENS = expression(rf'(?<!\\)"{ESCAPED_MARGIN}\Z')
_CLOSES = expression(rf'{ESCAPED_MARGIN}"')
_OVER = expression(r'"?\s*+\Z')
_TO_PLAIN_QUOTE = expression(r'[^"\\]*+' + repeated(r'\\.[^"\\]*+'), re.DOTALL)
"""To the next quote that no backslash escapes."""
_IN_CODE = expression(r"[=(,]\s*+[\"']?\Z")
"""What says that a string is an argument of a call or assigned to a name, and so part of a program."""
_JSON_ESCAPE = expression(
    rf"""\\(?:(?P<pair>{SURROGATES})|(?P<code>{CODE_UNIT})|(?P<sign>["\\/bfnrt])|(?P<bad>[^']|\Z)|')""", re.DOTALL
)
_QUOTE_INSIDE = '\\\\\\"'
"""An escaped quote in a string, escaped again: then so was every backslash."""
_JSON_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


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


Values: TypeAlias = Callable[[str], Callable[[int], Value | None]]
"""For a decoded text, what reads the value that opens at a place of it."""


class EscapedText:
    """A text, from where an escaped object opens to the first quote without a backslash, decoded as a string.

    Attributes:
        start: offset of the bracket, or of the escaped quotes before it.
        end: offset of the quote without a backslash, or the length of the text.
    """

    def __init__(self, text: str, start: int, values_of: Values, *, salvage: bool) -> None:
        self.start = start = _INNER_QUOTES.search(text, max(0, start - MARGIN_LIMIT), start).start()  # type: ignore[union-attr]  # it matches the empty text too
        self.end = _TO_PLAIN_QUOTE.match(text, start).end()  # type: ignore[union-attr]  # it matches the empty text too
        self._text = text
        self._salvage = salvage
        self._places, self._bad = Places(start), array("q")
        self._decoded = _JSON_ESCAPE.sub(self._decode, text[start : self.end])
        self._value_at = values_of(self._decoded)

    def value_at(self, start: int) -> Value:
        """The object or list whose bracket is at `start`, with the quotes around it."""
        value = self._value_at(self._places.inside(start))
        if value is None:
            return self._refused(start, ESCAPED_UNREADABLE)
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

    def _found(self, start: int, end: int, value: Value, *, cut: bool = False) -> Value:
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
        return Value(start, end, value.data, (whole, *moved), cut=cut or value.cut, damaged=True)

    def _refused(self, start: int, reason: Reason, problem: Problem | None = None) -> Value:
        offset = self._places.outside(problem.offset) if problem else start
        if reason is TRUNCATED:
            over = _OVER.match(self._text, self.end)
            reason, offset = (TRUNCATED, len(self._text)) if over else (ESCAPED_UNREADABLE, start)
        other = self._places.outside(problem.other) if problem and problem.other is not None else None
        return Value(start, self.end, None, problem=Problem(offset, reason, other), damaged=True)

    def _decode(self, escape: re.Match[str]) -> str:
        """One escape as JSON decodes it, noted with its place; what JSON does not know stays as it is."""
        kind = escape.lastgroup
        if kind == "sign":
            put = _JSON_CONTROL.get(escape["sign"], escape["sign"])
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


_ENTITY = expression(rf"&(?:#\d{{1,7}}|#[xX]{HEX}{{1,6}}|[A-Za-z]{{2,8}});")
_OTHER_ENTITY = expression(r"&(?!quot;|apos;|#34;|#39;|#[xX]2[27];)(?:#[\dxX]|[A-Za-z]{2,8};)")
_RAW_TAG = expression(r"[<>]")
"""With this in it only the quotes were encoded, and another entity is one of the text's own."""
_OPENED = repeated(r"\[\s*+", "?") + r"\{\s*+"


@dataclass(frozen=True, slots=True)
class Encoding:
    """What another format makes of an object.

    Attributes:
        kind: what a trace calls it.
        opens: what the object begins with.
        added: what the format added to the text.
        put: what stood there before.
        is_whole: whether nothing in the object is evidence against it.
        before: what the line has before the object, if the format marks that line too.
        after: what has to follow the object, if anything has to.
    """

    kind: RepairKind
    opens: re.Pattern[str]
    added: re.Pattern[str]
    put: Callable[[re.Match[str]], str]
    is_whole: Callable[[str], bool]
    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None

    def matches(self, text: str, start: int) -> bool:
        """Whether an object of this format may open there."""
        if not self.opens.match(text, start):
            return False
        line_before = text[text.rfind("\n", max(0, start - LINE_LIMIT), start) + 1 : start]
        return self.before is None or self.before.match(line_before) is not None


def _count(expression: re.Pattern[str], raw: str) -> int:
    """How often it matches; a list of what it matches would take many times the text."""
    return sum(1 for _ in expression.finditer(raw))


def _marked(mark: str) -> Encoding:
    """A quotation, a diff, comments: a mark before every line of the object, the first one included.

    A blank after it belongs to the mark if it is on every line that is not empty.
    """
    sign = re.escape(mark.rstrip()) + (r"(?: |(?=\n))" if mark.endswith(" ") else "")
    added = expression(rf"\n{BLANK}*+{sign}")
    return Encoding(
        RepairKind.MARKUP,
        expression(rf"[{{\[]{BLANK}*+\n{BLANK}*+{sign}"),
        added,
        lambda _: "\n",
        lambda raw: raw.count("\n") == _count(added, raw),
        expression(rf"{BLANK}*+{sign}"),
    )


def _bullets(mark: str) -> Encoding:
    """A bullet before every member or element; before a number `-` may be its sign."""
    sign = re.escape(mark)
    item = r"(?=[\"'“{\[])" if mark == "-" else r"(?=[\"'“{\[\d\-tfn])"
    added = expression(rf"\n{BLANK}*+{sign}{BLANK}++{item}")
    closers = expression(rf"\n{BLANK}*+(?=[}}\]])")
    return Encoding(
        RepairKind.MARKUP,
        expression(rf"[{{\[]{BLANK}*+\n{BLANK}*+{sign}{BLANK}++{item}"),
        added,
        lambda _: "\n",
        lambda raw: raw.count("\n") == _count(added, raw) + _count(closers, raw),
    )


_HTML = Encoding(
    RepairKind.ESCAPED_JSON,
    expression(r"(?<!\")" + _OPENED + r"&(?:quot|#34|#[xX]22);"),
    _ENTITY,
    lambda entity: html.unescape(entity.group()),
    lambda raw: '"' not in raw and not (_RAW_TAG.search(raw) and _OTHER_ENTITY.search(raw)),
)
_BETWEEN_PARTS = expression(r"(?<=[{\[},\]])\s*+<br\s?/?>|<br\s?/?>(?=\s*+[}\]])")
_BREAK = expression(r"<br\s?/?>")
_LINES_OF_HTML = Encoding(
    RepairKind.MARKUP,
    expression(r"[{\[]\s*+<br\s?/?>"),
    _BREAK,
    lambda _: "\n",
    lambda raw: _count(_BREAK, raw) == _count(_BETWEEN_PARTS, raw),
)
_PYTHON_ESCAPE = expression(r"\\[\\'nrt]")
_PYTHON_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}


def _unescaped(escape: re.Match[str]) -> str:
    """What an escape of `repr` stands for."""
    return _PYTHON_CONTROL.get(escape.group()[1], escape.group()[1])


_AS_IN_JSON = expression(r'(?<!\\)\\["/bf]')
_ESCAPED_LINE_ENDS = Encoding(
    RepairKind.ESCAPED_JSON,
    expression(rf"(?<!')[{{\[]{ESCAPED_LINES}[\"'“{{\[]"),
    expression(rf"(?<=[{{\[,:]){BLANK}*+{ESCAPED_LINES}(?=[\"'“{{\[\d\-]|{JSON_LITERAL})|{ESCAPED_LINES}(?=[}}\]])"),
    lambda found: _PYTHON_ESCAPE.sub(_unescaped, found.group()),
    lambda raw: "\\\\" not in raw or _AS_IN_JSON.search(raw) is not None,
)
"""Only the line ends between the parts were escaped; in a string it comes to the same. A pair may say that more was."""
_CSV = Encoding(
    RepairKind.ESCAPED_JSON,
    expression(_OPENED + rf'""[^"\n]{{1,{KEY_LIMIT}}}+""\s*+[:=]'),
    expression('""'),
    lambda _: '"',
    lambda raw: '"' not in raw.replace('""', ""),
)
_PAIRS = {
    "'": expression(repeated(r"[^\\]++|\\[\\']")),
    '"': expression(repeated(r'[^\\"]++|\\[\\"]')),
}
"""The inside of a string in these quotes, as far as it matters."""
_REPR = expression(repeated(r"[^\\]++|\\[\\'nrt]"))
_SURELY_REPR = expression(rf"""\\(?:'|\\(?:"|u{HEX}{{4}}))|\A[{{\[][ ]*+\\n""")
_MEANS_OTHER = expression(rf"\\\\(?!{COMMAND_REST})[bfnrtu/\\]")
_OF_REPR = Encoding(
    RepairKind.ESCAPED_JSON,
    expression(r"(?<=')[{\[]"),
    _PYTHON_ESCAPE,
    _unescaped,
    lambda raw: _REPR.fullmatch(raw) is not None and _SURELY_REPR.search(raw) is not None,
)
"""What `repr` makes of a text, where something in it says so: JSON in quotes has no such escapes."""
_STRING_INSIDE = expression(repeated(rf"[^\"\\\x00-\x1f]++|{JSON_ESCAPE}"))
_OF_STRING = Encoding(
    RepairKind.ESCAPED_JSON,
    expression(r"(?<=\")[{\[]"),
    expression(JSON_ESCAPE),
    lambda escape: str(json.loads(f'"{escape.group()}"')),
    lambda raw: "\\" in raw and _STRING_INSIDE.fullmatch(raw) is not None,
    after=expression(rf'{ESCAPED_MARGIN}"'),
)
"""A string of JSON with an object in it whose own quotes are others, and need no escape: what `str` makes of a dict."""
_MARKS = ("> ", ">", "+ ", "+", "| ", "|", "- ", "# ", "// ", ">>> ")
ENCODINGS = (
    _OF_REPR,
    _OF_STRING,
    _HTML,
    _CSV,
    _LINES_OF_HTML,
    _ESCAPED_LINE_ENDS,
    *map(_marked, _MARKS),
    *map(_bullets, "-*•·"),
)
"""The formats that are known."""


def may_be_repr(text: str, start: int, end: int) -> bool:
    """Whether an object in quotes may be what `repr` makes of a text, and means something else as it stands."""
    pairs = _PAIRS.get(text[start - 1 : start])
    if pairs is None or text[start - 1] != text[end : end + 1] or text.find("\\", start, end) < 0:
        return False
    return bool(pairs.fullmatch(text, start, end) and _MEANS_OTHER.search(text, start, end))


class EncodedText:
    """A text from where an object of another format opens, without what that format added to it.

    Attributes:
        start: offset of the bracket.
    """

    def __init__(self, text: str, start: int, encoding: Encoding, values_of: Values) -> None:
        self.start = start
        self._text = text
        self._encoding = encoding
        self._places = Places(start)
        self._plain = self._without_added()
        self._value_at = values_of(self._plain)

    def value_at(self, start: int) -> Value | None:
        """The object whose bracket is at `start`; None if there is none that can be read."""
        value = self._value_at(self._places.inside(start))
        if value is None or value.problem or value.cut:
            return None
        end = self._places.outside(value.end)
        encoding = self._encoding
        if not encoding.is_whole(self._text[start:end]):
            return None
        if encoding.after and not encoding.after.match(self._text, end):
            return None
        whole = Edit(start, end - start, self._plain[value.start : value.end], encoding.kind)
        moved = (edit._replace(offset=self._places.outside(edit.offset)) for edit in named(value.edits))
        return Value(start, end, value.data, (whole, *moved), damaged=True)

    def _without_added(self) -> str:
        pieces, at = [], self.start
        for found in self._encoding.added.finditer(self._text, self.start):
            put = self._encoding.put(found)
            pieces += [self._text[at : found.start()], put]
            at = found.end()
            self._places.replaced(found.start(), at, len(put))
        return "".join([*pieces, self._text[at:]])


class RewrittenTexts:
    """What finds them in one text; what was decoded once is not decoded again.

    Attributes:
        level: how many strings the text itself stands in, each encoded in the next.
    """

    def __init__(self, text: str, work: Work, values_of: Values, *, level: int, salvage: bool) -> None:
        self.level = level
        self._text = text
        self._work = work
        self._values_of = values_of
        self._salvage = salvage
        self._escaped: EscapedText | None = None
        self._encoded: dict[Encoding, EncodedText] | None = None

    def escaped_at(self, start: int) -> Value:
        """The object or list that was written as the inside of a string."""
        if self.level == MAX_LEVELS:
            return Value(start, len(self._text), problem=Problem(start, TOO_DEEP), damaged=True)
        if self._escaped is None or not self._escaped.start <= start < self._escaped.end:
            self._escaped = EscapedText(self._text, start, self._values_of, salvage=self._salvage)
            self._work.spend(2 * (self._escaped.end - start))
        return self._escaped.value_at(start)

    def encoded_at(self, start: int) -> Value | None:
        """The object that was written for another format; None if there is none that can be read.

        No two formats of one kind can stand in each other, so that there is no level to count.
        """
        if self._encoded is None:
            self._work.spend(2 * (len(self._text) - start))
            self._encoded = {}
        else:
            self._work.spend(STEP)
        for encoding in ENCODINGS:
            if encoding.matches(self._text, start):
                known = self._encoded.get(encoding)
                if known is None or start < known.start:
                    known = self._encoded[encoding] = EncodedText(self._text, start, encoding, self._values_of)
                value = known.value_at(start)
                if value is not None:
                    return value
        return None
