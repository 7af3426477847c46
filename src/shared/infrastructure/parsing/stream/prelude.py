"""Finds where the answer begins in text that arrives in pieces: behind reasoning, a fence, a line that announces it.

Nothing is begun that may turn out to be a draft. An answer begins where the text does, or behind a block of reasoning
that was closed, or where a short line of prose announces it. Everything else is left to the end of the text.
"""

from __future__ import annotations

import re

from src.shared.domain.expression import expression
from src.shared.domain.reading.fed import Fed
from src.shared.domain.reading.openings import VALUE_BEGINS, VALUE_MAY_BEGIN
from src.shared.domain.reading.signs import CLOSERS, COLONS, FENCE_SIGNS, FENCES, JSON_BLANKS, OPENERS, QUOTES
from src.shared.domain.reasoning import (
    COMMENT,
    COMMENT_END,
    ENDS_MARK,
    MARK_SIGNS,
    Mark,
    draft_marks,
    is_begun,
)
from src.shared.infrastructure.parsing.answer import MEMBER_FIRST
from src.shared.infrastructure.parsing.leaked_calls import has_mark, is_to_a_tool
from src.shared.infrastructure.parsing.remarks import heading_of
from src.shared.infrastructure.parsing.rivals import first_rival
from src.shared.infrastructure.parsing.scan import (
    BEGUN_FENCE,
    CHANNEL,
    CHANNEL_LIMIT,
    CHANNEL_MARK,
    JSON_FENCE,
    ROLE_MARK,
)
from src.shared.infrastructure.parsing.state import Span

LEAD_LIMIT = 400
"""Most characters of prose in front of an answer that is read as it comes."""
MOST_PASSED = 1_000
"""Most values in prose, which nothing announces, that are passed over as they come."""
MARK_LIMIT = 280
"""Most characters of a mark around reasoning, its attributes among them."""
_CHANNEL_LIMIT = 2 * CHANNEL_LIMIT + 80
_AT_ONCE = 1_000
"""Characters that are taken up together: what is kept of the text is copied for each mark in it."""
_SIGNS = expression(f"[{re.escape(''.join((MARK_SIGNS, *FENCE_SIGNS, *OPENERS)))}]")
_BLOCK = expression(r"\[/?[A-Z_]{2,40}\]")
"""A tag of a block, as some models were taught to write: `[CONTENT]`."""
_ANNOUNCES = expression(rf"[{COLONS}>\n]\s*+\Z")
_WORD_BEFORE = expression(r"[A-Za-z0-9]\Z")
"""Behind this a bracket is part of a word, or of code."""
_COLON_BEFORE = expression(rf"[{COLONS}]\s*+\Z")
_KEY_BEFORE = expression(rf"[{''.join(QUOTES[opening][0] for opening in '“‘')}\"']\s*+{_COLON_BEFORE.pattern}")
_IN_STRING = ("'", '"')
_BLANK = f"{JSON_BLANKS}\ufeff"


