"""The nearest reading: what departs least from strict JSON, and a refusal where two readings depart as much."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.shared.domain.edits import EditedText
from src.shared.domain.parse_reasons import TOO_DAMAGED, TOO_DEEP, TRUNCATED, Reason
from src.shared.domain.reading.machine import read
from src.shared.domain.reading.reading import NO_KEY, NO_VALUE, Value
from src.shared.domain.strict_json import decode_at
from src.shared.domain.work import WORK_FLOOR, WORK_PER_CHARACTER, Work
from tests.shared.domain.reading.cases import cases, texts
from tests.thorough import at_length


def reading_of(raw: str, *, finished: bool | None = None) -> Value:
    return read(raw, 0, finished=finished)


def value_of(raw: str, *, finished: bool | None = None) -> object:
    reading = reading_of(raw, finished=finished)
    assert reading.problem is None, reading.problem
    return decode_at(EditedText(raw, 0, reading.end, reading.edits).text, 0).data


@cases(
    {
        "a key's first quote": ('{"a": "x\ny",\n b": 100,\n "c": "d"}', {"a": "x\ny", "b": 100, "c": "d"}),
        "a key's last quote": ('{"a": 1, "b: "x"}', {"a": 1, "b": "x"}),
        "a text's first quote": ('{"a": x y", "b": 1}', {"a": "x y", "b": 1}),
        "a text's last quote": ('{"a": "x y, "b": 1}', {"a": "x y", "b": 1}),
        "an element's last quote": ('{"a": ["x, "y"]}', {"a": ["x", "y"]}),
        "a colon": ('{"a" 1}', {"a": 1}),
        "a comma": ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        "a bracket inside": ('{"a": [1, 2, "b": 3}', {"a": [1, 2], "b": 3}),
        "an opening brace": ('{"a": [{"b": 1}, "b": 2}]}', {"a": [{"b": 1}, {"b": 2}]}),
        "an opening bracket": ('{"a": 1, 2], "b": 3}', {"a": [1, 2], "b": 3}),
    }
)
def test_what_was_forgotten_is_put_where_it_costs_least(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "inner quotes": ('{"a": "he said "hi" and left", "b": 1}', {"a": 'he said "hi" and left', "b": 1}),
        "inches": ('{"a": "a 24" screen", "b": 1}', {"a": 'a 24" screen', "b": 1}),
        "inches at the end": ('{"a": "24"", "b": 1}', {"a": '24"', "b": 1}),
        "one quote escaped": ('{"a": "he said \\"hi"", "b": 1}', {"a": 'he said "hi"', "b": 1}),
        "a quote that is spoken of": ('{"a": "replace \'"\' here", "b": 1}', {"a": "replace '\"' here", "b": 1}),
        "JSON in a string": ('{"a": "{"x": 1, "y": "z"}", "b": 1}', {"a": '{"x": 1, "y": "z"}', "b": 1}),
        "an apostrophe": ("{'a': 'it's', 'b': 1}", {"a": "it's", "b": 1}),
    }
)
def test_quotes_inside_a_string_are_text(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "a key's quotes": ('{""a"": "x", "b": 1}', {"a": "x", "b": 1}),
        "a closing quote": ('{"a": "x"", "b": 1}', {"a": "x", "b": 1}),
        "a quote behind a number": ('{"a": 42", "b": 1}', {"a": 42, "b": 1}),
        "a quote behind a bracket": ('{"a": ["x"]", "b": 1}', {"a": ["x"], "b": 1}),
        "commas": ('{"a": 1,, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        "a colon": ('{"a": : 1}', {"a": 1}),
        "a full-width colon": ('{"a":： 1}', {"a": 1}),
        "a closing bracket": ('{"a": [1]], "b": 1}', {"a": [1], "b": 1}),
        "an opening brace": ('{"a": {{"b": 1}}', {"a": {"b": 1}}),
        "a key": ('{"a": "a": 1}', {"a": 1}),
        "a bracket by its lines": ('{\n  "a": {\n    "b": [1]},\n    "c": 2\n  }\n}', {"a": {"b": [1], "c": 2}}),
    }
)
def test_what_is_too_much_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "separators": ('{"a": ["x"; "y"、"z"], "b": 1}', {"a": ["x", "y", "z"], "b": 1}),
        "signs for a colon": ('{"a" => 1, "b" = 2, "c" :: 3, "d" -> 4}', {"a": 1, "b": 2, "c": 3, "d": 4}),
        "a colon inside the quotes": ('{"a:" "x"}', {"a": "x"}),
        "a bracket of the wrong kind": ('{"a": ["x"}, "b": 1}', {"a": ["x"], "b": 1}),
        "a list for an object": ('{"a": ["b": 1, "c": 2}}', {"a": {"b": 1, "c": 2}}),
        "tuples": ('{"a": (1, "x"), "b": (2,)}', {"a": [1, "x"], "b": [2]}),
        "full-width": ("｛“a”： ［1， 2］， “b”： 3｝", {"a": [1, 2], "b": 3}),
        "a smart quote at one end": ('{"a": "x”, "b”: 1}', {"a": "x", "b": 1}),
        "two single quotes": ("{''a'': ''x''}", {"a": "x"}),
        "triple quotes": ('{"a": """x = "y"""", "b": 1}', {"a": 'x = "y"', "b": 1}),
        "added strings": ('{"a": "x" + "y"}', {"a": "xy"}),
        "escaped quotes": ('{"a": 1, \\"b\\": \\"x\\"}', {"a": 1, "b": "x"}),
        "words": ("{a: True, b: None, c: some words, d: +1}", {"a": True, "b": None, "c": "some words", "d": 1}),
        "comments": ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}),
    }
)
def test_other_notations_are_understood(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@texts(
    {
        "a bracket that may stand in two places": '{"a": {"b": 1, "c": 2}\n```',
        "a bracket too many in one of two places": '{"a": {"b": {"c": 1}}, "d": 2}}',
        "a comma inside the quotes, or none": '{"a": "x," "b": 1}',
        "two strings, or one with quotes in it": '{"a": "x" "y"}',
        "strings run together": '{"a": ["x""y"]}',
        "a literal with a quote before it": '{"a":" true,\n "b": 2}',
        "a number with separators": '{"a": 1,000, "b": 2}',
        "digits in another spelling": '{"a": 0x2a}',
        "a line of prose": '{"a": 1,\nNote: this is important.\n"b": 2}',
        "what was left out": '{"a": [1, ..., 9]}',
        "a comment that says so": '{"a": [1, // 8 more rows\n 9]}',
        "a value that is missing": '{"a": , "b": 1}',
        "what is not understood": '{"a": 1 <- check, "b": 2}',
        "a line continued": '{"a": "x \\\n y"}',
    }
)
def test_two_readings_that_cost_the_same_are_refused_as_is_what_needs_a_guess(raw: str) -> None:
    assert reading_of(raw, finished=True).problem is not None


def test_text_that_is_over_is_cut_off_unless_it_is_known_to_be_whole() -> None:
    problem = reading_of('{"a": [1, 2').problem
    assert problem is not None
    assert problem.reason is TRUNCATED
    assert value_of('{"a": [1, 2', finished=True) == {"a": [1, 2]}


def test_value_that_is_due_where_a_fence_closes_is_cut_off_though_the_text_is_whole() -> None:
    problem = reading_of('{"a": {"b":\n```', finished=True).problem
    assert problem is not None
    assert problem.reason is TRUNCATED


def test_ellipsis_in_quotes_among_elements_is_text() -> None:
    assert value_of('{"a": ["x", "…", "y, "z"]}') == {"a": ["x", "…", "y", "z"]}


def test_escaped_quote_before_a_colon_is_a_part_of_a_key_that_nothing_else_is_wrong_with() -> None:
    assert value_of('{"say \\": b": [1, 2}') == {'say ": b': [1, 2]}


@pytest.mark.parametrize(("raw", "reason"), [('{"a" → 1;; "b": 2}', NO_KEY), ('{"a" and "b": 2}', NO_VALUE)])
def test_two_strings_with_something_between_them_are_no_key(raw: str, reason: Reason) -> None:
    problem = reading_of(raw, finished=True).problem
    assert problem is not None
    assert problem.reason is reason


@pytest.mark.parametrize("key", ['say "x" now', 'size 5" x 3'])
def test_quotes_of_a_key_that_pair_up_are_text(key: str) -> None:
    assert value_of(f'{{"{key}": 2}}', finished=True) == {key: 2}


def test_nesting_and_work_are_bounded() -> None:
    problems = [
        reading_of("[" * 5_000).problem,
        read("{a:" * 99, 0, work=Work((40_000 - WORK_FLOOR) // WORK_PER_CHARACTER)).problem,
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
