"""Text that a model may have written, put on one line: as it has to be before it goes into the next prompt.

A key of an answer, or a value that a validator quotes, may hold line breaks and headings. In a prompt they would begin
a line of their own and could pass for instructions.
"""

from __future__ import annotations

import unicodedata

_SPACE = "Zs"
"""The category of what separates words and no lines."""


def one_line(text: str, limit: int) -> str:
    r"""At most `limit` characters of the text, without one that breaks a line, shows nothing or turns the writing.

    Each of those is an escape instead: a line break is `\n`, a bidirectional override `\u202e`. A text that was
    longer ends with an ellipsis.
    """
    head = text[: limit + 1]
    shown = head if head.isprintable() else "".join(map(_shown, head))
    return shorten(shown, limit)


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of the text; one that was longer ends with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def well_formed(text: str) -> str:
    """A text that can be written as UTF-8: half of a surrogate pair is told as its escape."""
    return text if text.isascii() else text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def _shown(char: str) -> str:
    if char.isprintable() or unicodedata.category(char) == _SPACE:
        return char
    return char.encode("unicode_escape").decode("ascii")
