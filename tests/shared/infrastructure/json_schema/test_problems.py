"""What is said of data that a schema refuses: each place once, in two languages, and nothing of the data."""

import time
from typing import Any

import pytest

from llm_output import JsonSchema, LLMJsonParseError, parse_llm_json_output
from src.shared.infrastructure.json_schema import problems
from src.shared.infrastructure.json_schema.problems import MAX_PROBLEMS, STATED_LIMIT

ADD = {"title": "Add", "type": "object", "properties": {"op": {"const": "add"}, "x": {"$ref": "#/$defs/number"}}}
MULTIPLY = {"title": "Mul", "type": "object", "properties": {"op": {"const": "mul"}, "y": {"$ref": "#/$defs/number"}}}
NUMBER = {"$defs": {"number": {"type": "number"}}}
SECONDS = 5.0


def problems_of(raw: str, schema: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str, str]]:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, JsonSchema(schema))
    found = caught.value.details["validation_errors"]
    return [(one["loc"], one["type"], one["msg"]) for one in found]


@pytest.mark.parametrize(
    ("raw", "stated", "kind", "message"),
    [
        ("1", {"type": "string"}, "string_type", "须是字符串 (should be a string)"),
        ("1", {"type": ["array", "null"]}, "type", "须是数组或null (should be an array or null)"),
        ("1", {"type": "null"}, "none_required", "须是null (should be null)"),
        ("1", {"type": "object"}, "dict_type", "须是对象 (should be an object)"),
        ("1", {"type": "array"}, "list_type", "须是数组 (should be an array)"),
        ('"x"', {"enum": ["甲", None]}, "enum", '须是其中之一："甲", null (should be one of these)'),
        ("1", {"const": {"k": 2}}, "literal_error", '须是 {"k": 2} (should be this value)'),
        ("1", {"minimum": 2}, "greater_than_equal", "须大于或等于 2 (should be greater than or equal to 2)"),
        ("2", {"exclusiveMinimum": 2}, "greater_than", "须大于 2 (should be greater than 2)"),
        ("3", {"maximum": 2}, "less_than_equal", "须小于或等于 2 (should be less than or equal to 2)"),
        ("2", {"exclusiveMaximum": 2}, "less_than", "须小于 2 (should be less than 2)"),
        ("3", {"multipleOf": 2}, "multiple_of", "须是 2 的倍数 (should be a multiple of 2)"),
        ('""', {"minLength": 1}, "string_too_short", "至少须有 1 个字符 (should have at least 1 characters)"),
        ('"ab"', {"maxLength": 1}, "string_too_long", "最多可有 1 个字符 (should have at most 1 characters)"),
        ('"b"', {"pattern": "^a"}, "string_pattern_mismatch", "须匹配 ^a (should match this pattern)"),
        ("[]", {"minItems": 1}, "too_short", "至少须有 1 项 (should have at least 1 items)"),
        ("[1]", {"maxItems": 0}, "too_long", "最多可有 0 项 (should have at most 0 items)"),
        ("[1, 1]", {"uniqueItems": True}, "unique_items", "各项不得重复 (should have no item twice)"),
        ("{}", {"minProperties": 1}, "too_short", "至少须有 1 个键 (should have at least 1 keys)"),
        ('{"k": 1}', {"maxProperties": 0}, "too_long", "最多可有 0 个键 (should have at most 0 keys)"),
        (
            '{"k": 1}',
            {"dependentRequired": {"k": ["l"]}},
            "missing_argument",
            '缺少与其他键一同出现的键：{"k": ["l"]} (lacks keys that others ask for)',
        ),
        ("1", False, "extra_forbidden", "此处不得有值 (no value is allowed here)"),
        ("1", {"not": {"type": "integer"}}, "json_schema", "不符合 not (does not satisfy not)"),
        ("[1]", {"contains": {"type": "string"}}, "json_schema", "不符合 contains (does not satisfy contains)"),
        (
            '{"k": 1}',
            {"unevaluatedProperties": False},
            "json_schema",
            "不符合 unevaluatedProperties (does not satisfy unevaluatedProperties)",
        ),
        (
            "1",
            {"oneOf": [{"type": "integer"}, {"minimum": 0}, {"type": "null"}]},
            "one_of",
            "同时符合 3 种形式中的 2 种，须恰好符合一种 (fits 2 of the 3 alternatives, and should fit exactly one)",
        ),
        (
            "1",
            {"anyOf": [{"title": "A", "type": "string"}, {"type": "null"}, False]},
            "any_of",
            "不符合 3 种形式中的任何一种 (A) (fits none of the 3 alternatives)",
        ),
        (
            "1",
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "any_of",
            "不符合 2 种形式中的任何一种 (fits none of the 2 alternatives)",
        ),
    ],
)
def test_each_keyword_is_told_in_both_languages(raw: str, stated: object, kind: str, message: str) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(f'{{"a": {raw}}}', JsonSchema({"properties": {"a": stated}, "required": ["a"]}))

    assert caught.value.details["validation_errors"] == [{"loc": ("a",), "type": kind, "msg": message}]
    assert caught.value.message == f"不符合契约 JsonSchema：a: {message} (does not match the contract)"