class Prelude:
    """Looks for the beginning of the answer.

    Attributes:
        is_unsure: whether it cannot be told while the text is written.
    """

    def __init__(self, fields: frozenset[str]) -> None:
        """Begin at the beginning; `fields` are the names the type knows at its root."""
        self.is_unsure = False
        self._fields = fields
        self._text = ""
        self._at = 0
        self._family = ""
        self._is_reasoned = self._is_fenced = self._is_long = self._is_marked = False
        self._fence_at = self._fence_end = 0
        self._passed: Fed | None = None
        self._steps = Steps()
        self._passes = 0

    def feed(self, text: str) -> str | None:
        """Take up more of the text. Where the answer begins in it, the text from there on."""
        for at in range(0, len(text), _AT_ONCE):
            begun = self._take_up(text[at : at + _AT_ONCE])
            if begun is not None:
                return begun + text[at + _AT_ONCE :]
            if self.is_unsure:
                break
        return None

    def _take_up(self, text: str) -> str | None:
        if self._passed:
            self._pass(self._passed, text)
        else:
            self._text += text
        while not (self.is_unsure or self._passed):
            before = self._at, self._family, len(self._text)
            begun = None
            if not self._family:
                begun = self._in_lead()
            elif not self._has_left(text):
                return None
            if begun is not None or before == (self._at, self._family, len(self._text)):
                return begun
        return None

    # --- in a block of reasoning ---

    def _has_left(self, text: str) -> bool:
        """Go to the end of the block, if it is there; only so much is kept as its closing mark may have."""
        begins = 0
        if self._family == CHANNEL_MARK:
            kept = _CHANNEL_LIMIT
            ends = [one.end() for one in CHANNEL.finditer(self._text) if one["name"] == "final"]
        elif not ENDS_MARK.search(text) and len(self._text) < _CHANNEL_LIMIT:
            return False
        elif self._family == COMMENT:
            kept, at = len(COMMENT_END), self._text.find(COMMENT_END)
            ends = [at + kept] if at >= 0 else []
        else:
            kept, ends = MARK_LIMIT, []
            for mark in draft_marks(self._text, self._family):
                begins = mark.start
                if mark.closes and mark.family == self._family:
                    ends = [mark.end]
                    break
        if ends:
            self._restart(ends[0])
        else:
            self._text = self._text[max(begins, len(self._text) - kept) :]
        return bool(ends)

    def _restart(self, at: int) -> None:
        self._text = self._text[at:]
        self._at = 0
        self._family = ""
        self._is_reasoned, self._is_fenced, self._is_long = True, False, False

    # --- in front of the answer ---

    def _in_lead(self) -> str | None:
        if self._at > LEAD_LIMIT:  # prose that goes on and on announces no answer; it may be reasoning
            self._is_long = True
            self._is_marked = self._is_marked or has_mark(self._text[: self._at])
            self._text, self._at = self._text[self._at :], 0
        found = _SIGNS.search(self._text, self._at)
        if found is None:
            self._at = len(self._text)
            return None
        self._at = at = found.start()
        char = found.group()
        if char in OPENERS and VALUE_BEGINS.match(self._text, at):
            return self._begun(at)
        if char in FENCE_SIGNS:
            self._fence(at)
        elif mark := self._mark(at):
            self._take(mark)
        elif self._is_cut(at):
            return None
        elif block := _BLOCK.match(self._text, at):
            self._at = block.end()
        elif char in OPENERS:
            self.is_unsure = True
        else:
            self._at = at + 1
        return None

    def _begun(self, at: int) -> str | None:
        if self._is_marked or has_mark(self._text[:at]) or self._text[max(0, at - 1) : at] in _IN_STRING:
            self.is_unsure = True  # arguments of a tool's call are no answer, and what is in a string is decoded as one
            return None
        if self._is_announced(self._text[:at]):
            return self._text[at:]
        self._passes += 1
        if self._passes > MOST_PASSED:
            self.is_unsure = True
            return None
        self._passed, self._steps = Fed(), Steps()
        self._text, rest = "", self._text[at:]
        self._pass(self._passed, rest)
        return None

    def _pass(self, passed: Fed, text: str) -> None:
        """Pass over a value that nothing announces: it may be a draft, if the end of a block of reasoning follows."""
        steps = self._steps
        passed.feed(steps.step(text))
        steps.closers = passed.depth
        if passed.end < 0:
            passed.feed(steps.rest())
        if passed.end >= 0:
            self._passed, self._is_long = None, True
            self._text, self._at = passed.text[passed.end :] + steps.waiting, 0

    def _is_announced(self, lead: str) -> bool:
        if self._is_long or len(lead) > LEAD_LIMIT:
            return False
        start = self._fence_end if self._is_fenced else 0
        if MEMBER_FIRST.match(lead, start) or (self._is_fenced and _COLON_BEFORE.search(lead, start)):
            return False  # inside of an object whose bracket is missing
        if _WORD_BEFORE.search(lead):
            return False
        if not (lead[: self._fence_at] if self._is_fenced else lead).strip(_BLANK):
            return True
        if (
            _KEY_BEFORE.search(lead)
            or heading_of(lead, len(lead))
            or first_rival(f"{lead}{{", [Span(0, len(lead))], self._fields) is not None
        ):
            return False
        return self._is_fenced or self._is_reasoned or _ANNOUNCES.search(lead) is not None

    def _fence(self, at: int) -> None:
        fence = JSON_FENCE.match(self._text, at)
        if fence:
            self._is_fenced, self._fence_at = True, at
            self._at = self._fence_end = fence.end()
        elif BEGUN_FENCE.match(self._text, at):
            return
        elif self._text.startswith(FENCES, at):
            self.is_unsure = True
        else:
            self._at = at + 1  # the name of something, in a sentence

    def _mark(self, at: int) -> Mark | None:
        if self._text.startswith(CHANNEL_MARK, at):
            channel = CHANNEL.match(self._text, at)
            if channel is None:
                return None
            self.is_unsure = is_to_a_tool(self._text[:at].rpartition(ROLE_MARK)[2] + channel.group())
            is_final = channel["name"] == "final"
            return Mark(0, channel.end() - at, CHANNEL_MARK, is_final, is_void=False, is_firm=True)
        mark = self._text[at : at + MARK_LIMIT]
        if is_begun(mark) and not mark.startswith(COMMENT):
            return None
        marks = draft_marks(mark)
        first = next(marks, None)
        return first if first and first.start == 0 else None

    def _take(self, mark: Mark) -> None:
        end = self._at + mark.end
        if mark.is_void:
            self._text = self._text[: self._at] + " " * mark.end + self._text[end:]
            self._at = end
        elif mark.closes:
            self.is_unsure = self._is_marked or has_mark(self._text[: self._at])  # it may stand in an argument
            self._restart(end)
        else:
            self._family = mark.family
            self._text = self._text[end:]
            self._at = 0

    def _is_cut(self, at: int) -> bool:
        """Whether what begins here may become a mark, or a value, with the next characters."""
        rest = self._text[at:]
        if rest.startswith(CHANNEL_MARK) or CHANNEL_MARK.startswith(rest):
            return len(rest) < _CHANNEL_LIMIT
        if rest[0] in OPENERS and VALUE_MAY_BEGIN.match(rest):
            return True
        return len(rest) < MARK_LIMIT and is_begun(rest) and ("\n" not in rest or rest.startswith(COMMENT))


