"""Where a string ends: all its quotes are looked at together, and each is its end or text.

The first quote with structure behind it, before which the quotes that are then text pair up, is the end. A quote that
pairs with nothing, a closing quote that is missing, and one of another sort have witnesses of their own; where they
fail, the string has two readings and the text is refused.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import islice

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import TRUNCATED, TWO_READINGS
from src.shared.domain.reading.dialect import BARE, CURLY, QUOTING, SINGLE, requoted
from src.shared.domain.reading.machine import Machine, Refusal
from src.shared.domain.reading.quotes import (
    AFTER_KEY, QUOTED_KEY, Follow, Followed, Quoted, ends_before, followed, is_end, is_inches, is_neutral,
)  # fmt: skip
from src.shared.domain.reading.reading import NO_COMMA, NO_STRING_END, NO_VALUE
from src.shared.domain.reading.signs import (
    ANY_QUOTE, BLANK, BRACKETS, CLOSE, CLOSERS, CLOSER_OF, CLOSING, CLOSING_QUOTES, COLONS, COLON_LIKE, COMMAS, FENCE,
    HALVES, MARGIN, NAME_SIGN, OPEN, OPENING, OPENING_QUOTES, OTHER_ENDS, QUOTES, SCALARS, closers_in,
)  # fmt: skip
from src.shared.domain.reading.vetoes import (
    DIVISION, FOREIGN_VETOES, KEY_VETOES, LAST_VETOES, MEMBER_IN_KEY, UNCLOSED_VETOES, VETOES, Veto, ends_text, half_of,
    half_open, has_odd_apostrophe, stray,
)  # fmt: skip
from src.shared.domain.repair import RepairKind
from src.shared.domain.shown_end import shows_end
from src.shared.domain.strict_json import decode_at

MOST_QUOTES = 2_000
"""Most quotes of one string."""
_LOOK = 300
"""Units of work of a look at a quote inside a string that has many: other objects may begin in it, and look again."""
_TO_THE_END = 4
"""Units of work for each character from a quote to the end of the text, which nothing ends: another may open behind."""
_UNCHARGED = 8
"""Quotes of a string that are looked at before that is charged."""
MOST_MARKS = 20
"""Most marks that are looked at behind a string without an end."""
MOST_LATER_QUOTES = 200
"""The same where another end than the first one is looked for."""
MOST_IN_VAIN = 32
"""Most strings of a text for which another end is looked for and not found."""
_FEW = 8
"""Edits in a row that stand before a string: then all before them do."""
_MANY = 4
"""Edits of a text before strings with words in quotes are passed over: their expression is worth being compiled."""
KEY_LENGTH = 300
"""Most characters of a key."""
_NO_KEY = rf"{OPENING_QUOTES}{CLOSING_QUOTES}{COLONS}{COMMAS}=\n{BRACKETS}"
_KEY_SIGN = rf"(?P<sign>[{OPENING_QUOTES}{CLOSING_QUOTES}]?)(?=\s{{0,10}}{COLON_LIKE}"
_OPEN_KEY = expression(rf"{ANY_QUOTE}(?P<key>[^{_NO_KEY}]{{1,100}}?){_KEY_SIGN})")
"""A key without its closing quote, or with another for it."""
_SIGN_OF_KEY = expression(rf"\s{{0,10}}{COLON_LIKE}(?=[{OPENING_QUOTES}])")
_COLON_KEY = expression(
    rf"{ANY_QUOTE}(?P<key>[^{_NO_KEY}]{{1,60}}?(?:[{COLONS}](?=[\w/])[^{_NO_KEY}]{{1,60}}?){{1,3}}){_KEY_SIGN}(?![\w/]))"
)
"""The same with colons in it, behind each of which a word goes on."""
_TWICE = expression(
    r"''(?P<text>(?![',:}\] \n])[^'\n\\]*+" + repeated(r"'(?!')[^'\n\\]*+") + rf")''(?=\s*+[{COMMAS}{COLONS}}}\]])"
)
"""A string between two quotes on each side, as Pascal and YAML have it."""
_PLUS = expression(r"\s*+(?P<plus>\+)\s*+(?:(?P<quote>[\"'])|(?=\w*+\s*+(?:[,}\]]|\Z)))")
_STRAY = expression(rf"['’”`](?=\s{{0,{MARGIN}}}[{COMMAS}}}\]]|{BLANK}*+\n)")
"""A quote behind the string's own."""
_WHOLE = expression(r"\s*+(?P<quote>[\"'])" + repeated(r"(?!(?P=quote))[^\n]") + r"(?P=quote)")
_BEGUN_AGAIN = expression(r"\n\s*+[„‟‚「『«]")
"""A line that begins with a quote that never closes a string."""
_KINDS = {"'": RepairKind.SINGLE_QUOTE, "`": RepairKind.SINGLE_QUOTE}
_QUOTE_SLIPS = frozenset({RepairKind.MISSING_QUOTE, RepairKind.STRAY_QUOTE})
_HABITS = {"'": SINGLE, "“": CURLY}
_NO_WORDS = expression(r"(?P<blank>\s*+)[^\w\s\"'" + COMMAS + r"][^\w\"'\n]*+")
"""Signs between two quotes, which stand for no comma that is known."""

