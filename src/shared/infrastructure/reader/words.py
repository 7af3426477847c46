"""Bare words: numbers in other spellings, literals of other languages, keys and strings without quotes."""

from __future__ import annotations

import json
import re

from src.shared.domain.notation import FOREIGN_LITERALS, MARGIN, respell_number
from src.shared.domain.parse_reasons import TRUNCATED, Reason
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.possessive import repeated
from src.shared.infrastructure.reader.budget import STEP
from src.shared.infrastructure.reader.cursor import Cursor
from src.shared.infrastructure.reader.gaps import ELISION
from src.shared.infrastructure.reader.patterns import (
    BARE_ELEMENT_FOLLOW,
    BARE_FOLLOW,
    BARE_KEY_AT,
    BARE_TEXT,
    KEY_LIMIT,
    SCALAR,
    SCALAR_FOLLOW,
    WORD,
)

NO_VALUE = Reason("此处应为一个值", "a value is expected here")
TWO_NUMBERS = Reason("此处的逗号可能是千位分隔符", "the comma here may separate thousands")
NO_KEY = Reason("此处应为键名", "a key is expected here")

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
_WORDS_TO_END = re.compile(rf"(?=[\w$])[\w$ \-]{{1,{KEY_LIMIT}}}+\Z")
BEGINNINGS = tuple({"true", "false", "null", *LITERALS, *ACCEPTED_BY_THE_DECODER})
BARE_COST = 10 * STEP
"""Units of work for a value without quotes."""
_PASSES = 8
"""How often about a value without quotes is looked through."""
THOUSANDS = re.compile(r"0\d\d" + repeated(r"\.\d++", "?"))
CUT_SCALAR = re.compile(
    r"[-+]?[\d.][\d.,_]*+\s++(?!(?!true|false|null|none)[^\W\d_][^\d]*+\Z|[%°€$¥£])"
    r"|(?:true|false|null|none|nan|undefined)\b",
    re.IGNORECASE,
)
"""A bare text that starts as a number or a literal and does not go on with a unit: two values, or none."""

NUMBER_OR_TEXT = Reason(
    "此处可能是数字或字面量，也可能是文本", "this may be a number or a literal in another spelling, or a text"
)
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
"""Bare words that stand for what was not written out."""

_KEY_IN_TEXT = rf"\s{{0,{MARGIN}}}[\w$\-]{{1,{KEY_LIMIT}}}\s{{0,{MARGIN}}}[:：]"
_MEMBER_IN_TEXT = rf"[:：](?:\s|\Z)|[;；、](?:{_KEY_IN_TEXT}|\s{{0,{MARGIN}}}\Z)|\s(?://|\#)"
HOLDS_MEMBER = re.compile(_MEMBER_IN_TEXT)
"""A bare text with a key or a comment in it: two members without a comma between them."""
HOLDS_MORE = re.compile(rf"{_MEMBER_IN_TEXT}|[;；、]")
"""The same in a list, where a separator stands between two elements."""


def read_word(c: Cursor, *, member: bool) -> None:
    """Read a value that is neither a container nor quoted: a number, a literal, a bare text."""
    scalar = SCALAR.match(c.text, c.pos)
    if scalar and SCALAR_FOLLOW.match(c.text, scalar.end()):
        c.pos = scalar.end()
        return
    word = WORD.match(c.text, c.pos)
    if word and SCALAR_FOLLOW.match(c.text, word.end()) and _known_word(c, word.group()):
        c.pos = word.end()
        return
    _read_bare_text(c, member=member)


def _known_word(c: Cursor, word: str) -> bool:
    if word in ACCEPTED_BY_THE_DECODER:
        return True
    if word in LITERALS:
        put, kind = LITERALS[word]
        c.edit(c.pos, len(word), put, kind)
        return True
    if c.pos + len(word) == len(c.text):
        if any(known.startswith(word) for known in BEGINNINGS) or word[-1] in ".eE+-":
            raise c.fail(TRUNCATED, at=len(c.text))
        return False
    number = respell_number(word)
    if number:
        c.edit(c.pos, len(word), number, RepairKind.NUMBER_SPELLING)
    return bool(number)


def _read_bare_text(c: Cursor, *, member: bool) -> None:
    """Read a string value without quotes: up to the comma, bracket or line end that must follow a value."""
    c.spend(BARE_COST)
    bare = BARE_TEXT.match(c.text, c.pos)
    if bare is None:
        raise c.fail(NO_VALUE)
    if bare.end() == len(c.text):
        raise c.fail(TRUNCATED, at=bare.end())
    c.spend(_PASSES * (bare.end() - c.pos))
    text = bare.group().rstrip()
    if not member and THOUSANDS.fullmatch(text):
        raise c.fail(TWO_NUMBERS)
    follow = (BARE_FOLLOW if member else BARE_ELEMENT_FOLLOW).match(c.text, bare.end())
    doubtful = HOLDS_MEMBER if member else HOLDS_MORE
    if text.lower() in ELIDED:
        raise c.fail(ELISION)
    if follow is not None and OTHER_SPELLING.fullmatch(text):
        raise c.fail(NUMBER_OR_TEXT)
    if follow is None or CUT_SCALAR.match(text) or doubtful.search(text):
        raise c.fail(NO_VALUE)
    c.edit(c.pos, len(text), json.dumps(text, ensure_ascii=False), RepairKind.UNQUOTED_VALUE)
    c.pos += len(text)


def read_bare_key(c: Cursor) -> None:
    """Read a key without quotes, or with one of the two missing; stops before the colon."""
    key = BARE_KEY_AT.match(c.text, c.pos)
    if key is None:
        raise c.fail(TRUNCATED, at=len(c.text)) if _WORDS_TO_END.match(c.text, c.pos) else c.fail(NO_KEY)
    start, end = key.span("key")
    if key.group("stray"):
        c.edit(start, 0, '"', RepairKind.MISSING_QUOTE)
        c.edit(end, 1, '"', None)
    else:
        c.edit(start, end - start, f'"{c.text[start:end]}"', RepairKind.UNQUOTED_KEY)
    c.pos = key.end("stray")
