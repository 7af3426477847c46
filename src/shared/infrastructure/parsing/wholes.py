"""Finds out whether a candidate is only a part of something larger that cannot be read: then it is no answer.

What stands unread beside a value in an array, a tuple or a list of Markdown is part of the same. An array whose
elements have numbers or bullets is no JSON. As far as the scanner can tell its bracket belongs to prose, and an object
in it is found alone.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain

from src.shared.domain.edits import kinds_of
from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.openings import ELEMENT_LIMIT, KEY_LIMIT
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.signs import (
    ANY_QUOTE,
    CLOSING_QUOTES,
    COLON_LIKE,
    COLONS,
    COMMAS,
    MARGIN,
    NUMBER,
    OPENING_QUOTES,
    QUOTES,
)
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.state import Span

MARKER_LIMIT = 12
"""Most blanks after a number or a bullet."""
BESIDE_LIMIT = 2_000
"""Characters before a value in which the element before it has to stand."""
LEVELS = 8
"""Most brackets around a value that are looked at, from the inside."""
_MARKER_TAIL = 40
_LINE_BLANKS = rf"[ \t]{{0,{MARKER_LIMIT}}}+"
_MARKER = rf"""
    (?: [*_]{{0,3}}+ (?:
        [\-*•·–—+▪▫●○◦‣◆■□►➤]                                              # a bullet
      | [(（]?+ (?: \d{{1,4}} | [A-Za-z] | [ivxIVX]{{1,5}} | [一二三四五六七八九十]{{1,3}} )
        [.)．）、:：]{{1,2}}+                                                 # 1. a) (1) 一、
      | \# [ ]? \d{{1,4}}
      | [①-⓿❶-➓]
    ) [*_]{{0,3}}+ {_LINE_BLANKS} )