# --- a key ---


def key(m: Machine, opened: int) -> int:
    """The end of a key that opens there; its edits are noted.

    Raises:
        Refusal: it may end in two places, or nowhere.
    """
    text, quote = m.text, m.text[opened]
    if quote == "'" and (end := _put_twice(m, opened)):
        return end
    line_end = text.find("\n", opened)
    limit = min(len(text) if line_end < 0 else line_end, opened + KEY_LENGTH)
    string = Quoted(text, opened, "{", len(m.stack), m.habits)
    for at in closers_in(text, quote, opened + 1, limit):
        string.end = at
        if text[at] == "\\":
            continue
        name = _behind_key(string)
        again = text.find(quote, opened + 1, at) if "\\" not in text[opened:at] else -1
        if not string.inner and (again > 0 or name != "colon") and not (name and text[at - 1] in COLONS):
            closed = _open_key(text, opened, at + 1)
            if closed and closed.end() < at:
                return _put_open_key(m, closed, again if again > 0 else at)
        if name:
            return _key_ended(m, string)
        string.take(at)
    closed = None if string.inner else _open_key(text, opened)
    if closed:
        return _put_open_key(m, closed, closed.end())
    if limit == len(text) and text.rstrip()[-1:] not in CLOSERS:
        raise Refusal(limit, TRUNCATED)
    behind = _NO_WORDS.match(text, string.inner[0] + 1) if string.inner else None
    if behind and text[behind.end("blank")] not in ";；":
        raise Refusal(behind.end("blank"), NO_VALUE)
    raise Refusal(opened, TWO_READINGS)


def _open_key(text: str, opened: int, limit: int = sys.maxsize) -> re.Match[str] | None:
    return _COLON_KEY.match(text, opened, limit) or _OPEN_KEY.match(text, opened, limit)


def _behind_key(string: Quoted) -> str | None:
    """Whether a colon stands behind a quote, or a value at once; None for neither."""
    text, at = string.text, string.end
    behind = AFTER_KEY.match(text, at + 1)
    if behind is None or behind.lastgroup == "colon":
        return behind and behind.lastgroup
    is_beside = text[at + 1 : at + 2] == '"' and text[at - 1] not in COLONS
    is_edge = text[at - 1].isspace() or at == string.opened + 1
    return None if string.inner or is_edge or is_beside or QUOTED_KEY.match(text, at) else behind.lastgroup


def is_end_of_key(text: str, at: int) -> bool:
    """Whether a quote right behind a key, with a blank or a sign behind it, may be the key's own, or one too many."""
    behind = text[at + 1 : at + 2]
    return text[at] in QUOTES and (behind.isspace() or behind in {*COLONS, *COMMAS, *";；"})


def _put_open_key(m: Machine, closed: re.Match[str], at: int) -> int:
    """A key without its closing quote ends before its colon."""
    between = m.text[closed.end() : at].lstrip(f"{COLONS} \t=>-").rstrip(" \t")
    if closed.end() < at and between and between[0] not in "{[" and between[-1] not in f"{COMMAS}}}]｝］\n":
        raise Refusal(closed.start(), TWO_READINGS, at)
    sign = _SIGN_OF_KEY.match(m.text, closed.end())
    if sign and not closed["sign"] and is_end_of_key(m.text, sign.end()):
        raise Refusal(closed.start(), TWO_READINGS, sign.end())
    put(m, closed.start(), closed.end("key"), len(closed["sign"]))
    return closed.end()


