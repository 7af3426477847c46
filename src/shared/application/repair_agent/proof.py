"""Whether a damaged text proves an answer: the reader has to read exactly the answer in it.

Every name, string, number and literal of the answer must stand in the text, in the answer's order, character by
character once escapes are resolved. Between two of them stand white space, comments and the signs of JSON, which stay
for the reader to judge, and surplus punctuation, which goes. Nothing else may stand there, and inside a string nothing
is ever surplus.

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
from src.shared.application.repair_agent.surplus import SEPARATORS, Where
from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end
from src.shared.domain.parse_reasons import TWO_READ
from src.shared.domain.ports.repair import ReadObject
from src.shared.domain.reading.escapes import end_of_content
from src.shared.domain.reading.openings import CLOSING_RUN, GAP, KEY_AT, OBJECTS, is_more_after_root
from src.shared.domain.reading.signs import CLOSER_OF, CLOSERS, OPENERS, QUOTES, SPELLED_LITERALS, respelled
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
_COLON = Step(StepKind.LITERAL, ":", {})
"""What follows a name: before it, as before a literal, only what is surplus anywhere may go."""


class Mending:
    """A damaged text, as far as an answer about its first object has been found in it."""

    def __init__(self, text: str) -> None:
        start = object_start(text)
        self._text = text
        self._at = self._end = max(start, 0)
        self._last = StepKind.OPEN
        self._separated = self._on_new_line = False
        self._starts: list[int] = []
        self._unclosed: list[tuple[str, int]] = []
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
        self._check_before()
        for step in steps(answer):
            self._step = step
            self._skip()
            self._starts.append(self._at)
            self._take(step)
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
        """Pass what stands between two steps and says nothing."""
        while True:
            end = match_end(GAP, self._text, self._at)
            self._on_new_line |= "\n" in self._text[self._at : end]
            self._at = end
            found = surplus.surplus_at(self._text, end, self._where())
            if found is None:
                return
            self._separated |= self._text[end] in SEPARATORS or "," in found.put
            self._pass(found)

    def _pass(self, edit: Edit) -> None:
        self._at += edit.length
        if edit.put != self._text[edit.offset : self._at]:
            self._edits.append(edit)

    def _where(self) -> Where:
        """What stands around the position, between the last step and this one."""
        step, last = self._step, self._text[self._end - 1 : self._end]
        opened, closes = self._last is StepKind.OPEN, step.kind is StepKind.CLOSE
        holds = {
            Where.BEHIND_STRING: self._at == self._end and last in surplus.ENDS_STRING,
            Where.BEHIND_END: last in surplus.ANY_CLOSER or last in CLOSERS,
            Where.BEHIND_OPENER: opened,
            Where.BEHIND_NO_COMMA: not self._separated,
            Where.ON_NEW_LINE: self._on_new_line,
            Where.BEFORE_STRING: step.kind in {StepKind.NAME, StepKind.STRING},
            Where.BEFORE_LATER_KEY: step.kind is StepKind.NAME and step.follows,
            Where.BEFORE_CLOSER: closes,
            Where.BETWEEN_ITEMS: closes or step.starts_item,
            Where.AT_BEGINNING: step.starts_item and (opened or self._separated or self._on_new_line),
        }
        return Where(sum(where.value for where, is_so in holds.items() if is_so))

    def _take(self, step: Step) -> None:
        if step.kind is StepKind.CLOSE:
            self._close(step.text)
            return
        if not self._char or self._char in CLOSERS or self._char in SEPARATORS:
            is_cut = not self._char and (self._separated or not step.starts_item)
            raise self.error(Kind.CUT_OFF if is_cut else Kind.ADDED)
        if step.starts_item:
            self._check_beginning(step)
        self._moved(self._end_of(step))
        if step.kind is StepKind.NAME:
            self._step = _COLON
            self._skip()
            self._step = step
            colon = surplus.colon_at(self._text, self._at)
            if colon:
                self._pass(colon)
            elif self._text[self._end - 1] not in surplus.ENDS_STRING:
                raise self.error(Kind.STRUCTURE_CHANGED)

    def _close(self, bracket: str) -> None:
        if CLOSERS.get(self._char) == CLOSER_OF[bracket]:
            self._moved(self._at + 1)
        else:
            self._unclosed.append((bracket, self._at))

    def _moved(self, end: int) -> None:
        self._at = self._end = end
        self._last = self._step.kind
        self._separated = self._on_new_line = False
        self._unclosed.clear()

    def _check_beginning(self, step: Step) -> None:
        """What was left unclosed cannot hold the member or item that begins; a comma is before it, or a sign of it."""
        may_hold = "{" if step.kind is StepKind.NAME else "["
        for bracket, at in self._unclosed:
            if bracket == may_hold:
                self._starts[-1] = at
                raise self.error(Kind.LOST)
        is_bounded = self._separated or self._on_new_line or self._char in QUOTES or self._char in OPENERS
        if not is_bounded if step.follows else self._separated:
            raise self.error(Kind.STRUCTURE_CHANGED)

    def _end_of(self, step: Step) -> int:
        if step.kind in {StepKind.NAME, StepKind.STRING}:
            return self._end_of_text(step)
        word = _WORD.match(self._text, self._at)
        if step.kind is StepKind.OPEN:
            is_it = OPENERS.get(self._char) == step.text
        elif step.kind is StepKind.NUMBER:
            is_it = word is not None and respelled(word.group()) == respelled(step.text)
        else:
            is_it = word is not None and SPELLED_LITERALS.get(word.group()) == step.text
        if not is_it:
            raise self._another(step)
        return word.end() if word else self._at + 1

    def _end_of_text(self, step: Step) -> int:
        """Where a name or a string ends: between quotes or what stands for them, or bare."""
        wrapped = surplus.wrapped_at(self._text, self._at, step.text, is_key=step.kind is StepKind.NAME)
        if wrapped:
            self._edits += wrapped
            return wrapped[-1].offset + wrapped[-1].length
        end = self._end_of_quoted(step) if self._char in QUOTES else self._end_of_bare(step)
        self._strings.append((self._at, end, step))
        return end

    def _end_of_quoted(self, step: Step) -> int:
        end = end_of_content(self._text, self._at + 1, step.text)
        if end >= len(self._text):
            raise self.error(Kind.CUT_OFF)
        if end >= 0 and self._text[end] in surplus.ANY_CLOSER:
            return end + 1
        if end < 0 or surplus.bare_at(self._text, self._at + 1, is_key=step.kind is StepKind.NAME) != step.text:
            raise self._another(step)
        return end

    def _end_of_bare(self, step: Step) -> int:
        is_name = step.kind is StepKind.NAME
        bare = surplus.bare_at(self._text, self._at, is_key=is_name)
        if bare != step.text:
            raise self._another(step)
        if not surplus.is_plain(bare, is_key=is_name):
            raise self.error(Kind.VALUE_CHANGED if is_name else Kind.TYPE_CHANGED)
        end = self._at + len(bare)
        if self._text[end : end + 1] in QUOTES:
            return end + 1
        self._quotes += [Edit(self._at, 0, '"'), Edit(end, 0, '"')]
        return end

    def _another(self, step: Step) -> RepairRefusedError:
        """The error where another step stands: of a name, a field more, a field less, or one that was renamed."""
        text, at = self._text, self._at
        if step.kind is not StepKind.NAME:
            there = Step(_kind_at(text, at), "", {})
            is_other = there.kind is step.kind is not StepKind.OPEN
            return self.error(Kind.VALUE_CHANGED if is_other else kind_of_difference(there, step))
        at += self._char in QUOTES
        names = (name for name in step.within if isinstance(name, str) and text.startswith(name, at))
        if any(not text[at + len(name) :][:1].isalnum() for name in names):
            return self.error(Kind.ADDED)
        return self.error(Kind.LOST if text.find(step.text, at) >= 0 else Kind.NAME_CHANGED)

    def _check_before(self) -> None:
        """Before the object there is prose only, and not the beginning of a list."""
        before = self._text[reasoning_end(self._text) : self._at].rstrip()
        if not self._char or OPENERS.get(before[-1:]) == "[" or KEY_AT.search(before):
            self._starts.append(self._at)
            raise self.error(Kind.STRUCTURE_CHANGED)

    def _check_rest(self) -> None:
        """After the object nothing of it is left, not in a comment either, and no other begins."""
        at = match_end(CLOSING_RUN, self._text, self._at)
        is_more = self._text[at : at + 1] in tuple(SEPARATORS) or is_more_after_root(self._text, at)
        if self._unclosed and not shows_end(self._text, self._starts[0], self._at, finished=True):
            is_more = True
        if is_more or KEY_AT.search(self._text, self._end) or OBJECTS.search(self._text, at) >= 0:
            self._starts[-1] = at
            raise self.error(Kind.LOST)

    def _check_notation(self) -> None:
        """Where the text was written for something else, its strings may have been too: then they have two readings."""
        for sign in {self._text[edit.offset] for edit in self._edits} & surplus.TWO_READINGS_IN_STRINGS.keys():
            for start, end, step in self._strings:
                if surplus.TWO_READINGS_IN_STRINGS[sign].search(self._text, start, end):
                    self._starts[-1], self._step = start, step
                    raise self.error(Kind.VALUE_CHANGED)


def _kind_at(text: str, at: int) -> StepKind:
    if text[at] in OPENERS:
        return StepKind.OPEN
    word = _WORD.match(text, at)
    if word and respelled(word.group()):
        return StepKind.NUMBER
    return StepKind.LITERAL if word and word.group() in SPELLED_LITERALS else StepKind.STRING


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
