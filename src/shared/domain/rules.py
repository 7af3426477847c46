"""What a domain rule says when an answer breaks it."""

from __future__ import annotations

from src.shared.domain.exceptions import AppException


class RuleViolationError(AppException):
    """An answer has the right form and contradicts itself, or its author's part.

    Worth asking about again: `feedback()` says what contradicts what. `details` holds `stage` ("rules"), `rule` (the
    rule's name) and `validation_errors` (one {loc, type, msg}, for the field that is wrong).
    """

    default_code = "DOMAIN_RULE_VIOLATED"

    @classmethod
    def of(cls, rule: str, field: str, message: str) -> RuleViolationError:
        """The error of one rule, found at one field."""
        problem = {"loc": tuple(field.split(".")), "type": rule, "msg": message}
        return cls(message, {"stage": "rules", "rule": rule, "validation_errors": [problem]})