def _key_ended(m: Machine, string: Quoted) -> int:
    text, opened, end = m.text, string.opened, string.end
    if len(string.inner) == 1 and string.quote == '"' and string.inner[0] in (opened + 1, end - 1):
        is_first = string.inner[0] == opened + 1
        start, to = (opened + 2, end) if is_first else (opened + 1, end - 1)
        if not text[start:to].strip() or half_open(text, start, to) or (is_first and is_inches(text, to)):
            raise Refusal(opened, TWO_READINGS, end)
        if not is_inches(text, to):
            m.edit(opened + 1 if is_first else end, 1, "", RepairKind.STRAY_QUOTE)
            return end + 1
    elif string.quote == '"' and string.inner == [opened + 1, end - 1] and text[opened + 2 : end - 1].strip():
        m.edit(opened + 1, 1, "", RepairKind.STRAY_QUOTE)
        m.edit(end, 1, "", RepairKind.STRAY_QUOTE)
        return end + 1
    elif any(veto.speaks(string) for veto in KEY_VETOES):
        raise Refusal(string.inner[0] if string.inner else end, TWO_READINGS, opened)
    elif MEMBER_IN_KEY.search(string.body) and _has_other_end(m, string):
        raise Refusal(opened, TWO_READINGS, end)
    put(m, opened, end, 1, string.inner)
    if string.quote in _HABITS:
        m.habit(_HABITS[string.quote])
    return end + 1


def _has_other_end(m: Machine, string: Quoted) -> bool:
    """Whether a key ends with a quote of another sort than it begins, or quotes are missing or surplus before it."""
    is_mixed = string.text[string.end] not in (string.quote, HALVES.get(string.quote, "")[:1])
    return is_mixed or any(edit.kind in _QUOTE_SLIPS for edit in m.edits[-_FEW:])


def _put_twice(m: Machine, opened: int) -> int:
    """The end of a string between two quotes on each side; 0 where it is none."""
    twice = _TWICE.match(m.text, opened)
    if twice is None:
        return 0
    before = m.text[max(0, opened - BEFORE_LIMIT) : opened].rstrip(f"{COMMAS}{COLONS} \t\n")
    is_single = (before.endswith('"') and not before.endswith('""')) or (SINGLE in m.habits and m.stack[-1].kind == "[")
    if '"' in twice["text"] or is_single or DIVISION.search(twice["text"]):
        raise Refusal(opened, TWO_READINGS)
    put(m, opened, twice.end() - 2, 2)
    return twice.end()


# --- a value ---


def value(m: Machine, opened: int, place: str) -> int:
    """The end of a string that opens there as a value in an object `{`, a list `[` or a tuple `(`; its edits are noted.

    Raises:
        Refusal: it may end in two places, or nowhere.
    """
    text, quote = m.text, m.text[opened]
    if quote in "\"'" and text.startswith(quote * 3, opened):
        end = text.find(quote * 3, opened + 3)
        while end >= 0 and text.startswith(quote, end + 3):
            end += 1
        body = text[opened + 3 : end]
        is_more = body.lstrip()[:1] in {*COMMAS, *CLOSERS} or ends_text(body)
        if end < 0 or is_more or quote * 2 in body or quote == body[:1] not in body[1:]:
            raise Refusal(opened, TWO_READINGS)
        put(m, opened, end, 3)
        return end + 3
    if quote == "'" and (end := _put_twice(m, opened)):
        return end
    if quote in '"“' and text[opened + 1 : opened + 2] in ("{", "[") and (end := _json_inside(m, opened, place)):
        return end
    return _String(m, opened, place).decide()


def later_end(m: Machine, opened: int, after: int, place: str) -> int:
    """The next end of a string whose first one was none; -1 where there is none.

    Of the edits only those before the string remain where it has one.
    """
    if m.in_vain >= MOST_IN_VAIN:  # pragma: no cover - a guard of the time: no text is known to come here
        return -1
    edits = m.edits
    first = len(edits)
    while first and any(edit.offset >= opened for edit in edits[max(0, first - _FEW) : first]):
        first = max(0, first - _FEW)
    before = edits[first:]
    edits[first:] = [edit for edit in before if edit.offset < opened]
    try:
        return _String(m, opened, place, after).decide()
    except Refusal:
        m.in_vain += 1
        edits[first:] = before
        return -1


