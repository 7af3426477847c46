"""Possessive repetition of a group, also on interpreters whose own is wrong; where a match ends.

Up to Python 3.11.4 (Debian 12 ships 3.11.2) a possessive group that fails in the middle of a repetition leaves the
match at the place it had reached (python/cpython#106052). There an atomic group around a greedy one says the same;
elsewhere the possessive one is faster. Which it is, is found out by trying.
"""

from __future__ import annotations

import re
import sys

_PROBE = re.match(r"(?:ab?+c)*+", "ab")
IS_SOUND = _PROBE is not None and _PROBE.end() == 0
"""Whether this interpreter's possessive groups end where they should."""


def repeated(body: str, times: str = "*", *, sound: bool = IS_SOUND) -> str:
    """An expression for `body` repeated without ever giving back: `times` is `*`, `+`, `?` or `{m,n}`."""
    return f"(?:{body}){times}+" if sound else f"(?>(?:{body}){times})"


def match_end(expression: re.Pattern[str], text: str, at: int, limit: int = sys.maxsize) -> int:
    """Where what an expression matches at a place ends, before a limit; the place itself where it does not match."""
    found = expression.match(text, at, limit)
    return found.end() if found else at
