"""An old parser beside the new one: examples of the classes side by side, with the values that differ marked."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from src.entrypoints.reports.words import said, without_gloss
from src.modules.reparsing.domain.comparison import Agreement, ComparedExample, Comparison
from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import repeated
from src.shared.domain.one_line import one_line

NAME_SHOWN = 120
"""Most characters of a name, an id or a place."""
MESSAGE_SHOWN = 600
"""Most characters of a refusal's message."""
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


TEXT_SHOWN = 4_000
"""Most characters of a text and of each reading that are shown."""
_CUT = " … "
"""What stands in a reading where its middle was left out."""
_TOLD = (Agreement.DIFFERENT, Agreement.ONLY_OLD, Agreement.ONLY_NEW, Agreement.NEITHER)
"""The classes whose examples are shown, those first that a migration has to look at."""


def name_shown(name: str) -> str:
    """A name as a page shows it."""
    return one_line(name, NAME_SHOWN)


def examples_of(comparison: Comparison) -> dict[Agreement, list[dict[str, Any]]]:
    """What the template shows of each example, by class."""
    return {each: [*map(_example, comparison.examples[each])] for each in _TOLD if comparison.examples.get(each)}


def _example(example: ComparedExample) -> dict[str, Any]:
    compared = example.compared
    return {
        "at": compared,
        "paths": [*map(name_shown, compared.paths)],
        "values": [(name_shown(each.path), _value(each.old), _value(each.new)) for each in example.values],
        "old_error": one_line(compared.old_error, MESSAGE_SHOWN),
        "new_error": one_line(without_gloss(example.new_error), MESSAGE_SHOWN),
        "text": _cut(example.text),
        "old": _marked(example.old, compared.paths),
        "new": _marked(example.new, compared.paths),
    }


def _value(text: str) -> str:
    return one_line(text, MESSAGE_SHOWN) or said("(nothing)")


def _marked(reading: str, paths: tuple[str, ...]) -> tuple[Stretch, ...]:
    """A reading with the values at the paths marked, as far as it is not cut; a path may say which reading it is in."""
    text = _cut(reading)
    head, cut, rest = text.partition(_CUT)
    places = [path.removesuffix(": only new").removesuffix(": only old") for path in paths]
    return (*marked_json(head, places), *([Stretch(cut + rest, is_marked=False)] if cut else ()))


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…"
