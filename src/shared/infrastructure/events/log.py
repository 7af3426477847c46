"""Events in the log, and the warning about too many repairs; what quotes a text keeps to the bound on excerpts."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import partial
from typing import Any, get_args

from pydantic_core.core_schema import ErrorType

from src.shared.domain.caller import Caller
from src.shared.domain.ports.events import (
    AnswerFailed,
    AnswerRequested,
    CallEnded,
    Event,
    OutputParsed,
    ParseOutcome,
    RepairAttempted,
)
from src.shared.domain.repair_errors import Difference, DifferenceKind
from src.shared.domain.repair_rate import RepairRateWarning
from src.shared.infrastructure.events.library_log import Level, excerpt, excerpt_limit, write

_SAID_AS_IS = ("stage", "json_error", "position", "truncated", "validation_error_count")
"""Facts of a parse error that hold nothing of the text."""
_PYDANTICS_TYPES = frozenset(get_args(ErrorType))
_REPAIRED = "[repairJSON] ✅ 修复成功，JSON 可解析"
_OTHER_SHAPE = "[parseEnvelope] ⚠️ 警告: 修复后的结构与原始不一致"
"""The two lines of the specification of the repair agent, for whoever looks for them in a log."""
_OTHER_TYPE = "custom"
"""Stands for a type of validation error that is not Pydantic's own: a validator names it, perhaps after a value."""


def _failure_facts(event: AnswerFailed) -> dict[str, Any]:
    """The facts of a failure.

    The places and messages of validation errors may quote the answer (a key of a mapping, a validator's message); the
    bound on excerpts holds for them. Their number and types are always written.
    """
    details = event.details
    facts: dict[str, Any] = {
        "context_label": event.context_label,
        "output_model": event.output_model,
        "code": event.code,
        "stop": event.stop,
        "attempts": event.attempts,
    }
    facts |= {name: details[name] for name in _SAID_AS_IS if name in details}
    errors = details.get("validation_errors")
    if errors:
        facts["validation_error_types"] = _types(errors)
        limit = excerpt_limit()
        if limit:
            facts["validation_errors"] = [_cut(error, limit) for error in errors]
    return facts


def _types(errors: list[dict[str, Any]]) -> dict[str, int]:
    named = (error["type"] if error["type"] in _PYDANTICS_TYPES else _OTHER_TYPE for error in errors)
    return dict(sorted(Counter(named).items()))


def _cut(error: dict[str, Any], limit: int) -> dict[str, Any]:
    """A validation error whose every text is at most `limit` characters long."""
    loc = tuple(excerpt(step, limit) if isinstance(step, str) else step for step in error["loc"])
    return {"loc": loc, "type": excerpt(error["type"], limit), "msg": excerpt(error["msg"], limit)}


_NOTABLE = frozenset({ParseOutcome.MODEL_REPAIRED, ParseOutcome.REFUSED})


class LogEvents:
    """Writes one line for each event that ends something: an answer, a request, a parse, a repair.

    WARNING where it failed, or where the parser gave up; else INFO. Publish through `FanOut`: a log that cannot be
    written raises.
    """

    def publish(self, event: Event) -> None:
        """Write one line; none for an event that the line of another one tells of."""
        match event:
            case AnswerRequested():
                write("info", "Calling LLM with JSON format", partial(asdict, event))
            case AnswerFailed():
                write("warning", "LLM call failed", partial(_failure_facts, event))
            case CallEnded():
                write(_level(is_fine=not event.code), "llm_call_ended", partial(_call_facts, event))
            case OutputParsed():
                level = _level(is_fine=event.outcome not in _NOTABLE)
                write(level, "llm_output_parsed", partial(_parse_facts, event))
            case RepairAttempted():
                write(_level(is_fine=event.accepted), "llm_json_repair_agent", partial(_repair_facts, event))
            case _:
                pass


class LogRepairRates:
    """Writes `llm_repair_rate_crossed`, a WARNING for either threshold; `severity` says which."""

    def crossed(self, warning: RepairRateWarning) -> None:
        """Write one line."""
        write("warning", "llm_repair_rate_crossed", partial(_rate_facts, warning))


def _level(*, is_fine: bool) -> Level:
    return "info" if is_fine else "warning"


def _rate_facts(warning: RepairRateWarning) -> dict[str, Any]:
    rate = warning.rate
    return {
        "scope": warning.scope.value,
        "subject": warning.name,
        "severity": warning.level.name.lower(),
        "threshold": warning.threshold,
        "repair_rate": round(rate.repair_rate, 4),
        "parses": rate.parses,
        "outputs": rate.outputs,
        "asked": rate.asked,
        "damage": dict(rate.damage),
        "repaired": rate.repaired,
        "model_repaired": rate.model_repaired,
        "refused": rate.refused,
        "repairs": dict(rate.kinds),
        "explanation": warning.message,
    }


def _caller_facts(caller: Caller) -> dict[str, Any]:
    return {"context_label": caller.context_label, "prompt_id": caller.prompt_id, "attempt": caller.attempt}


def _call_facts(event: CallEnded) -> dict[str, Any]:
    return {
        **_caller_facts(event.caller),
        "purpose": event.caller.purpose.value,
        "model": event.model,
        "response_model": event.response_model,
        "finish_reason": event.finish_reason.value,
        "code": event.code,
        "prompt_tokens": event.usage.prompt_tokens,
        "completion_tokens": event.usage.completion_tokens,
        "reasoning_tokens": event.usage.reasoning_tokens,
        "cached_tokens": event.usage.cached_tokens,
        "tokens_estimated": event.usage.is_estimated,
        "latency": event.latency,
    }


def _parse_facts(event: OutputParsed) -> dict[str, Any]:
    return {
        "context_label": event.context_label,
        "outcome": event.outcome.value,
        "model": event.model,
        "prompt_id": event.prompt_id,
        "attempt": event.attempt,
        "stages": list(event.stages),
        "repairs": sorted({kind.value for kind in event.repair_kinds}),
        "repair_count": len(event.repair_kinds),
        "raw_length": event.raw_length,
        "grade": event.grade.value if event.grade else None,
        "by_repair_agent": event.by_repair_agent,
    }


def _repair_facts(event: RepairAttempted) -> dict[str, Any]:
    """The facts of a repair; the difference quotes a few characters of both texts, within the bound on excerpts."""
    return {
        **_caller_facts(event.caller),
        "said": _said(event),
        "accepted": event.accepted,
        "code": event.code,
        "before_chars": event.before_chars,
        "after_chars": event.after_chars,
        "damage": list(event.damage),
        "difference": _difference(event.difference),
        "model": event.model,
    }


def _said(event: RepairAttempted) -> str:
    """The specification's line; empty where it has none, since the answer was no JSON or there was none."""
    if event.accepted:
        return _REPAIRED
    is_shape = event.difference is not None and event.difference.kind is not DifferenceKind.VALUE_CHANGED
    return _OTHER_SHAPE if is_shape else ""


def _difference(difference: Difference | None) -> dict[str, str | int] | None:
    if difference is None:
        return None
    limit = excerpt_limit()
    facts = difference.facts()
    return facts | {key: excerpt(str(facts[key]), limit) for key in ("path", "found", "answered")}
