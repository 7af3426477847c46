"""The attack with parts makes texts of which only a part can be read, and finds a reader that returns it."""

from random import Random

import pytest

from tests.attack.readers import crashing, first_object, first_object_as, strict, strict_as
from tests.thorough import at_length
from tools.attack.budget import Budget
from tools.attack.parts import KINDS, Case, Part, attack, judged
from tools.attack.reader import Accepted, Crashed, Refused

SAMPLE = Budget(count=20 * len(KINDS))


@pytest.mark.parametrize("part", KINDS, ids=lambda part: part.kind)
def test_every_kind_makes_texts_that_are_no_json(part: Part) -> None:
    cases = [case for seed in range(40) if (case := part.make(Random(seed)))]
    assert len(cases) > 10
    assert all(strict(case.text) == Refused() for case in cases)


def test_kinds_have_names_of_their_own() -> None:
    assert len({part.kind for part in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    ("reading", "column"),
    [
        (Accepted({"a": 1}), "right"),
        (Accepted({"a": 2}), "wrong"),
        (Accepted({"a": 3}), "misread"),
        (Refused(), "refused"),
        (Crashed("KeyError"), "crashed"),
    ],
)
def test_what_came_back_is_judged_by_the_answer_and_the_mistake(reading: Accepted, column: str) -> None:
    assert judged(Case("x", right=({"a": 1},), mistakes=({"a": 2},)), reading) == column


def test_every_value_is_wrong_where_no_mistake_is_named() -> None:
    assert judged(Case("x"), Accepted({"a": 3})) == "wrong"


def test_a_reader_that_refuses_all_damage_breaks_no_promise() -> None:
    report = attack(SAMPLE, 1, strict, strict_as)
    assert not report.broken
    assert "wrong: must be 0." in report.text()


def test_a_reader_that_takes_the_first_object_is_found() -> None:
    report = attack(SAMPLE, 1, first_object, first_object_as)
    assert {kind for kind, _ in report.shortest} >= {"keys in marks", "numbered list", "list of calls", "broken call"}
    assert "numbered list: wrong" in report.text()


def test_a_reader_that_crashes_is_found() -> None:
    assert {column for _, column in attack(SAMPLE, 1, crashing, strict_as).shortest} == {"crashed"}


def test_the_parser_returns_no_part() -> None:
    assert attack(Budget(count=at_length(8, 20) * len(KINDS)), 11).shortest == {}
