"""What stands outside the fenced blocks: nothing there may be the answer that the fence hides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from src.shared.infrastructure.candidates import MAX_CANDIDATES, could_answer, is_code
from src.shared.infrastructure.reader.edits import Edit, EditedText
from src.shared.infrastructure.rivals import first_rival, has_fields, stretches
from src.shared.infrastructure.state import ParseState

CODE_LIMIT = 500
"""Most characters of code that a sentence mentions."""
_MENTIONED = re.compile(
    rf"""
    (?<= \w [ ] ) (?P<code> (?<!`) ` (?: [^`\n]{{1,{CODE_LIMIT}}}+ ` (?= [ ,;]{{1,3}}+ \w ) | \{{\s?\}}` ) )
    """,
    re.VERBOSE,
)
"""Code in a sentence that goes on behind it, or an empty object: a mention, not an answer."""


def look_outside(state: ParseState) -> ParseState:
    """Note the values outside the blocks that could be the answer, and the first place there that cannot be read.

    Code of another language, and code in the middle of a sentence, is about something else, unless it has the type's
    own fields.
    """
    fields = state.target.own_keys()
    code = [span for span in state.code if not has_fields(state.text, *span, fields)]
    text = _blanked(state.text, sorted([*state.spans, *code]))
    mentions = (found.span("code") for found in _MENTIONED.finditer(text))
    text = _blanked(text, [span for span in mentions if not has_fields(text, *span, fields)])
    scanner = state.target.scanner(text)
    found = (scanner.decoded(value) for value in scanner.values(0, len(text)) if not is_code(value, text, ()))
    values = list(islice(found, MAX_CANDIDATES + 1))
    readable = [value for value in values if value.problem is None]
    left = stretches(0, len(text), ((value.start, value.end) for value in readable))
    unread = (value.start for value in values if value.problem)
    places = [place for place in (state.rival, first_rival(text, left, fields), *unread) if place is not None]
    outside = tuple(value for value in readable if could_answer(value))
    return replace(state, outside=outside, rival=min(places, default=None))


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in place of these parts, so that offsets stay."""
    edits = [Edit(start, end - start, " " * (end - start)) for start, end in spans]
    return EditedText(text, 0, len(text), edits).text
