"""An old parser beside the new one: examples of the classes side by side, with the values that differ marked."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

from src.modules.reparsing.domain.comparison import ONLY_NEW, ONLY_OLD, Agreement, Comparison
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
_CUT = " … "
"""What stands in a reading where its middle was left out."""
_SHOWN = (Agreement.DIFFERENT, Agreement.ONLY_OLD, Agreement.ONLY_NEW, Agreement.NEITHER)
"""The classes whose examples are shown, those first that a migration has to look at."""


Stretch: TypeAlias = tuple[str, bool]
"""A part of the text; whether it is marked."""


def marked_json(text: str, paths: Collection[str]) -> Iterator[Stretch]:
    """The text in stretches: those of the values at these paths are marked, from outside in."""
    at = 0
    for start, end in _marks(text, frozenset(paths)):
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def _marks(text: str, paths: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where the outermost values at the paths begin and end; one that is not closed ends with the text."""
    steps: list[str | int | None] = []  # of what is open: an index, a key, or None before a key
    begun: tuple[int, int] | None = None  # where the mark that is open begins, and how deep
    for match in _TOKEN.finditer(text):
        sign, is_key = match.group(), bool(steps) and steps[-1] is None
        if sign in ("}", "]"):
            del steps[-1:]
            if begun and len(steps) <= begun[1]:
                yield begun[0], match.end()
                begun = None
        elif sign in (",", ":") or (is_key and sign not in ("{", "[")):
            steps[-1:] = _stepped(steps[-1:], sign)
        elif (
            begun is None
            and len(steps) <= _DEEPEST
            and json_path(tuple(step for step in steps if step is not None)) in paths
        ):
            begun = match.start(), len(steps)
            if sign not in ("{", "["):
                yield match.span()
                begun = None
        if sign in ("{", "["):
            steps.append(0 if sign == "[" else None)
    if begun:
        yield begun[0], len(text)


def _stepped(inside: list[str | int | None], sign: str) -> list[str | int | None]:
    """The step of what is open, if anything is, behind a sign that belongs to no value."""
    if sign == ":" or not inside:
        return inside
    if sign == ",":
        return [step + 1 if isinstance(step, int) else None for step in inside]
    try:
        return [str(json.loads(sign))]
    except ValueError:  # it was cut
        return [sign]


def name_shown(name: str) -> str:
    """A name as a page shows it."""
    return one_line(name, NAME_SHOWN)


def examples_of(comparison: Comparison) -> dict[Agreement, list[dict[str, Any]]]:
    """The examples that are shown, by class."""
    return {each: comparison.examples[each] for each in _SHOWN if comparison.examples.get(each)}


def mark_reading(reading: str, paths: Collection[str]) -> list[Stretch]:
    """A reading with the values at the paths marked, as far as it is not cut; a path may say which reading it is in."""
    head, cut, rest = reading.partition(_CUT)
    places = [path.removesuffix(ONLY_NEW).removesuffix(ONLY_OLD) for path in paths]
    stretches = (*marked_json(head, places), (cut + rest, False))
    return [stretch for stretch in stretches if stretch[0]]
