"""One change of a source file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

_AROUND = 20
"""Characters shown before and after what is changed."""


class Span(NamedTuple):
    """A stretch of a source text, in bytes of UTF-8, as Python's syntax trees count."""

    start: int
    end: int


class Mutant(NamedTuple):
    """A change: in which file, on which line, what stands there and what instead."""

    path: Path
    line: int
    span: Span
    before: str
    after: str

    def apply(self, source: str) -> str:
        """The source with the change."""
        raw = source.encode()
        return (raw[: self.span.start] + self.after.encode() + raw[self.span.end :]).decode()

    def __str__(self) -> str:
        """The place and the change, with a little of what stands around it."""
        start = _same(self.before, self.after)
        most = min(len(self.before), len(self.after)) - start
        same_end = min(most, _same(self.before[::-1], self.after[::-1]))
        line = self.line + self.before.count("\n", 0, start)
        first = max(0, start - _AROUND)
        before, after = (each[first : len(each) - max(0, same_end - _AROUND)] for each in (self.before, self.after))
        return f"{self.path}:{line}: {_on_one_line(before)}  →  {_on_one_line(after) or 'nothing'}"


class Source:
    """A source file, and where its nodes stand."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text)
        self._raw = text.encode()
        self._lines = [0]
        for line in self._raw.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where a node stands."""
        assert node.end_lineno is not None  # noqa: S101 - the parser sets both
        assert node.end_col_offset is not None  # noqa: S101 - as above
        return Span(
            self._lines[node.lineno - 1] + node.col_offset, self._lines[node.end_lineno - 1] + node.end_col_offset
        )

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        """What stands there."""
        span = self.span(node)
        return self._raw[span.start : span.end].decode()

    def mutant(self, node: ast.expr | ast.stmt, after: str) -> Mutant:
        """The mutant with this in the place of a node."""
        return Mutant(self.path, node.lineno, self.span(node), self.text_of(node), after)

    def nodes(self) -> Iterator[ast.AST]:
        """Every node but those of annotations, which change nothing."""
        yield from _nodes(self.tree)


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _nodes(child)


def _same(left: str, right: str) -> int:
    """How many characters both begin with."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))))


def _on_one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))
