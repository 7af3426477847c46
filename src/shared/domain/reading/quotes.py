"""What a quote in a string may be: its end, half of a quotation in the text, or a sign of the text by itself.

Two things are looked at. What stands behind a quote gets a name (`Follow`), and its row says when that is a sign that
the string ends here. And the quotes before it have to pair up: by what stands on both sides of it a quote may open an
inner quotation or close one, as in Markdown, and some are no quotes at all: an apostrophe, inches, code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.reading.dialect import BARE, COLONLESS
from src.shared.domain.reading.signs import (
    ANY_QUOTE, BLANK, COLONS, COLON_LIKE, COMMAS, CURLY_STRING, FENCE, ITEM_END, NAME_SIGN, NEAR_GAPS, ONE_LINE_STRING,
    OPEN, OPENING, QUOTED, SCALARS, SEPARATORS, SINGLE_STRING,
)  # fmt: skip

QUOTED_KEY = expression(rf"(?:{QUOTED})\s*+[{COLONS}]")
AFTER_KEY = expression(rf"""{NEAR_GAPS} (?:
      (?P<colon> {COLON_LIKE} )
    | (?P<nocolon> ["'“{OPENING}] | {SCALARS} (?= \s*+ [{COMMAS};；}}] | {BLANK}*+ \n ) )
    )""", re.VERBOSE | re.DOTALL)  # fmt: skip
"""What stands behind a key: its colon, or a value at once."""

# --- what stands behind a quote ---


Follow = StrEnum(
    "Follow",
    "NOTHING SURE ELEMENT WEAK BARE_KEY STRAYED_KEY KEY_AT_ONCE KEY_WITHOUT_COLON SEMICOLON CLOSE OTHER_CLOSE END "
    "OTHER_ELEMENT STRING_AT_ONCE SCALAR_AT_ONCE",
)
"""What stands behind a quote that may end a string: `SURE` is what any string ends before."""


class Followed(NamedTuple):
    """The name of what stands behind a quote, and where it begins and ends."""

    name: Follow
    start: int
    end: int


_LEAD = expression(
    rf"{NEAR_GAPS}(?>(?:(?P<comma>[{COMMAS}](?>(?:\s*+[{COMMAS}])?))|(?P<separator>[{SEPARATORS}]))?){NEAR_GAPS}",
    re.DOTALL,
)
"""What divides two items, or nothing."""
_END = rf"(?P<end>\Z)|(?P<fence>{FENCE})"
_MEMBER = expression(rf"""[bfru]? (?:{QUOTED}|\*\*[^*\n]{{1,80}}\*\*)
  (?: \s*+ {COLON_LIKE} (?P<key>) | {BLANK}++ (?=["'`“„「『＂{{\[]|{SCALARS}) (?P<colonless>))
| [\w$] {NAME_SIGN}{{0,60}}+ (?:["'”’]\s*+[{COLONS}](?P<strayed>)|\s*+{COLON_LIKE}(?P<bare>))
| (?P<close> [}}｝] ) | (?P<wrong> \] ) | {_END}""", re.VERBOSE)  # fmt: skip
"""What may stand behind the value of a member: a key, as far as it tells, or an end."""
_ELEMENT = expression(rf"""{ONE_LINE_STRING} {NEAR_GAPS} (?: [{COMMAS}\])] (?P<string>) | [{SEPARATORS}] (?P<mixed>) )
| {SCALARS} \.?+ (?: {NEAR_GAPS} [{COMMAS}\])] (?P<scalar>) | \s*+ [{SEPARATORS}] (?P<number>)
    | {BLANK}*+ \n (?P<line>) )
