"""A way of writing costs the first time it is met, and never again, however many rows are written so."""

import pytest

from src.shared.domain.repair import RepairKind as K
from src.shared.domain.repair import how_often
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.domain.reading.rows_in_styles import SLIPS, STYLES, TEXT, meant_by
from tests.shared.reading import refusal_of, value_of


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


def test_escaped_quote_beside_quoted_words_of_the_dialect_stays() -> None:
    rows = ['{"a": "the "x" of it",, "b": 1}'] * 4 + [r'{"a": "a \"y\" and the "x" of it", "b": 1}']
    assert value_of(f'{{"rows": [{", ".join(rows)}]}}')["rows"][-1] == {"a": 'a "y" and the "x" of it', "b": 1}


@pytest.mark.parametrize("end", ["", "]", "｝]", ", [1}"])
def test_brackets_of_the_dialect_are_looked_at_one_by_one_where_one_is_missing(end: str) -> None:
    raw = '｛"id"： ｛｝， "n"： ［｛"a"： 1｝， ｛｝， ［］］， "t"： ［｛"b"： 2｝' + end
    assert refusal_of(raw, finished=False).details["truncated"]
    assert decode_llm_json(raw, salvage=True).data["n"] == [{"a": 1}, {}, []]


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


def test_edits_of_a_very_long_text_are_all_counted() -> None:
    count = 26_000
    raw = f"{{'rows': [{_rows(count)}]}}"
    decoded = decode_llm_json(raw)
    assert len(decoded.data["rows"]) == count
    assert how_often(decoded.repairs)[K.SINGLE_QUOTE] == 1 + 3 * count
