"""Changes of regular expressions: a quantifier, a bound, an alternative, a look around, a member of a class.

An expression is changed as it is written in the source, in a raw string, so that parts put together of several are too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tools.mutation.mutant import Mutant, Source

_RAW = re.compile(r"(?i:rf|fr|r)(\"\"\"|'''|\"|')")
_TOKEN = re.compile(
    r"""
      (?P<comment> \s \# [^\n]* (?=\n) )              # in a verbose expression
    | (?P<escape> \\ (?: x[0-9a-f]{2} | u[0-9a-f]{4} | U[0-9a-f]{8} | . ) )
    | (?P<bounds> \{\{? \d* ,? \d* \}\}? )            # doubled in a formatted string
    | (?P<name> \{ [^{}]+ \} )                        # the value of a name, in a formatted string
    | (?P<set> \[ \^? \]? (?: \\. | [^\]\\] )* \] )
    | (?P<open> \( (?: \? (?: <?[=!] | P<\w+> | [:>] | [aimsx-]+:? ) )? )
    | (?P<close> \) )
    | (?P<or> \| )
    | (?P<times> [*+?] )
    | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_SIGN = r"(?: \\x[0-9a-f]{2} | \\u[0-9a-f]{4} | \\U[0-9a-f]{8} | \\. | \{\{ | \}\} | [^\\\]] )"
_MEMBER = re.compile(rf"\{{[^{{}}]+\}} | {_SIGN} (?: - {_SIGN} )?", re.VERBOSE | re.DOTALL | re.IGNORECASE)
_CLASSES = {"\\d": "\\D", "\\w": "\\W", "\\s": "\\S", "\\b": "", "\\B": "", "\\Z": "", "\\A": ""}


class Token(NamedTuple):
    """A part of an expression."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next one starts."""
        return self.start + len(self.text)


def expression_mutants(source: Source) -> Iterator[Mutant]:
    """Every change of a regular expression in a file: of each raw string that is no docstring."""
    docstrings = {id(node.value) for node in source.nodes() if isinstance(node, ast.Expr)}
    parts = {id(part) for node in source.nodes() if isinstance(node, ast.JoinedStr) for part in node.values}
    seen = set()
    for node in source.nodes():
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in docstrings | parts:
            continue
        span = source.span(node)
        if _RAW.match(source.text_of(node)) is None or span in seen:
            continue
        seen.add(span)
        yield from (source.mutant(node, after) for after in written_otherwise(source.text_of(node)))


def written_otherwise(literal: str) -> Iterator[str]:
    """Every change of a raw string, or of several that stand after one another."""
    for start, end in _contents(literal):
        for changed in changes(literal[start:end]):
            yield literal[:start] + changed + literal[end:]


def changes(pattern: str) -> Iterator[str]:
    """Every change of an expression."""
    tokens = [Token(found.lastgroup or "", found.group(), found.start()) for found in _TOKEN.finditer(pattern)]
    for at, token in enumerate(tokens):
        for after in _changes_of(token, tokens[at - 1] if at else None):
            yield pattern[: token.start] + after + pattern[token.end :]
    for start, end in (*_looks(tokens), *_alternatives(tokens, len(pattern))):
        yield pattern[:start] + pattern[end:]


def _contents(literal: str) -> Iterator[tuple[int, int]]:
    """Where the texts between the quotes stand, in strings that stand after one another."""
    at = 0
    while (opening := _RAW.search(literal, at)) is not None:
        quote = opening.group(1)
        closing = re.compile(rf"(?:\\.|(?!{quote}).)*", re.DOTALL).match(literal, opening.end())
        end = closing.end() if closing else len(literal)
        yield opening.end(), end
        at = end + len(quote)


def _changes_of(token: Token, before: Token | None) -> Iterator[str]:
    after_times = before is not None and before.kind in {"times", "bounds"}
    if token.kind == "times" and after_times:
        yield ""  # no longer possessive or lazy
    elif token.kind == "times":
        yield {"*": "+", "+": "*", "?": ""}[token.text]
    elif token.kind == "bounds" and any(sign.isdigit() for sign in token.text):
        yield from (_counted(token.text, found) for found in re.finditer(r"\d+", token.text))
    elif token.kind == "set":
        yield from _sets(token.text)
    elif token.kind == "open" and token.text[-1] in "=!":
        yield token.text[:-1] + {"=": "!", "!": "="}[token.text[-1]]
    elif token.kind == "escape" and token.text in _CLASSES:
        yield _CLASSES[token.text]


def _counted(bounds: str, found: re.Match[str]) -> str:
    return bounds[: found.start()] + str(int(found.group()) + 1) + bounds[found.end() :]


def _sets(text: str) -> Iterator[str]:
    """A set with one member less, and its opposite."""
    opening = "[^" if text.startswith("[^") else "["
    yield ("[" if opening == "[^" else "[^") + text[len(opening) :]
    members = _MEMBER.findall(text[len(opening) : -1])
    if len(members) > 1:
        yield from (opening + "".join(members[:at] + members[at + 1 :]) + "]" for at in range(len(members)))


def _looks(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Where each look around stands, from its bracket to the other."""
    for at, token in enumerate(tokens):
        if token.kind == "open" and token.text[-1] in "=!":
            yield token.start, _closing(tokens, at).end


def _closing(tokens: list[Token], opening: int) -> Token:
    depth = 0
    for token in tokens[opening:]:
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth:
            return token
    return tokens[-1]


def _alternatives(tokens: list[Token], length: int) -> Iterator[tuple[int, int]]:
    """Where each alternative stands, with the bar before it, or for the first the bar after it."""
    groups: list[list[int]] = [[0]]
    for token in tokens:
        if token.kind == "open":
            groups.append([token.end])
        elif token.kind == "or":
            groups[-1].append(token.start)
        elif token.kind == "close" and groups[1:]:
            yield from _without_one(groups.pop(), token.start)
    yield from _without_one(groups[0], length)


def _without_one(starts: list[int], end: int) -> Iterator[tuple[int, int]]:
    edges = [*starts, end]
    for at in range(len(starts) if starts[1:] else 0):
        yield (edges[0], edges[1] + 1) if at == 0 else (edges[at], edges[at + 1])
