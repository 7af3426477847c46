"""Amounts of money that a text names, so that a price level in a sentence can be drawn."""

from __future__ import annotations

import re
from typing import Final

_AMOUNT: Final = re.compile(
    r"""
    (?<![\d.,A-Za-z])                               # not the rest of a number or of a name such as MA20
    (?P<sign>[¥￥$]\s*)?
    (?P<number>\d{1,9}(?:,\d{3}){0,3}(?:\.\d{1,9})?)
    (?![\d.,]*\d)                                   # nor its beginning
    (?P<unit>\s*(?:元|港元|美元|CNY|RMB|HKD|USD|yuan)(?![A-Za-z]))?
    """,
    re.VERBOSE,
)
"""A number with what makes it money: `34.5 元`, `¥34.5`, `34.5 CNY`; not `0.92 亿元`, `26.5 倍` or `5%`."""
_ALONE: Final = re.compile(r"\s*(?P<number>\d{1,9}(?:,\d{3}){0,3}(?:\.\d{1,9})?)\s*(?:$|[:：(（;；])")
"""A number with which a text begins, alone or with its reason behind it: `34.5`, `30.7: PEG of 1`."""


def amounts_in(text: str) -> tuple[float, ...]:
    """The amounts of money in a text, in its order, each once; the number it begins with where there is none."""
    found = [match["number"] for match in _AMOUNT.finditer(text) if match["sign"] or match["unit"]]
    alone = _ALONE.match(text)
    if alone and (not found or text.index(found[0]) > alone.start("number")):
        found = [alone["number"], *found]
    return tuple(dict.fromkeys(float(number.replace(",", "")) for number in found))
