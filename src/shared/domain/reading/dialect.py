"""What a text writes in its own way again and again, and the expressions that pass over all of it at once.

A spelling that was met once is a habit: from there on it is no damage but the dialect of the text. A run of members or
of elements that are undamaged in the dialect is one match of its expression, however many they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.escapes import stand
from src.shared.domain.reading.machine import Dialect, Machine, Place
from src.shared.domain.reading.signs import (
    ALL_BRACKETS, ANY_QUOTE, BARE_NAME, BLANK, CLOSERS, COLONS, COLON_LIKE, COMMAS, CURLY_STRING, FOREIGN_WORDS,
    LITERAL, LITERALS, NAME_SIGN, NUMBER, ONE_LINE_STRING, OPEN, OPENERS, OTHER_ENDS, SINGLE_STRING, STRING, W,
    closers_in, literal_kind,
)  # fmt: skip
from src.shared.domain.repair import RepairKind

SINGLE, CURLY, BARE, WORDS, WIDE = "single", "curly", "bare", "words", "wide"
COLONLESS, QUOTING = "colonless", "quoting"
"""The habits: strings in single or typographic quotes, keys without any, Python's literals, full-width signs, no
colons, words in quotes inside strings."""
HABITS = (SINGLE, CURLY, BARE, WORDS, WIDE, COLONLESS, QUOTING)
_NO_HABITS: frozenset[str] = frozenset()
_FIRST_SIGNS = {"'": frozenset({SINGLE, WORDS}), "“": frozenset({CURLY})}
"""What the first sign of a text says of all of it: a guess, that only chooses the expression to begin with."""
_LEAD = 60
"""Characters behind the first bracket among which its first sign stands."""
PUT = {**OPENERS, **CLOSERS, **dict.fromkeys(COMMAS, ","), **dict.fromkeys(COLONS, ":")}
"""A sign of structure in either width → the plain one."""
_WIDE = "".join(wide for wide, plain in PUT.items() if wide != plain)


def _as_key(string: str) -> str:
    """The expression of a string of one line without a colon in it: a key with one is looked at by itself."""
    return string.replace(r"\n]", rf"\n{COLONS}]")


_PLAIN = rf"[^\"\\\n{COLONS}{OTHER_ENDS}{ALL_BRACKETS}]"
_NO_LITERAL = rf"(?!{LITERAL})"
_WORD = rf"{_NO_LITERAL}(?![bfru]{ANY_QUOTE})[^\W\d_]"
"""The first letter of a word, which is no literal, nor what Python writes before a quote."""
_TEXT = repeated(rf"{_PLAIN}++|['’](?=\w)|[{COLONS}](?=\ ?{_NO_LITERAL}[^\W\d])|\n\s*+(?![„‟‚「『«])|\\[nt]")
"""Text in which no quote can end a string, no member can stand, and no bracket."""
_QUOTATIONS = repeated(rf'" {_WORD} {_PLAIN}*+ (?<=[^\W\d_]) " {_TEXT}', "{1,20}")
_QUOTING_MEMBER = expression(rf"""
    {W} {_as_key(ONE_LINE_STRING)} {W} : {W}
    (?P<last> " (?!"[^"]*+"")
      {_TEXT} {_QUOTATIONS}
    " )
    """, re.VERBOSE)  # fmt: skip
"""A member whose string has quotations in it."""
_BEHIND_QUOTING = expression(rf"""
      {BLANK}*+ (?P<comma>,) (?= {W} (?: "[^"\\\n]{{1,100}}+"{W}: | \}} ) )   # another member, or the end
    | (?= {W} \}} {W} [,}}\]] )
    """, re.VERBOSE)  # fmt: skip
"""What shows that such a string ends."""
_BEHIND_QUOTATION = expression(rf"""
      {BLANK}?{_WORD}
    | [.!?)）？！] (?! \s*+ {ANY_QUOTE} )
    | [{COMMAS}。、;；] {BLANK}? {_WORD} {NAME_SIGN}*+ (?! ["'”’]? \s*+ {COLON_LIKE} )
    | [.。!?]? " {BLANK}*+ ,? {BLANK}*+ \n   # the quotation ends the string
    """, re.VERBOSE)  # fmt: skip
"""What stands behind the quote that ends a quotation, and behind none that ends a string."""


@lru_cache(maxsize=64)
def dialect(habits: frozenset[str]) -> Dialect:
    """The dialect of these habits."""
    wide = WIDE in habits
    comma, colon, opener = (f"[{COMMAS}]", f"[{COLONS}]", OPEN) if wide else (",", ":", r"[{\[]")
    object_end, list_end = ("[}｝]", r"[\]］]") if wide else (r"\}", r"\]")
    keys = [_as_key(ONE_LINE_STRING)]
    scalars = [STRING, NUMBER + r"(?![\d.\w])", "true", "false", "null"]
    spelled = [STRING]
    for habit, is_key, body, ahead in (
        (CURLY, True, CURLY_STRING, ""),
        (SINGLE, True, SINGLE_STRING, ""),
        (WORDS, False, FOREIGN_WORDS, ""),
        (BARE, True, BARE_NAME, rf"(?={W}{colon})"),
    ):
        if habit in habits:
            keys += [_as_key(body)] if is_key else []
            scalars += [body] if habit != BARE else []
            spelled.append(f"(?P<{habit}>{body}){ahead}")
    spelled += [f"(?P<{WIDE}>[{_WIDE}])"] if wide else []
    key, scalar = f"(?:{'|'.join(keys)})", f"(?:{'|'.join(scalars)})"
    return Dialect(
        habits,
        _run(rf"{W}{key}{W}{colon}{W}", scalar, comma, opener, object_end),
        _run(W, scalar, comma, opener, list_end),
        expression(rf"{W}(?:(?P<comma>{comma})|(?P<close>[}}\]{'｝］' if wide else ''}]))"),
        expression("|".join(spelled), re.DOTALL) if spelled[1:] else None,
    )


def _run(lead: str, scalar: str, comma: str, opener: str, end: str) -> re.Pattern[str]:
    whole = repeated(rf"{lead}(?P<last>{scalar}){BLANK}*+{comma}")  # a comma on a line of its own may say more
    tail = repeated(rf"{lead}(?:(?P<open>{opener})|(?P<value>{scalar}){W}(?P<close>{end}))", "?")
    return expression(f"(?P<run>{whole}){tail}", re.DOTALL)


def first_dialect(text: str, start: int) -> Dialect:
    """What the first sign behind the bracket at an offset lets expect."""
    return dialect(_FIRST_SIGNS.get(text[start + 1 : start + _LEAD].lstrip(" \t\r\n[{")[:1], _NO_HABITS))


def pass_run(m: Machine) -> Place:
    """Pass over what is undamaged, and say what comes next."""
    frame, text, at = m.stack[-1], m.text, m.at
    is_object = frame.kind == "{"
    puts, end = m.known.put, len(text)
    run_end = min((put for put in puts if put >= at), default=end) if puts else end
    run_end = at if frame.opened == m.known.counted else run_end
    items = m.dialect.members if is_object else m.dialect.elements
    while True:
        found: re.Match[str] = items.match(text, at, run_end)  # type: ignore[assignment]  # it matches no text, too
        run, end, name = found.end("run"), found.end(), found.lastgroup
        if name == "close":
            end -= 1
        if m.dialect.spelled is not None and end > at:
            m.edits += _spelled(m.dialect.spelled, text, at, end)
        if run > at:
            _passed(m, found.span("last"), run - 1)
        if name == "open":
            if end - 1 in m.known.dropped:
                return m.go(end - 1, Place.VALUE if is_object else Place.ELEMENT)
            m.push(OPENERS[text[end - 1]], end - 1)
            return m.go(end, Place.INSIDE)
        if name == "close":
            _passed(m, found.span("value"))
            return m.go(end, Place.AFTER)
        place = Place.KEY if is_object else Place.ELEMENT
        if is_object and QUOTING in m.habits:
            place = _pass_quoting(m, run, run_end)
        if place is not Place.INSIDE:
            return place if place is Place.AFTER else m.go(run, place)
        at = m.at


def _passed(m: Machine, last: tuple[int, int], comma: int = -1) -> None:
    """A run of items was passed over, of which this was the last value, and the comma behind it."""
    frame = m.stack[-1]
    m.last, frame.end = last
    frame.items += 1
    if comma >= 0:
        frame.comma = comma
        frame.items += 1
    m.closed.clear()


def _pass_quoting(m: Machine, start: int, limit: int) -> Place:
    """Pass over a member with words in quotes inside its string, if each quote can only be what it seems to be."""
    text, member = m.text, _QUOTING_MEMBER.match(m.text, start, limit)
    behind = member and _BEHIND_QUOTING.match(text, member.end(), limit)
    if member is None or behind is None:
        return Place.KEY
    first, end = member.span("last")
    at, closes = text.find('"', first + 1), False
    edits: list[Edit] = []
    while at < end - 1:
        if closes and not _BEHIND_QUOTATION.match(text, at + 1):
            return Place.KEY
        edits.append(Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE))
        at, closes = text.find('"', at + 1), not closes
    m.edits += edits
    if behind.lastgroup:
        _passed(m, (first, end), behind.end() - 1)
        return m.go(behind.end(), Place.INSIDE)
    _passed(m, (first, end))
    return m.go(end, Place.AFTER)


def wide(m: Machine, at: int) -> None:
    """A sign of structure in either width stands there: the plain one."""
    put = PUT[m.text[at]]
    if put != m.text[at]:
        m.edit(at, 1, put, RepairKind.FULL_WIDTH_PUNCTUATION)
        m.habit(WIDE)


def _spelled(spelled: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Edit]:
    """The edits of a run."""
    for found in spelled.finditer(text, start, end):
        at, to = found.span()
        name = found.lastgroup
        if name in (SINGLE, CURLY):
            kind = RepairKind.SINGLE_QUOTE if name == SINGLE else RepairKind.SMART_QUOTE
            yield from requoted(text, at, to - 1, 1, kind)
        elif name == WORDS:
            yield Edit(at, to - at, LITERALS[found.group()], literal_kind(found.group()))
        elif name == BARE:
            yield Edit(at, to - at, f'"{found.group()}"', RepairKind.UNQUOTED_KEY)
        elif name == WIDE:
            yield Edit(at, 1, PUT[found.group()], RepairKind.FULL_WIDTH_PUNCTUATION)


def requoted(text: str, opened: int, end: int, closing: int, kind: RepairKind) -> Iterator[Edit]:
    """The edits of a string between other quotes than JSON's: those quotes, and what of its text JSON needs escaped.

    Args:
        text: the text.
        opened: offset of its opening quote.
        end: offset of its closing quote.
        closing: how long that is; the opening one is as long, and one character where that is missing.
        kind: the repair.
    """
    length = closing or 1
    first = opened + length
    if stand(text, first, end) and text.find('\\"', first, end) < 0:
        body = text[first:end].replace('"', '\\"')
        yield Edit(opened, end + closing - opened, f'"{body}"', kind)
        return
    yield Edit(opened, length, '"', kind)
    for at in closers_in(text, '"', first, end):
        if text[at] == '"':
            yield Edit(at, 0, "\\", None)
        elif text[at + 1] == text[opened] != '"':
            yield Edit(at, 1, "", None)
    yield Edit(end, closing, '"', None)