FINE = 512
"""Characters of which every one is looked at as it comes. What is new of a longer text is looked at after at most a
`PARTS`th of it: each look costs a copy of what is open, and all of them together are to cost little."""
PARTS = 64
_SHIFT = PARTS.bit_length()


_CLOSER = expression(f"[{re.escape(''.join(CLOSERS))}]")


class Steps:
    """The pieces of a text that opens with a bracket, up to its closing one.

    Attributes:
        next: the length at which it is looked at, if no closing bracket comes before.
        closers: how many closing brackets have to come before it can be at its end.
    """

    def __init__(self) -> None:
        """Begin before the text."""
        self.next = self.closers = self._length = self._found = 0
        self._waiting: list[str] = []

    @property
    def waiting(self) -> str:
        """What is not given yet."""
        return "".join(self._waiting)

    def step(self, piece: str) -> str:
        """Take a piece; what waited for it, up to the last step, if there is one in it."""
        self._waiting.append(piece)
        length = self._length = self._length + len(piece)
        if length < self.next:
            self._found += len(_CLOSER.findall(piece))
            return ""
        step = 1 << (length.bit_length() - _SHIFT) if length >= FINE else 1
        self.next = (length & -step) + step
        text = "".join(self._waiting)
        return self._give(text, len(text) - length % step)

    def rest(self) -> str:
        """What is behind, up to a closing bracket at which the text may be at its end, if there is one."""
        if not self._found or self._found < self.closers:
            return ""
        text = self.waiting
        return self._give(text, 1 + max(map(text.rfind, CLOSERS)))

    def _give(self, text: str, end: int) -> str:
        rest = text[end:]
        self._waiting = [rest]
        self._found = len(_CLOSER.findall(rest)) if rest else 0
        return text[:end]
