"""Reads one JSON value, clean or with damage of a usual kind, from text that arrives in pieces.

What it takes for certain depends on the characters so far alone, never on how they were cut into pieces. It stops
where the text could still be read in another way: the parser then reads the whole, once it is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from src.shared.domain.expression import match_end
from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.reading.dialect import SPELLINGS
from src.shared.domain.reading.lexicon import CLOSERS, COLONS, COMMAS, FOREIGN_LITERALS, JSON_BLANKS, OPENERS, QUOTES
from src.shared.domain.reading.tokens import KEY_BEGINS, WHITESPACE, WHOLE_KEY, WORD
from src.shared.domain.strict_json import decode_at
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.stream.tree import MORE, Tree

MAX_DEPTH = 100
"""Containers inside each other that are read as they come; a deeper text is left to its end."""
TOKEN_LIMIT = 300
"""Most characters of a key or a number that is read as it comes."""
_QUOTES = frozenset(quote for quote in QUOTES if quote == '"' or quote in SPELLINGS)
_BEHIND_VALUE = frozenset((*JSON_BLANKS, *COMMAS, *CLOSERS))
_NOTHING = object()
"""What a word is that is neither a number nor a literal."""


class TextReader:
    """Reads the value that begins with the first character it is fed.

    Attributes:
        tree: what is certain of it.
        is_unsure: whether it has stopped, since the text could be read in another way.
        is_done: whether the value is at its end.
        first_keys: the keys of the root, or of the objects in a list, up to now; they tell which type it may be.
    """

    def __init__(self, expected: Expected = ANYTHING, *, as_written: bool = False) -> None:
        """Begin before the value.

        Args:
            expected: what the type says of it.
            as_written: whether numbers keep their digits.
        """
        self._as_written = as_written
        self.tree = Tree()
        self._expected = expected
        self.is_unsure = self.is_done = False
        self.first_keys: set[str] = set()
        self._keys: list[set[str]] = []
        self._closed: list[tuple[Expected, set[str]]] = []
        self._indents: list[int] = []
        self._indent = -1
        self._has_closed = False
        self._rest, self._ended, self._line_ended = "", "", False
        self._move: Callable[[str, int], int] = self._begin

    def feed(self, text: str) -> int | None:
        """Read more of the text. Where the value ends in it, the offset there.

        Nothing more is read of a value that has ended, or after something unsure.
        """
        kept, at = len(self._rest), 0
        if kept:
            text, self._rest = self._rest + text, ""
        while at < len(text) and not self.is_unsure:
            reached = self._move(text, at)
            if self.is_done:
                return reached - kept
            if reached == MORE:
                self._rest = text[at:]
                return None
            at = reached
        return None

    def _begin(self, text: str, at: int) -> int:
        self._open(text[at], self._expected)
        return at + 1

    # --- between strings ---

    def _skip(self, text: str, at: int) -> int:
        if text[at] not in JSON_BLANKS:
            return at
        end = match_end(WHITESPACE, text, at)
        line_end = text.rfind("\n", at, end)
        if line_end >= 0:
            self._line_ended = True
            self._indent = end - line_end - 1
        elif self._indent >= 0:
            self._indent += end - at
        return end

    def _member(self, text: str, at: int) -> int:
        """A key, or the end of the object."""
        begun, at = at, self._skip(text, at)
        if at == len(text):
            return at
        if text[at] in CLOSERS:
            return self._close(text, at)
        if self._is_misplaced():
            return self._stop(at)
        key = WHOLE_KEY.match(text, at, at + TOKEN_LIMIT + 2)
        if key is None:
            if at > begun:  # the blanks count once, however often the key is looked at
                return at
            begins = KEY_BEGINS.match(text, at)
            return self._wait_or_stop(text, at, TOKEN_LIMIT + 1) if begins else self._stop(at)
        self._move = self._colon
        if not self._keys[-1]:
            self._indents[-1] = self._indent
        self._indent, self._has_closed = -1, False
        self._name(key)
        return key.end()

    def _is_misplaced(self) -> bool:
        """Whether a key is indented as if a bracket before it was missing, or stood in the wrong place."""
        indent, own = self._indent, self._indents[-1]
        if indent in (-1, own) or (own == -1 and indent == 0):
            return False
        return (self._has_closed and own >= 0) or indent in self._indents

    def _name(self, found: re.Match[str]) -> None:
        key = found[found.lastgroup or 0]
        may_be_latex = found.lastgroup == "plain" and "\\" in key and ANY_COMMAND.search(key)
        if found.lastgroup == "plain" and "\\" in key:
            key = str(json.loads(f'"{key}"'))
        if may_be_latex or key in self._keys[-1] or self._may_be_of_another(key):  # of two the last one counts
            self.is_unsure = True
        self._closed.clear()
        self._key = key

    def _may_be_of_another(self, key: str) -> bool:
        """Whether the key may have been meant for an object around this one, or before it, where the type has it.

        It is, where this one does not have it, or may lack it and the other may not.
        """
        own = self.tree.frames[-1].expected
        if self._expected is ANYTHING or key in own.required:
            return False
        around = zip((frame.expected for frame in self.tree.frames[:-1]), self._keys, strict=False)
        others = [other for other, keys in (*around, *self._closed) if key not in keys]
        return any(key in (other.required if key in own.names else other.names) for other in others)

    def _colon(self, text: str, at: int) -> int:
        at = self._skip(text, at)
        if at == len(text):
            return at
        if text[at] not in COLONS:
            return self._stop(at)
        self.tree.confirm()
        self.tree.frames[-1].go_to(self._key)
        self._keys[-1].add(self._key)
        if len(self._keys) == 1 or (len(self._keys) == 2 and not self.tree.frames[0].is_object):  # noqa: PLR2004 - the objects of a list
            self.first_keys.add(self._key)
        self._move = self._value
        self._indent = -1
        return at + 1

    def _item(self, text: str, at: int) -> int:
        """A value, or the end of the list."""
        at = self._skip(text, at)
        if at == len(text):
            return at
        if text[at] in CLOSERS:
            return self._close(text, at)
        return self._value(text, at)

    def _value(self, text: str, at: int) -> int:
        begun, at = at, self._skip(text, at)
        if at == len(text):
            return at
        char = text[at]
        if char in _QUOTES:
            self._started()
            self._string = self.tree.open_string(char)
            self._move = self._in_string
            return at + 1
        if char in OPENERS:
            self._started()
            self._open(char, self.tree.expected())
            return at + 1
        return at if at > begun else self._word(text, at)

    def _started(self) -> None:
        """The next member begins: what was before it is whole, unless that may be text of a string."""
        self.tree.confirm(by_key=False)
        self._line_ended, self._indent = False, -1

    def _word(self, text: str, at: int) -> int:
        end = match_end(WORD, text, at, at + TOKEN_LIMIT)
        if end == len(text) or (at + 1 == len(text) and text[at] in "+-"):
            return self._wait_or_stop(text, at, TOKEN_LIMIT)
        behind = text[end : end + 2]
        if behind[0] not in _BEHIND_VALUE or (value := self._decoded(text[at:end])) is _NOTHING:
            return self._stop(at)
        if behind[0] in COMMAS and self.tree.frames[-1].is_object:  # `1,234` may be one number
            if len(behind) == 1:
                return MORE
            if behind[1].isdigit():
                return self._stop(at)
        self._started()
        self.tree.put(value)
        self._ended = ""
        self._move = self._after
        return end

    def _decoded(self, word: str) -> Any:  # noqa: ANN401 - any value without parts
        """The value of a word; `_NOTHING` where it is neither a number nor a literal."""
        try:
            value, end, edits = decode_at(FOREIGN_LITERALS.get(word, word), 0, as_written=self._as_written)
        except ValueError:
            return _NOTHING
        return _NOTHING if edits or end < len(word) else value

    def _after(self, text: str, at: int) -> int:
        """A comma, or the end of the container; a comma at the end of a line may be missing."""
        at = self._skip(text, at)
        if at == len(text):
            return at
        char, frame = text[at], self.tree.frames[-1]
        if char in CLOSERS:
            return self._close(text, at)
        if char in COMMAS:
            self._indent = -1
            self._move = self._member if frame.is_object else self._item
            return at + 1
        if self._lacks_comma(char):
            self._move = self._member if frame.is_object else self._item
            return at
        return self._stop(at)

    def _lacks_comma(self, char: str) -> bool:
        """Whether a comma was left out at the end of a line; one at the end of a string may be that comma."""
        is_next = char in _QUOTES or (char in OPENERS and not self.tree.frames[-1].is_object)
        return self._line_ended and is_next and not self._ended.rstrip().endswith((*COMMAS,))

    def _open(self, char: str, expected: Expected) -> None:
        is_object = OPENERS[char] == "{"
        may_be, may_be_other = (expected.objects, expected.arrays)[:: 1 if is_object else -1]
        is_first = bool(self.tree.frames) and self.tree.frames[-1].step == 0  # of a list, whose bracket may be surplus
        if len(self._keys) == MAX_DEPTH or ((may_be_other or is_first) and not may_be):
            self.is_unsure = True
            return
        self.tree.open({} if is_object else [], expected)
        self._keys.append(set())
        self._indents.append(-1)
        self._move = self._member if is_object else self._item
        self._closed.clear()

    def _close(self, text: str, at: int) -> int:
        on_a_members_line = len(self._keys) == 1 and self._indents[-1] >= 0 > self._indent  # the root's: it may go on
        if on_a_members_line or (CLOSERS[text[at]] == "}") != self.tree.frames[-1].is_object:
            return self._stop(at)
        self._closed.append((self.tree.frames[-1].expected, self._keys.pop()))
        self.tree.close()
        self._indents.pop()
        self._ended, self._line_ended, self._indent, self._has_closed = "", False, -1, True
        self._move = self._after
        if not self._keys:
            self.tree.confirm()
            self.is_done = True
        return at + 1

    # --- strings ---

    def _in_string(self, text: str, at: int) -> int:
        string = self._string
        at = string.read(text, at)
        if string.is_unsure:
            return self._stop(at)
        if string.is_over:
            self._ended = string.text
            self._line_ended = False
            self._move = self._after_string
        return at

    def _after_string(self, text: str, at: int) -> int:
        """What follows the closing quote has to fit: then the string was at its end there."""
        at = self._skip(text, at)
        if at == len(text):
            return at
        fits = text[at] in COMMAS or text[at] in CLOSERS or self._lacks_comma(text[at])
        value = self._string.value() if fits and not self._string.ends_with_a_line() else None
        if value is None:
            return self._stop(at)
        self.tree.close_string(value)
        self._move = self._after
        return at

    # --- doubt ---

    def _stop(self, at: int) -> int:
        self.is_unsure = True
        return at

    def _wait_or_stop(self, text: str, at: int, limit: int) -> int:
        """Wait for the rest of what has begun, but not for more than so many characters."""
        return MORE if len(text) - at <= limit else self._stop(at)
