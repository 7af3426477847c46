"""Where a value is expected: a container, a string, a number or a literal in any spelling, a text without quotes."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import NUMBER_OR_TEXT, TRUNCATED, TWO_NUMBERS
from src.shared.domain.reading import brackets, ends, strings
from src.shared.domain.reading.brackets import TUPLE, kind_of
from src.shared.domain.reading.dialect import WORDS, wide
from src.shared.domain.reading.gaps import drop_ellipsis, refuse_ellipsis, skip_gap, skip_space
from src.shared.domain.reading.keys import BOLD, ESCAPED, PREFIX, put_around
from src.shared.domain.reading.machine import Decision, Decisions, Machine, Place, Refusal
from src.shared.domain.reading.quotes import QUOTED_KEY, Pairing, is_end
from src.shared.domain.reading.reading import ELISION, NO_KEY, NO_VALUE, constructed
from src.shared.domain.reading.signs import (
    ALL_BRACKETS, ANY_QUOTE, BLANK, BRACKETS, CLOSE, CLOSERS, CLOSING, CLOSING_QUOTES, COLONS, COMMAS, INVISIBLE,
    ITEM_END, JSON_LITERAL, JSON_LITERALS, KEY_LIMIT, LITERAL, LITERALS, MARGIN, NAME_SIGN, NEAR_GAPS, NUMBER,
    NUMBER_LIKE, ONE_LINE_STRING, OPENERS, OPENING, QUOTED, QUOTES, SCALARS, SEPARATORS, VERSION, literal_kind,
    respelled,
)  # fmt: skip
from src.shared.domain.repair import RepairKind as K

_WORD = expression(r"[+\-－−＋]?[\w.][\w.．+\-－−]*+")
_PLAIN_NUMBER = expression(r"-?\d++(?:\.\d++)?")
_CALL = expression(rf"(?P<name>[A-Za-z_][\w.]{{0,60}}+)\([^\n]{{0,200}}?\)\s*+{ITEM_END}")
ENDS_VALUE = expression(rf"""
    [ \t{INVISIBLE}]*+ (?:
        [\n\r{COMMAS}{CLOSING}] | \Z | // | /\* | \# | \.\.\. | … | ``` | ~~~ | </ | <\|
      | (?:{QUOTED}) \s*+ [{COLONS}]
    )
    """, re.VERBOSE)  # fmt: skip
"""What may follow a number or a literal."""
_TEXT_AT_ONCE = expression(rf"{BLANK}++{ONE_LINE_STRING}\s*+[,\]]")
"""A string behind a number or a literal without a comma between them, and what ends an element."""
_ENDS_AT_ONCE = expression(rf"{BLANK}*+{ITEM_END}|\s*+{CLOSE}")
_NO_TEXT = rf"\"“”{ALL_BRACKETS};()=<>\\|&*" + COMMAS
_URL = rf"[a-zA-Z][a-zA-Z+.\-]{{1,20}}://[^\s{COMMAS}\"'`<>{BRACKETS}|\\]++"
_BARE_TEXT = expression(rf"{_URL}|[^\s'`‘’{COLONS}!?{_NO_TEXT}][^`\n{_NO_TEXT}]*+")
_BEGINS_TEXT = expression(rf"[^\x00-\x1f\s'`‘’{COLONS}!?{_NO_TEXT}]")
_QUOTE_IN_LINE = expression(rf"\\[^\n]|[\"\n{BRACKETS}]")
_BEFORE_TEXT = expression(rf"\"\s*+[{COMMAS}]\s*+\"")
"""A quote behind a number before an element in quotes."""
_ROWS = 1_000
"""Characters before a number in which another row may have the same member as a text."""
_UNOPENED_LIMIT = 4_000
"""Most characters of a string without its first quote."""
_MEMBER_IN_TEXT = (
    rf"[{COLONS}](?:\s|\Z|(?:{JSON_LITERAL})\Z)|[;；、](?:\s{{0,{MARGIN}}}{NAME_SIGN}{{1,{KEY_LIMIT}}}\s{{0,{MARGIN}}}[{COLONS}]|\s{{0,{MARGIN}}}\Z)"
    r"|\s(?://|\#)"
)
_HOLDS_MEMBER = expression(_MEMBER_IN_TEXT)
"""A text without quotes with a key or a comment in it: two members without a comma between them."""
_HOLDS_MORE = expression(
    rf"{_MEMBER_IN_TEXT}|[;；、]|\d[{COLONS}][+\-]\d|(?:\d{{3}}|\.\d++)[{COLONS}]\d|[eE][+\-]?\d++[.{COLONS}]\d|\.\d{{3,}}+\.\d|\d[/{COLONS}]\s++[\d+\-]|[\d\s][｜／│·•،](?=[\d\s+-])|｜\s"
)
"""The same in a list, where a separator stands between two elements."""
_ELEMENT_ENDS = expression(rf"\s*+{CLOSE}|{BLANK}*+[{COMMAS}]{NEAR_GAPS}(?:{ANY_QUOTE}|[{OPENING}{CLOSING}+\-.…\w])")
_THOUSANDS = expression(r"0\d\d(?:\.\d++)?")
_COMMA_LIKE = f"[{COMMAS}、;；。｡،|｜·•]"
_NEXT_NUMBER = rf"{_COMMA_LIKE}?[\s\u00ad]++{NUMBER}"
_NUMBERS = expression(
    rf"{NUMBER}(?:" + repeated(_NEXT_NUMBER) + rf"\s?{_COMMA_LIKE}\s?|" + repeated(_NEXT_NUMBER, "+") + r")\Z"
)
"""Numbers with blanks between them, or with a sign behind the last one that may be the comma."""
_RUN_ON = expression(rf"{NUMBER}-\d[\d.]*+")
"""A number and a negative one without a comma between them, or a range."""
_TWO_SCALARS = expression(rf"{SCALARS}\s*+(?:{LITERAL})\b")
"""A literal right behind a number or another one, without a comma between them."""
_ELIDED = frozenset({"...", "…", "etc", "etc.", "and so on", "and more", "more", "等", "等等", "省略", "略"})
_CUT_SCALAR = expression(
    rf"[-+]?[\d.][\d.,_]*+\s++(?!(?!{JSON_LITERAL}|none)[^\W\d_][^\d]*+\Z|[%°€$¥£])"
    rf"|(?:{JSON_LITERAL}|none|nan|undefined)\b",
    re.IGNORECASE,
)
"""A number or a literal, and behind the blank no unit of it."""
_REFUSED = (("b", ""), ("f", "{"), ("r", "\\"))
"""What Python writes before a string that then has another value if a sign is in it."""
_BRACKETS = (*OPENERS, *CLOSERS)
_NEAR = 200
"""Characters around a full-width comma among which a plain one stands that divides elements."""


def step(m: Machine) -> Place:
    """A value behind a colon."""
    m.closed.clear()
    return DECISIONS.make(m, skip_gap(m, m.at))


def element_step(m: Machine) -> Place:
    """An element of a list."""
    return ELEMENT_DECISIONS.make(m, skip_gap(m, m.at))


def _element(m: Machine, at: int) -> Place:
    m.closed.clear()
    return DECISIONS.make(m, at)


def _container(m: Machine, at: int) -> Place:
    if at in m.known.dropped:
        m.edit(at, 1, "", K.SURPLUS_BRACKET)
        return m.go(at + 1, Place.VALUE if m.stack[-1].kind == "{" else Place.ELEMENT)
    wide(m, at)
    m.push(OPENERS[m.text[at]], at)
    return m.go(at + 1, Place.INSIDE)


def open_tuple(m: Machine, at: int) -> Place:
    """A tuple is a list."""
    m.edit(at, 1, "[", K.PYTHON_LITERAL)
    m.push("[", at)
    return m.go(at + 1, Place.INSIDE)


def _repeated_key(m: Machine, at: int) -> Place:
    found = QUOTED_KEY.match(m.text, at) if m.stack[-1].kind == "{" else None
    if found is None:
        return Place.PASS
    name = found.group().rstrip(COLONS + " \t\n")
    before = m.text[max(0, at - len(name) - 10) : at].rstrip(COLONS + " \t\n")
    if before.rstrip("\"'”’`")[1 - len(name) :].lstrip("\"'“‘`") == name[1:-1]:
        if m.is_trial:
            return _drop_key(m, at, found.end())
        with suppress(Refusal):
            return m.choose(at, [lambda trial: _drop_key(trial, at, found.end())], most=0)
    elif m.is_bare or any(sign in name for sign in _BRACKETS):
        raise Refusal(at)
    return m.choose(at, [lambda trial: brackets.open_object(trial, at)])


def _drop_key(m: Machine, at: int, end: int) -> Place:
    m.edit(at, end - at, "", K.REPEATED_KEY)
    return m.go(end, Place.VALUE)


def _string(m: Machine, at: int) -> Place:
    m.last = at
    return m.go(strings.value(m, at, kind_of(m)), Place.AFTER)


def _colon_again(m: Machine, at: int) -> Place:
    if m.stack[-1].kind != "{":
        return Place.PASS
    end = at + 1
    while m.text[end : end + 1] in {*COLONS}:
        end += 1
    m.edits.append(Edit(at, end - at, "", K.MISSING_COLON, end - at))
    return m.go(end, Place.VALUE)


def _escaped(m: Machine, at: int) -> Place:
    found = ESCAPED.match(m.text, at)
    return m.go(put_around(m, found, '"', K.ESCAPED_JSON), Place.AFTER) if found else Place.PASS


def _bold(m: Machine, at: int) -> Place:
    bold = BOLD.match(m.text, at)
    if bold is None or not is_end(m.text, bold.end() - 1, m.stack[-1].kind):
        return Place.PASS
    text = bold["text"]
    if text[0] != '"' and text not in JSON_LITERALS and respelled(text) != text:
        raise Refusal(at, NO_VALUE)
    return m.go(put_around(m, bold, "", K.MARKUP), Place.AFTER)


def _prefixed(m: Machine, at: int) -> Place:
    prefix = PREFIX.match(m.text, at)
    if prefix is None:
        return Place.PASS
    letters = prefix.group().lower()
    m.edit(at, prefix.end() - at, "", K.PYTHON_LITERAL)
    end = strings.value(m, prefix.end(), m.stack[-1].kind)
    body = m.text[prefix.end() : end]
    if body[1:-1] in tuple(COMMAS) or any(one in letters and sign in body for one, sign in _REFUSED):
        raise Refusal(at)
    return m.go(end, Place.AFTER)


def _word(m: Machine, at: int) -> Place:
    """A number, or a literal in any spelling."""
    found = _WORD.match(m.text, at)
    if found is None:
        return Place.PASS
    text, name, end = m.text, found.group(), found.end()
    stray = int(text.startswith('"', end) and end + 1 < len(text) and ENDS_VALUE.match(text, end + 1) is not None)
    is_over = stray or ENDS_VALUE.match(text, end) or (kind_of(m) == TUPLE and text[end : end + 1] == ")")
    is_beside = m.stack[-1].kind == "[" and _TEXT_AT_ONCE.match(text, end)
    if (
        not (is_over or is_beside)
        and text[end : end + 1] not in {*SEPARATORS}
        and text[end : end + 2] not in (" |", " ｜")
    ):
        return Place.PASS
    put = LITERALS.get(name) or respelled(name)
    if not put:
        return Place.PASS
    if stray:
        _check_stray(m, at, end)
    if end == len(text) and not m.finished:
        raise Refusal(end, TRUNCATED)
    if name[-1] == "." and not _ENDS_AT_ONCE.match(text, end):
        raise Refusal(at, NUMBER_OR_TEXT)
    m.last = at
    kind = literal_kind(name) if name in LITERALS else K.NUMBER_SPELLING
    if put != name:
        m.edit(at, len(name), put, kind)
        if kind is K.PYTHON_LITERAL:
            m.habit(WORDS)
    if stray:
        m.edit(end, 1, "", K.STRAY_QUOTE)
    return m.go(end + stray, Place.AFTER)


def _check_stray(m: Machine, at: int, end: int) -> None:
    """Refuse a number behind which a quote stands that may be its last one."""
    text, frame = m.text, m.stack[-1]
    strings.refuse_rest_of_text(m, end)
    if frame.kind == "[":
        is_text = text[skip_space(text, frame.opened + 1)] == '"' or _BEFORE_TEXT.match(text, end) is not None
    else:  # the member of another row
        is_text = text.find(f'{text[max(frame.opened, frame.comma) + 1 : at]}"', max(0, at - _ROWS), at) >= 0
    if is_text or not _PLAIN_NUMBER.fullmatch(text, at, end):
        raise Refusal(at, NUMBER_OR_TEXT)


def _unopened(m: Machine, at: int) -> Place:
    text, kind = m.text, m.stack[-1].kind
    inner = _quotes_of_unopened(text, at, kind)
    if not inner:
        return Place.PASS
    end = inner.pop()
    if strings.may_go_on(m):
        raise Refusal(at, other=m.last)
    strings.refuse_rest_of_text(m, end)
    body = text[at:end]
    held = ":;；" if kind == "{" or " " in body else f"{COLONS}{COMMAS};；"
    is_scalar = NUMBER_LIKE.fullmatch(body) or body in LITERALS or _TWO_SCALARS.match(body)
    if is_scalar or any(sign in body for sign in held) or "~~~" in body:
        raise Refusal(at)
    m.edit(at, 0, '"', K.MISSING_QUOTE)
    for quote in inner:
        m.edit(quote, 0, "\\", K.UNESCAPED_QUOTE)
    return m.go(end + 1, Place.AFTER)


def _quotes_of_unopened(text: str, at: int, kind: str) -> list[int]:
    """The quotes of a string without its first one, which pair up before the last; none where it has no end."""
    pairing, inner = Pairing(text, at - 1), list[int]()
    if text.find('"', at, at + _UNOPENED_LIMIT) < 0 or not _BEGINS_TEXT.match(text, at):
        return []
    for found in _QUOTE_IN_LINE.finditer(text, at + 1, at + _UNOPENED_LIMIT):
        quote = found.start()
        if len(found.group()) > 1:
            continue
        if text[quote] != '"' or (text[quote - 1].isalpha() and text[quote + 1 : quote + 2].isalpha()):
            break
        if is_end(text, quote, kind):
            is_first = len(inner) % 2 == 1 and text[inner[0] + 1].isalnum()  # the text begins there, behind a sign
            return [*inner, quote] if not inner or (pairing.holds and not is_first) else []
        inner.append(quote)
        pairing.add(quote)
    return []


def _call(m: Machine, at: int) -> Place:
    found = _CALL.match(m.text, at)
    if found:
        raise Refusal(at, constructed(found["name"]))
    return Place.PASS


def _bare_text(m: Machine, at: int) -> Place:
    """A text without quotes, up to the comma, the bracket or the line end that has to follow a value."""
    found = _BARE_TEXT.match(m.text, at)
    if found is None:
        return Place.PASS
    if found.end() == len(m.text):
        raise Refusal(found.end(), TRUNCATED)
    body = found.group().rstrip()
    if body == "NONE" and m.fits is not None and ENDS_VALUE.match(m.text, at + len(body)):  # the type says which it is
        moves = [lambda trial: _put(trial, at, body, "null"), lambda trial: _put(trial, at, body, json.dumps(body))]
        return m.choose(at, moves, most=0)
    _check_bare_text(m, at, body)
    return _put(m, at, body, json.dumps(body, ensure_ascii=False))


def _put(m: Machine, at: int, body: str, put: str) -> Place:
    m.edit(at, len(body), put, K.UNQUOTED_VALUE if put[0] == '"' else K.PYTHON_LITERAL)
    return m.go(at + len(body), Place.AFTER)


def _check_bare_text(m: Machine, at: int, body: str) -> None:
    """Refuse a text without quotes that may be something else, or go on."""
    text, frame, end = m.text, m.stack[-1], at + len(body)
    is_member = frame.kind == "{"
    if body.lower() in _ELIDED:
        raise Refusal(at, ELISION)
    is_over = is_end(text, end - 1, "{", len(m.stack)) if is_member else bool(_ELEMENT_ENDS.match(text, end))
    is_like_number = NUMBER_LIKE.fullmatch(body) and not VERSION.fullmatch(body)
    if not is_member and _THOUSANDS.fullmatch(body):
        raise Refusal(at, TWO_NUMBERS)
    is_run_on = not is_member and _RUN_ON.fullmatch(body)
    if (is_over and is_like_number) or is_run_on or _NUMBERS.fullmatch(body):
        raise Refusal(at, NUMBER_OR_TEXT)
    if _ends_string(body) or body.lstrip("_*~").startswith(tuple(QUOTES)):
        raise Refusal(at, other=end)
    is_more = _CUT_SCALAR.match(body) or _TWO_SCALARS.match(body)
    if not is_over or is_more or (_HOLDS_MEMBER if is_member else _HOLDS_MORE).search(body):
        raise Refusal(at, NO_VALUE)
    is_tag = body[0] == "/" and frame.opened == at - 1
    if is_tag or "~~~" in body or body[-1] == "｜" or body[0] < " ":
        raise Refusal(at, NO_VALUE)
    first, behind = skip_space(text, frame.opened + 1), skip_space(text, end + 1)
    near = text[max(frame.opened, end - _NEAR) : end + _NEAR].partition("}" if is_member else "]")[0]
    is_wide = text[end : end + 1] in COMMAS[1:] and not (is_member and text[behind : behind + 1] in QUOTES)
    if is_wide and ("," in near or (is_member and text[first] in QUOTES)):
        raise Refusal(at, other=end)
    is_apart = "\n" in text[frame.opened : first] and text[end : end + 1] in COMMAS and "\n" not in text[end:behind]
    if not is_member and is_apart and not QUOTES.keys().isdisjoint(near):
        raise Refusal(at, other=end)  # one element a line, and two on this one
    if is_member and m.is_bare and text[first] in QUOTES:
        raise Refusal(skip_space(text, frame.comma + 1), NO_KEY)


def _ends_string(body: str) -> bool:
    """Whether a text without quotes ends as a string that began there, or somewhere before."""
    last = body[-1]
    if last in QUOTES or last not in CLOSING_QUOTES:
        return last in QUOTES
    return not any(last in closing and body.count(one) == body.count(last) for one, closing in QUOTES.items())


def _key_for_element(m: Machine, at: int) -> Place:
    found = QUOTED_KEY.match(m.text, at)
    if found is None:
        return Place.PASS
    if any(sign in found.group() for sign in _BRACKETS):
        raise Refusal(at, other=m.stack[-1].opened)
    return brackets.close_before_key(m, at)


DECISIONS = Decisions("value", NO_VALUE, (
    Decision("end for a value", "", ends.end_for_value, "the text is over", "refused",
             "none: the text is cut off"),
    Decision("container", OPENERS, _container, "an opening bracket", "opened", ""),
    Decision("tuple", TUPLE, open_tuple, "(", "read as a list", "the values of a tuple of Python's, and ), follow"),
    Decision("key for a value", QUOTES, _repeated_key, "a key", "repeated key dropped, or brace put",
             "both keys have the same name; or a trial, where the key before is quoted"),
    Decision("string", QUOTES, _string, "a string", "read up to its end",
             "structure follows its last quote; all quotes before pair up; no veto"),
    Decision("colon again", COLONS, _colon_again, "a second colon", "dropped", "a value follows"),
    Decision("escaped string", "\\", _escaped, 'a string in \\"', "marks dropped",
             "both of its quotes are escaped"),
    Decision("bold value", "*_", _bold, "**1**", "marks dropped", "the end of a value follows"),
    Decision("elided value", ".…[", refuse_ellipsis, "an ellipsis", "refused", "none: something was left out"),
    Decision("prefixed string", "uUbBrRfF", _prefixed, 'u"x"', "letter dropped",
             "no bytes; no braces behind f; no backslash behind r"),
    Decision("word", "", _word, "a word, a number's spelling", "respelled",
             "the end of a value follows; JSON has one spelling for it (none for 007, 10n, 1.5_6, 1.5e+)"),
    Decision("unopened string", "", _unopened, 'x" (not opened)', "quote put",
             "the end of a value follows; no colon is inside; it is no number"),
    Decision("constructor", "", _call, "Decimal('9.90')", "refused", "the call's brackets, and an end"),
    Decision("bare text", "", _bare_text, "bare text", "quoted",
             "the end of a value follows; it is not like a number; no separator and no comment is inside"),
))  # fmt: skip
ELEMENT_DECISIONS = Decisions("element", NO_VALUE, (
    Decision("closer for an element", CLOSERS, brackets.close_for_item, "a closing bracket behind a comma",
             "comma dropped", "it is the container's own bracket"),
    Decision("comma for an element", COMMAS, brackets.drop_comma_for_item, "a comma", "dropped",
             "none; where it is first in an inner container, a trial against an empty container that was left open"),
    Decision("end for an element", "", ends.close_at_mark, "the text is over", "open containers closed",
             "the text shows that it is over"),
    Decision("elided element", ".…[", drop_ellipsis, "an ellipsis", "refused", "none; with salvage it is dropped"),
    Decision("key for an element", QUOTES, _key_for_element, "a key in a list",
             "list closed before it, brace put, or the row before reopened", "a trial, or the indentation"),
    Decision("end of a tuple", ")", brackets.close_for_item, ")", "closed", "the container is a tuple"),
    Decision("element", "", _element, "a value", "decided as the value of a member", ""),
))  # fmt: skip