def may_go_on(m: Machine) -> bool:
    """Whether the last string may go on behind its comma: a quote in it is open, or the last one is inches."""
    text, start, comma = m.text, m.last, m.stack[-1].comma
    if start < 0 or comma < start or text[start] != '"':
        return False
    end = text.rfind('"', start + 1, comma)
    is_odd = text.count('\\"', start, end) % 2 == 1 and text[start + 1 : start + 3] != '\\"'
    return end > 0 and (is_odd or is_inches(text, end))


def refuse_rest_of_text(m: Machine, at: int) -> None:
    """Refuse a last quote without a first one behind a text of its container that has only its first: both may be its.

    Raises:
        Refusal: they may be.
    """
    if m.unclosed > m.stack[-1].opened:
        raise Refusal(m.unclosed, TWO_READINGS, at)


def _json_inside(m: Machine, opened: int, place: str) -> int:
    """The end of JSON that was written into a string without escapes; 0 where it is none."""
    text = m.text
    try:
        end = decode_at(text, opened + 1).end
    except (ValueError, RecursionError):
        return 0
    if text[end : end + 1] not in tuple(QUOTES[text[opened]]) or not is_end(text, end, place):
        return 0
    inner = [at for at in closers_in(text, '"', opened + 1, end) if text[at] == '"']
    if not inner:
        return 0
    put(m, opened, end, 1, inner)
    return end + 1


def _check(string: Quoted, vetoes: Sequence[Veto]) -> None:
    """Refuse the end of a string against which a veto speaks."""
    if any(veto.speaks(string) for veto in vetoes):
        raise _two_readings(string, string.inner[0] if string.inner else string.end)


def _two_readings(string: Quoted, at: int) -> Refusal:
    """The readings part at a quote that ends the string in one of them; of two beside each other, at the second.

    Behind one with nothing but unknown signs up to the next, there is one reading: a comma is missing.
    """
    behind = _NO_WORDS.match(string.text, string.inner[0] + 1) if string.inner else None
    if behind and behind.end() in (*string.inner[1:2], string.item, string.end):
        return Refusal(behind.end("blank"), NO_COMMA)
    if string.end == string.opened + 1:
        at = string.opened
    return Refusal(at + 1 if at + 1 in string.inner[:2] else at, TWO_READINGS, string.opened)


