"""Looks at the text after a value, which may show that the value was not complete after all."""

from __future__ import annotations

from src.shared.domain.possessive import match_end
from src.shared.infrastructure.parsing.reader.patterns import CLOSING_RUN, LINE_LIMIT, MORE_AFTER_ROOT


def data_follows(text: str, end: int) -> bool:
    """Whether a member or an element follows that something larger would have to hold."""
    return MORE_AFTER_ROOT.match(text, match_end(CLOSING_RUN, text, end)) is not None


def goes_on(text: str, start: int, end: int) -> bool:
    """Whether the text after a complete value says that its last bracket or quote was still text."""
    if text.startswith('"', end) and not text.startswith('"', max(0, start - 1)):
        return True
    return data_follows(text, end) or string_goes_on(text, start, end)


def string_goes_on(text: str, start: int, end: int) -> bool:
    """Whether the rest of the line closes a string that nothing on the line opened."""
    rest, line_end, next_line = text[end : end + LINE_LIMIT].partition("\n")
    before = text[max(0, start - LINE_LIMIT) : start].rpartition("\n")[2]
    if (not line_end and end + LINE_LIMIT < len(text)) or (before + rest).count('"') % 2 == 0:
        return False
    ends_string = rest.rstrip().endswith('"') and next_line.lstrip().startswith(("}", "]"))
    return ends_string or any(mark in rest for mark in ('",', '"}', '"]', '":'))
