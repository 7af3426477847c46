"""The wrapping that most answers come in, taken off without a search: reasoning, prose, a fence.

Taken off only where it cannot be anything else: one reasoning block at the start, one fence, prose in which nothing
opens or closes. Every other text is for the stages `think`, `fence` and `extract`.
"""

from __future__ import annotations

import re

from src.shared.infrastructure.headings import heading_of
from src.shared.infrastructure.reader.patterns import MARGIN
from src.shared.infrastructure.rivals import Stretch, first_rival

_REASONING, _REASONED = "<think>", "</think>"
_FENCE = "```"
_FENCE_START = re.compile(r"(?:json|JSON)?[ \t]*+\r?\n\s*+(?=[{｛])")
_NOT_PROSE = re.compile(r"[{}\[\]｛｝［］<>`~|｜＜◁◀【〈《«‹⟨〔]|[(（]/|&lt;|:::")
"""A bracket, a fence, or what a mark around reasoning may begin with."""
_KEY = re.compile(rf"[\"'”’]\s{{0,{MARGIN}}}[:：]\s{{0,{MARGIN}}}\Z")
_ANNOUNCES = re.compile(rf"(?:\A|[:：\n])[ \t]{{0,{MARGIN}}}\Z")
_QUOTE = re.compile("[\"'“”‘’]")
EDGE = 100
"""Characters in which the first one that is not white space must come, and the last, for the short way."""


def unwrapped(raw: str, fields: frozenset[str]) -> str | None:
    """The text of the only object, as it stands; None where it takes a search to find it.

    `fields` are the names the type knows at its root: lines that begin with them are no prose.
    """
    if _is_object(raw):
        return raw
    text = raw
    if text[:EDGE].lstrip().startswith(_REASONING):
        if text.count("<") != 2:  # noqa: PLR2004 - the two tags
            return None
        text = text.partition(_REASONED)[2]
    return _fenced(text, fields) if _FENCE in text else _between_prose(text, fields)


def _is_object(text: str) -> bool:
    return text[:EDGE].lstrip().startswith(("{", "｛")) and text[-EDGE:].rstrip().endswith(("}", "｝"))


def _fenced(text: str, fields: frozenset[str]) -> str | None:
    """What is in the only fence, if it is an object and there is prose around it, or nothing."""
    before, end = text.find(_FENCE), text.rfind(_FENCE)
    start = _FENCE_START.match(text, before + len(_FENCE))
    if start is None or not start.end() < end:
        return None
    inside = text[start.end() : end]
    alone = not any(mark[0] in inside and mark in inside for mark in (_FENCE, "~~~"))  # one character is found sooner
    plain = alone and _is_prose(text[:before], fields) and _is_prose(text[end + len(_FENCE) :], fields)
    plain = plain and heading_of(text, start.end()) is None
    return inside if plain and _is_object(inside) else None


def _between_prose(text: str, fields: frozenset[str]) -> str | None:
    """What is between the first brace and the last, if prose announces it and prose follows, or nothing."""
    start, end = text.find("{"), text.rfind("}") + 1
    before, after = text[: max(start, 0)], text[end:]
    goes_on = after[:EDGE].lstrip()[:1]
    lead = before[-EDGE:]
    if not 0 <= start < end or not _ANNOUNCES.search(lead) or _KEY.search(lead) or _QUOTE.search(after):
        return None
    plain = _is_prose(before, fields) and _is_prose(after, fields) and (goes_on.isalpha() or not goes_on)
    return text[start:end] if plain and heading_of(text, start) is None else None


def _is_prose(text: str, fields: frozenset[str]) -> bool:
    return _NOT_PROSE.search(text) is None and first_rival(text, [Stretch(0, len(text))], fields) is None
