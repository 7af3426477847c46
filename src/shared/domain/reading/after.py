"""Behind a value: a comma, a bracket, or what stands in their place."""

from __future__ import annotations

from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import NUMBER_OR_TEXT
from src.shared.domain.reading import brackets, ends
from src.shared.domain.reading.dialect import BARE, wide
from src.shared.domain.reading.gaps import skip_gap, skip_space
from src.shared.domain.reading.keys import BARE_KEY
from src.shared.domain.reading.machine import Decision, Decisions, Machine, Place, Refusal
from src.shared.domain.reading.quotes import QUOTED_KEY, is_key
from src.shared.domain.reading.reading import NO_COMMA
from src.shared.domain.reading.signs import (
    CLOSERS, CLOSING_QUOTES, COLONS, COMMAS, JSON_LITERAL, MARGIN, NUMBER, OPENERS, QUOTES, SCALARS, SEPARATORS,
)  # fmt: skip
from src.shared.domain.reading.values import ENDS_VALUE
from src.shared.domain.repair import RepairKind as K

_SCALAR = expression(rf"(?:{NUMBER}|{JSON_LITERAL})(?![\w.])")
_ELEMENT = expression(rf"{SCALARS}(?![\w.])|[\"{{\[]")
_COUNT = expression(r"\d{1,4}\s*+")
_LATELY = 4
"""Edits among which that of the key is looked for."""
_NUMBER_STARTS = frozenset("-0123456789")
_STRAY = "\"'”’`"


def step(m: Machine) -> Place:
    """Mostly a comma or the container's own bracket."""
    text, frame = m.text, m.stack[-1]
    frame.end = m.at
    found = m.dialect.after.match(text, m.at)
    if found is None:
        return DECISIONS.make(m, skip_gap(m, m.at))
    at = found.end() - 1
    if found.lastgroup == "comma":
        wide(m, at)
        if frame.opened == m.known.counted:
            m.commas.append(at)
        if at in m.known.put:
            return brackets.close_before(m, at, at + 1, put_comma=False)
        if text[at - 1] in " \t\n" and len(m.stack) > 1 and brackets.is_alone(m, at):
            m.decided.append("comma alone on its line")
            return brackets.close_before(m, at, at + 1, put_comma=False)
        return m.comma_at(at, at + 1)
    return brackets.close(m, at)


def _comma(m: Machine, at: int) -> Place:
    wide(m, at)
    return m.comma_at(at, at + 1)


def _separator(m: Machine, at: int) -> Place:
    """Another sign for the comma."""
    text, is_object = m.text, m.stack[-1].kind == "{"
    behind = skip_space(text, at + 1)
    next_sign = text[behind : behind + 1]
    is_bare = is_object and BARE in m.habits and BARE_KEY.match(text, behind)
    is_alike = not is_object and m.last >= 0 and next_sign in QUOTES and next_sign == text[m.last]
    is_last = next_sign in CLOSERS and text[at] in ";；"
    is_in_number = text[at - 1].isdigit() and next_sign in _NUMBER_STARTS  # of thousands, a choice, or a decimal point
    if is_in_number and text[at] in "｜|。":
        raise Refusal(m.last, NUMBER_OR_TEXT)
    is_item = is_key(text, behind) if is_object else _ELEMENT.match(text, behind)
    if not (is_bare or is_alike or is_last or is_item):
        return Place.PASS
    if text[at] == "、" and not is_object and _counts_items(m, at, behind):
        raise Refusal(m.last, NUMBER_OR_TEXT)
    m.edit(at, 1, ",", K.MISSING_COMMA)
    return m.comma_at(at, at + 1)


def _counts_items(m: Machine, at: int, behind: int) -> bool:
    """Whether a number before `、` may be an item's own, as in a numbered list."""
    text = m.text
    before = text[max(0, m.last - MARGIN) : m.last].rstrip(" \t")[-1:]
    begins_line = before == "\n" and "\n" not in text[at:behind]
    is_other = before in COMMAS and text[behind] not in _NUMBER_STARTS
    return (begins_line or is_other) and _COUNT.fullmatch(text, m.last, at) is not None


def _ends_in_comma(text: str, end: int) -> bool:
    """Whether a string that ends at a place has a comma before its last quote."""
    return text[end - 2] in COMMAS and text[end - 1] in CLOSING_QUOTES


