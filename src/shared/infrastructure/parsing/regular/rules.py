"""The slips between strings, one rule for each.

A rule works on the gaps of a text, with one quote in place of each string. The rules run in the order of `RULES`, each
on the result of the one before. The effect of a rule in a gap depends on that gap alone, so equal gaps are examined
only once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.patterns import COMMENT_MARKS
from src.shared.infrastructure.parsing.regular.marks import NEW_QUOTE

Places: TypeAlias = Iterator[tuple[int, int]]
"""Parts of the gaps: start and end of each."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One slip.

    Attributes:
        name: for tests and for readers.
        kind: what a trace calls it.
        needs: what the gaps must have for the rule to be tried at all.
        found: what is undone.
        put: what stands there afterwards; None if what was found is put in quotes.
        doubtful: what may be something else if this is in it: then nothing is mended.
    """

    name: str
    kind: RepairKind
    needs: Callable[[str], bool]
    found: re.Pattern[str]
    put: str | None
    doubtful: re.Pattern[str] | None = None

    def applied(self, gaps: str) -> tuple[str, int] | None:
        """The gaps after the rule, and how often it applied; None if it is doubtful."""
        if self.doubtful is not None and any(map(self.doubtful.search, self.found.findall(gaps))):
            return None
        if self.put is not None:
            return self.found.subn(self.put, gaps)
        parts = self.found.split(gaps)
        return NEW_QUOTE.join(parts), len(parts) // 2

    def places(self, gaps: str) -> Places:
        """Where it applies."""
        return (found.span() for found in self.found.finditer(gaps))

    def put_for(self, found: str) -> str:
        """What stands in the place of what was found."""
        return NEW_QUOTE + found + NEW_QUOTE if self.put is None else self.put


class Sign(Rule):
    """A slip of one character, which is replaced wherever it is."""

    __slots__ = ()

    def applied(self, gaps: str) -> tuple[str, int]:
        """As of any rule."""
        sign = self.found.pattern
        return gaps.replace(sign, self.put_for(sign)), gaps.count(sign)


class Comma(Rule):
    """A comma that is missing at the end of a line: it is inserted there, and reported after the value."""

    __slots__ = ()

    def places(self, gaps: str) -> Places:
        """After the values."""
        for found in self.found.finditer(gaps):
            end = found.start()
            while gaps[end - 1] == " ":
                end -= 1
            yield end, end

    def put_for(self, _found: str) -> str:
        """A comma, and no line end: that is there."""
        return ","


def _has(*parts: str) -> Callable[[str], bool]:
    return lambda gaps: any(part in gaps for part in parts)


def _has_bare_keys(gaps: str) -> bool:
    """Whether a colon stands after something else than a string."""
    return gaps.count(":") != gaps.count('":')


def _sign(wide: str, narrow: str) -> Sign:
    return Sign(f"wide {narrow}", RepairKind.FULL_WIDTH_PUNCTUATION, _has(wide), re.compile(wide), narrow)


def _literal(python: str, json: str) -> Rule:
    found = re.compile(rf"{python}(?<![\w{NEW_QUOTE}]{python})(?![\w{NEW_QUOTE}])")  # no word, nor a key by now
    return Rule(python, RepairKind.PYTHON_LITERAL, _has(python[0]), found, json)


_COMMENT_TO_LINE_END = re.compile(
    r"""
    (?: // (?<!"//) | \# (?<!"\#) ) (?=\s)   # not behind a string; `#AI` and `//host` may be elements without quotes
    [^"{}\[\]｛｝［］…\\\n/\#]*+               # no string in it, and no structure
    """
    + repeated(r"[/\#]++ [^\"{}\[\]｛｝［］…\\\n/\#]*+", f"{{0,{COMMENT_MARKS}}}")
    + r"(?=\n|\Z)",
    re.VERBOSE,
)
_COMMENT_BETWEEN_STARS = re.compile(
    r"""
    /\* (?<!"/\*) (?=\s)
    [^"{}\[\]｛｝［］…\\*]*+ \*/              # the same, and no other star
    """,
    re.VERBOSE,
)
_LEFT_OUT = re.compile(
    r"""
    \.\.\.
    | \b (?: more | others? | remaining | additional | further | rest | etc | and\s++so\s++on ) \b
    | omitted | brevity | 省略 | 以此类推 | 等等 | 其余
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A comment that may stand for what was left out."""
_TRAILING_COMMA = re.compile(r"[,，](?=\s*+[}\]｝］])")
_BARE_KEY = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*+)(?=\s*+:)")
_VALUE_ENDS = r'(?: (?<=["\d}\]el]\n) | (?<=["\d}\]el][ ]\n) | (?<=["\d}\]el][ ][ ]\n) )'
"""After a value: `e` of true, `l` of null. A comment leaves two blanks."""
_MISSING_COMMA = re.compile(
    rf"""
    \n (?:
        {_VALUE_ENDS} (?= \s*+ ["{NEW_QUOTE}] )   # a string on the next line
      | (?<=[}}\]]\n) (?= \s*+ [{{\[] )       # or one container under the other
    )
    """,
    re.VERBOSE,
)

RULES: tuple[Rule, ...] = (
    Rule("comment", RepairKind.COMMENT, _has("/", "#"), _COMMENT_TO_LINE_END, " ", _LEFT_OUT),
    Rule("starred comment", RepairKind.COMMENT, _has("*"), _COMMENT_BETWEEN_STARS, " ", _LEFT_OUT),
    Rule("trailing comma", RepairKind.TRAILING_COMMA, _has(",", "，"), _TRAILING_COMMA, ""),
    *map(_sign, "｛｝［］，：", "{}[],:"),
    Rule("bare key", RepairKind.UNQUOTED_KEY, _has_bare_keys, _BARE_KEY, None),
    *map(_literal, ("True", "False", "None"), ("true", "false", "null")),
    Comma("missing comma", RepairKind.MISSING_COMMA, _has("\n"), _MISSING_COMMA, ",\n"),
)
"""In their order: commas before the brackets and full-width signs become plain, keys before literals (`{True: 1}`)."""


class Gaps(NamedTuple):
    """Gaps after the rules: as text with a quote between any two, and the rules that applied."""

    text: str
    applied: Counter[RepairKind]


def undone(gaps: str) -> Gaps | None:
    """The gaps after all rules; None if one is doubtful."""
    kinds: Counter[RepairKind] = Counter()
    for rule in RULES:
        if rule.needs(gaps):
            applied = rule.applied(gaps)
            if applied is None:
                return None
            gaps, count = applied
            if count:
                kinds[rule.kind] += count
    return Gaps(gaps, kinds)
