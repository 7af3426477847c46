"""Numbers and texts at the edges: nothing wrong passes, and nothing right is refused."""

from typing import Any

import pytest

from llm_output import JsonSchema, LLMJsonParseError, parse_llm_json_output


def read(raw: str, stated: dict[str, Any], **options: Any) -> Any:  # noqa: ANN401 - decoded JSON
    """The value of `a` in a text, or the kind of problem it has."""
    schema = JsonSchema({"type": "object", "properties": {"a": stated}, "required": ["a"]})
    try:
        return parse_llm_json_output(f'{{"a": {raw}}}', schema, **options)["a"]
    except LLMJsonParseError as error:
        return error.details["validation_errors"][0]["type"]


@pytest.mark.parametrize(
    ("raw", "stated", "expected"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.0", {"type": "integer"}, 5.0),
        ('"5"', {"type": "integer"}, "int_type"),
        ("5.5", {"type": "integer"}, "int_type"),
        ("true", {"type": "integer"}, "int_type"),
        ("true", {"type": "number"}, "float_type"),
        ("1", {"type": "boolean"}, "bool_type"),
        ("1", {"enum": [True]}, "enum"),
        ("1.0", {"enum": [1]}, 1.0),
        ("18446744073709551616", {"type": "integer"}, 2**64),
        ("18446744073709551617", {"maximum": 2**64}, "less_than_equal"),
        ("9007199254740993", {"const": 9007199254740993}, 9007199254740993),
        ("9007199254740992", {"const": 9007199254740993}, "literal_error"),
        (str(10**400), {"type": "integer", "minimum": 10**399}, 10**400),
        ("19.99", {"multipleOf": 0.01}, 19.99),
        ("0.07", {"multipleOf": 0.01}, 0.07),
        ("4.35", {"multipleOf": 0.01}, 4.35),
        ("19.999", {"multipleOf": 0.01}, "multiple_of"),
        ("1e300", {"multipleOf": 0.01}, 1e300),
        ("0.1", {"exclusiveMinimum": 0.1}, "greater_than"),
        ("0.1", {"minimum": 0.1}, 0.1),
        ("NaN", {}, "finite_number"),
        ('[1, {"x": -Infinity}]', {}, "finite_number"),
        ("1e999", {"type": "number"}, "finite_number"),
        ('"NaN and Infinity"', {"type": "string"}, "NaN and Infinity"),
        ('"\\ud83d\\ude00"', {"maxLength": 1}, "😀"),
        ('"\\ud83d"', {"type": "string"}, "json_type"),
        ("[1, 1.0]", {"uniqueItems": True}, "unique_items"),
        ("[1, true]", {"uniqueItems": True}, [1, True]),
        ('"2024-99-99"', {"type": "string", "format": "date"}, "2024-99-99"),
    ],
)  # fmt: skip
def test_value_is_taken_as_it_stands_or_refused(raw: str, stated: dict[str, Any], expected: object) -> None:
    assert repr(read(raw, stated)) == repr(expected)


def test_place_of_a_number_without_end_is_told() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{"rows": [1, {"x": NaN}]}', JsonSchema({"type": "object"}))
    assert caught.value.details["validation_errors"][0]["loc"] == ("rows", 1, "x")


@pytest.mark.parametrize(("levels", "is_read"), [(100, True), (400, False)])
def test_data_is_refused_that_is_nested_too_deeply_for_the_validator(levels: int, *, is_read: bool) -> None:
    expected: Any = "json_type"
    if is_read:
        expected = []
        for _ in range(levels - 1):
            expected = [expected]
    assert read("[" * levels + "]" * levels, {}) == expected


def test_python_objects_of_a_normalizer_are_not_json() -> None:
    def looped(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "a": data}

    def put_in(data: dict[str, Any]) -> dict[str, Any]:
        endless = looped(data)
        endless["a"] = endless
        return endless

    assert read("1", {}, normalizers=[put_in]) == "json_type"


def test_pattern_that_would_backtrack_is_linear() -> None:
    raw = '"' + "a" * 200_000 + 'b"'

    assert read(raw, {"pattern": "^(a+)+$"}) == "string_pattern_mismatch"
