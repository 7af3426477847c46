"""Mends a text with regular damage; if the decoder refuses the result, the damage was not regular."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.notation import COMMAS
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.regular.marks import unmasked
from src.shared.infrastructure.parsing.regular.rules import undone
from src.shared.infrastructure.parsing.regular.segment import Segments, segmented
from src.shared.infrastructure.parsing.regular.strings import written

DELIMITERS = {"'": RepairKind.SINGLE_QUOTE, "“": RepairKind.SMART_QUOTE}
_COMMAS = tuple(COMMAS)
_INDENT = re.compile(r"\n[ ]++")
"""What makes no difference to JSON nor to the rules, and is half of the gaps."""


class Mended(NamedTuple):
    """A mended text.

    Attributes:
        text: what has to be JSON.
        gaps: the gaps of the original.
        in_strings: how often which slip was undone in strings and at their ends.
        kinds: which slips were undone anywhere.
    """

    text: str
    gaps: list[str]
    in_strings: Counter[RepairKind]
    kinds: frozenset[RepairKind]

    def counted(self) -> Counter[RepairKind]:
        """How often which slip was undone."""
        between = undone('"'.join(self.gaps))
        return self.in_strings + (between.applied if between else Counter())


def has_latex(text: str) -> bool:
    """Whether commands of LaTeX may be taken for escapes: the reader tells the two from each other."""
    return "\\" in text and ANY_COMMAND.search(text) is not None


def mended(text: str) -> Mended | None:
    """The text without its regular damage; None if it has none, or some of it has to be judged."""
    segments = segmented(text)
    bodies = written(segments) if segments else None
    if segments is None or bodies is None:
        return None
    in_strings = _in_strings(segments, bodies.controls, bodies.apostrophes)
    parts = bodies.parts
    gaps = parts[::2]
    first, last = gaps[:1], gaps[1:][-1:]  # which end the text, and are not like any other
    alike = dict.fromkeys(gaps[1:-1])
    found = undone(_INDENT.sub("\n", '"'.join((*first, *alike, *last))))
    if found is None or not (found.applied or in_strings):
        return None
    if RepairKind.MISSING_COMMA in found.applied and any(body.endswith(_COMMAS) for body in parts[1::2]):
        return None  # this comma may be the missing one: two readings
    if found.applied:
        new = found.text.split('"')
        of = dict(zip(alike, new[1:], strict=False))
        parts[::2] = [*new[:1], *map(of.__getitem__, gaps[1:-1]), *new[1:][-1:]]
    return Mended(unmasked('"'.join(parts)), gaps, in_strings, frozenset((*in_strings, *found.applied)))


def _in_strings(segments: Segments, controls: int, apostrophes: int) -> Counter[RepairKind]:
    kinds: Counter[RepairKind] = Counter()
    kinds[RepairKind.CONTROL_CHARACTER] = controls
    kinds[RepairKind.UNESCAPED_QUOTE] = apostrophes + len(segments.inner)
    for quote, kind in DELIMITERS.items():
        strings = len(segments.parts) // 2
        kinds[kind] = segments.quotes.count(quote) if segments.mixed else strings * (segments.quotes == quote)
    return +kinds
