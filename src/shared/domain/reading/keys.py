"""Where a key is expected, and what stands between it and its value."""

from __future__ import annotations

import re

from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import TRUNCATED, TWO_NUMBERS
from src.shared.domain.reading import brackets, ends, strings
from src.shared.domain.reading.dialect import BARE, COLONLESS, wide
from src.shared.domain.reading.gaps import drop_ellipsis, skip_gap, skip_space
from src.shared.domain.reading.machine import Decision, Decisions, Machine, Place, Refusal
from src.shared.domain.reading.quotes import AFTER_KEY, QUOTED_KEY
from src.shared.domain.reading.reading import NO_KEY, NO_VALUE, PYTHON_SET
from src.shared.domain.reading.signs import (
    ANY_QUOTE, BLANK, BRACKETS, CLOSERS, CLOSING, CLOSING_QUOTES, COLONS, COLON_LIKE, COMMAS, ITEM_END, MARGIN,
    NAME_SIGN, ONE_LINE_STRING, OPENERS, OPENING_QUOTES, QUOTED, QUOTES, SCALARS, SINGLE_STRING, STRING, STRING_PREFIX,
)  # fmt: skip
from src.shared.domain.repair import RepairKind as K

BARE_KEY = expression(
    rf"(?P<key>[\w$]{NAME_SIGN}*+"
    + repeated(rf"[ .]{NAME_SIGN}++", "{0,5}")
    + repeated(repeated(r":(?://)?[\w$][\w$./\-]*+", "{1,3}") + r"(?=:[\s\"'{\[])", "?")
    + rf")(?P<stray>[\"'”’]?+)\s*+(?P<colon>{COLON_LIKE})"
)
_THOUSANDS = expression(r"\d{3}(?!\d)")
PREFIX = expression(rf"""
    {STRING_PREFIX}
    (?! . [${CLOSING}] (?! \s{{0,{MARGIN}}} ["'] \s{{0,{MARGIN}}} [${CLOSING}] ) )   # then its first quote is missing
    """.replace("$", COMMAS + COLONS), re.DOTALL | re.VERBOSE)  # fmt: skip
"""The same before a string that has its first quote."""
BOLD = expression(rf"(?P<mark>\*\*|__|[*_])(?P<text>{STRING}|[^\W_][\w$ .\-]{{0,200}})(?P=mark)", re.DOTALL)
"""A string or a name between Markdown's marks."""
ESCAPED = expression(r'\\"(?P<text>[^"\\]*+' + repeated(r'\\[^"][^"\\]*+') + r')\\""?')
"""A string between escaped quotes; real outputs have a plain one behind the last, too."""
_ITEM = rf"(?:{SCALARS}|{ONE_LINE_STRING})"
_LIST_TAIL = expression(repeated(rf"{_ITEM}\s*+,\s*+") + rf"{_ITEM}\s*+\]\s*+[,}}]")
_LIST_ITEM = expression(rf"{_ITEM}\s*+[,\]]|[{{\[]")
_MAY_BE_LAST = expression(rf"""
    (?: {ANY_QUOTE} [^\n\"'“”{COLONS}{BRACKETS}]*+ [{CLOSING_QUOTES}]?
      | [^\W\d]{NAME_SIGN}*+ | \*\* [^\n*\"{COLONS}{BRACKETS}]*+ \*{{0,2}}
      | \\ (?: " [^\\"\n{COLONS}{BRACKETS}]*+ (?: \\"? )? )?
    ) \s*+""", re.VERBOSE)  # fmt: skip
