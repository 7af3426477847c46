"""The nearest reading: what departs least from strict JSON, and a refusal where two readings depart as much."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.shared.domain.edits import EditedText
from src.shared.domain.parse_reasons import TOO_DAMAGED, TOO_DEEP, TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.reader import read
from src.shared.domain.reading.reading import NO_COMMA, Value
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import WORK_FLOOR, WORK_PER_CHARACTER, Work
from tests.thorough import at_length


def reading_of(raw: str, *, finished: bool | None = None) -> Value:
    return read(raw, 0, finished=finished)


def value_of(raw: str, *, finished: bool | None = None) -> object:
    reading = reading_of(raw, finished=finished)
    assert reading.problem is None, reading.problem
    return decode_at(EditedText(raw, 0, reading.end, reading.edits).text, 0).data


def test_text_that_is_over_is_cut_off_unless_it_is_known_to_be_whole() -> None:
    problem = reading_of('{"a": [1, 2').problem
    assert problem is not None
    assert problem.reason is TRUNCATED
    assert value_of('{"a": [1, 2', finished=True) == {"a": [1, 2]}


def test_value_that_is_due_where_a_fence_closes_is_cut_off_though_the_text_is_whole() -> None:
    problem = reading_of('{"a": {"b":\n```', finished=True).problem
    assert problem is not None
    assert problem.reason is TRUNCATED


@pytest.mark.parametrize(("raw", "reason"), [('{"a" → 1;; "b": 2}', NO_COMMA), ('{"a" and "b": 2}', TWO_READINGS)])
def test_two_strings_with_something_between_them_are_no_key(raw: str, reason: Reason) -> None:
    problem = reading_of(raw, finished=True).problem
    assert problem is not None
    assert problem.reason is reason


def test_nesting_and_work_are_bounded() -> None:
    problems = [
        reading_of("[" * 5_000).problem,
        read("{a:" * 99, 0, work=Work((1_000 - WORK_FLOOR) // WORK_PER_CHARACTER)).problem,
    ]
    assert [problem and problem.reason for problem in problems] == [TOO_DEEP, TOO_DAMAGED]


_TEXTS = st.text(st.characters(min_codepoint=32, exclude_characters="\\", exclude_categories=["Cs"]))
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner), max_leaves=8)
_DOCUMENTS = st.dictionaries(_TEXTS, _VALUES)


@settings(max_examples=at_length(10, 25), deadline=None)
@given(_DOCUMENTS, st.sampled_from([None, 2]))
def test_strict_json_is_read_without_an_edit(document: dict[str, Any], indent: int | None) -> None:
    raw = json.dumps(document, indent=indent)
    reading = reading_of(raw)
    assert (reading.problem, reading.edits, reading.end) == (None, [], len(raw))
