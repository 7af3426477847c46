"""A schema of any size that is allowed is looked at in bounded steps, whatever refers to what."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from src.shared.domain.answer_type import adapter_of
from src.shared.domain.strict_schema import strict_schema
from src.shared.domain.type_description import describe_type
from src.shared.domain.type_shapes import Shape, shapes_of
from src.shared.infrastructure.json_schema import engine, references, shapes
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.parsing import expected
from src.shared.infrastructure.parsing.expected import Expected

FEW = 50_000
"""Steps: what nothing was remembered for took some millions."""


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def many(count: int, written: Any) -> dict[str, Any]:  # noqa: ANN401 - a function
    """Definitions that refer to each other."""
    return {"$ref": "#/$defs/d0", "$defs": {f"d{number}": written(number) for number in range(count)}}


ITSELF = {"$ref": "#/$defs/n", "$defs": {"n": {"items": {"anyOf": [ref("n"), ref("n")]}}}}
PAIRS_OF_ITSELF = {
    "$ref": "#/$defs/E",
    "$defs": {
        "E": {
            "type": "array",
            "prefixItems": [
                {"type": "string"},
                {"anyOf": [ref("E"), {"type": "number"}]},
                {"anyOf": [ref("E"), {"type": "number"}]},
            ],
        }
    },
}
FIVE = many(5, lambda _: {"items": {"anyOf": [ref(f"d{other}") for other in range(5)]}})
THIRTY = many(
    30,
    lambda number: {
        "anyOf": [
            {"type": "object", "properties": {f"k{number}": {}}},
            {"type": "array", "items": {"oneOf": [ref(f"d{other}") for other in range(30)]}},
        ]
    },
)
WIDE = {
    "type": "object",
    "properties": {f"k{number}": ref(f"d{number}") for number in range(1_000)},
    **many(1_000, lambda number: {"type": "object", "properties": {"a": ref(f"d{number * 7 % 1_000}")}}),
}
DEEP: dict[str, Any] = {
    "type": "object",
    "properties": {"a": ref("d0")},
    "required": ["a"],
    "additionalProperties": False,
    "$defs": {
        **{f"d{number}": {"type": "array", "items": ref(f"d{number + 1}")} for number in range(1_000)},
        "d1000": {"type": "integer"},
    },
}
"""A thousand definitions, each of them inside the one before."""


@pytest.mark.parametrize("schema", [ITSELF, PAIRS_OF_ITSELF, FIVE, WIDE, DEEP])
def test_a_schema_inside_itself_is_read_in_few_steps(schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "MAX_STEPS", FEW)

    JsonSchema(schema)


def test_thirty_definitions_that_each_hold_all_are_read_in_bounded_steps() -> None:
    found = shapes_of(adapter_of(JsonSchema(THIRTY)).core_schema)

    assert Shape("object", frozenset({"k0"}), optional=True) in found


def test_forms_that_are_too_many_together_are_refused_with_the_reason() -> None:
    alternatives: list[Any] = [
        {"anyOf": [{"properties": {f"k{part}_{way}_{key}": {} for key in range(40)}} for way in range(6)]}
        for part in range(60)
    ]
    with pytest.raises(JsonSchemaError, match=r"^#: Schema 过于复杂.*too complex"):
        JsonSchema({"type": "object", "allOf": alternatives})


def test_arrays_inside_each_other_through_long_chains_are_refused_with_the_reason() -> None:
    """Twenty arrays, each through forty references, are more calls than Python makes."""
    chain = many(40, lambda number: ref(f"d{number + 1}"))
    chain["$defs"]["d40"] = {"type": "array", "items": ref("d0")}
    with pytest.raises(JsonSchemaError, match=r"^#: Schema 过于复杂.*too complex"):
        JsonSchema(chain)


def test_patterns_are_bounded_in_number() -> None:
    def with_patterns(count: int) -> dict[str, Any]:
        return {
            "type": "object",
            "patternProperties": {"^x": {}},
            "properties": {str(n): {"pattern": str(n)} for n in range(count - 1)},
        }

    JsonSchema(with_patterns(references.MAX_PATTERNS))
    with pytest.raises(JsonSchemaError, match=r"1,000 个正则表达式.*1,000 patterns"):
        JsonSchema(with_patterns(references.MAX_PATTERNS + 1))


def test_what_a_wide_schema_refuses_is_told_without_compiling_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    before = engine.Engine._compiled  # noqa: SLF001 - counted

    def counted(self: engine.Engine, *given: Any) -> Any:  # noqa: ANN401 - as it is
        compiled.append(given)
        return before(self, *given)

    monkeypatch.setattr(engine.Engine, "_compiled", counted)
    with pytest.raises(ValidationError) as raised:
        adapter_of(JsonSchema(WIDE)).validate_python({"k1": {"a": {"a": 5}}, "k2": 5})
    assert [error["loc"] for error in raised.value.errors()] == [("k1", "a", "a"), ("k2",)]
    assert len(compiled) < 20


def test_what_would_take_too_long_to_compile_is_told_where_that_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_COMPILED", 0)
    nested = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}}
    with pytest.raises(ValidationError) as raised:
        adapter_of(JsonSchema(nested)).validate_python({"a": {"b": "x"}})
    assert [error["loc"] for error in raised.value.errors()] == [("a",)]


def test_a_thousand_definitions_inside_each_other_are_described() -> None:
    described = describe_type(JsonSchema(DEEP))

    assert described.count("[") == described.count("]") == 1_000
    assert "integer" in described.splitlines()[-1]


def test_a_thousand_definitions_inside_each_other_become_strict() -> None:
    assert len(strict_schema(DEEP)["$defs"]) == len(DEEP["$defs"])


def test_value_of_a_type_with_two_ways_a_level_is_looked_at_once_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = 2_000
    schema = many(levels, lambda number: {"anyOf": [ref(f"d{number + 1}"), ref(f"d{number + 1}")]})
    schema["$defs"][f"d{levels}"] = {"type": "integer"}
    followed: list[object] = []
    before = expected._at  # noqa: SLF001 - counted

    def counted(*given: Any) -> Any:  # noqa: ANN401 - as it is
        followed.append(given)
        return before(*given)

    monkeypatch.setattr(expected, "_at", counted)

    assert Expected([schema], schema, {}).types == {"number"}
    assert len(followed) == 2 * levels + 1
