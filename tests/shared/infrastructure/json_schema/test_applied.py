"""Alternatives that hold the same keys: what is applied is counted, and validated once where it is too much."""

import json
import random
import time
from contextlib import suppress
from typing import Any

import pytest

from llm_output import (
    JsonSchema,
    JsonSchemaError,
    LLMJsonParseError,
    NotStrictError,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
    read_tool_calls,
    strict_schema,
)
from src.shared.domain.work import MAX_EXCESS, applied_left, one_text, spend_applied
from src.shared.infrastructure.json_schema import applied, json_schema
from src.shared.infrastructure.json_schema.applied import MAX_APPLIED, Applications
from src.shared.infrastructure.json_schema.engine import Engine
from src.shared.infrastructure.json_schema.problems import Comparison
from src.shared.infrastructure.json_schema.references import References
from src.shared.infrastructure.parsing.inspection import inspect

DRAFT_7 = "http://json-schema.org/draft-07/schema"
DRAFT_6 = "http://json-schema.org/draft-06/schema"


def doubling(levels: int, leaf: str = "string", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - a schema
    """Definitions that each hold a member with two references to the next."""
    twice = [[{"$ref": f"#/$defs/D{at + 1}"}] * 2 for at in range(levels)]
    definitions: dict[str, Any] = {
        f"D{at}": {"properties": {"a": {"anyOf": twice[at]}}, **more} for at in range(levels)
    }
    definitions[f"D{levels}"] = {"type": leaf}
    return {"type": "object", "$ref": "#/$defs/D0", "$defs": definitions}


def nested(levels: int, leaf: str = "1") -> str:
    return '{"a": ' * levels + leaf + "}" * levels


@pytest.mark.parametrize("levels", [24, 48])
@pytest.mark.parametrize("around", ["{}", "Here it is: {} ok", "```json\n{}\n```", "{}\n{}\n{}"])
def test_time_does_not_double_with_each_level_of_the_text(levels: int, around: str) -> None:
    schema = JsonSchema(doubling(levels))
    began = time.perf_counter()
    with pytest.raises(LLMJsonParseError) as refused:
        parse_llm_json_output(around.replace("{}", nested(levels)), schema)
    assert time.perf_counter() - began < 2  # two to the 24th took 12 seconds
    assert refused.value.details["stage"] in ("validate", "extract", "repair")


def test_text_that_satisfies_a_schema_of_many_ways_is_read_and_one_that_does_not_is_explained() -> None:
    schema = JsonSchema(doubling(40))
    assert parse_llm_json_output(nested(40, '"x"'), schema) == json.loads(nested(40, '"x"'))
    with pytest.raises(LLMJsonParseError) as refused:
        parse_llm_json_output(nested(40), schema)
    assert [problem["type"] for problem in refused.value.details["validation_errors"]] == ["any_of"]


TREE = {
    "$ref": "#/$defs/N",
    "$defs": {
        "N": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in "AB"]},
        **{
            name: {
                "type": "object",
                "properties": {"op": {"const": name}, "left": {"$ref": "#/$defs/N"}},
                "required": ["op"],
            }
            for name in "AB"
        },
    },
}


@pytest.mark.parametrize("levels", [3, 17, 18, 60])
def test_tree_of_tagged_nodes_is_read_however_deep(levels: int) -> None:
    text = '{"op": "B", "left": ' * levels + '{"op": "A"}' + "}" * levels
    schema = JsonSchema(TREE)
    assert parse_llm_json_output(text, schema) == json.loads(text)
    with pytest.raises(LLMJsonParseError) as refused:
        parse_llm_json_output(text.replace('"A"', '"C"'), schema)
    assert refused.value.details["stage"] == "validate"


MANY = MAX_APPLIED + 1
HERE = {"$ref": "#"}
AT_A = {"properties": {"a": HERE}}
WAYS: dict[str, tuple[dict[str, Any], int]] = {
    "nothing": ({}, 1),
    "alternatives": ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, 3),
    "a row": ({"items": {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}, 3),
    "a linked list": ({"properties": {"next": {"anyOf": [HERE, {"type": "null"}]}}}, 4),
    "names of keys and other items": (
        {"propertyNames": {"maxLength": 9}, "additionalProperties": {"type": "array", "items": True}},
        2,
    ),
    "a tree": (TREE, MANY),
    "patterns": ({"patternProperties": {"a": HERE, "^a": HERE}}, MANY),
    "a pattern and a key": ({**AT_A, "patternProperties": {"a": HERE}}, MANY),
    "other keys": ({"allOf": [{"additionalProperties": HERE}, AT_A]}, MANY),
    "if": ({"if": AT_A, "then": AT_A}, MANY),
    "dependent": ({**AT_A, "dependentSchemas": {"a": AT_A}}, MANY),
    "not": ({**AT_A, "not": {"not": AT_A}}, MANY),
    "items and one of them": ({"type": "array", "items": HERE, "contains": HERE}, MANY),
    "items and the first": ({"type": "array", "allOf": [{"items": HERE}, {"prefixItems": [HERE]}]}, MANY),
}


