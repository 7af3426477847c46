"""A string value that is still written: what of it is certain, whatever follows.

Nothing is shown behind what may be its end, if its own quote turns out to be missing, another one, or text; nor while
it may be a key whose bracket was forgotten, or a number behind a stray quote; nor behind a backslash that may be read
in another way than JSON does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from src.shared.domain.expression import expression
from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.reading.signs import (
    BLANK, BRACKETS, CLOSERS, COLONS, COMMAS, FENCE, FENCE_SIGNS, FENCES, HEX, JSON_BLANKS, JSON_LITERAL, JSON_LITERALS,
    MARGIN, NAME_SIGN, OPENERS, OTHER_ENDS, QUOTES, SURROGATES,
)  # fmt: skip

KEY_LIMIT = 64
"""Most characters of a text that may be a key whose bracket or value was forgotten."""
_PAIR_LIMIT = 64
"""Characters before another quote among which it may have its partner: then it is text."""
_END_LENGTH = 2 * MARGIN + 3  # of another quote, a comma and a quote
_STRUCTURE = "".join((JSON_BLANKS, COMMAS, COLONS, ";；", *OPENERS, *CLOSERS, '"', OTHER_ENDS, "~"))
"""What a string may have taken up from behind it, if its closing quote was forgotten."""
_SIGNS = expression(rf"[\x00-\x1f\\\"~{OTHER_ENDS}]")
"""All that may be more than text."""
_OTHER_END = expression(rf"[{OTHER_ENDS}]\s{{0,{MARGIN}}}(?:[{COMMAS}]\s{{0,{MARGIN}}}['“‘`]|[}}\]])")
"""Another quote that may be the end, if it was mistaken for the string's own."""
_MAY_BE_OTHER_END = expression(rf"[{OTHER_ENDS}]\s*+(?:[{COMMAS}]\s*+)?\Z")
_CLOSERS = re.escape("".join(CLOSERS))
_CLOSER_AND_FENCE = expression(rf"[{_CLOSERS}]\s*+(?={FENCE})")
"""A closing bracket before a fence, which shows that it is the end."""
_ENDS_LINE = expression(rf"(?:[\"'“”{COMMAS}{BRACKETS}]|\A)\s*+\Z")
"""The end of a line that may be one of JSON, or that begins before what is looked at."""
_KEY_ON_LINE = expression(rf"\n{BLANK}*+{NAME_SIGN}*+\Z")
"""A line that may be a key without its first quote."""
_COMMAND = 24
"""Most letters of a command of LaTeX."""
_ESCAPE = expression(
    rf"""
    \\(?: {SURROGATES}    # a pair, which is one character
      | u (?![dD][89a-fA-F]) {HEX}{{4}}
      | ["/]
      | [nrt] (?! [a-z]{{0,{_COMMAND - 1}}}+ \Z )    # LaTeX has letters behind it
    )
    """,
    re.VERBOSE,
)
"""An escape of JSON, with as much behind it as tells that it is one."""
_MORE, _HELD = -1, -2
_SCALAR = expression(rf" ?(?:-?\d[\d.]*+|{JSON_LITERAL})\s{{0,{MARGIN}}}(?P<sign>[,}}\]])?")
"""A number or a literal, and what follows it in an object: the quote before it may be a slip."""
_BEGUN_LITERALS = frozenset(word[:end] for word in ("-", *JSON_LITERALS) for end in range(len(word) + 1))
_SENTENCE_SIGN = expression(rf"[\n\t{COMMAS}。;；!！?？…]")
"""What is in sentences and hardly in keys."""


def looks_like_key(text: str) -> bool:
    """Whether a text may be a key, or its beginning."""
    return text.count(" ") <= 1 and _SENTENCE_SIGN.search(text) is None


