"""Rows that a model ran together in one object of a list are refused with both places, or split where asked."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.read_as import reading_as
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_calls import read_tool_calls


class Row(BaseModel):
    n: str
    v: Decimal
    note: str = ""
    inner: list["Row"] = []


class Box(BaseModel):
    rows: list[Row]


class Named(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    name: str = Field(alias="n")
    v: int


class Loose(BaseModel):
    a: int = 0
    b: int = 0


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


def test_rows_run_together_are_refused_and_both_places_are_named() -> None:
    error = refusal(TOGETHER, list[Row])

    assert error.details["stage"] == "validate"
    assert kinds(error) == {"rows_run_together"}
    assert error.details["validation_errors"][0]["loc"] == (0,)
    assert columns(error) == [3, 24]
    assert error.details["position"]["column"] == 24
    assert "键 n 重新开始" in error.message


@pytest.mark.parametrize(
    ("raw", "dto_type", "places"),
    [
        ('{"rows": [{"n": "A", "v": 1, "n": "B", "v": 2}]}', Box, [12, 30]),
        ('{"rows": [{"n": "A", "v": 1, "n": "B", "v": 2},]}', Box, [12, 30]),
        ("{'rows': [{n: 'A', v: 1, n: 'B', v: 2}]}", Box, [12, 26]),
        ('{"rows": [{"n": "A", "v": 1}, {"n": "B", "v": 2, "n": "C", "v": 3}]}', Box, [32, 50]),
        ('{"rows": {"n": "A", "v": 1, "n": "B", "v": 2}}', Box, [11, 29]),
        ('{"rows": [{"v": 1, "n": "A", "v": 2, "n": "B"}]}', Box, [12, 30]),
        ('{"rows": [{"n": "A", "v": 1, "n": "B"}]}', Box, [12, 30]),
        ('{"rows": [{"n": "A", "v": 1, "note": "x", "n": "B", "v": 2}]}', Box, [12, 43]),
        ('{"rows": [{"\\u006e": "A", "v": 1, "n": "B", "v": 2}]}', Box, [12, 35]),
        ('[{"n": "A", "v": 1, "inner": [{"n": "B", "v": 1, "n": "C", "v": 2}]}]', list[Row], [32, 50]),
        ('[{"a": 1, "b": 2, "a": 3, "b": 4}]', list[Loose], [3, 19]),
        ('[{"a": 1, "b": 2, "a": 3, "b": 4}]', list[dict[str, int]], [3, 19]),
        ('[{"n": "A", "v": 1, "n": "B", "v": 2}]', list[Named], [3, 21]),
        ('[{"name": "A", "v": 1, "name": "B", "v": 2}]', tuple[Named, ...], [3, 24]),
    ],
)
def test_rows_are_found_in_every_wrapping_and_spelling(raw: str, dto_type: Any, places: list[int]) -> None:  # noqa: ANN401 - any type
    error = refusal(raw, dto_type)

    assert kinds(error) == {"rows_run_together"}
    assert columns(error) == places


def test_rows_of_a_json_schema_are_found() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"n": {}, "v": {}}, "required": ["n", "v"]}}

    assert columns(refusal('[{"n": 1, "v": 1, "n": 2, "v": 2}]', JsonSchema(schema))) == [3, 19]


@pytest.mark.parametrize(
    ("raw", "dto_type", "value"),
    [
        ('[{"n": "A", "v": 1, "v": 2}]', list[Row], [Row(n="A", v=Decimal(2))]),
        ('[{"n": "A", "n": "B", "v": 2}]', list[Row], [B]),
        (
            '[{"n": "A", "v": 1, "note": "x", "n": "B", "note": "y", "v": 2}]',
            list[Row],
            [B.model_copy(update={"note": "y"})],
        ),
        ('{"n": "A", "v": 1, "n": "B", "v": 2}', Row, B),
        ('[[{"a": 1, "b": 2, "a": 3, "b": 4}]]', list[Any], [[{"a": 3, "b": 4}]]),
    ],
)
def test_key_that_stands_twice_is_no_row_of_its_own(raw: str, dto_type: Any, value: object) -> None:  # noqa: ANN401 - any type
    parsed = parse_llm_json_output_with_trace(raw, dto_type)

    assert parsed.value == parse_llm_json_output(raw, dto_type) == value
    assert {one.kind for one in parsed.decoded.repairs} == {RepairKind.DUPLICATE_KEY}


def test_without_a_type_the_last_one_counts_as_before() -> None:
    assert decode_llm_json(TOGETHER, root="array").data == [{"n": "B", "v": 2}]
    assert type(decode_llm_json(TOGETHER + "\n", root="array", normalizers=[lambda data: data]).data[0]) is dict


@pytest.mark.parametrize(
    ("raw", "dto_type", "value"),
    [
        (TOGETHER, list[Row], [A, B]),
        ('{"rows": [{"n": "A", "v": 1.10, "n": "B", "v": 2}]}', Box, Box(rows=[A, B])),
        ("{'rows': [{n: 'A', v: 1.10, n: 'B', v: 2},]}", Box, Box(rows=[A, B])),
        ('{"rows": {"n": "A", "v": 1.10, "n": "B", "v": 2}}', Box, Box(rows=[A, B])),
        (
            '[{"n": "A", "v": 1.10}, {"n": "B", "v": 2, "n": "A", "v": 1.10}, {"n": "B", "v": 2}]',
            list[Row],
            [A, B, A, B],
        ),
        (
            '[{"n": "A", "v": 1.10, "inner": [{"n": "A", "v": 1.10, "n": "B", "v": 2}], "n": "B", "v": 2}]',
            list[Row],
            [A.model_copy(update={"inner": [A, B]}), B],
        ),
        ('[{"a": 1, "b": 2, "a": 3, "b": 4}]', list[Loose], [Loose(a=1, b=2), Loose(a=3, b=4)]),
    ],
)
def test_rows_are_split_where_the_caller_asks(raw: str, dto_type: Any, value: object) -> None:  # noqa: ANN401 - any type
    assert repr(parse_llm_json_output(raw, dto_type, run_together="split")) == repr(value)
    assert repr(parse_llm_json_output(raw, reading_as(dto_type, run_together="split"))) == repr(value)


def test_trace_names_the_brackets_that_were_missing() -> None:
    decoded = parse_llm_json_output_with_trace(TOGETHER, list[Row], run_together="split").decoded

    assert [(one.kind, one.column, one.put) for one in decoded.repairs] == [(RepairKind.MISSING_BRACKET, 24, "}, {")]
    assert [(note.stage, note.span) for note in decoded.notes if note.action == "split"] == [("root", (1, 40))]


@pytest.mark.parametrize(
    "raw",
    [
        '[{"n": "A", "v": 1, "n": "B"}]',
        '[{"n": "A", "n2": 1, "n": "B", "v": 2}]',
        '[{"n": "A", "v": 1, "v": 2, "n": "B", "v": 2}]',
    ],
)
def test_rows_of_which_one_is_not_complete_are_not_split(raw: str) -> None:
    assert kinds(refusal(raw, list[Row], run_together="split")) == {"rows_run_together"}


def test_places_of_what_is_wrong_in_a_split_row_are_not_told() -> None:
    error = refusal('[{"n": "A", "v": 1, "n": "B", "v": "x"}]', list[Row], run_together="split")

    assert error.details["validation_errors"][0]["loc"] == (1, "v")
    assert "validation_places" not in error.details


def test_json_in_a_string_is_refused_without_a_place_and_split_with_its_rows() -> None:
    raw = r'"{\"rows\": [{\"n\": \"A\", \"v\": 1.10, \"n\": \"B\", \"v\": 2}]}"'

    assert "candidates" not in refusal(raw, Box).details
    assert parse_llm_json_output(raw, Box, run_together="split") == Box(rows=[A, B])


def test_a_row_inside_a_row_that_was_split_may_be_refused() -> None:
    raw = '[{"n": "A", "v": 1, "inner": [{"n": "B", "v": 1, "n": "C"}], "n": "B", "v": 2}]'
    error = refusal(raw, list[Row], run_together="split")

    assert error.details["validation_errors"][0]["loc"] == (0, 0, "inner", 0)
    assert "candidates" not in error.details


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


@pytest.mark.parametrize(
    "layout",
    [
        lambda rows: '[{"n": "' + '", "v": 1}, {"n": "'.join(rows) + '", "v": 1}]',
        lambda rows: "[" + ",".join(f'\n  {{\n    "n": "{row}",\n    "v": 1\n  }}' for row in rows) + "\n]",
        lambda rows: "[" + ",".join(f'{{"v": 1, "n": "{row}"}}' for row in rows) + "]",
        lambda rows: "[" + ",".join(f'{{"n": "{row}", "v": 1, "inner": [{{"n": "x", "v": 2}}]}}' for row in rows) + "]",
    ],
)
def test_rows_of_their_own_are_read_in_every_layout(layout: Callable[[list[str]], str]) -> None:
    rows = ['\\"n\\"', "b", '{\\"n']

    assert [row.n for row in parse_llm_json_output(layout(rows), list[Row])] == ['"n"', "b", '{"n']
    assert len(parse_llm_json_output(layout(rows), list[dict[str, Any]])) == 3


def test_empty_list_and_a_list_of_texts_have_no_rows() -> None:
    assert parse_llm_json_output('{"rows": []}', Box) == Box(rows=[])
    assert parse_llm_json_output("[[]]", list[list[dict[str, int]]]) == [[]]


def test_key_that_stands_nowhere_runs_nothing_together() -> None:
    assert parse_llm_json_output('{\n"rows": []\n}', Box) == Box(rows=[])


@pytest.mark.parametrize("before", [",", ", ", ",  ", " , ", ",\t", ",\n", ",\r\n", "\n,", ",\n    "])
@pytest.mark.parametrize("opened", ["{", "{ ", "{\n    ", "{\t"])
def test_rows_are_found_whatever_white_space_stands_between_their_members(before: str, opened: str) -> None:
    row = f'"n": "A", "v": 1{before}"n": "B", "v": 2'
    good = f'{opened}"n": "C", "v": 3}}'

    assert kinds(refusal(f"[{good},{opened}{row}}},{good}]", list[Row])) == {"rows_run_together"}
    assert len(parse_llm_json_output(f"[{good},{good},{good}]", list[Row])) == 3