"""A key that nothing follows, perhaps not to its end."""
_WITHOUT_VALUE = expression(
    rf"(?:{QUOTED})\s*+(?=[^{OPENING_QUOTES}{CLOSING_QUOTES}{COLONS}=\n{{\[]{{0,80}}{ITEM_END})"
)
"""A key, and no colon up to the next item."""
_TEXT = rf"(?:{ONE_LINE_STRING}|{SINGLE_STRING})"
_NEXT_ELEMENTS = repeated(rf"\s*+,\s*+(?:{_TEXT}|{SCALARS})", "+")
_SET = expression(rf"(?:(?:{_TEXT}|{SCALARS}){_NEXT_ELEMENTS}\s*+,?+|{SINGLE_STRING})\s*+\}}")
"""Elements between the brackets of an object; one alone in Python's spelling."""
_BARE_COLONLESS = expression(rf"(?P<key>[\w$]{NAME_SIGN}*+)(?P<stray>)(?P<colon>)(?={BLANK}++{_TEXT}\s*+[,}}])")
"""A key without quotes or a colon, and a whole string."""
_SEMICOLON = expression(rf"(?:{QUOTED})\s*+(?P<sign>[;；])\s*+(?:(?:{SCALARS}|{ONE_LINE_STRING})\s*+{ITEM_END}|[{{\[])")
_LIKE_COLON = frozenset(f";；=-{COMMAS}{CLOSING_QUOTES}")
"""What stands for a colon perhaps, inside of the quotes of a key that has none."""
_ONE_SCALAR = expression(rf"{SCALARS}(?![\w.])")


def step(m: Machine) -> Place:
    """A key, and its colon, or what stands in place of one."""
    m.is_bare = False
    return DECISIONS.make(m, skip_gap(m, m.at))


def _quoted(m: Machine, at: int) -> Place:
    try:
        end = strings.key(m, at)
    except Refusal:
        if place := _list_reopened(m, at) or _list_unopened(m, at):
            return place
        if whole := _WITHOUT_VALUE.match(m.text, at):
            raise Refusal(whole.end(), NO_VALUE) from None
        raise
    return _colon(m, end)


def _set(m: Machine, at: int) -> Place:
    frame = m.stack[-1]
    if frame.comma < 0 and _SET.match(m.text, at):
        raise Refusal(frame.opened, PYTHON_SET)
    return Place.PASS


def _semicolon(m: Machine, at: int) -> Place:
    found = _SEMICOLON.match(m.text, at)
    if found is None:
        return Place.PASS
    m.edit(found.start("sign"), 1, ":", K.MISSING_COLON)
    return m.go(found.end("sign"), Place.VALUE)


def _last_key(m: Machine, at: int) -> Place:
    """A key, or what was to be one, with nothing behind it."""
    found = _MAY_BE_LAST.match(m.text, at)
    if found and ends.is_over(m, found.end()):
        raise Refusal(found.end(), TRUNCATED)
    return Place.PASS


def _bold(m: Machine, at: int) -> Place:
    bold = BOLD.match(m.text, at)
    if bold is None or bold["text"].rstrip('"')[-1:] in COLONS or not AFTER_KEY.match(m.text, bold.end()):
        return Place.PASS
    if bold["mark"] == "__" and bold["text"].isidentifier():
        raise Refusal(at)
    return _colon(m, put_around(m, bold, "" if bold["text"][0] == '"' else '"', K.MARKUP))


def _escaped(m: Machine, at: int) -> Place:
    found = ESCAPED.match(m.text, at)
    if found is None or not AFTER_KEY.match(m.text, found.end()):
        return Place.PASS
    if m.stack[-1].comma < 0 and len(m.stack) > 1:
        raise Refusal(at)
    return _colon(m, put_around(m, found, '"', K.ESCAPED_JSON))


def put_around(m: Machine, found: re.Match[str], put: str, kind: K) -> int:
    """What stands on both sides of a `text` becomes a quote or nothing; the place behind."""
    start, end = found.span("text")
    m.edit(found.start(), start - found.start(), put, kind)
    m.edit(end, found.end() - end, put, None)
    return found.end()


def _prefixed(m: Machine, at: int) -> Place:
    prefix = PREFIX.match(m.text, at)
    if prefix is None or not QUOTED_KEY.match(m.text, prefix.end()):
        return Place.PASS
    m.edit(at, prefix.end() - at, "", K.PYTHON_LITERAL)
    return _colon(m, strings.key(m, prefix.end()))


