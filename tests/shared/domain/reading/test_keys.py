"""Keys: without quotes, without a colon, repeated, or twice in one object."""

from typing import Any

from src.shared.domain.parse_reasons import NO_OBJECT, TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.reading import NO_COMMA, NO_KEY, NO_VALUE
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, refusals, texts
from tests.shared.reading import reading_of, refusal_of, trace_of, value_of, why_and_where


@cases(
    {
        "a word": ("{a: 1}", {"a": 1}),
        "Chinese": ("{名称: 1}", {"名称": 1}),
        "with digits, a dollar sign and an underscore": ("{$a_1: 1}", {"$a_1": 1}),
        "with a hyphen": ("{a-b: 1}", {"a-b": 1}),
        "a number": ("{1: 2}", {"1": 2}),
        "several": ("{a: 1, b: {c: 2}}", {"a": 1, "b": {"c": 2}}),
        "with white space before the colon": ("{a : 1}", {"a": 1}),
        "on lines of their own": ("{\n  a: 1,\n  b: 2\n}", {"a": 1, "b": 2}),
        "a word of another language": ("{None: 1, true: 2}", {"None": 1, "true": 2}),
    }
)
def test_key_without_quotes_is_a_key(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNQUOTED_KEY})


@cases(
    {
        "a word and a colon in a string": ('{"a": "b: 1, c: 2",}', {"a": "b: 1, c: 2"}),
        "a key that holds a colon": ('{"a: b": 1,}', {"a: b": 1}),
        "a key that is empty": ('{"": 1,}', {"": 1}),
        "a key with white space": ('{" a ": 1,}', {" a ": 1}),
    }
)
def test_quoted_key_is_left_alone(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@refusals(
    {
        "a list": ('{"x": 1, [1]: 2}', NO_COMMA, 12),
        "an operator": ('{"x": 1, *: 2}', NO_KEY, 9),
        "nothing before the colon": ('{"x": 1, : 2}', NO_KEY, 9),
        "a whole sentence": ('{"x": 1, this is not a key at all, really}', NO_KEY, 9),
        "a name with Markdown's escape": (r'{"x": 1, "tag\_list": 2}', TWO_READINGS, 20),
    }
)
def test_what_cannot_be_a_key_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


# --- the colon ---------------------------------------------------------------------------------------------


@cases(
    {
        "before a number": ('{"a" 1}', {"a": 1}),
        "before a string": ('{"a" "x"}', {"a": "x"}),
        "before an object": ('{"a" {"b": 1}}', {"a": {"b": 1}}),
        "before a list": ('{"a" [1]}', {"a": [1]}),
        "on a later key": ('{"a": 1, "b" 2}', {"a": 1, "b": 2}),
        "written as =": ('{"a" = 1}', {"a": 1}),
        "written as =>": ('{"a" => 1}', {"a": 1}),
        "written as = in a nested object": ('{"a": {"b" = 1}}', {"a": {"b": 1}}),
    }
)
def test_missing_colon_is_filled_in(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MISSING_COLON})


def test_equals_sign_after_a_key_without_quotes_is_a_colon() -> None:
    assert reading_of("{a: 1, b = 2}") == ({"a": 1, "b": 2}, {K.UNQUOTED_KEY, K.MISSING_COLON})


@cases(
    {
        "an equals sign in a string": ('{"a": "b = 1",}', {"a": "b = 1"}),
        "a colon in a string": ('{"a": ":",}', {"a": ":"}),
    }
)
def test_colon_or_equals_sign_in_text_stays(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@refusals(
    {
        "a key without a value": ('{"x": 1, "a"}', TRUNCATED, 13),
        "a key before a comma": ('{"x": 1, "a", "b": 2}', NO_VALUE, 12),
        "a colon without a value": ('{"a": , "b": 1}', NO_VALUE, 6),
        "a colon before the end": ('{"a": }', NO_VALUE, 6),
        "a set": ('{"a", "b"}', NO_VALUE, 4),
    }
)
def test_key_without_a_value_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


# --- repeated and duplicate --------------------------------------------------------------------------------


@cases(
    {
        "before a number": ('{"a": "a": 1}', {"a": 1}),
        "before a string": ('{"a": "a": "x", "b": 2}', {"a": "x", "b": 2}),
        "three times": ('{"a": "a": "a": 1}', {"a": 1}),
        "before an object": ('{"a": "a": {"b": 1}}', {"a": {"b": 1}}),
    }
)
def test_key_written_twice_before_its_value_counts_once(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.REPEATED_KEY})


