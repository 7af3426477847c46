"""The model's answer: one strict JSON object, without the fence around it."""

import pytest

from src.shared.application.repair_agent.answer import NotStrictJsonError, NumberText, strict_object, without_fence


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n{"a": 1}\n',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```\n',
        '~~~json\r\n{"a": 1}\r\n~~~',
        '```json\n{"a": 1}```',
    ],
)
def test_one_enclosing_fence_is_taken_off(text: str) -> None:
    assert without_fence(text) == '{"a": 1}'


@pytest.mark.parametrize(
    "text",
    [
        '```json\n```json\n{"a": 1}\n```\n```',
        '好的：\n```json\n{"a": 1}\n```',
        '```json\n{"a": 1}\n```\n希望有帮助',
        '```json\n{"a": 1}',
        "```json\n",
        "```",
        "",
        "[]",
        "1",
        '{"a": 1} {"b": 2}',
        '{"a": 1,}',
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1, "a": 1}',
        '{"b": [{"a": 1, "a": 2}]}',
        '{"a": "x\ny"}',
        '{"a":' * 100_000,
        "[" * 100_000,
    ],
)
def test_anything_but_one_strict_object_is_refused(text: str) -> None:
    with pytest.raises(NotStrictJsonError):
        strict_object(without_fence(text))


def test_reason_says_where_it_is() -> None:
    with pytest.raises(NotStrictJsonError, match=r"Expecting property name .*line 2, column 1"):
        strict_object('{"a": 1,\nb: 2}')


def test_numbers_keep_their_spelling() -> None:
    data = strict_object('{"a": [1.50, 1e400, ' + "9" * 5_000 + "]}")
    assert data["a"] == ["1.50", "1e400", "9" * 5_000]
    assert {type(number) for number in data["a"]} == {NumberText}
