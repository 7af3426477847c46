"""Rows that a model ran together in one object of a list are refused with both places, or split where asked."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.read_as import reading_as
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_calls import read_tool_calls


class Row(BaseModel):
    n: str
    v: Decimal
    note: str = ""
    inner: list["Row"] = []


class Box(BaseModel):
    rows: list[Row]


A, B = Row(n="A", v=Decimal("1.10")), Row(n="B", v=Decimal(2))
TOGETHER = '[{"n": "A", "v": 1.10, "n": "B", "v": 2}]'


def refusal(raw: str, dto_type: Any, **options: Any) -> LLMJsonParseError:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output(raw, dto_type, **options)
    with pytest.raises(LLMJsonParseError) as traced:
        parse_llm_json_output_with_trace(raw, dto_type, **options)
    assert traced.value.details == error.value.details
    return error.value


def columns(error: LLMJsonParseError) -> list[int]:
    return [place["column"] for place in error.details["candidates"]]


def kinds(error: LLMJsonParseError) -> set[str]:
    return {problem["type"] for problem in error.details["validation_errors"]}


def test_rows_of_a_json_schema_are_found() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"n": {}, "v": {}}, "required": ["n", "v"]}}

    assert columns(refusal('[{"n": 1, "v": 1, "n": 2, "v": 2}]', JsonSchema(schema))) == [3, 19]


@pytest.mark.parametrize("split", [False, True])
def test_calls_of_tools_are_read_so_too(split: bool) -> None:  # noqa: FBT001 - both cases of one test
    tools: dict[str, Any] = {"add": reading_as(Box, run_together="split") if split else Box}
    raw = '<tool_call>{"name": "add", "arguments": {"rows": [{"n": "A", "v": 1.10, "n": "B", "v": 2}]}}</tool_call>'

    if split:
        assert read_tool_calls(raw, tools)[0].arguments == Box(rows=[A, B])
        return
    with pytest.raises(LLMJsonParseError) as error:
        read_tool_calls(raw, tools)
    assert kinds(error.value) == {"rows_run_together"}


@pytest.mark.parametrize(
    ("dto_type", "rows"), [(list[Row], None), (reading_as(list[Row], run_together="split"), [A, B])]
)
def test_stream_takes_nothing_back(dto_type: Any, rows: object) -> None:  # noqa: ANN401 - any type
    stream: LLMJsonStream[Any] = LLMJsonStream(dto_type)
    for char in TOGETHER:
        shown = stream.feed(char)

    assert (shown.state, shown.data) == ("unsure", [{"n": "A"}])
    if rows:
        assert stream.close() == rows
        return
    with pytest.raises(LLMJsonParseError) as error:
        stream.close()
    assert kinds(error.value) == {"rows_run_together"}
