"""Walks through a text from mark to mark and collects the calls, in order.

A mark in a string of undamaged JSON is text, and so is one in a parameter between tags. A block of reasoning is passed
over. A closing mark of reasoning that nothing opened makes reasoning of all that stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TOO_DAMAGED, UNCLOSED_THINK
from src.shared.domain.reading.edits import LineIndex
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.domain.reading.tokens import LISTS_TOO
from src.shared.domain.reasoning import Mark, reasoning_marks
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.parsing.think import MARK_COST, next_closings
from src.shared.infrastructure.tool_call_forms.bodies import Bodies
from src.shared.infrastructure.tool_call_forms.call_objects import MAX_CALLS
from src.shared.infrastructure.tool_call_forms.envelopes import Json
from src.shared.infrastructure.tool_call_forms.marks import ASIDE, MARK, MESSAGE_END, RECIPIENT, bare_call
from src.shared.infrastructure.tool_call_forms.raw_call import RawCall
from src.shared.infrastructure.tool_call_forms.words import CUT, NO_CALL, NOT_OPENED, TOO_MANY, call_error, with_closing


class Walk:
    """One way through a text.

    Attributes:
        calls: those that were found.
        aside: the blocks of reasoning.
        has_marks: whether there was any mark of a call outside of them.
    """

    def __init__(
        self, text: str, names: frozenset[str], scanner: ValueScanner, json: Json, *, finished: bool | None
    ) -> None:
        self.calls: list[RawCall] = []
        self.aside: list[Span] = []
        self.has_marks = False
        self._text = text
        self._finished = finished
        self._scanner = scanner
        self._json = json
        self.bodies = Bodies(text, json, self.in_json)
        self._bare = bare_call(names)
        self._error: LLMJsonParseError | None = None
        self._wrapper: int | None = None
        self._in_wrapper = 0
        self._section: int | None = None
        self._behind = 0
        self._failures = 0

    def run(self) -> None:
        """Go to the end of the text.

        Raises:
            LLMJsonParseError: a mark of a call stands there, and no call that can be read; or too many of reasoning.
        """
        thoughts = self._thoughts()
        closings = next_closings(thoughts)
        at = number = 0
        mark, bare = self._marks(0)
        while True:
            while number < len(thoughts) and thoughts[number].start < at:
                number += 1
            if mark and mark.start() < at:
                mark = MARK.search(self._text, at)
            if bare and bare.start() < at:
                bare = self._bare.search(self._text, at)
            places = [one.start() for one in (mark, bare) if one]
            if number < len(thoughts):
                places.append(thoughts[number].start)
            if not places:
                break
            place = min(places)
            covered = self.in_json(at, place)
            if covered is not None:
                at = covered
            elif mark and mark.start() == place:
                at = self._at_mark(mark)
            elif bare and bare.start() == place:
                at = self._read(bare.start(), bare.start())
            else:
                at = self._at_thought(thoughts, closings[number], number)
        self._at_end()

    def _thoughts(self) -> list[Mark]:
        work = self._scanner.work
        marks = list(takewhile(lambda _: work.spend(MARK_COST), reasoning_marks(self._text)))
        if work.refused:
            raise with_closing(not_json(TOO_DAMAGED, "think", self._text))
        return marks

    def in_json(self, start: int, place: int) -> int | None:
        """The end of undamaged JSON that opens between two places and reaches beyond the second one."""
        bracket = LISTS_TOO.either.search(self._text, start, place)
        while bracket and self._scanner.work.is_left():
            value = self._scanner.strict_at(bracket.start())
            end = value.end if value else bracket.end()
            if end > place:
                return end
            bracket = LISTS_TOO.either.search(self._text, end, place)
        return None

    def _marks(self, at: int) -> tuple[re.Match[str] | None, re.Match[str] | None]:
        return MARK.search(self._text, at), self._bare.search(self._text, at)

    def _at_thought(self, thoughts: Sequence[Mark], closing: int | None, number: int) -> int:
        """Pass over reasoning."""
        thought = thoughts[number]
        if thought.is_void or (thought.closes and not thought.is_firm):
            return thought.end
        if thought.closes:
            self._forget(thought.end)
            return thought.end
        if closing is not None:
            self._behind = thoughts[closing].end
            self.aside.append(Span(thought.start, thoughts[closing].end))
            return thoughts[closing].end
        if thought.is_firm:
            self._fail(lambda: self._unclosed(thought.start))
        return thought.end

    def _unclosed(self, place: int) -> LLMJsonParseError:
        position = LineIndex(self._text).position(place)
        return with_closing(not_json(UNCLOSED_THINK, "think", self._text, position=position))

    def _forget(self, end: int) -> None:
        """All before a lone closing mark was reasoning."""
        self.calls.clear()
        self.aside[:] = [Span(0, end)]
        self.has_marks = False
        self._error = self._wrapper = self._section = None
        self._behind = end

    def _at_mark(self, mark: re.Match[str]) -> int:
        kind = mark.lastgroup
        end = mark.end()
        if kind == "channel" and not RECIPIENT.search(mark.group()):
            return self._at_message(mark)
        if kind == "turn_end":
            if self._wrapper is not None:
                self._close_wrapper()
            return end
        self.has_marks = True
        if kind == "section":
            self._section = mark.start()
        elif kind == "section_end":
            self._section = None
        elif kind == "end":
            return self._at_end_of_call(mark)
        elif kind == "inner":
            self._fail(lambda: call_error(NO_CALL, self._text, mark.start()))
        elif kind in {"wrapper", "fence"}:
            self._close_wrapper()
            if not self.bodies.is_tag(end):
                return self._read(mark.start(), end)
            self._wrapper, self._in_wrapper = mark.start(), len(self.calls)
        else:
            return self._read(mark.start(), end, mark)
        return end

    def _at_message(self, mark: re.Match[str]) -> int:
        """A message of harmony that is no call: reasoning, or text."""
        if mark.end() == len(self._text) and not mark["message"]:
            self._fail(lambda: call_error(CUT, self._text, mark.end(), truncated=True))
        if not ASIDE.search(mark.group()):
            return mark.end()
        end = MESSAGE_END.search(self._text, mark.end())
        if end is None:
            self._fail(lambda: self._unclosed(mark.start()))
            return len(self._text)
        self.aside.append(Span(mark.start(), end.start()))
        return end.start()

    def _at_end_of_call(self, mark: re.Match[str]) -> int:
        if self._wrapper is not None:
            self._close_wrapper()
        elif self._error is None:
            self._read_unopened(mark)
        self._behind = mark.end()
        return mark.end()

    def _read_unopened(self, mark: re.Match[str]) -> None:
        """Read what ends with a mark whose partner is missing: the prompt may have ended with that one."""
        try:
            calls = self.bodies.envelopes(self._json, self._behind, mark.start(), finished=True)
        except LLMJsonParseError:
            calls = []
        if not calls:
            self._fail(lambda: call_error(NOT_OPENED, self._text, mark.start()))
        self._add(calls, mark.start())

    def _close_wrapper(self) -> None:
        start = self._wrapper
        if start is not None and len(self.calls) == self._in_wrapper:
            self._fail(lambda: call_error(NO_CALL, self._text, start))
        self._wrapper = None

    def _read(self, start: int, at: int, mark: re.Match[str] | None = None) -> int:
        """Read what stands behind a mark; behind an error nothing is read, since it is only passed over or told."""
        self.has_marks = True
        if self._error is not None:
            return max(at, start + 1)
        try:
            calls, end = self.bodies.read(start, at, mark)
        except LLMJsonParseError as error:
            refused = error
            self._fail(lambda: refused)
            return max(at, start + 1)
        self._behind = end
        self._add(calls, start)
        return end

    def _add(self, calls: Sequence[RawCall], start: int) -> None:
        self.calls += calls
        if len(self.calls) > MAX_CALLS:
            self._fail(lambda: call_error(TOO_MANY, self._text, start))

    def _fail(self, error: Callable[[], LLMJsonParseError]) -> None:
        """Keep the first error; each takes a look at the whole text, so that only so many are made."""
        if self._error is not None:
            return
        self._failures += 1
        if self._failures > MAX_CALLS:
            raise call_error(TOO_MANY, self._text, 0)
        self._error = error()

    def _at_end(self) -> None:
        self._close_wrapper()
        if self._section is not None and self._finished is None:
            self._fail(lambda: call_error(CUT, self._text, len(self._text), truncated=True))
        if self._error is not None:
            raise self._error
