"""The plain way: which texts take it in every call, and that nothing is worked out that nobody looks at."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.reading.reading import UNREAD
from src.shared.infrastructure.llm_json import (
    DecodedJson,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.parsing import plain as plain_way
from src.shared.infrastructure.parsing import stages
from src.shared.infrastructure.parsing.plain import plain, validate_directly
from src.shared.infrastructure.parsing.state import ParseState
from src.shared.infrastructure.parsing.target_type import MARKED_LIMIT, target_type
from tests.shared.reading import Score

PLAIN = [
    '{"score": 1}',
    ' \n{"score": 1}\n',
    '```json\n{"score": 1}\n```',
    'Here it is:\n```json\n{"score": 1}\n```\nI hope it helps.',
    '<think>Let me [see] {x}.</think>\n{"score": 1}',
    '<think>\nyes\n</think>\n```json\n{"score": 1}\n```',
    'Here it is:\n{"score": 1}\nI hope it helps.',
    '<think>yes</think>\nHere it is: {"score": 1}',
    '<tool_call>\n{"score": 1}\n</tool_call>',
    '<|im_start|>\n{"score": 1}\n<|im_end|>',
    '```json\n{"score": 1}\n```</s>',
]
MENDED = [
    '{"score": 1,}',
    "Here it is:\n```json\n{'score': 1}\n```\nI hope it helps.",
    'The function `f` gives:\n``` json\n{"score": 1,}\n```\n',
    "<think>It is 1.</think>\n{'score': 1}",
    'Here it is: {"score": 1,}\nSo it is "one".',
    '<think>a</think>{"score": 1, "formula": "\t\\times"}',
]
"""Damaged in their usual wrapping."""
NOT_PLAIN = [
    "['a', {'score': 1}] <think>x</think>",
    "['<think>', {'score': 1}]",
    '["a" {"score": 1}]',
    'Here it is: {"score": 1, "of": [1, 2}\n',
    '```json\n{"score": 1}',
    '{"score": 1} or {"score": 1}',
    "[think]x[/think]{}",
]


def hook(data: dict[str, Any]) -> dict[str, Any]:
    return data | {"hooked": True}


CALLS: dict[str, Callable[[str], object]] = {
    "parse": lambda raw: parse_llm_json_output(raw, Score),
    "trace": lambda raw: parse_llm_json_output_with_trace(raw, Score).decoded.notes,
    "decode": lambda raw: decode_llm_json(raw).notes,
    "normalizers": lambda raw: parse_llm_json_output(raw, Score, normalizers=[hook]),
    "trace and normalizers": lambda raw: parse_llm_json_output_with_trace(raw, Score, normalizers=[hook]).decoded.notes,
}


TOO_DEEP = 100_000
"""Levels that no version of Python's decoder reads."""


class TookTheStagesError(Exception):
    """What stands in for the stages raises it."""


def took(*_: object) -> NoReturn:
    raise TookTheStagesError


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("raw", [*PLAIN, *MENDED])
def test_plain_text_needs_no_stage_in_any_call(
    raw: str, call: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "search", took)

    assert call(raw)


def test_damaged_list_that_is_all_there_is_is_read_without_a_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "search", took)

    assert decode_llm_json("['a', {'score': 1}]").data == ["a", {"score": 1}]
    with pytest.raises(TookTheStagesError):
        parse_llm_json_output("['a', {'score': 1}]", Score)


@pytest.mark.parametrize("comma", ["", ","])
def test_call_that_is_all_there_is_is_decoded_without_a_stage(comma: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "search", took)
    raw = f'<tool_call>\n{{"name": "f", "arguments": {{"score": 1{comma}}}}}\n</tool_call>'

    assert decode_llm_json(raw).data == {"name": "f", "arguments": {"score": 1}}
    with pytest.raises(TookTheStagesError):
        parse_llm_json_output(raw, Score)


@pytest.mark.parametrize("raw", NOT_PLAIN)
def test_other_text_is_for_the_stages(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "search", took)

    with pytest.raises(TookTheStagesError):
        decode_llm_json(raw)


