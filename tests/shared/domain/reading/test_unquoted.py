"""Values without quotes: texts, literals of other languages, numbers in other spellings."""

import json
import math
from typing import Any

import pytest

from src.shared.domain.parse_reasons import NUMBER_OR_TEXT, TWO_NUMBERS, TWO_READINGS, Reason
from src.shared.domain.reading.reading import ELISION, NO_VALUE
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, refusals, texts
from tests.shared.reading import reading_of, refusal_of, value_of, why_and_where


@cases(
    {
        "a word": ('{"a": hello}', {"a": "hello"}),
        "two words": ('{"a": hello world, "b": 1}', {"a": "hello world", "b": 1}),
        "Chinese": ('{"a": 看多, "b": 1}', {"a": "看多", "b": 1}),
        "a date": ('{"a": 2024-01-01, "b": 1}', {"a": "2024-01-01", "b": 1}),
        "a percentage": ('{"a": 50%}', {"a": "50%"}),
        "a number with a unit": ('{"a": 12px, "b": 1}', {"a": "12px", "b": 1}),
        "a version": ('{"a": 1.2.3}', {"a": "1.2.3"}),
        "an address": ('{"a": https://x.y/z, "b": 1}', {"a": "https://x.y/z", "b": 1}),
        "elements": ('{"a": [x, y z]}', {"a": ["x", "y z"]}),
        "an element before a number": ('{"a": [x, 1]}', {"a": ["x", 1]}),
        "white space before the bracket": ('{"a": hello }', {"a": "hello"}),
    }
)
def test_text_without_quotes_is_a_string(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNQUOTED_VALUE})


def test_text_without_quotes_may_end_at_the_line() -> None:
    assert reading_of('{"a": hello\n "b": 1}') == ({"a": "hello", "b": 1}, {K.UNQUOTED_VALUE, K.MISSING_COMMA})


@refusals(
    {
        "a call": ('{"a": f(x)}', NO_VALUE, 6),
        "a call in a list": ('{"a": [f(x)]}', NO_VALUE, 7),
        "a comparison": ('{"a": x > 1}', NO_VALUE, 6),
        "an assignment": ('{"a": x = 1}', NO_VALUE, 6),
        "a lambda": ('{"a": () => 1}', NO_VALUE, 6),
        "a number with a thousands comma": ('{"a": 1,000}', TWO_NUMBERS, 8),
        "numbers with thousands commas in a list": ('{"a": [1,000, 2,500]}', NO_VALUE, 9),
        "a text with a comma": ('{"a": yes, sure}', NO_VALUE, 6),
        "a text before a string": ('{"a": x "y"}', TWO_READINGS, 8),
        "an ellipsis": ('{"a": ...}', ELISION, 6),
        "an ellipsis of one character": ('{"a": …}', ELISION, 6),
        "a value with a colon": ('{"a": 1: 2}', NO_VALUE, 6),
        "an element with a colon": ('{"a": [1: 2]}', NO_VALUE, 7),
        "an operator": ('{"a": *}', NO_VALUE, 6),
        "a sum": ('{"a": 2 + 2}', NO_VALUE, 6),
        "two numbers": ('{"a": [1 2]}', NUMBER_OR_TEXT, 7),
        "a number before a word of another kind": ('{"a": 1 true}', NO_VALUE, 6),
        "a template": ('{"a": ${x}}', NO_VALUE, 6),
        "a text before an object": ('{"a": x {"b": 1}}', NO_VALUE, 6),
    }
)
def test_value_that_is_code_or_has_two_readings_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@texts({"in an object": '{"b": 1, "a": hel', "in a list": '{"b": 1, "a": [hel', "after a space": '{"b": 1, "a": he l'})
def test_text_without_quotes_at_the_end_of_the_text_is_truncated(raw: str) -> None:
    assert refusal_of(raw).details["truncated"] is True


# --- literals ----------------------------------------------------------------------------------------------


@cases(
    {
        "True, False and None": (
            '{"a": True, "b": False, "c": None}',
            {"a": True, "b": False, "c": None},
        ),
        "in a list": ('{"a": [True, None, 1]}', {"a": [True, None, 1]}),
        "in capitals": ('{"a": TRUE, "b": FALSE, "c": NULL}', {"a": True, "b": False, "c": None}),
        "before the last bracket": ('{"a": {"b": None}}', {"a": {"b": None}}),
    }
)
def test_pythons_literals_are_read(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.PYTHON_LITERAL})


@cases(
    {
        "of a member": ('{"a": undefined}', {"a": None}),
        "of an element": ('{"a": [undefined, 1]}', {"a": [None, 1]}),
        "before another member": ('{"a": undefined, "b": 1}', {"a": None, "b": 1}),
    }
)
def test_undefined_is_null(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.JAVASCRIPT_LITERAL})


