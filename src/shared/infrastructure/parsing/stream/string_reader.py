r"""Reads the text of one string that arrives in pieces, up to its closing quote.

Escapes of JSON are read as they come. Where a backslash begins none, nothing more is shown of the string, and its end
decides how all of its backslashes are read, by the rules of every damaged string.
"""

from __future__ import annotations

import json
import re

from src.shared.domain.expression import expression
from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.reading.edits import EditedText
from src.shared.domain.reading.escapes import StringParts, string_edits
from src.shared.domain.reading.reading import UnreadableError
from src.shared.infrastructure.parsing.stream.tree import OpenString

MORE = -1
"""What a move returns where the next characters have to be seen first."""
QUOTES = {
    '"': expression(r'[^"\\\x00-\x1f]++'),
    "'": expression(r"[^'\"\\\x00-\x1f]++"),
    "“": expression(r"[^“”\"\\\x00-\x1f]++"),
}
_CLOSING = {'"': '"', "'": "'", "“": "”"}
_LINE_ENDS = frozenset("\"'“”,，}]{[")
"""What a line of JSON ends with: a line in a string that ends so may be one, after a quote that was forgotten."""
_OTHER_END = expression(r"(?P<sign>[”’'“‘`´＂])\s{0,3}(?:[,，]\s{0,12}[\"'“‘`]|[}\]])")
"""What may end a string that began with a double quote, if its own end was mistaken for this sign."""
_END_LIMIT = 18
_PAIR_LIMIT = 64
"""Characters before such a sign among which it may have its partner: then it is text."""
_LINE_CHARACTERS = "\n\r\t"
_ESCAPE = expression(
    r"""
    \\(?: u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}    # a pair, which is one character
      | u (?![dD][89a-fA-F]) [0-9a-fA-F]{4}
      | ["\\/]
      | [bfnrt] (?= [^A-Za-z] )                                        # LaTeX has letters behind it
      | [bfnrt] (?= [A-Za-z]{1,24} [^A-Za-z] | [A-Za-z]{24} )
    )
    """,
    re.VERBOSE,
)
_NEVER_IN_TEXT = (r"\b", r"\f")
_MAY_BE_ESCAPE = expression(
    r"""
    \\(?: u[0-9a-fA-F]{0,3}+
      | u[dD][89abAB][0-9a-fA-F]{2} (?: \\(?: u[0-9a-fA-F]{0,3}+ )? )?
      | [bfnrt][A-Za-z]{0,24}+
      | [av]
    )? \Z
    """,
    re.VERBOSE,
)
_OTHER_ESCAPES = frozenset("xUuN0123'\n\r")
"""What Python's and JavaScript's escapes begin with: they are told from a path by the text around."""


class StringReader:
    """Reads one string behind its opening quote.

    Attributes:
        is_over: whether its closing quote was read.
        is_unsure: whether its text could be read in another way.
    """

    def __init__(self, quote: str, string: OpenString) -> None:
        self._quote = quote
        self._closing = _CLOSING[quote]
        self._plain = QUOTES[quote]
        self._string = string
        self._tail = ""
        self.is_over = self.is_unsure = False

    def read(self, text: str, at: int) -> int:
        """Read on; the offset that was reached, or `MORE`."""
        run = self._plain.match(text, at)
        if run:
            self._add(run.group())
            return run.end()
        char = text[at]
        if char == "\\":
            return self._escape(text, at)
        if char == self._closing:
            return self._quote_mark(text, at)
        is_quote = char == '"' and self._quote == "'"
        if not is_quote and char not in _LINE_CHARACTERS:
            return self._stop(at)
        if is_quote or self._string.last_sign in _LINE_ENDS:
            self._string.is_held = True
        self._string.add(char)
        return at + 1

    def value(self) -> str | None:
        """The string, if its backslashes have one reading."""
        string = self._string
        if not string.is_damaged:
            return None if string.is_unclear else string.text
        raw = f'"{string.raw.getvalue()}"'
        try:
            edits = string_edits(raw, 0, len(raw) - 1, StringParts([], []), latex=True)
            return str(json.loads(EditedText(raw, 0, len(raw), edits).text, strict=False))
        except (UnreadableError, ValueError):
            return None

    def _add(self, text: str) -> None:
        """Take up text; nothing more is shown of the string behind what may be its end."""
        if self._quote == '"' and not self._string.is_held:
            known = len(self._tail)
            window = self._tail + text
            self._tail = window[-_PAIR_LIMIT - _END_LIMIT :]
            ends = _OTHER_END.finditer(window, max(0, known - _END_LIMIT))
            end = next((found.start() for found in ends if found.end() > known and _has_no_partner(found)), None)
            if end is not None:
                self._string.add(text[: max(0, end - known)])
                self._string.is_held = True
                text = text[max(0, end - known) :]
        self._string.add(text)

    def _quote_mark(self, text: str, at: int) -> int:
        if self._quote == "'":
            if at + 1 == len(text):
                return MORE
            if text[at + 1].isalnum() and self._string.ending[-1:].isalnum():  # it's
                self._string.add("'")
                return at + 1
        self.is_over = True
        return at + 1

    def _escape(self, text: str, at: int) -> int:
        string, found = self._string, _ESCAPE.match(text, at)
        if found is None:
            return self._no_escape(text, at)
        escape = found.group()
        if ANY_COMMAND.match(text, at):
            string.is_held = string.is_unclear = True
        if escape in _NEVER_IN_TEXT:
            string.is_held = True  # beside damage they are backslashes
        before = string.ending
        if escape == r"\\" or (before[-1:] == ":" and before[:1].isalpha()):
            string.is_held = True  # where a path goes on, every backslash is itself
        string.add(str(json.loads(f'"{escape}"')), escape)
        return found.end()

    def _no_escape(self, text: str, at: int) -> int:
        """A backslash that begins no escape of JSON: what the others are is told by the whole string."""
        if self._quote == "'" and text.startswith("\\'", at):
            self._string.add("'", "\\'")
            return at + 2
        if _MAY_BE_ESCAPE.match(text, at):
            return MORE
        letter, next_letter = text[at + 1], text[at + 2 : at + 3]
        is_python = letter in _OTHER_ESCAPES or (letter in "av" and not next_letter.isalpha())
        if self._quote != '"' or is_python:
            return self._stop(at)
        self._string.is_held = self._string.is_damaged = True
        self._string.add(text[at : at + 2])
        return at + 2

    def _stop(self, at: int) -> int:
        self.is_unsure = True
        return at


def _has_no_partner(found: re.Match[str]) -> bool:
    sign, before = found["sign"], found.string[max(0, found.start() - _PAIR_LIMIT) : found.start()]
    return before.count(sign) % 2 == 0 if sign in "'`" else not any(mark in before for mark in "“‘„")


def ends_with_a_line(text: str) -> bool:
    """Whether a string ends with a line that may be one of JSON: then its quote opens the next key."""
    stripped = text.rstrip()
    return stripped[-1:] in _LINE_ENDS and "\n" in text[len(stripped) :]
