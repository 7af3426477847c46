"""A JSON Schema that Pydantic did not write, as a model is shown it."""

from typing import Any

import pytest

from llm_output import JsonSchema
from src.entrypoints.agents import AGENTS
from src.shared.domain.strict_schema import strict_schema
from src.shared.domain.type_description import describe_type


def described(stated: dict[str, Any]) -> str:
    return describe_type(JsonSchema({"type": "object", "properties": {"a": stated}, "required": ["a"]}))


@pytest.mark.parametrize("name", AGENTS)
def test_schema_of_an_agents_type_is_described_as_the_type_is(name: str) -> None:
    dto: Any = AGENTS[name].output.dto_type

    assert describe_type(JsonSchema(dto.model_json_schema())) == describe_type(dto)


@pytest.mark.parametrize(
    ("stated", "line"),
    [
        (
            {"type": ["object", "null"], "properties": {"b": True}, "description": "x"},
            '"a": { // x\n    "b": any // optional\n  } | null',
        ),
        ({"type": ["string", "array"], "items": {"type": "string"}}, '"a": string | [string]'),
        ({"type": ["string", "null"]}, '"a": string | null'),
        ({"type": ["object", "null"], "enum": [None, {}]}, '"a": null | {}'),
        ({"type": "array", "prefixItems": [{"type": "string"}, True], "items": False}, '"a": [string, any]'),
        ({"items": True}, '"a": [any]'),
        ({"properties": {}}, '"a": {}'),
        ({"anyOf": [{"type": "string"}, False]}, '"a": string | any (not {})'),
        ({"type": "object", "additionalProperties": {"type": "number"}}, '"a": {[key: string]: number}'),
        ({"type": "object", "propertyNames": {"pattern": "^k"}}, '"a": {[key: string (/^k/)]: any}'),
        ({"$comment": "for us", "type": "string"}, '"a": string'),
    ],
)  # fmt: skip
def test_what_pydantic_does_not_write_is_described_too(stated: dict[str, Any], line: str) -> None:
    assert described(stated) == "{\n  " + line + "\n}"


def test_type_inside_itself_is_named() -> None:
    tree = JsonSchema(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"child": {"$ref": "#"}}}
    )

    assert describe_type(tree) == '{\n  "child": Root // optional\n}\nRoot = {\n  "child": Root // optional\n}'


def test_schema_is_made_strict_for_a_provider_as_a_types_is() -> None:
    schema = JsonSchema(
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/a"}},
            "definitions": {"a": {"type": ["string", "null"]}},
        }
    )

    assert strict_schema(schema.json_schema()) == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "required": ["a"],
        "additionalProperties": False,
        "$defs": {"a": {"type": ["string", "null"]}},
    }
