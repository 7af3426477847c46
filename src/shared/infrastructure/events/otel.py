"""Events of parses and repairs to OpenTelemetry, and what `TracedLLM`, whose requests are, needs of it as well.

Only the API is used, which is an extra: without an SDK set up by the application nothing is sent.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase
from src.shared.domain.ports.events import Event, OutputParsed, RepairAsked
from src.shared.infrastructure.events import otel_setting as names
from src.shared.infrastructure.extras import install_command

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider

MOST_NAMES = 200
"""Different labels, models and stages, each, that metrics tell apart: a metric's memory grows with each."""


_ALWAYS = frozenset({"outcome", "attempt", "repair_count", "raw_length"})
"""Facts of a parse that a span's event has also where they are nothing."""
_ATTRIBUTES = {
    "model": names.GEN_AI_RESPONSE_MODEL,
    "repairs": names.REPAIR_KINDS,
    "repair_count": names.REPAIR_COUNT,
}
"""Attributes that are not called as the fact is."""


class OpenTelemetryMissingError(AppException):
    """The package the adapters need is not installed; `details["missing"]` names it."""

    default_code = "OPENTELEMETRY_MISSING"


def otel_api() -> tuple[ModuleType, ModuleType]:
    """The metrics and the trace module of the API.

    Raises:
        OpenTelemetryMissingError: `opentelemetry-api` is not installed.
    """
    try:
        from opentelemetry import metrics, trace  # noqa: PLC0415 - an extra, which may be missing
    except ModuleNotFoundError as error:
        install = install_command("otel")
        message = Phrase(
            "OpenTelemetry is not installed: {install} in a checkout; missing: {name}", install=install, name=error.name
        )
        raise OpenTelemetryMissingError(message.text(), {"missing": error.name}) from error
    return metrics, trace


class FewNames:
    """Lets the first `MOST_NAMES` different names through; every other one becomes `_OTHER`."""

    def __init__(self) -> None:
        self._seen = {""}

    def of(self, name: str) -> str:
        """The name, or `_OTHER`."""
        if name not in self._seen:
            if len(self._seen) > MOST_NAMES:
                return names.OTHER
            self._seen.add(name)
        return name


def known(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without unknown ones: None, empty names and lists, zero tokens and seconds."""
    return {name: value for name, value in facts.items() if value}


class OtelEvents:
    """Counts parses, repairs and questions of the repair agent's, and notes each parse on the current span.

    Metrics: `llm_output.parses` (by outcome; a refusal by stage, a result by grade), `llm_output.repairs` (by kind, of
    texts that were read), `llm_output.repair_agent.asked`; the first two by label and model, the last by label. Their
    attributes have few values: no prompt id, and at most `MOST_NAMES` labels, models and stages, `_OTHER` beyond.

    A parse is an event on the span, not attributes of it: one span may see several attempts. The span's API is used
    for it although OpenTelemetry is moving events to its log API, since that one is still private in Python.

    Publish through `FanOut`, as with any adapter that runs other people's code.
    """

    def __init__(self, *, meter_provider: MeterProvider | None = None) -> None:
        """Create the instruments.

        Args:
            meter_provider: where metrics go; the application's global one if not given.

        Raises:
            OpenTelemetryMissingError: `opentelemetry-api` is not installed.
        """
        metrics, trace = otel_api()
        self._current_span = trace.get_current_span
        self._label, self._model, self._stage = FewNames(), FewNames(), FewNames()
        counter = metrics.get_meter(names.SCOPE, meter_provider=meter_provider).create_counter
        self._parses = counter(names.PARSES, "{parse}", "Texts of models that were parsed or refused.")
        self._repairs = counter(names.REPAIRS, "{repair}", "Departures from strict JSON in texts read.")
        self._asked = counter(names.ASKED, "{text}", "Texts that the repair agent was asked about.")

    def publish(self, event: Event) -> None:
        """Record one parse, or one question of the repair agent's."""
        match event:
            case OutputParsed():
                self._count(event)
                span = self._current_span()
                if span.is_recording():
                    facts = {name: fact for name, fact in event.facts().items() if fact or name in _ALWAYS}
                    attributes = {_ATTRIBUTES.get(name, f"{names.SCOPE}.{name}"): fact for name, fact in facts.items()}
                    span.add_event(names.PARSED_EVENT, attributes)
            case RepairAsked():
                label = self._label.of(event.caller.context_label)
                self._asked.add(1, known({names.CONTEXT_LABEL: label}))
            case _:
                pass

    def _count(self, event: OutputParsed) -> None:
        who = known(
            {
                names.CONTEXT_LABEL: self._label.of(event.context_label),
                names.GEN_AI_RESPONSE_MODEL: self._model.of(event.model),
                names.BY_REPAIR_AGENT: event.by_repair_agent,
            }
        )
        how = known(
            {
                names.OUTCOME: event.outcome.value,
                names.RE_ASK: event.attempt > 1,
                names.STAGE: self._stage.of(event.refusing_stage),
                names.GRADE: event.grade and event.grade.value,
            }
        )
        for kind, count in event.kinds.items():
            self._repairs.add(count, {**who, names.REPAIR_KIND: kind})
        self._parses.add(1, {**who, **how})