@pytest.mark.parametrize("raw", PLAIN)
def test_trace_of_plain_text_is_decoded_when_somebody_looks_at_it(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = decode_llm_json(raw)
    assert expected.notes
    read: list[str] = []

    def counted(state: ParseState) -> ParseState:
        read.append(state.raw)
        return plain(state)

    monkeypatch.setattr(plain_way, "plain", counted)

    parsed = parse_llm_json_output_with_trace(raw, Score)

    assert (parsed.value, read) == (Score(score=1), [])
    assert parsed.decoded == expected
    assert parsed.decoded.data is parsed.decoded.data
    assert read == [raw]


def test_repairs_are_located_when_somebody_looks_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.shared.infrastructure.parsing.state.repairs_of", took)
    decoded = decode_llm_json('{"score": 1,}')
    assert decoded.data == {"score": 1}

    with pytest.raises(TookTheStagesError):
        _ = decoded.repairs


def test_key_that_stands_twice_in_plain_text_is_in_the_trace() -> None:
    parsed = parse_llm_json_output_with_trace('{"score": 0, "score": 1}', Score)

    assert [repair.kind.value for repair in parsed.decoded.repairs] == ["duplicate_key"]


def test_hooks_run_once_on_plain_text_that_is_refused() -> None:
    seen: list[object] = []

    def note(data: object) -> object:
        seen.append(data)
        return data

    with pytest.raises(LLMJsonParseError, match="不符合契约"):
        parse_llm_json_output('{"score": "x"}', Score, normalizers=[note])

    assert seen == [{"score": "x"}]


def test_what_is_decoded_later_is_the_same_as_what_is_there_at_once() -> None:
    at_once = DecodedJson({"score": 1}, (), False, decode_llm_json('{"score": 1}').notes)  # noqa: FBT003 - its field

    assert decode_llm_json('{"score": 1}') == at_once
    assert repr(decode_llm_json('{"score": 1}')) == repr(at_once)
    assert copy.deepcopy(decode_llm_json('{"score": 1}')) == at_once
    assert pickle.loads(pickle.dumps(decode_llm_json('{"score": 1}'))) == at_once  # noqa: S301 - our own
    assert dataclasses.replace(decode_llm_json('{"score": 2}'), data={"score": 1}) == at_once


def test_decoded_json_cannot_be_changed_and_has_no_other_attributes() -> None:
    decoded: Any = decode_llm_json('{"score": 1}')

    with pytest.raises(dataclasses.FrozenInstanceError):
        decoded.repairs = ()
    with pytest.raises(AttributeError, match="repair"):
        _ = decoded.repair


@pytest.mark.parametrize(
    "raw",
    [
        '<plan>\n{"score": 1}\n</plan>',
        '<tool_call>\n{"score": 1}\n</tool_call>\n<think>x</think>',
        '<|channel|>final<|message|>{"score": 1}',
        '"x":\n{"score": 1}',
        "Text:" + " " * 200 + '{"score": 1}',
        '{"score": ' + "[" * 100_000,
    ],
)
def test_text_that_only_looks_plain_is_for_the_stages(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "search", took)

    with pytest.raises(TookTheStagesError):
        decode_llm_json(raw)


def test_nesting_beyond_the_decoder_is_for_the_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "search", took)
    with pytest.raises(TookTheStagesError):
        decode_llm_json('{"a": ' * TOO_DEEP + "1" + "}" * TOO_DEEP)


@pytest.mark.parametrize("raw", ["\ud800", '{"score": 1, "x": "\ud800"}'])
def test_text_whose_characters_cannot_be_encoded_is_left_to_the_long_way(raw: str) -> None:
    assert validate_directly(raw, target_type(Score)) is UNREAD


def test_key_of_the_type_is_seen_in_marks_as_far_as_the_bound() -> None:
    keys = ["score".ljust(MARKED_LIMIT + more) for more in (0, 1)]
    assert [target_type(Score).marked_keys({key: 1}) for key in keys] == [{keys[0]}, set()]
