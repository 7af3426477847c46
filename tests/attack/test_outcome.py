"""The oracle is right on cases made by hand."""

import pytest

from tools.attack.outcome import Outcome, all_from, outcome, same, strict_values
from tools.attack.reader import Accepted, Crashed, Reading, Refused

SAME = [
    ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
    ([], []),
    ("x", "x"),
]
DIFFERENT = [
    (True, 1),
    (1, 1.0),
    (0, False),
    ("1", 1),
    (None, False),
    ({}, []),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, {"b": 1}),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ({"a": [{"b": 1}]}, {"a": [{"b": 1.0}]}),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_equal_values_are_the_same(left: object, right: object) -> None:
    assert same(left, right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_values_that_differ_in_type_or_content_are_not_the_same(left: object, right: object) -> None:
    assert not same(left, right)
    assert not same(right, left)


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        (Accepted({"a": 1}), Outcome.EQUAL),
        (Accepted({"a": 1.0}), Outcome.WRONG),
        (Accepted({"a": 2}), Outcome.OTHER),
        (Refused(), Outcome.REFUSED),
        (Crashed("KeyError"), Outcome.CRASHED),
    ],
)
def test_an_outcome_compares_with_the_document_and_with_what_the_text_says(reading: Reading, expected: Outcome) -> None:
    assert outcome(reading, {"a": 1}, [{"a": 2}]) is expected


def test_strict_values_are_those_the_standard_decoder_gives() -> None:
    assert strict_values(['{"a": 1}', '{"a": 1,}', "[2]", "[" * 100_000]) == [{"a": 1}, [2]]


WHOLE = {"a": 12, "b": ["x", {"c": True}], "d": {}}


@pytest.mark.parametrize("part", [{}, {"a": 12}, {"b": []}, {"b": ["x"]}, {"b": ["x", {}]}, WHOLE])
def test_a_part_has_only_what_the_whole_has_at_that_place(part: object) -> None:
    assert all_from(part, WHOLE)


@pytest.mark.parametrize(
    "part",
    [
        {"a": 1},
        {"a": 12.0},
        {"e": 1},
        {"b": ["y"]},
        {"b": ["x", {"c": 1}]},
        {"b": ["x", {}, 3]},
        {"d": []},
        {"b": {}},
        [],
    ],
)
def test_anything_else_is_not_a_part(part: object) -> None:
    assert not all_from(part, WHOLE)
