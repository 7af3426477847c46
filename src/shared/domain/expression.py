"""Regular expressions that are compiled when they are first used.

The reader has far more of them than one text needs, and compiling all of them takes many times as long as reading it.
"""

from __future__ import annotations

import re
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
