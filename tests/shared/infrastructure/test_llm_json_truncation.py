"""Text that was cut off: an error that says so, or with salvage what was complete and a trace that says so."""

from typing import Any

import pytest

from src.shared.domain.parse_reasons import CUT_OFF, TRUNCATED
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import Score, position, reading_of, refusal_by, refusal_of, why_and_where

CUT = {
    "inside a string": '{"a": 1, "b": "甲乙',
    "right after an opening quote": '{"a": 1, "b": "',
    "inside an escape": '{"a": 1, "b": "x\\',
    "inside a unicode escape": '{"a": 1, "b": "x\\u4e',
    "inside a key": '{"a": 1, "b',
    "after a key": '{"a": 1, "b"',
    "after a key in single quotes": "{'a': 1, 'b'",
    "after a key without quotes": "{'a': 1, b",
    "after a colon": '{"a": 1, "b":',
    "after a colon and a space": '{"a": 1, "b": ',
    "after a comma": '{"a": 1,',
    "after a comma and a newline": '{"a": 1,\n',
    "inside a literal": '{"a": 1, "b": tru',
    "inside another language's literal": '{"a": 1, "b": Non',
    "inside a number's fraction": '{"a": 1, "b": 1.',
    "inside a number's exponent": '{"a": 1, "b": 1e',
    "inside an inner object's string": '{"a": 1, "b": {"c": "x',
    "inside an array's string": '{"a": 1, "b": ["x',
    "after an array's comma": '{"a": 1, "b": [1,',
    "after an opening bracket": '{"a": 1, "b": [',
    "after an opening brace": '{"a": 1, "b": {',
    "inside a string in single quotes": "{'a': 1, 'b': 'x",
    "inside a string in smart quotes": "{“a”: 1, “b”: “x",
    "inside a fence": '```json\n{"a": 1, "b": "x',
    "after prose": '答案如下 {"a": 1, "b": "x',
    "after reasoning": '<think>x</think>{"a": 1, "b": "x',
    "in a list on lines of its own": '{"a": 1, "b": [\n  1,\n  2',
}


@pytest.mark.parametrize("raw", CUT.values(), ids=CUT.keys())
def test_cut_text_is_refused_as_truncated_at_its_end(raw: str) -> None:
    details = refusal_of(raw).details
    assert (details["truncated"], details["stage"], details["position"]) == (True, "repair", position(raw, len(raw)))


@pytest.mark.parametrize("raw", CUT.values(), ids=CUT.keys())
def test_salvage_keeps_the_complete_members_and_says_that_the_text_was_cut(raw: str) -> None:
    decoded = decode_llm_json(raw, salvage=True)
    assert (decoded.data["a"], decoded.truncated) == (1, True)
    assert decoded.repairs[-1].kind is RepairKind.TRUNCATED_MEMBER


SALVAGED: dict[str, tuple[str, dict[str, Any]]] = {
    "a string is dropped with its member": ('{"a": 1, "b": "x', {"a": 1}),
    "a literal is dropped with its member": ('{"a": 1, "b": tr', {"a": 1}),
    "an inner object keeps its complete members": ('{"a": 1, "b": {"c": 2, "d": "x', {"a": 1, "b": {"c": 2}}),
    "an inner object without one is dropped": ('{"a": 1, "b": {"c": "x', {"a": 1}),
    "a list keeps its complete elements": ('{"a": 1, "b": ["x", "y", "z', {"a": 1, "b": ["x", "y"]}),
    "a list of objects keeps the complete ones": ('{"a": 1, "b": [{"c": 1}, {"c": "x', {"a": 1, "b": [{"c": 1}]}),
    "a quote after an empty string is dropped": ('{"a": "", "', {"a": ""}),
    "a tag after an empty string is dropped": ('{"a": "", "</', {"a": ""}),
    "an ellipsis before the cut is left out": ('{"a": [1, ...], "b": "x', {"a": [1]}),
    "repairs before the cut stay": ('{\'a\': 1,, b: "y", "c": "x', {"a": 1, "b": "y"}),
}


@pytest.mark.parametrize(("raw", "data"), SALVAGED.values(), ids=SALVAGED.keys())
def test_salvage_drops_what_was_cut_and_nothing_else(raw: str, data: dict[str, Any]) -> None:
    assert decode_llm_json(raw, salvage=True).data == data


