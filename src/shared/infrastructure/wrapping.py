"""The wrapping that most answers come in, taken off without a search: reasoning first, one fence around all the rest.

Taken off only where it cannot be anything else; every other text is for the stages `think` and `fence`.
"""

from __future__ import annotations

import re

_OPENINGS = ("{", "｛")
_REASONING, _REASONED = "<think>", "</think>"
_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*+\r?\n")
_FENCE_MARKS = ("```", "~~~")
_MARGIN = 64
"""Characters in which the first one that is not white space must come."""


def unwrapped(raw: str) -> str | None:
    """The object's text without a reasoning block before it and a fence around it; None if it may be anything else."""
    text = raw
    if _starts(text, (_REASONING,)):
        if text.count("<") != 2:  # noqa: PLR2004 - the two tags
            return None
        text = text.partition(_REASONED)[2]
    if _starts(text, ("```",)):
        text = _content(text.strip())
    return text if _starts(text, _OPENINGS) else None


def _starts(text: str, openings: tuple[str, ...]) -> bool:
    return text[:_MARGIN].lstrip().startswith(openings)


def _content(text: str) -> str:
    """What is between a fence at the start and one at the end; nothing where there are more of them, or fewer."""
    opening = _FENCE.match(text)
    if opening is None or not text.endswith("```"):
        return ""
    content = text[opening.end() : -3]
    return "" if any(mark in content for mark in _FENCE_MARKS) else content
