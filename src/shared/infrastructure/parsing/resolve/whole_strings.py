"""The moves at strings of which both ends are seen at once: triple quotes, escaped quotes, JSON without escapes."""

from __future__ import annotations

import json
import re
from json.scanner import make_scanner

from src.shared.domain.notation import QUOTES
from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.reader.patterns import ESCAPED_STRING
from src.shared.infrastructure.parsing.resolve.costs import EDIT, OTHER_QUOTE
from src.shared.infrastructure.parsing.resolve.gaps import complete
from src.shared.infrastructure.parsing.resolve.reasons import NO_STRING_END
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.states import Offsets, State, Step, Text

_AFTER_JSON = re.compile(r"\s*+(?:[,，][ \t]*+(?:\n|\s*+[\"“])|[}\]])")
_RUN = re.compile(r"(.)" + repeated(r"\1"))
scan_once = make_scanner(json.JSONDecoder(strict=False))  # type: ignore[arg-type]  # typeshed asks for itself
"""Decodes the value at an offset, also with raw control characters in its strings: the value and its end."""


def json_inside(s: Search, state: State, char: str) -> None:
    """JSON that was written into a string without escapes, between double quotes or typographic ones."""
    at, raw = state.at, s.text
    if raw[at + 1 : at + 2] not in {"{", "["}:
        return
    try:
        end = scan_once(raw, at + 1)[1]
    except (ValueError, StopIteration, RecursionError):
        return
    is_closed = raw[end : end + 1] in set(QUOTES[char])
    if not is_closed or not raw.count('"', at + 1, end) or not _AFTER_JSON.match(raw, end + 1):
        return
    s.spend(end - at)
    inner = None
    for found in re.finditer('"', raw[at + 1 : end]):
        inner = Offsets(at + 1 + found.start(), inner)
    opened = state if char == '"' else state.again(char, OTHER_QUOTE)
    step = Step(opened.steps, text=Text(at, char, inner), end=end, closing=1)
    complete(s, opened.but(at=end + 1, cost=opened.cost + EDIT * (char == '"'), steps=step))


def triple_quotes(s: Search, state: State, char: str) -> None:
    """Python's triple quotes; a quote of the text may stand right before the last three."""
    at, raw = state.at, s.text
    end = raw.find(char * 3, at + 3) if raw.startswith(char * 3, at) else -1
    if end < 0:
        return
    end = _RUN.match(raw, end).end() - 3  # type: ignore[union-attr]  # it matches any sign
    s.spend(end - at)
    state = state.guess(at, TWO_READINGS) if char * 2 in raw[at + 3 : end] else state
    opened = state.edit(at, 3, '"', K.PYTHON_LITERAL)
    complete(s, opened.but(at=end + 3, steps=Step(opened.steps, text=Text(at + 2, char), end=end, closing=-3)))


def escaped_string(s: Search, state: State, _: str) -> bool:
    r"""`\"x\"`: a value whose quotes are escaped."""
    found = ESCAPED_STRING.match(s.text, state.at)
    if found is None:
        s.fail(state.at, NO_STRING_END)
        return True
    start, end = found.span("text")
    opened = state.edit(state.at, start - state.at, '"', K.ESCAPED_JSON)
    step = Step(opened.steps, text=Text(start - 1, '"'), end=end, closing=end - found.end())
    complete(s, opened.but(at=found.end(), steps=step))
    return True
