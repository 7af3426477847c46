"""Keys, numbers and literals as they are read while they come."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from src.shared.domain.possessive import repeated

TOKEN_LIMIT = 300
"""Most characters of a key or a number that is read as it comes."""
_IN_KEY = repeated(r'[^"\\\x00-\x1f] | \\["\\/bfnrt] | \\u[0-9a-fA-F]{4}', f"{{0,{TOKEN_LIMIT}}}")
KEY = re.compile(
    rf"""
      " (?P<plain> {_IN_KEY} ) "
    | ' (?P<single> [^'"\\\x00-\x1f]{{0,{TOKEN_LIMIT}}}+ ) '
    | “ (?P<curly> [^“”"\\\x00-\x1f]{{0,{TOKEN_LIMIT}}}+ ) ”
    | (?P<bare> [A-Za-z_$][\w$]{{0,{TOKEN_LIMIT}}}+ ) (?= [^\w$] )
    """,
    re.VERBOSE,
)
KEY_BEGINS = re.compile(r"[\"'“A-Za-z_$]")
WORD = re.compile(rf"[\w.+\-]{{1,{TOKEN_LIMIT}}}+")
_NUMBER = re.compile(r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]{1,2})?")
_LITERALS = {"true": True, "false": False, "null": None}
_SPELLINGS = {"True": "true", "False": "false", "None": "null"}
NOTHING = object()
"""What a word is that is neither a number nor a literal."""


def key_text(key: re.Match[str]) -> str:
    """The key that was found."""
    plain = key["plain"]
    if plain is not None:
        return str(json.loads(f'"{plain}"')) if "\\" in plain else plain
    return next(text for text in (key["single"], key["curly"], key["bare"]) if text is not None)


def decoded(word: str, parse_float: Callable[[str], float] | None) -> Any:  # noqa: ANN401 - any value without parts
    """The value of a word, or `NOTHING`."""
    word = _SPELLINGS.get(word, word)
    if word in _LITERALS:
        return _LITERALS[word]
    return json.loads(word, parse_float=parse_float) if _NUMBER.fullmatch(word) else NOTHING


_NO_KEY = re.compile(r"[\n\t,，。;；!！?？…]")
"""What is in sentences and hardly in keys."""


def looks_like_key(text: str) -> bool:
    """Whether a text may be a key, or its beginning."""
    return text.count(" ") <= 1 and _NO_KEY.search(text) is None
