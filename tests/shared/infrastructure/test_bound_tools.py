"""The arguments of a call as its tool's schema knows them, whatever framework makes the call."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_arguments import BoundTools, is_clean
from tests.integrations.tool_call_rows import PARIS, REFUSED, ROWS, WEATHER

TOOLS = BoundTools({"get_weather": WEATHER, "now": {"type": "object", "properties": {}}})


@pytest.mark.parametrize("row", ROWS)
def test_arguments_are_read_or_refused(row: str) -> None:
    text, wanted = ROWS[row]
    try:
        data: dict[str, Any] | None = TOOLS.read("get_weather", text)
    except LLMJsonParseError:
        data = REFUSED
    read = data and {**data, **({"days": int(data["days"])} if "days" in data else {})}
    assert read == wanted


@pytest.mark.parametrize("args", ['{"city<|end|>": "Paris", "city": "Rome"}', '{"<a>city": "Paris"}', "null", "{}", ""])
def test_what_the_schema_does_not_take_is_refused(args: str) -> None:
    with pytest.raises(LLMJsonParseError, match=r"get_weather|empty"):
        TOOLS.read("get_weather", args)


@pytest.mark.parametrize("args", ["", " ", "null", "{}"])
def test_tool_without_parameters_is_called_without_arguments(args: str) -> None:
    assert TOOLS.read("now", args) == {}


OPEN = BoundTools({"f": {"properties": {"city": {"type": "string"}, "size": {"type": "number"}}}})


def test_mark_is_taken_off_a_key_only_if_the_name_is_not_there() -> None:
    assert OPEN.read("f", '{"city<|end|>": "Paris",}') == {"city": "Paris"}
    assert OPEN.meant("f", {"city<|end|>": "Paris", "city": "Rome"}) == {"city<|end|>": "Paris", "city": "Rome"}
    with pytest.raises(LLMJsonParseError, match="city of f can be read in two ways"):
        OPEN.read("f", '{"city<|end|>": "Paris", "city": "Rome",}')


@pytest.mark.parametrize("size", ["NaN", "-Infinity", "1e400"])
def test_number_that_json_does_not_have_is_refused(size: str) -> None:
    with pytest.raises(LLMJsonParseError, match="not match"):
        OPEN.read("f", f"{{'size': {size},}}")


def test_number_that_the_schema_does_not_take_is_for_the_tool_to_judge() -> None:
    assert OPEN.read("f", "{'size': '3',}") == {"size": "3"}


def test_unknown_tool_and_cut_arguments_are_refused() -> None:
    with pytest.raises(LLMJsonParseError, match="later"):
        TOOLS.read("later", "{}")
    with pytest.raises(LLMJsonParseError, match="cut off"):
        TOOLS.read("get_weather", "{'city': 'Paris'}", finished=False)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("get_weather", "get_weather"),
        ("functions.get_weather:0", "get_weather"),
        ("get_weather<|channel|>commentary", "get_weather"),
        (" now\n", "now"),
        ("get_weathers", "get_weathers"),
        ("<|channel|>get_weather", "<|channel|>get_weather"),
        ("elsewhere.get_weather", "elsewhere.get_weather"),
    ],
)
def test_name_of_a_tool(written: str, name: str) -> None:
    assert TOOLS.name(written) == name


SCHEMAS: dict[str, dict[str, Any]] = {
    "list": {"type": "array", "items": {"type": "object"}},
    "either": {"type": ["object", "null"]},
    "text": {"type": "string"},
    "any": {},
    "mixed": {"anyOf": [{"type": "object"}, {"type": "string"}]},
    "number": {"type": "integer"},
    "either unknown": {"anyOf": [{"$ref": "#/$defs/Missing"}, {"type": "object"}]},
    "unknown": {"$ref": "#/$defs/Missing"},
    "elsewhere": {"$ref": "https://example.org/schema"},
    "nowhere": {"$ref": "#/definitions/Missing"},
    "loop": {"$ref": "#/$defs/Loop"},
    "yes": True,  # type: ignore[dict-item]  # a schema may be true
}
OBJECT = '{"a": 1}'
CASES = [
    ("list", '["{}", {}]', ["{}", {}]),
    ("list", ['{"a": 1}', {}], [{"a": 1}, {}]),
    ("list", OBJECT, OBJECT),
    ("list", " [1] ", [1]),
    ("list", [1, 2], [1, 2]),
    ("either", OBJECT, {"a": 1}),
    ("either", "null", "null"),
    ("either", "{'a': 1}", "{'a': 1}"),
    ("either", '{"a": 1} and', '{"a": 1} and'),
    ("either", "{" * 100_000, "{" * 100_000),
    ("either", "[" * 100_000, "[" * 100_000),
    *(
        (name, OBJECT, OBJECT)
        for name in ("text", "any", "mixed", "number", "unknown", "either unknown", "elsewhere", "nowhere", "yes")
    ),
    ("loop", OBJECT, OBJECT),
]


@pytest.mark.parametrize(("name", "value", "meant"), CASES)
def test_json_in_a_string_is_meant_only_where_no_string_may_stand(name: str, value: Any, meant: Any) -> None:  # noqa: ANN401 - JSON
    tools = BoundTools({"f": {"properties": SCHEMAS, "$defs": {"Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}]}}}})
    data = {name: value}
    read = tools.meant("f", data)
    if name == "list" and meant == ["{}", {}]:
        meant = [{}, {}]
    assert read[name] == meant
    assert (read is data) == (value == meant)


def test_marks_are_taken_off_in_a_model_that_may_be_null() -> None:
    data = {"city": "Paris", "limits": {"low<|end|>": 1}}
    assert TOOLS.meant("get_weather", data) == {"city": "Paris", "limits": {"low": 1}}


def test_whole_call_as_arguments_means_its_arguments() -> None:
    assert TOOLS.meant("get_weather", {"name": "get_weather", "arguments": PARIS}) == PARIS
    assert TOOLS.meant("get_weather", {"name": "get_weather", "size": 1}) == {"name": "get_weather", "size": 1}


def test_marks_are_looked_for_to_a_bounded_depth() -> None:
    node = {"type": "object", "properties": {"in": {"$ref": "#/$defs/Node"}}}
    tools = BoundTools({"f": {"properties": {"in": node}, "$defs": {"Node": node}}})
    for levels, is_taken_off in ((5, True), (50, False)):
        data: Any = {"in<|end|>": {}}
        for _ in range(levels):
            data = {"in": data}
        assert ("<|end|>" not in json.dumps(tools.meant("f", data))) == is_taken_off


def test_arguments_of_an_unknown_tool_stay_as_they_are() -> None:
    data = {"city<|end|>": "later", "tags": "[1]"}
    assert TOOLS.meant("later", data) is data


def test_schema_that_cannot_be_read_helps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for schema in ({"type": 7}, {"required": None}, {"type": "array"}, {"$ref": "https://example.org/schema"}):
        assert BoundTools({"f": {**schema, "properties": {"a": {}}}}).read("f", "{'a': 1}") == {"a": 1}
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    assert BoundTools({"f": {"properties": {"a": {}}, "title": "other"}}).read("f", "{'a': 1}") == {"a": 1}


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 1}\n', "{}"])
def test_one_object_is_clean(text: str) -> None:
    assert is_clean(text)


@pytest.mark.parametrize(
    "text", ["", "[1]", '{"a": 1} x', '{"a": 1,}', '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": ' * 9**5]
)
def test_anything_else_is_not_clean(text: str) -> None:
    assert not is_clean(text)


@given(st.fixed_dictionaries({"city": st.text()}, optional={"days": st.integers(), "tags": st.lists(st.text())}))
def test_what_is_clean_is_never_changed(data: dict[str, Any]) -> None:
    assert TOOLS.meant("get_weather", data) is data
    assert TOOLS.read("get_weather", f"{json.dumps(data)[:-1]},}}") == data


def test_calls_in_a_text() -> None:
    text = 'So: <tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'
    assert [(call.name, call.arguments) for call in TOOLS.written(text)] == [("get_weather", PARIS)]
    assert TOOLS.written("It is sunny.") == ()
    with pytest.raises(LLMJsonParseError, match="cut off"):
        TOOLS.written(text, finished=False)
