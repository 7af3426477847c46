"""`decode_llm_json`: which root is looked for, and the normalizers and the label that `parse_llm_json_output` has."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import NO_OBJECT, SEVERAL_OBJECTS, TRUNCATED, TWO_READINGS, Reason
from src.shared.infrastructure.llm_json import decode_llm_json


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ("[1]", [1]),
        ("[]", []),
        ("The list: [1, 2].", [1, 2]),
        ('Rows: [{"a": 1}] as asked', [{"a": 1}]),
        ("['a', 'b']", ["a", "b"]),
        ("```\n[1, 2]\n```", [1, 2]),
    ],
)
def test_array_is_found_where_one_is_asked_for(raw: str, data: list[Any]) -> None:
    assert decode_llm_json(raw, root="array").data == data
    assert decode_llm_json(raw, root="any").data == data


@pytest.mark.parametrize("raw", ['{"a": [1]}', 'So: {"a": [1]} as asked'])
def test_object_is_found_where_either_may_be(raw: str) -> None:
    assert decode_llm_json(raw, root="any").data == {"a": [1]}
    with pytest.raises(LLMJsonParseError, match="根节点须为数组"):
        decode_llm_json(raw, root="array")


def test_object_and_array_side_by_side_are_refused() -> None:
    with pytest.raises(LLMJsonParseError, match="several different objects"):
        decode_llm_json('{"a": 1} [2]', root="any")


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ("[1]", [1]),
        ("[]", []),
        ("['a', 'b',]", ["a", "b"]),
        ("<think>so</think>[1, 2]", [1, 2]),
        ("Here it is:\n```json\n[1, 2]\n```\nDone.", [1, 2]),
        ('Rows: [{"a": 1}] as asked', [{"a": 1}]),
        ('["x"] and {"a": 1}', {"a": 1}),
    ],
)
def test_array_is_read_where_nothing_is_said_and_it_is_the_whole_answer(raw: str, data: object) -> None:
    assert decode_llm_json(raw).data == data


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("The list: [1, 2].", NO_OBJECT),
        ("See [1] and [2].", NO_OBJECT),
        ("```json\n[1, 2]\n```\n```json\n[1, 3]\n```", NO_OBJECT),
        ('[{"a": 1}] and {"a": 2}', SEVERAL_OBJECTS),
        ('```json\n[1, 2]\n```\nor {"a": 1}', SEVERAL_OBJECTS),
        ("[1, 2", TRUNCATED),
    ],
)
def test_array_in_prose_or_beside_an_object_is_no_answer(raw: str, reason: Reason) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        decode_llm_json(raw)
    assert caught.value.details["json_error"] == reason.en


@pytest.mark.parametrize("raw", ['[{"a": 1}\n```', '```json\n[{"a": 1}\n```', '{{"a": 1}, {"b": 2}}', '["x", "y"}'])
def test_array_whose_own_brackets_were_mended_may_as_well_be_an_object(raw: str) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        decode_llm_json(raw)
    assert caught.value.details["json_error"] == TWO_READINGS.en


def test_array_whose_inner_brackets_were_mended_is_read() -> None:
    assert decode_llm_json('[{"a": [1}]').data == [{"a": [1]}]


def test_array_is_refused_where_an_object_is_asked_for() -> None:
    with pytest.raises(LLMJsonParseError, match="根节点须为对象"):
        decode_llm_json("[1]", root="object")


def test_complete_elements_of_a_cut_array_are_kept_with_salvage() -> None:
    decoded = decode_llm_json('[{"a": 1}, {"b', root="array", salvage=True)
    assert (decoded.data, decoded.truncated) == ([{"a": 1}], True)


def test_root_of_another_name_is_a_mistake_of_the_programs() -> None:
    with pytest.raises(ValueError, match="one of object, array, any, not 'list'"):
        decode_llm_json("[1]", root="list")  # type: ignore[call-overload]


def test_normalizers_run_on_the_decoded_data() -> None:
    assert decode_llm_json('{"a": 1}', normalizers=[lambda data: data | {"b": 2}]).data == {"a": 1, "b": 2}
    assert decode_llm_json("[1]", root="array", normalizers=[lambda data: [*data, 2]]).data == [1, 2]


def test_label_goes_to_the_log() -> None:
    with capture_logs() as logs, pytest.raises(LLMJsonParseError, match=NO_OBJECT.en):
        decode_llm_json("no", context_label="裁决")
    assert logs[0]["context_label"] == "裁决"