class GrowingString:
    """What is certain of a string value that grows.

    Attributes:
        opened: the offset of its opening quote.
        shown: how much of it is certain.
    """

    def __init__(self, text: str, opened: int, may_be_key: Callable[[str], bool]) -> None:
        """Begin at an opening quote; `may_be_key` tells of a text whether it may be a key, or begin one."""
        self.opened = opened
        self.shown = ""
        self._quote = text[opened]
        self._may_be_key = may_be_key
        self._certain = opened + 1
        self._body = ""
        self._looked = self._solid = 0
        self._is_held = self._is_at_end = False

    def look(self, text: str) -> bool:
        """Look at the text as far as it is there; whether more is certain than before."""
        if self._is_held:
            return False
        before = self._certain
        self._pass(text)
        new = text[before : self._certain]  # it ends at no half of an escape
        self._body += json.loads(f'"{new}"', strict=False) if "\\" in new else new
        self._is_at_end = self._certain == len(text)
        return self._is_more()

    def grow(self, piece: str) -> bool | None:
        """Take more of it, if that is text and nothing else; whether more is certain than before, None otherwise."""
        if not self._is_at_end or _SIGNS.search(piece):
            return None
        self._body += piece
        self._certain += len(piece)
        return self._is_more()

    def _is_more(self) -> bool:
        body, line = self._body, None
        if self._quote == '"' and body.rfind("\n", -2 * KEY_LIMIT) >= 0:
            line = _KEY_ON_LINE.search(body, max(0, len(body) - 2 * KEY_LIMIT))
        # what was structure at its end when it was looked at before is so still, unless something else stands behind;
        # a line that may be a key was one before, too
        end = line.start() if line else len(body)
        new = body[self._looked : end].rstrip(_STRUCTURE)
        if new:
            self._solid = self._looked + len(new)
        self._looked = end
        if self._solid <= len(self.shown) or not (self.shown or self._is_text(body)):
            return False
        self.shown = body[: self._solid]
        return True

    def _is_text(self, body: str) -> bool:
        """Whether it is no key, no number and no literal; once none begins so, none does with more behind it."""
        head = body[: KEY_LIMIT + 1]
        scalar = _SCALAR.match(head)
        if scalar and (scalar["sign"] or scalar.end() == len(head)):
            return False
        if head.removeprefix(" ") in _BEGUN_LITERALS:
            return False
        return len(head) > KEY_LIMIT or not self._may_be_key(head)

    def _pass(self, text: str) -> None:
        """Go on up to the first sign that may not be text; nothing is certain behind it, or not yet."""
        while found := _SIGNS.search(text, self._certain):
            self._certain = at = found.start()
            end = self._end_of_sign(text, at)
            if end < 0:
                self._is_held = end == _HELD
                return
            self._certain = end
        self._certain = len(text)

    def _end_of_sign(self, text: str, at: int) -> int:
        """The offset behind a sign that is text; `_HELD` for one that may not be, `_MORE` where what follows tells."""
        char = text[at]
        if char == "\\":
            return self._end_of_escape(text, at)
        if char in QUOTES[self._quote] or char == '"':
            return self._end_of_apostrophe(text, at) if char == "'" else _HELD
        if char < " ":
            ends_line = _ENDS_LINE.search(text[max(self.opened, at - _END_LENGTH) : at])
            return _HELD if char not in "\n\r\t" or ends_line else at + 1
        if char in FENCE_SIGNS and (text.startswith(FENCES, at) or len(text) - at < len(FENCES[0])):
            return self._end_of_fence(text, at)
        return self._end_of_quote(text, at) if self._quote == '"' and char in OTHER_ENDS else at + 1

    def _end_of_apostrophe(self, text: str, at: int) -> int:
        if not text[at - 1].isalnum():
            return _HELD
        behind = text[at + 1 : at + 2]
        return (at + 1 if behind.isalnum() else _HELD) if behind else _MORE

    def _end_of_fence(self, text: str, at: int) -> int:
        end = at + len(FENCES[0])
        if end > len(text):
            return _MORE
        return _HELD if _CLOSER_AND_FENCE.search(text, max(self.opened + 1, at - _END_LENGTH), end) else at + 1

    def _end_of_quote(self, text: str, at: int) -> int:
        """Another quote than the string's own."""
        if _OTHER_END.match(text, at):
            return _HELD if self._has_no_partner(text, at) else at + 1
        return _MORE if len(text) - at < _END_LENGTH and _MAY_BE_OTHER_END.match(text, at) else at + 1

    def _end_of_escape(self, text: str, at: int) -> int:
        escape = _ESCAPE.match(text, at)
        if escape is None:
            return _MORE
        is_in_path = text[at - 1] == ":" and text[at - 2].isalpha()
        if is_in_path or ANY_COMMAND.match(text, at):
            return _HELD
        return escape.end()

    def _has_no_partner(self, text: str, at: int) -> bool:
        sign, before = text[at], text[max(self.opened + 1, at - _PAIR_LIMIT) : at]
        return before.count(sign) % 2 == 0 if sign in "'`" else not any(mark in before for mark in "“‘„")
