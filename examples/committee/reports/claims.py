"""Which of the dossier's figures a claim uses: a link is made only where there is no doubt.

A number in a sentence is a figure's where it has the same value and a unit that fits, and where the sentence names the
figure; without a name only if no other figure has this value and the number has four digits or more, some of them
behind the point. Where several figures are left, there is no link; the close and the price are one figure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from examples.committee.reports.figures import Figure

_NUMBER: Final = re.compile(
    r"""
    (?<![\d.,A-Za-z_/-])                                # not the rest of a number, or of a name such as MA20
    (?P<sign>[-−－]?)
    (?P<number>\d{1,9}(?:,\d{3}){0,3}(?:\.\d{1,9})?)
    (?![\d.,]*\d)                                       # nor its beginning
    (?P<behind>\s?(?:%|％|个百分点|亿元|万股|亿股|元|倍|天|次|[年月日])|[A-Za-z])?
    """,
    re.VERBOSE,
)
"""A number, and what stands behind it: its unit, or what says that it is a date or part of a name."""
_CLAUSE_END: Final = re.compile(r"[。；;！？!?\n，、,（）()](?!\d)")
_SENTENCE_END: Final = re.compile(r"[。；;！？!?\n]")
_SHARE: Final = frozenset({"%", "％", "个百分点"})
_UNITS: Final = frozenset({"亿元", "万股", "亿股", "元", "倍", "天", "次"})
_PRICE: Final = frozenset({"close", "price"})
_REACH: Final = 200
"""Characters before and behind a number in which its name is looked for."""
_TELLING: Final = 4
"""Digits with which a number that nobody names is still unmistakable."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; `anchor` and `title` of the figure it states, or empty."""

    text: str
    anchor: str = ""
    title: str = ""


@lru_cache(maxsize=1024)
def pieces_of(text: str, figures: tuple[Figure, ...]) -> tuple[Piece, ...]:
    """The text, cut where it states one of the figures."""
    return tuple(_pieces(text, figures))


def _pieces(text: str, figures: tuple[Figure, ...]) -> Iterator[Piece]:
    end, known = 0, _by_value(figures)
    for match in _NUMBER.finditer(text):
        figure = _figure(match, text, known)
        if figure is None:
            continue
        start, stop = match.start("sign"), match.end("number")
        if start > end:
            yield Piece(text[end:start])
        yield Piece(text[start:stop], figure.anchor, f"{figure.name} {figure.shown}")
        end = stop
    if end < len(text):
        yield Piece(text[end:])


def _figure(match: re.Match[str], text: str, known: dict[Decimal, list[Figure]]) -> Figure | None:
    behind = (match["behind"] or "").strip()
    if behind and behind not in _SHARE | _UNITS:
        return None
    value = Decimal(match["number"].replace(",", "")) * (-1 if match["sign"] else 1)
    same = [one for one in known.get(value, ()) if _fits(one.unit, behind)]
    if _PRICE.issuperset(one.key for one in same):
        same = same[:1]
    for ends in (_CLAUSE_END, _SENTENCE_END) if same else ():
        words = _around(match, text, ends)
        named = [one for one in same if any(name in words for name in one.names)]
        labelled = [one for one in named if one.label.casefold() in words] or named
        if named:
            return labelled[0] if len(labelled) == 1 else None
    return same[0] if len(same) == 1 and _is_telling(match["number"]) else None


@lru_cache(maxsize=8)
def _by_value(figures: tuple[Figure, ...]) -> dict[Decimal, list[Figure]]:
    found: dict[Decimal, list[Figure]] = defaultdict(list)
    for figure in figures:
        found[Decimal(repr(figure.value))].append(figure)
    return found


def _fits(unit: str, behind: str) -> bool:
    """Whether a figure of this unit may be written so; a number without a unit may be all but a percentage."""
    if behind in _SHARE:
        return unit in ("%", "")
    return unit.startswith(behind) if behind else unit != "%"


def _is_telling(digits: str) -> bool:
    return "." in digits and len(digits.replace(".", "").lstrip("0")) >= _TELLING


def _around(match: re.Match[str], text: str, ends: re.Pattern[str]) -> str:
    """The words around a number, up to the marks that end them, and no farther than a long sentence."""
    first, last = max(match.start() - _REACH, 0), min(match.end() + _REACH, len(text))
    start = max((found.end() for found in ends.finditer(text, first, match.start())), default=first)
    stop = ends.search(text, match.end(), last)
    return text[start : stop.start() if stop else last].casefold()
