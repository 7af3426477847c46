"""`call_with_json`, as the specification "unified JSON response formats" has it."""

from contextlib import suppress
from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter
from structlog.testing import capture_logs

from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.partial import Partial
from src.shared.domain.prompt import JSON_SCHEMA_REQUIREMENT
from src.shared.domain.read_as import reading_as
from src.shared.infrastructure.events.library_log import EXCERPT_VARIABLE
from tests.shared.application.typed import Grade, typed

pytestmark = pytest.mark.anyio

GOOD = '{"score": 80}'
HIGH = '{"score": 180}'
ONCE = Budget(max_retries=0)


async def test_requirement_and_description_are_added_to_the_prompt() -> None:
    llm, scripted, _ = typed(GOOD)
    await llm.call_with_json("Grade it.", output_model=Grade)
    prompt = scripted.calls[0].prompt
    assert prompt.startswith("Grade it.\n")
    assert JSON_SCHEMA_REQUIREMENT in prompt
    assert '"score"' in prompt


async def test_requirement_is_added_once() -> None:
    llm, scripted, _ = typed(HIGH, GOOD)
    await llm.call_with_json(f"Grade it.\n\n{JSON_SCHEMA_REQUIREMENT}", output_model=Grade)
    assert [call.prompt.count(JSON_SCHEMA_REQUIREMENT) for call in scripted.calls] == [1, 1]


async def test_answer_is_an_array_where_a_list_is_asked_for() -> None:
    llm, scripted, _ = typed("no", '[{"score": 80}]')
    assert await llm.call_with_json("Grade them.", output_model=list[Grade]) == [Grade(score=80)]
    first, second = (call.prompt for call in scripted.calls)
    assert "Output ONLY the raw JSON array." in first
    assert "\nShape of the array (" in first
    assert second.endswith("\nAnswer with the corrected, complete JSON array only.")


@pytest.mark.parametrize(
    ("asked", "language", "again"),
    [
        (
            "Grade it.",
            "both",
            "\n\n# your previous answer could not be used\nnot valid JSON: no JSON object",
        ),
        ("请评分。", "both", "\n\n# 上一次的回答无法使用\n不是合法 JSON：未找到 JSON 对象\n"),
        ("Grade it.", "zh", "\n\n# 上一次的回答无法使用\n不是合法 JSON：未找到 JSON 对象\n"),
    ],
)
async def test_model_is_told_in_the_language_of_the_prompt_unless_one_is_asked_for(
    asked: str, language: str, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_OUTPUT_LANG", language)
    llm, scripted, _ = typed("no", GOOD)
    await llm.call_with_json(asked, output_model=Grade)
    assert again in scripted.calls[1].prompt


async def test_answer_is_one_of_a_union() -> None:
    either: TypeAdapter[Grade | list[Grade]] = TypeAdapter(Grade | list[Grade])
    llm, scripted, _ = typed('[{"score": 80}]')
    assert await llm.call_with_json("Grade them.", output_model=either) == [Grade(score=80)]
    assert "Output ONLY the raw JSON object or array." in scripted.calls[0].prompt


@pytest.mark.parametrize(
    ("output_model", "name", "is_object"),
    [(Grade, "Grade", True), (list[Grade], "list_Grade", False), (dict[str, Grade], "dict_str_Grade", True)],
)
async def test_provider_is_told_whether_the_answer_is_an_object(
    output_model: type[object], name: str, *, is_object: bool
) -> None:
    llm, scripted, _ = typed(*['{"score": 80}'] * 3)
    with suppress(LLMJsonParseError):
        await llm.call_with_json("Grade.", output_model=output_model)
    schema = scripted.calls[0].output_schema
    assert schema is not None
    assert (schema.name, schema.is_object) == (name, is_object)
    assert schema.json_schema == TypeAdapter(output_model).json_schema()


async def test_type_that_is_no_answer_is_refused_before_the_model_is_asked() -> None:
    llm, scripted, _ = typed(GOOD)
    with pytest.raises(TypeError, match="neither an object nor an array"):
        await llm.call_with_json("Grade it.", output_model=int)
    assert scripted.calls == []


async def test_answer_is_one_value_where_the_type_says_so() -> None:
    llm, scripted, _ = typed("Perhaps 80?", "The grade is high.", "The answer is 80.")
    one_value = reading_as(Annotated[int, Field(le=100)], scalar=True)
    assert await llm.call_with_json("Grade it.", output_model=one_value) == 80
    first, second, _ = (call.prompt for call in scripted.calls)
    assert "Output ONLY the raw JSON value." in first
    assert second.endswith("\nAnswer with the value alone.")


async def test_one_value_is_not_mended_in_parts() -> None:
    llm, _, _ = typed("Answer: 180", "80")
    one_value = reading_as(Annotated[int, Field(le=100)], scalar=True)
    assert await llm.call_with_json("Grade it.", output_model=one_value, keep="good") == Partial(80)


async def test_call_is_logged() -> None:
    llm, _, _ = typed(GOOD)
    with capture_logs() as logs:
        await llm.call_with_json("Grade it.", output_model=Grade)
    assert [log["event"] for log in logs] == ["Calling LLM with JSON format", "llm_call_ended", "llm_output_parsed"]
    assert (logs[0]["output_model"], logs[1]["prompt_tokens"]) == ("Grade", 10)


async def test_failure_is_logged_with_the_validation_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)
    llm, _, _ = typed(HIGH)
    with capture_logs() as logs, pytest.raises(LLMJsonParseError, match="score: Input should be"):
        await llm.call_with_json("Grade it.", output_model=Grade, budget=ONCE)
    failed = next(log for log in logs if log["event"] == "LLM call failed")
    assert (failed["log_level"], failed["validation_errors"][0]["loc"]) == ("warning", ("score",))


async def test_failure_of_syntax_is_logged_with_stage_reason_and_place() -> None:
    llm, _, _ = typed('{"score": 80, "reason": f(x)}')
    with capture_logs() as logs, pytest.raises(LLMJsonParseError) as caught:
        await llm.call_with_json("Grade it.", output_model=Grade, budget=ONCE)
    failed = next(log for log in logs if log["event"] == "LLM call failed")
    named = {name: caught.value.details[name] for name in ("stage", "json_error", "position")}
    assert (failed["code"], failed["stage"]) == ("LLM_JSON_PARSE_ERROR", "repair")
    assert named.items() <= failed.items()


async def test_log_holds_neither_prompt_nor_answer() -> None:
    llm, _, _ = typed('{"score": "geheim-answer"}')
    with capture_logs() as logs, pytest.raises(LLMJsonParseError, match="score: Input should be"):
        await llm.call_with_json("geheim-prompt", output_model=Grade, budget=ONCE)
    calls = [log for log in logs if log["event"] != "llm_json_parse_failed"]  # the parser's excerpt can be turned off
    assert "geheim" not in repr(calls)