| (?P<foreign> (?: {SINGLE_STRING} | {CURLY_STRING} ) \s*+ [{COMMAS}{SEPARATORS}\])] )
| (?P<quote> [bfru]? ["'“`‘「『＂＇„«] )
| (?P<open> {OPEN} ) | (?P<round> \( )
| (?P<close> [\]］] ) | (?P<shut> \) ) | (?P<wrong> \}} ) | {_END}""", re.VERBOSE | re.DOTALL)  # fmt: skip
"""What may stand behind an element."""
_NONE = Follow.NOTHING
_BEHIND_MEMBER = {
    "key": (Follow.SURE, Follow.SURE, Follow.KEY_AT_ONCE, Follow.SURE),
    "bare": (Follow.BARE_KEY, Follow.BARE_KEY, _NONE, Follow.BARE_KEY),
    "strayed": (Follow.STRAYED_KEY, Follow.STRAYED_KEY, _NONE, _NONE),
    "colonless": (Follow.KEY_WITHOUT_COLON, _NONE, Follow.KEY_WITHOUT_COLON, Follow.KEY_WITHOUT_COLON),
    "close": (Follow.SURE, Follow.SEMICOLON, Follow.CLOSE, Follow.CLOSE),
    "wrong": (Follow.OTHER_CLOSE, _NONE, Follow.OTHER_CLOSE, Follow.OTHER_CLOSE),
    "end": (Follow.END, _NONE, Follow.END, Follow.END),
    "fence": (Follow.SURE, _NONE, Follow.SURE, Follow.SURE),
}
"""What the item is → what stands there behind a comma, another separator, and neither: on its line, or the next one."""
_BEHIND_ELEMENT = {
    "string": (Follow.ELEMENT, Follow.OTHER_ELEMENT, Follow.STRING_AT_ONCE, Follow.SURE),
    "scalar": (Follow.ELEMENT, Follow.OTHER_ELEMENT, Follow.SCALAR_AT_ONCE, Follow.SURE),
    **dict.fromkeys(
        ("mixed", "number", "foreign"), (Follow.WEAK, Follow.OTHER_ELEMENT, Follow.STRING_AT_ONCE, Follow.SURE)
    ),
    "quote": (Follow.WEAK, _NONE, Follow.STRING_AT_ONCE, Follow.SURE),
    "line": (_NONE, _NONE, _NONE, Follow.SURE),
    "open": (Follow.SURE, _NONE, _NONE, Follow.SURE),
    "round": (Follow.SURE, _NONE, _NONE, _NONE),
    "close": (Follow.SURE, _NONE, Follow.CLOSE, Follow.CLOSE),
    "shut": (_NONE, _NONE, _NONE, _NONE),
    "wrong": (_NONE, _NONE, Follow.OTHER_CLOSE, Follow.OTHER_CLOSE),
    "end": (_NONE, _NONE, Follow.END, Follow.END),
    "fence": (_NONE, _NONE, Follow.SURE, Follow.SURE),
}
_IN_TUPLE = {"close": _BEHIND_ELEMENT["shut"], "shut": _BEHIND_ELEMENT["close"]}
_ITEMS = {
    "{": (_MEMBER, _BEHIND_MEMBER),
    "[": (_ELEMENT, _BEHIND_ELEMENT),
    "(": (_ELEMENT, _BEHIND_ELEMENT | _IN_TUPLE),
}
"""By place: the expression for what follows, and what it is."""


def is_key(text: str, at: int) -> bool:
    """Whether a key, in quotes or bold, and its colon stand at a place."""
    found = _MEMBER.match(text, at)
    return found is not None and found.lastgroup == "key"


def followed(text: str, at: int, place: str) -> Followed:
    """What stands from `at` on, behind a quote in an object `{`, a list `[` or a tuple `(`."""
    lead: re.Match[str] = _LEAD.match(text, at)  # type: ignore[assignment]  # it matches no text, too
    items, names = _ITEMS[place]
    item = items.match(text, lead.end())
    if item is None:
        return Followed(_NONE, at, at)
    column = ("comma", "separator", None).index(lead.lastgroup)
    name = names[item.lastgroup or ""][column + (column > 1 and "\n" in text[at : item.start()])]
    is_other = name is Follow.SEMICOLON and lead["separator"] not in ";；"
    return Followed(_NONE if is_other else name, item.start(), item.end())


# --- a string and its quotes ---

_HALF = expression(r"[„“«「『](?=[^„“”«»「」『』]++\Z)", re.DOTALL)
HALF_LIMIT = 200
"""Most characters of a quotation that a typographic quote opens and a plain one closes."""


class Pairing:
    """Whether the quotes of a text pair up: each first one may open a quotation, each second one close it.

    If not all of them do, those that are no quotes (an apostrophe, inches, code) are left out.

    Attributes:
        code: those that stand between backticks, as Markdown marks code inside a line.
        halves: those that close what a typographic one opens.
    """

    def __init__(self, text: str, opened: int) -> None:
        self._text, self._opened, self._seen, self._ticks = text, opened, opened + 1, 0
        self._all, self._some = [0, True], [0, True]
        self._last = self._odd = -1
        self.code: set[int] = set()
        self.halves: set[int] = set()

    def add(self, at: int) -> None:
        """The next quote; each is looked at once."""
        text = self._text
        self._ticks += text.count("`", self._seen, at)
        self._seen = at
        self._count(self._all, at)
        if self._ticks % 2 and text[self._opened] != "`" and _closes_code(text, self._opened, at):
            self.code.add(at)
        elif in_triple(text, at):
            self._some[0] += not in_triple(text, at - 1)
        elif self._closes_half(at):
            self.halves.add(at)
        elif not is_neutral(text, at, self._opened + 1):
            self._count(self._some, at)

    def _closes_half(self, at: int) -> bool:
        """Whether a typographic quote that opens has no other that closes it before this one."""
        text, start = self._text, max(self._opened + 1, at - HALF_LIMIT)
        found = None if self._text[at] != '"' else _HALF.search(text, start, at)
        return found is not None and can_close(text, at) and '"' not in text[found.start() : at]

    def _count(self, marks: list[int], at: int) -> None:
        fits = (can_close if marks[0] % 2 else can_open)(self._text, at)
        if marks is self._some:
            self._last, self._odd = at, at if not fits and self._odd < 0 else self._odd
        marks[0], marks[1] = marks[0] + 1, marks[1] and fits

    @property
    def holds(self) -> bool:
        """Whether they do so far."""
        return any(fit and not count % 2 for count, fit in (self._all, self._some))

    @property
    def odd(self) -> int:
        """The first one that pairs with none, if they do not; -1 where that is none of them."""
        return self._odd if self._odd >= 0 else self._last if self._some[0] % 2 else -1


class Quoted:
    """A string from its opening quote to one that may end it.

    Attributes:
        text: all of the text.
        opened: where its opening quote stands.
        quote: that quote.
        place: what it stands in: an object `{`, a list `[` or a tuple `(`.
        depth: how many containers are open.
        habits: the spellings that the text has.
        end: the quote that may end it, or where it ends without one.
        joined: where the last of the strings that are added to each other begins, behind its quote.
        sign: what ends it, where that is no quote of its own; empty where nothing does.
        item: the quote of the next item, where its own is missing.
        inner: the quotes before that one, which then are text.
        escaped: those that are escaped.
        pairing: whether both together pair up.
    """

    def __init__(self, text: str, opened: int, place: str, depth: int, habits: frozenset[str], end: int = -1) -> None:
        """No quote yet."""
        self.text, self.opened, self.place, self.depth, self.habits, self.end = text, opened, place, depth, habits, end
        self.quote, self.joined, self.sign, self.item = text[opened], opened + 1, "", -1
        self.inner: list[int] = []
        self.escaped: list[int] = []
        self.pairing = Pairing(text, opened)

    @property
    def pairs(self) -> bool:
        """Whether the quotes that are text pair up; escaped ones alone always do."""
        return not self.inner or self.pairing.holds

    @property
    def body(self) -> str:
        """What stands between its quotes."""
        return self.text[self.opened + 1 : self.end]

    def take(self, at: int) -> None:
        """A quote is text."""
        self.inner.append(at)
        self.pairing.add(at)

    def take_escaped(self, at: int) -> None:
        """An escaped quote is text."""
        self.escaped.append(at)
        if not is_neutral(self.text, at, -1):
            self.pairing.add(at)


# --- when what follows a quote is a sign that the string ends ---

_FLAT_CLOSE = expression(rf"{NEAR_GAPS}(?:{ITEM_END}|\Z|{FENCE}|<)|{BLANK}*+\n", re.DOTALL)
"""What stands behind the bracket of an inner container."""
_SCALAR_END = expression(rf"{SCALARS}\s*+[{COMMAS}}}]")
_WHOLE_MEMBER = expression(rf"\s*+(?:{SCALARS}|{ONE_LINE_STRING})\s*+[{COMMAS}}}｝]")
"""A value behind a key, and what ends its member."""
_BESIDE = expression(rf"{BLANK}++(?P<quote>{ANY_QUOTE})(?!(?P=quote))\S")
"""Between two strings on one line: a blank, and none at the beginning of the second one."""


def _closes(string: Quoted, behind: Followed) -> bool:
    """A bracket that is none of the text's, with structure behind an inner one, and no quote behind the outermost."""
    if string.inner and string.place == "{" and string.body.count("{") > string.body.count("}"):
        return False
    if string.depth > 1:
        return _FLAT_CLOSE.match(string.text, behind.end) is not None
    after = string.text[behind.end : behind.end + 1]
    return after not in ("'", '"') and not (after == ")" and string.inner)