def _unopened(m: Machine, at: int) -> Place:
    bare = BARE_KEY.match(m.text, at)
    if bare is None or len(bare["stray"]) != 1:
        return Place.PASS
    m.edit(at, 0, '"', K.MISSING_QUOTE)
    if bare["stray"] != '"':
        m.edit(bare.start("stray"), 1, '"', None)
    return _colon(m, bare.end("stray"))


def _bare(m: Machine, at: int) -> Place:
    bare, frame = BARE_KEY.match(m.text, at), m.stack[-1]
    if bare is None and (frame.comma < 0 or COLONLESS in m.habits):
        bare = _BARE_COLONLESS.match(m.text, at)
    if bare is None or bare["stray"] or bare["colon"][:1] not in (*COLONS, "=", ""):
        return Place.PASS
    if frame.comma == at - 1 and _THOUSANDS.match(m.text, at) and m.text[at - 2].isdigit():
        return Place.PASS
    if BARE not in m.habits and frame.comma >= 0 and _ends_in_string(m.text, at) and (place := _reopen(m, at)):
        return place
    m.edit(at, len(bare["key"]), f'"{bare["key"]}"', K.UNQUOTED_KEY)
    m.habit(BARE)
    m.is_bare = True
    return _colon(m, bare.end("key"))


def _ends_in_string(text: str, at: int) -> bool:
    """Whether the line ends as one does in which a string goes on."""
    line_end = text.find("\n", at)
    return text[at : len(text) if line_end < 0 else line_end].rstrip().endswith(('",', '"', '"}'))


def _reopen(m: Machine, at: int) -> Place:  # noqa: ARG001 - all moves have it
    """The string before the comma was not over: what follows is no item."""
    start, frame = m.last, m.stack[-1]
    if start < 0 or start < frame.opened or frame.comma < start or m.text[start] not in QUOTES:
        return Place.PASS
    end = strings.later_end(m, start, frame.comma, frame.kind)
    if end < 0:
        return Place.PASS
    m.last = -1
    return m.go(end, Place.AFTER)


def _list_unopened(m: Machine, at: int) -> Place:
    frame = m.stack[-1]
    is_due = frame.comma > m.last >= 0 and not m.closed
    if not (is_due and _LIST_TAIL.match(m.text, at) and _ONE_SCALAR.match(m.text, m.last)):
        return Place.PASS
    last = m.last
    return m.choose(at, [lambda trial: brackets.open_list(trial, last, at)])


def _list_reopened(m: Machine, at: int) -> Place:
    closed, text = brackets.closed_last(m, "["), m.text
    if closed is None or not _LIST_ITEM.match(text, at):
        return Place.PASS
    first = text[skip_space(text, closed.opened + 1)]
    if (first in OPENERS or text[at] in OPENERS) and first != text[at]:
        return Place.PASS
    if (first in QUOTES) != (text[at] in QUOTES):
        raise Refusal(closed.opened, other=at)  # a list in a list whose own bracket is missing holds other elements
    return m.choose(at, [lambda trial: brackets.reopen(trial, at)])


def _no_key(m: Machine, at: int) -> Place:
    comma = m.stack[-1].comma
    raise Refusal(at, TWO_NUMBERS if comma >= 0 and m.text[comma - 1].isdigit() else NO_KEY)


