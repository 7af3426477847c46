"""A list or an object that was written as JSON in a string is read with `coerce=True`, by the same reader."""

import json
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.coercion.coercion import CoercionKind
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.tool_calls import parse_tool_call, read_tool_calls


class Todo(BaseModel):
    id: int
    price: Decimal = Decimal(0)


class Plan(BaseModel):
    todos: list[Todo] = []
    first: Todo | None = None
    tags: list[str] = []
    pair: tuple[int, int] = (0, 0)
    either: list[Todo] | Todo | None = None
    text: str = ""
    loose: str | list[str] = ""


def written(**members: Any) -> str:  # noqa: ANN401 - decoded JSON
    return json.dumps(members, ensure_ascii=False)


@pytest.mark.parametrize(
    ("members", "plan"),
    [
        ({"todos": '[{"id": 1, "price": 1.10}]'}, Plan(todos=[Todo(id=1, price=Decimal("1.10"))])),
        ({"todos": " [{'id': \"1\"},]\n"}, Plan(todos=[Todo(id=1)])),
        ({"todos": '{"id": 1}'}, None),
        ({"first": '{"id": "1"}'}, Plan(first=Todo(id=1))),
        ({"first": "N/A"}, Plan()),
        ({"tags": '["a", "b"]'}, Plan(tags=["a", "b"])),
        ({"pair": "[1, 2]"}, Plan(pair=(1, 2))),
        ({"either": '[{"id": 1}]'}, Plan(either=[Todo(id=1)])),
        ({"either": '{"id": 1}'}, Plan(either=Todo(id=1))),
        ({"todos": ['{"id": 1}']}, Plan(todos=[Todo(id=1)])),
        ({"text": "[1]", "loose": '["a"]'}, Plan(text="[1]", loose='["a"]')),
    ],
)
def test_text_is_read_where_the_type_wants_a_list_or_an_object(members: dict[str, Any], plan: Plan | None) -> None:
    if plan is None:
        with pytest.raises(LLMJsonParseError, match="JSON 值"):
            parse_llm_json_output(written(**members), Plan, coerce=True)
    else:
        assert repr(parse_llm_json_output(written(**members), Plan, coerce=True)) == repr(plan)


def test_trace_has_the_text_and_what_it_says() -> None:
    (coercion,) = parse_llm_json_output_with_trace(written(todos='[{"id": 1}]'), Plan, coerce=True).decoded.coercions

    assert (coercion.kind, coercion.path) == (CoercionKind.JSON_TEXT, "$.todos")
    assert (coercion.before, coercion.after) == ('[{"id": 1}]', [{"id": 1}])


@pytest.mark.parametrize(
    "text",
    ['[{"id": 1}', '[{"id": 1}, ...]', '[{"id": 1}] [{"id": 2}]', '[{"id": 1, "id": 2}]', '[{"id": 1}] and more', "[x"],
)
def test_text_that_cannot_be_read_for_certain_is_refused(text: str) -> None:
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output(written(todos=text), Plan, coerce=True)

    assert error.value.details["validation_errors"][0]["type"] == "coercion_not_exact"
    assert error.value.details["validation_places"][0]["column"] == 11


def test_nothing_is_read_unasked() -> None:
    with pytest.raises(LLMJsonParseError, match="valid array"):
        parse_llm_json_output(written(todos="[]"), Plan)


def test_arguments_of_calls_are_read_so_too() -> None:
    arguments = written(todos='[{"id": 1}]')
    text = f'<tool_call>{{"name": "plan", "arguments": {arguments}}}</tool_call>'

    assert parse_tool_call(arguments, Plan, coerce=True) == Plan(todos=[Todo(id=1)])
    assert read_tool_calls(text, {"plan": Plan}, coerce=True)[0].arguments == Plan(todos=[Todo(id=1)])