@cases(
    {
        "a value equal to its key": ('{"a": "a",}', {"a": "a"}),
        "a value that begins like its key": ('{"a": "a: 1",}', {"a": "a: 1"}),
        "a key of the inner object": ('{"a": {"a": 1},}', {"a": {"a": 1}}),
    }
)
def test_value_that_resembles_its_key_is_left_alone(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@cases(
    {
        "in valid JSON": ('{"a": 1, "a": 2}', {"a": 2}),
        "with another between": ('{"a": 1, "b": 3, "a": 2}', {"a": 2, "b": 3}),
        "in a nested object": ('{"x": [{"a": 1, "a": 2}]}', {"x": [{"a": 2}]}),
        "with equal values": ('{"a": 1, "a": 1}', {"a": 1}),
        "around an inner object": ('{"a": {"a": 1}, "a": 2}', {"a": 2}),
    }
)
def test_last_of_equal_keys_stands_and_is_traced(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.DUPLICATE_KEY})


def test_last_of_equal_keys_stands_beside_damage_that_no_quote_or_bracket_has() -> None:
    assert reading_of('{"a": 1, "a": +2}') == ({"a": 2}, {K.DUPLICATE_KEY, K.NUMBER_SPELLING})


def test_duplicate_key_in_a_damaged_object_is_traced_where_it_stood() -> None:
    raw = "{'a': 1, b: 2, \"a\": 3}"
    places = {repair.kind: repair.offset for repair in trace_of(raw)}
    assert places == {K.SINGLE_QUOTE: 1, K.UNQUOTED_KEY: raw.index("b:"), K.DUPLICATE_KEY: raw.index('"a"')}


@cases(
    {
        "in two objects of a list": ('{"x": [{"a": 1}, {"a": 2}],}', {"x": [{"a": 1}, {"a": 2}]}),
        "in an object and the one around it": ('{"a": {"a": 1},}', {"a": {"a": 1}}),
        "that differ in case": ('{"a": 1, "A": 2,}', {"a": 1, "A": 2}),
        "as a key and a value": ('{"a": "b", "b": "a",}', {"a": "b", "b": "a"}),
    }
)
def test_keys_that_are_equal_but_not_in_one_object_are_no_duplicates(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


def test_first_key_with_an_equals_sign_opens_the_object() -> None:
    assert value_of('{a = {"b": 1}}') == {"a": {"b": 1}}


def test_doubled_closing_quote_of_a_key_is_dropped() -> None:
    assert value_of('{"a"": ""}') == {"a": ""}


@cases(
    {
        "the only one": ('{"a: 1}', {"a": 1}),
        "the last one": ('{"a": 1, "b: 2}', {"a": 1, "b": 2}),
        "both": ('{"a: 1, "b: 2}', {"a": 1, "b": 2}),
        "one before a string": ('{"a: "x", "b": 2}', {"a": "x", "b": 2}),
        "the last of an object inside": ('{"a": {"b: true}}', {"a": {"b": True}}),
        "the last one in a fence": ('```json\n{"a": 1, "b: 2}\n```', {"a": 1, "b": 2}),
    }
)
def test_key_without_its_closing_quote_ends_at_its_colon(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MISSING_QUOTE})


@texts(
    {
        "a key that is cut off": '{"a": 1, "b: 2',
        "an element": '{"a": ["x", "b: 2}',
        "a value": '{"a": "b: 2}',
        "a value that is a text": '{"a": 1, "b: see below}',
    }
)
def test_string_that_never_ends_is_no_key_where_it_may_be_anything_else(raw: str) -> None:
    assert refusal_of(raw).details["truncated"]


@cases(
    {
        "one key": ('{{name: "B"}}', {"name": "B"}),
        "two keys": ('{{name: "B", c: "r"}}', {"name": "B", "c": "r"}),
    }
)
def test_braces_of_a_template_around_keys_without_quotes_are_surplus(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.SURPLUS_BRACKET, K.UNQUOTED_KEY})


def test_braces_of_a_template_around_a_name_are_no_object() -> None:
    assert refusal_of("Dear {{ name }}, see {{a}}: {{b}}").details["json_error"] == NO_OBJECT.en


def test_quote_behind_a_colon_that_may_be_the_keys_is_not_guessed() -> None:
    assert refusal_of('{"a:"null,\nNote: this is so.\n"b": {}}').details["stage"] == "repair"
