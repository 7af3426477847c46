"""A type with rules of the domain behind it: an answer that breaks one does not satisfy the type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.language import Language
from src.shared.domain.rules import Rule, RuleViolation
from src.shared.infrastructure.parsing.parse_errors import MESSAGE

T = TypeVar("T")


def checked_type(dto_type: AnswerType[T], rules: Sequence[Rule[T]]) -> AnswerType[T]:
    """The type that an answer satisfies when it satisfies this one and keeps the rules.

    Every broken rule is a validation error of its own, at the rule's field. Without rules the type is given back.

    Args:
        dto_type: the type; a class, where there are rules.
        rules: applied to the validated object; none of them sees an answer of the wrong form.
    """
    if not rules:
        return dto_type
    given: Any = dto_type
    checked: Any = Annotated[given, AfterValidator(partial(_kept, tuple(rules)))]
    return TypeAdapter(checked)


def _kept(rules: Sequence[Rule[T]], answer: T) -> T:
    broken = [violation for violation in (rule(answer) for rule in rules) if violation]
    if broken:
        raise ValidationError.from_exception_data(type(answer).__name__, [_problem(one, answer) for one in broken])
    return answer


def _problem(violation: RuleViolation, answer: object) -> InitErrorDetails:
    said = {"said": violation.message.text(Language.BOTH), MESSAGE: violation.message}
    error = PydanticCustomError(violation.rule, "{said}", said)
    return InitErrorDetails(type=error, loc=violation.loc, input=answer)