class _String(Quoted):
    """A string of which it is decided which of its quotes ends it; not one up to `after`."""

    def __init__(self, m: Machine, opened: int, place: str, after: int = -1) -> None:
        super().__init__(m.text, opened, place, len(m.stack), m.habits)
        self.m, self.after = m, after
        self.joints: list[tuple[int, int]] = []
        self.failed = self.skip = self.odd = -1

    def decide(self) -> int:
        """The offset behind the string; its edits are noted.

        Raises:
            Refusal: it may end in two places, or nowhere.
        """
        try:
            return self._end()
        finally:
            looks = len(self.inner) - _UNCHARGED
            if looks > 0 and self.m.work is not None:
                self.m.work.spend(_LOOK * looks)

    def _end(self) -> int:
        text = self.text
        for at in closers_in(text, self.quote, self.opened + 1):
            if at < self.skip:
                continue
            if text[at] == "\\":
                if text[at + 1] == self.quote:
                    self.take_escaped(at + 1)
                continue
            if self.failed >= 0 and "\n" in text[self.failed : at]:
                break
            self.end = at
            if at > self.after and (end := self._end_here()):
                return end
            if at <= self.after or not self._is_joint(at):
                self.take(at)
            if len(self.inner) > (MOST_QUOTES if self.after < 0 else MOST_LATER_QUOTES):
                break
        return self._end_without_quote()

    def _end_here(self) -> int:
        """The end of the string if it ends at this quote, or before it; 0 where it does not."""
        behind = followed(self.text, self.end + 1, self.place)
        end = 0
        if not ends_before(self, behind):
            is_apostrophe = self.quote == "'" and is_neutral(self.text, self.end, -1)
            end = 0 if is_apostrophe else _end_without_own(self)
        elif behind.name is Follow.END and not self.m.finished:
            raise Refusal(len(self.text), TRUNCATED)
        elif behind.name is not Follow.WEAK or self.failed < 0:
            end = self._end_if_paired(behind)
        return end or self._before_stray()

    def _end_if_paired(self, behind: Followed) -> int:
        if self.pairs or self._pairs_on_lines(behind):
            if self.inner:
                _check(self, VETOES)
            elif self.quote != '"':
                _check(self, FOREIGN_VETOES)
            if _BEGUN_AGAIN.search(self.body) and self.quote in self.body:
                raise Refusal(self.opened, TWO_READINGS, self.end)
            return self._put(self.inner)
        if self.failed >= 0:
            return 0
        self.failed, self.odd = self.end, self.pairing.odd
        place = stray(self)
        if place is None:
            return 0
        if place < 0:
            return self._put(self.inner)
        if place == self.end:
            refuse_rest_of_text(self.m, place)
        elif self.place != "{":
            self.m.unclosed = self.opened
        self.m.edit(place, 1, "", RepairKind.STRAY_QUOTE)
        return self._put([])

    def _pairs_on_lines(self, behind: Followed) -> bool:
        """Whether a key on a line of its own follows, and on each line of the text the quotes are in pairs."""
        text, inner = self.text, self.inner
        is_before_line = "\n" in text[self.end : behind.start] and text.startswith('"', behind.start)
        if not is_before_line or self.quote != '"' or self.place != "{" or len(inner) % 2:
            return False
        inside = [text[first + 1 : second] for first, second in zip(inner[::2], inner[1::2], strict=True)]
        return all(part.strip() and "\n" not in part for part in inside)

    def _before_stray(self) -> int:
        """The end of a string behind whose own quote another stands that pairs with nothing."""
        sign = None if self.inner or not self.body else _STRAY.match(self.text, self.end + 1)
        if sign is None or has_odd_apostrophe(self.body) or half_open(self.text, self.opened + 1, self.end):
            return 0
        refuse_rest_of_text(self.m, self.end)
        self.m.edit(self.end + 1, 1, "", RepairKind.STRAY_QUOTE)
        self._put([])
        return sign.end()

    def _is_joint(self, at: int) -> bool:
        """Whether the string is added to another one there."""
        plus = None if self.inner else _PLUS.match(self.text, at + 1)
        if plus is None:
            return False
        if not plus["quote"]:
            raise Refusal(plus.start("plus"), NO_COMMA)
        if plus["quote"] != self.quote:
            return False
        self.joints.append((at, plus.end()))
        self.skip = self.joined = plus.end()
        return True

    def _put(self, inner: Sequence[int]) -> int:
        put(self.m, self.opened, self.end, 1, inner, self.joints)
        if inner and self.quote == '"' and len(self.m.edits) > _MANY:
            self.m.habit(QUOTING)
        elif not inner and self.quote in _HABITS:
            self.m.habit(_HABITS[self.quote])
        return self.end + 1

    def _end_without_quote(self) -> int:
        """The end of a string that no quote ends; refuse where it has none, or two."""
        if self.m.work is not None:
            self.m.work.spend(_TO_THE_END * (len(self.text) - self.opened))
        if self.failed < 0:
            if end := _end_before_brackets(self):
                return end
            if not self.m.finished and _is_cut(self):
                raise Refusal(len(self.text), TRUNCATED)
        if not self.inner:
            is_closed = self.text.rstrip()[-1:] in CLOSERS
            raise Refusal(self.opened, TWO_READINGS if is_closed else NO_STRING_END)
        odd = self.odd if self.odd >= 0 else self.pairing.odd
        raise _two_readings(self, odd if odd >= 0 else self.inner[0])


def _is_cut(string: _String) -> bool:
    """Whether the text ends in a string, and no mark behind it shows that it was over before."""
    text, start = string.text, string.m.start
    if string.inner and text.rstrip()[-1:] in CLOSERS:
        return False
    marks = islice(MARKS_AFTER.finditer(text, (string.inner or [string.opened])[-1]), MOST_MARKS)
    return not any(shows_end(text, start, mark.start(), finished=False) for mark in marks)


# --- a string without its closing quote ---

