"""Regular expressions: compiled when they are first used, and repeated without ever giving back.

The reader has far more of them than one text needs, and compiling all of them takes many times as long as reading it.

Up to Python 3.11.4 (Debian 12 ships 3.11.2) a possessive group that fails in the middle of a repetition leaves the
match at the place it had reached (python/cpython#106052). There an atomic group around a greedy one says the same;
elsewhere the possessive one is faster. Which it is, is found out by trying.
"""

from __future__ import annotations

import re
import sys
from typing import Any, cast


class Expression:
    """Stands for a compiled expression, whose methods it has once it was used.

    Attributes:
        pattern: its text.
        flags: those of `re`.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Keep the text; one that is wrong is found by the tests, which compile all."""
        self.pattern = pattern
        self.flags = flags


class _NotCompiled(Expression):
    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the attribute of another class
        """Compile the expression and take over its methods; from then on they cost no more than its own."""
        compiled = re.compile(self.pattern, self.flags)
        for method in ("match", "fullmatch", "search", "finditer", "findall", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        self.__class__ = Expression  # type: ignore[assignment]  # without this method, which makes each access slower
        return getattr(self, name)


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """An expression that is compiled with the first call of one of its methods."""
    return cast("re.Pattern[str]", _NotCompiled(pattern, flags))


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
