"""Brackets: forgotten, surplus, or closing the wrong thing."""

from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import reading_of, refusal_of, why_and_where


@cases(
    {
        "the object's": ('{"a": 1', {"a": 1}),
        "an inner object's and the outer one's": ('{"a": {"b": 1', {"a": {"b": 1}}),
        "a list's and the object's": ('{"a": [1, 2', {"a": [1, 2]}),
        "a list's, before the object's": ('{"a": [1, 2}', {"a": [1, 2]}),
        "an inner object's, before a list's": ('{"a": [{"b": 1]}', {"a": [{"b": 1}]}),
        "a list of strings'": ('{"a": ["x", "y"}', {"a": ["x", "y"]}),
        "the object's, before prose in a fence": ('```json\n{"a": 1\n```\n好', {"a": 1}),
        "the object's, before a closing tag": ('<answer>{"a": 1</answer>', {"a": 1}),
    }
)
def test_forgotten_closing_bracket_is_filled_in(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw, finished=True) == (data, {K.MISSING_BRACKET})


def test_comma_before_a_forgotten_bracket_is_dropped() -> None:
    assert reading_of('{"a": [1, 2,}') == ({"a": [1, 2]}, {K.MISSING_BRACKET, K.TRAILING_COMMA})


@cases(
    {
        "an opening brace in a string": ('{"a": "{"}', {"a": "{"}),
        "an opening bracket in a string": ('{"a": ["["]}', {"a": ["["]}),
        "empty containers": ('{"a": [], "b": {}}', {"a": [], "b": {}}),
    }
)
def test_bracket_in_text_needs_no_partner(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, set())


@texts(
    {
        "a list on lines of its own, cut at the end": '{"a": [\n  1,\n  2',
        "a container with nothing in it": '{"a": [',
        "a comma at the end": '{"a": 1,',
        "a string that was never closed before": '```json\n{\n"a": "x\n"b": 1\n```',
    }
)
def test_bracket_missing_where_more_was_to_come_is_a_cut(raw: str) -> None:
    assert refusal_of(raw).details["truncated"] is True


def test_bracket_that_a_string_may_have_swallowed_is_refused() -> None:
    assert len(refusal_of('{"a": "x}"', finished=True).details["candidates"]) == 2


# --- surplus -----------------------------------------------------------------------------------------------


@cases(
    {
        "an object's before another member": ('{"a": 1}, "b": 2}', {"a": 1, "b": 2}),
        "an object's around everything": ('{{"a": 1}}', {"a": 1}),
        "an object's in a list": ('{"a": [{{"b": 1}}, 2]}', {"a": [{"b": 1}, 2]}),
        "an opening object's, not closed twice": ('{{"a": 1}', {"a": 1}),
    }
)
def test_surplus_bracket_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.SURPLUS_BRACKET})


@cases(
    {
        "a closing brace in a string": ('{"a": "}",}', {"a": "}"}),
        "a closing bracket in a string": ('{"a": "x]", "b": 1,}', {"a": "x]", "b": 1}),
        "brackets in order": ('{"a": [[{}]],}', {"a": [[{}]]}),
    }
)
def test_closing_bracket_in_text_closes_nothing(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


def test_closing_brace_after_the_object_is_prose() -> None:
    assert reading_of('{"a": 1}}') == ({"a": 1}, set())


def test_closing_brace_on_a_line_of_its_own_is_none_of_a_value_on_one_line() -> None:
    assert reading_of('{"a": {"b": 1}, "c": +2}\n}') == ({"a": {"b": 1}, "c": 2}, {K.NUMBER_SPELLING})


@texts({"before a comma": '{"a": "[x"], "b": 1}', "at the end": '{"a": [1], "b": "[x" ]}'})
def test_surplus_bracket_that_a_string_may_have_left_open_is_refused(raw: str) -> None:
    assert len(refusal_of(raw).details["candidates"]) == 2


@cases(
    {
        "to a colon": ('{"a": "{x}: y", "b": 1,}', {"a": "{x}: y", "b": 1}),
        "to a comma": ('{"a": "[x], y", "b": 1,}', {"a": "[x], y", "b": 1}),
        "to a quote": ('{"a": "[\\"x\\"]", "b": 1,}', {"a": '["x"]', "b": 1}),
    }
)
def test_brackets_in_text_next(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


def test_surplus_bracket_after_an_odd_quote_may_be_text_and_is_refused() -> None:
    assert why_and_where(refusal_of('{"a": "x "y"}, "b": 1}')) == (TWO_READINGS.en, 7)


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": 1} "b": 2}',
        '{"a": 1}\n"b": 2}',
        '{"a": 1,}, "b": 2}',
        '{"a": 1}}, "b": 2}',
        '{"a": {"x": 1}}}, "b": 2}',
        '{"a": [1]}], "b": 2}',
        "{'a': 1}], 'b': 2}",
    ],
)
def test_members_after_a_surplus_bracket_are_never_lost_in_silence(raw: str) -> None:
    try:
        data = reading_of(raw)[0]
    except LLMJsonParseError:
        return
    assert data["b"] == 2


@texts(
    {
        "a level": '{"name": {"text": {"a": 1}}, "score": -1}, "code": "BUY"}',
    }
)
def test_bracket_in_the_wrong_place_is_not_guessed_at(raw: str) -> None:
    assert len(refusal_of(raw, finished=True).details["candidates"]) == 2


@texts(
    {
        "a square bracket": '{"a": (1, 2]}',
        "a brace": '{"a": (1, 2}',
        "a square bracket of the list around it": '{"a": [(1, 2]]}',
    }
)
def test_tuple_that_another_bracket_closes_is_refused(raw: str) -> None:
    assert refusal_of(raw).details["stage"] == "repair"


@cases(
    {
        "of a list and an object": ('{"b": [{"d": 1}}]', {"b": [{"d": 1}]}),
        "of an object and a list": ('{"c": [{"b": 1]}, "d": 2}', {"c": [{"b": 1}], "d": 2}),
        "in an object inside": ('{"c": {"b": [{"d": 1}}]}', {"c": {"b": [{"d": 1}]}}),
        "on two lines": ('{"b": [\n1\n}\n]', {"b": [1]}),
        "of one of two rows": (
            '{"t": [{"c": {"a": [{"d": 1}], "b": [{"d": 1}}]}, {"t": "y"}]}',
            {"t": [{"c": {"a": [{"d": 1}], "b": [{"d": 1}]}}, {"t": "y"}]},
        ),
    }
)
def test_closing_brackets_in_the_wrong_order_are_exchanged(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.SURPLUS_BRACKET})


def test_brackets_in_the_wrong_order_are_refused_where_what_follows_may_belong_further_out() -> None:
    assert refusal_of('{"p": {"c": [{"s": "x"]}, "a": "y"}}').details["position"]["offset"] == 22


def test_brackets_that_are_missing_behind_a_closing_one_are_filled_in() -> None:
    assert reading_of('{"a": [{"b": 1}', finished=True) == ({"a": [{"b": 1}]}, {K.MISSING_BRACKET})
    assert refusal_of('{"a": [{"b": 1}').details["truncated"]
