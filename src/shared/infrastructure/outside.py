"""What stands outside the fenced blocks: nothing there may be the answer that the fence hides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, islice

from src.shared.infrastructure.candidates import MAX_CANDIDATES, could_answer, is_code
from src.shared.infrastructure.reader.edits import Edit, EditedText
from src.shared.infrastructure.rivals import first_rival, stretches
from src.shared.infrastructure.scanner import Value
from src.shared.infrastructure.state import ParseState, Span

CODE_LIMIT = 500
"""Most characters of code that a sentence mentions."""
_MENTIONED = re.compile(
    rf"""
    (?<= \w [ ] ) (?P<code> (?<!`) ` (?: [^`\n]{{1,{CODE_LIMIT}}}+ ` (?= [ ,;]{{1,3}}+ \w ) | \{{\s?\}}` ) )
    """,
    re.VERBOSE,
)
"""Code in a sentence that goes on behind it, or an empty object: a mention, not an answer."""
_ENOUGH_FIELDS = 2


def look_outside(state: ParseState) -> ParseState:
    """Note the values outside the blocks that could be the answer, and the first place there that cannot be read.

    Code of another language, and code in the middle of a sentence, is about something else, unless it has the type's
    own fields.
    """
    blanks = [Edit(start, end - start, " " * (end - start)) for start, end in state.spans]
    text = EditedText(state.text, 0, len(state.text), blanks).text
    fields = state.target.own_keys()
    code = (*state.code, *(Span(*found.span("code")) for found in _MENTIONED.finditer(text)))
    foreign = [span for span in code if not _has_fields(text, span, fields)]
    scanner = state.target.scanner(text)
    found = (scanner.decoded(value) for value in scanner.values(0, len(text)) if not _is_in(value, foreign))
    values = list(islice((value for value in found if not is_code(value, text, state.code)), MAX_CANDIDATES + 1))
    unread = [value.start for value in values if value.problem]
    readable = [value for value in values if value.problem is None]
    explained = chain(state.spans, foreign, ((value.start, value.end) for value in readable))
    shape = first_rival(text, stretches(0, len(text), explained), fields)
    places = [place for place in (state.rival, shape, *unread) if place is not None]
    outside = tuple(value for value in readable if could_answer(value))
    return replace(state, outside=outside, rival=min(places, default=None))


def _has_fields(text: str, span: Span, fields: frozenset[str]) -> bool:
    """Whether a part of the text has keys that are the type's fields."""
    part = text[span.start : span.end]
    keys = (re.search(rf"\b{re.escape(name)}[\"'”’]?\s{{0,20}}[:：]", part) for name in fields if name in part)
    return bool(fields) and sum(map(bool, keys)) >= min(_ENOUGH_FIELDS, len(fields))


def _is_in(value: Value, spans: Iterable[Span]) -> bool:
    return any(start <= value.start < end for start, end in spans)
