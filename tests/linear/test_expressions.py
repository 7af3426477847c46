"""No regular expression of a parser can backtrack: its unbounded repetitions are possessive."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants as constants  # type: ignore[attr-defined]  # the parse tree has no public form
from re import _parser as parser  # type: ignore[attr-defined]  # as above

import pytest

import src.modules
import src.shared.application
import src.shared.domain
import src.shared.infrastructure
from src.shared.domain.expression import IS_SOUND, repeated
from src.shared.domain.expression import Expression as LazyExpression
from tests.linear.compiled import Expression, found
from tests.linear.parsed_forms import greedy_repetitions, possessive_groups

ROOTS = (src.shared.domain, src.shared.application, src.shared.infrastructure, src.modules)
RUN_BY_ALEMBIC = "src.modules.monitoring.infrastructure.store.migrations.env"
"""Cannot be imported: Alembic runs it, within a migration."""
LONGEST_BACKTRACK = 200
"""A repetition that may give characters back gives back no more than so many."""


def expressions() -> Iterator[tuple[str, re.Pattern[str] | LazyExpression]]:
    modules = (module for root in ROOTS for module in pkgutil.walk_packages(root.__path__, root.__name__ + "."))
    for module in modules:
        if module.name == RUN_BY_ALEMBIC:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            found = value.values() if isinstance(value, dict) else [value]
            yield from (
                (f"{module.name}.{name}", part) for part in found if isinstance(part, (re.Pattern, LazyExpression))
            )


ALL = dict(expressions())


def unsound() -> list[Expression]:
    """Every expression that is compiled anywhere in `src`, apart from the one that tries the interpreter."""
    return [one for one in found().expressions if not one.file.endswith("domain/expression.py")]


@pytest.mark.parametrize("name", sorted(ALL))
def test_unbounded_repetitions_are_possessive(name: str) -> None:
    tree = parser.parse(ALL[name].pattern, ALL[name].flags)

    assert all(most <= LONGEST_BACKTRACK for most, _ in greedy_repetitions(tree))


def test_the_check_sees_a_repetition_that_can_backtrack() -> None:
    tree = parser.parse(r"a(?:b|(?:c*d)+)e*+")

    assert sorted(most == constants.MAXREPEAT for most, _ in greedy_repetitions(tree)) == [True, True]


@pytest.mark.parametrize("expression", [r"(?>a*b)", r"(?>a*(?:c*d)*)", r"(?>(?:a*b)*)"])
def test_the_check_sees_what_backtracks_within_an_atomic_group(expression: str) -> None:
    assert list(greedy_repetitions(parser.parse(expression)))


@pytest.mark.parametrize("expression", [r"(?:ab)*+", r"(a)?+", r"(?:a(?=(?:b|cd){2}+))*"])
def test_the_check_sees_a_possessive_group(expression: str) -> None:
    assert list(possessive_groups(parser.parse(expression)))


@pytest.mark.parametrize("expression", [r"a*+(?:[ab])?+\s{1,2}+", repeated("ab", sound=False)])
def test_what_is_sound_everywhere_is_no_possessive_group(expression: str) -> None:
    assert not list(possessive_groups(parser.parse(expression)))


def test_no_group_is_repeated_possessively_where_that_is_unsound() -> None:
    assert [one for one in unsound() if list(possessive_groups(parser.parse(one.pattern, one.flags)))] == []


def test_what_is_built_for_an_unsound_interpreter_cannot_backtrack_either() -> None:
    read = [one for one in unsound() if not one.file.startswith("src/entrypoints/")]  # these read no answer
    greedy = {one: greedy_repetitions(parser.parse(one.pattern, one.flags)) for one in read}

    assert [one for one in read if any(most > LONGEST_BACKTRACK for most, _ in greedy[one])] == []


def test_every_place_that_compiles_an_expression_is_seen() -> None:
    assert found().missed == [], "tests/linear/compiled.py has to call what compiles there"


@pytest.mark.parametrize("text", ["", "ab", "abab", "ababx", "abxab"])
def test_both_ways_of_not_giving_back_match_the_same(text: str) -> None:
    possessive, atomic = (re.match(repeated("ab?(?!x)", sound=sound), text) for sound in (True, False))

    assert atomic is not None
    assert not IS_SOUND or (possessive is not None and possessive.span() == atomic.span())


def test_every_module_with_expressions_is_covered() -> None:
    assert len(ALL) > 40
