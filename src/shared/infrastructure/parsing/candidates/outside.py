"""Looks outside the fenced blocks for objects that could be the answer, too."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import itemgetter

from src.shared.domain.reading.edits import Edit, EditedText
from src.shared.domain.reading.reading import Value
from src.shared.infrastructure.parsing.candidates.eligible import MAX_CANDIDATES, could_answer, is_code
from src.shared.infrastructure.parsing.candidates.rivals import first_rival, has_fields, stretches
from src.shared.infrastructure.parsing.state import ParseState, changed

SCANS = 8
"""So many times the text outside is looked at, apart from what reading its values takes."""
CODE_LIMIT = 500
"""Most characters of code that a sentence mentions."""
_MENTIONED = re.compile(
    rf"` (?<= \w [ ] ` ) (?: [^`\n]{{1,{CODE_LIMIT}}}+ ` (?= [ ,;]{{1,3}}+ \w ) | \{{ \s? \}} ` )", re.VERBOSE
)
"""Code in a sentence that continues after it, or an empty object: a mention, not an answer."""


def look_outside(state: ParseState) -> ParseState:
    """Note the values outside the blocks that could be the answer, and the first place there that cannot be read.

    Code of another language, and code in the middle of a sentence, is about something else, unless it has the type's
    own fields.
    """
    fields = state.target.own_keys()
    code = [span for span in state.code if not has_fields(state.text, *span, fields)]
    text = _replaced(state.text, sorted([*state.spans, *code]), " ")
    work = state.scanner.work
    work.spend(SCANS * len(text))
    scanner = state.target.scanner(text, work)
    found = (scanner.decoded(value) for value in scanner.values(0, len(text)) if not is_code(value, text, ()))
    values = list(islice(found, MAX_CANDIDATES + 1))
    mentions = [span for span in _mentions(text, values) if not has_fields(text, *span, fields)]
    values = [value for value in values if not _is_inside(value, mentions)]
    readable = [value for value in values if value.problem is None]
    left = stretches(0, len(text), [*mentions, *((value.start, value.end) for value in readable)])
    unread = (value.start for value in values if value.problem)
    rival = first_rival(text, left, fields, _data_of_only_block(state))
    places = [place for place in (state.rival, rival, *unread) if place is not None]
    outside = tuple(value for value in readable if could_answer(value, state.target.roots))
    return changed(state, outside=outside, rival=min(places, default=None))


def _data_of_only_block(state: ParseState) -> object:
    """What the only block holds, if it can be read."""
    value = state.scanner.value_at(state.spans[0].start) if len(state.spans) == 1 else None
    return state.scanner.decoded(value).data if value else None


def _mentions(text: str, values: Iterable[Value]) -> list[tuple[int, int]]:
    """The code that sentences mention. What is in a value's strings is no code, so values are made one word."""
    words = _replaced(text, [(value.start, value.end) for value in values if value.data != {}], "x")
    return [found.span() for found in _MENTIONED.finditer(words)]


def _is_inside(value: Value, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a value begins in one of the spans, which are in order."""
    at = bisect_right(spans, value.start, key=itemgetter(0)) - 1
    return at >= 0 and spans[at][0] <= value.start < spans[at][1]


def _replaced(text: str, spans: Iterable[tuple[int, int]], char: str) -> str:
    """The text with as many of a character in place of each of these parts, so that offsets stay."""
    edits = [Edit(start, end - start, char * (end - start)) for start, end in spans]
    return EditedText(text, 0, len(text), edits).text