@pytest.mark.parametrize(
    ("raw", "schema", "places"),
    [
        ("{}", {"required": ["a", "b"]}, [("a",), ("b",)]),
        ('{"b": 1, "a": 1, "c": 1}', {"properties": {"c": {}}, "additionalProperties": False}, [("a",), ("b",)]),
        ('{"a": {"b": [1, "", 2, ""]}}', {"properties": {"a": {"$ref": "#/$defs/a"}}}, [("a", "b", 1), ("a", "b", 3)]),
        ('{"n": "x", "c": "x"}', {"additionalProperties": {"type": "number"}}, [("c",), ("n",)]),
        ('{"n1": "x", "c": "x"}', {"patternProperties": {"^n": {"type": "number"}}}, [("n1",)]),
        ('{"a": [1, 2, 3]}', {"properties": {"a": {"prefixItems": [{}, {"type": "null"}]}}}, [("a", 1)]),
        ('{"a": [1, "2"]}', {"properties": {"a": {"prefixItems": [{}], "items": {"type": "null"}}}}, [("a", 1)]),
        ('{"a": 1}', {"allOf": [{"required": ["b"]}, {"properties": {"a": {"type": "null"}}}]}, [("a",), ("b",)]),
        ('{"a": 1}', {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}, [("b",)]),
        ('{"x": 1}', {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}, [("c",)]),
        ('{"x": 1}', {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "minProperties": 2}, [()]),
    ],
)  # fmt: skip
def test_every_place_is_found_and_they_are_in_order(raw: str, schema: dict[str, Any], places: list[Any]) -> None:
    whole = {
        "type": "object",
        **schema,
        "$defs": {"a": {"properties": {"b": {"items": {"type": "number"}}}}},
    }

    assert [loc for loc, *_ in problems_of(raw, whole)] == places


@pytest.mark.parametrize(
    ("raw", "places"),
    [
        ('{"op": "add", "x": "1"}', [("x",)]),
        ('{"op": "mul", "y": "1"}', [("y",)]),
        ('{"op": "div", "y": "1", "x": 2}', [()]),
        ('{"op": "div", "y": "1"}', [("op",), ("y",)]),
    ],
)
@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_of_several_alternatives_the_errors_of_the_one_that_was_meant_are_told(
    keyword: str, raw: str, places: list[Any]
) -> None:
    reference = {"$defs": {**NUMBER["$defs"], "add": ADD}}
    schema = {"type": "object", keyword: [{"$ref": "#/$defs/add"}, MULTIPLY, {"type": "null"}], **reference}

    assert [loc for loc, *_ in problems_of(raw, schema)] == places


@pytest.mark.parametrize(
    ("raw", "schema", "found"),
    [
        ('{"a": 1}', {"dependentSchemas": {"a": {"required": ["b"]}}}, [("b",)]),
        ('{"a": []}', {"properties": {"a": {"not": {}, "contains": {}}}}, [("a",), ("a",)]),
        ('{"ab": 1}', {"propertyNames": {"maxLength": 1}, "required": ["c"]}, [(), ("c",)]),
        ('{"a": 1}', {"allOf": [{"minProperties": 2}] * 2, "minProperties": 2}, [()]),
        ('{"a": 1}', {"oneOf": [{}, {"required": ["a"]}]}, [()]),
    ],
    ids=["of another key", "each by itself", "names of keys", "one and the same", "an alternative of any value"],
)
def test_no_problem_hides_another_and_none_is_told_twice(raw: str, schema: dict[str, Any], found: list[Any]) -> None:
    problems = problems_of(raw, {"type": "object", **schema})

    assert [loc for loc, *_ in problems] == found
    assert not any("the schema" in message for *_, message in problems)


