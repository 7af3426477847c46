"""A JSON Schema as a type: read with the same helps as a Pydantic type, everywhere one is taken."""

import asyncio
import pickle
import subprocess
import sys
from typing import Annotated, Any, assert_type

import pytest
from pydantic import AfterValidator, BaseModel, TypeAdapter

import llm_output
from llm_output import JsonSchema, LLMJsonParseError, parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.application.typed_llm import output_schema
from src.shared.domain.answer_type import name_of, schema_name
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.agents.agent_output import AgentOutput, plain_output
from src.shared.infrastructure.json_schema import engine
from tests.paths import ROOT
from tests.shared.application.typed import typed

ITEM = {"type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}}, "required": ["sku"]}
ORDER = {
    "title": "Order",
    "type": "object",
    "properties": {"name": {"type": "string"}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
    "required": ["name"],
    "$defs": {"item": ITEM},
}
SCHEMA = JsonSchema(ORDER)


ITEMS = JsonSchema({"type": "array", "items": ITEM})
OPTIONAL = JsonSchema({"type": "object", "properties": {"retries": {"type": "integer"}}})


@pytest.mark.parametrize(
    ("raw", "schema", "value", "repairs"),
    [
        (
            '{"name": "a", "items": [{"sku": "x", "n": 2}]}',
            SCHEMA,
            {"name": "a", "items": [{"sku": "x", "n": 2}]},
            set(),
        ),
        ("Here: {'name': 'a',}", SCHEMA, {"name": "a"}, {RepairKind.SINGLE_QUOTE, RepairKind.TRAILING_COMMA}),
        ('{"query": 1} then {"name": "a"}', SCHEMA, {"name": "a"}, set()),
        ('See {1}: [{"sku": "x"}]', ITEMS, [{"sku": "x"}], set()),
        ('{"retries": 3}', OPTIONAL, {"retries": 3}, set()),
        ('{"x": 1}', JsonSchema({"type": "object"}), {"x": 1}, set()),
        ('{"name": "a", "name": "b"}', SCHEMA, {"name": "b"}, {RepairKind.DUPLICATE_KEY}),
    ],
)
def test_answer_is_plain_data(raw: str, schema: JsonSchema, value: object, repairs: set[RepairKind]) -> None:
    parsed = parse_llm_json_output_with_trace(raw, schema)

    assert parsed.value == parsed.decoded.data == value
    assert {one.kind for one in parsed.decoded.repairs} == repairs


def test_type_checker_takes_it_as_any_type_is_taken() -> None:
    assert_type(parse_llm_json_output('{"name": "a"}', SCHEMA), Any)


@pytest.mark.parametrize(
    ("raw", "schema", "options", "told"),
    [
        ('{"name": "a"} or {"name": "b"}', SCHEMA, {}, "several different objects"),
        ('{"sku": "x"}', ITEMS, {}, "根节点须为数组"),
        ('{"error": "busy"}', OPTIONAL, {}, "none of the fields is there: retries"),
        ('{"name": "a"}', SCHEMA, {"finished": False}, "cut off"),
        ('{"name": 1}', SCHEMA, {}, "不符合契约 Order"),
    ],
)
def test_other_text_is_refused(raw: str, schema: JsonSchema, options: dict[str, Any], told: str) -> None:
    with pytest.raises(LLMJsonParseError, match=told):
        parse_llm_json_output(raw, schema, **options)


def test_normalizers_run_before_it_is_validated() -> None:
    def renamed(data: dict[str, Any]) -> dict[str, Any]:
        return {"name": data["title"]}

    assert parse_llm_json_output('{"title": "a"}', SCHEMA, normalizers=[renamed]) == {"name": "a"}


def test_it_may_stand_inside_a_type_of_pydantics() -> None:
    class Wrapped(BaseModel):
        order: Annotated[dict[str, Any], SCHEMA]

    assert parse_llm_json_output('{"order": {"name": "a"}}', Wrapped).order == {"name": "a"}
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output('{"order": {"name": 1}}', Wrapped)
    assert caught.value.details["validation_errors"][0]["loc"] == ("order", "name")


def test_rules_may_stand_behind_it() -> None:
    def no_x(value: dict[str, Any]) -> dict[str, Any]:
        if value["name"] == "x":
            message = "x is taken"
            raise ValueError(message)
        return value

    given: Any = SCHEMA
    checked: Any = TypeAdapter(Annotated[given, AfterValidator(no_x)])
    assert parse_llm_json_output('{"name": "y"}', checked) == {"name": "y"}
    with pytest.raises(LLMJsonParseError, match="x is taken"):
        parse_llm_json_output('{"name": "x"}', checked)


def test_output_of_an_agent_may_have_it_as_its_type() -> None:
    output: AgentOutput[Any] = plain_output(SCHEMA)

    assert output.label == "Order"
    assert output.read("{'name': 'a'}").value == {"name": "a"}


# --- names, copies, requests --------------------------------------------------------------------------------


def test_its_name_is_the_title_or_the_one_given() -> None:
    assert name_of(SCHEMA) == "Order"
    assert name_of(JsonSchema(ORDER, name="Purchase")) == "Purchase"
    assert name_of(JsonSchema(ITEM)) == "JsonSchema"
    assert schema_name(JsonSchema(ORDER, name="a b")) == "a_b"
    assert name_of(JsonSchema({"type": "object", "title": "x" * 65})) == "x" * 63 + "…"


def test_pickled_copy_is_equal_and_reads_the_same() -> None:
    copy = pickle.loads(pickle.dumps(SCHEMA))  # noqa: S301 - our own

    assert copy == SCHEMA
    assert hash(copy) == hash(SCHEMA)
    assert parse_llm_json_output("{'name': 'a'}", copy) == {"name": "a"}


def test_equal_are_the_same_schema_of_the_same_name() -> None:
    assert JsonSchema(ORDER) == SCHEMA
    assert JsonSchema(ORDER, name="Other") != SCHEMA
    assert JsonSchema(ITEM) != SCHEMA
    assert SCHEMA != ORDER
    assert repr(SCHEMA) == "JsonSchema('Order')"


def test_schema_that_is_changed_afterwards_is_not_the_types() -> None:
    given = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = JsonSchema(given)
    given["properties"] = {}
    schema.json_schema()["properties"] = {}

    assert schema.json_schema() == {"type": "object", "properties": {"a": {"type": "string"}}}


def test_request_carries_the_schema_itself() -> None:
    sent = output_schema(SCHEMA)

    assert (sent.name, sent.json_schema, sent.is_object) == ("Order", ORDER, True)
    assert not output_schema(JsonSchema({"type": "array"})).is_object


def test_references_to_other_places_are_named_in_a_request() -> None:
    tree = JsonSchema(
        {
            "$id": "https://example.org/tree",
            "properties": {
                "left": {"$ref": "#"},
                "right": {"$ref": "https://example.org/tree#"},
                "leaf": {"$ref": "#leaf", "description": "the end"},
                "first": {"$ref": "#/properties/pair/prefixItems/0"},
                "pair": {"type": "array", "prefixItems": [{"title": "x"}, True]},
                "also": {"allOf": [{"$ref": "#/definitions/leaf"}], "not": {"const": 1}},
            },
            "definitions": {"leaf": {"$anchor": "leaf", "type": "string"}, "not used": {}},
        }
    )

    assert tree.json_schema() == {
        "properties": {
            "left": {"$ref": "#/$defs/Root"},
            "right": {"$ref": "#/$defs/Root"},
            "leaf": {"$ref": "#/$defs/leaf", "description": "the end"},
            "first": {"$ref": "#/$defs/0"},
            "pair": {"type": "array", "prefixItems": [{"title": "x"}, True]},
            "also": {"allOf": [{"$ref": "#/$defs/leaf"}], "not": {"const": 1}},
        },
        "$defs": {
            "0": {"title": "x"},
            "leaf": {"type": "string"},
            "Root": {"properties": tree.json_schema()["properties"]},
        },
    }
    assert parse_llm_json_output('{"left": {"leaf": "x"}, "pair": [1, 2]}', tree)


def test_places_of_the_same_last_name_get_names_of_their_own() -> None:
    schema = JsonSchema(
        {
            "type": "object",
            "properties": {
                "a": {"$ref": "#/x/v"},
                "b": {"$ref": "#/y/v"},
                "c": {"$ref": "#/z/v_1"},
                "d": {"$ref": "#/w/v"},
                "e": {"$ref": "#/w/v_6"},
                "f": {"$ref": "#/w/v_5"},
                "g": {"$ref": "#/y/v_6"},
            },
            **{name: {"v": {}, "v_1": {}, "v_5": {}, "v_6": {}} for name in "xyzw"},
        }
    )

    named = [one["$ref"] for one in schema.json_schema()["properties"].values()]
    assert len(set(named)) == 7
    assert {name.rpartition("/")[2] for name in named} == set(schema.json_schema()["$defs"])


def test_name_that_is_made_gives_way_to_one_that_is_written() -> None:
    places = {"a": "#/x/v_2", "b": "#/x/v", "c": "#/y/v"}
    schema = JsonSchema(
        {
            "type": "object",
            "properties": {key: {"$ref": place} for key, place in places.items()},
            "x": {"v": {}, "v_2": {}},
            "y": {"v": {}},
        }
    )

    assert set(schema.json_schema()["$defs"]) == {"v", "v_2", "v_2_"}


def test_model_is_asked_for_it_and_its_answer_read_with_it() -> None:
    asked, llm, _ = typed('{"name": 3}', '{"name": "a",}')

    assert asyncio.run(asked.call_with_json("Which?", output_model=SCHEMA)) == {"name": "a"}
    first, second = (call.messages for call in llm.calls)
    assert '"name": string' in str(first)
    assert "$.name: should be a string" in str(second)


# --- what it costs ------------------------------------------------------------------------------------------


def test_schema_is_compiled_once_for_all_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = JsonSchema(ORDER, name="Compiled once")
    monkeypatch.setattr(engine.Engine, "_compiled", None)

    for raw in ('{"name": "a"}', "{'name': 'b'}", 'So: {"name": "c"}'):
        assert parse_llm_json_output(raw, schema)


def test_validator_is_not_imported_for_other_types() -> None:
    code = (
        "import sys, llm_output\n"
        "llm_output.parse_llm_json_output('{\"a\": 1,}', dict[str, int])\n"
        "print('jsonschema_rs' in sys.modules)"
    )

    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).strip() == "False"  # noqa: S603 - our own code


def test_missing_extra_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)

    with pytest.raises(ModuleNotFoundError) as caught:
        llm_output.JsonSchema(ORDER)
    assert caught.value.name == "jsonschema_rs"
    assert 'pip install "jsonschema-rs>=0.60"' in str(caught.value)


def test_a_type_that_does_not_explain_takes_and_refuses_the_same_and_names_no_field() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    explaining, silent = JsonSchema(schema), JsonSchema(schema, explains=False)

    assert parse_llm_json_output('{"a": 1}', silent) == {"a": 1}
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output('{"a": "x"}', silent)
    assert [one["loc"] for one in error.value.details["validation_errors"]] == [()]
    assert silent != explaining
    assert pickle.loads(pickle.dumps(silent)) == silent  # noqa: S301 - our own
