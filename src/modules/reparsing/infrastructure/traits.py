"""How a stored output is written: what stands around its answer, its ways of writing, and marks that nothing knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from src.modules.reparsing.domain.outcome import Traits
from src.shared.domain.expression import expression
from src.shared.domain.grade import Grade
from src.shared.domain.reasoning import says_reasoning
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.tool_call_forms.marks import mark_at

MARK_NAME = 40
"""Most characters of the name of a mark that is looked at."""
MOST_MARKS = 20
"""Most different unknown marks that are told of one text."""
STYLES = frozenset(
    {
        *(RepairKind.SINGLE_QUOTE, RepairKind.SMART_QUOTE, RepairKind.FULL_WIDTH_PUNCTUATION, RepairKind.UNQUOTED_KEY),
        *(RepairKind.PYTHON_LITERAL, RepairKind.TRAILING_COMMA, RepairKind.COMMENT, RepairKind.CONTROL_CHARACTER),
        *(RepairKind.UNESCAPED_QUOTE, RepairKind.BAD_ESCAPE, RepairKind.ESCAPED_JSON, RepairKind.NUMBER_SPELLING),
    }
)
"""Repairs that are a way of writing rather than a slip."""
_LIKE_A_MARK = expression(
    rf"""
      <\|(?P<token>[^|<>\s]{{1,{MARK_NAME}}}+)\|>               # <|foo|>
    | </?+(?P<tag>[A-Za-z_][\w.:-]{{1,{MARK_NAME}}}+)>          # <foo>, </foo>
    | \[/?+(?P<name>[A-Z][A-Z_]{{2,{MARK_NAME}}}+)\]            # [FOO]
    """,
    re.VERBOSE,
)
_OF_HTML = frozenset(
    """
    abbr blockquote body br button center cite code dd del details div dl dt em figure font footer form h1 h2 h3
    h4 h5 h6 head header hr html iframe img input kbd label li link main mark meta nav ol option pre script
    section select small span strong style sub summary sup svg table tbody td textarea tfoot th thead title tr ul
    var video
    """.split()
)
_FENCE = expression(r"(?:```|~~~)[ \t]*+(?P<language>[\w+.-]*+)")
_WORD = expression(r"\w")


def traits_of(text: str, decoded: DecodedJson[Any]) -> Traits:
    """How a text is written that was read; linear in its length."""
    if decoded.grade is Grade.CLEAN:
        return {"wrappings": ("none",)}
    answer = [note.span for note in decoded.notes if note.action == "chosen"][-1:]
    reasoning = [note.span for note in decoded.notes if note.action == "dropped"]
    around = _without(text, answer) if answer else ""
    outside = _without(text, [*answer, *reasoning]) if answer else ""
    return {
        "wrappings": tuple(_wrappings(around, outside, reasoning)),
        "dialects": tuple({repair.kind.value for repair in decoded.repairs if repair.kind in STYLES}),
        "unknown_marks": unknown_marks(around),
    }


def unknown_marks(text: str) -> tuple[str, ...]:
    """What looks like a mark and is none that is known here, nor a tag of HTML: the first ones, as they are written."""
    found = (one for one in _LIKE_A_MARK.finditer(text) if not _is_known(one["token"] or one["tag"] or one["name"]))
    marks = dict.fromkeys(one.group() for one in found if not mark_at(text, one.start()))
    return tuple(islice(marks, MOST_MARKS))


@lru_cache(maxsize=1_000)
def _is_known(name: str) -> bool:
    return name.lower() in _OF_HTML or says_reasoning(name)


def _wrappings(around: str, outside: str, reasoning: Sequence[object]) -> Iterator[str]:
    """What stands around an answer; `outside` is the same without what was dropped as reasoning."""
    fences = [f"fence:{found['language'].lower()}".rstrip(":") for found in _FENCE.finditer(around)]
    found = [*dict.fromkeys(fences[::2]), *(["reasoning"] if reasoning else [])]
    if _WORD.search(_LIKE_A_MARK.sub("", _FENCE.sub("", outside))):
        found.append("prose")
    yield from found or ["none"]


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without some parts, each on a line of its own."""
    left, at = [], 0
    for start, end in sorted(spans):
        left.append(text[at:start])
        at = max(at, end)
    return "\n".join([*left, text[at:]])