@pytest.mark.parametrize(("way", "most"), WAYS.values(), ids=WAYS)
def test_each_way_to_apply_schemas_to_a_value_is_counted(way: dict[str, Any], most: int) -> None:
    root = {} if {"items", "type", "$ref"} & way.keys() else {"type": "object"}
    assert JsonSchema({**root, **way}).most_applied == most


def test_keywords_that_ask_what_others_let_in_are_counted_as_often_as_they_evaluate() -> None:
    """Each evaluates the others anew: twenty inside each other took twenty seconds for two keys."""
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(20):
        schema = {"allOf": [schema], "unevaluatedProperties": {"type": "integer"}, "type": "object"}
    with pytest.raises(JsonSchemaError, match="at most 500 schemas that are applied to one value"):
        JsonSchema(schema)
    once = JsonSchema({"type": "object", "allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False})
    assert parse_llm_json_output('{"a": 1}', once) == {"a": 1}


def test_what_cannot_be_validated_once_is_refused() -> None:
    schema = JsonSchema(doubling(24, unevaluatedProperties=False))
    with pytest.raises(LLMJsonParseError, match="applied to it more often than is allowed"):
        parse_llm_json_output(nested(24), schema)


def test_text_with_too_many_values_to_compare_one_by_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied, "MAX_PAIRS", 10)
    with pytest.raises(LLMJsonParseError, match="applied to it more often than is allowed"):
        parse_llm_json_output(nested(24), JsonSchema(doubling(24)))


@pytest.mark.parametrize("most", [0, 10])
def test_schema_that_takes_too_long_to_look_at_is_counted_for_each_text(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(applied, "MAX_ANALYSED", most)
    schema = JsonSchema({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": True}}}})
    assert schema.most_applied == MAX_APPLIED + 1
    assert parse_llm_json_output('{"a": {"b": [1]}}', schema) == {"a": {"b": [1]}}


def test_all_that_is_tried_of_a_text_is_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_schema, "_OF_PAIR", MAX_EXCESS // 100)
    schema = JsonSchema(doubling(24))
    for read in (
        lambda: parse_llm_json_output_with_trace(f"Here: {nested(24)} ok", schema),
        lambda: read_tool_calls(f'<tool_call>{{"name": "f", "arguments": {nested(24)}}}</tool_call>', {"f": schema}),
    ):
        with pytest.raises(LLMJsonParseError, match="fits none of the 2 alternatives"):
            read()
    assert inspect(nested(24), schema).error is not None
    assert applied_left() == MAX_EXCESS


def test_text_has_one_count_and_data_without_a_text_one_each() -> None:
    assert [spend_applied(MAX_EXCESS), spend_applied(MAX_EXCESS), spend_applied(MAX_EXCESS + 1)] == [True, True, False]
    with one_text():
        assert spend_applied(MAX_EXCESS - 1)
        with one_text():
            assert not spend_applied(2)
            assert spend_applied(1)
        assert applied_left() == 1
    assert applied_left() == MAX_EXCESS


# --- what is validated once is what the engine says ---

KEYS = "abc"
SCALARS: list[Any] = [1, 2, 1.5, "x", "yy", None, True, False, "abc"]
LEAVES: dict[str, list[Any]] = {
    "type": ["object", "array", "string", "integer", ["object", "string"], ["array", "null", "number"]],
    "const": [*SCALARS, {"a": 1}],
    "enum": [[1, "x", None, {"a": 1}]],
    "minimum": [2],
    "maxLength": [1],
    "minProperties": [1, 2],
    "maxItems": [1],
    "required": [["a"], ["a", "b"]],
    "uniqueItems": [True],
    "dependentRequired": [{"a": ["b"]}],
}
LISTS = ("anyOf", "allOf", "oneOf", "prefixItems")
SINGLE = ("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames")
MAPS = {"properties": KEYS, "patternProperties": "ab", "dependentSchemas": KEYS}


def some_value(rng: random.Random, depth: int) -> Any:  # noqa: ANN401 - any JSON
    kind = rng.random()
    if not depth or kind < 0.3:
        return rng.choice(SCALARS)
    if kind < 0.7:
        return {key: some_value(rng, depth - 1) for key in rng.sample(KEYS, rng.randint(0, 3))}
    return [some_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]


def some_schema(rng: random.Random, depth: int) -> Any:  # noqa: ANN401 - any schema
    if rng.random() < 0.06:
        return rng.random() < 0.7
    schema: dict[str, Any] = {}
    for _ in range(rng.randint(1, 3)):
        keyword = rng.choice([*LEAVES, *(LISTS + SINGLE + tuple(MAPS) if depth else ()), "$ref"])
        if keyword in LEAVES:
            schema[keyword] = rng.choice(LEAVES[keyword])
        elif keyword in LISTS:
            schema[keyword] = [some_schema(rng, depth - 1) for _ in range(rng.randint(1, 3))]
        elif keyword in SINGLE:
            schema[keyword] = some_schema(rng, depth - 1)
        elif keyword in MAPS:
            schema[keyword] = {key: some_schema(rng, depth - 1) for key in rng.sample(MAPS[keyword], 2)}
        else:
            schema[keyword] = f"#/$defs/D{rng.randrange(3)}"
    if "contains" in schema and rng.random() < 0.5:
        schema |= {"minContains": rng.randint(0, 2), "maxContains": 2}
    return schema


def parts_of(schema: JsonSchema) -> tuple[References, Engine, Applications]:
    return schema._references, schema._engine, schema._applications  # noqa: SLF001 - what it is made of


@pytest.mark.parametrize(
    "draft",
    ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", DRAFT_7, DRAFT_6],
)
def test_what_is_validated_once_is_what_the_engine_says(draft: str) -> None:
    rng = random.Random(7)  # noqa: S311 - a seed
    compared = 0
    while compared < 1_500:
        root = some_schema(rng, 3)
        definitions = {f"D{at}": some_schema(rng, 2) for at in range(3)}
        try:
            schema = JsonSchema({**(root if isinstance(root, dict) else {}), "$defs": definitions, "$schema": draft})
        except JsonSchemaError:
            continue
        references, engine, applications = parts_of(schema)
        for _ in range(8):
            value = some_value(rng, 4)
            places = applications.places(value)
            assert places is not None
            once = Comparison(references, engine, places)
            assert once.accepts("#", value) == engine.accepts(value), (root, value)
            compared += 1


def test_keys_that_depend_on_others_in_an_older_draft_are_validated_once_too() -> None:
    draft = {"$schema": DRAFT_7, "type": "object"}
    schema = JsonSchema({**draft, "dependencies": {"a": ["b"], "c": {"required": ["d"]}}})
    references, engine, _ = parts_of(schema)
    once = Comparison(references, engine, ())
    values: list[dict[str, int]] = [{}, {"a": 1}, {"a": 1, "b": 1}, {"c": 1}, {"c": 1, "d": 1}]
    for value in values:
        assert once.accepts("#", value) == engine.accepts(value)


# --- any JSON value as a schema ---

ANY: list[Any] = [
    *(None, True, False, 0, -1, 1.5, float("inf"), float("nan"), "", "object", "#", [], {}, [None], ["object"], [[]]),
    *({"a": True}, {"type": 5}, [{"type": "string"}], 7 * 10**5_000, -(10**5_000), 10**40, "\ud800"),
]
KEYWORDS = [
    *("type", "const", "enum", "minimum", "multipleOf", "maxLength", "pattern", "required", "properties", "format"),
    *("patternProperties", "additionalProperties", "anyOf", "allOf", "oneOf", "not", "items", "prefixItems", "$ref"),
    *("$defs", "title", "description", "default", "minItems", "maxItems", "$id", "$schema", "$anchor", "uniqueItems"),
]


@pytest.mark.parametrize("keyword", ["", *KEYWORDS])
def test_any_value_in_the_place_of_a_schema_or_in_a_keyword_has_an_error_of_its_own(keyword: str) -> None:
    for value in ANY:
        for schema in (
            {**kind, keyword: value} if keyword else value
            for kind in ({}, {"type": "object"}, {"type": "array"}, {"type": "string"}, {"anyOf": [{"type": "string"}]})
        ):
            for inside in (
                schema,
                {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False},
            ):
                taken(inside)


def taken(schema: Any) -> None:  # noqa: ANN401 - any value
    for make, error_type in ((strict_schema, NotStrictError), (JsonSchema, JsonSchemaError)):
        make_schema: Any = make
        with suppress(error_type):
            make_schema(schema)


def test_schema_too_deep_to_be_strict_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(2_000):
        schema = {"anyOf": [schema]}
    with pytest.raises(NotStrictError, match="at most 100"):
        strict_schema({"type": "object", "properties": {"a": schema}})


def test_true_is_a_schema_of_any_value_and_not_strict() -> None:
    with pytest.raises(NotStrictError, match="a value of any type"):
        strict_schema(True)  # type: ignore[arg-type]  # noqa: FBT003 - a schema
    with pytest.raises(NotStrictError, match="not a JSON Schema"):
        strict_schema(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("digits", [602, 5_000])
def test_integer_of_a_schema_has_a_bound(digits: int) -> None:
    schema = {"type": "object", "properties": {"a": {"const": 10**digits}}}
    if digits == 602:
        schema["properties"] = {"a": {"const": 2**2_000 - 1}}
        assert JsonSchema(schema).json_schema() == schema
        schema["properties"] = {"a": {"const": 2**2_000}}
    with pytest.raises(JsonSchemaError, match="2,000"):
        JsonSchema(schema)