def test_salvage_shows_the_dropped_text_where_it_stood() -> None:
    raw = '{"a": 1, "b": "x'
    repair = decode_llm_json(raw, salvage=True).repairs[-1]
    assert (repair.offset, repair.found) == (raw.index(", "), raw[raw.index(", ") :])


def test_text_cut_after_a_key_and_before_its_fence_is_refused_as_truncated() -> None:
    assert refusal_of('```json\n{"a": 1, "\\d"\n```').details["truncated"] is True


@pytest.mark.parametrize(
    "raw", ['{"a": "说 "好" 和 "', '{"a": "{"b": "', '{"a": "" "', '{"a": ""b"', '{"a": "x "y", z "']
)
def test_quote_that_is_the_last_character_after_unescaped_ones_ends_no_string(raw: str) -> None:
    assert why_and_where(refusal_of(raw)) == (TRUNCATED.en, len(raw))


def test_text_cut_right_after_its_first_brace_is_refused_as_truncated() -> None:
    assert refusal_of("{").details["truncated"] is True


@pytest.mark.parametrize("raw", ['{"a": "x', '{"a', '{"a":', '{"a": {"b": [', "{'a': 'x"])
def test_salvage_with_nothing_complete_is_still_an_error(raw: str) -> None:
    assert refusal_of(raw, salvage=True).details["truncated"] is True


def test_salvage_does_not_excuse_other_damage() -> None:
    assert "truncated" not in refusal_of('{"a": 1, "b": f(x), "c": 2}', salvage=True).details


def test_salvage_leaves_a_whole_text_alone() -> None:
    decoded = decode_llm_json('{"a": 1}', salvage=True)
    assert (decoded.data, decoded.truncated, decoded.repairs) == ({"a": 1}, False, ())


def test_typed_parsing_never_salvages() -> None:
    assert refusal_by(Score, '{"score": 1, "x": "y').details["truncated"] is True


CLOSED: dict[str, tuple[str, dict[str, Any]]] = {
    "after a number": ('{"a": 1', {"a": 1}),
    "after a string": ('{"a": "x"', {"a": "x"}),
    "after a literal": ('{"a": null', {"a": None}),
    "after an inner object": ('{"a": {"b": 1}', {"a": {"b": 1}}),
    "after an inner list": ('{"a": [1, 2]', {"a": [1, 2]}),
    "inside both": ('{"a": {"b": [1', {"a": {"b": [1]}}),
    "in a list on lines of its own": ('{"a": [\n  1,\n  2', {"a": [1, 2]}),
    "before white space": ('{"a": 1\n\n', {"a": 1}),
    "in a fence left open": ('```json\n{"a": 1\n', {"a": 1}),
}

each_closed = pytest.mark.parametrize(("raw", "data"), CLOSED.values(), ids=CLOSED.keys())


@each_closed
def test_brackets_missing_at_the_end_are_closed_where_the_model_had_finished(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw, finished=True) == (data, {RepairKind.MISSING_BRACKET})


@each_closed
def test_brackets_missing_at_the_bare_end_are_a_cut_where_nobody_knows(raw: str, data: dict[str, Any]) -> None:
    del data
    assert refusal_of(raw).details["truncated"] is True


@pytest.mark.parametrize(
    "around", ["```json\n{}\n```", "<answer>{}</answer>"], ids=["a closing fence", "a closing tag"]
)
def test_brackets_missing_before_something_else_are_closed_whoever_knows(around: str) -> None:
    assert reading_of(around.replace("{}", '{"a": [1, 2]')) == ({"a": [1, 2]}, {RepairKind.MISSING_BRACKET})


@pytest.mark.parametrize("raw", ['{"a": 1}', '```json\n{"a": 1}\n```', "{'a': 1}", '{"a": 1', "no object at all"])
def test_text_of_a_model_that_was_cut_off_is_refused_whatever_it_looks_like(raw: str) -> None:
    error = refusal_of(raw, finished=False)
    assert (error.details["truncated"], error.details["json_error"]) == (True, CUT_OFF.en)


def test_empty_text_of_a_model_that_was_cut_off_is_empty() -> None:
    assert refusal_of("", finished=False).details["stage"] == "empty"
