"""Whether the quotes inside a string are quotations of its text, or the bounds of other strings it has swallowed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from src.shared.domain.notation import MARGIN
from src.shared.infrastructure.reader.patterns import KEY_INSIDE

_OPENS = re.compile(r"(?<=[\s:=(\[{,`*])[\"'`＂](?=\S)")
_NAMED = frozenset({"'\"'", '`"`', "`'`"})
"""A quote between others is spoken of, not used."""
_CLOSES = re.compile(r"(?<=\S)[\"'`＂](?!\w)")
_CLOSER_OF = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_BEFORE_NEXT = re.compile(rf"\s{{0,{MARGIN}}}[,，:：\]}}］｝]")
_CJK = "\u2e80"
_SEPARATOR = re.compile(rf"[\s,;，；、。/|&+~]{{1,{MARGIN}}}")
"""What stands between two values, and seldom alone in a quotation."""


def _is_gap(text: str, first: int, second: int) -> bool:
    """Whether two quotes close one string and open the next, rather than the other way round."""
    between = text[first + 1 : second]
    joint = between.strip()
    if (joint.startswith("+") and joint.endswith("+")) or (not joint and "\n" in between):
        return True
    if not _CLOSES.match(text, first):
        return False
    return _OPENS.match(text, second) is not None or _SEPARATOR.fullmatch(text, first + 1, second) is not None


def _plainly_quote(text: str, inner: Sequence[int]) -> bool:
    """Whether every first one of two quotes stands before a letter or a digit, and none is spoken of."""
    if len(inner) % 2:
        return False
    for at in range(0, len(inner), 2):
        if not text[inner[at] + 1].isalnum() or text[inner[at + 1] - 1] in "'`":
            return False
    return True


def _closes_unopened(text: str, start: int, inner: Sequence[int]) -> int | None:
    """The first inner quote that closes what no quote inside has opened: it closes the string itself."""
    opener, closer = text[start], _CLOSER_OF.get(text[start])
    opened, at = 0, start + 1
    for quote in inner:
        opened += text.count(opener, at, quote)
        at = quote
        if text[quote] == closer and not (closer == "’" and _is_in_word(text, quote)):
            opened -= 1
            if opened < 0:
                return quote
    return None


def _is_in_word(text: str, at: int) -> bool:
    """Whether letters stand on both sides; Chinese has no words to be in the middle of."""
    return all(char.isalnum() and char < _CJK for char in (text[at - 1], text[at + 1]))


def rival_end(text: str, start: int, at: int, inner: Sequence[int]) -> int | None:
    """The inner quote that speaks against a string from `start` to `at`, or None.

    Two by two the quotes inside should open and close a quotation; a pair that closes first and then opens is the
    end of one string and the beginning of the next. An odd one is text only in the middle of a word or behind a
    digit (24" wide), or, an apostrophe, where it does not open anything.
    """
    unopened = _closes_unopened(text, start, inner)
    if unopened is not None:
        return unopened
    if _plainly_quote(text, inner):
        return None
    inner = [quote for quote in inner if text[quote - 1 : quote + 2] not in _NAMED]
    if len(inner) % 2 == 0:
        pairs = zip(inner[::2], inner[1::2], strict=True)
        return next((first for first, second in pairs if _is_gap(text, first, second)), None)
    last = inner[-1]
    if text[last] == "'":
        plain = not _OPENS.match(text, last)
    else:
        inches = text[last - 1].isdigit() and not _BEFORE_NEXT.match(text, last + 1)
        plain = inches or _is_in_word(text, last)
    return None if plain and not KEY_INSIDE.search(text, start, at) else last
