r"""Marks that replace other characters while a text is mended, so that every remaining quote delimits a string.

A mark is as long as what it replaces, so offsets do not change. Marks are control characters that no model writes; a
text that has one is not mended here.
"""

from __future__ import annotations

import re

NEW_QUOTE = "\x01"
"""A quote that a rule puts into a gap."""
BACKSLASH = "\x02\x02"
r"""An escaped backslash: `\\`."""
QUOTE = "\x03\x03"
r"""An escaped quote: `\"`."""
SINGLE = "\x04\x04"
r"""An escaped single quote, which JSON does not have: `\'`."""
APOSTROPHE = "\x05"
"""An apostrophe inside a word."""
ALL = "\x01\x02\x03\x04\x05"

_LETTER = "[0-9A-Za-z\u00c0-\u024f]"
"""Not those of Chinese, which has no words to be inside of."""
_IN_WORD = re.compile(rf"'(?<={_LETTER}')(?={_LETTER})")
"""An apostrophe with a letter on both sides: no string ends or begins there. Not `dogs' tails`."""


def is_free_of_marks(text: str) -> bool:
    """Whether the marks stand for nothing in a text yet."""
    return not any(mark in text for mark in ALL)


def escapes_masked(text: str) -> str:
    """The text with marks for its escaped backslashes and quotes."""
    if "\\" not in text:
        return text
    return text.replace("\\\\", BACKSLASH).replace('\\"', QUOTE).replace("\\'", SINGLE)


def apostrophes_masked(text: str) -> str:
    """The text with marks for the apostrophes inside its words."""
    return _IN_WORD.sub(APOSTROPHE, text)


def unmasked(text: str) -> str:
    """The text without marks."""
    for mark, meant in ((NEW_QUOTE, '"'), (APOSTROPHE, "'"), (SINGLE, "\\'"), (QUOTE, '\\"'), (BACKSLASH, "\\\\")):
        if mark[0] in text:  # one character is found sooner
            text = text.replace(mark, meant)
    return text
