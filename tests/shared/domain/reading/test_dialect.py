"""A way of writing costs the first time it is met, and never again, however many rows are written so."""

from typing import Any

import pytest

from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS, TWO_READINGS
from src.shared.domain.reading.machine import read
from src.shared.domain.reading.reading import ELISION
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.repair import how_often
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.domain.reading.cases import cases
from tests.shared.domain.reading.rows_in_styles import SLIPS, STYLES, TEXT, meant_by
from tests.shared.reading import reading_of, refusal_of, value_of, why_and_where


@pytest.mark.parametrize("style", STYLES)
def test_rows_of_one_style_are_read_however_many_there_are(style: str) -> None:
    assert value_of(STYLES[style](TEXT)) == meant_by(style)


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("style", ["Python's repr", "keys without quotes", "trailing commas", "raw line ends"])
def test_one_slip_in_rows_of_one_style_is_a_slip(style: str, slip: str) -> None:
    assert value_of(SLIPS[slip](STYLES[style](TEXT))) == meant_by(style)


@pytest.mark.parametrize("other", ["trailing commas", "raw line ends"])
@pytest.mark.parametrize("style", ["keys without quotes", "full-width signs", "curly quotes"])
def test_two_styles_at_once_are_one_dialect(style: str, other: str) -> None:
    assert value_of(STYLES[style](STYLES[other](TEXT))) == meant_by(other)


def test_string_of_the_dialect_that_holds_a_member_is_looked_at() -> None:
    rows = ", ".join('{"a": "he "really" is", "b": 1}' for _ in range(5))
    raw = f'{{"rows": [{rows}, {{"a": "he "really" is, **k**: so"}}]}}'
    problem = read(raw, 0).problem
    assert problem is not None
    assert problem.reason is TWO_READINGS


def test_escaped_quote_beside_quoted_words_of_the_dialect_stays() -> None:
    rows = ['{"a": "the "x" of it",, "b": 1}'] * 4 + [r'{"a": "a \"y\" and the "x" of it", "b": 1}']
    assert value_of(f'{{"rows": [{", ".join(rows)}]}}')["rows"][-1] == {"a": 'a "y" and the "x" of it', "b": 1}


def test_sure_reading_of_a_few_rows_does_not_settle_brackets() -> None:
    rows = ", ".join(f'{{"a": {number}, "b": "x"}}' for number in range(20))
    assert value_of(f'{{"rows": [{rows}, "n": 1}}') == {
        "rows": [{"a": number, "b": "x"} for number in range(20)],
        "n": 1,
    }


@cases(
    {
        "a list of words": ('{"r": "Given ["a", "b", "c"].", "x": 1}', {"r": 'Given ["a", "b", "c"].', "x": 1}),
        "code with an empty string": ('{"r": "so `f("")` is", "x": "b"}', {"r": 'so `f("")` is', "x": "b"}),
        "code that is a member": ('{"r": "so `"x": "1"`", "x": "1"}', {"r": 'so `"x": "1"`', "x": "1"}),
        "code that is rows": (
            '{"r": "with `[{"a": 2}, {"b": 5}]`", "x": 1}',
            {"r": 'with `[{"a": 2}, {"b": 5}]`', "x": 1},
        ),
    }
)
def test_several_quoted_words_in_a_value_are_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNESCAPED_QUOTE})


@cases(
    {
        "a tuple with nothing in it": ('{"a": (), "b": 1}', {"a": [], "b": 1}),
        "a comma before the first member": ('{"h": {,"i": 1}}', {"h": {"i": 1}}),
        "another low quote": ("{‟a”: 1}", {"a": 1}),
        "quotes the wrong way round": ('{"a": 1, ”b“: ”x“}', {"a": 1, "b": "x"}),
    }
)
def test_spelling_that_has_one_reading_is_read(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_comma_before_a_line_as_far_in_as_the_members_around_closes_the_object() -> None:
    assert value_of('{\n  "h": {,\n  "i": 1\n}}') == {"h": {}, "i": 1}


def test_backslashes_of_a_string_whose_quotes_are_not_escaped_at_either_edge_have_two_readings() -> None:
    assert refusal_of(r'{"a": ""[^"\\]*""}').details["json_error"] == TWO_ESCAPE_READINGS.en


@pytest.mark.parametrize("end", ["", "]", "｝]", ", [1}"])
def test_brackets_of_the_dialect_are_looked_at_one_by_one_where_one_is_missing(end: str) -> None:
    raw = '｛"id"： ｛｝， "n"： ［｛"a"： 1｝， ｛｝， ［］］， "t"： ［｛"b"： 2｝' + end
    assert refusal_of(raw, finished=False).details["truncated"]
    assert decode_llm_json(raw, salvage=True).data["n"] == [{"a": 1}, {}, []]


@cases(
    {
        "in a call": ('{"r": "so f("") == 1.", "x": "b"}', {"r": 'so f("") == 1.', "x": "b"}),
        "for an argument": ('{"r": "so f(x="", y) == 1.", "x": "b"}', {"r": 'so f(x="", y) == 1.', "x": "b"}),
    }
)
def test_quotes_with_nothing_between_them_are_code(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNESCAPED_QUOTE})


