"""Commas, colons, brackets and gaps: what stands between values."""

from typing import Any

import pytest

from src.shared.domain.parse_reasons import (
    COMMENT_OR_ELEMENT,
    COMMENT_OR_STRUCTURE,
    NUMBER_OR_TEXT,
    TRUNCATED,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading.reading import NO_COMMA, NO_KEY, NO_VALUE
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.domain.reading.cases import cases, refusals, texts
from tests.shared.reading import reading_of, refusal_of, trace_of, value_of, why_and_where


@cases(
    {
        "colon and comma": ('{"a"：1，"b"：2}', {"a": 1, "b": 2}),
        "braces": ('｛"a": 1｝', {"a": 1}),
        "brackets": ('{"a": ［1, 2］}', {"a": [1, 2]}),
        "everything": ('｛"a"：［1，2］，"b"：｛"c"：3｝｝', {"a": [1, 2], "b": {"c": 3}}),
        "one opened full-width, closed plainly": ('｛"a": 1}', {"a": 1}),
        "one opened plainly, closed full-width": ('{"a": [1］}', {"a": [1]}),
    }
)
def test_full_width_punctuation_is_structure(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.FULL_WIDTH_PUNCTUATION})


@cases(
    {
        "in a value": ('{"a": "甲：乙，丙",}', {"a": "甲：乙，丙"}),
        "brackets in a value": ('{"a": "｛甲｝［乙］",}', {"a": "｛甲｝［乙］"}),
        "in a key": ('{"甲：乙": 1,}', {"甲：乙": 1}),
        "at the end of a value": ('{"a": "甲，", "b": "乙：",}', {"a": "甲，", "b": "乙："}),
    }
)
def test_full_width_punctuation_in_text_stays(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


# --- commas ------------------------------------------------------------------------------------------------


@cases(
    {
        "full-width before a bracket": ('{"a": [1，]}', {"a": [1]}),
        "full-width before a brace": ('{"a": 1，\n}', {"a": 1}),
        "alone in a list": ('{"a": [,]}', {"a": []}),
        "alone in a list, full-width": ('{"a": [\n，\n]}', {"a": []}),
        "in an object": ('{"a": 1,}', {"a": 1}),
        "in a list": ('{"a": [1, 2,]}', {"a": [1, 2]}),
        "before a newline": ('{\n  "a": 1,\n}', {"a": 1}),
        "in every container": ('{"a": [{"b": 1,},],}', {"a": [{"b": 1}]}),
        "after a string": ('{"a": "x",}', {"a": "x"}),
    }
)
def test_trailing_comma_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@cases(
    {
        "a comma and a brace in a string": ('{"a": ",}"}', {"a": ",}"}),
        "a comma and a bracket in a string": ('{"a": ["x,]", 1]}', {"a": ["x,]", 1]}),
        "a comma at the end of a string": ('{"a": "x,"}', {"a": "x,"}),
    }
)
def test_comma_in_text_stays(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, set())


@cases(
    {
        "between strings on two lines": ('{"a": "x"\n"b": 2}', {"a": "x", "b": 2}),
        "between strings on one line": ('{"a": "x" "b": 2}', {"a": "x", "b": 2}),
        "after a number": ('{"a": 1\n"b": 2}', {"a": 1, "b": 2}),
        "after a number on one line": ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        "after a literal": ('{"a": true\n"b": null\n"c": 1}', {"a": True, "b": None, "c": 1}),
        "between numbers on two lines": ('{"a": [1\n2]}', {"a": [1, 2]}),
        "after an object": ('{"a": {}\n"b": 2}', {"a": {}, "b": 2}),
        "after a list": ('{"a": [1]\n"b": 2}', {"a": [1], "b": 2}),
        "between elements": ('{"a": ["x" "y"]}', {"a": ["x", "y"]}),
        "between elements on two lines": ('{"a": ["x"\n"y"]}', {"a": ["x", "y"]}),
        "between empty strings": ('{"a": [""\n" "]}', {"a": ["", " "]}),
        "between a string and a number": ('{"a": ["x"\n1]}', {"a": ["x", 1]}),
        "between objects": ('{"a": [{"b": 1} {"b": 2}]}', {"a": [{"b": 1}, {"b": 2}]}),
        "between lists": ('{"a": [[1] [2]]}', {"a": [[1], [2]]}),
        "after a list, before a number on the next line": ('{"a": [[1]\n2]}', {"a": [[1], 2]}),
    }
)
def test_missing_comma_is_filled_in(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MISSING_COMMA})


def test_missing_comma_before_a_key_without_quotes_on_the_next_line_is_filled_in() -> None:
    assert reading_of('{a: "x"\nb: 2}') == ({"a": "x", "b": 2}, {K.MISSING_COMMA, K.UNQUOTED_KEY})


