"""Events in the log, and the warning about too many repairs; what quotes a text keeps to the bound on excerpts."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import partial
from typing import Any, get_args

from pydantic_core.core_schema import ErrorType

from src.shared.domain.ports.events import (
    AnswerFailed,
    AnswerRequested,
    CallEnded,
    Event,
    OutputParsed,
    ParseOutcome,
    RepairAttempted,
)
from src.shared.domain.repair_errors import DifferenceKind
from src.shared.domain.repair_rate import RepairRateWarning
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write

_WITHOUT_TEXT = ("stage", "json_error", "position", "truncated", "validation_error_count")
"""Facts of a parse error that hold nothing of the text."""
_PYDANTICS_TYPES = frozenset(get_args(ErrorType))
_OTHER_TYPE = "custom"
"""Stands for a type of validation error that is not Pydantic's own: a validator names it, perhaps after a value."""
_REPAIRED = "[repairJSON] ✅ 修复成功，JSON 可解析"
_OTHER_SHAPE = "[parseEnvelope] ⚠️ 警告: 修复后的结构与原始不一致"
"""The two lines of the specification of the repair agent, for whoever looks for them in a log."""
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
                write("warning" if event.code else "info", "llm_call_ended", partial(_call_facts, event))
            case OutputParsed():
                write("warning" if event.outcome in _NOTABLE else "info", "llm_output_parsed", event.facts)
            case RepairAttempted():
                facts = partial(_repair_facts, event)
                write("info" if event.accepted else "warning", "llm_json_repair_agent", facts)
            case _:
                pass


class LogRepairRates:
    """Writes `llm_repair_rate_crossed`, a WARNING for either threshold; `severity` says which."""

    def crossed(self, warning: RepairRateWarning) -> None:
        """Write one line."""
        write("warning", "llm_repair_rate_crossed", partial(_rate_facts, warning))


def _failure_facts(event: AnswerFailed) -> dict[str, Any]:
    """The facts of a failure.

    The places and messages of validation errors may quote the answer (a key of a mapping, a validator's message); the
    bound on excerpts holds for them. Their number and types are always written.
    """
    details, limit = event.details, excerpt_limit()
    facts: dict[str, Any] = {
        "context_label": event.context_label,
        "output_model": event.output_model,
        "code": event.code,
        "stop": event.stop,
        "attempts": event.attempts,
    }
    facts |= {name: details[name] for name in _WITHOUT_TEXT if name in details}
    if errors := details.get("validation_errors"):
        types = Counter(error["type"] if error["type"] in _PYDANTICS_TYPES else _OTHER_TYPE for error in errors)
        facts["validation_error_types"] = dict(sorted(types.items()))
        if limit:
            facts["validation_errors"] = [
                {
                    "loc": tuple(excerpt(step, limit) if isinstance(step, str) else step for step in error["loc"]),
                    "type": excerpt(error["type"], limit),
                    "msg": excerpt(error["msg"], limit),
                }
                for error in errors
            ]
    return facts


def _call_facts(event: CallEnded) -> dict[str, Any]:
    return {
        "context_label": event.caller.context_label,
        "prompt_id": event.caller.prompt_id,
        "attempt": event.caller.attempt,
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


def _repair_facts(event: RepairAttempted) -> dict[str, Any]:
    """The facts of a repair; the difference quotes a few characters of both texts, within the bound on excerpts.

    `said` is the specification's line; empty where it has none, since the answer was no JSON or there was none.
    """
    difference, limit = event.difference, excerpt_limit()
    facts = difference.facts() if difference else None
    has_other_shape = difference is not None and difference.kind is not DifferenceKind.VALUE_CHANGED
    return {
        "context_label": event.caller.context_label,
        "prompt_id": event.caller.prompt_id,
        "attempt": event.caller.attempt,
        "said": _REPAIRED if event.accepted else _OTHER_SHAPE if has_other_shape else "",
        "accepted": event.accepted,
        "code": event.code,
        "before_chars": event.before_chars,
        "after_chars": event.after_chars,
        "damage": list(event.damage),
        "difference": facts and facts | {key: excerpt(str(facts[key]), limit) for key in ("path", "found", "answered")},
        "model": event.model,
    }


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