_CONDITIONS: dict[Follow, Callable[[Quoted, Followed], bool]] = {
    Follow.NOTHING: lambda _, __: False,
    # a text has bare keys, or this one begins a line, or has a value that no quotation could make one
    Follow.BARE_KEY: lambda s, behind: BARE in s.habits or "\n" in s.text[s.end : behind.start] or (
        not s.inner and _WHOLE_MEMBER.match(s.text, behind.end) is not None),
    # behind a quote that only closes something, and before a key that begins with no structure
    Follow.KEY_AT_ONCE: lambda s, behind: s.pairs and s.text[behind.start + 1] not in f"{COMMAS}{{}}[]" and not (
        s.text[s.end - 1].isspace() or can_open(s.text, s.end)),
    # a text leaves out colons, or a number or a literal stands behind the key and is an item's end
    Follow.KEY_WITHOUT_COLON: lambda s, behind: (
        COLONLESS in s.habits or _SCALAR_END.match(s.text, behind.end) is not None),
    # the last comma of an object, where no quotes are before it
    Follow.SEMICOLON: lambda s, behind: (
        _FLAT_CLOSE.match(s.text, behind.end) is not None and (s.pairs or s.inner == [s.end - 1])),
    Follow.CLOSE: _closes,
    Follow.OTHER_CLOSE: lambda s, _: not s.inner,
    # no hash or slash at once, which is text as well as the beginning of a comment
    Follow.END: lambda s, _: s.text[s.end + 1 : s.end + 2] not in ("#", "/"),
    # behind quotations only a semicolon is a comma
    Follow.OTHER_ELEMENT: lambda s, _: not s.inner or s.text[s.end + 1] in ";；",
    # between a text and a blank, and what ends an element behind it
    Follow.SCALAR_AT_ONCE: lambda s, behind: s.text[behind.end - 1] in "])" + COMMAS and (
        s.text[s.end + 1].isspace() and not (s.inner or s.text[s.end - 1].isspace() or is_inches(s.text, s.end))),
    # between the same quotes
    Follow.STRING_AT_ONCE: lambda s, _: not s.inner and not s.text[s.end - 1].isspace() and (
        (beside := _BESIDE.match(s.text, s.end + 1)) is not None and beside["quote"] == s.quote),
}  # fmt: skip
"""When a string ends before what stands behind its quote; before all else it does."""
_ENDS_BARE = frozenset({Follow.SURE, Follow.BARE_KEY, Follow.CLOSE, Follow.ELEMENT, Follow.WEAK})
"""Before what a text without quotes ends, too."""


