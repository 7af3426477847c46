"""Regular damage is undone without the reader, where the strict decoder proves that no string was touched."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.parsing.fast.direct import validate_directly
from src.shared.infrastructure.parsing.target_type import target_type


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


def short_way(raw: str) -> tuple[dict[str, Any], dict[K, int]] | None:
    direct = validate_directly(raw, target_type(Anything))
    return direct and (direct.value.model_dump(), dict(direct.mended.counted()) if direct.mended else {})


@pytest.mark.parametrize(
    ("raw", "value", "kinds"),
    [
        ("{'a': 'b', 'c': ['']}", {"a": "b", "c": [""]}, {K.SINGLE_QUOTE: 4}),
        ('{"a": \'b\', \'c\': ["it\'s", \'\']}', {"a": "b", "c": ["it's", ""]}, {K.SINGLE_QUOTE: 3}),
        ("{'a': '他说“好”'}", {"a": "他说“好”"}, {K.SINGLE_QUOTE: 2}),
        ("{“a”: “b, c”}", {"a": "b, c"}, {K.SMART_QUOTE: 2}),
        ('{"a": “b”, “c”: "他说“好”，走了"}', {"a": "b", "c": "他说“好”，走了"}, {K.SMART_QUOTE: 2}),
        ("｛“a”：［1，2］｝", {"a": [1, 2]}, {K.SMART_QUOTE: 1, K.FULL_WIDTH_PUNCTUATION: 6}),
        ('{"a"："甲，乙：丙"，"b": 1}', {"a": "甲，乙：丙", "b": 1}, {K.FULL_WIDTH_PUNCTUATION: 2}),
        ("{a: 1,\n b_2 : {$c: [{d: 2}]}}", {"a": 1, "b_2": {"$c": [{"d": 2}]}}, {K.UNQUOTED_KEY: 4}),
        ('{"a": "x\ny\tz\r", "b": "\\"\n"}', {"a": "x\ny\tz\r", "b": '"\n'}, {K.CONTROL_CHARACTER: 4}),
        ('{"a": [1, 2, ],\n}', {"a": [1, 2]}, {K.TRAILING_COMMA: 2}),
        ('{"a": True, "b": [False,None]}', {"a": True, "b": [False, None]}, {K.PYTHON_LITERAL: 3}),
        ('{"a": "b\\\\\n"}', {"a": "b\\\n"}, {K.CONTROL_CHARACTER: 1}),
        ('{"a"：[1，]}', {"a": [1]}, {K.FULL_WIDTH_PUNCTUATION: 1, K.TRAILING_COMMA: 1}),
        ("{'a': 'it's', 'b': 1}", {"a": "it's", "b": 1}, {K.SINGLE_QUOTE: 2 + 1, K.UNESCAPED_QUOTE: 1}),
        ("{a: 'b', 'c': None,}", {"a": "b", "c": None},
         {K.UNQUOTED_KEY: 1, K.SINGLE_QUOTE: 2, K.PYTHON_LITERAL: 1, K.TRAILING_COMMA: 1}),
        ('{"a": [1,], "b": "x\n"}', {"a": [1], "b": "x\n"}, {K.TRAILING_COMMA: 1, K.CONTROL_CHARACTER: 1}),
    ],
)  # fmt: skip
def test_regular_damage_is_undone_and_counted(raw: str, value: dict[str, Any], kinds: dict[K, int]) -> None:
    assert short_way(raw) == (value, kinds)


@pytest.mark.parametrize(
    ("raw", "value", "kind"),
    [
        ('{"a": "x, ] y", "b": [1,]}', {"a": "x, ] y", "b": [1]}, K.TRAILING_COMMA),
        ('{"a": "x, y: z", b: 1}', {"a": "x, y: z", "b": 1}, K.UNQUOTED_KEY),
        ('{"a": "{x: 1}", b: 1}', {"a": "{x: 1}", "b": 1}, K.UNQUOTED_KEY),
        ('{"a": "= [\'b\', 1]", "c": \'d\'}', {"a": "= ['b', 1]", "c": "d"}, K.SINGLE_QUOTE),
        ("{\"a\": \"', '，', '\", \"c\": 'd'}", {"a": "', '，', '", "c": "d"}, K.SINGLE_QUOTE),
        ('{"a": "see “b”, c", “d”: 1}', {"a": "see “b”, c", "d": 1}, K.SMART_QUOTE),
        ('{"a": "one of [None, True]", "b": None}', {"a": "one of [None, True]", "b": None}, K.PYTHON_LITERAL),
        ("{'a': 'say \"b\"'}", {"a": 'say "b"'}, K.SINGLE_QUOTE),
        ('{"a": "\\"，x"，"b": 1}', {"a": '"，x', "b": 1}, K.FULL_WIDTH_PUNCTUATION),
        ('{"a": "say "b", he said, "c", d"}', {"a": 'say "b", he said, "c", d'}, K.UNESCAPED_QUOTE),
    ],
)
def test_damage_that_also_stands_inside_strings_is_undone_token_by_token(
    raw: str, value: dict[str, Any], kind: K
) -> None:
    found = short_way(raw)
    assert found is not None
    assert (found[0], set(found[1])) == (value, {kind})


@pytest.mark.parametrize(
    "raw",
    [
        "{'a': 'dogs' tails', 'b': 1}",
        '{"a": "b\\\n", "c": "d\n"}',
        "{“a”：“b\\”，“c”：1}",
        "{'a': 'b\nc'}",
        '{"a": "$\\to$", b: 1}',
        '{"a": 1,, "b": 2}',
        '{"a": 1 "b": 2}',
        '{"a": 1, b: 2, c}',
        '{"a": 1',
        "{,}",
    ],
)
def test_damage_that_has_to_be_judged_is_left_to_the_reader(raw: str) -> None:
    assert short_way(raw) is None


@pytest.mark.parametrize(
    "raw",
    [
        '```json\n{"a": 1}\n```',
        ' ```\n{"a": 1}```\n',
        "```JSON \r\n{a: 1}\r\n```",
        '<think>{"a": 2}</think>\n{"a": 1,}',
        '\n<think>x</think>```json\n{"a": 1}\n```',
        '```json\n{"a": 1, "b": "~~~"}\n```',
        '```json\n{"a": 1, "b": "```"}\n```',
    ],
)  # fmt: skip
def test_wrapping_is_taken_off(raw: str) -> None:
    found = short_way(raw)
    assert found is not None
    assert found[0]["a"] == 1


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
