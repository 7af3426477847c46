"""Walks through a text from mark to mark and collects the calls, in order.

A mark in a string of undamaged JSON is text, and so is one in a parameter between marks, and one that is only spoken
of. A block of reasoning is passed over. A closing mark of reasoning that nothing opened makes reasoning of all that
stands before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import takewhile

from src.shared.domain.edits import LineIndex
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end
from src.shared.domain.parse_reasons import TOO_DAMAGED, UNCLOSED_THINK
from src.shared.domain.reasoning import reasoning_marks
from src.shared.infrastructure.parsing.leaked_calls import is_to_a_tool
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.parsing.think import MARK_COST, next_closings
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS
from src.shared.infrastructure.tool_call_forms.call_reader import CallReader
from src.shared.infrastructure.tool_call_forms.marks import (
    ASIDE,
    MESSAGE,
    MESSAGE_END,
    PYTHONIC,
    Found,
    behind_repeats,
    mark_at,
    next_mark,
)
from src.shared.infrastructure.tool_call_forms.notations import Notation
from src.shared.infrastructure.tool_call_forms.spoken import Spoken
from src.shared.infrastructure.tool_call_forms.typed_calls import TypedCalls
from src.shared.infrastructure.tool_call_forms.words import (
    CUT,
    NO_CALL,
    NOT_OPENED,
    TOO_MANY,
    call_error,
    with_closing,
)

_SPACE = expression(r"\s*+")


class Reader(CallReader):
    """One way through a text.

    Attributes:
        aside: the blocks of reasoning, and the marks that are only spoken of.
        marked: where the first mark of a call outside of them stands; None if there is none.
    """

    def __init__(self, text: str, typed_calls: TypedCalls, *, finished: bool | None, is_first: bool = True) -> None:
        super().__init__(text, typed_calls)
        self.aside: list[Span] = []
        self.marked: int | None = None
        self._finished = finished
        self._is_first = is_first
        self._spoken = Spoken(text, self._json.names)
        self._section: int | None = None
        self._guessed: int | None = None
        self._place = self._number = 0

    @property
    def reached(self) -> int:
        """The end of the last call or block of reasoning that was read."""
        following = mark_at(self._text, self._behind_call) if self.calls else None
        is_whole = following is None or following.mark.kind != "inner"
        return self._behind_call if is_whole else self.calls[-1].span.start

    def run(self) -> None:
        """Go to the end of the text.

        Raises:
            LLMJsonParseError: a mark of a call stands there, and no call that can be read; or too many of reasoning.
        """
        self._thoughts = list(takewhile(lambda _: self._scanner.work.spend(MARK_COST), reasoning_marks(self._text)))
        if self._scanner.work.refused:
            raise with_closing(not_json(TOO_DAMAGED, "think", self._text))
        self._closings = next_closings(self._thoughts)
        at = 0
        for _ in range(MAX_CALLS):
            try:
                self._go(at)
            except LLMJsonParseError:
                behind = self._lone_closing(self._place)
                if behind is None:
                    raise
                at = behind
                self._forget(at)
            else:
                return
        raise call_error(TOO_MANY, self._text, 0)

    def _go(self, at: int) -> None:
        mark, named = self._mark_from(at), self._named_from(at)
        while True:
            while self._number < len(self._thoughts) and self._thoughts[self._number].start < at:
                self._number += 1
            if mark and mark.start < at:
                mark = self._mark_from(at)
            if named and named.start() < at:
                named = self._named_from(at)
            thought = self._thoughts[self._number].start if self._number < len(self._thoughts) else None
            places = [one for one in (mark and mark.start, named and named.start(), thought) if one is not None]
            if not places:
                break
            self._place = place = min(places)
            covered = self._in_json(at, place)
            if covered is not None:
                at = covered
            elif mark and mark.start == place:
                at = self._at_mark(mark)
            elif place == thought:
                at = self._at_thought()
            else:
                at = self._at_name(place)
        self._at_end()

    # --- reasoning ---

    def _at_thought(self) -> int:
        """Pass over reasoning."""
        thought, closing = self._thoughts[self._number], self._closings[self._number]
        if thought.is_void or (thought.closes and not thought.is_firm):
            return thought.end
        if thought.closes:
            self._forget(thought.end)
            return thought.end
        if closing is not None:
            return self._pass(thought.start, self._thoughts[closing].end)
        if not thought.is_firm:
            return thought.end
        mark = next_mark(self._text, thought.end)
        while mark and not mark.mark.is_certain:
            mark = next_mark(self._text, mark.end)
        if mark is None:
            raise self._unclosed(thought.start)
        self._guessed = thought.start
        return self._pass(thought.start, mark.start)

    def _pass(self, start: int, end: int) -> int:
        self._behind = self._behind_call = end
        self.aside.append(Span(start, end))
        return end

    def _unclosed(self, place: int) -> LLMJsonParseError:
        position = LineIndex(self._text).position(place)
        return with_closing(not_json(UNCLOSED_THINK, "think", self._text, position=position))

    def _lone_closing(self, place: int) -> int | None:
        """Behind the next closing mark of reasoning that nothing opened."""
        at = place
        for number in range(bisect_left(self._thoughts, (place,)), len(self._thoughts)):
            thought, closing = self._thoughts[number], self._closings[number]
            if thought.start < at or thought.is_void:
                continue
            at = self._in_json(at, thought.start) or thought.start  # no bracket before this mark is looked at again
            if thought.start < at or (thought.closes and not thought.is_firm):
                continue
            if thought.closes:
                return thought.end
            at = self._thoughts[closing].end if closing is not None else at
        return None

    def _forget(self, end: int) -> None:
        """All before a lone closing mark was reasoning."""
        self.calls.clear()
        self.aside[:] = [Span(0, end)]
        self.marked = None
        self._wrapper = self._section = self._guessed = None
        self._behind = self._behind_call = end

    # --- marks ---

    def _mark(self, place: int) -> None:
        self.marked = place if self.marked is None else self.marked

    def _at_mark(self, found: Found) -> int:
        """Go on behind a mark, or behind the calls that it opens."""
        kind = found.mark.kind
        if kind == "turn_end":
            self._close_wrapper()
            end = behind_repeats(self._text, found)
            self._behind = self._behind if self._spoken.text_behind(self._behind) < found.start else end
            return end
        if kind == "call":
            mark = self._text[found.start : found.end]
            last = self._text.rfind(mark, found.start, behind_repeats(self._text, found))
            if last > found.start:
                return last
        message = MESSAGE.match(self._text, found.start) if kind == "call" else None
        if message and not is_to_a_tool(message.group()):
            return self._at_message(message)
        end = message.end() if message else found.end
        spoken = self._spoken.end_of(found.start, end, self._behind_call)
        if spoken is not None:
            self.aside.append(Span(found.start, spoken))
            return spoken
        self._mark(found.start)
        return self._at_call_mark(found, behind_repeats(self._text, found))

    def _at_call_mark(self, found: Found, end: int) -> int:
        kind = found.mark.kind
        if kind == "inner":
            header = self._header(found.start)
            if header is None:
                raise call_error(NO_CALL, self._text, found.start)
            return self._call(*header, found.start)
        if kind == "close":
            return self._at_close(found.start, end)
        if kind == "call":
            return self._at_header(found, end)
        if kind != "section_end":
            return self._at_open(found, end)
        self._section = None
        self._close_wrapper()
        self._behind = self._behind if self._text[self._behind : found.start].strip() else end
        return end

    def _at_open(self, found: Found, end: int) -> int:
        if self._wrapper is None or self._text[self._wrapper[2] : found.start].strip():
            self._close_wrapper()
        is_section = found.mark.kind == "section"
        if is_section:
            self._section = found.start
        following = mark_at(self._text, match_end(_SPACE, self._text, end))
        if is_section or self._opens(following) or self._header(match_end(_SPACE, self._text, end)):
            return self._wrap(found.start, end)
        return self._read(found.start, end)

    def _at_header(self, found: Found, end: int) -> int:
        """Read the call whose name is in a mark."""
        if header := self._header(found.start):
            return self._call(*header, found.start)
        message = MESSAGE.match(self._text, found.start)
        end = message.end() if message else end
        if self._text[end - 1] == ">" or message:
            following = mark_at(self._text, match_end(_SPACE, self._text, end))
            if self._opens(following):
                return self._wrap(found.start, end)
        raise self._nothing(found.start, found.end)

    def _at_name(self, place: int) -> int:
        """Read the call that begins with the name of a tool."""
        spoken = self._spoken.end_of(place, place, self._behind_call)
        if spoken is not None:
            self.aside.append(Span(place, spoken))
            return spoken
        header = self._header(place)
        if header and not self._is_call(*header):
            return header[0].end()
        shown = self._shown_to(*header) if header else None
        if shown is not None:
            self.aside.append(Span(place, shown))
            return shown
        self._mark(place)
        return self._call(*header, place) if header else self._read(place, place)

    def _shown_to(self, found: re.Match[str], row: Notation) -> int | None:
        """The end of an element that a sentence shows, which goes on before and behind it; None if it may be a call."""
        end = self._elements(found).first_end() if row.needs_a_tool and found.group()[0] == "<" else None
        return end if end is not None and self._spoken.is_in_words(found.start(), end) else None

    def _at_message(self, message: re.Match[str]) -> int:
        """A message that is no call: reasoning, or text."""
        if message.end() == len(self._text) and not message["message"]:
            raise call_error(CUT, self._text, message.end(), truncated=True)
        if not ASIDE.search(message.group()):
            return message.end()
        end = MESSAGE_END.search(self._text, message.end())
        if end is None:
            raise self._unclosed(message.start())
        return self._pass(message.start(), end.start())

    def _at_close(self, start: int, end: int) -> int:
        is_orphan = (bool(self.calls) or not self._is_first) and not self._text[self._behind : start].strip()
        if self._wrapper is not None:
            self._close_wrapper()
        elif not is_orphan:
            self._read_unopened(start)
        self._behind = self._behind_call = end
        return end

    def _read_unopened(self, end: int) -> None:
        """Read what ends with a mark whose partner is missing: the prompt may have ended with that one."""
        try:
            is_python = PYTHONIC.match(self._text, self._behind)
            calls, at = self.python(self._behind) if is_python else ([], end)
            calls = calls if self._text[at:end].isspace() or at == end else []
            calls = calls or self._envelopes(self._behind, end, finished=True)
        except LLMJsonParseError:
            calls = []
        if not calls:
            raise call_error(NOT_OPENED, self._text, end)
        self._add(calls, end)

    def _close_wrapper(self) -> None:
        if self._wrapper is not None and len(self.calls) == self._wrapper[1]:
            raise call_error(NO_CALL, self._text, self._wrapper[0])
        self._wrapper = None

    def _at_end(self) -> None:
        self._place = len(self._text)
        self._close_wrapper()
        if self._section is not None and self._finished is None:
            raise call_error(CUT, self._text, len(self._text), truncated=True)
        if self._guessed is not None and self._text[self._behind :].strip():
            raise self._unclosed(self._guessed)