def ends_before(string: Quoted, behind: Followed) -> bool:
    """Whether a string ends at a quote, by what stands behind that."""
    condition = _CONDITIONS.get(behind.name)
    return condition is None or condition(string, behind)


def is_end(text: str, quote: int, place: str, depth: int = 2) -> bool:
    """Whether the quote at an offset, or the last character of a text, may end a value in so many open containers."""
    behind = followed(text, quote + 1, place)
    string = Quoted(text, quote, place, depth, frozenset({BARE}), quote)
    return behind.name in _ENDS_BARE and ends_before(string, behind)


# --- what stands on both sides of a quote ---

_NO_OPEN_AFTER = frozenset(f' \t\n\r{COMMAS}{COLONS}.;!?)]}}。；！？）】"')
_NO_CLOSE_BEFORE = frozenset(" \t\n\r([{（【")
_SHORT_INCHES = expression(r"[\s(（]\d\\?\"\Z")
"""A measure that is one in the middle of words only."""
_INCHES = expression(r"(?:[\"'\s(（](?:[1-9]\d{1,2}(?:[.,]\d{1,2})?|\d[.,]\d{1,2}))\\?[\"']\Z")
EMPTY_CALL = expression(r'[(\[=]""[)\],]')
_DECADE = expression(r"'\d0s\b")
_INCHES_LIMIT = 9
"""Most characters of a measure in inches, its sign included."""
CODE_LIMIT = 200
"""Most characters of code inside a line."""


