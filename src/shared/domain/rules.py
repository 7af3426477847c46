"""What a domain rule says when an answer breaks it."""

from __future__ import annotations

from src.shared.domain.exceptions import AppException, Told
from src.shared.domain.language import Language, Message


class RuleViolationError(AppException):
    """An answer has the right form and contradicts itself, or its author's part.

    Worth asking about again: `feedback()` says what contradicts what. `details` holds `stage` ("rules"), `rule` (the
    rule's name) and `validation_errors` (one {loc, type, msg}, for the field that is wrong).
    """

    default_code = "DOMAIN_RULE_VIOLATED"

    @classmethod
    def of(cls, rule: str, field: str, message: Message) -> RuleViolationError:
        """The error of one rule, found at one field."""
        problem = {"loc": tuple(field.split(".")), "type": rule, "msg": message.text(Language.BOTH)}
        error = cls(message.text(), {"stage": "rules", "rule": rule, "validation_errors": [problem]})
        error.told = Told(_BROKEN.text(), (error.message,))
        return error


_BROKEN = Message("回答违反规则", "the answer breaks a rule")
