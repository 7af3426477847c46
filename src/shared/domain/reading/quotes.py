"""What a quote in a string may be: its end, half of a quotation in the text, or a sign of the text by itself.

Two things are looked at. What stands behind a quote gets a name (`Follow`), and its row says when that is a sign that
the string ends here. And the quotes before it have to pair up: by what stands on both sides of it a quote may open an
inner quotation or close one, as in Markdown, and some are no quotes at all: an apostrophe, inches, code.
A veto is a row that finds a second reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.reading.dialect import BARE, COLONLESS
from src.shared.domain.reading.signs import (
    ANY_QUOTE,
    CLOSING_QUOTES,
    COLON_LIKE,
    COLONS,
    COMMAS,
    CURLY_STRING,
    HALVES,
    NEAR_GAPS,
    NUMBER_LIKE,
    ONE_LINE_STRING,
    OTHER_ENDS,
    QUOTED,
    QUOTES,
    SCALARS,
    SEPARATORS,
    SINGLE_STRING,
)

QUOTE_FINDERS = {quote: expression(rf"\\.|[{re.escape(closers)}]", re.DOTALL) for quote, closers in QUOTES.items()}
"""Opening quote → what finds the quotes that may close it, and the escapes before them."""
QUOTED_KEY = expression(rf"(?:{QUOTED})\s*+[{COLONS}]")
AFTER_KEY = expression(
    rf"""{NEAR_GAPS} (?:
      (?P<colon> {COLON_LIKE} )
    | (?P<nocolon> ["'“{{\[｛［] | {SCALARS} (?= \s*+ [{COMMAS};；}}] | [ \t]*+ \n ) ) )""",
    re.VERBOSE | re.DOTALL,
)
"""What stands behind a key: its colon, or a value at once."""

# --- what stands behind a quote ---


class Follow(StrEnum):
    """What stands behind a quote that may end a string."""

    NOTHING = ""
    KEY = "key"
    BARE_KEY = "bare"
    BARE_AT_ONCE = "bare at once"
    STRAYED_KEY = "strayed"
    KEY_AT_ONCE = "key at once"
    KEY_WITHOUT_COLON = "colonless"
    SEMICOLON = "semicolon"
    TRAILING = "trail"
    CLOSE = "close"
    OTHER_CLOSE = "wrong"
    END = "end"
    FENCE = "mark"
    ELEMENT = "element"
    QUOTE = "weak"
    OPEN = "open"
    OTHER_ELEMENT = "other"
    STRING_AT_ONCE = "string at once"
    ELEMENT_AT_ONCE = "element at once"
    LINE = "line"


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
_MEMBER = expression(
    rf"""[bfru]? (?:{QUOTED}|\*\*[^*\n]{{1,80}}\*\*)
  (?: \s*+ {COLON_LIKE} (?P<key>) | [ \t]++ (?=["'`“„「『＂{{\[]|{SCALARS}) (?P<colonless>))
| [\w$] [\w$\-]{{0,60}}+ (?:["'”’]\s*+[{COLONS}](?P<strayed>)|\s*+{COLON_LIKE}(?P<bare>))""",
    re.VERBOSE,
)
"""A key, as far as it may stand behind a member's value."""
_ELEMENT = expression(
    rf"""{ONE_LINE_STRING} {NEAR_GAPS} (?: [{COMMAS}\])] (?P<string>) | [{SEPARATORS}] (?P<mixed>) )
| {SCALARS} \.?+ (?: {NEAR_GAPS} [{COMMAS}\])] (?P<scalar>) | \s*+ [{SEPARATORS}] (?P<number>) | [ \t]*+ \n (?P<line>) )
| (?P<foreign> (?: {SINGLE_STRING} | {CURLY_STRING} ) \s*+ [{COMMAS}{SEPARATORS}\])] )
| (?P<quote> [bfru]? ["'“`‘「『＂＇„«] ) | (?P<open> [{{\[｛［] ) | (?P<round> \( )""",
    re.VERBOSE | re.DOTALL,
)
"""What may stand behind an element."""
_END = r"(?P<end>\Z)|(?P<fence>```|~~~)"
_MEMBER_END = expression(rf"(?P<close>[}}｝])|(?P<wrong>\])|{_END}")
_ELEMENT_END = expression(rf"(?P<close>[\]］])|(?P<shut>\))|(?P<wrong>\}})|{_END}")
_BEHIND_MEMBER = {
    "key": (Follow.KEY, Follow.KEY, Follow.KEY_AT_ONCE),
    "bare": (Follow.BARE_KEY, Follow.BARE_KEY, Follow.BARE_AT_ONCE),
    "strayed": (Follow.STRAYED_KEY, Follow.STRAYED_KEY, Follow.NOTHING),
    "colonless": (Follow.KEY_WITHOUT_COLON, Follow.NOTHING, Follow.KEY_WITHOUT_COLON),
    "close": (Follow.TRAILING, Follow.SEMICOLON, Follow.CLOSE),
    "wrong": (Follow.OTHER_CLOSE, Follow.NOTHING, Follow.OTHER_CLOSE),
    "end": (Follow.END, Follow.NOTHING, Follow.END),
    "fence": (Follow.FENCE, Follow.NOTHING, Follow.FENCE),
}
"""What the item is → what stands there behind a comma, behind another separator, and behind neither."""
_BEHIND_ELEMENT = {
    "string": (Follow.ELEMENT, Follow.OTHER_ELEMENT, Follow.STRING_AT_ONCE),
    "scalar": (Follow.ELEMENT, Follow.OTHER_ELEMENT, Follow.ELEMENT_AT_ONCE),
    "mixed": (Follow.QUOTE, Follow.OTHER_ELEMENT, Follow.STRING_AT_ONCE),
    "number": (Follow.QUOTE, Follow.OTHER_ELEMENT, Follow.STRING_AT_ONCE),
    "foreign": (Follow.QUOTE, Follow.OTHER_ELEMENT, Follow.STRING_AT_ONCE),
    "quote": (Follow.QUOTE, Follow.NOTHING, Follow.STRING_AT_ONCE),
    "line": (Follow.NOTHING, Follow.NOTHING, Follow.ELEMENT_AT_ONCE),
    "open": (Follow.OPEN, Follow.NOTHING, Follow.ELEMENT_AT_ONCE),
    "round": (Follow.OPEN, Follow.NOTHING, Follow.NOTHING),
    "close": (Follow.TRAILING, Follow.NOTHING, Follow.CLOSE),
    "shut": (Follow.NOTHING, Follow.NOTHING, Follow.NOTHING),
    "wrong": (Follow.NOTHING, Follow.NOTHING, Follow.OTHER_CLOSE),
    "end": (Follow.NOTHING, Follow.NOTHING, Follow.END),
    "fence": (Follow.NOTHING, Follow.NOTHING, Follow.FENCE),
}
_IN_TUPLE = {"close": _BEHIND_ELEMENT["shut"], "shut": _BEHIND_ELEMENT["close"]}
_ITEMS = {
    "{": (_MEMBER, _MEMBER_END, _BEHIND_MEMBER),
    "[": (_ELEMENT, _ELEMENT_END, _BEHIND_ELEMENT),
    "(": (_ELEMENT, _ELEMENT_END, _BEHIND_ELEMENT | _IN_TUPLE),
}
"""By place: the expressions for what follows, and what it is."""
_LEADS = ("comma", "separator", None)
_AT_ONCE = frozenset({Follow.BARE_AT_ONCE, Follow.KEY_AT_ONCE, Follow.STRING_AT_ONCE, Follow.ELEMENT_AT_ONCE})


def followed(text: str, at: int, place: str) -> Followed:
    """What stands from `at` on, behind a quote in an object `{`, a list `[` or a tuple `(`."""
    lead = _LEAD.match(text, at)
    items, ends, names = _ITEMS[place]
    item = (items.match(text, lead.end()) or ends.match(text, lead.end())) if lead else None
    if lead is None or item is None:
        return Followed(Follow.NOTHING, at, at)
    name = names[item.lastgroup or ""][_LEADS.index(lead.lastgroup)]
    if name in _AT_ONCE and "\n" in text[at : item.start()]:
        name = Follow.BARE_KEY if name is Follow.BARE_AT_ONCE else Follow.LINE
    elif name is Follow.SEMICOLON and lead["separator"] not in ";；":
        name = Follow.NOTHING
    return Followed(name, item.start(), item.end())


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
        elif _in_triple(text, at):
            self._some[0] += not _in_triple(text, at - 1)
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
        fits = can_close(self._text, at) if marks[0] % 2 else can_open(self._text, at)
        if marks is self._some:
            self._last = at
            self._odd = at if not fits and self._odd < 0 else self._odd
        marks[0], marks[1] = marks[0] + 1, marks[1] and fits

    @property
    def holds(self) -> bool:
        """Whether they do so far."""
        return any(fit and not count % 2 for count, fit in (self._all, self._some))

    @property
    def odd(self) -> int:
        """The first one that pairs with none, if they do not; -1 where that is none of them."""
        return self._odd if self._odd >= 0 else self._last if self._some[0] % 2 else -1


@dataclass(slots=True)
class Quoted:
    """A string from its opening quote to one that may end it.

    Attributes:
        text: all of the text.
        opened: where its opening quote stands.
        place: what it stands in: an object `{`, a list `[` or a tuple `(`.
        depth: how many containers are open.
        habits: the spellings that the text has.
        end: the quote that may end it, or where it ends without one.
        joined: where the last of the strings that are added to each other begins, behind its quote.
        inner: the quotes before that one, which then are text.
        escaped: those that are escaped.
        sign: what ends it, where that is no quote of its own; empty where nothing does.
        item: the quote of the next item, where its own is missing.
        pairing: whether both together pair up.
    """

    text: str
    opened: int
    place: str
    depth: int
    habits: frozenset[str]
    end: int = -1
    joined: int = -1
    inner: list[int] = field(default_factory=list)
    escaped: list[int] = field(default_factory=list)
    sign: str = ""
    item: int = -1
    pairing: Pairing = field(init=False)

    def __post_init__(self) -> None:
        """No quote yet."""
        self.joined = self.opened + 1
        self.pairing = Pairing(self.text, self.opened)

    @property
    def pairs(self) -> bool:
        """Whether the quotes that are text pair up; escaped ones alone always do."""
        return not self.inner or self.pairing.holds

    @property
    def quote(self) -> str:
        """Its opening quote."""
        return self.text[self.opened]

    @property
    def body(self) -> str:
        """What stands between its quotes."""
        return self.text[self.opened + 1 : self.end]

    def lacks(self, pair: str) -> bool:
        """Whether one of both brackets stands in it more often than the other."""
        return self.body.count(pair[0]) != self.body.count(pair[1])

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

_FLAT_CLOSE = expression(rf"{NEAR_GAPS}(?:[{COMMAS}}}\]｝］]|\Z|```|~~~|<)|[ \t]*+\n", re.DOTALL)
"""What stands behind the bracket of an inner container."""
_SCALAR_END = expression(rf"{SCALARS}\s*+[{COMMAS}}}]")
_WHOLE_MEMBER = expression(rf"\s*+(?:{SCALARS}|{ONE_LINE_STRING})\s*+[{COMMAS}}}｝]")
"""A value behind a key, and what ends its member."""
_BESIDE = expression(rf"[ \t]++(?P<quote>{ANY_QUOTE})(?!(?P=quote))\S")
"""Between two strings on one line: a blank, and none at the beginning of the second one."""


def _closes(string: Quoted, behind: Followed) -> bool:
    """A bracket that is none of the text's, with structure behind an inner one, and no quote behind the outermost."""
    if string.inner and string.place == "{" and string.body.count("{") > string.body.count("}"):
        return False
    if string.depth > 1:
        return _FLAT_CLOSE.match(string.text, behind.end) is not None
    after = string.text[behind.end : behind.end + 1]
    return after not in ("'", '"') and not (after == ")" and string.inner)


def _semicolon(string: Quoted, behind: Followed) -> bool:
    """The last comma of an object, where no quotes are before it."""
    is_over = _FLAT_CLOSE.match(string.text, behind.end) is not None
    return is_over and (string.pairs or string.inner == [string.end - 1])


def _other_element(string: Quoted, _: Followed) -> bool:
    """A sign for a comma, which is one behind quotations only if it is a semicolon."""
    return not string.inner or string.text[string.end + 1] in ";；"


def _end(string: Quoted, _: Followed) -> bool:
    """The end of the text, and no hash or slash at once, which is text as well as the beginning of a comment."""
    return string.text[string.end + 1 : string.end + 2] not in ("#", "/")


def _key_at_once(string: Quoted, _: Followed) -> bool:
    """A key without a comma before it, behind a quote that only closes something."""
    is_edge = string.text[string.end - 1].isspace() or can_open(string.text, string.end)
    return string.pairs and not is_edge


def _bare_key(string: Quoted, behind: Followed) -> bool:
    """A text has bare keys, or this one begins a line, or has a value that no quotation could make one."""
    if BARE in string.habits or "\n" in string.text[string.end : behind.start]:
        return True
    return not string.inner and _WHOLE_MEMBER.match(string.text, behind.end) is not None


def _colonless(string: Quoted, behind: Followed) -> bool:
    """A text leaves out colons, or a number or a literal stands behind the key and is an item's end."""
    return COLONLESS in string.habits or _SCALAR_END.match(string.text, behind.end) is not None


def _string_at_once(string: Quoted, _: Followed) -> bool:
    """A string without a comma before it, between the same quotes."""
    beside = _BESIDE.match(string.text, string.end + 1)
    is_beside = beside is not None and beside["quote"] == string.quote
    return is_beside and not string.inner and not string.text[string.end - 1].isspace()


def _element_at_once(string: Quoted, behind: Followed) -> bool:
    """A number or a literal without a comma before it, and what ends an element behind it."""
    text, end = string.text, string.end
    is_ended = text[behind.end - 1] in "])" + COMMAS and text[end + 1].isspace()
    return is_ended and not (string.inner or text[end - 1].isspace() or is_inches(text, end))


_CONDITIONS: dict[Follow, Callable[[Quoted, Followed], bool]] = {
    Follow.NOTHING: lambda _, __: False,
    Follow.BARE_KEY: _bare_key,
    Follow.BARE_AT_ONCE: lambda _, __: False,
    Follow.KEY_AT_ONCE: _key_at_once,
    Follow.KEY_WITHOUT_COLON: _colonless,
    Follow.SEMICOLON: _semicolon,
    Follow.CLOSE: _closes,
    Follow.OTHER_CLOSE: lambda string, _: not string.inner,
    Follow.END: _end,
    Follow.OTHER_ELEMENT: _other_element,
    Follow.STRING_AT_ONCE: _string_at_once,
    Follow.ELEMENT_AT_ONCE: _element_at_once,
}
"""When a string ends before what stands behind its quote; before all else it does."""
_ENDS_BARE = frozenset(
    {
        Follow.KEY,
        Follow.BARE_KEY,
        Follow.TRAILING,
        Follow.CLOSE,
        Follow.FENCE,
        Follow.ELEMENT,
        Follow.QUOTE,
        Follow.OPEN,
    }
    | {Follow.LINE}
)
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


def _in_triple(text: str, at: int) -> bool:
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
    if _EMPTY_CALL.match(text, at - 1) or _EMPTY_CALL.match(text, at - 2):
        return True
    is_short = (
        before.isdigit() and after != '"' and _SHORT_INCHES.search(text, max(0, at - _INCHES_LIMIT), at + 1) is not None
    )
    return is_short or (before.isdigit() and is_inches(text, at)) or (before == after and before in "'`")


def is_inches(text: str, at: int) -> bool:
    """Whether the quote at an offset stands behind a short number, alone or behind a blank."""
    return _INCHES.search(text, max(0, at - _INCHES_LIMIT), at + 1) is not None


# --- what the text between two quotes says ---

_APOSTROPHE = expression(r"['’](?:(?<![^\W_].)|(?![^\W_]))")
_POSSESSIVE = expression(r"['’](?<=[^\W_].)(?=\s)")
_BEFORE_WORDS = expression(r"(?:[^A-Za-z0-9^*)\]}]|[^\w][bfru]|\\[nrt])\Z")
"""What may stand before the escaped quote that opens a quotation: a letter of Python or an escape, but no word."""
_CODE_SIGN = expression(r"[A-Za-z0-9^*]|\\(?![nrt])")
_CODE = expression(r"`(?<![A-Za-z0-9_].)(?=\S)[^`\n]{1,200}(?<=\S)`(?![A-Za-z0-9_])")
_MEMBER_SHAPE = expression(
    rf"""
      {ANY_QUOTE} (?<! \w . ) [\w$ .&/@\-]{{1,60}} [{CLOSING_QUOTES}] \s{{0,10}} [{COLONS}] \s{{0,10}}   # a quoted one
        (?: {ANY_QUOTE} | [\d\[{{] | -\d | true | false | null | True | False | None )
    | [{{,] \s{{0,10}} [\w$ .&/@\-]{{1,60}} " \s{{0,10}} [{COLONS}] \s{{0,10}} (?: " | -? \d | [\[{{] )
    | [{{,] \s{{0,10}} [\w$\-]{{1,60}} \s{{0,10}} [{COLONS}] \s{{0,10}}                # a bare one
        (?: ["'“] | -? \d [\d.]*+ \s{{0,10}} [,}}] )""",
    re.VERBOSE,
)
"""What looks like a member inside a text."""


def half_open(text: str, start: int, end: int) -> bool:
    """Whether an inner quotation or a bracket is open in a text: a quote at its edge may be the other half."""
    return any(text.count(one, start, end) != text.count(other, start, end) for one, other in HALVES.items())


def has_odd_apostrophe(body: str) -> bool:
    """Whether a single quote in a text pairs with no other, and is no apostrophe."""
    if "'" not in body and "’" not in body:
        return False
    apart = len(_APOSTROPHE.findall(body))
    return apart % 2 == 1 and (apart - len(_POSSESSIVE.findall(body))) % 2 == 1


def half_of(sign: str, text: str, start: int, end: int) -> bool:
    """Whether a quote behind a text may be half of a quotation inside it rather than the end of it."""
    if sign in "'’":
        return has_odd_apostrophe(text[start:end]) or (sign == "’" and half_open(text, start, end))
    return text.find(sign, start, end) >= 0 or (sign in "“”‘" and half_open(text, start, end))


def member_in(text: str, start: int, end: int) -> int:
    """Where something in a text looks like a member that stands in no object that is whole; -1 where nothing does."""
    body = text[start:end]
    if "`" in body:
        body = _CODE.sub(lambda code: "`" * len(code.group()), body)
    depth, last = 0, 0
    is_whole = body.count("{") == body.count("}")
    for found in _MEMBER_SHAPE.finditer(body):
        depth += body.count("{", last, found.start() + 1) - body.count("}", last, found.start() + 1)
        last = found.start() + 1
        if not is_whole or depth <= 0:
            return start + found.start()
    return -1


def _stand_around_words(text: str, marks: Sequence[int]) -> bool:
    """Whether escaped quotes stand around words: then one beside the edge of their string pairs with none of them."""
    marks = [at for at in marks if not is_inches(text, at)]
    if len(marks) % 2:
        return False
    opens = all(_BEFORE_WORDS.search(text, max(0, at - 4), at - 1) and not text[at + 1].isspace() for at in marks[::2])
    return opens and all(not text[at - 2].isspace() and not _CODE_SIGN.match(text, at + 1) for at in marks[1::2])


_QUOTATIONS = [(one, other) for one, other in HALVES.items() if one not in "([{（"]


def stray(string: Quoted) -> int | None:
    """The quote beside the string's own that pairs with nothing; -1 where it is inches; None where there is none."""
    text, inner, end = string.text, string.inner, string.end
    if len(inner) != 1 or string.quote != '"' or inner[0] not in (string.opened + 1, end - 1):
        return None
    is_first = inner[0] == string.opened + 1
    start, end = (string.opened + 2, end) if is_first else (string.opened + 1, end - 1)
    body = text[start:end]
    if body[-1:].isdigit() and is_inches(text, end):
        return None if is_first else -1
    if len(body.strip()) > 1 and any(body.count(one) != body.count(other) for one, other in _QUOTATIONS):
        return -1
    if not body.strip() or half_open(text, start, end) or has_odd_apostrophe(body):
        return None
    if not _stand_around_words(text, string.escaped):
        return None
    return string.opened + 1 if is_first else string.end


# --- vetoes: what finds a second reading ---

_DIVISION = expression(
    rf"[\"'”’`」』]\s*+(?:(?P<other>[、;；|｜/／·•.。،؛﹐､]|(?:</?[A-Za-z]{{1,9}}>){{1,4}})|[{COMMAS}])\s*+(?P<next>[\"'“‘`「『])"
)
_EMPTY_CALL = expression(r'[(\[=]""[)\],]')
_COMMA_LINE = expression(rf"[{COMMAS}][ \t]*+\n")
_STRUCTURE_IN_KEY = frozenset(f"{COMMAS}{COLONS}{{}}[]、;|=`()")
_SINGLE_ENDS = frozenset("’'‘`´")
LITERAL_OR_NUMBER = expression(r"[-+]?[\d.,]*+(?<=\d)\s*+|true|false|null|True|False|None")
_MORE_THAN_TEXT = expression(
    rf"""
      \n \s{{0,40}} [\]}}｝］\[{{] [\]}}｝］{COMMAS}\s]{{0,40}} (?: \n | \Z )  # a line of brackets
    | [{{\[] \s{{0,40}} \Z  # a bracket that opens
    | ["”] \s{{0,40}} [{COMMAS}]? \s{{0,40}} [\]}}｝］] [\]}}｝］{COMMAS}\s]{{0,40}} \Z  # one that closes
    | </\w  # a tag
    | [{COMMAS}] \s*+ (?: ```|~~~|//|/\*|\#|--\s | (?:\.\.\.|…)\s*+\Z )  # a fence, a comment, an ellipsis""",
    re.VERBOSE,
)
"""What says that a string without its closing quote has swallowed structure."""


class Veto(NamedTuple):
    """What a string may be as well, and what finds that."""

    name: str
    speaks: Callable[[Quoted], bool]


def _is_doubled(string: Quoted) -> bool:
    """Two quotes stand beside each other, and not as an empty argument, in code, or between two quotations."""
    pairs = zip(string.inner, string.inner[1:], strict=False)
    beside = [(number, at) for number, (at, behind) in enumerate(pairs) if behind == at + 1]
    for number, at in beside:
        is_between = number % 2 == 1 and string.quote == "'" and string.place == "{"
        is_empty = _EMPTY_CALL.match(string.text, at - 1) is not None
        if not (is_between or is_empty or _in_triple(string.text, at) or at + 1 in string.pairing.code):
            return True
    return False


def _is_divided(string: Quoted) -> bool:
    """Two strings with a comma or another sign between them; not a sign in quotes, nor the columns of a table."""
    text, inner = string.text, string.inner
    ends = {at: number for number, at in enumerate(inner) if at not in string.pairing.code}
    is_apart = inner[0] > string.opened + 1 and inner[-1] < string.end - 1 and text[inner[0] - 1] in " (["
    for division in _DIVISION.finditer(text, string.opened + 1, string.end):
        at, sign = division.start(), division["other"]
        if at not in ends:
            continue
        is_quoted = ends[at] % 2 == 0 and not text[at - 1].isalnum()
        is_table = sign is not None and text.find(sign, string.opened, inner[0]) >= 0
        if (sign and not is_quoted and not is_table) or (string.place == "[" and not is_apart):
            return True
    return False


def _holds_member(string: Quoted) -> bool:
    """A member, which the string may have swallowed."""
    if string.inner and string.pairing.code.issuperset(string.inner):
        return False
    is_object = string.body.startswith("{") and _MEMBER_SHAPE.search(string.body) is not None
    return is_object or member_in(string.text, string.opened + 1, string.end) >= 0


def _is_over_before(string: Quoted) -> bool:
    behind = (string.text[at + 1 : at + 2] for at in string.inner if is_neutral(string.text, at, -1))
    return string.place != "{" and any(sign and sign in COMMAS for sign in behind)


VETOES = (
    Veto("all of it is quoted", lambda string: string.inner == [string.opened + 1, string.end - 1]),
    Veto("two quotes stand beside each other", _is_doubled),
    Veto(
        "a quote at its edge stands beside an escaped one",
        lambda string: (
            string.text.startswith('""\\"', string.opened) or string.text.startswith('\\"""', string.end - 3)
        ),
    ),
    Veto("it is escaped twice", lambda string: any(string.text[at - 1] == "\\" for at in string.inner)),
    Veto("it is two strings", _is_divided),
    Veto("an element ends at a quote that is none in words, but has a comma behind it", _is_over_before),
    Veto(
        "a comma ends a line of elements",
        lambda string: string.place != "{" and _COMMA_LINE.search(string.text, string.opened, string.end) is not None,
    ),
    Veto("it holds a member", _holds_member),
)
"""For a string that ends at a quote with other quotes before it."""


def _has_odd_doubles(string: Quoted) -> bool:
    """Double quotes inside other ones do not pair up, so that one may end a string, or are escaped twice."""
    text, doubles = string.text, Pairing(string.text, string.opened)
    for found in QUOTE_FINDERS['"'].finditer(text, string.opened + 1, string.end):
        at = found.start()
        if text[at] == '"' and '"' not in (text[at - 1], text[at + 1]):
            doubles.add(at)
    is_twice = '\\\\"' in string.body
    return is_twice or (not doubles.holds and string.body != '"')


FOREIGN_VETOES = (Veto("double quotes do not pair up, or are escaped twice", _has_odd_doubles),)
"""For a string between other quotes than JSON's."""


def _has_odd_quotes(string: Quoted) -> bool:
    is_around = string.inner[:1] == [string.opened + 1] and string.inner[-1] == string.end - 1
    is_odd = is_around or not string.pairs or not string.body.strip() or '""' in string.body
    return bool(string.inner) and (is_odd or not _STRUCTURE_IN_KEY.isdisjoint(string.body))


def _is_quoted_twice(string: Quoted) -> bool:
    quote, body = string.quote, string.body
    is_quoted = '"' in body or body[:1] in QUOTES or body[-1:] in QUOTES or (quote == "'" and "''" in body)
    return quote != '"' and is_quoted


KEY_VETOES = (
    Veto("its quotes do not pair up, stand around all of it, or around more than words", _has_odd_quotes),
    Veto("it is quoted in two ways", _is_quoted_twice),
)
"""For a key."""


def _is_unpaired(string: Quoted) -> bool:
    is_edge = bool(string.inner) and string.end - 1 in string.inner
    is_empty = string.text.startswith('""', string.item) and string.place == "["
    return is_edge or is_empty or not string.pairs or not string.body.strip()


def _ends_with_half(string: Quoted) -> bool:
    is_half = half_of(string.sign, string.text, string.opened + 1, string.end) if string.sign else False
    return is_half or (string.quote == '"' and string.sign in _SINGLE_ENDS)


def _is_number(string: Quoted) -> bool:
    """It is a number or a literal, or one to some: its opening quote may be the one too many."""
    body = string.body.strip()
    return LITERAL_OR_NUMBER.fullmatch(body) is not None or NUMBER_LIKE.fullmatch(body) is not None


def _has_other_quotes(string: Quoted) -> bool:
    """Double quotes stand in one that they do not delimit, or an escaped one at its end, which is no line's."""
    if string.quote != '"':
        return '"' in string.body
    marks = string.body.count('\\"')
    is_last = marks == string.body.count("\\") and marks % 2 == 1 and "\n" in string.text[string.end : string.item]
    return string.body.rstrip(COMMAS).endswith('\\"') and not is_last


def _has_no_quotation(string: Quoted) -> bool:
    halves = string.pairing.halves
    is_none = (at in halves or is_neutral(string.text, at, string.opened + 1) for at in string.inner)
    return string.inner != [] and all(is_none)


def _has_lines(string: Quoted) -> bool:
    is_on_line = string.place != "{" or "\n" not in string.text[string.end : string.item]
    return "\n" in string.body and is_on_line and (string.place != "{" or _COMMA_LINE.search(string.body) is not None)


def _may_go_on(string: Quoted) -> bool:
    body, start = string.body, string.opened + 1
    is_open = (
        '"' in body or body.rstrip()[-1:] in (*OTHER_ENDS, *COMMAS, *";；") or half_open(string.text, start, string.end)
    )
    return is_open or (string.place != "{" and "," in body)


UNCLOSED_VETOES = (
    Veto("a bracket in it has no other", lambda string: any(string.lacks(pair) for pair in ("{}", "[]"))),
    Veto("it has swallowed structure", lambda string: _MORE_THAN_TEXT.search(string.body) is not None),
    Veto("no quote in it is one of a quotation", _has_no_quotation),
    Veto("its quotes do not pair up", _is_unpaired),
    Veto("what ends it may be half of a quotation inside", _ends_with_half),
    Veto("it may be a number", _is_number),
    Veto("other quotes", _has_other_quotes),
    Veto("it holds a member", _holds_member),
    Veto("it has lines, as an element, or before what stands on the last of them", _has_lines),
)
"""For a string without its closing quote."""
LAST_VETOES = (
    Veto("it has swallowed structure", lambda string: _MORE_THAN_TEXT.search(string.body) is not None),
    Veto("it may be a number", _is_number),
    Veto("a quotation is open in it, it ends with half of one or a comma, or an element has a comma", _may_go_on),
    Veto("it holds a member", _holds_member),
)
"""For the last string of a text, without its closing quote."""
