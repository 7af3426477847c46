"""Damage that leaves one nearest reading, which is taken; and damage that leaves two, which is refused."""

import pytest
from pydantic import BaseModel

from src.shared.domain.parse_reasons import (
    NUMBER_OR_TEXT,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading.reading import NO_KEY
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.domain.reading.cases import refusals
from tests.shared.reading import refusal_of, value_of, why_and_where


def test_number_that_no_float_holds_is_named_beside_the_other_repairs() -> None:
    decoded = decode_llm_json('{"a": 1e999; "b": NaN; "c": 1}')
    kinds = [repair.kind for repair in decoded.repairs]
    assert kinds == [K.NON_FINITE_NUMBER, K.MISSING_COMMA, K.NON_FINITE_NUMBER, K.MISSING_COMMA]


@refusals(
    {
        "a full-width bracket around members": ('{"x": ［"a": 1; "b": 2］}', TWO_READINGS, 7),
        "a full-width brace around elements": ('{"x": ｛1; 2｝, "y": 3}', NO_KEY, 7),
        "a full-width brace around lists": ('{"x": ｛[1], [2]｝}', NO_KEY, 7),
        "a bracket missing in one of a hundred places": (
            '{"a": {' + ", ".join(f'"k{number}": {number}' for number in range(100)) + "}\n```",
            TWO_READINGS,
            1074,
        ),
        "a full stop behind a number": ('{"a": 5.\n"b": 1}', NUMBER_OR_TEXT, 6),
        "a quote at the end of a text without one before it": (
            "{'a': ['It's theirs', they leave'], 'b': 1}",
            TWO_READINGS,
            19,
        ),
        "a quote of another kind behind the last one": ('{"a": \'"\'quoted\'"}', TWO_READINGS, 8),
        "nothing but quotes": ("{„a“: „““}", TWO_READINGS, 8),
        "a text without its quotes, or an object": ('{"a": true, "b": {\\"c\\": 1}}', TWO_READINGS, 18),
        "a comma before the last quote": ('{"a": "x,"\n"b": 1}', TWO_READINGS, 8),
        "quotes that were escaped twice": ('{"a": "他说：\\\\"可以\\\\"，走了"}', TWO_READINGS, 12),
        "a bracket too many, or too few, far from where it shows": (
            '{\n"t": [\n{\n"u": [[\n1,\n2\n],\n"v": 0\n}\n],\n"x": null\n}',
            TWO_READINGS,
            16,
        ),
    }
)
def test_damage_with_two_readings_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw, finished=True)) == (reason.en, offset)


def test_data_behind_a_comment_says_that_an_object_did_not_end_before_it() -> None:
    raw = """{"a": [{"b": 0,C"c": 0},C"d",Cnull],C"e": [],C"f": ["g",C"h",C"i"],C"j": [1,C2,C[3,C"k"]]}"""
    assert value_of(raw.replace("C", " // note: {\n"))["j"] == [1, 2, [3, "k"]]


def test_brackets_that_are_missing_in_each_row_are_put_in_none() -> None:
    rows = ", ".join(f'"key{number}": [1, 2, {{"x": {number}]' for number in range(50))
    assert refusal_of(f"{{{rows}}}").details["json_error"] == TWO_READINGS.en


class Inner(BaseModel):
    b: int
    c: int | None = None


class Outer(BaseModel):
    a: Inner
    c: int


class Only(BaseModel):
    a: Inner


@pytest.mark.parametrize("end", ["", "\n\nTell me what to change.", "\n```", '"', '"\n```', " // that is it"])
def test_type_tells_where_the_last_bracket_is_missing(end: str) -> None:
    raw = '{"a": {"b": 1, "c": 2}' + end
    assert parse_llm_json_output(raw, Outer, finished=True) == Outer(a=Inner(b=1), c=2)
    assert parse_llm_json_output(raw, Only, finished=True) == Only(a=Inner(b=1, c=2))


class Order(BaseModel):
    b: int
    rows: list[dict[str, int]] | None = None


class Ordered(BaseModel):
    a: Order


@pytest.mark.parametrize("end", ["1", "\n\nTell me what to change."])
def test_type_tells_what_a_list_belongs_to_behind_which_all_brackets_are_missing(end: str) -> None:
    raw = '{"a": {"b": 1, "rows": [{"c": 2}]' + end
    assert parse_llm_json_output(raw, Ordered, finished=True) == Ordered(a=Order(b=1, rows=[{"c": 2}]))
