"""Events of parses and repairs to OpenTelemetry; requests to models are `TracedLLM`'s."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from src.shared.domain.ports.events import Event, OutputParsed, ParseOutcome, RepairAsked
from src.shared.infrastructure.events import otel_setting as names
from src.shared.infrastructure.events.otel_api import FewNames, known, otel_api

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter, MeterProvider


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
        self._instruments = _Instruments(metrics.get_meter(names.SCOPE, meter_provider=meter_provider))

    def publish(self, event: Event) -> None:
        """Record one parse, or one question of the repair agent's."""
        match event:
            case OutputParsed():
                self._count(event)
                span = self._current_span()
                if span.is_recording():
                    span.add_event(names.PARSED_EVENT, _facts(event))
            case RepairAsked():
                label = self._label.of(event.caller.context_label)
                self._instruments.asked.add(1, known({names.CONTEXT_LABEL: label}))
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
        how: dict[str, Any] = {names.OUTCOME: event.outcome.value, **known({names.RE_ASK: event.attempt > 1})}
        if event.outcome is ParseOutcome.REFUSED:
            how |= known({names.STAGE: self._stage.of("".join(event.stages[-1:]))})
        else:
            how |= known({names.GRADE: event.grade and event.grade.value})
            for kind, count in Counter(event.repair_kinds).items():
                self._instruments.repairs.add(count, {**who, names.REPAIR_KIND: kind.value})
        self._instruments.parses.add(1, {**who, **how})


class _Instruments:
    """What the numbers are given to."""

    def __init__(self, meter: Meter) -> None:
        self.parses = meter.create_counter(names.PARSES, "{parse}", "Texts of models that were parsed or refused.")
        self.repairs = meter.create_counter(names.REPAIRS, "{repair}", "Departures from strict JSON in texts read.")
        self.asked = meter.create_counter(names.ASKED, "{text}", "Texts that the repair agent was asked about.")


def _facts(event: OutputParsed) -> dict[str, Any]:
    always = {
        names.OUTCOME: event.outcome.value,
        names.ATTEMPT: event.attempt,
        names.REPAIR_COUNT: len(event.repair_kinds),
        names.RAW_LENGTH: event.raw_length,
    }
    where_known = {
        names.CONTEXT_LABEL: event.context_label,
        names.GEN_AI_RESPONSE_MODEL: event.model,
        names.PROMPT_ID: event.prompt_id,
        names.STAGES: list(event.stages),
        names.REPAIR_KINDS: sorted({kind.value for kind in event.repair_kinds}),
        names.BY_REPAIR_AGENT: event.by_repair_agent,
        names.GRADE: event.grade and event.grade.value,
    }
    return {**always, **known(where_known)}
