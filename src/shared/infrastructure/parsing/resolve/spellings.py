"""Spellings of numbers and literals outside JSON, and what a text without quotes may be instead."""

from __future__ import annotations

import re

from src.shared.domain.notation import FOREIGN_LITERALS, MARGIN
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.patterns import KEY_LIMIT

LITERALS: dict[str, tuple[str, RepairKind | None]] = {
    spelling: (word, RepairKind.JAVASCRIPT_LITERAL if spelling == "undefined" else RepairKind.PYTHON_LITERAL)
    for spelling, word in FOREIGN_LITERALS.items()
}
LITERALS |= {
    "nan": ("NaN", None),  # the decoder names these
    "inf": ("Infinity", None),
    "-inf": ("-Infinity", None),
}
ACCEPTED_BY_THE_DECODER = frozenset({"NaN", "Infinity", "-Infinity"})
BEGINNINGS = tuple({"true", "false", "null", *LITERALS, *ACCEPTED_BY_THE_DECODER})
THOUSANDS = re.compile(r"0\d\d" + repeated(r"\.\d++", "?"))
CUT_SCALAR = re.compile(
    r"[-+]?[\d.][\d.,_]*+\s++(?!(?!true|false|null|none)[^\W\d_][^\d]*+\Z|[%°€$¥£])"
    r"|(?:true|false|null|none|nan|undefined)\b",
    re.IGNORECASE,
)
"""A bare text that starts as a number or a literal and does not go on with a unit: two values, or none."""

OTHER_SPELLING = re.compile(
    r"""
    [-+−–]? \s? (?:
        0 (?: [xob] [0-9a-f]{1,40} | [\d.]{1,40} )              # 0x2a, 007
      | \d{1,40} (?: \.\d{1,40} )? ['’nfdl]                    # 10n, 1.5f, 12'
      | \d{1,3} (?: [\s'’\u00a0\u202f] \d{3} ){1,12} (?: \.\d{1,40} )?   # 1 650
      )
    | [−–-] \s? \d{1,40} (?: \.\d{1,40} )?                     # a minus of typography
    | tru | fal | fals | nul | none | nil
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What is a number or a literal to some languages, and a text to others."""
ELIDED = frozenset({"...", "…", "etc", "etc.", "and so on", "and more", "more", "等", "等等", "省略", "略"})
"""Bare words that stand for what was left out."""

_KEY_IN_TEXT = rf"\s{{0,{MARGIN}}}[\w$\-]{{1,{KEY_LIMIT}}}\s{{0,{MARGIN}}}[:：]"
_MEMBER_IN_TEXT = rf"[:：](?:\s|\Z)|[;；、](?:{_KEY_IN_TEXT}|\s{{0,{MARGIN}}}\Z)|\s(?://|\#)"
HOLDS_MEMBER = re.compile(_MEMBER_IN_TEXT)
"""A bare text with a key or a comment in it: two members without a comma between them."""
HOLDS_MORE = re.compile(rf"{_MEMBER_IN_TEXT}|[;；、]|[\d\s][｜／│·•،](?=[\d\s+-])|｜\s")
"""The same in a list, where a separator stands between two elements."""