"""
_STRING = r'"[^"\\\n]*+' + repeated(r'\\.[^"\\\n]*+') + '"'
_SCALAR = rf"(?: {_STRING} | '[^'\n]*+' | “[^”\n]*+” | {NUMBER} | (?i:true|false|null|none)\b )"
_SCALAR_ENDS = r"[ \t]*+ (?: [,，;；)\]］）>}<`~\n] | \Z )"
_OWN_MARKER = expression(rf"(?: \A | (?<= [\s,，;；、\[(［（] ) ) {_MARKER} \s*+ \Z", re.VERBOSE)
_NEXT_ELEMENT = expression(rf"[,，;；、] \s*+ (?P<at> \S ) | (?<=\n) [ \t]*+ (?P<marked> {_MARKER} \S )", re.VERBOSE)
_NEXT_SCALAR = expression(rf"\s*+ [,，] \s*+ (?P<at> {_MARKER}? {_SCALAR} ) {_SCALAR_ENDS}", re.VERBOSE)
_LAST_SCALAR = expression(rf"(?: \A | [\s(（,，] ) {_MARKER}? {_SCALAR} \s*+ [,，] \s*+ \Z", re.VERBOSE)
_NEXT_LINE = expression(
    rf"[ \t]*+ [,，]?+ \s*+ (?<=\n) [ \t]*+ (?P<at> {_MARKER} {_SCALAR} ) {_SCALAR_ENDS}", re.VERBOSE
)
_LAST_LINE = expression(rf"^ [ \t]*+ {_MARKER} {_SCALAR} [ \t]*+ [,，]?+ \s*+ \Z", re.VERBOSE | re.MULTILINE)
_BRACKET = expression(
    rf"""
      (?<= [\s\[(［（,，、.] ) {_STRING} (?= \s*+ [,，;；)\]］）] )               # an element
    |
      [\[(] \s? [^\[\](){{}}\n,，]{{1,20}}+ [,，] [^\[\](){{}}\n,，]{{1,20}}+ [)\]]   # [0, 1): an interval
    | [\[\]［］()（）]
    """,
    re.VERBOSE,
)
_SQUARE, _ROUND = frozenset("[［"), frozenset("(（")
_CLOSES_SQUARE, _CLOSES_ROUND = frozenset("]］"), frozenset(")）")
_NUMBER_BEFORE = expression(r"[\s,，](?:\d{1,3}|[A-Za-z])\Z")
_NUMBER_TAIL = 4
_BEFORE_NEXT_ARGUMENT = frozenset((*COMMAS, "="))
_SEPARATORS = frozenset(",，;；、") | {""}
"""After what another element may follow; nothing stands before the first."""


def unread_beside(text: str, span: Span, value: Value, before: Iterable[Span], after: Iterable[Span]) -> int | None:
    """Where something stands that an array, a tuple or a list holds beside a value; None if there is nothing.

    `before` and `after` are the parts of the span outside every candidate. A bracket that never closes counts if the
    value is its first element or follows a comma: `[0, 1` in prose does not.
    """
    opened = array("q")  # a list would take four times as much
    for _ in _closed(text, before, opened):
        pass
    around = opened[: -LEVELS - 1 : -1]
    ends = {bracket: end for bracket, end in _closed(text, after, opened) if bracket < value.start}
    inside = Span(value.start, value.end)
    for bracket in around:
        end = ends.get(bracket)
        place = _beside_in(text, inside, bracket, end)
        if place is None and end is None and text[bracket] in _SQUARE and not text[span.start : bracket].strip():
            place = _next_element(text, inside.end, span.end)  # all of the text is in it
        if place is not None:
            return place
        inside = inside if end is None else Span(bracket, end + 1)
    return None if ends.keys() & around else _beside_without_bracket(text, span, value)


def _closed(text: str, parts: Iterable[Span], opened: array[int]) -> Iterator[tuple[int, int]]:
    """The square and round brackets that close in some parts of the text; `opened` has those that are open after all.

    A round bracket that nothing opened, as in `1)`, closes nothing.
    """
    squares = sum(text[at] in _SQUARE for at in opened)
    for bracket in chain.from_iterable(_BRACKET.finditer(text, start, end) for start, end in parts):
        char, at = bracket.group(), bracket.start()
        if char in _SQUARE or char in _ROUND:
            opened.append(at)
            squares += char in _SQUARE
        elif char in _CLOSES_SQUARE and squares:
            while text[opened[-1]] in _ROUND:
                opened.pop()
            squares -= 1
            yield opened.pop(), at
        elif (
            char in _CLOSES_ROUND
            and opened
            and text[opened[-1]] in _ROUND
            and not _NUMBER_BEFORE.search(text[max(0, at - _NUMBER_TAIL) : at])
        ):
            yield opened.pop(), at


def _beside_in(text: str, inside: Span, opened: int, end: int | None) -> int | None:
    """The same for one bracket around the value, or around the bracket inside it that holds the value."""
    lead = text[opened + 1 : inside.start]
    marker = _OWN_MARKER.search(lead, max(0, len(lead) - _MARKER_TAIL))
    head = (lead[: marker.start()] if marker else lead).rstrip(" \t")
    last = head.rstrip()[-1:]
    if text[opened] in _ROUND:
        return _argument_beside(text, inside, opened, head, is_whole=end is not None)
    is_next = last in _SEPARATORS or (marker is not None and head[-1] == "\n" and last not in COLONS)
    if end is None:
        return opened if is_next else None
    after = _next_element(text, inside.end, end)
    if after is not None:
        return after
    if last and (is_next or not _SEPARATORS.isdisjoint(head)):
        return inside.start - len(lead.lstrip())
    return inside.start if not lead.strip() else None


def _next_element(text: str, start: int, end: int) -> int | None:
    found = _NEXT_ELEMENT.search(text, start, end)
    return found.start(found.lastgroup or 0) if found else None


def _argument_beside(text: str, inside: Span, opened: int, head: str, *, is_whole: bool) -> int | None:
    """The same in a tuple, or in a call that never closes; a whole call may have an object for one of its arguments."""
    is_call = text[opened - 1 : opened].isalnum() and opened > 0
    after = _NEXT_SCALAR.match(text, inside.end)
    if is_call and is_whole:
        return None
    if after or _LAST_SCALAR.search(head[-BESIDE_LIMIT:]):
        return after.start("at") if after else inside.start
    return opened if is_call and head.rstrip()[-1:] in _BEFORE_NEXT_ARGUMENT else None


def _beside_without_bracket(text: str, span: Span, value: Value) -> int | None:
    """The same in a list of Markdown, and for a comma and a scalar right after the value."""
    lead = text[max(span.start, value.start - BESIDE_LIMIT) : value.start]
    marker = _OWN_MARKER.search(lead)
    head = lead[: marker.start()] if marker else lead
    after = _NEXT_SCALAR.match(text, value.end, span.end)
    after = after if after and len(after["at"]) <= ELEMENT_LIMIT else None  # a longer quotation is prose
    if marker and not head.rpartition("\n")[2].strip():
        after = after or _NEXT_LINE.match(text, value.end, span.end)
    if marker and not after and (_LAST_LINE.search(head) or _LAST_SCALAR.search(head)):
        return value.start
    return after.start("at") if after else None


_CLOSERS = expression(r"[\s}\]｝］]*+")
_LEVELS = {
    "{": (expression(r"[{}｛｝]++"), {"{": 1, "｛": 1, "}": -1, "｝": -1}),
    "[": (expression(r"[\[\]［］]++"), {"[": 1, "［": 1, "]": -1, "］": -1}),
}
"""Runs of brackets of either kind, and what each does to the depth."""
_BLANKS = rf"\s{{0,{MARGIN}}}"
_KEY_BEFORE = expression(
    rf"(?:[{CLOSING_QUOTES}](?:{COLON_LIKE}|[\s(\[{{;]){{1,{MARGIN}}}"
    rf"|[,，]{_BLANKS}\w{{1,{KEY_LIMIT}}}{_BLANKS}{COLON_LIKE}\s*+){ANY_QUOTE}?\s*+\Z"
)
"""A key, and what may stand for its colon or be written beside it."""
_NAME_BEFORE = expression(
    rf"(?:\A|[\n,，{{\[(]){_BLANKS}(?:{ANY_QUOTE}|\*\*)?[\w$\-]{{1,{KEY_LIMIT}}}(?:\*\*)?{_BLANKS}{COLON_LIKE}[ \t]*+\Z"
)
"""A name alone before a value on its line: a heading, or a bare key."""
_COMMA_BEHIND = expression(rf"\s*+[{COMMAS}]")
_KEYS = "|".join(
    f"{opening}[^{OPENING_QUOTES}{CLOSING_QUOTES}\n]{{1,{KEY_LIMIT}}}[{closing}]"
    for opening, closing in QUOTES.items()
    if opening != "`"  # Markdown writes a name so
)
_MEMBER_BEFORE = expression(rf"[,，{{\[(\n]{_BLANKS}(?:{_KEYS}){_BLANKS}[{COLONS}]\s*+\Z")
"""A quoted key where a member would begin: the value is that member's, and the object around it has no bracket."""
_CALL_CLOSES = expression(r"\s*+[)）]")
_BEFORE_ARGUMENT = ("(", "（", ",", "，")
_PART = 1 << 16
"""Characters whose brackets are listed together: a list of all would take twenty times the text."""
LOOK_BACK = KEY_LIMIT + 4 * MARGIN
"""Characters before a value in which the key that it belongs to has to stand."""