DECISIONS = Decisions("key", NO_KEY, (
    Decision("elision", '".…[', drop_ellipsis, "an ellipsis", "refused", "none; with salvage it is dropped"),
    Decision("last key", "", _last_key, "a key, and the text is over", "refused", "none: the text is cut off"),
    Decision("semicolon for a colon", '"', _semicolon, "a semicolon", "colon", "a whole value and its end follow"),
    Decision("set", "\"'0123456789-tfnTFN", _set, "elements between braces", "refused",
             "none: a set of Python has no order"),
    Decision("quoted key", QUOTES, _quoted, "a quote", "read as a quoted key",
             "a colon, or a sign like one, follows; quoted words in the key pair up; no structure is in it"),
    Decision("closer for a key", CLOSERS, brackets.close_for_item, "a closing bracket behind a comma",
             "comma dropped", "it is the container's own bracket; any other is decided as behind a value"),
    Decision("comma for a key", COMMAS, brackets.drop_comma_for_item, "a comma", "dropped",
             "none; where it is first in an inner container, a trial against an empty container that was left open"),
    Decision("end for a key", "", ends.close_at_mark, "the text is over", "open containers closed",
             "the text shows that it is over"),
    Decision("list reopened", "0123456789-tfnTFN[{", _list_reopened, "an element behind a list and a comma",
             "the list's bracket dropped", "a trial"),
    Decision("opener for a key", OPENERS, brackets.close_before_opener, "an opening bracket",
             "object closed before the comma, or a doubled brace dropped", "a trial"),
    Decision("bold key", "*_", _bold, "**abc**", "marks dropped", "a colon-like sign follows"),
    Decision("escaped key", "\\", _escaped, 'a key in \\"', "marks dropped", "a colon-like sign follows"),
    Decision("prefixed key", "uUbBrRfF", _prefixed, 'u"abc"', "letter dropped", "a key in quotes follows"),
    Decision("unopened key", "", _unopened, 'abc":', "quote put",
             "a colon follows; the string before cannot go on here"),
    Decision("bare key", "", _bare, "abc:", "quotes put", "a colon follows; the string before cannot go on here"),
    Decision("string reopened", "", _reopen, "no item behind a comma", "the last string ends later",
             "a later end, before which all quotes pair up"),
    Decision("list not opened", "0123456789-tfnTFN", _list_unopened, "scalars behind a comma",
             "list bracket put before the last value",
             'only numbers, literals and strings stand before "]", and "," or "}" behind it'),
    Decision("no key", "0123456789", _no_key, "digits behind a comma", "refused",
             "none: the comma may separate thousands"),
))  # fmt: skip


def _colon(m: Machine, end: int) -> Place:
    """What stands behind the key that ends there; then its value."""
    m.at = end
    return COLON_DECISIONS.make(m, skip_gap(m, end))


def _colon_sign(m: Machine, at: int) -> Place:
    found = AFTER_KEY.match(m.text, at)
    sign = found and found["colon"]
    if not found or not sign:
        return Place.PASS
    if sign in COLONS:
        wide(m, at)
    else:
        m.edit(at, len(sign), ":", K.MISSING_COLON)
    return m.go(skip_gap(m, found.end()), Place.VALUE)


def _no_colon(m: Machine, at: int) -> Place:
    text, end = m.text, m.at
    if not AFTER_KEY.match(text, at):
        return Place.PASS
    key = text[max(m.start, end - 1 - strings.KEY_LENGTH) : end - 1] if text[end - 1] in CLOSING_QUOTES else ""
    name = key.rstrip(f"{COLONS} \t") if key[-1:] in (*COLONS,) else key
    if name[-1:] in _LIKE_COLON or (name == key and strings.is_end_of_key(text, end)):
        raise Refusal(end - 2)
    if name != key:
        m.edit(end - 1 - len(key) + len(name), len(key) - len(name), "", K.MISSING_COLON)
        m.edit(end, 0, ":", None)
    else:
        m.edit(end, 0, ":", K.MISSING_COLON)
    m.habit(COLONLESS)
    return m.go(at, Place.VALUE)


COLON_DECISIONS = Decisions("colon", NO_VALUE, (
    Decision("colon", "", _colon_sign, ": = => -> → :=", "read as a colon", "it stands behind a key"),
    Decision("colon forgotten", "", _no_colon, "no colon", "colon put",
             "the start of a value follows, or the colon stands inside the quotes of the key"),
))  # fmt: skip
