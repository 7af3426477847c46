"""What is still known about a value that cannot be read: where its brackets end, what is in its strings."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.notation import CLOSERS, OPENERS
from src.shared.domain.possessive import match_end
from src.shared.infrastructure.parsing.reader.budget import STEP, Work
from src.shared.infrastructure.parsing.reader.patterns import LINE_LIMIT, QUOTE_OR_BRACKETS, STRING, STRING_END

_BEFORE_STRING = frozenset("{[,:｛［，：")


class Unreadable:
    """The strings and brackets of a text, from any place on, whatever grammar says."""

    def __init__(self, text: str, work: Work) -> None:
        self._text = text
        self._work = work
        self._last_string = (0, 0)

    def place_in_string(self, start: int, place: int) -> bool | None:
        """Whether a place is in a string of the value at `start`; None if nothing tells that it is not.

        Where the quotes do not pair up before the place, the brackets alone could tell, by closing before it.
        """
        depth, paired = 0, True
        for begin, end in self._tokens(start):
            is_string = self._text[begin] == '"'
            if end > place:
                covers = is_string and begin < place
                if covers and STRING_END.match(self._text, end):
                    return True
                return None if covers or not paired else False
            if is_string:
                paired = paired and self._is_paired(begin, end)
                continue
            depth += end - begin if self._text[begin] in OPENERS else begin - end
            if depth <= 0:
                return False
        return False if paired else None

    def end_of_brackets(self, start: int) -> int:
        """Where the value at `start` ends by its brackets; the end of the text if they do not balance."""
        depth = 0
        for begin, end in self._tokens(start):
            first, length = self._text[begin], end - begin
            if first in OPENERS:
                depth += length
            elif first in CLOSERS:
                if depth <= length:
                    return begin + depth
                depth -= length
        return len(self._text)

    def _tokens(self, start: int) -> Iterator[tuple[int, int]]:
        """Strings and runs of brackets, while there is work left."""
        token = QUOTE_OR_BRACKETS.search(self._text, start)
        while token:
            begin, end = token.span()
            if not self._work.spend(STEP + end - begin):
                return
            if self._text[begin] == '"':
                end = self._end_of_string(begin)
            yield begin, end
            token = QUOTE_OR_BRACKETS.search(self._text, end)

    def _end_of_string(self, start: int) -> int:
        """Where a string ends, or the text; a quote inside the last one is escaped, so that both end in one place."""
        begin, end = self._last_string
        if not begin <= start < end - 1:
            self._last_string = start, match_end(STRING, self._text, start)
            self._work.spend(self._last_string[1] - start)
        return self._last_string[1]

    def _is_paired(self, start: int, end: int) -> bool:
        """Whether the quotes of a string stand where those of keys and values do."""
        before = self._text[max(0, start - LINE_LIMIT) : start].rstrip()
        return before[-1:] in _BEFORE_STRING and STRING_END.match(self._text, end) is not None