@refusals(
    {
        "a second draft": ('{"a": "draft"\n\nActually:\n{"a": "final", "b": 1}', TRUNCATED, 47),
        "a note": ('{"a": ["x"]\nNote: done}', TRUNCATED, 23),
        "an equals sign": ('{"a": 1\nCorrected version = {"a": 2}', TRUNCATED, 36),
    }
)
def test_bare_word_on_the_line_after_quoted_keys_is_no_key(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@refusals(
    {
        "two values for one key": ('{"a": {} {}}', NO_COMMA, 9),
        "a list beside a word": ('{"a": [1] x}', NO_COMMA, 10),
        "a text and a remark": ('{\n"a": "x" (note),\n"b": 1}', NO_COMMA, 11),
    }
)
def test_values_that_no_comma_explains_are_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@cases(
    {
        "between members": ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}),
        "between elements": ('{"a": [1,, 2]}', {"a": [1, 2]}),
        "before the first member": ('{, "a": 1}', {"a": 1}),
        "before the first element": ('{"a": [, 1]}', {"a": [1]}),
        "three": ('{"a": 1,,, "b": 2}', {"a": 1, "b": 2}),
        "over two lines": ('{"a": 1,\n, "b": 2}', {"a": 1, "b": 2}),
        "full-width": ('{"a": 1,，"b": 2}', {"a": 1, "b": 2}),
    }
)
def test_doubled_comma_counts_once(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.DOUBLED_COMMA})


@cases(
    {
        "in a string": ('{"a": "x,,y",}', {"a": "x,,y"}),
        "around an empty string": ('{"a": ["", "", ""],}', {"a": ["", "", ""]}),
    }
)
def test_comma_doubled_in_text_or_around_empty_text_stays(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


# --- ellipses ----------------------------------------------------------------------------------------------


ELISIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "before the first element": ('{"a": [..., 1]}', {"a": [1]}),
    "before the first member": ('{..., "a": 1}', {"a": 1}),
    "of one character": ('{"a": [… 1]}', {"a": [1]}),
    "between two elements": ('{"a": [1, ..., 9]}', {"a": [1, 9]}),
    "after the last element": ('{"a": [1, 2, ...]}', {"a": [1, 2]}),
    "after the last member": ('{"a": 1, ...}', {"a": 1}),
    "on a line of its own": ('{\n"a": 1,\n...\n}', {"a": 1}),
    "a comment": ('{"a": [1, // ... 8 more rows\n9]}', {"a": [1, 9]}),
    "a comment in words": ('{"a": [1, // 8 more rows\n9]}', {"a": [1, 9]}),
    "a comment between marks": ('{"a": [1, /* other items omitted */ 9]}', {"a": [1, 9]}),
    "a comment in Chinese": ('{"a": [1, # 其余省略\n9]}', {"a": [1, 9]}),
}


@texts({name: raw for name, (raw, _) in ELISIONS.items()})
def test_elision_is_a_loss_and_refused(raw: str) -> None:
    assert "left out" in refusal_of(raw).message


@cases(ELISIONS)
def test_salvage_keeps_what_stands_around_an_elision_and_says_that_something_is_lost(
    raw: str, data: dict[str, Any]
) -> None:
    decoded = decode_llm_json(raw, salvage=True)
    assert (decoded.data, decoded.truncated) == (data, True)


def test_ellipsis_is_traced_where_it_stood() -> None:
    repairs = decode_llm_json('{"a": [1, ..., 9]}', salvage=True).repairs
    assert [(one.kind, one.offset, one.found, one.put) for one in repairs] == [
        (K.ELLIPSIS, 10, "...", ""),
        (K.DOUBLED_COMMA, 13, ",", ""),
    ]


@texts({"etc.": '{"a": [1, 2, etc.]}', "and so on": '{"a": [1, and so on]}', "in Chinese": '{"a": [1, 等等]}'})
def test_word_for_what_was_not_written_out_is_no_element(raw: str) -> None:
    assert "left out" in refusal_of(raw).message


@cases(
    {
        "on the value": ('{"a": 1 // more than last year\n}', {"a": 1}),
        "on another thing": ('{"a": 1 // the other side of it\n}', {"a": 1}),
        "with a number": ('{"a": 1 // 8 rows\n}', {"a": 1}),
    }
)
def test_comment_that_only_mentions_more_is_a_comment(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.COMMENT})


