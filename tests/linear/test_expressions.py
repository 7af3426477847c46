"""No regular expression of a parser can backtrack: its unbounded repetitions are possessive."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants as constants  # type: ignore[attr-defined]  # the parse tree has no public form
from re import _parser as parser  # type: ignore[attr-defined]  # as above
from typing import Any

import pytest

import src.modules
import src.shared.application
import src.shared.domain
import src.shared.infrastructure
from src.shared.domain.possessive import IS_SOUND, repeated

ROOTS = (src.shared.domain, src.shared.application, src.shared.infrastructure, src.modules)
RUN_BY_ALEMBIC = "src.modules.monitoring.infrastructure.store.migrations.env"
"""Cannot be imported: Alembic runs it, within a migration."""
LONGEST_BACKTRACK = 200
"""A repetition that may give characters back gives back no more than so many."""


def expressions() -> Iterator[tuple[str, re.Pattern[str]]]:
    modules = (module for root in ROOTS for module in pkgutil.walk_packages(root.__path__, root.__name__ + "."))
    for module in modules:
        if module.name == RUN_BY_ALEMBIC:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            found = value.values() if isinstance(value, dict) else [value]
            yield from ((f"{module.name}.{name}", part) for part in found if isinstance(part, re.Pattern))


ALL = dict(expressions())


def greedy_repetitions(tree: Any) -> Iterator[tuple[int, Any]]:  # noqa: ANN401 - the tree is untyped
    for operator, argument in tree:
        if operator is constants.ATOMIC_GROUP:
            continue  # what it has matched it does not give back
        if operator in {constants.MAX_REPEAT, constants.MIN_REPEAT}:
            yield argument[1], argument[2]
        for part in argument if isinstance(argument, (tuple, list)) else [argument]:
            for branch in part if isinstance(part, list) else [part]:
                if isinstance(branch, parser.SubPattern):
                    yield from greedy_repetitions(branch)


@pytest.mark.parametrize("name", sorted(ALL))
def test_unbounded_repetitions_are_possessive(name: str) -> None:
    tree = parser.parse(ALL[name].pattern, ALL[name].flags)

    assert all(most <= LONGEST_BACKTRACK for most, _ in greedy_repetitions(tree))


def test_the_check_sees_a_repetition_that_can_backtrack() -> None:
    tree = parser.parse(r"a(?:b|(?:c*d)+)e*+")

    assert sorted(most == constants.MAXREPEAT for most, _ in greedy_repetitions(tree)) == [True, True]


@pytest.mark.parametrize("text", ["", "ab", "abab", "ababx", "abxab"])
def test_both_ways_of_not_giving_back_match_the_same(text: str) -> None:
    possessive, atomic = (re.match(repeated("ab?(?!x)", sound=sound), text) for sound in (True, False))

    assert atomic is not None
    assert not IS_SOUND or (possessive is not None and possessive.span() == atomic.span())


def test_every_module_with_expressions_is_covered() -> None:
    assert len(ALL) > 40