def test_trailing_comma_beside_an_escaped_command_of_latex_has_one_reading() -> None:
    assert value_of('{"h": {"i": 1, "j": "\\\\frac"},}') == {"h": {"i": 1, "j": "\\frac"}}


def _rows(count: int) -> str:
    return ", ".join(f"{{'a': {number}, 'b': 'x'}}" for number in range(count))


@pytest.mark.parametrize("broken", ["{'a': 30, 'b': 'y", "{'a': 30,, 'b': 'y"])
def test_salvage_keeps_rows_of_a_dialect_that_were_passed_over(broken: str) -> None:
    rows = decode_llm_json(f"{{'rows': [{_rows(30)}, {broken}", salvage=True).data["rows"]
    assert rows[:30] == [{"a": number, "b": "x"} for number in range(30)]


def test_salvage_keeps_undamaged_rows_behind_those_of_a_dialect() -> None:
    clean = ", ".join('{"a": 1}' for _ in range(8))
    rows = decode_llm_json(f"{{'rows': [{_rows(30)}, {clean}, {{\"a\": 3", salvage=True).data["rows"]
    assert rows[30:] == [{"a": 1}] * 8


@pytest.mark.parametrize("raw", ["{'a': 1,}\n{'a': 1,}", "｛'a'：1，｝｛'a'：1，｝"])
def test_value_of_a_dialect_ends_where_another_one_begins(raw: str) -> None:
    assert value_of(raw) == {"a": 1}


def test_rest_of_a_text_behind_a_slip_is_read_in_its_dialect() -> None:
    raw = f"{{'first': [{_rows(20)}],, 'rows': [{_rows(200)}], 'n': {{'k': None}}}}"
    value = value_of(raw)
    assert len(value["rows"]) == 200
    assert value["n"] == {"k": None}


def test_tuple_behind_the_rest_of_a_dialect_is_looked_at() -> None:
    raw = f"{{'rows': [{_rows(20)}],, 'more': [{_rows(40)}], 't': (1, 2)}}"
    assert value_of(raw)["t"] == [1, 2]


def test_rest_with_a_key_that_its_object_has_already_is_read_as_json_is() -> None:
    raw = f"{{'rows': [{_rows(20)}],, 'more': [{_rows(40)}], 'rows': 1}}"
    assert value_of(raw)["rows"] == 1


def test_comments_belong_to_a_dialect_unless_they_stand_for_what_was_left_out() -> None:
    assert value_of("{'a': 1, // one\n'b': [2 /* two */, 3]}") == {"a": 1, "b": [2, 3]}
    assert why_and_where(refusal_of("{'a': 1, // ... more rows\n'b': [2, 3]}")) == (ELISION.en, 9)


def test_comma_before_a_comment_and_a_bracket_is_one_too_many() -> None:
    raw = "```json\n{title: 'Phones', \"score\": 8, // of 10\n}\n```\nI hope it helps."
    assert value_of(raw) == {"title": "Phones", "score": 8}


def test_edits_of_a_very_long_text_are_all_counted() -> None:
    count = 26_000
    raw = f"{{'rows': [{_rows(count)}]}}"
    decoded = decode_llm_json(raw)
    assert len(decoded.data["rows"]) == count
    assert how_often(decoded.repairs)[K.SINGLE_QUOTE] == 1 + 3 * count