def place_in_more(text: str, span: Span, value: Value, others: Iterable[Value]) -> int | None:
    """Where something shows that a value is only a part of something larger; None if nothing does.

    That is something unread beside it in an array, braces outside every candidate that open before it
    and close after it, or a key before it. A brace that only opens, or only closes, is prose, except one that closes
    after a value whose own was missing or behind which a comma stands, and one that opens before a value in which one
    closed too many: that one was its own.
    """
    if not (text[span.start : value.start].strip() or text[value.end : span.end].strip()):
        return None
    before: list[Span] = []
    after: list[Span] = []
    at = span.start
    for other in [*sorted(others, key=lambda found: found.start), None]:
        end = other.start if other else span.end
        if at < end:
            (before if end <= value.start else after).append(Span(at, end))
        at = max(at, other.end) if other else at
    opened, _ = _unmatched(text, before)
    _, closed = _unmatched(text, after)
    lead = text[max(span.start, value.start - LOOK_BACK) : value.start]
    if value.start - span.start < LOOK_BACK:
        lead = "\n" + lead  # for the beginning
    kinds = kinds_of(value.edits)
    has_surplus = RepairKind.SURPLUS_BRACKET in kinds
    needs_brackets = has_surplus or RepairKind.MISSING_BRACKET in kinds
    is_in_open_call = lead.rstrip().endswith(_BEFORE_ARGUMENT) and _CALL_CLOSES.match(text, value.end) is None
    is_part = (
        _lost_its_rest(text, span, value)
        or (closed - opened and _COMMA_BEHIND.match(text, value.end) is not None)
        or (has_surplus and ("{" in opened or _KEY_BEFORE.search(lead) is not None))
        or (has_surplus and _NAME_BEFORE.search(lead) is not None and _goes_on_behind(text, value))
        or (needs_brackets and ("[" in opened or is_in_open_call))
        or "{" in opened & closed
        or (text[value.start] in closed and _KEY_BEFORE.search(lead) is not None)
        or _MEMBER_BEFORE.search(lead) is not None
    )
    return value.start if is_part else unread_beside(text, span, value, before, after)


def _goes_on_behind(text: str, value: Value) -> bool:
    """Whether a value has members behind the brace of its own, which was taken for one too many."""
    surplus = (edit.offset for edit in value.edits if edit.kind is RepairKind.SURPLUS_BRACKET and not edit.put)
    return any(
        _COMMA_BEHIND.match(text, at + 1) and text.count("{", value.start, at) == text.count("}", value.start, at + 1)
        for at in surplus
    )


def _lost_its_rest(text: str, span: Span, value: Value) -> bool:
    """Whether a bracket that nothing opened stands after further text: that was inside, too.

    So it is behind a value of which a bracket was supplied, or that was escaped as in a string of something larger.
    """
    if not {RepairKind.MISSING_BRACKET, RepairKind.ESCAPED_JSON} & kinds_of(value.edits):
        return False
    rest = _CLOSERS.match(text, value.end).end()  # type: ignore[union-attr]  # it matches the empty text too
    return bool(_unmatched(text, [(rest, span.end)])[1])


def _unmatched(text: str, parts: Iterable[tuple[int, int]]) -> tuple[set[str], set[str]]:
    """The kinds of brackets that open and never close, and of those that close what never opened."""
    opened: set[str] = set()
    closed: set[str] = set()
    windows = [(at, end) for start, end in parts for at in range(start, end, _PART)]
    for kind, (brackets, level) in _LEVELS.items():
        found = chain.from_iterable(brackets.findall(text, at, min(at + _PART, end)) for at, end in windows)
        lowest = depth = 0
        for depth in accumulate(map(level.__getitem__, chain.from_iterable(found))):
            lowest = min(lowest, depth)
        if lowest < 0:
            closed.add(kind)
        if depth > lowest:
            opened.add(kind)
    return opened, closed
