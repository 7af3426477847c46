"""The scenarios of the specification "unified-llm-output-parser" that speak of the parser: one test each."""

from collections.abc import Sequence
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.llm_json import parse_llm_json_output


class Signal(BaseModel):
    score: int
    signal: str = "neutral"


class Valuation(BaseModel):
    valuation_verdict: Literal["Undervalued", "Fair", "Overvalued"]


class Argument(BaseModel):
    supporting_arguments: list[str]


def refusal(raw: str | None, *, normalizers: Sequence[Normalizer] = (), context_label: str = "") -> LLMJsonParseError:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, Signal, normalizers=normalizers, context_label=context_label)
    return caught.value


# --- 统一预处理管线 -------------------------------------------------------------------------------------------


def test_clean_json_is_parsed_directly() -> None:
    """Scenario: 纯净 JSON 直接解析."""
    assert parse_llm_json_output('{"score": 85, "signal": "bullish"}', Signal) == Signal(score=85, signal="bullish")


def test_markdown_code_block_is_unwrapped() -> None:
    """Scenario: Markdown 代码块包裹."""
    assert parse_llm_json_output('```json\n{"score": 85}\n```', Signal) == Signal(score=85)


def test_think_tag_and_markdown_code_block_are_stripped() -> None:
    """Scenario: think 标签 + Markdown 代码块."""
    raw = '<think>推理过程...</think>\n```json\n{"score": 85}\n```  '
    assert parse_llm_json_output(raw, Signal) == Signal(score=85)


def test_prose_before_and_after_the_json_is_passed_over() -> None:
    """Scenario: JSON 前后附带说明文字."""
    raw = '以下是分析结果：\n{"score": 85, "signal": "bullish"}\n以上为分析。'
    assert parse_llm_json_output(raw, Signal) == Signal(score=85, signal="bullish")


def test_literal_newline_inside_a_string_is_escaped() -> None:
    """Scenario: 字符串值内含字面换行."""
    raw = '{"score": 85, "signal": "第一行\n第二行"}'
    assert parse_llm_json_output(raw, Signal).signal == "第一行\n第二行"


def test_wholly_illegal_content_is_refused_with_the_json_error() -> None:
    """Scenario: 完全非法内容."""
    assert refusal("我无法完成这个任务").details["json_error"]


@pytest.mark.parametrize("raw", ["", None], ids=["empty string", "None"])
def test_empty_return_is_refused_as_empty(raw: str | None) -> None:
    """Scenario: 空返回."""
    assert "为空" in refusal(raw).message


def test_root_array_is_refused_because_the_root_must_be_an_object() -> None:
    """Scenario: JSON 根节点为数组."""
    assert "根节点须为对象" in refusal('[{"item": 1}]').message


# --- 泛型 Pydantic 校验 ---------------------------------------------------------------------------------------


def test_valid_fields_give_an_instance_with_every_value() -> None:
    """Scenario: 字段校验成功."""
    result = parse_llm_json_output('{"signal": "看多", "score": 7}', Signal)
    assert (type(result), result.model_dump()) == (Signal, {"score": 7, "signal": "看多"})


def test_missing_required_field_is_named_with_its_place_and_message() -> None:
    """Scenario: 必填字段缺失."""
    errors = refusal('{"signal": "bullish"}').details["validation_errors"]
    assert errors == [{"loc": ("score",), "type": "missing", "msg": "Field required"}]


def test_wrong_field_type_is_named_with_its_details() -> None:
    """Scenario: 字段类型错误."""
    errors = refusal('{"score": "很高"}').details["validation_errors"]
    assert [(error["loc"], error["type"]) for error in errors] == [(("score",), "int_parsing")]


# --- 可选归一化钩子 -------------------------------------------------------------------------------------------


def test_enum_value_is_normalized_before_validation() -> None:
    """Scenario: 枚举值归一化."""

    def to_english(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"valuation_verdict": data["valuation_verdict"].partition(" (")[0]}

    raw = '{"valuation_verdict": "Undervalued (低估)"}'
    assert parse_llm_json_output(raw, Valuation, normalizers=[to_english]).valuation_verdict == "Undervalued"


def test_array_of_objects_is_normalized_to_a_list_of_strings() -> None:
    """Scenario: 对象数组归一化为字符串列表."""

    def to_strings(data: dict[str, Any]) -> dict[str, Any]:
        return {"supporting_arguments": [f"{a['dimension']}: {a['argument']}" for a in data["supporting_arguments"]]}

    raw = '{"supporting_arguments": [{"dimension": "估值", "argument": "偏低"}]}'
    assert parse_llm_json_output(raw, Argument, normalizers=[to_strings]).supporting_arguments == ["估值: 偏低"]


@pytest.mark.parametrize("options", [{}, {"normalizers": None}, {"normalizers": []}], ids=["absent", "None", "empty"])
def test_without_hooks_validation_follows_directly(options: dict[str, Any]) -> None:
    """Scenario: 无钩子时直接校验."""
    assert parse_llm_json_output('{"score": 85}', Signal, **options) == Signal(score=85)


def test_exception_in_a_hook_is_reported_with_a_summary_of_the_object() -> None:
    """Scenario: 钩子执行异常."""

    def wants_a_field(data: dict[str, Any]) -> dict[str, Any]:
        return {"score": data["分数"]}

    details = refusal('{"score": 85}', normalizers=[wants_a_field]).details
    assert (details["normalizer_error"], details["data_summary"]) == ("KeyError: '分数'", '{"score": 85}')


# --- 通用异常类型 LLMJsonParseError ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "fact"),
    [("", "json_error"), ("无", "json_error"), ("[{}]", "json_error"), ("{}", "validation_errors")],
    ids=["empty", "extract", "root", "validate"],
)
def test_unified_parser_raises_its_own_error_with_message_and_details(raw: str, fact: str) -> None:
    """Scenario: 统一处理器抛出 LLMJsonParseError."""
    error = refusal(raw)
    assert isinstance(error, AppException)
    assert (type(error), bool(error.message)) == (LLMJsonParseError, True)
    assert {"raw_length", fact} <= set(error.details)


# --- 上下文标签用于日志 ---------------------------------------------------------------------------------------


def test_labelled_failure_is_logged_with_label_and_excerpt() -> None:
    """Scenario: 带标签的失败日志."""
    with capture_logs() as logs:
        refusal("无法审计。" * 1000, context_label="财务审计员")
    assert [(log["log_level"], log["context_label"]) for log in logs] == [("warning", "财务审计员")]
    assert 0 < len(logs[0]["excerpt"]) < 500


def test_without_a_label_the_log_uses_an_empty_one() -> None:
    """Scenario: 无标签时使用默认."""
    with capture_logs() as logs:
        refusal("无法审计。")
    assert [log["context_label"] for log in logs] == [""]
