"""JSON as text with some of its values marked, by their paths; the text may end anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from src.shared.domain.exceptions import json_path
from src.shared.domain.possessive import repeated

_TOKEN = re.compile('"' + repeated(r'[^"\\]|\\.') + r'"?|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)

_DEEPEST = 64
"""Levels of nesting in which values are marked."""


class Stretch(NamedTuple):
    """A part of the text; whether it is marked."""

    text: str
    is_marked: bool


@dataclass(slots=True)
class _Open:
    """An object or a list that is open: the key or the index of its value, and where its mark began."""

    is_list: bool
    marked_from: int | None
    step: str | int = 0
    expects_key: bool = False


@dataclass(slots=True)
class _Walk:
    text: str
    paths: Collection[str]
    open: list[_Open] = field(default_factory=list)
    marks: list[tuple[int, int]] = field(default_factory=list)

    def take(self, start: int, sign: str) -> None:
        if sign in ("{", "["):
            marked = start if self._is_marked() else None
            self.open.append(_Open(sign == "[", marked, expects_key=sign == "{"))
        elif not self.open:
            self._scalar(start, sign)
        elif sign in ("}", "]"):
            closed = self.open.pop()
            if closed.marked_from is not None:
                self.marks.append((closed.marked_from, start + 1))
        elif sign == ",":
            self._next()
        elif sign != ":":
            self._scalar(start, sign)

    def end(self) -> None:
        """What is still open ends with the text."""
        self.marks += [(one.marked_from, len(self.text)) for one in self.open if one.marked_from is not None]

    def _scalar(self, start: int, sign: str) -> None:
        inside = self.open[-1] if self.open else None
        if inside and inside.expects_key:
            inside.step, inside.expects_key = _decoded(sign), False
        elif self._is_marked():
            self.marks.append((start, start + len(sign)))

    def _next(self) -> None:
        inside = self.open[-1]
        if inside.is_list:
            inside.step = int(inside.step) + 1
        else:
            inside.expects_key = True

    def _is_marked(self) -> bool:
        return len(self.open) <= _DEEPEST and json_path(tuple(one.step for one in self.open)) in self.paths


def marked_json(text: str, paths: Collection[str]) -> tuple[Stretch, ...]:
    """The text in stretches: those of the values at these paths are marked, from outside in."""
    walk = _Walk(text, frozenset(paths))
    for match in _TOKEN.finditer(text):
        walk.take(match.start(), match.group())
    walk.end()
    stretches: list[Stretch] = []
    at = 0
    for start, end in sorted(walk.marks):
        if start >= at:
            stretches += (Stretch(text[at:start], is_marked=False), Stretch(text[start:end], is_marked=True))
            at = end
    stretches.append(Stretch(text[at:], is_marked=False))
    return tuple(stretch for stretch in stretches if stretch.text)


def _decoded(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
