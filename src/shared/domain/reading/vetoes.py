"""What a string may be as well: a veto is a row that finds a second reading of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.reading.quotes import EMPTY_CALL, Pairing, Quoted, in_triple, is_inches, is_neutral
from src.shared.domain.reading.signs import (
    ANY_QUOTE, BLANK, CLOSING, CLOSING_QUOTES, COLONS, COMMAS, FENCE, HALVES, LITERAL, MARGIN, NAME_SIGN, NUMBER,
    NUMBER_LIKE, OTHER_ENDS, QUOTES, SCALARS, closers_in,
)  # fmt: skip

# --- what the text between two quotes says ---

_APOSTROPHE = expression(r"['’](?:(?<=[^\W_].)(?=(\s))|(?<![^\W_].)|(?![^\W_]))")
"""A single quote at the edge of a word; with the blank behind it where the word may be a possessive."""
_BEFORE_WORDS = expression(r"(?:[^A-Za-z0-9^*)\]}]|[^\w][bfru]|\\[nrt])\Z")
"""What may stand before the escaped quote that opens a quotation: a letter of Python or an escape, but no word."""
_CODE_SIGN = expression(r"[A-Za-z0-9^*]|\\(?![nrt])")
_CODE = expression(r"`(?<![A-Za-z0-9_].)(?=\S)[^`\n]{1,200}(?<=\S)`(?![A-Za-z0-9_])")
_BLANKS = r"\s{0,10}"
_NAME, _SIGN = r"[\w$ .&/@\-]{1,60}+", r"(?:=>?|->|[;；])"
_COLONLESS_MEMBER = rf"""
    {ANY_QUOTE} {_NAME} (?:
        [{CLOSING_QUOTES}] {_BLANKS} {_SIGN}? {_BLANKS} (?: [{{\[] | {SCALARS} {_BLANKS} (?: [,}}\n] | \Z ) )
      | [{COLONS}] [{CLOSING_QUOTES}] {_BLANKS} (?: ["\d{{\[] | -\d ) )"""
"""A quoted name with another sign for its colon, none, or one inside of the quotes, and a value."""
_MEMBER_SHAPE = expression(rf"""
      {ANY_QUOTE} (?<! \w . ) [\w$ .&/@\-]{{1,60}} [{CLOSING_QUOTES}] {_BLANKS} [{COLONS}] {_BLANKS}   # a quoted one
        (?: {ANY_QUOTE} | [\d\[{{] | -\d | {LITERAL} )
    | [{{,] {_BLANKS} [\w$ .&/@\-]{{1,60}} " {_BLANKS} [{COLONS}] {_BLANKS} (?: " | -? \d | [\[{{] )
    | [{{,] {_BLANKS} {NAME_SIGN}{{1,60}} {_BLANKS} [{COLONS}] {_BLANKS}                # a bare one
        (?: ["'“] | -? \d [\d.]*+ {_BLANKS} [,}}] )
    | , {BLANK}*+ \n \s{{0,{MARGIN}}} {NAME_SIGN}{{1,60}} {_BLANKS} [{COLONS}] {_BLANKS} {NUMBER} \s*+ \Z  # at the end
    | [,\n] {_BLANKS} {_COLONLESS_MEMBER}
    | [{CLOSING_QUOTES}] {_BLANKS} [{{\[,] {_BLANKS} [{COLONS}]  # a bracket or a comma before it
    """, re.VERBOSE)  # fmt: skip
"""What looks like a member inside a text."""
MEMBER_IN_KEY = expression(rf"(?<!\d)[{COLONS}]\s*+(?:[{{\[]|(?:{SCALARS}|{ANY_QUOTE}[^{COMMAS}]*+)\s*+[{COMMAS}])")
_BEGINS_MEMBER = expression(rf'"{_NAME}"{_BLANKS}{_SIGN}')


def half_open(text: str, start: int, end: int) -> bool:
    """Whether an inner quotation or a bracket is open in a text: a quote at its edge may be the other half."""
    return any(text.count(one, start, end) != text.count(other, start, end) for one, other in HALVES.items())


def has_odd_apostrophe(body: str) -> bool:
    """Whether a single quote in a text pairs with no other, and is no apostrophe."""
    if "'" not in body and "’" not in body:
        return False
    blanks = _APOSTROPHE.findall(body)
    return len(blanks) % 2 == 1 and blanks.count("") % 2 == 1


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


_SHORT_MEASURE = expression(r"(?:\A|[\s(（'’′])\d(?:[.,]\d{1,2})?\Z")
"""A digit at the end of a text, behind which a quote may be inches, or one too many."""


def stray(string: Quoted) -> int | None:
    """The quote beside the string's own that pairs with nothing; -1 where it is inches; None where there is none."""
    text, inner, end = string.text, string.inner, string.end
    if len(inner) != 1 or string.quote != '"' or inner[0] not in (string.opened + 1, end - 1):
        return None
    is_first = inner[0] == string.opened + 1
    start, end = (string.opened + 2, end) if is_first else (string.opened + 1, end - 1)
    body = text[start:end]
    if is_inches(text, end):
        return None if is_first else -1
    if len(body.strip()) > 1 and any(body.count(one) != body.count(other) for one, other in _QUOTATIONS):
        return -1
    may_be_inches = not is_first and _SHORT_MEASURE.search(body) is not None
    if not body.strip() or may_be_inches or half_open(text, start, end) or has_odd_apostrophe(body):
        return None
    if not _stand_around_words(text, string.escaped):
        return None
    return string.opened + 1 if is_first else string.end


# --- vetoes: what finds a second reading ---

DIVISION = expression(
    rf"[\"'”’`」』]\s*+(?:(?P<other>[、;；|｜/／·•.。،؛﹐､]|(?:</?[A-Za-z]{{1,9}}>){{1,4}})|[{COMMAS}])\s*+(?P<next>[\"'“‘`「『])"
)
_COMMA_LINE = expression(rf"[{COMMAS}]{BLANK}*+\n")
_ENDS_IN_ITEM = expression(rf"[{COMMAS}]\s*+(?:{SCALARS}\s*+)?\Z")
_STRUCTURE_IN_KEY = frozenset(f"{COMMAS}{COLONS}{{}}[]、;|=`()")
_SINGLE_ENDS = frozenset("’'‘`´")
_OTHER_QUOTES = frozenset(CLOSING_QUOTES + OTHER_ENDS) - {'"'}
_OPENS_WORDS = expression(r"['‘’`](?<!\w.)(?=\w)")
"""A single quote that may open a quotation."""
_LITERAL = expression(LITERAL)
_MORE_THAN_TEXT = expression(rf"""
      \n \s{{0,{MARGIN}}} [{CLOSING}\[{{] [{CLOSING}{COMMAS}\s]{{0,{MARGIN}}} (?: \n | \Z )  # a line of brackets
    | [{{\[] \s{{0,{MARGIN}}} \Z  # a bracket that opens
    | ["”] \s{{0,{MARGIN}}} [{COMMAS}]? \s{{0,{MARGIN}}} [{CLOSING}] [{CLOSING}{COMMAS}\s]{{0,{MARGIN}}} \Z  # the end
    | </\w  # a tag
    | [{COMMAS}] \s*+ (?: {FENCE}|//|/\*|\#|--\s | (?:\.\.\.|…)\s*+\Z )  # or another sign""", re.VERBOSE)  # fmt: skip
"""What says that a string without its closing quote has swallowed structure."""


class Veto(NamedTuple):
    """What a string may be as well, and what finds that."""

    name: str
    speaks: Callable[[Quoted], bool]


def _is_doubled(string: Quoted) -> bool:
    """Two quotes stand beside each other, and not as an empty argument, in code, or between two quotations."""
    text, code = string.text, string.pairing.code
    for number, (at, behind) in enumerate(zip(string.inner, string.inner[1:], strict=False)):
        is_text = behind > at + 1 or (number % 2 == 1 and string.quote == "'" and string.place == "{")
        if not (is_text or behind in code or in_triple(text, at) or EMPTY_CALL.match(text, at - 1)):
            return True
    return False


def _is_divided(string: Quoted) -> bool:
    """Two strings with a comma or another sign between them; not a sign in quotes, nor the columns of a table."""
    text, inner = string.text, string.inner
    ends = {at: number for number, at in enumerate(inner) if at not in string.pairing.code}
    is_apart = inner[0] > string.opened + 1 and inner[-1] < string.end - 1 and text[inner[0] - 1] in " (["
    for division in DIVISION.finditer(text, string.opened + 1, string.end):
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
    is_member = string.place == "{" and _BEGINS_MEMBER.match(string.text, string.opened) is not None
    return is_object or is_member or member_in(string.text, string.opened + 1, string.end) >= 0


def _has_odd_doubles(string: Quoted) -> bool:
    """Double quotes inside other ones do not pair up, so that one may end a string, or are escaped twice."""
    text, doubles = string.text, Pairing(string.text, string.opened)
    for at in closers_in(text, '"', string.opened + 1, string.end):
        if text[at] == '"' and '"' not in (text[at - 1], text[at + 1]):
            doubles.add(at)
    return '\\\\"' in string.body or (not doubles.holds and string.body != '"')


def _has_other_quotes(string: Quoted) -> bool:
    """Double quotes stand in one that they do not delimit, or an escaped one at its end, which is no line's."""
    if string.quote != '"':
        return '"' in string.body
    marks = string.body.count('\\"')
    is_last = marks == string.body.count("\\") and marks % 2 == 1 and "\n" in string.text[string.end : string.item]
    return string.body.rstrip(COMMAS).endswith('\\"') and not is_last


def _ends_in_other_quote(string: Quoted) -> bool:
    """It has no quote of its own at its end, but one of another sort, which is no half of a quotation in it."""
    body = string.body.rstrip(f"{COMMAS}. \t\n")
    start, end, last = string.opened + 1, string.opened + len(body), body[-1:]
    if string.sign or last not in _OTHER_QUOTES or (last in _SINGLE_ENDS and _OPENS_WORDS.search(body)):
        return False
    return not (half_of(last, string.text, start, end) or half_open(string.text, start, end))


def ends_text(body: str) -> bool:
    """Whether a text between two strings is divided by quotes that have not begun in it: it may be several."""
    found = DIVISION.search(body)
    return found is not None and found.group()[0] not in body[: found.start()]


def _is_number(string: Quoted) -> bool:
    """It is a number or a literal, or one to some: its opening quote may be the one too many."""
    body = string.body.strip()
    return _LITERAL.fullmatch(body) is not None or NUMBER_LIKE.fullmatch(body) is not None


_NUMBER, _MEMBER_INSIDE = Veto("it may be a number", _is_number), Veto("it holds a member", _holds_member)
_SWALLOWED = Veto("it has swallowed structure", lambda s: _MORE_THAN_TEXT.search(s.body) is not None)
VETOES = (
    Veto("all of it is quoted", lambda s: s.inner == [s.opened + 1, s.end - 1]),
    Veto("two quotes stand beside each other", _is_doubled),
    Veto("a quote at its edge stands beside an escaped one",
         lambda s: s.text.startswith('""\\"', s.opened) or s.text.startswith('\\"""', s.end - 3)),
    Veto("three quotes end it, and four would with its own",
         lambda s: s.text.startswith('"""', s.end - 2) and s.text[s.end - 3] != '"'),
    Veto("it is escaped twice", lambda s: any(s.text[at - 1] == "\\" for at in s.inner)),
    Veto("it is two strings", _is_divided),
    Veto("an element ends at a quote that is none in words, with a comma behind it", lambda s: s.place != "{" and any(
        s.text[at + 1 : at + 2] in {*COMMAS} for at in s.inner if is_neutral(s.text, at, -1))),
    Veto("a quote in it stands between a comma and an escaped one, as where a string begins with that",
         lambda s: any(s.text[at - 1] in COMMAS and s.text.startswith('\\"', at + 1) for at in s.inner)),
    Veto("a comma ends a line of elements",
         lambda s: s.place != "{" and _COMMA_LINE.search(s.text, s.opened, s.end) is not None),
    _MEMBER_INSIDE,
)  # fmt: skip
"""For a string that ends at a quote with other quotes before it."""
FOREIGN_VETOES = (
    Veto("double quotes do not pair up, or are escaped twice", _has_odd_doubles),
    Veto("other quotes end a text in it that they did not begin", lambda s: ends_text(s.body)),
    Veto("it is but one quote, before a plain one", lambda s: s.end == s.opened + 1 and (
        s.quote not in "'\"`" and s.text[s.end] == '"')),
)  # fmt: skip
"""For a string between other quotes than JSON's."""
KEY_VETOES = (
    Veto("its quotes do not pair up, stand around all of it, or around more than words", lambda s: s.inner != [] and (
        (s.inner[0] == s.opened + 1 and s.inner[-1] == s.end - 1) or not s.pairs or not s.body.strip()
        or '""' in s.body or not _STRUCTURE_IN_KEY.isdisjoint(s.body))),
    Veto("it is quoted in two ways", lambda s: s.quote != '"' and (
        '"' in s.body or s.body[:1] in QUOTES or s.body[-1:] in QUOTES or (s.quote == "'" and "''" in s.body))),
)  # fmt: skip
"""For a key."""
UNCLOSED_VETOES = (
    Veto("a bracket in it has no other",
         lambda s: any(s.body.count(one) != s.body.count(other) for one, other in ("{}", "[]"))),
    _SWALLOWED,
    Veto("no quote in it is one of a quotation", lambda s: s.inner != [] and all(
        at in s.pairing.halves or is_neutral(s.text, at, s.opened + 1) for at in s.inner)),
    Veto("its only sign is an escaped quote, which may end it", lambda s: s.body == '\\"'),
    Veto("its quotes do not pair up", lambda s: (
        s.end - 1 in s.inner[-1:] or (s.text.startswith('""', s.item) and s.place == "[")
        or not s.pairs or not s.body.strip())),
    Veto("what ends it may be half of a quotation inside", lambda s: s.sign != "" and (
        half_of(s.sign, s.text, s.opened + 1, s.end) or (s.quote == '"' and s.sign in _SINGLE_ENDS))),
    Veto("the quote of the next key stands right behind a comma, and before a blank or another quote", lambda s: (
        s.place == "{" and s.text[s.item - 1] in COMMAS and s.text[s.item + 1 : s.item + 2] in {" ", *QUOTES})),
    Veto("it ends in a comma, or is an element that ends in one and a number or a literal", lambda s: (
        s.sign == "" and _ENDS_IN_ITEM.search(s.body) is not None
        and (s.place != "{" or s.body.rstrip()[-1] in COMMAS))),
    Veto("a quote of another sort that pairs with none ends it", _ends_in_other_quote),
    _NUMBER,
    Veto("other quotes", _has_other_quotes),
    _MEMBER_INSIDE,
    Veto("it has lines, as an element, or before what stands on the last of them", lambda s: "\n" in s.body and (
        s.place != "{" or ("\n" not in s.text[s.end : s.item] and _COMMA_LINE.search(s.body) is not None))),
)  # fmt: skip
"""For a string without its closing quote."""
LAST_VETOES = (
    _SWALLOWED,
    _NUMBER,
    Veto("a quotation is open in it, it ends with half of one or a comma, or an element has a comma", lambda s: (
        '"' in s.body or s.body.rstrip()[-1:] in (*OTHER_ENDS, *COMMAS, *";；")
        or half_open(s.text, s.opened + 1, s.end) or (s.place != "{" and "," in s.body))),
    _MEMBER_INSIDE,
)  # fmt: skip
"""For the last string of a text, without its closing quote."""
