"""Divides a text once into strings and the gaps between them; everything else works on one or the other.

Nearly always one kind of quote delimits all strings, and the text is split at that character. If the gaps of such a
division contain other quotes, the strings are found one by one, whatever their quotes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from src.shared.infrastructure.parsing.regular.marks import apostrophes_masked, escapes_masked, is_free_of_marks
from src.shared.infrastructure.parsing.regular.quotations import joined

_ANY_STRING = re.compile(
    r"""(
        "[^"]*+"            # escaped quotes are marks by now
      | '[^'\n]*+'          # and so are the apostrophes inside words
      | “[^“”\n]*+”         # no quotation inside another
    )""",
    re.VERBOSE,
)
_STRING_IN_GAP = re.compile(r"""('[^'\n]*+'|“[^“”\n]*+”)""")
_TWICE = re.compile(r"""(?s:\A."[^"]*+".\Z)|"[\s+]*+["]""")
"""A string between quotes of two kinds, or one of two pieces: which of the quotes are its text has to be judged."""
_CURLY_AFTER_BACKSLASH = re.compile(r"\\[“”]")
_OTHER_QUOTES = "'“”"
MARKS_FLOOR = 60_000
CHARACTERS_PER_MARK = 4
CHARACTERS_PER_QUOTE = 4
"""Most quotes, commas, colons and wide brackets: the floor, and one for so many characters; and most quotes, of which
each makes a string of its own. They bound the memory."""
_QUOTES = "\"'“"
_MARKS = _QUOTES + ",:，：［｛"


class Segments(NamedTuple):
    """A division.

    Attributes:
        parts: gaps and the texts of strings in turn, a gap first and last, with marks in them.
        quotes: the opening quote of each string; in a text with one kind of quote that one, once.
        inner: the numbers of the quotes, counted from 0, that are text of a string.
        mixed: whether the text has several kinds of quotes.
    """

    parts: list[str]
    quotes: str
    inner: list[int]
    mixed: bool = False


def segmented(text: str) -> Segments | None:
    """The strings and gaps of a text; None if its quotes have to be looked at one by one."""
    if not is_free_of_marks(text) or _is_too_dense(text):
        return None
    masked = escapes_masked(text)
    if '"' in masked:
        return _in_plain_quotes(masked)
    if "“" in masked:
        return None if _CURLY_AFTER_BACKSLASH.search(masked) else _in_curly_quotes(masked)
    return _divided(apostrophes_masked(masked).split("'"), "'") if "'" in masked else Segments([masked], '"', [])


def _is_too_dense(text: str) -> bool:
    return _holds_more(text, _MARKS, CHARACTERS_PER_MARK) or _holds_more(text, _QUOTES, CHARACTERS_PER_QUOTE)


def _holds_more(text: str, signs: str, characters: int) -> bool:
    """Whether a text has more of these signs than one for so many characters, beyond the floor."""
    most = MARKS_FLOOR + len(text) // characters
    return len(text) > most and sum(map(text.count, signs)) > most


def _in_plain_quotes(masked: str) -> Segments | None:
    parts = masked.split('"')
    alike = set(parts[2::2])
    quoting = joined(parts) if any(gap[:1].isalpha() for gap in alike) else None
    parts, inner = quoting or (parts, [])
    if len(parts) % 2 == 0 or (not quoting and _has_other_quotes(parts[0] + "".join(alike))):
        return None if quoting else _in_several_quotes(masked, parts)
    return Segments(parts, '"', inner)


def _in_curly_quotes(masked: str) -> Segments | None:
    parts = masked.replace("”", "“").split("“")
    return _in_any_quotes(masked) if _has_other_quotes("".join(parts[::2])) else _divided(parts, "“")


def _in_several_quotes(masked: str, parts: list[str]) -> Segments | None:
    """Strings in other quotes stand in the gaps between those in plain ones, if none has a plain quote in it."""
    holding = {gap: _pieces(gap) for gap in set(parts[::2]) if _has_other_quotes(gap)}
    if any(_has_other_quotes("".join(pieces[::2])) for pieces, _ in holding.values()):
        parts.clear()  # two divisions beside each other would take twice the memory
        holding.clear()
        return _in_any_quotes(masked)
    divided: list[str] = []
    quotes: list[str] = []
    done = 0
    for at in range(0, len(parts), 2):
        if parts[at] in holding:
            pieces, opening = holding[parts[at]]
            quotes += ('"' * ((at - done + 1) // 2), opening)
            divided += parts[done:at]
            divided += pieces
            done = at + 1
    quotes.append('"' * ((len(parts) - done + 1) // 2))
    return _divided(divided + parts[done:], "".join(quotes), mixed=True)


def _pieces(gap: str) -> tuple[list[str], str]:
    """The strings in a gap and the gaps between them, in turn, and the opening quotes of the strings."""
    pieces = _STRING_IN_GAP.split(apostrophes_masked(gap))
    strings = pieces[1::2]
    pieces[1::2] = [string[1:-1] for string in strings]
    return pieces, "".join([string[0] for string in strings])


def _in_any_quotes(masked: str) -> Segments | None:
    parts = _ANY_STRING.split(apostrophes_masked(masked))
    if '"' in "".join(parts[::2]):
        return None
    strings = parts[1::2]
    if any(_TWICE.search(string) for string in strings if string[0] != '"'):
        return None
    parts[1::2] = [string[1:-1] for string in strings]
    return _divided(parts, "".join([string[0] for string in strings]), mixed=True)


def _divided(parts: list[str], quotes: str, *, mixed: bool = False) -> Segments | None:
    return Segments(parts, quotes, [], mixed) if len(parts) % 2 else None


def _has_other_quotes(gaps: str) -> bool:
    return any(quote in gaps for quote in _OTHER_QUOTES)
