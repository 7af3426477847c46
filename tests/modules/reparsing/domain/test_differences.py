"""Where two values of JSON differ, and where they do not."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.reparsing.domain.comparison import MISSING, PATH_LIMIT, differences
from tests.thorough import at_length

NAN = float("nan")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def paths(old: object, new: object) -> list[str]:
    return [each.path for each in differences(old, new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (1, 1.0),
        (0, -0.0),
        (NAN, NAN),
        (float("inf"), float("inf")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([[], {}], [[], {}]),
        ("é", "é"),
        (None, None),
    ],
)
def test_values_that_are_equal(old: object, new: object) -> None:
    assert paths(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (True, 1),
        (0, False),
        (True, False),
        (1, "1"),
        (1, 2),
        (2**53, 2**53 + 1),
        (0, NAN),
        (None, 0),
        ("", None),
        ("a", "a "),
        ("é", "e\u0301"),
        ({}, []),
        ([], None),
        ({"a": 1}, "a"),
    ],
)
def test_values_that_are_not(old: object, new: object) -> None:
    assert paths(old, new) == ["$"]
    assert paths(new, old) == ["$"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": None, "b": 1}, {"a": 1, "b": None}, ["$.a", "$.b"]),
        ({"a": None}, {"b": None}, ["$.b: only new", "$.a: only old"]),
        ([1, 2, 3], [1, 3], ["$[1]", "$[2]: only old"]),
        ([], [None], ["$[0]: only new"]),
        ({"old": 1, "a": 1, "b": {"c": 1}}, {"b": {"c": 2}, "a": 2}, ["$.b.c", "$.a", "$.old: only old"]),
    ],
)
def test_places_are_told_in_the_order_of_the_new_value(old: object, new: object, expected: list[str]) -> None:
    assert paths(old, new) == expected


def test_item_of_a_list_is_one_place_anywhere_and_a_value_may_be_missing() -> None:
    (found,) = differences({"rows": [{"s": 1}, {"s": 2}]}, {"rows": [{"s": 1}, {}]})
    assert found == ("$.rows[1].s: only old", "$.rows[*].s: only old", 2, MISSING)


@pytest.mark.parametrize("key", ["a\nb", "\u202e", "\ud800", "k" * 10_000])
def test_key_stays_on_one_line_within_the_bound(key: str) -> None:
    (path,) = paths({key: {key: {key: {key: 1}}}}, {key: {key: {key: {key: 2}}}})
    assert path.isprintable()
    assert len(path) <= PATH_LIMIT


@given(JSON)
def test_value_is_equal_to_itself_written_and_read(value: object) -> None:
    assert paths(value, json.loads(json.dumps(value))) == []


@given(JSON, JSON)
def test_both_directions_find_the_same_places(one: object, other: object) -> None:
    swapped = [path.replace("only new", "only old") for path in paths(one, other)]
    assert sorted(swapped) == sorted(path.replace("only new", "only old") for path in paths(other, one))


@given(JSON, JSON)
def test_values_without_a_difference_are_written_alike(one: object, other: object) -> None:
    """The oracle: Python's own equality of values in which every number has become a text, and no boolean is one."""
    assert (paths(one, other) == []) == (_spelled(one) == _spelled(other))


def _spelled(value: object) -> object:
    if isinstance(value, dict):
        return {key: _spelled(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_spelled(part) for part in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return f"number {int(value) if value == value and abs(value) != float('inf') and value == int(value) else value}"  # noqa: PLR0124


def test_depth_is_no_matter() -> None:
    one: Any = 1
    other: Any = 2
    for _ in range(at_length(10_000, 50_000)):
        one, other = [one], [other]
    (path,) = paths(one, other)
    assert path.startswith("$[0][0]")
    assert len(path) == PATH_LIMIT


def test_time_is_linear_in_the_size() -> None:
    def seconds(count: int) -> float:
        one = {f"k{n}": [n, str(n)] for n in range(count)}
        begun = time.process_time()
        assert paths(one, dict(reversed(one.items()))) == []
        return time.process_time() - begun

    seconds(1_000)
    few = at_length(4_000, 8_000)
    assert seconds(10 * few) < 40 * max(seconds(few), 0.001)