@cases(
    {
        "as a value": ('{"a": "...",}', {"a": "..."}),
        "in a value": ('{"a": "x…",}', {"a": "x…"}),
        "as an element": ('{"a": ["..."],}', {"a": ["..."]}),
    }
)
def test_ellipsis_in_quotes_stays(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@texts({"in an object": '{"a": {...}}', "in a list": '{"a": [...], "b": 1}', "of one character": '{"a": [ … ]}'})
def test_ellipsis_in_place_of_all_contents_is_no_value_even_for_salvage(raw: str) -> None:
    assert "ellipsis" in refusal_of(raw, salvage=True).message


def test_ellipsis_in_braces_is_prose() -> None:
    assert reading_of('as in {...}: {"a": 1}') == ({"a": 1}, set())


# --- comments and invisible characters ---------------------------------------------------------------------


@cases(
    {
        "to the end of the line": ('{"a": 1 // 说明\n}', {"a": 1}),
        "between two marks": ('{"a": /* 说明 */ 1}', {"a": 1}),
        "of Python": ('{"a": 1, # 说明\n"b": 2}', {"a": 1, "b": 2}),
        "before the first key": ('{ // 说明\n"a": 1}', {"a": 1}),
        "over two lines": ('{"a": 1, /* 一\n二 */ "b": 2}', {"a": 1, "b": 2}),
        "with a key in it": ('{"a": 1, // "x": {\n"b": 2}', {"a": 1, "b": 2}),
        "between key and colon": ('{"a" /* 说明 */ : 1}', {"a": 1}),
        "two in a row": ('{"a": 1 // 一\n// 二\n}', {"a": 1}),
        "after the comma of an element": ('{"a": [1, // 一\n2]}', {"a": [1, 2]}),
        "with a star in it": ('{"a": 1 /* * ** */}', {"a": 1}),
    }
)
def test_comment_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.COMMENT})


@cases(
    {
        "an address": ('{"a": "http://x.y",}', {"a": "http://x.y"}),
        "a hash": ('{"a": "# 标题",}', {"a": "# 标题"}),
        "two marks": ('{"a": "x /* y */ z",}', {"a": "x /* y */ z"}),
        "a key": ('{"//": "x",}', {"//": "x"}),
    }
)
def test_comment_marks_in_text_stay(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@refusals(
    {
        "of one line": ('{"a": 1, // x}, {"b": 2}\n}', COMMENT_OR_STRUCTURE, 9),
        "of Python": ('{"a": [1 # x], "b": 2\n]}', COMMENT_OR_STRUCTURE, 9),
    }
)
def test_comment_that_may_have_ended_before_its_bracket_is_refused(
    raw: str, reason: Reason, offset: int | None
) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@refusals(
    {
        "hashtags": ('{"a": [\n  #AI,\n  #创业\n]}', COMMENT_OR_ELEMENT, 10),
        "a hashtag among strings": ('{"a": ["AI",\n  #ML,\n "x"\n]}', COMMENT_OR_ELEMENT, 15),
        "a colour": ('{"a": [#1a2b3c]\n}', COMMENT_OR_ELEMENT, 7),
        "addresses": ('{"a": [\n//cdn.a.com/x.js,\n//cdn.a.com/y.js\n]}', COMMENT_OR_ELEMENT, 8),
    }
)
def test_comment_that_may_be_an_element_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@cases(
    {
        "in a list that is empty": ('{"a": [\n // none\n]}', {"a": []}),
        "that ends with a comma": ('{"a": ["x", // first,\n "y"]}', {"a": ["x", "y"]}),
        "without a space, behind an element": ('{"a": ["x", //first\n "y"]}', {"a": ["x", "y"]}),
        "without a space, in an object": ('{"a": 1, //first,\n "b": 2}', {"a": 1, "b": 2}),
    }
)
def test_comment_that_can_be_no_element_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.COMMENT})


@refusals({"one slash": ('{"a": 1 / 2}', NO_VALUE, 6), "no closing mark": ('{"a": 1, /* x "b": 2}', NO_KEY, 9)})
def test_what_only_resembles_a_comment_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@pytest.mark.parametrize("char", ["\ufeff", "\u200b", "\u200d", "\u2060", "\u00a0", "\u202f", "\u3000", "\u2028"])
@pytest.mark.parametrize(
    "raw", ['{{{}"a": 1}}', '{{"a"{}: 1}}', '{{"a": {}1}}', '{{"a": 1{}}}', '{{"a": 1, {}"b": 2}}']
)
def test_invisible_character_between_tokens_is_dropped(raw: str, char: str) -> None:
    data, kinds = reading_of(raw.format(char))
    assert (data["a"], kinds) == (1, {K.INVISIBLE_CHARACTER})


@pytest.mark.parametrize("char", ["\ufeff", "\u200b", "\u200d", "\u2060", "\u00a0", "\u202f", "\u3000", "\u2028"])
def test_invisible_character_in_text_stays(char: str) -> None:
    assert reading_of(f'{{"a{char}": "{char}x{char}",}}') == ({f"a{char}": f"{char}x{char}"}, {K.TRAILING_COMMA})


