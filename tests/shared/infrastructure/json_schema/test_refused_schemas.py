"""What is refused as a type, when the type is made: with the place in the schema and the reason."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from llm_output import JsonSchema, JsonSchemaError
from src.shared.domain.language import Language
from src.shared.infrastructure.json_schema.applied import MAX_APPLIED, MAX_CHAIN
from src.shared.infrastructure.json_schema.drafts import (
    MAX_CHARACTERS,
    MAX_ENUM,
    MAX_LEVELS,
    MAX_SLOW_ENUM,
    MAX_VALUES,
    PLACE_LIMIT,
    dialect_of,
)
from src.shared.infrastructure.json_schema.engine import Engine
from src.shared.infrastructure.json_schema.references import MAX_POINTERS

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
A = "#/properties/a"
ENDLESS = "leads back to itself without end"
SECONDS = 5.0
"""Far more than a refusal takes on a busy machine, far less than what is not bounded."""


def repr_of(given: object) -> str:
    return repr(given)[:60]


def refusal_of(schema: Any) -> JsonSchemaError:  # noqa: ANN401 - also what is no schema
    with pytest.raises(JsonSchemaError) as caught:
        JsonSchema(schema)
    return caught.value


@pytest.mark.parametrize(
    ("schema", "place", "reason"),
    [
        (True, "#", "a schema has to be an object, not bool"),
        ([], "#", "a schema has to be an object, not list"),
        ({"type": "string"}, "#", "what it describes is neither an object nor an array"),
        ({"enum": ["a", 1]}, "#", "what it describes is neither an object nor an array"),
        ({"allOf": [{"type": "object"}, {"type": "array"}]}, "#", "neither an object nor an array"),
        ({"type": "objekt"}, "#/type", "not a JSON Schema that can be used"),
        ({"properties": {"a": {"minimum": "1"}}}, "#/properties/a/minimum", "not a JSON Schema that can be used"),
        ({"properties": {"a/b": 3}}, "#/properties/a~1b", "not a JSON Schema that can be used"),
        ({"$schema": 5}, "#/$schema", "$schema 5 is not supported"),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, "#/$schema", "is not supported; these are: https://"),
        ({"properties": {"a": {"$schema": DRAFT_7}}}, "#/properties/a", "$schema is not supported inside a schema"),
        ({"$defs": {"a": {"$id": "b"}}}, "#/$defs/a", "$id is not supported inside a schema"),
        ({"$dynamicRef": "#x"}, "#", "$dynamicRef is not supported: use $ref"),
        ({"items": {"$dynamicAnchor": "x"}}, "#/items", "$dynamicAnchor is not supported: use $ref"),
        ({"x": {1: 2}}, "#/x", "not JSON: a key that is no string"),
        ({"x": float("nan")}, "#/x", "not JSON: nan"),
        pytest.param({"x": object()}, "#/x", "not JSON: object", id="an object of Python"),
        ({"default": (1,)}, "#/default", "not JSON: tuple"),
        # references elsewhere, to no schema, and back to themselves; nothing is fetched
        *(
            ({"properties": {"a": {"$ref": one}}}, "#/properties/a", f"the $ref {one} leads elsewhere, and nothing is")
            for one in ("http://127.0.0.1:9/x", "file:///etc/passwd", "other.json", f"{dialect_of({}).uri}")
        ),
        *(
            (
                {"title": "T", "$ref": one, "$defs": {"list": {"prefixItems": [{}]}}, "type": "object"},
                "#",
                "leads to no schema",
            )
            for one in ("#/$defs/none", "#none", "#/$defs/list/9", "#/$defs/list/x", "#/title", "#/$defs/list/0/y")
        ),
        *(
            (
                {"allOf": [{"type": "object"}, {}, {}], "properties": {"a": {"$ref": f"#/allOf/{one}"}}},
                A,
                "to no schema",
            )
            for one in ("00", "01", "0" * 5_000, "1" * 5_000, "２")  # an index has one spelling
        ),
        ({"$ref": "#"}, "#", ENDLESS),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}},
            "#/$defs/a",
            ENDLESS,
        ),
        ({"type": "object", "not": {"$ref": "#"}}, "#", ENDLESS),
        ({"type": "object", "properties": {"x": {"if": {"$ref": "#/properties/x"}}}}, "#/properties/x", ENDLESS),
        # patterns that the linear engine does not take
        *(
            ({"properties": {"a": {"pattern": one}}}, f"{A}/pattern", "the pattern cannot be used")
            for one in ("(", "(?=a)b", "(a)\\1", "(x{1,100}){1,100}")
        ),
        *(
            ({"properties": {"a": {"patternProperties": {one: {}}}}}, A, "the pattern cannot be used")
            for one in ("(", "(?=a)b", "(a)\\1", "(x{1,100}){1,100}")
        ),
        # what older drafts say otherwise
        (
            {"$schema": DRAFT_7, "$ref": "#/definitions/a", "type": "object", "definitions": {"a": {}}},
            "#",
            "ignores what stands beside a $ref",
        ),
        ({"$schema": DRAFT_7, "items": [{}]}, "#", "use prefixItems"),
    ],
    ids=repr_of,
)
def test_what_is_no_usable_schema_is_refused(schema: object, place: str, reason: str) -> None:
    error = refusal_of(schema)

    assert error.place.startswith(place)
    assert reason in error.reason.text(Language.EN)
    assert str(error).startswith(f"{error.place}: ")


def test_validator_fetches_nothing_itself() -> None:
    with pytest.raises(JsonSchemaError, match="is not fetched"):
        Engine({"$ref": "http://127.0.0.1:9/x"}, dialect_of({}), 1)


SAME = {"properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"type": "null"}}}
"""What all drafts say alike."""
DRAFTS = (
    *("https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", DRAFT_7),
    "http://json-schema.org/draft-06/schema#",
)


@pytest.mark.parametrize(
    "schema",
    [
        *({"$schema": draft, **SAME} for draft in DRAFTS),
        {"$schema": DRAFT_7, "type": "object", "dependencies": {"a": ["b"], "b": {"required": ["c"]}}},
        {"$ref": "#/$defs/a", "type": "object", "$defs": {"a": {}}},
        {"type": "object", "properties": {"child": {"$ref": "#"}}},
        {"type": "object", "x-other": {"$ref": "http://127.0.0.1:9/x"}},  # in a place that is not read
    ],
    ids=repr_of,
)
def test_schema_is_taken(schema: dict[str, Any]) -> None:
    assert JsonSchema(schema).name == "JsonSchema"


# --- bounds -------------------------------------------------------------------------------------------------


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels - 1):
        schema = {"items": schema}
    return schema


def chain(length: int) -> dict[str, Any]:
    """A schema that applies `length` schemas to a value, one after the other."""
    links: dict[str, Any] = {f"a{at}": {"$ref": f"#/$defs/a{at + 1}"} for at in range(1, length - 1)}
    return {"$ref": "#/$defs/a1", "$defs": {**links, f"a{length - 1}": {"type": "object"}}}


@pytest.mark.parametrize(
    ("made", "bound"),
    [
        (lambda n: {"type": "object", "x": [0] * (n - 3)}, MAX_VALUES),
        (lambda n: {"type": "object", "x": "y" * (n - len("type" + "object" + "x"))}, MAX_CHARACTERS),
        (nested, MAX_LEVELS),
        (lambda n: {"properties": {"a": {"enum": list(range(n))}}}, MAX_ENUM),
        (lambda n: {"properties": {"a": {"enum": [one + 0.5 for one in range(n)]}}}, MAX_SLOW_ENUM),
        (lambda n: {"type": "object", "anyOf": [{}] * (n - 1)}, MAX_APPLIED),
        (chain, MAX_CHAIN),
    ],
    ids=["values", "characters", "levels", "enum", "slow enum", "applied", "chain"],
)
def test_schema_is_taken_up_to_the_bound(made: Callable[[int], dict[str, Any]], bound: int) -> None:
    assert JsonSchema(made(bound)).name
    assert f"at most {bound}" in refusal_of(made(bound + 1)).reason.en.replace(",", "")


def test_chain_is_measured_from_wherever_it_begins() -> None:
    links = chain(MAX_CHAIN + 2)["$defs"]
    turned = {"type": "object", "$defs": dict(reversed(links.items()))}

    assert "follow from each other" in refusal_of(turned).reason.en


def test_paths_in_a_schema_are_bounded() -> None:
    key = "k" * 40_000
    inner: dict[str, Any] = {f"p{at}": {} for at in range(MAX_POINTERS // 40_000)}

    assert "characters of all paths" in refusal_of({"properties": {key: {"properties": inner}}}).reason.en


def test_place_of_an_error_is_bounded_and_one_line() -> None:
    place = refusal_of({"properties": {"\n" + "k" * 1000: {"minimum": "1"}}}).place

    assert len(place) == PLACE_LIMIT
    assert place.startswith("#/properties/\\nkkk")


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": list(range(1_000_000))},
        nested(5_000),
        {"type": "object", "$defs": {f"a{at}": {"allOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(49)}},
        {
            "$ref": "#/$defs/a0",
            "$defs": {f"a{at}": {"allOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(40)},
        },
    ],
    ids=["a million values", "thousands of levels", "a chain of pairs without end", "a chain of pairs"],
)
def test_hostile_schema_is_refused_at_once(schema: dict[str, Any]) -> None:
    schema.get("$defs", {})["a49"] = schema.get("$defs", {})["a40"] = {"type": "object"}
    start = time.process_time()
    refusal_of(schema)

    assert time.process_time() - start < SECONDS


def test_schema_inside_itself_as_an_object_is_refused() -> None:
    endless: dict[str, Any] = {"type": "object"}
    endless["properties"] = endless

    assert "levels of nesting" in refusal_of(endless).reason.en
