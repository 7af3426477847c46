"""Writes JSON as it is settled, in the characters of the model's own text as long as that is clean."""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import expression, match_end
from src.shared.domain.reading.signs import JSON_BLANKS
from src.shared.domain.strict_json import strict

_BLANKS = expression(f"[{JSON_BLANKS}]*+")
_PIECE = expression(
    r'[^"\\\x00-\x1f]++|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]'
)
"""What strict JSON has inside a string: text, or an escape, which two halves of a character are together."""
_STEPS = 64
"""What is new is written when it is this part of all, so that looking for it again and again costs little."""


@dataclass
class _Open:
    """A container that is being written.

    Attributes:
        path: of it.
        is_object: or an array.
        members: how many are begun.
        last: the key or index of the last one.
        shown: characters that are written of that one, a text that is not whole; -1 where it is whole, or no text.
    """

    path: str
    is_object: bool
    members: int = 0
    last: str | int = 0
    shown: int = -1

    def inner(self, key: str | int) -> str:
        """The path of a member."""
        return self.path + json_path((key,))[1:]


class SettledJson:
    """The text of a value of which more and more is settled.

    Attributes:
        is_own: whether all that is written is the beginning of the model's own text, character by character.
        length: characters that are written.
    """

    def __init__(self) -> None:
        """Write nothing yet."""
        self.is_own, self.length = True, 0
        self._written: list[str] = []
        self._stack: list[_Open] = []
        self._raw, self._new, self._at = "", list[str](), 0
        self._size = self._looked = 0

    @property
    def text(self) -> str:
        """All that is written."""
        return "".join(self._written)

    def feed(self, text: str) -> bool:
        """Take more of the model's text; whether it is time to look at what is settled."""
        self._new.append(text)
        self._size += len(text)
        is_due = self._size - self._looked >= self._looked // _STEPS
        self._looked = self._size if is_due else self._looked
        return is_due

    def write(self, data: Any, complete: AbstractSet[str] | None = None) -> None:  # noqa: ANN401 - decoded JSON
        """Write what is settled and not written yet.

        Args:
            data: what is settled of the value; None where nothing is.
            complete: the paths of the values that are whole; None: all are.
        """
        raw = "".join((self._raw[self._at :], *self._new)) if self.is_own else ""
        self._raw, self._new, self._at = raw, [], 0
        if not self._written and isinstance(data, dict | list):
            self._open(data, "$")
        containers = [data]
        for outer in self._stack[:-1]:
            containers.append(containers[-1][outer.last])
        while self._stack and self._write_members(self._stack[-1], containers, complete):
            pass

    def _write_members(self, top: _Open, containers: list[Any], complete: AbstractSet[str] | None) -> bool:
        """Write what is new of the innermost container; whether it was closed, or another one opened in it."""
        container = containers[-1]
        if top.shown >= 0 and not self._write_text(top, container[top.last], complete):
            return False
        members = islice(container.items() if top.is_object else enumerate(container), top.members, None)
        for key, value in members:
            is_whole = complete is None or top.inner(key) in complete
            if not is_whole and not isinstance(value, str | dict | list):
                return False
            if top.members:
                self._sign(",")
            top.members, top.last = top.members + 1, key
            if top.is_object:
                self._scalar(key)
                self._sign(":")
            if isinstance(value, dict | list):
                self._open(value, top.inner(key))
                containers.append(value)
                return True
            if is_whole:
                self._scalar(value)
            elif not self._write_text(top, value, complete):
                return False
        if complete is not None and top.path not in complete:
            return False
        self._sign("}" if top.is_object else "]")
        self._stack.pop()
        containers.pop()
        return True

    def _open(self, container: Any, path: str) -> None:  # noqa: ANN401 - a dict or a list
        is_object = isinstance(container, dict)
        self._sign("{" if is_object else "[")
        self._stack.append(_Open(path, is_object))

    def _write_text(self, top: _Open, text: str, complete: AbstractSet[str] | None) -> bool:
        """Write what is new of a text that grows; whether it is whole."""
        if top.shown < 0:
            self._sign('"')
            top.shown = 0
        piece, top.shown = text[top.shown :], len(text)
        self._put(self._end_of_piece(piece), json.dumps(piece, ensure_ascii=False)[1:-1])
        if complete is not None and top.inner(top.last) not in complete:
            return False
        self._put(self._at + 1 if self._raw.startswith('"', self._at) else -1, '"')
        top.shown = -1
        return True

    # --- the model's own characters ---

    def _sign(self, sign: str) -> None:
        start = self._behind_blanks()
        self._put(start + 1 if self._raw.startswith(sign, start) else -1, sign)

    def _scalar(self, value: object) -> None:
        """Write a whole text, number or literal."""
        start, end = self._behind_blanks(), -1
        if self.is_own:
            with suppress(ValueError, RecursionError, StopIteration):
                found, behind = strict(self._raw, start)
                end = behind if type(found) is type(value) and found == value else -1
        self._put(end, json.dumps(value, ensure_ascii=False))

    def _behind_blanks(self) -> int:
        return match_end(_BLANKS, self._raw, self._at)

    def _end_of_piece(self, piece: str) -> int:
        """Where a part of a text ends in the model's own; -1 where it is written otherwise."""
        at, done = self._at, 0
        while self.is_own and done < len(piece):
            found = _PIECE.match(self._raw, at)
            if found is None:
                return -1
            plain = found.group() if found.group()[0] != "\\" else json.loads(f'"{found.group()}"')
            plain = plain if found.group()[0] == "\\" else plain[: len(piece) - done]
            if not piece.startswith(plain, done):
                return -1
            at += len(found.group()) if found.group()[0] == "\\" else len(plain)
            done += len(plain)
        return at

    def _put(self, end: int, usual: str) -> None:
        """Write the model's own characters up to an offset, or the usual ones."""
        self.is_own &= end >= 0
        shown = self._raw[self._at : end] if self.is_own else usual
        self._at = end if self.is_own else self._at
        self._written.append(shown)
        self.length += len(shown)
