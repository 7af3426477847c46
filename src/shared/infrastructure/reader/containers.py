"""The grammar: members, elements, and what stands between them. One step a token, a list of frames for the depth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.scanner import make_scanner
from operator import itemgetter
from typing import Any, NamedTuple

from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.notation import CLOSERS, COLONS, COMMAS, OPENERS, QUOTES
from src.shared.domain.parse_reasons import TRUNCATED
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.brackets import close_container, end_of_text, open_container, salvage_members
from src.shared.infrastructure.reader.budget import STEP, Work
from src.shared.infrastructure.reader.commas import read_comma
from src.shared.infrastructure.reader.cursor import Cursor, Problem, UnreadableError
from src.shared.infrastructure.reader.edits import Edit
from src.shared.infrastructure.reader.gaps import at_end, check_elision, skip_gap
from src.shared.infrastructure.reader.patterns import (
    BARE_KEY_AT,
    CLEAN_KEY,
    ELEMENTS,
    ELEMENTS_WITHOUT_ESCAPES,
    ELLIPSES,
    KEY_AT,
    MEMBERS,
    MEMBERS_WITHOUT_ESCAPES,
    OPEN_QUOTE_TO_END,
    VALUE_AT,
)
from src.shared.infrastructure.reader.strings import (
    TWO_READINGS,
    Role,
    read_escaped_string,
    read_string,
)
from src.shared.infrastructure.reader.words import NO_VALUE, read_bare_key, read_word

_scan_once: Callable[[str, int], tuple[Any, int]] = make_scanner(json.JSONDecoder(strict=False))  # type: ignore[arg-type]  # typeshed asks for itself
_FIRST_PENALTY = 64
MEMBER_COST = 6 * STEP
"""Units of work for a member or an element that has to be looked at one by one; its strings come on top."""


class Reading(NamedTuple):
    """What the reader made of a text from `start` on.

    With no `problem`, `text[start:end]` with the `edits` applied is strict JSON (raw control characters apart).
    With one, `end` is where it gave up; with `cut`, the edits keep the members that were complete.
    """

    start: int
    end: int
    edits: list[Edit]
    problem: Problem | None = None
    cut: bool = False


def read(
    text: str,
    start: int,
    work: Work,
    *,
    keys: frozenset[str] = frozenset(),
    latex: bool = False,
    finished: bool | None = None,
    salvage: bool = False,
) -> Reading:
    """Read the container that opens at `start`.

    Args:
        text: the text it stands in.
        start: offset of its opening bracket.
        work: what reading it may cost.
        keys: the names the type knows.
        latex: the text may hold commands that look like escapes.
        finished: the model stopped by itself, so that brackets missing at the very end were forgotten.
        salvage: where the text was cut off, keep the members that were complete.
    """
    reader = _Reader(Cursor(text, start, work, keys, latex=latex, finished=bool(finished), salvage=salvage))
    try:
        reader.read()
    except UnreadableError as error:
        problem = error.problem
        if problem.truncated and salvage and salvage_members(reader.c):
            return Reading(start, len(text), sorted(reader.c.edits, key=itemgetter(0, 1)), cut=True)
        return Reading(start, max(reader.c.pos, problem.offset), [], problem)
    return Reading(start, reader.c.pos, sorted(reader.c.edits, key=itemgetter(0, 1)), cut=reader.c.elided)


class _Reader:
    def __init__(self, cursor: Cursor) -> None:
        self.c = cursor
        self.scan_from = cursor.pos + 1
        self.penalty = _FIRST_PENALTY

    def read(self) -> None:
        open_container(self.c, self.c.char())
        while self.c.frames:
            self.c.spend(MEMBER_COST)
            if self.c.frames[-1].kind == "{":
                self.member()
            else:
                self.element()

    def member(self) -> None:
        """In an object, where a key or the end is due."""
        c = self.c
        self.skip_undamaged(MEMBERS_WITHOUT_ESCAPES if c.latex else MEMBERS)
        char = skip_gap(c)
        key = CLEAN_KEY.match(c.text, c.pos)
        if key:
            c.frames[-1].key = (c.pos, key.end())
            c.pos = key.end()
            self.member_value()
        elif not self.between(char):
            if char in OPENERS and OPENERS[char] == "{" and c.frames[-1].complete_to < 0 and not c.frames[-1].surplus:
                c.edit(c.pos, 1, "", RepairKind.SURPLUS_BRACKET)
                c.frames[-1].surplus += 1
                c.pos += 1
            elif not self.reopen(KEY_AT, BARE_KEY_AT):
                self.damaged_key(char)
                self.member_value()

    def element(self) -> None:
        """In an array, where a value or the end is due."""
        self.skip_undamaged(ELEMENTS_WITHOUT_ESCAPES if self.c.latex else ELEMENTS)
        if not self.between(skip_gap(self.c)) and not self.reopen(VALUE_AT):
            self.value(Role.ELEMENT)

    def skip_undamaged(self, run: re.Pattern[str]) -> None:
        """Step over what needs no decision, in one match."""
        c = self.c
        match = run.match(c.text, c.pos)
        if match and match.end() > c.pos:
            frame = c.frames[-1]
            frame.last = match.start("last")
            frame.before = frame.complete_to = match.end("last")
            frame.comma = match.end() - 1
            c.pos = match.end()

    def between(self, char: str) -> bool:
        """Handle what is neither key nor value where one is due; False if it is one."""
        c = self.c
        frame = c.frames[-1]
        if char in CLOSERS:
            close_container(c, char)
        elif char in COMMAS and char:
            at = c.pos
            c.pos += 1
            alone = frame.complete_to < 0 and skip_gap(c) in CLOSERS
            c.edit(at, 1, "", RepairKind.TRAILING_COMMA if alone else RepairKind.DOUBLED_COMMA)
        elif c.text.startswith(ELLIPSES, c.pos):
            check_elision(c, c.pos)
            length = 1 if char == "…" else 3
            c.edit(c.pos, length, "", RepairKind.ELLIPSIS)
            c.pos += length
            if frame.comma < 0 and skip_gap(c) in COMMAS:
                c.edit(c.pos, len(c.char()), "", None)
                c.pos += len(c.char())
        elif at_end(c):
            end_of_text(c)
        else:
            return False
        return True

    def reopen(self, *due: re.Pattern[str]) -> bool:
        """Take back the end of the last string where nothing that is due comes after its comma; the quote was text."""
        c = self.c
        frame = c.frames[-1]
        start, end = frame.last, frame.complete_to
        due = (*due, OPEN_QUOTE_TO_END)
        if frame.comma < 0 or start < 0 or c.text[start] != '"' or any(p.match(c.text, c.pos) for p in due):
            return False
        while c.edits and c.edits[-1].offset >= start:
            c.edits.pop()
        frame.comma = frame.last = -1
        c.pos = start
        read_string(c, Role.MEMBER if frame.kind == "{" else Role.ELEMENT, beyond=end - 1)
        read_comma(c, c.pos)
        return True

    def damaged_key(self, char: str) -> None:
        c = self.c
        c.frames[-1].key = (0, 0)
        start = c.pos
        if char in QUOTES:
            read_string(c, Role.KEY)
        else:
            read_bare_key(c)
        at = c.pos
        if "\\_" in c.text[start:at]:
            raise c.fail(TWO_READINGS, at=start)  # Markdown's escape: the member the type knows has no backslash
        char = skip_gap(c)
        if char in COLONS and char:
            if char != ":":
                c.edit(c.pos, 1, ":", RepairKind.FULL_WIDTH_PUNCTUATION)
            c.pos += 1
        elif char == "=":
            length = 2 if c.text.startswith("=>", c.pos) else 1
            c.edit(c.pos, length, ":", RepairKind.MISSING_COLON)
            c.pos += length
        elif at_end(c):
            raise c.fail(TRUNCATED)
        else:
            c.edit(at, 0, ":", RepairKind.MISSING_COLON)

    def member_value(self) -> None:
        c = self.c
        start, end = c.frames[-1].key
        while start < end and c.text.startswith(c.text[start:end].rstrip(), c.pos):
            c.edit(c.pos, end - start, "", RepairKind.REPEATED_KEY)
            c.pos += len(c.text[start:end].rstrip())
            skip_gap(c)
        self.value(Role.MEMBER)

    def value(self, role: Role) -> None:
        c = self.c
        char = skip_gap(c)
        start = c.pos
        if char in OPENERS:
            if not self.scan():
                open_container(c, char)
                return
            c.frames[-1].nested = (start, c.pos)
        elif at_end(c):
            raise c.fail(TRUNCATED)
        elif char in QUOTES:
            read_string(c, role)
            c.frames[-1].last = start
        elif char == "\\":
            read_escaped_string(c, role)
        elif char in CLOSERS or char in COMMAS:
            raise c.fail(NO_VALUE)
        else:
            read_word(c, member=role is Role.MEMBER)
        read_comma(c, c.pos)

    def scan(self) -> bool:
        """Step over an undamaged container with the standard decoder; after a failure, only beyond its place."""
        c = self.c
        if c.pos < self.scan_from:
            return False
        try:
            end = _scan_once(c.text, c.pos)[1]
        except (ValueError, StopIteration, RecursionError) as error:
            self.scan_from = max(c.pos, getattr(error, "pos", len(c.text))) + self.penalty
            self.penalty *= 2  # each failure costs the decoder a look at all the text: only so many are allowed
            return False
        command = ANY_COMMAND.search(c.text, c.pos, end) if c.latex else None
        if command:
            self.scan_from = command.end()
            return False
        c.pos = end
        return True
