"""The arguments of a call as its tool's schema knows them, whatever framework makes the call."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_arguments import BoundTools, held_back
from tests.integrations.tool_call_rows import PARIS, REFUSED, ROWS, WEATHER

TOOLS = BoundTools({"get_weather": WEATHER, "now": {"type": "object", "properties": {}}})


def read(tools: BoundTools, name: str, text: str) -> dict[str, Any]:
    """The arguments that are read of a text that is damaged."""
    call = tools.repaired(name, text)
    assert call.is_changed
    return call.arguments


def meant(tools: BoundTools, name: str, data: dict[str, Any]) -> dict[str, Any]:
    """What data mean: the same object if nothing is changed."""
    call = tools.repaired(name, data)
    assert call.is_changed is (call.arguments is not data)
    return call.arguments


JUDGED_BY_THE_TOOL = {"a call of another tool"}
"""Rows whose arguments are a JSON object, and are passed on to the tool as they are."""


@pytest.mark.parametrize("row", [row for row in ROWS if row not in JUDGED_BY_THE_TOOL])
def test_arguments_are_read_or_refused(row: str) -> None:
    text, wanted = ROWS[row]
    try:
        data: dict[str, Any] | None = TOOLS.repaired("get_weather", text).arguments
    except LLMJsonParseError:
        data = REFUSED
    read = data and {**data, **({"days": int(data["days"])} if "days" in data else {})}
    assert read == wanted


@pytest.mark.parametrize("args", ['{"city<|end|>": "Paris", "city": "Rome",}', '{"<a>city": "Paris",}', "null"])
def test_what_the_schema_does_not_take_is_refused(args: str) -> None:
    with pytest.raises(LLMJsonParseError, match="get_weather"):
        TOOLS.repaired("get_weather", args)


@pytest.mark.parametrize(
    "args",
    [
        '[TOOL_CALLS]now[ARGS]{"city": "Paris"}',
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}',
        '<function=get_weather><parameter=city>Paris</parameter></function>{"city": "Rome"}',
        '<function=get_weather><parameter=city>Paris</parameter></function>｛"city": "Rome"｝',
        "`<function=get_weather><parameter=city>Paris</parameter></function>`",
    ],
)
def test_arguments_beside_another_call_or_in_a_mention_are_refused(args: str) -> None:
    with pytest.raises(LLMJsonParseError, match=r"tool call|no JSON object"):
        TOOLS.repaired("get_weather", args)


@pytest.mark.parametrize("args", [None, "", " ", "null", "{}", {}])
def test_tool_is_called_without_arguments(args: str | dict[str, Any] | None) -> None:
    assert TOOLS.repaired("now", args) == ("now", {}, args == "null")


@pytest.mark.parametrize("args", [None, "", {}])
def test_no_arguments_of_a_call_that_was_cut_off_are_refused(args: str | dict[str, Any] | None) -> None:
    with pytest.raises(LLMJsonParseError, match="cut off"):
        TOOLS.repaired("now", args, finished=False)


OPEN = BoundTools({"f": {"properties": {"city": {"type": "string"}, "size": {"type": "number"}}}})


def test_mark_is_taken_off_a_key_only_if_the_name_is_not_there() -> None:
    assert read(OPEN, "f", '{"city<|end|>": "Paris",}') == {"city": "Paris"}
    for data in ({"city<|end|>": "Paris", "city": "Rome"}, {"city<|a|>": "Paris", "city<|b|>": "Rome"}):
        assert meant(OPEN, "f", data) is data


@pytest.mark.parametrize("size", ["NaN", "-Infinity", "1e400"])
def test_number_that_json_does_not_have_is_refused(size: str) -> None:
    with pytest.raises(LLMJsonParseError, match="not match"):
        OPEN.repaired("f", f"{{'size': {size},}}")


def test_number_that_the_schema_does_not_take_is_for_the_tool_to_judge() -> None:
    assert read(OPEN, "f", "{'size': '3',}") == {"size": "3"}


def test_unknown_tool_and_cut_arguments_are_refused() -> None:
    with pytest.raises(LLMJsonParseError, match="later"):
        TOOLS.repaired("later", "{,}")
    with pytest.raises(LLMJsonParseError, match="cut off"):
        TOOLS.repaired("get_weather", "{'city': 'Paris'}", finished=False)


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
    ("list", ['{"a": 1}', {}], ['{"a": 1}', {}]),
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


@pytest.mark.parametrize(("name", "value", "given"), CASES)
def test_json_in_a_string_is_meant_only_where_no_string_may_stand(name: str, value: Any, given: Any) -> None:  # noqa: ANN401 - JSON
    tools = BoundTools({"f": {"properties": SCHEMAS, "$defs": {"Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}]}}}})
    assert meant(tools, "f", {name: value}) == {name: given}


def test_whole_call_as_arguments_means_its_arguments() -> None:
    assert meant(TOOLS, "get_weather", {"name": "get_weather", "arguments": PARIS}) == PARIS
    assert meant(TOOLS, "get_weather", {"name": "get_weather", "size": 1}) == {"name": "get_weather", "size": 1}


def test_arguments_of_an_unknown_tool_stay_as_they_are() -> None:
    data = {"city<|end|>": "later", "tags": "[1]"}
    assert meant(TOOLS, "later", data) is data


def test_schema_that_cannot_be_read_helps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for schema in ({"type": 7}, {"required": None}, {"type": "array"}, {"$ref": "https://example.org/schema"}):
        assert read(BoundTools({"f": {**schema, "properties": {"a": {}}}}), "f", "{'a': 1}") == {"a": 1}
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    assert read(BoundTools({"f": {"properties": {"a": {}}, "title": "other"}}), "f", "{'a': 1}") == {"a": 1}


@pytest.mark.parametrize("text", ['{"a": 1}', ' {"a": 1}\n', "{}", '{"a": 1, "a": 2}', '{"a": NaN}'])
def test_object_as_the_frameworks_read_it_is_clean(text: str) -> None:
    assert BoundTools({"f": {}}).repaired("f", text) == ("f", json.loads(text), False) or "NaN" in text


@pytest.mark.parametrize("text", ["[1]", '{"a": 1} x', '{"a": 1,', '{"a": ' * 9**5])
def test_anything_else_is_read_or_refused(text: str) -> None:
    with suppress(LLMJsonParseError):
        assert BoundTools({"f": {}}).repaired("f", text).is_changed


@given(st.fixed_dictionaries({"city": st.text()}, optional={"days": st.integers(), "tags": st.lists(st.text())}))
def test_what_is_clean_is_never_changed(data: dict[str, Any]) -> None:
    assert meant(TOOLS, "get_weather", data) is data
    assert read(TOOLS, "get_weather", f"{json.dumps(data)[:-1]},}}") == data


def test_parts_of_a_stream_are_held_back_from_the_first_call_on() -> None:
    take, end = held_back(str.isupper, lambda parts: ["".join(parts)])
    assert [[*take(part)] for part in ("a", "B", "c")] == [["a"], [], []]
    assert [*end()] == ["Bc"]
    take, end = held_back(str.isupper, lambda parts: parts)
    assert [*take("a"), *end()] == ["a"]
