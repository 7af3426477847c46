"""Whether a damaged text proves an answer: the reader has to read exactly the answer in it.

Every name, string, number and literal of the answer must stand in the text, in the answer's order, character by
character once escapes are resolved. Between two of them stand white space, comments and the signs of JSON, which stay
for the reader to judge, and surplus punctuation, which goes. Nothing else may stand there, and inside a string nothing
is ever surplus. What brackets and commas say is for the reader alone to tell.

What the reader cannot read is read again without the punctuation that is surplus if the answer is right, and where it
does not understand that either, with the quotes that bare texts lack. If it sees two readings, no answer is believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from src.shared.application.repair_agent import surplus
from src.shared.application.repair_agent.answer import (
    Step,
    StepKind,
    first_difference,
    kind_of_difference,
    steps,
    strict_object,
)
from src.shared.application.repair_agent.surplus import Around
from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end
from src.shared.domain.parse_reasons import TWO_READ
from src.shared.domain.ports.repair import ReadObject
from src.shared.domain.reading.escapes import end_of_content
from src.shared.domain.reading.openings import CLOSING_RUN, GAP, KEY_AT, OBJECTS
from src.shared.domain.reading.signs import CLOSERS, OPENERS, QUOTES, SPELLED_LITERALS, respelled
from src.shared.domain.reasoning import reasoning_marks
from src.shared.domain.repair_errors import (
    EXCERPT_LIMIT,
    PATH_LIMIT,
    Difference,
    RepairRefusedError,
    refused_difference,
    unproven,
)
from src.shared.domain.repair_errors import DifferenceKind as Kind
from src.shared.domain.shown_end import shows_end

TWO_READ_GLOSSES = frozenset(reason.en for reason in TWO_READ)
"""What the reader says of a text that has two readings: whoever mends it guesses."""
_WORD = expression(r"[+\-]?[\w.][\w.．+\-]*+")
"""A number or a literal in any spelling."""
_OPENER_OF = {"}": "{", "]": "["}


class Mending:
    """A damaged text, as far as an answer about its first object has been found in it."""

    def __init__(self, text: str) -> None:
        start = object_start(text)
        self._text = text
        self._at = self._end = max(start, 0)
        self._last = StepKind.OPEN
        self._is_apart = self._is_on_new_line = False
        self._starts: list[int] = []
        self._edits: list[Edit] = []
        self._quotes: list[Edit] = []
        self._strings: list[tuple[int, int, Step]] = []
        self._step = Step(StepKind.OPEN, "{", {})
        if text[max(start - 1, 0) : start] == "\\":
            self._edits.append(Edit(start - 1, 1, " "))

    def follow(self, answer: dict[str, Any]) -> None:
        """Find an answer, its numbers as they are spelled.

        Raises:
            RepairRefusedError: the answer departs from the text in more than syntax.
        """
        if KEY_AT.search(self._text, reasoning_end(self._text), self._at):
            self._starts.append(self._at)
            raise self.error(Kind.STRUCTURE_CHANGED)
        for step in steps(answer):
            self._step = step
            self._skip()
            self._starts.append(self._at)
            self._take()
        self._check_rest()
        self._check_notation()

    def texts(self) -> Iterator[str]:
        """The text without what is surplus, and the same with the quotes that names and texts without any lack."""
        for edits in (self._edits, sorted([*self._edits, *self._quotes])):
            yield EditedText(self._text, 0, len(self._text), edits).text

    def error(self, kind: Kind) -> RepairRefusedError:
        """The error for the last step."""
        return refused_difference(self.difference(kind, self._step, len(self._starts) - 1))

    def difference(self, kind: Kind, step: Step, number: int) -> Difference:
        """The difference between a step of the answer and what stands at its place."""
        at = self._starts[number]
        answered = "" if step.kind is StepKind.CLOSE else step.text[:EXCERPT_LIMIT]
        return Difference(kind, step.json_path[:PATH_LIMIT], at, self._text[at : at + EXCERPT_LIMIT], answered)

    @property
    def _char(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> None:
        """Pass what stands between two steps and says nothing, and behind a name its colon."""
        is_colon_due = self._last is StepKind.NAME
        while True:
            end = match_end(GAP, self._text, self._at)
            self._is_on_new_line |= "\n" in self._text[self._at : end]
            self._at = end
            around = Around(self._last, self._step.kind, self._is_apart, self._is_on_new_line)
            found = surplus.surplus_at(self._text, end, around)
            if found is None and is_colon_due:
                found, is_colon_due = surplus.colon_at(self._text, end), False
            if found is None:
                return
            self._is_apart |= not found.put.isspace()
            self._at += found.length
            if found.put != self._text[end : self._at]:
                self._edits.append(found)

    def _take(self) -> None:
        """Pass a step, if it is one that stands there; a closing bracket may be missing."""
        step, (kind, text, end) = self._step, self._there()
        if step.kind in {StepKind.NAME, StepKind.STRING}:
            end = self._end_of_text()
        elif (kind, text) != (step.kind, respelled(step.text) or step.text):
            if step.kind is StepKind.CLOSE:
                return
            raise self._another()
        self._at, self._end, self._last = end, end, step.kind
        self._is_apart = self._is_on_new_line = False

    def _there(self) -> tuple[StepKind, str, int]:
        """The bracket, number or literal that stands at the position, and its end; any other text is a string."""
        char, end = self._char, self._at + 1
        if not char or char in surplus.SEPARATORS:
            return StepKind.CLOSE, "", self._at
        if char in OPENERS:
            return StepKind.OPEN, OPENERS[char], end
        if char in CLOSERS:
            return StepKind.CLOSE, _OPENER_OF[CLOSERS[char]], end
        word = _WORD.match(self._text, self._at)
        if word and respelled(word.group()):
            return StepKind.NUMBER, respelled(word.group()), word.end()
        if word and word.group() in SPELLED_LITERALS:
            return StepKind.LITERAL, SPELLED_LITERALS[word.group()], word.end()
        return StepKind.STRING, "", end

    def _end_of_text(self) -> int:
        """Where a name or a string ends: between quotes or what stands for them, or bare."""
        content, is_key = self._step.text, self._step.kind is StepKind.NAME
        wrapped = surplus.wrapped_at(self._text, self._at, content, is_key=is_key)
        if wrapped:
            self._edits += wrapped
            return wrapped[-1].offset + wrapped[-1].length
        end = self._end_of_quoted(content) if self._char in QUOTES else -1
        end = self._end_of_bare(content, is_key=is_key) if end < 0 else end
        self._strings.append((self._at, end, self._step))
        return end

    def _end_of_quoted(self, content: str) -> int:
        """Where a text behind a quote ends; -1 where no other one closes it."""
        end = end_of_content(self._text, self._at + 1, content)
        if end >= len(self._text):
            raise self.error(Kind.CUT_OFF)
        return end + 1 if end >= 0 and self._text[end] in surplus.ANY_CLOSER else -1

    def _end_of_bare(self, content: str, *, is_key: bool) -> int:
        """Where a text ends that lacks a quote, or both."""
        start = self._at + (self._char in QUOTES)
        end = start + len(content)
        if not content or surplus.bare_at(self._text, start, is_key=is_key) != content:
            raise self._another()
        is_closed = self._text[end : end + 1] in QUOTES
        if is_key and not is_closed and not surplus.colon_at(self._text, match_end(GAP, self._text, end)):
            raise self.error(Kind.STRUCTURE_CHANGED)
        if start > self._at:
            return end
        if self._last not in {StepKind.OPEN, StepKind.NAME} and not (self._is_apart or self._is_on_new_line):
            raise self.error(Kind.STRUCTURE_CHANGED)
        if not surplus.is_plain(content, is_key=is_key):
            raise self.error(Kind.VALUE_CHANGED if is_key else Kind.TYPE_CHANGED)
        if is_closed:
            return end + 1
        self._quotes += [Edit(start, 0, '"'), Edit(end, 0, '"')]
        return end

    def _another(self) -> RepairRefusedError:
        """The error where another step stands: of a name, a field more, a field less, or one that was renamed."""
        step, kind = self._step, self._there()[0]
        if not self._char and (self._is_apart or self._last is StepKind.NAME):
            return self.error(Kind.CUT_OFF)
        if kind is step.kind is not StepKind.OPEN:
            return self.error(Kind.VALUE_CHANGED)
        if self._last is StepKind.OPEN and self._text.startswith(tuple(surplus.SEPARATORS), self._at):
            return self.error(Kind.STRUCTURE_CHANGED)
        there = Step(kind, "", {})
        if step.kind is StepKind.NAME and kind not in {StepKind.OPEN, StepKind.CLOSE}:
            name = surplus.bare_at(self._text, self._at + (self._char in QUOTES), is_key=True)
            is_later = self._text.find(step.text, self._at) >= 0
            there = Step(StepKind.NAME, name, {step.text: None} if is_later else {})
        return self.error(kind_of_difference(there, step))

    def _check_rest(self) -> None:
        """Behind the object nothing of it is left, in a comment neither, and no other begins."""
        at = match_end(CLOSING_RUN, self._text, self._at)
        is_open = self._at == self._starts[-1] and not shows_end(self._text, self._starts[0], at, finished=True)
        is_more = self._text.startswith(tuple(surplus.SEPARATORS), at) and self._text[at + 1 :].strip("`~\r\n ")
        if is_open or is_more or KEY_AT.search(self._text, self._end) or OBJECTS.search(self._text, at) >= 0:
            self._starts[-1] = at
            raise self.error(Kind.LOST)

    def _check_notation(self) -> None:
        """Where the text was written for something else, its strings may have been too: then they have two readings."""
        for sign in {self._text[edit.offset] for edit in self._edits} & surplus.TWO_READINGS_IN_STRINGS.keys():
            for start, end, step in self._strings:
                if surplus.TWO_READINGS_IN_STRINGS[sign].search(self._text, start, end):
                    self._starts[-1], self._step = start, step
                    raise self.error(Kind.VALUE_CHANGED)


def object_start(text: str) -> int:
    """Where the first object opens, reasoning at the beginning left out; -1 if nothing does."""
    start = reasoning_end(text)
    places = [text.find(brace, start) for brace, kind in OPENERS.items() if kind == "{"]
    return min((place for place in places if place >= 0), default=-1)


def reasoning_end(text: str) -> int:
    """Where the reasoning at the very beginning of a text is over; 0 if there is none, or if it is never closed."""
    marks = list(reasoning_marks(text))
    if not marks or marks[0].closes or text[: marks[0].start].strip():
        return 0
    return next((mark.end for mark in marks if mark.closes and mark.family == marks[0].family), 0)


def prove(damaged: str, answer: str, reader: ReadObject, *, finished: bool | None = None) -> None:
    """Have the reader read the damaged text, or else the first of the mended ones that it understands.

    Args:
        damaged: the text; time and memory are linear in its length and in the answer's.
        answer: one strict JSON object.
        reader: the parser's own reader.
        finished: as for `OutputPort.read`.

    Raises:
        NotStrictJsonError: the answer is not one strict JSON object.
        RepairRefusedError: it departs from the text in more than syntax, or the reader reads something else, or cannot
            read the text without a guess.
    """
    mending = Mending(damaged)
    mending.follow(strict_object(answer))
    refused: dict[str, Any] = {}
    for text in (damaged, *mending.texts()):
        try:
            read = reader(text, finished=finished)
        except LLMJsonParseError as error:
            refused = refused if refused.get("json_error") in TWO_READ_GLOSSES else error.details
            continue
        found = first_difference(read, json.loads(answer))
        if found:
            raise unproven(mending.difference(*found))
        if refused.get("json_error") not in TWO_READ_GLOSSES:
            return
        break
    if refused.get("truncated"):
        raise mending.error(Kind.CUT_OFF)
    raise unproven(None, str(refused.get("json_error")))