@cases(
    {
        "Python's": ('{"a": "True", "b": "None",}', {"a": "True", "b": "None"}),
        "JavaScript's": ('{"a": "undefined",}', {"a": "undefined"}),
        "JSON's own": ('{"a": "true", "b": "null",}', {"a": "true", "b": "null"}),
        "non-finite": ('{"a": "NaN", "b": "Infinity",}', {"a": "NaN", "b": "Infinity"}),
        "inside a sentence": ('{"a": "None of them is True",}', {"a": "None of them is True"}),
    }
)
def test_literal_in_quotes_stays_a_string(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


def test_word_that_begins_like_a_literal_is_a_text() -> None:
    assert reading_of('{"a": Nonesuch, "b": Truely}') == ({"a": "Nonesuch", "b": "Truely"}, {K.UNQUOTED_VALUE})


def test_literal_before_a_comment_is_a_literal() -> None:
    assert reading_of('{"a": None # nothing\n}') == ({"a": None}, {K.PYTHON_LITERAL, K.COMMENT})


@pytest.mark.parametrize(("word", "value"), [("Infinity", math.inf), ("-Infinity", -math.inf)])
def test_infinity_in_a_damaged_object_is_read(word: str, value: float) -> None:
    assert reading_of(f'{{"a": {word},}}') == ({"a": value}, {K.NON_FINITE_NUMBER, K.TRAILING_COMMA})


def test_nan_in_a_damaged_object_is_read() -> None:
    data, kinds = reading_of('{"a": [NaN],}')
    assert (math.isnan(data["a"][0]), kinds) == (True, {K.NON_FINITE_NUMBER, K.TRAILING_COMMA})


@pytest.mark.parametrize("number", ["1e999", "1E+400", "-2.5e0400"])
def test_number_too_large_for_a_float_is_read_as_python_reads_it_and_named(number: str) -> None:
    assert reading_of(f'{{"a": {number}}}') == ({"a": float(number)}, {K.NON_FINITE_NUMBER})


@pytest.mark.parametrize("number", ["1e308", "0e999", "1e-999", "9" * 309])
def test_number_that_only_looks_too_large_is_not_named(number: str) -> None:
    assert reading_of(f'{{"a": {number}}}') == ({"a": json.loads(number)}, set())


def test_number_too_large_for_a_float_in_a_string_is_not_named() -> None:
    assert reading_of('{"a": "1e999"}') == ({"a": "1e999"}, set())


# --- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("+1", 1),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("-1.", -1.0),
        ("1.e3", 1000.0),
        (".5e-1", 0.05),
        ("1_000", 1000),
        ("1_000_000.25", 1000000.25),
        ("+0", 0),
        ("１２３", 123),
        ("-１２．５", -12.5),
        ("٣", 3),
    ],
)
@pytest.mark.parametrize("raw", ['{{"a": {}}}', '{{"a": {}, "b": 0}}', '{{"b": 0, "a": {} }}'])
def test_number_in_another_spelling_is_the_number(raw: str, spelling: str, value: float) -> None:
    data, kinds = reading_of(raw.format(spelling))
    assert (type(data["a"]), data["a"], kinds) == (type(value), value, {K.NUMBER_SPELLING})


@pytest.mark.parametrize(
    "spelling", ["1__0", "_1", "1_", "1_000_", "+", "-", "--1", "01", "1,5", "1e", "e5", "+-1", ".", "００７"]
)
def test_spelling_that_is_no_number_is_never_read_as_one(spelling: str) -> None:
    try:
        value = reading_of(f'{{"a": {spelling}, "b": 0}}')[0]["a"]
    except AssertionError:
        raise
    except Exception:  # noqa: BLE001 - refused
        return
    assert value == spelling


@pytest.mark.parametrize(
    ("spelling", "value"), [("0", 0), ("-0", 0), ("1.50", 1.5), ("1E+2", 100.0), ("1e5", 1e5), ("-12.5e-1", -1.25)]
)
def test_number_json_knows_is_left_alone(spelling: str, value: float) -> None:
    assert reading_of(f'{{"a": {spelling},}}') == ({"a": value}, {K.TRAILING_COMMA})


@refusals(
    {
        "a semicolon": ('{"a": 0；b:x}', NO_VALUE, 6),
        "an enumeration comma": ("{a: x、b：y}", NO_VALUE, 4),
        "a space": ("{a: x b: y}", NO_VALUE, 4),
    }
)
def test_bare_value_with_a_key_in_it_is_no_value(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_bare_value_with_a_separator_in_it_is_text() -> None:
    assert value_of("{理由: 估值低；成长快}") == {"理由": "估值低；成长快"}


@texts(
    {
        "a leading zero": '{"a": 007}',
        "hexadecimal": '{"a": 0x1F}',
        "a suffix": '{"a": 10n}',
        "blanks between thousands": '{"a": 1 650}',
        "a minus of typography": '{"a": −5}',
        "a blank after the minus": '{"a": - 5}',
        "a quote behind it": '{"a": 12\', "b": 1}',
        "a word cut short": '{"a": tru}',
        "none": '{"a": none}',
        "nil": '{"a": nil, "b": 1}',
    }
)
def test_other_spelling_of_a_number_or_a_literal_may_be_a_text_and_is_refused(raw: str) -> None:
    assert "may be a number" in refusal_of(raw).message


@cases(
    {
        "a unit": ('{"a": 5 kg}', {"a": "5 kg"}),
        "a time": ('{"a": 12h30}', {"a": "12h30"}),
        "a date": ('{"a": 2024-01-05}', {"a": "2024-01-05"}),
        "a word that begins like one": ('{"a": nilpotent}', {"a": "nilpotent"}),
        "a percentage": ('{"a": 85%}', {"a": "85%"}),
    }
)
def test_text_that_only_begins_like_a_number_is_a_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNQUOTED_VALUE})


def test_element_that_ends_at_a_full_width_comma_among_ascii_ones_may_go_on() -> None:
    raw = '{"level": [\n结论：买入，目标价：86.5元。,\n"-",\n1e-07\n]}'
    assert why_and_where(refusal_of(raw)) == (TWO_READINGS.en, 12)


def test_elements_between_full_width_commas_are_several() -> None:
    assert value_of('{"level": [买入，卖出]}') == {"level": ["买入", "卖出"]}