def test_characters_that_show_nothing_are_one_repair_for_each_stretch_and_counted() -> None:
    repairs = trace_of('{"a": \u200b \u200b\ufeff 1,\u00a0\u00a0 "b": 2}')
    assert [(one.offset, one.found, one.put, one.count) for one in repairs] == [
        (6, "\u200b \u200b\ufeff", " ", 3),
        (13, "\u00a0\u00a0", " ", 2),
    ]


def test_space_of_another_alphabet_between_tokens_is_traced_as_invisible() -> None:
    assert reading_of('{"a":\u20091}') == ({"a": 1}, {K.INVISIBLE_CHARACTER})


@cases(
    {
        "after a number": ('{"a": 0.85｜\n "v": null}', {"a": 0.85, "v": None}),
        "after a literal": ('{"a": True｜ "v": 1}', {"a": True, "v": 1}),
        "after a string": ('{"a": "x"｜ "v": 1}', {"a": "x", "v": 1}),
        "after an object": ('{"a": {"b": 1}｜ "v": 1}', {"a": {"b": 1}, "v": 1}),
        "between elements": ('{"a": ["x"｜ "y"｜ 3]}', {"a": ["x", "y", 3]}),
        "everywhere": ('{"a": 1｜ "b": "x"｜ "c": None}', {"a": 1, "b": "x", "c": None}),
    }
)
def test_full_width_bar_stands_for_a_comma_as_a_plain_one_does(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@texts(
    {
        f"a number and {sign}": f'{{"a": 0.85{sign}\n "v": null}}'
        for sign in ("／", "¦", "│", "❘", "‖", "·", "•", "､", "﹐", "،", "؛", "．", "｡")
    }
)
def test_number_and_a_sign_that_divides_is_no_text(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == NUMBER_OR_TEXT.en


def test_text_without_quotes_that_a_bar_may_divide_is_refused() -> None:
    assert why_and_where(refusal_of('{"a": high｜\n "v": 1}')) == (NO_VALUE.en, 6)


@refusals(
    {
        "a bar": ('{"a": [1｜ 2]}', NUMBER_OR_TEXT, 7),
        "a full stop": ("{'a': [100.0, 42。 0]}", NUMBER_OR_TEXT, 14),
        "a full stop before a key": ('{"a": 1000。 ""b": -3.14}', NUMBER_OR_TEXT, 6),
        "an Arabic comma": ('{"a": [1, 2.5، 42]}', NUMBER_OR_TEXT, 10),
        "a blank, among missing commas": ('{"a": [1e-07 12 1.0] "b": null}', NUMBER_OR_TEXT, 7),
    }
)
def test_numbers_with_a_sign_or_a_blank_between_them_are_no_text(raw: str, reason: Reason, offset: int) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@cases(
    {
        "in a text without quotes": ('{"a": 标题｜副标题, "b": 1}', {"a": "标题｜副标题", "b": 1}),
        "in a string": ('{"a": "5｜", "b": 1,}', {"a": "5｜", "b": 1}),
        "another sign in a text": ('{"a": 12 km·h, "b": 3·5, "c": 5元}', {"a": "12 km·h", "b": "3·5", "c": "5元"}),
    }
)
def test_bar_inside_a_text_stays(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@cases(
    {
        "between numbers": ('{"a": [1、2]}', {"a": [1, 2]}),
        "between numbers with blanks": ('{"a": [1、 2.5、-3]}', {"a": [1, 2.5, -3]}),
        "between strings": ('{"a": ["x"、"y"]}', {"a": ["x", "y"]}),
    }
)
def test_comma_of_an_enumeration_in_chinese_divides_elements(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MISSING_COMMA})


def test_comma_of_an_enumeration_in_a_members_value_may_be_text() -> None:
    assert refusal_of('{"a": 1、2}').details["json_error"] == NUMBER_OR_TEXT.en


@cases(
    {
        "a number": ('{"a": **1**, "b": 2}', {"a": 1, "b": 2}),
        "a fraction": ('{"a": [**1.5**]}', {"a": [1.5]}),
        "a literal": ('{"a": **true**}', {"a": True}),
        "a string": ('{"a": **"x"**}', {"a": "x"}),
        "a string with an escape": (r'{"a": **"x\ny"**}', {"a": "x\ny"}),
    }
)
def test_bold_around_a_value_is_removed(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MARKUP})


def test_text_without_its_opening_quote_that_begins_like_a_member_is_refused() -> None:
    assert why_and_where(refusal_of('{"r": [1], x: =="a 1"==, name: "N"}')) == (TWO_READINGS.en, 11)


def test_bold_around_more_than_a_value_is_refused() -> None:
    assert refusal_of('{"a": **1** of 2, "b": 2}').details["json_error"] == NO_VALUE.en