_BEFORE_ITEM = expression(rf"(?P<sign>[\"{OTHER_ENDS}]?)(?:\s*+[{COMMAS};；]\s*+|{BLANK}*+\n\s*+)\Z")
"""The end of a string whose own quote is missing: another sign perhaps, and a comma or a line end."""
_BEFORE_LINES = expression(
    rf"[^\n{COMMAS}]*+ "
    + repeated(rf"[{COMMAS}](?!{BLANK}*+\n)[^\n{COMMAS}]*+")
    + rf" (?P<comma>[{COMMAS}]) {BLANK}*+ \n \s*+"
    + repeated(
        rf"{SCALARS} \s*+ (?: [{COMMAS}] | (?= [\]}}] ) ) \s*+ | [{{\[] \s*+ | [\]}}] \s*+ [{COMMAS}]?+ \s*+", "+"
    )
    + r"\Z",
    re.VERBOSE,
)
"""The line of an element whose quote is missing, and lines of numbers, literals and brackets behind it."""
_NEXT_ROW = expression(rf"\s*+{CLOSE}[\s{CLOSING}]*+[{COMMAS}]\s*+{OPEN}[\s{OPENING}]*+\Z")
"""The brackets between two rows, behind a string whose own quote is missing."""
_OTHER_END = expression(
    rf"(?P<sign>[{OTHER_ENDS}])(?=\s{{0,{MARGIN}}}(?:[{COMMAS}](?=\s*+(?:[\"“'\n\[{{}}\]]|\d|{SCALARS}))|[}}\]](?![^\s{COMMAS}}}\]`~<.。;；)])))"
)
"""A quote of another sort, and structure behind it."""
_BARE_LINE = expression(rf"{BLANK}*+{NAME_SIGN}{{1,60}}+" + repeated(rf"(?P<colon>{BLANK}*+[{COLONS}]{BLANK}*+)", "?"))
"""A line that begins with a bare key, and its colon perhaps."""
_TAIL = expression(rf"[^\s{CLOSING}](?P<run>\s*+{CLOSE}[\s{CLOSING}]*+)(?=\Z|{FENCE})")
"""Brackets behind which the text or its fence ends."""
_ONLY_BRACKETS = expression(rf"[\s{CLOSING}]*+(?>(?:{FENCE})?)\s*+\Z")
"""Nothing but brackets up to the end."""
MARKS_AFTER = expression(rf"{FENCE}|</|<\||\[/")
"""What ends a text that goes on."""
_DOUBLE_ENDS = frozenset("”“＂")
BEFORE_LIMIT = 80
"""Most characters between the end of a string without its quote and the next item."""


def _end_without_own(string: _String) -> int:
    """The end of a string whose closing quote is missing, or of another sort, before the item at `end`; 0 for none."""
    text, opened, quote, string.item = string.text, string.opened, string.quote, string.end
    end, sign = _before_item(string)
    other = None if string.inner else _other_end(string, string.joined, string.item if end < 0 else end + 1)
    if other and (other.end() < end or _is_other_end(string, other)):
        end, sign = other.start(), other["sign"]
    if end <= string.after:
        return 0
    if string.inner and text.count("{", opened, end) > text.count("}", opened, end):
        return 0
    if sign == "`" and (text[end - 1] == "`" or text.count("`", opened, end) % 2):
        end, sign = end + 1, ""
    string.end, string.sign = end, sign
    _check(string, UNCLOSED_VETOES)
    if not sign:
        string.m.unclosed = opened
    if quote == '"' and string.body.endswith('\\"'):
        string.m.edit(end - 2, 2, '"', RepairKind.ESCAPED_JSON)
        return end
    put(string.m, opened, end, len(sign), string.inner)
    return end + len(sign)


def _before_item(string: _String) -> tuple[int, str]:
    """Where a string ends before the next item, and the sign there; -1 where no item begins at its quote."""
    text, at, opened = string.text, string.item, string.opened
    if string.place != "{":
        lines = None if string.inner else _BEFORE_LINES.match(text, opened + 1, at)
        whole = None if string.inner else _WHOLE.match(text, at)
        is_item = whole and followed(text, whole.end(), "[").name in (Follow.ELEMENT, Follow.CLOSE)
        if lines or not is_item:
            return lines.start("comma") if lines else -1, ""
    else:
        end = _before_line(string)
        if end >= 0 or not QUOTED_KEY.match(text, at):
            return end, ""
    window = max(string.inner[-1] + 1 if string.inner else opened + 1, at - BEFORE_LIMIT)
    row = _NEXT_ROW.search(text, window, at) if string.place == "{" and string.depth > 1 else None
    found = None if row else _BEFORE_ITEM.search(text, window, at)
    if found is None:
        return row.start() if row else -1, ""
    end, sign = found.start(), found["sign"]
    if sign == string.quote:
        return (end + 1 if text[end - 1] == "\\" else -1), ""
    while not sign and text[end - 1].isspace() and end > opened + 1:
        end -= 1
    return end, sign


