"""What the parsed form of a regular expression says: what it repeats, and whether it may give that back."""

from __future__ import annotations

from collections.abc import Iterator
from re import _constants as constants  # type: ignore[attr-defined]  # the parse tree has no public form
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import Any

_REPEATS = frozenset({constants.MAX_REPEAT, constants.MIN_REPEAT})
_ALONE = [[one] for one in (constants.LITERAL, constants.NOT_LITERAL, constants.IN, constants.ANY)]
"""The bodies of which single characters are repeated: these are sound everywhere."""


def greedy_repetitions(tree: Any) -> Iterator[tuple[int, Any]]:  # noqa: ANN401 - the tree is untyped
    """The most times and the body of each repetition that may have to give back what it has matched."""
    for operator, argument in tree:
        if operator in _REPEATS:
            yield argument[1], argument[2]
        elif operator is constants.ATOMIC_GROUP and argument[-1:] and argument[-1][0] in _REPEATS:
            yield from greedy_repetitions([*argument[:-1], *argument[-1][1][2]])  # nothing behind the last can fail
            continue
        for part in _parts(argument):
            yield from greedy_repetitions(part)


def possessive_groups(tree: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """The body of each possessive repetition of more than single characters."""
    for operator, argument in tree:
        if operator is constants.POSSESSIVE_REPEAT and [part for part, _ in argument[2]] not in _ALONE:
            yield argument[2]
        for part in _parts(argument):
            yield from possessive_groups(part)


def _parts(argument: Any) -> Iterator[Any]:  # noqa: ANN401 - as above
    """The expressions within what an operator stands for."""
    if isinstance(argument, parser.SubPattern):
        yield argument
    elif isinstance(argument, (tuple, list)):
        for part in argument:
            yield from _parts(part)
