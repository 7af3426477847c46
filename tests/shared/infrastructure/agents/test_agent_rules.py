"""Rules of the domain are a part of validating an agent's answer."""

from dataclasses import replace

import pytest
from pydantic import BaseModel

from src.shared.application.question import Question
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import VARIABLE, Message
from src.shared.domain.parse_reasons import CUT_OFF
from src.shared.domain.rules import RuleViolation
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.application.typed import Grade, typed
from tests.shared.reading import why_and_where


def require_even(grade: Grade) -> RuleViolation | None:
    return (
        RuleViolation("even", "score", Message(f"{{{grade.score}}} 不是偶数", "must be even"))
        if grade.score % 2
        else None
    )


def require_reason(grade: Grade) -> RuleViolation | None:
    return None if grade.reason else RuleViolation("has_reason", "reason", Message("缺少理由", "no reason is given"))


PLAIN = plain_output(Grade, "评分员")
EVEN = replace(PLAIN, rules=(require_even,))


def test_without_rules_the_type_is_the_dto() -> None:
    assert PLAIN.checked_type is Grade


def test_type_with_rules_keeps_the_name_and_the_schema() -> None:
    checked = replace(PLAIN, rules=(require_even, require_reason)).checked_type
    assert name_of(checked) == "Grade"
    assert adapter_of(checked).json_schema() == Grade.model_json_schema()


def test_answer_that_keeps_the_rule_is_read() -> None:
    assert EVEN.parse('{"score": 80}') == EVEN.read('{"score": 80}').value == Grade(score=80)


def test_what_is_known_of_the_end_is_passed_on() -> None:
    assert EVEN.read('{"score": 80', finished=True).value == Grade(score=80)
    with pytest.raises(LLMJsonParseError) as caught:
        EVEN.read('{"score": 80}', finished=False)
    assert why_and_where(caught.value) == (CUT_OFF.en, len('{"score": 80}'))


@pytest.mark.parametrize("raw", ['{"score": 81}', '```json\n{"score": 81,}\n```'])
def test_answer_that_breaks_a_rule_does_not_match_the_contract(raw: str) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        EVEN.parse(raw)
    assert caught.value.message == "不符合契约 Grade：score: {81} 不是偶数 (must be even) (does not match the contract)"
    assert caught.value.details["stage"] == "validate"
    assert caught.value.details["validation_errors"] == [
        {"loc": ("score",), "type": "even", "msg": "{81} 不是偶数 (must be even)"}
    ]


@pytest.mark.parametrize(("spoken", "said"), [("zh", "{81} 不是偶数"), ("en", "must be even")])
def test_feedback_tells_the_rule_in_the_language_asked_for(
    spoken: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    with pytest.raises(LLMJsonParseError) as caught:
        EVEN.parse('{"score": 81}')
    assert f"- $.score: {said}" in caught.value.feedback().splitlines()
    assert caught.value.details["validation_errors"][0]["msg"] == "{81} 不是偶数 (must be even)"


def test_every_broken_rule_is_named() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        replace(PLAIN, rules=(require_even, require_reason)).parse('{"score": 81}')
    assert [one["type"] for one in caught.value.details["validation_errors"]] == ["even", "has_reason"]


def test_rule_does_not_see_an_answer_of_the_wrong_form() -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        EVEN.parse('{"score": 101}')
    assert [one["type"] for one in caught.value.details["validation_errors"]] == ["less_than_equal"]


def test_field_inside_a_field_is_named_by_its_path() -> None:
    class Report(BaseModel):
        grade: Grade

    def inner(report: Report) -> RuleViolation | None:
        return RuleViolation("inner", "grade.score", Message(f"{report.grade.score}？", "why"))

    with pytest.raises(LLMJsonParseError) as caught:
        replace(plain_output(Report), rules=(inner,)).parse('{"grade": {"score": 1}}')
    assert "- $.grade.score: 1？ (why)" in caught.value.feedback()


@pytest.mark.anyio
async def test_model_is_asked_again_with_the_rule_in_words() -> None:
    llm, scripted, _ = typed('{"score": 81}', '{"score": 82}')
    outcome = await llm.generate_and_parse(Question.of("Grade it."), EVEN)
    assert outcome.result().score == 82
    assert "must be even" in scripted.calls[1].prompt