def _before_line(string: Quoted) -> int:
    """Where a string ends before a line with a key without its quotes, or its first one; -1 where none is."""
    text, at = string.text, string.item
    line = text.rfind("\n", string.opened, at)
    bare = _BARE_LINE.fullmatch(text, line + 1, at) if line > 0 else None
    has_key = bare and (BARE in string.habits and not string.inner if bare["colon"] else AFTER_KEY.match(text, at + 1))
    if not has_key:
        return -1
    while text[line - 1] in f"{COMMAS} \t\n":
        line -= 1
    return line


def _other_end(string: Quoted, start: int, limit: int) -> re.Match[str] | None:
    """A quote of another sort before `limit`, and structure behind it, on the line on which a text in quotes begins."""
    other = _OTHER_END.search(string.text, start, limit + BEFORE_LIMIT) if string.quote == '"' else None
    is_beyond = other is None or other.start() >= limit or "\n" in string.text[string.opened : other.start()]
    return None if is_beyond else other


def _is_other_end(string: Quoted, other: re.Match[str]) -> bool:
    """Whether a quote of another sort is no half of a quotation inside."""
    text, start, end, sign = string.text, string.opened + 1, other.start(), other["sign"]
    is_half = half_of(sign, text, start, end) or half_open(text, start, end)
    return not is_half and text.find(sign, start, end) < 0


def _end_before_brackets(string: _String) -> int:
    """The end of the last string of a text, before nothing but brackets; 0 where more follows, or it may go on."""
    m, text, opened = string.m, string.text, string.opened
    if string.inner or string.place == "(":
        return 0
    other = _other_end(string, opened + 1, len(text))
    is_all = other is not None and other.start() == opened + 1 and other["sign"] == "“"
    if other and other["sign"] in _DOUBLE_ENDS and not is_all and _is_other_end(string, other):
        if not m.finished and not _ONLY_BRACKETS.match(text, other.end()):
            return 0
        put(m, opened, other.start(), 1)
        return other.end()
    tail = _TAIL.search(text, opened + 1)
    due, run = [CLOSER_OF[frame.kind] for frame in reversed(m.stack)], tail["run"] if tail else ""
    is_due = [CLOSERS[sign] for sign in run if sign in CLOSERS] == due
    if tail is None or not is_due or not (m.finished or MARKS_AFTER.match(text, tail.end())):
        return 0
    string.end = tail.start("run")
    if "\n" in string.body or any(veto.speaks(string) for veto in LAST_VETOES):
        return 0
    put(m, opened, string.end, 0)
    return string.end


def put(
    m: Machine, opened: int, end: int, closing: int, inner: Sequence[int] = (), joints: Sequence[tuple[int, int]] = ()
) -> None:
    """The edits of a string: its quotes, the quotes in it that are text, and its joints.

    Args:
        m: the machine.
        opened: where its opening quote stands.
        end: where its closing quote stands.
        closing: how many characters that has; the opening one has as many, and one where that is missing.
        inner: the quotes in it.
        joints: what stands between the strings that are added to each other, from quote to quote.
    """
    text, quote = m.text, m.text[opened]
    for start, to in joints:
        m.edit(start, to - start, "", RepairKind.STRING_CONCATENATION)
    if quote == '"' and closing <= 1:
        for at in inner:
            m.edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE)
        if not closing:
            m.edit(end, 0, '"', RepairKind.MISSING_QUOTE)
        elif text[end] != '"':
            m.edit(end, closing, '"', RepairKind.SMART_QUOTE)
        return
    kind = _KINDS.get(quote, RepairKind.SMART_QUOTE) if closing <= 1 else RepairKind.PYTHON_LITERAL
    inner = [at for at in inner if text[at] != '"']
    edits = list(requoted(text, opened, end, closing, kind))
    if (inner or joints or not closing) and len(edits) == 1:
        doubles = [Edit(at, 0, "\\") for at in range(opened + 1, end) if text[at] == '"']
        own = [Edit(at, 1, text[at], RepairKind.UNESCAPED_QUOTE) for at in inner]
        last = Edit(end, closing, '"', None if closing else RepairKind.MISSING_QUOTE)
        edits = [Edit(opened, 1, '"', kind), *sorted([*doubles, *own]), last]
    for edit in edits:
        m.edit(*edit[:4])
