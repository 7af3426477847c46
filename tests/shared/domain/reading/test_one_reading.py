"""Damage that leaves one nearest reading, which is taken; and damage that leaves two, which is refused."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.parse_reasons import (
    NUMBER_OR_TEXT,
    SEVERAL_OBJECTS,
    TOO_DAMAGED,
    TWO_ESCAPE_READINGS,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading.reading import NO_COMMA, NO_KEY
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.shared.domain.reading.cases import cases, refusals, texts
from tests.shared.reading import refusal_of, value_of, why_and_where


@cases(
    {
        "a row closed by a brace": ('{"rows": [["a", 1}, ["b", 2]]}', {"rows": [["a", 1], ["b", 2]]}),
        "a brace in a list": ('{"a": [1, 2}, 3], "b": 4}', {"a": [1, 2, 3], "b": 4}),
        "a brace twice in a list": ('{"p": [{"a": 1}}, null], "r": 2}', {"p": [{"a": 1}, None], "r": 2}),
        "a brace before a key without quotes": ('{"a": 1},\n  b: 2\n}', {"a": 1, "b": 2}),
        "a brace after inches": ('{"a": "5" disk"}, "b": 1}', {"a": '5" disk', "b": 1}),
        "a brace before the last elements": ('{"a": [1,}\n  2\n  ]\n}', {"a": [1, 2]}),
    }
)
def test_bracket_that_closes_nothing_is_dropped_or_changed(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_bracket_that_is_missing_stands_where_the_lines_step_back() -> None:
    raw = '{\n  "user": {\n    "name": "A",\n  "items": [1, 2],\n  "total": 5\n}\n```'
    assert value_of(raw) == {"user": {"name": "A"}, "items": [1, 2], "total": 5}


@cases(
    {
        "a key's last quote": ('{"a: 1, "b": 2}', {"a": 1, "b": 2}),
        "an element's first quote": ('{"a": ["x", y", "z"]}', {"a": ["x", "y", "z"]}),
        "a row's last quote": (
            '{"rows":[\n{\n"id": 1,\n"name": "Ann\n},\n{\n"id": 2,\n"name": "Bob"\n}\n]}',
            {"rows": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]},
        ),
        "a quote before a line without quotes": ('{\n  a: "Bob,\n  b: ""\n}', {"a": "Bob", "b": ""}),
        "a quote of another width": ('{\n"n": "ab”,\n"unit": 1}', {"n": "ab", "unit": 1}),
        "inches": ('{"a": ["27"", "32""]}', {"a": ['27"', '32"']}),
        "nothing, before members without quotes": (
            '{"a":"",b:null,c:\'don\'t\',"d":1}',
            {"a": "", "b": None, "c": "don't", "d": 1},
        ),
        "a key's first quote twice": ('{"a": "12", ""b": 1}', {"a": "12", "b": 1}),
    }
)
def test_quote_that_was_forgotten_or_is_too_much_is_mended(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "a semicolon": ('{"a": ["x"; "y"]}', {"a": ["x", "y"]}),
        "a semicolon and no blank": ('{"a": ["x";"y"]}', {"a": ["x", "y"]}),
        "a full-width semicolon": ('{"a": ["he said "no" twice"；"y"]}', {"a": ['he said "no" twice', "y"]}),
        "a full stop": ('{"a": ["苹果"。"香蕉"]}', {"a": ["苹果", "香蕉"]}),
        "between typographic members": ("{“a”：“甲”；“b”：“乙”}", {"a": "甲", "b": "乙"}),
        "between members in single ones": ("{‘a’: ‘x’；‘b’: ‘y’}", {"a": "x", "b": "y"}),
        "between members in corner brackets": ("{「a」: 「x」；「b」: 「y」}", {"a": "x", "b": "y"}),
        "between elements in single quotes": ("{'a': ['x'；'y']}", {"a": ["x", "y"]}),
        "between members in backticks": ("{`a`: `x`; `b`: `y`}", {"a": "x", "b": "y"}),
        "nothing": ("{“a”: [“x” “y”]}", {"a": ["x", "y"]}),
        "nothing before a key without quotes": ('{"a": {} b: 1}', {"a": {}, "b": 1}),
    }
)
def test_sign_that_stands_for_a_comma_is_one(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "an equals sign": ('{"a": "x", "b" = "y"}', {"a": "x", "b": "y"}),
        "nothing before a number": ('{\n"a": "x",\n"b" 1,\n"c": 1\n}', {"a": "x", "b": 1, "c": 1}),
        "nothing before an object": ('{"a": "x",\n"b" {"c": 1},\n"e": 3}', {"a": "x", "b": {"c": 1}, "e": 3}),
        "nothing between typographic strings": ("{“a”: “甲”，“b” “乙”}", {"a": "甲", "b": "乙"}),
        "two of them": ('{"x": 1, "a": : 2}', {"x": 1, "a": 2}),
    }
)
def test_sign_that_stands_for_a_colon_is_one(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@texts(
    {
        "a bracket forgotten or too much": '{"a": 1]}',
        "a quotation or quotes written twice": '{"a": ""hi"", "b": 1}',
        "a quotation or a member": '{"a": "note "x": 2", "b": 1}',
    }
)
def test_damage_with_two_nearest_readings_is_refused(raw: str) -> None:
    assert "two ways" in refusal_of(raw, finished=True).message


@cases(
    {
        "for the last comma": ('{"a": 1, "b": "x";}', {"a": 1, "b": "x"}),
        "behind a number": ('{"a": [1; 2;]}', {"a": [1, 2]}),
        "behind what other languages have": ('{"a": True; "b": None; "c": 1}', {"a": True, "b": None, "c": 1}),
        "behind a stray quote": ('{"a": 1, "b": "x"";}', {"a": 1, "b": "x"}),
    }
)
def test_semicolon_may_stand_wherever_a_comma_may(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_number_that_no_float_holds_is_named_beside_the_other_repairs() -> None:
    decoded = decode_llm_json('{"a": 1e999; "b": NaN; "c": 1}')
    kinds = [repair.kind for repair in decoded.repairs]
    assert kinds == [K.NON_FINITE_NUMBER, K.MISSING_COMMA, K.NON_FINITE_NUMBER, K.MISSING_COMMA]


@refusals(
    {
        "a full-width bracket around members": ('{"x": ［"a": 1; "b": 2］}', TWO_READINGS, 8),
        "a full-width brace around elements": ('{"x": ｛1; 2｝, "y": 3}', NO_KEY, 7),
        "a full-width brace around lists": ('{"x": ｛[1], [2]｝}', TWO_READINGS, 9),
        "a bracket missing in one of a hundred places": (
            '{"a": {' + ", ".join(f'"k{number}": {number}' for number in range(100)) + "}\n```",
            TOO_DAMAGED,
            None,
        ),
        "a full stop behind a number": ('{"a": 5.\n"b": 1}', NUMBER_OR_TEXT, 6),
        "a quote at the end of a text without one before it": (
            "{'a': ['It's theirs', they leave'], 'b': 1}",
            TWO_READINGS,
            22,
        ),
        "a quote of another kind behind the last one": ('{"a": \'"\'quoted\'"}', TWO_READINGS, 6),
        "nothing but quotes": ("{„a“: „““}", TWO_READINGS, 7),
        "a text without its quotes, or an object": ('{"a": true, "b": {\\"c\\": 1}}', TWO_READINGS, 18),
        "a comma before the last quote": ('{"a": "x,"\n"b": 1}', TWO_READINGS, 8),
        "quotes that were escaped twice": ('{"a": "他说：\\\\"可以\\\\"，走了"}', TWO_ESCAPE_READINGS, 12),
        "a bracket too many, or too few, far from where it shows": (
            '{\n"t": [\n{\n"u": [[\n1,\n2\n],\n"v": 0\n}\n],\n"x": null\n}',
            TWO_READINGS,
            16,
        ),
    }
)
def test_damage_with_two_readings_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw, finished=True)) == (reason.en, offset)


def test_backtick_escaped_between_backticks_is_one() -> None:
    assert value_of("{`a`: `\\`x\\``}") == {"a": "`x`"}


def test_comma_before_a_closing_tag_is_a_cut_where_nobody_knows_the_end() -> None:
    assert refusal_of('{"a": 1; "b": 2, </answer>').details["truncated"] is True


def test_data_behind_a_comment_says_that_an_object_did_not_end_before_it() -> None:
    raw = """{"a": [{"b": 0,C"c": 0},C"d",Cnull],C"e": [],C"f": ["g",C"h",C"i"],C"j": [1,C2,C[3,C"k"]]}"""
    assert value_of(raw.replace("C", " // note: {\n"))["j"] == [1, 2, [3, "k"]]


def test_readings_that_become_more_without_coming_further_are_given_up() -> None:
    rows = ", ".join(f'"key{number}": [1, 2, {{"x": {number}]' for number in range(50))
    assert refusal_of(f"{{{rows}}}").details["json_error"] == TOO_DAMAGED.en


@texts(
    {
        "members behind the quote of a string": '{title: "null",extra: "12", k1: {x+ "a \\"b\\" c"}, note: ""},',
        "a list behind the quote of a string": '{title: "null", extra: "12", k1: [x+ "a" b], note: ""}',
        "a member in a list whose bracket was not there": "{'n':{'D'：12.5,'t'：[10”0,'x','y'],'c'：-100.0},'q':1}",
        "a member between a string's lines": "{'r': 'I'm sorry; a bank\"holiday.',}}'t'：: 'x', 's': true}",
        "a member without its first quote": "{'s': [{'f': 'avg_rent', a: order': \"desc'}], 'l': None}",
        "an element behind a brace too many": '{"o": ["explain it", "compute one",{ "tell from it"], "q": [1]}',
        "an element with a word for its bracket": '{"p": ["x y", "z and so on"null, "o": {"s": 1}, "j": "b"}',
        "an element with another quote": '{"v": [false, \'He said \\"hi\\" to us"], "n": "x"}',
        "an element in other quotes": "{'v': ['24', '316', \"x\"in'], 'z': None}",
        "a member behind a list": "{'v': ['k', 'y'], '商品':”'不锈', '卖点': ['24'], 'z': None}",
    }
)
def test_member_that_a_string_or_a_list_would_swallow_leaves_two_readings(raw: str) -> None:
    assert refusal_of(raw, finished=True).details["json_error"] == TWO_READINGS.en


class Inner(BaseModel):
    b: int
    c: int | None = None


class Outer(BaseModel):
    a: Inner
    c: int


class Only(BaseModel):
    a: Inner


@pytest.mark.parametrize(
    "rest",
    [
        "\n\nTell me what to change.",
        "\n<a: /tool_call>",
        "\n# Note: it is one.",
        "\n...",
        '"',
        '"\n~~~',
        "`",
        "**",
        "; ok?",
        '")',
    ],
)
def test_bracket_missing_before_what_is_no_json_is_nowhere_in_particular(rest: str) -> None:
    raw = '{\n  "a": {\n    "b": 1,\n    "c": 2\n  }' + rest
    assert refusal_of(raw, finished=True).details["json_error"] == NO_COMMA.en


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


def test_object_is_not_over_where_a_colon_stands_right_behind_it() -> None:
    assert why_and_where(refusal_of("{a: 1}:{b: 2}")) == (SEVERAL_OBJECTS.en, 0)
