"""Marks of calls that a text only mentions: in code, in quotation marks, in a fence, in a sentence."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from src.shared.domain.edits import span_around
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.infrastructure.tool_call_forms.marks import LINE_LIMIT, line_before, next_mark

_CODE = expression(r"(?<![`\w\\])(`{1,2})(?![`\s])" + repeated(r"[^`\n]|\n(?![ \t]*+\n)", "{1,2000}") + r"\1(?![`\w])")
_FENCE = expression(r"^[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_BLANKS = expression(r"\s*+")
_PARTNERS = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』"}
_OPENED = expression(rf"(?:\A|[\s(\[（：:，,])([{''.join(_PARTNERS)}])")
_BEHIND_QUOTE = r"(?=[\s.,;:!?)\]。，；：！？）]|\Z)"
_CLOSED = {
    closed: expression(rf"[^\n{{\[(<]{{0,{LINE_LIMIT}}}?{re.escape(closed)}{_BEHIND_QUOTE}")
    for closed in _PARTNERS.values()
}
_ENDS_QUOTE = {closed: expression(re.escape(closed) + _BEHIND_QUOTE) for closed in _PARTNERS.values()}
_CLOSING = expression(rf"[^\n)]{{0,{LINE_LIMIT}}}+\)")
_WORD_BEFORE = expression(r"[^\W\d_][,;:]?[ ]\Z|[\u3400-\u9fff][ ]?\Z")
_SENTENCE = expression(
    r"(?:[ ](?P<word>[^\W\d_][\w'’\-]*+)|[.,;:!?)。，；：！？）]|[\u3400-\u9fff])[^\n{\[(<]*+(?=\n|\Z|<)"
)


class Mentions:
    """Tells which marks of one text are only mentioned."""

    def __init__(self, text: str, names: frozenset[str]) -> None:
        self._text = text
        self._names = names
        self._behind = -1, 0
        self._last = len(text.rstrip("`~ \r\n\t"))

    def end_of(self, start: int, end: int, behind: int) -> int | None:
        """Behind what a mark that is only mentioned stands in; None if it may be a call's.

        Args:
            start: where the mark begins.
            end: where it ends.
            behind: the end of the last call before it.
        """
        code = self._code_around(start)
        shown = self._fence_around(start, behind) if code is None else code
        if shown is not None:
            return shown
        line = line_before(self._text, start, behind)
        is_mentioned = self._is_quoted(line, end) or self.is_in_sentence(line, end)
        return max(end, start + 1) if is_mentioned else None

    def is_mentioned(self, shape: re.Match[str]) -> bool:
        """Whether what looks like a call without marks is only mentioned; in a sentence one of Python's that ends.

        Args:
            shape: its beginning; group `python` is there if it is one of Python's, `quoted` if its name has quotes.
        """
        start, end = shape.span()
        if self._code_around(start) is not None or self._fence_around(start, 0) is not None:
            return True
        line = line_before(self._text, start)
        closing = _CLOSING.match(self._text, end) if shape["python"] else None
        is_quoted = not shape["quoted"] and self._is_quoted(line, end)
        return is_quoted or (closing is not None and self.is_in_sentence(line, closing.end()))

    @cached_property
    def _code(self) -> list[tuple[int, int]]:
        return [found.span() for found in _CODE.finditer(self._text)]

    @cached_property
    def _fences(self) -> list[int]:
        return [found.start() for found in _FENCE.finditer(self._text)]

    def _code_around(self, place: int) -> int | None:
        """The end of the code in a line around a place; a call that goes on behind it is none that is mentioned."""
        code = span_around(self._code, place)
        following = next_mark(self._text, code[1]) if code else None
        goes_on = following is not None and following.mark.kind in {"close", "section_end", "inner"}
        return code[1] if code and not goes_on else None

    def _fence_around(self, place: int, behind: int) -> int | None:
        """The end of a fence around a place that shows something in the middle of an answer."""
        first, number = bisect_left(self._fences, behind), bisect_left(self._fences, place)
        if (number - first) % 2 == 0 or number == len(self._fences):
            return None
        closing = self._fences[number] + 3
        is_shown = self.text_behind(behind) < self._fences[number - 1] and closing < self._last
        return closing if is_shown else None

    def text_behind(self, at: int) -> int:
        """Where the first character that is no white space stands behind a place, which only grows."""
        if self._behind[0] != at:
            self._behind = at, match_end(_BLANKS, self._text, at)
        return self._behind[1]

    def _is_quoted(self, line: str, end: int) -> bool:
        """Whether quotation marks stand around a mark, on its line."""
        for opened in _OPENED.finditer(line):
            partner = _PARTNERS[opened.group(1)]
            is_closed = _ENDS_QUOTE[partner].search(line, opened.end(), max(opened.end(), len(line) - 1))
            if not is_closed and _CLOSED[partner].match(self._text, end):
                return True
        return False

    def is_in_sentence(self, line: str, end: int, *, is_element: bool = False) -> bool:
        """Whether a sentence goes on before and behind a mark and names no tool there; of an element, in words."""
        sentence = _SENTENCE.match(self._text, end) if _WORD_BEFORE.search(line) else None
        return sentence is not None and (bool(sentence["word"]) if is_element else sentence["word"] not in self._names)
