"""Computes, on demand, which damage was undone where.

It divides the original text again and applies the same rules one by one, this time recording their places.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from heapq import merge
from itertools import chain
from typing import NamedTuple

from src.shared.domain.possessive import match_end, repeated
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.regular.marks import APOSTROPHE, NEW_QUOTE, SINGLE, unmasked
from src.shared.infrastructure.parsing.regular.mend import DELIMITERS
from src.shared.infrastructure.parsing.regular.rules import RULES, Rule
from src.shared.infrastructure.parsing.regular.segment import Segments, segmented
from src.shared.infrastructure.parsing.regular.strings import requoted

_CONTROL = re.compile(r"[\n\r\t]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ODD = {"'": re.compile(f'["\t{APOSTROPHE}]|{SINGLE}'), "“": re.compile('["\t]')}
"""What is written otherwise in a string that had other quotes."""
_PLAIN = {"'": re.compile(f"[\t{APOSTROPHE}]|{SINGLE}"), "“": re.compile("\t")}
"""What of it is a repair of its own."""


_NONE = Segments([""], '"', [])


class _String(NamedTuple):
    """A string: its opening quote, the offset of that in the original, its text with marks, its length there."""

    quote: str
    start: int
    body: str
    length: int


def edits_of(text: str, start: int, end: int) -> Iterator[Edit]:
    """The edits that mend `text[start:end]`, which has only regular damage, in the order of their offsets."""
    segments = segmented(text[start:end]) or _NONE  # it was mended before: there are some
    in_strings = chain.from_iterable(_edits_in(string, text) for string in _strings(segments, start))
    return merge(in_strings, _edits_between(segments, start, text), key=_place)


def _place(edit: Edit) -> tuple[int, int]:
    return edit.offset, edit.length


# --- strings ------------------------------------------------------------------------------------------------


def _strings(segments: Segments, at: int) -> Iterator[_String]:
    """The strings of a text that begins at an offset; a quote inside one is a mark, which is longer by one."""
    inner, quote = frozenset(segments.inner), 0
    for number, part in enumerate(segments.parts):
        if number % 2 == 0:
            at += len(part)
            continue
        first = quote = quote + 1
        while quote in inner:
            quote += 1
        length = len(part) - (quote - first)
        quote += 1
        yield _String(segments.quotes[number // 2] if segments.mixed else segments.quotes, at, part, length)
        at += length + 2


def _edits_in(string: _String, text: str) -> Iterator[Edit]:
    quote, start, body, length = string
    if quote == '"':
        if len(body) > length or _CONTROL.search(body):
            yield from merge(_inner_quotes(string, text), _control_characters(string, text), key=_place)
    elif not _PLAIN[quote].search(body):
        yield Edit(start, length + 2, f'"{unmasked(requoted(body, quote))}"', DELIMITERS[quote])
    else:
        yield Edit(start, 1, '"', DELIMITERS[quote])
        odd = (_respelled(odd.group(), start + 1 + odd.start()) for odd in _ODD[quote].finditer(body) if odd[0] != "\t")
        yield from merge(odd, _control_characters(string, text), key=_place)
        yield Edit(start + 1 + length, 1, '"')


def _control_characters(string: _String, text: str) -> Iterator[Edit]:
    """One edit for all of a string, at the first of them."""
    _, start, _, length = string
    found = _CONTROL.search(text, start, start + length + 1)
    if found:
        count = len(_CONTROL.findall(text, start, start + length + 1))
        yield Edit(found.start(), 1, _ESCAPES[found.group()], RepairKind.CONTROL_CHARACTER, count)


def _respelled(odd: str, at: int) -> Edit:
    """The edit of a quote or an apostrophe inside a string that had other quotes."""
    if odd == APOSTROPHE:
        return Edit(at, 1, "'", RepairKind.UNESCAPED_QUOTE)
    return Edit(at, 1, "") if odd == SINGLE else Edit(at, 0, "\\")


def _inner_quotes(string: _String, text: str) -> Iterator[Edit]:
    """The quotes inside a string; those that are escaped are as long as their marks."""
    _, start, body, length = string
    at, end = start + 1, start + 1 + length
    for _ in range(len(body) - length):
        at = _next_quote(text, at, end)
        yield Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE)
        at += 1


def _next_quote(text: str, at: int, end: int) -> int:
    return match_end(_TO_QUOTE, text, at, end)


_TO_QUOTE = re.compile(repeated(r'[^"\\]++|\\.'), re.DOTALL)


# --- gaps ---------------------------------------------------------------------------------------------------


class _Applied(NamedTuple):
    """A rule and where it applied, in the gaps as they were before all rules: offsets and lengths."""

    rule: Rule
    offsets: array[int]
    lengths: array[int]


def _edits_between(segments: Segments, start: int, text: str) -> Iterator[Edit]:
    gaps = segments.parts[::2]
    inner, outer = array("q", [0]), array("q", [start])
    strings = _strings(segments, start)
    for gap, string in zip(gaps, strings, strict=False):
        inner.append(inner[-1] + len(gap) + 1)
        outer.append(string.start + string.length + 2)
    found = _applied('"'.join(gaps))
    return merge(*(_edits(applied, inner, outer, text) for applied in found), key=_place)


def _edits(applied: _Applied, inner: array[int], outer: array[int], text: str) -> Iterator[Edit]:
    """The edits of a rule; `inner` has where each gap begins among the gaps, `outer` where it does in the text."""
    for place, length in zip(applied.offsets, applied.lengths, strict=True):
        gap = bisect_right(inner, place) - 1
        offset = outer[gap] + place - inner[gap]
        put = applied.rule.put_for(text[offset : offset + length]).replace(NEW_QUOTE, '"')
        yield Edit(offset, length, put, applied.rule.kind)


def _applied(gaps: str) -> Iterator[_Applied]:
    """Each rule, with its places as they were before all of them."""
    layers: list[_Layer] = []
    for rule in RULES:
        if rule.needs(gaps):
            layer = _Layer(rule, gaps)
            gaps = layer.text
            offsets = layer.offsets
            for before in reversed(layers):
                offsets = array("q", map(before.origin, offsets))
            yield _Applied(rule, offsets, layer.lengths)
            layers.append(layer)


class _Layer:
    """Gaps after one rule, and the places of its edits before it."""

    def __init__(self, rule: Rule, gaps: str) -> None:
        self.offsets, self.lengths = array("q"), array("q")
        self._ends, self._shifts = array("q", [0]), array("q", [0])
        pieces: list[str] = []
        at = length = 0
        for begin, end in rule.places(gaps):
            put = rule.put_for(gaps[begin:end])
            pieces += (gaps[at:begin], put)
            length += begin - at + len(put)
            at = end
            self.offsets.append(begin)
            self.lengths.append(end - begin)
            self._ends.append(length)
            self._shifts.append(at - length)
        self.text = "".join((*pieces, gaps[at:]))

    def origin(self, place: int) -> int:
        """The place before the rule of one after it."""
        return place + self._shifts[bisect_right(self._ends, place) - 1]
