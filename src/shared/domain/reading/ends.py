"""Where the text, or its wrapping, is over while containers are open."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import TRUNCATED
from src.shared.domain.reading import brackets
from src.shared.domain.reading.machine import Frame, Machine, Place, Refusal
from src.shared.domain.reading.quotes import QUOTED_KEY
from src.shared.domain.reading.reading import NO_VALUE
from src.shared.domain.reading.signs import (
    ALL_BRACKETS, CLOSERS, CLOSER_OF, COLONS, COMMAS, FENCE, MARGIN, NAME_SIGN, OPENERS,
)  # fmt: skip
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.shown_end import MARKS, shows_end

_SWALLOWED_BEFORE = expression(rf"\"(?<!\\\")[^\"\n{{\[]{{1,{MARGIN}}}+(?<=[}}\]])\"\s*+[{COMMAS}}}\]]")
"""A bracket at the end of any string, with none in it that it could belong to."""
_NO_JSON = expression(rf"[^\s{COMMAS}{COLONS}{ALL_BRACKETS}][^{ALL_BRACKETS}\"]{{0,400}}+\Z")
"""The rest of the text, with nothing of JSON in it but perhaps a quote."""
_SIGNS_AND_FENCE = expression(rf"\s{{0,{MARGIN}}}+[\"'`”’)*;.。]{{1,10}}?\s{{0,{MARGIN}}}+(?:{FENCE})")
_BARE_KEY = expression(rf"{NAME_SIGN}{{1,60}}+\s*+[{COLONS}]")
_COMMA_ALONE = expression(rf"\n[ \t]*+[{COMMAS}][ \t]*+\n")
"""A comma alone on its line, as where a bracket before it was left out."""
_DUE = frozenset((*COLONS, *COMMAS, *OPENERS))
"""Behind one of these more has to come."""
_FEW = 40
"""Edits among which those of the last string are looked for."""


def close_at_mark(m: Machine, at: int) -> Place:
    """The end of the text, or a mark that may be that of its wrapping."""
    return _close(m, at) if at >= len(m.text) or m.text.startswith(MARKS, at) else Place.PASS


def end_for_value(m: Machine, at: int) -> Place:
    """The end where a value is due: nothing can be closed."""
    if at >= len(m.text):
        return _close(m, at)
    if m.text.startswith(MARKS, at):
        raise Refusal(at, TRUNCATED if is_over(m, at) else NO_VALUE)
    return Place.PASS


def close_before_text(m: Machine, at: int) -> Place:
    """Text that is no JSON, behind the last container: the brackets are missing there, if the type says so."""
    text, end = m.text, m.at
    if m.fits is None or text[end - 1] not in CLOSERS:
        return Place.PASS
    rest = _NO_JSON.match(text, at) if m.finished else None
    if not (rest or _SIGNS_AND_FENCE.match(text, end)) or QUOTED_KEY.match(text, at) or _BARE_KEY.match(text, at):
        return Place.PASS
    return _close_all(m, end, end)


def is_over(m: Machine, at: int) -> bool:
    """Whether the text is over at a place, or its wrapping."""
    return at >= len(m.text) or shows_end(m.text, m.start, at, finished=bool(m.finished))


def _close(m: Machine, at: int) -> Place:
    """Close what is open, if the end is shown; refuse where the text is cut off, or may go on behind the mark."""
    if at >= len(m.text) and not m.finished:
        raise Refusal(at, TRUNCATED)
    if not is_over(m, at):
        raise Refusal(at)
    if m.text[: m.at].rstrip()[-1:] in _DUE:
        raise Refusal(at, TRUNCATED)
    return _close_all(m, len(m.text[:at].rstrip()), at)


def _close_all(m: Machine, end: int, at: int) -> Place:
    """Close up to `at` what is open behind the last item, which ends at `end`, if nothing else can be missing."""
    text = m.text
    if brackets.SWALLOWED.search(text, max(0, end - MARGIN), end):
        raise Refusal(end, other=end - 1)
    if comma := _COMMA_ALONE.search(text, m.start, end):
        raise Refusal(end, other=comma.end() - 1)
    closers = "".join(CLOSER_OF[one.kind] for one in reversed(m.stack))
    for found in _SWALLOWED_BEFORE.finditer(text, m.start, end):
        if text[text.rfind('"', 0, found.end()) - 1] in closers:
            raise Refusal(end, other=found.start())
    if any(edit.kind is K.MISSING_QUOTE and not edit.length for edit in m.edits):
        raise Refusal(end, TRUNCATED)  # one end forgotten is a slip; a string's and the object's, a text in pieces
    if m.closed or text[end - 1] in CLOSERS:
        brackets.check_closed(m, end, _closed_at_end(m))
    m.edit(end, 0, closers, K.MISSING_BRACKET)
    m.stack.clear()
    m.end = at
    return Place.OVER


def _closed_at_end(m: Machine) -> Iterator[tuple[Frame, Frame]]:
    """What is closed last, each with the one around it: a list of one may end with its object."""
    for inner, parent in (*m.closed, *zip(m.stack[1:], m.stack, strict=False)):
        is_only = inner.kind != parent.kind and parent.comma < 0 and parent is m.stack[-1] and len(m.stack) > 1
        yield inner, m.stack[-2] if is_only else parent


def salvage(m: Machine) -> bool:
    """Keep the members that are whole of a text that is cut off; whether there are any."""
    text = m.text
    while m.stack:
        frame = m.stack[-1]
        end = frame.end
        if end >= 0 and _may_be_half(m, end):
            end = len(text[: frame.comma].rstrip()) if frame.comma >= 0 else -1
        if end >= 0:
            break
        m.stack.pop()
    else:
        return False
    m.edits = [edit for edit in m.edits if edit.offset < end]
    closers = "".join(CLOSER_OF[one.kind] for one in reversed(m.stack))
    m.edit(end, len(text) - end, closers, K.TRUNCATED_MEMBER)
    m.end = len(text)
    return True


def _may_be_half(m: Machine, end: int) -> bool:
    """Whether the last whole item may be half of one.

    A scalar that touches the end may, also one in quotes: the quote may be text. So may a string with quotes inside,
    of which only a key after it would show that it is over.
    """
    text = m.text
    if end >= len(text.rstrip()):
        return text[end - 1] not in CLOSERS
    is_quoting = any(edit.kind is K.UNESCAPED_QUOTE and m.last < edit.offset < end for edit in m.edits[-_FEW:])
    return is_quoting and text.find(":", end) < 0
