"""A string value that is still written."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO

KEY_LIMIT = 64
"""Most characters of a text that may be a key whose bracket or value was forgotten."""
_WORDS = ("true", "false", "null", "-")
_WORD = re.compile(r" ?(?:-?\d[\d.]{0,20}|true|false|null)\s{0,40}(?P<sign>[,}\]])?")
"""A number or a literal, and what follows it in an object: the quote before it may be a slip."""
_STRUCTURE = " \t\n\r,:;，：；{[}]｛［｝］\"'“”‘’`´＂~"
"""What a string may have taken up from behind it, if its closing quote was forgotten: shown once more text follows."""
_END = re.compile(r"\s{0,40}[}\]｝］][\s}\]｝］]{0,40}(?:```|~~~)")
"""Closing brackets before a fence: the end of the object, if its closing quote was forgotten."""
_END_LENGTH = 84


class OpenString:
    """A string value that is still written.

    Attributes:
        path: its path.
        may_be_key: tells of a text whether a key may begin so: then nothing is shown of it, since it may be one.
        shown: how many of its characters are certain.
        is_held: whether no more of it is, until its end.
        ending: its last two characters.
        last_sign: its last character that is no blank.
        raw: it as it is written.
        is_damaged: whether a backslash in it is before no escape of JSON.
        is_unclear: whether an escape in it may be a command of LaTeX.
    """

    __slots__ = (
        "_certain",
        "_is_text",
        "_joined",
        "_more",
        "_plain",
        "ending",
        "is_damaged",
        "is_held",
        "is_unclear",
        "last_sign",
        "length",
        "may_be_key",
        "path",
        "raw",
        "shown",
    )

    def __init__(self, path: str, may_be_key: Callable[[str], bool]) -> None:
        self.path = path
        self.may_be_key = may_be_key
        self._joined = ""
        self._more = StringIO(newline="")  # many parts are short: as strings they would take ten times the text
        self.raw = StringIO(newline="")
        self.ending = self.last_sign = self._plain = ""
        self.length = self.shown = self._certain = 0
        self.is_held = self.is_damaged = self.is_unclear = self._is_text = False

    def add(self, text: str, written: str | None = None) -> None:
        """Take up more of it, `written` so if that is something else."""
        self.raw.write(text if written is None else written)
        self._more.write(text)
        self.length += len(text)
        self.ending = (self.ending + text)[-2:]
        self.last_sign = text.rstrip(" \t\r")[-1:] or self.last_sign
        end = self._may_be_over(text, written)
        certain = len(text[:end].rstrip(_STRUCTURE))
        if certain and not self.is_held:
            self._certain = self.length - len(text) + certain
        if not self.is_held and not self._may_be_none():
            self.shown = self._certain
        self.is_held |= end is not None

    def _may_be_over(self, text: str, written: str | None) -> int | None:
        """How much of what is added comes before the end of the object, if its closing quote was forgotten."""
        plain = self._plain + text if written is None else ""
        self._plain = plain[-_END_LENGTH:]
        found = _END.search(plain) if "```" in plain or "~~~" in plain else None
        return max(0, found.start() - (len(plain) - len(text))) if found else None

    def _may_be_none(self) -> bool:
        """Whether it may be a key, a number or a literal; once none begins so, none does with more behind it."""
        if self._is_text:
            return False
        head = self.text[: KEY_LIMIT + 1]
        word = _WORD.match(head)
        if word and word["sign"]:
            self.is_held = True
            return True
        begins_one = any(one.startswith(head.removeprefix(" ")) for one in _WORDS)
        if not (begins_one or (word and word.end() == len(head))):
            self._is_text = len(head) > KEY_LIMIT or not self.may_be_key(head)
        return not self._is_text

    @property
    def text(self) -> str:
        """All of it."""
        if self._more.tell():
            self._joined += self._more.getvalue()
            self._more = StringIO(newline="")
        return self._joined
