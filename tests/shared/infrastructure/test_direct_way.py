"""The wrapping that the short way takes off, and what it leaves to the stages."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.reading.reading import UNREAD
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.target_type import target_type


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


def short_way(raw: str) -> dict[str, Any] | None:
    value = validate_directly(raw, target_type(Anything))
    return None if value is UNREAD else value.model_dump()


@pytest.mark.parametrize(
    "raw",
    [
        '```json\n{"a": 1}\n```',
        ' ```\n{"a": 1}```\n',
        '```JSON \r\n{"a": 1}\r\n```',
        '<think>{"a": 2}</think>\n{"a": 1}',
        '\n<think>x</think>```json\n{"a": 1}\n```',
        '```json\n{"a": 1, "b": "~~~"}\n```',
        '```json\n{"a": 1, "b": "```"}\n```',
    ],
)  # fmt: skip
def test_wrapping_is_taken_off(raw: str) -> None:
    found = short_way(raw)
    assert found is not None
    assert found["a"] == 1


@pytest.mark.parametrize(
    "raw",
    [
        '```python\n{"a": 1}\n```',
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        '```json\n{"a": "~~~",}\n```',
        '```json\n{"a": 1}',
        '{"a": 1}\n```',
        '<think>a</think>b</think>{"a": 1}',
        '<think>a{"a": 1}',
        '<THINK>a</THINK>{"a": 1}',
        'So {"a": 1}',
        "f({a: 1})",
        'So: {"a": 1} "b": 2}',
        'So: {"a": 1}, "b"',
        "So: {a: 1} 'b': 2",
        'So: {"a": 1} [2]',
        '"a": {"a": 1}',
        '"a" :\n{"a": 1}',
        'So [1]: {"a": 1}',
        'So {}:\n```json\n{"a": 1}\n```',
        '```json\n[{"a": 1}]\n```',
        "<think>a</think>",
        "``````",
    ],
)
def test_wrapping_that_may_be_more_is_left_to_the_stages(raw: str) -> None:
    assert short_way(raw) is None