def can_open(text: str, at: int) -> bool:
    """Whether words may begin behind a quote: no blank does, and a sign only in front of one that stands apart."""
    after = text[at + 1 : at + 2]
    before = text[at - 1]
    if not after or after.isspace() or (text[at] == "'" and before.isascii() and before.isalnum()):
        return False
    return after not in _NO_OPEN_AFTER or (before in " ([（=" and after != '"')


def can_close(text: str, at: int) -> bool:
    """Whether words may end before a quote."""
    before, after = text[at - 2] if text[at - 1] == "\\" else text[at - 1], text[at + 1 : at + 2]
    return before not in _NO_CLOSE_BEFORE or (before.isspace() and after in _NO_OPEN_AFTER and not after.isspace())


def _closes_code(text: str, opened: int, at: int) -> bool:
    """Whether code that is open ends behind a quote, on its line."""
    start, end = text.rfind("`", max(opened, at - CODE_LIMIT), at), text.find("`", at, at + CODE_LIMIT)
    return start >= 0 and end >= 0 and "\n" not in text[start:end]


def in_triple(text: str, at: int) -> bool:
    """Whether a quote is one of three that begin or end a doc string."""
    if text[at - 1] != '"' and text[at + 1 : at + 2] != '"':
        return False
    starts = (start for start in (at, at - 1, at - 2) if text.startswith('"""', start))
    return any(text[start - 1] not in '\\"' for start in starts)


def is_neutral(text: str, at: int, first: int) -> bool:
    """An apostrophe, a quote in the middle of a word, inches, or one that is spoken of; none at `first`."""
    before, after = text[at - 1], text[at + 1 : at + 2]
    if before == "\\":
        before = text[at - 2]
    if at == first:
        return False
    if before.isalnum() and before.isascii() and after.isalnum() and after.isascii():
        return True
    if text[at] == "'":
        return (before.isalnum() and (after.isspace() or after.isalnum())) or _DECADE.match(text, at) is not None
    if EMPTY_CALL.match(text, at - 1) or EMPTY_CALL.match(text, at - 2):
        return True
    if before.isdigit() and (is_inches(text, at) or (after != '"' and is_inches(text, at, _SHORT_INCHES))):
        return True
    return before == after and before in "'`"


def is_inches(text: str, at: int, measure: re.Pattern[str] = _INCHES) -> bool:
    """Whether the quote at an offset stands behind a short number, alone or behind a blank."""
    return measure.search(text, max(0, at - _INCHES_LIMIT), at + 1) is not None
