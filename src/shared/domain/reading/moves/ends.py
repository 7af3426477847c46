"""Where a string may end if its closing quote was forgotten or replaced by another sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.reading.costs import DOUBT, EDIT
from src.shared.domain.reading.lexicon import BLANKS, CLOSERS, COLONS, COMMAS, FENCES, OPENERS, OTHER_ENDS
from src.shared.domain.reading.openings import KEY_AT, LINE_LIMIT
from src.shared.domain.reading.states import Place, State, Text, last_step
from src.shared.domain.reading.tokens import CLOSING_RUN_AND_FENCE, COLON_NEXT, KEY_INSIDE
from src.shared.domain.repair import RepairKind as K

_CLOSING_RUN = expression(repeated(rf"\s*+[{COMMAS}]++") + rf"(?P<run>\s*+[}}\]｝］][\s}}\]｝］{COMMAS}]*+\Z)")
_NEXT_ROW = expression(rf"\s*+[}}\]｝］][\s}}\]｝］]*+[{COMMAS}]\s*+[{{\[｛［][\s{{\[｛［]*+\Z")
_LINE = expression(r"\n\s*+" + repeated(rf"(?P<key>[\w$\-]{{1,200}}+[\"']?\s*+[{COLONS}])", "?"))
"""A line, with the blank ones behind it, and the bare key that it may begin with."""
_OWN_LINE = expression(r"[ \t]*+[\w$\-]{1,60}+")
"""A line with a key, up to its closing quote."""
_LINE_ENDS = expression(rf"(?<=[^\s{COMMAS}])[ \t]*+[{COMMAS}][ \t]*+\n")
"""A comma at the end of a line, where an element may end."""
_OTHER_QUOTE = expression(
    f"[{OTHER_ENDS}]" + rf"(?=\s{{0,40}}(?P<follow>[{COMMAS}{COLONS}]|[}}\]](?![^\s{COMMAS}}}\]`~<.。;；)])))"
)
_OPENED = expression(r"[^\w'\"]'(?=\w)")
"""A single quote that opens something, and is no apostrophe."""
_DOUBLE_BEFORE_END = expression(rf"\"(?=\s{{0,40}}[{COMMAS}}}\]])")
_DOUBLE_BEFORE_COLON = expression(rf"\"(?=\s{{0,40}}[{COLONS}])")
_OPENERS, _CLOSERS = "".join(OPENERS), "".join(CLOSERS)
_SEPARATORS = f"{COMMAS};；"
_PATH = expression(r'\\[^"n]')
_ESCAPED_END = expression(r'(?<!\\)\\"(?=[ \t]*+,[ \t]*+\n\s*+"\w)')
_LOOKS_LIKE_ONE = 2
"""A typographic quote that closes, and one that is escaped, is nearer to `"` than any other sign."""


class End(NamedTuple):
    """An end of a string: where its text ends, how long the sign is that closes it, and of what kind the repair is."""

    state: State
    at: int
    closing: int
    kind: K


def forgotten_ends(raw: str, state: State, text: Text, since: int, until: int, *, at_end: bool) -> Iterator[End]:
    """A key or the closing brackets stand where the string goes on: its closing quote was forgotten.

    Looked for between `since` and the quote at `until`, or the end of the text (`at_end`).
    """
    if state.role is Place.KEY:
        return
    for place in dict.fromkeys(_places(raw, state, since, until, at_end=at_end)):
        ends_its_line = "\n" in raw[place:until]
        cost = EDIT + DOUBT * ("\n" in raw[text.start : place] and not ends_its_line)
        cost += EDIT * bool(KEY_INSIDE.search(raw, text.start + 1, place))
        is_code = raw.endswith("``", text.first, place) or raw.count("`", text.first, place) % 2 == 0
        is_quote = raw[place - 1] in "'’" or (raw[place - 1] == "`" and not is_code)
        first = place - 1 if is_quote else text.start
        doubtful = place == since or first != text.start or any(sign in raw[place - 1 : place + 1] for sign in ";；")
        doubtful = doubtful or (state.role is Place.ELEMENT and "\n" in raw[text.start : place])
        if doubtful or (text.quote != '"' and '"' in raw[text.start : place]):
            yield End(state.guess(first, TWO_READINGS, place, cost=cost), place, 0, K.MISSING_QUOTE)
        else:
            yield End(state.but(cost=state.cost + cost), place, 0, K.MISSING_QUOTE)


def _places(raw: str, state: State, since: int, until: int, *, at_end: bool) -> Iterator[int]:
    body = raw[since:until]
    stripped = body.rstrip()
    last = stripped[-1:]
    before = since + len(stripped.rstrip(f"{COMMAS} \t\n"))
    on_next_line = "\n" in body[len(stripped) :]
    member = state.role is Place.VALUE
    if not at_end and member and KEY_AT.match(raw, until) and (on_next_line or last in _SEPARATORS):
        yield before
    if not at_end and not member and last and last in COMMAS:
        yield before
    run = _closing_run(body, at_end=at_end) if at_end or (last and last in COMMAS) else None
    if run:
        yield since + run.start("run")
    row = None if at_end else _NEXT_ROW.match(body, _start_of_next_row(body))
    if row:
        yield since + row.start()
    is_long = "\n" in body
    line = next((line.start() for line in _LINE.finditer(body) if line["key"]), None) if member and is_long else None
    if line is not None:
        yield since + _before_comma(body, line)
    if member and is_long and not at_end and COLON_NEXT.match(raw, until + 1):
        lines, _, key = body.rpartition("\n")
        if _OWN_LINE.fullmatch(key):
            yield since + _before_comma(body, len(lines.rstrip()))
    first = _LINE_ENDS.search(body) if is_long and not member and state.frame.is_written else None
    if first:
        yield since + first.start()


def _closing_run(body: str, *, at_end: bool) -> re.Match[str] | None:
    """The closing brackets at the end of a text, or in front of a fence; looked for where they can begin."""
    if at_end:
        return CLOSING_RUN_AND_FENCE.search(body) if any(fence in body for fence in FENCES) else None
    return _CLOSING_RUN.match(body, len(body.rstrip(f"{BLANKS}{_CLOSERS}{COMMAS}")))


def _start_of_next_row(body: str) -> int:
    """Where closing brackets, a comma and opening ones would have to begin to reach the end of a text."""
    before = body.rstrip(f"{BLANKS}{_OPENERS}")
    return len(before[:-1].rstrip(f"{BLANKS}{_CLOSERS}")) if before[-1:] in set(COMMAS) else len(body)


def escaped_end(raw: str, state: State, text: Text, since: int, until: int) -> Iterator[End]:
    r"""The closing quote of a value is escaped: `"a": "x\",` at the end of its line, with a key on the next."""
    if state.role is not Place.VALUE or text.quote != '"' or text.inner is not None:
        return
    found = _ESCAPED_END.search(raw, since, until + LINE_LIMIT) if '\\"' in raw[since:until] else None
    if found and found.start() < until:
        body = raw[text.first : found.end()]
        is_odd = body.count('\\"') % 2 == 1 and not _PATH.search(body)  # else it closes a quotation, or ends a path
        ended = state.but(cost=state.cost + EDIT - _LOOKS_LIKE_ONE)
        yield End(ended if is_odd else ended.guess(text.start, TWO_READINGS), found.start(), 2, K.ESCAPED_JSON)


def _before_comma(body: str, line: int) -> int:
    """Where the line before `line` ends, without a comma and the blanks beside it."""
    before = body[:line].rstrip(" \t")
    return len(before[:-1].rstrip(" \t")) if before[-1:] in COMMAS and before else len(before)


def other_quotes(raw: str, state: State, text: Text, since: int, until: int) -> Iterator[End]:
    """The string ends with a quote of another kind than it began with."""
    if text.quote == '"':
        yield from _other_than_double(raw, state, text, since, until)
    elif text.quote and state.role is Place.KEY:
        found = _DOUBLE_BEFORE_COLON.search(raw, since, until)
        if found and "\n" not in raw[text.start : found.start()]:
            yield End(state, found.start(), 1, K.SMART_QUOTE)
    elif text.quote == "'":
        found = _DOUBLE_BEFORE_END.search(raw, since, until)
        if found and not any(sign in raw[text.first : found.start()] for sign in "'\""):
            yield End(state, found.start(), 1, K.SMART_QUOTE)


def _other_than_double(raw: str, state: State, text: Text, since: int, until: int) -> Iterator[End]:
    before = {"'": (0, text.start), "`": (0, text.start)}  # how many there were up to a place
    for found in _OTHER_QUOTE.finditer(raw, since, until):
        sign, at = found.group(), found.start()
        count, counted = before.get(sign, (0, at))
        before[sign] = count + raw.count(sign, counted, at), at
        is_paired = before[sign][0] % 2 == 1
        if (state.role is Place.KEY) != (found["follow"] in COLONS) or raw[at - 1] == sign or is_paired:
            continue
        body = raw[text.start : at]
        near = sign in "”“＂" and "“" not in body
        cost = EDIT - _LOOKS_LIKE_ONE * near
        opened_inside = any(mark in body for mark in "“‘„") or (sign == "'" and _OPENED.search(body))
        is_guess = opened_inside or (sign == "“" and at == text.first)
        unsure = state.guess(text.start, TWO_READINGS, at) if is_guess else state
        yield End(unsure.but(cost=state.cost + cost), at, 1, K.SMART_QUOTE)
        return


def ends_in_forgotten_quote(state: State) -> bool:
    """Whether the last thing a reading did, a comma apart, was to end a string whose closing quote was forgotten."""
    last = last_step(state)
    while last is not None and last.text is None and last.edit and last.edit.kind in (K.MISSING_QUOTE, K.MISSING_COMMA):
        last = last_step(state.but(steps=last.before))
    return last is not None and last.text is not None and last.closing == 0
