"""Which roots and keys a schema asks for: what the reader looks for in a text."""

from typing import Any

import pytest

from llm_output import JsonSchema
from src.shared.infrastructure.json_schema.shapes import MOST_FORMS
from src.shared.infrastructure.parsing.target_type import target_type

A = {"type": "object", "properties": {"a": {}}, "required": ["a"]}
B = {"type": "object", "properties": {"b": {}}}
DEFS = {"$defs": {"a": A, "b": B, "list": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}


@pytest.mark.parametrize(
    ("schema", "roots", "keys", "may_lack"),
    [
        (A, "object", "a", False),
        (B, "object", "b", True),
        ({}, "object array", "", False),
        ({"title": "anything"}, "object array", "", False),
        ({"properties": {"a": True}}, "object", "a", True),
        ({"required": ["a"]}, "object", "a", False),
        ({"items": {"$ref": "#/$defs/a"}}, "array", "a", False),
        ({"prefixItems": [A, B], "items": False}, "array", "a b", True),
        ({"type": "array"}, "array", "", False),
        ({"type": "array", "items": {"type": "string"}}, "array", "", False),
        ({"type": "array", "items": {}}, "array", "", False),
        ({"type": "array", "items": {"type": "array", "items": A}}, "array", "a", False),
        ({"type": ["object", "array", "null"], "properties": {"a": {}}}, "object array", "a", True),
        ({"$ref": "#/$defs/a"}, "object", "a", False),
        ({"$ref": "#/$defs/list"}, "array", "a", False),
        ({"$ref": "#/$defs/a", "properties": {"c": {}}}, "object", "a c", False),
        ({"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/list"}]}, "object array", "a", False),
        ({"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, {"type": "null"}]}, "object", "a b", True),
        ({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}, "object", "a b", False),
        ({"allOf": [{"$ref": "#/$defs/b"}, {"type": ["object", "array"]}]}, "object", "b", True),
        ({"allOf": [True, A]}, "object", "a", False),
        ({"anyOf": [False, A]}, "object", "a", False),
        ({"type": "object", "then": {"properties": {"t": {}}}, "else": {"required": ["e"]}}, "object", "e t", True),
        ({"type": "object", "if": {}, "then": {"type": "array"}}, "object", "", False),
        ({"enum": [{"a": 1}, "x"]}, "object", "", False),
        ({"const": [1]}, "array", "", False),
        ({"type": "object", "properties": {"child": {"$ref": "#"}}}, "object", "child", True),
        ({"type": "array", "items": {"$ref": "#"}}, "array", "", False),
    ],
)  # fmt: skip
def test_schema_asks_for_roots_and_keys(schema: dict[str, Any], roots: str, keys: str, *, may_lack: bool) -> None:
    target = target_type(JsonSchema({**schema, **DEFS}))

    assert target.roots == set(roots.split())
    assert target.own_keys == set(keys.split())
    assert target.may_lack_fields is may_lack


def test_forms_without_number_become_one_with_all_keys() -> None:
    """Each of twelve parts is one of three: half a million forms of one object."""
    parts: list[dict[str, Any]] = [
        {"anyOf": [{"properties": {f"k{at}{one}": {}}} for one in range(3)]} for at in range(12)
    ]
    target = target_type(JsonSchema({"type": "object", "allOf": parts}))

    assert len(target.own_keys) == 36
    assert target.may_lack_fields


def test_form_with_free_keys_stays_beside_the_one_with_all() -> None:
    choices = [{"type": "object", "required": [f"k{at}"]} for at in range(MOST_FORMS + 1)]
    target = target_type(JsonSchema({"anyOf": [*choices, {"type": "object"}]}))

    assert target.read({"other": 1}).value == {"other": 1}
    assert not target.may_lack_fields
