"""A domain rule behind a parser: what breaks it is asked about again."""

import pytest

from src.shared.application.asking import Question
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Message
from src.shared.domain.rules import RuleViolationError
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.agents.checked_output import CheckedOutput
from tests.shared.application.typed import Grade, typed


def require_even(grade: Grade) -> None:
    if grade.score % 2:
        message = Message(f"score {grade.score} 不是偶数", f"score {grade.score} is odd")
        raise RuleViolationError.of("even", "score", message)  # noqa: EM101 - the rule's name, not the message


EVEN = CheckedOutput(plain_output(Grade, "评分员"), require_even)


def test_label_and_type_are_the_agents() -> None:
    assert (EVEN.label, EVEN.dto_type) == ("评分员", Grade)


def test_answer_that_keeps_the_rule_is_read() -> None:
    assert EVEN.read('{"score": 80}').value == Grade(score=80)


def test_what_is_known_of_the_end_is_passed_on() -> None:
    assert EVEN.read('{"score": 80', finished=True).value == Grade(score=80)
    with pytest.raises(LLMJsonParseError):
        EVEN.read('{"score": 80}', finished=False)


def test_answer_that_breaks_it_is_refused_with_stage_rule_and_place() -> None:
    with pytest.raises(RuleViolationError) as caught:
        EVEN.read('{"score": 81}')
    assert caught.value.code == "DOMAIN_RULE_VIOLATED"
    assert (caught.value.details["stage"], caught.value.details["rule"]) == ("rules", "even")
    assert "$.score" in caught.value.feedback()


@pytest.mark.anyio
async def test_model_is_asked_again_with_the_rule_in_words() -> None:
    llm, scripted, _ = typed('{"score": 81}', '{"score": 82}')
    outcome = await llm.generate_and_parse(Question("Grade it."), EVEN)
    assert outcome.result().score == 82
    assert "不是偶数" in scripted.calls[1].prompt