def _member(m: Machine, at: int) -> Place:
    """A member without the comma before it."""
    text, frame, end = m.text, m.stack[-1], m.at
    if frame.kind != "{":
        return Place.PASS
    on_next_line = "\n" in text[end:at]
    is_behind_bracket = text[end - 1] in CLOSERS and not on_next_line
    bare = BARE_KEY.match(text, at) if on_next_line or is_behind_bracket else None
    is_bare = bare and bare["colon"] in COLONS and (BARE in m.habits or bare["stray"] or is_behind_bracket)
    if not (is_bare or is_key(text, at)):
        return Place.PASS
    name = text[at : text.find(text[at], at + 1) + 1] if text[at] in QUOTES else ""
    is_there = name and not on_next_line and text.find(name, frame.opened, end) > 0
    if is_there or _ends_in_comma(text, end):
        raise Refusal(end - 2, other=end)
    if on_next_line and brackets.is_in_outer_column(m, at):
        return brackets.close_before(m, end, at, put_comma=True)
    if on_next_line and text[end - 1] in CLOSERS and brackets.is_deeper(m, at):
        raise Refusal(end - 1, other=at)
    return _put_comma(m, end, at)


def _key_in_list(m: Machine, at: int) -> Place:
    is_key = m.stack[-1].kind == "[" and QUOTED_KEY.match(m.text, at)
    return brackets.close_before_key(m, at, comma=m.at) if is_key else Place.PASS


def _element(m: Machine, at: int) -> Place:
    """An element without the comma before it."""
    text, end = m.text, m.at
    if m.stack[-1].kind != "[":
        if text[at] in OPENERS and text[end - 1] in CLOSERS:
            raise Refusal(at, other=m.stack[-1].opened)
        return Place.PASS
    char, on_next_line = text[at], "\n" in text[end:at]
    beside = char in QUOTES and m.last >= 0 and char == text[m.last] and text[end - 1] in QUOTES[char]
    is_scalar = _SCALAR.match(text, at) is not None
    is_mixed = m.last >= 0 and is_scalar == (_SCALAR.match(text, m.last) is None)
    is_apart = on_next_line or (at > end and (beside or is_mixed))
    is_next = is_apart and (is_scalar or char in QUOTES or char in OPENERS)
    if not is_next and not (char in "{[" and text[end - 1] in "}]"):
        return Place.PASS
    is_text = beside and (text[end - 2] == " " or text[at + 1 : at + 2] == " ")
    if is_text or _ends_in_comma(text, end):
        raise Refusal(end - 2, other=at)
    return _put_comma(m, end, at)


def _put_comma(m: Machine, end: int, at: int) -> Place:
    m.edit(end, 0, ",", K.MISSING_COMMA)
    return m.comma_at(end, at)


def _stray_quote(m: Machine, at: int) -> Place:
    text = m.text
    if at != m.at or not ENDS_VALUE.match(text, at + 1) or text[at - 1] in "\"'”’`":
        return Place.PASS
    if text[at - 1] in CLOSERS and not text.startswith(tuple(COMMAS), skip_space(text, at + 1)):
        return Place.PASS
    inside = text[m.left[-1][0].opened : at] if m.left and text[at - 1] in CLOSERS else ""
    if inside and any(edit.kind is K.MISSING_QUOTE and edit.offset < at - len(inside) for edit in m.edits[-_LATELY:]):
        return Place.PASS  # the key's quote is missing, and this may be it: both of them stand around the member
    if inside and text[at] not in inside:  # it may be the end of a text with brackets
        return Place.PASS
    m.edit(at, 1, "", K.STRAY_QUOTE)
    return m.go(at + 1, Place.AFTER)


DECISIONS = Decisions("after", NO_COMMA, (
    Decision("comma", COMMAS, _comma, "a comma", "next item", ""),
    Decision("another bracket", CLOSERS, brackets.close, "a bracket of another container",
             "read as wrong, surplus or swapped, or one before it as forgotten", "a trial"),
    Decision("end of a tuple behind a value", ")", brackets.close_tuple, ")", "closed",
             "it holds two values, or a comma"),
    Decision("end behind a value", "", ends.close_at_mark, "the text is over", "open containers closed",
             "the text shows that it is over"),
    Decision("separator", SEPARATORS, _separator, "; 、 ｜ 。", "read as a comma", "an item follows"),
    Decision("comma before a member", "", _member, "a key without a comma", "comma put",
             "its object does not have the key yet"),
    Decision("key in a list", QUOTES, _key_in_list, "a key in a list",
             "list closed before it, brace put, or its opening bracket read as a brace",
             "a trial, or the indentation"),
    Decision("comma before an element", "", _element, "an item without a comma", "comma put",
             "it is on the next line, or a blank stands between two strings, or a string and a scalar"),
    Decision("text behind the last container", "", ends.close_before_text, "text that is no JSON, to the end",
             "closed before it", "the type fits"),
    Decision("stray quote", _STRAY, _stray_quote, "a quote", "dropped",
             "it stands behind a number or a literal, and the end of a value follows"),
))  # fmt: skip
