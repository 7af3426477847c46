"""JSON Lines, and objects in a row, are a list where the type asks for one and the end of them is shown."""

from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace


class Item(BaseModel):
    a: int
    b: str = ""


class Box(BaseModel):
    title: str = ""
    items: list[Item]
    end: int = 0


ONE, TWO = Item(a=1), Item(a=2)


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": 1}\n{"a": 2}',
        '{"a": 1}\n{"a": 2}\n',
        '{"a": 1}, {"a": 2}',
        '{"a": 1},\n{"a": 2},\n',
        '{"a": 1}{"a": 2}',
        '```json\n{"a": 1}\n{"a": 2}\n```',
        '```jsonl\n{"a": 1}\n{"a": 2}\n```\nThat is all.',
        "{'a': 1}\n{a: 2,}",
        'Here are the items:\n{"a": 1}\n{"a": 2}\n\nThat is all.',
        '<think>hm</think>\n{"a": 1}\n{"a": 2}',
    ],
)
def test_objects_in_a_row_are_the_list_of_a_text_that_is_finished(raw: str) -> None:
    assert parse_llm_json_output(raw, list[Item], finished=True) == [ONE, TWO]


@pytest.mark.parametrize("raw", ['```json\n{"a": 1}\n{"a": 2}\n```', 'Items:\n{"a": 1}\n{"a": 2}\nDone.'])
def test_text_behind_them_shows_their_end(raw: str) -> None:
    assert parse_llm_json_output(raw, list[Item]) == [ONE, TWO]


@pytest.mark.parametrize("raw", ['{"a": 1}\n{"a": 2}', '{"a": 1},\n{"a": 2},\n', '```json\n{"a": 1}\n{"a": 2}\n'])
def test_at_the_bare_end_of_a_text_more_rows_may_be_missing(raw: str) -> None:
    with pytest.raises(LLMJsonParseError, match="finished=True") as error:
        parse_llm_json_output(raw, list[Item])

    assert error.value.details["truncated"] is True
    assert error.value.details["position"]["offset"] == raw.rindex("}") + 1


def test_trace_names_the_brackets_and_commas_that_are_missing() -> None:
    repairs = parse_llm_json_output_with_trace('{"a": 1}\n{"a": 2,}', list[Item], finished=True).decoded.repairs

    assert [(one.kind, one.line, one.column, one.put) for one in repairs] == [
        (RepairKind.MISSING_BRACKET, 1, 1, "["),
        (RepairKind.MISSING_COMMA, 1, 9, ","),
        (RepairKind.TRAILING_COMMA, 2, 8, ""),
        (RepairKind.MISSING_BRACKET, 2, 10, "]"),
    ]


def test_a_thousand_lines_are_read() -> None:
    raw = "\n".join(f'{{"a": {at}}}' for at in range(1000))

    assert [one.a for one in parse_llm_json_output(raw, list[Item], finished=True)] == list(range(1000))


@pytest.mark.parametrize(
    ("raw", "dto_type", "message"),
    [
        ('{"a": 1}\n{"a": 2}', Item, "多个不同的 JSON 对象"),
        ('{"a": 1}\nor\n{"a": 2}', list[Item], "根节点须为数组"),
        ('{"a": 1}', list[Item], "根节点须为数组"),
        ('{"a": 1}\n{"a": 2}\n[{"a": 3}]', list[Item], "多个不同的 JSON 对象"),
        ('{"a": 1}\n{"a": 2}\n{"a":', list[Item], "截断"),
        ('{"a": 1}\n{"a": 2}\n{"a": "x"}', list[Item], "不符合契约"),
        ('{"a": 1}\n{"a": 2, "b": "x", "a": 3, "b": "y"}', list[Item], "键 a 重新开始"),
    ],
)
def test_what_is_no_row_of_objects_is_refused_as_before(raw: str, dto_type: Any, message: str) -> None:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError, match=message):
        parse_llm_json_output(raw, dto_type, finished=True)


@pytest.mark.parametrize(
    ("raw", "box"),
    [
        ('{"items": {"a": 1}, {"a": 2}}', Box(items=[ONE, TWO])),
        ('{"title": "t", "items": {"a": 1}, {"a": 2}, "end": 3}', Box(title="t", items=[ONE, TWO], end=3)),
        ('{"items": {"a": 1},\n {"a": 2},}', Box(items=[ONE, TWO])),
        ('{"items": {"a": 1}, {"a": 2, b: "x"}, "end": 3,}', Box(items=[ONE, Item(a=2, b="x")], end=3)),
        ('```json\n{"items": {"a": 1}, {"a": 2}}\n```', Box(items=[ONE, TWO])),
    ],
)
def test_brackets_of_a_list_may_be_forgotten_inside_an_object(raw: str, box: Box) -> None:
    parsed = parse_llm_json_output_with_trace(raw, Box)
    put = [one.put for one in parsed.decoded.repairs if one.kind is RepairKind.MISSING_BRACKET]

    assert parsed.value == box
    assert put == ["[", "]"]


@pytest.mark.parametrize(
    ("raw", "dto_type"),
    [
        ('{"items": {"a": 1}, {"a": 2}', Box),
        ('{"items": {"a": 1}, {"a": "x"}}', Box),
        ('{"title": {"a": 1}, {"a": 2}, "items": []}', Box),
        ('{"items": {"a": 1}, {"a": 2}}', Item),
        ('{"items" {"a": 1}, {"a": 2}}', Box),
        ('{"items": {"a": 1}, {"a": 2}} {"items', Box),
        ('{"items": {"a": 1}, {"a": 2}, "end": }', Box),
        ("[{", list[Item]),
    ],
)
def test_other_brackets_stay_forgotten(raw: str, dto_type: Any) -> None:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError, match=r"JSON|契约"):
        parse_llm_json_output(raw, dto_type)
