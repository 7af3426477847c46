"""Recognises headings that say that an object is not the answer, such as "Example:" or "Input:".

A heading is the line before the object (or before its fence), the text before it on its own line, or its tag: a few
words that end in a colon, or are marked as a heading. It counts only if every word of it is known here, so that a
sentence which merely mentions a format or a draft ("Here is the answer in the format you asked for:") has no effect.

There is no such rule for "Final answer:" or "Correction:". Models that do not stop write the next question and its
"Solution:" themselves. Which of two answers counts is then up to the caller (`several="last"`).
"""

from __future__ import annotations

import re
from enum import Enum, auto

from src.shared.domain.reading.lexicon import MARGIN


class Heading(Enum):
    """What a heading says of the object under it."""

    SHOWN = auto()
    """An example, a template, a draft, an earlier version: never the answer."""
    GIVEN = auto()
    """The input, or an object in a tag that says no more than its name: not the answer where there is another."""


LOOK_BACK = 200
"""Characters before an object in which its heading has to stand."""
HEADING_LIMIT = 80
"""Most characters of a heading."""
_PASSING_LIMIT = 20
"""Characters at the end of the lead that are enough for all that `_IN_PASSING` looks for."""
_SHOWN = frozenset(
    [
        *("example", "examples", "sample", "samples", "template", "format", "schema", "skeleton", "placeholder"),
        *(
            "draft",
            "drafts",
            "attempt",
            "try",
            "old",
            "older",
            "outdated",
            "previous",
            "previously",
            "earlier",
            "before",
        ),
        *("original", "wrong", "incorrect", "invalid"),
        *(
            "示例",
            "例子",
            "样例",
            "格式",
            "模板",
            "草稿",
            "初稿",
            "旧版",
            "旧版本",
            "原文",
            "错误示例",
            "输出格式",
            "返回格式",
        ),
    ]
)
_GIVEN = frozenset(["input", "inputs", "given", "输入"])
_BESIDE_IT = frozenset(
    [
        *("a", "an", "the", "my", "our", "your", "only", "json", "object", "version", "value", "values", "output"),
        *("response", "answer", "result", "first", "second", "initial", "rough", "expected", "required", "desired"),
    ]
)
"""What else such a heading may say: "Expected output format", "My first draft"."""
_TELLING = _SHOWN | _GIVEN
_KNOWN = _TELLING | _BESIDE_IT
_IN_PASSING = re.compile(
    r"(?:\be\.\s?g\.|\bfor (?:example|instance)\b|\bsuch as\b|\bas in\b|例如|比如|譬如)[,:：，]?\Z", re.IGNORECASE
)
_FENCE_OPENS = re.compile(r"(?:`{3,}+|~{3,}+)[ \t]*+[\w+.#\-]*+\s*+\Z")
_HEADING = re.compile(
    rf"""
    (?P<mark> [#>*_\-\[（(【<\s]*+ )
    (?P<words> [^:：</\n]{{1,{HEADING_LIMIT}}}? )
    (?P<end> [\s*_\])）】>]{{0,{MARGIN}}} (?: [:：][\s*_`(\[]{{0,{MARGIN}}} | -{{1,2}}>? | =>? )? ) \Z
    """,
    re.VERBOSE,
)
_IS_MARKED = re.compile(r"[#*_\[【<]")
_WORD = re.compile(r"[a-z]++|[\u3400-\u9fff]++")
_CLAUSE_END = re.compile(r"[.!?;]\s++|[。！？；]")


def heading_of(text: str, start: int) -> Heading | None:
    """What the heading says of the object that opens at `start`; None if there is none, or it says neither."""
    lead = text[max(0, start - LOOK_BACK) : start].rstrip()
    if not lead:
        return None
    if "```" in lead or "~~~" in lead:
        lead = _FENCE_OPENS.sub("", lead).rstrip()
    if _IN_PASSING.search(lead, max(0, len(lead) - _PASSING_LIMIT)):
        return Heading.SHOWN
    clause = _CLAUSE_END.split(lead.rpartition("\n")[2])[-1]
    heading = _HEADING.match(clause)
    if heading is None or not (heading["end"].strip() or _IS_MARKED.search(heading["mark"])):
        return None
    words = set(_WORD.findall(heading["words"].lower()))
    if words.isdisjoint(_TELLING) or not words <= _KNOWN:
        return None
    return Heading.GIVEN if words & _GIVEN or "<" in heading["mark"] else Heading.SHOWN