@pytest.mark.parametrize(
    "later",
    [
        {"dependentSchemas": {"a": False}},
        {"prefixItems": [False]},
        {"if": {"required": ["a"]}, "then": {"required": ["z"]}},
    ],
)
def test_keyword_that_is_not_in_a_draft_yet_is_no_problem(later: dict[str, Any]) -> None:
    draft = {"$schema": "http://json-schema.org/draft-06/schema#", "type": "object"}
    inner = {"contains": {"type": "string"}, "minContains": 0, **later}

    found = problems_of('{"a": [1]}', {**draft, **later, "properties": {"a": inner}})
    assert found == [(("a",), "json_schema", "不符合 contains (does not satisfy contains)")]


def test_place_in_the_text_is_told() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{\n  "a": [1,\n "x"]}', JsonSchema({"properties": {"a": {"items": {"type": "number"}}}}))
    assert caught.value.details["validation_places"] == [{"line": 3, "column": 2, "offset": 14}]


def test_value_of_the_data_is_not_repeated() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{"a": "my secret"}', JsonSchema({"properties": {"a": {"enum": ["x"]}}}))
    assert "secret" not in caught.value.message + caught.value.feedback() + str(
        caught.value.details["validation_errors"]
    )


def test_message_is_in_the_language_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_OUTPUT_LANG", "en")
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{"a": 1}', JsonSchema({"properties": {"a": {"type": "string"}}}))
    assert "- $.a: should be a string" in caught.value.feedback()


def test_what_the_schema_asks_for_is_shown_up_to_a_bound() -> None:
    schema = {"properties": {"a": {"enum": [f"{at}" * 30 for at in range(20)]}, "b": {"pattern": "x" * 1000}}}
    for _, _, message in problems_of('{"a": 1, "b": ""}', schema):
        assert len(message) < 2 * STATED_LIMIT + 60
        assert "…" in message


def test_problems_are_counted_up_to_a_bound() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(f"[{'1,' * 999} 1]", JsonSchema({"items": {"type": "string"}}))
    assert caught.value.details["validation_error_count"] == MAX_PROBLEMS

    required = [f"k{at}" for at in range(MAX_PROBLEMS + 1)]
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{"x": 1}', JsonSchema({"type": "object", "required": required}))
    assert caught.value.details["validation_error_count"] == MAX_PROBLEMS


def test_search_for_problems_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MAX_CHECKS", 3)
    schema = {"items": {"type": "string"}}

    assert problems_of('["a", "b", "c", 4]', schema) == [
        ((), "json_schema", "不符合 Schema (does not satisfy the schema)")
    ]


def test_looking_through_many_keys_and_items_is_bounded_and_hides_no_item(monkeypatch: pytest.MonkeyPatch) -> None:
    items = {"type": "array", "items": {"type": "integer"}, "contains": {"const": -1}}
    many = f"[{'7,' * 15_000} null]"
    assert [loc for loc, *_ in problems_of(many, items)] == [(), (15_000,)]

    monkeypatch.setattr(problems, "MAX_CHECKS", 100)
    names = {"type": "object", "allOf": [{"propertyNames": {"maxLength": 1}}]}
    keys = ", ".join(f'"k{at}": 1' for at in range(6_000))
    assert problems_of(f"{{{keys}}}", names) == [((), "json_schema", "不符合 Schema (does not satisfy the schema)")]


def test_refusal_has_a_problem_even_where_the_search_ends_before_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MAX_CHECKS", 2)
    schema = {"type": "object", "additionalProperties": {"type": "string"}}

    assert [kind for _, kind, _ in problems_of('{"a": 1, "b": 2}', schema)] == ["json_schema"]


def test_alternatives_inside_alternatives_cost_no_more_than_their_size() -> None:
    """The validator's own list of errors takes seconds at fifteen levels, and twice that for each one more."""
    node = {
        "anyOf": [
            {"type": "object", "properties": {"k": {"const": kind}, "x": {"$ref": "#/$defs/node"}}}
            for kind in ("add", "mul")
        ]
        + [{"type": "number"}]
    }
    raw = '{"k": "mul", "x": ' * 60 + '"end"' + "}" * 60
    start = time.process_time()
    found = problems_of(raw, {"type": "object", "$ref": "#/$defs/node", "$defs": {"node": node}})

    assert time.process_time() - start < SECONDS
    assert [len(loc) for loc, *_ in found] == [60]
