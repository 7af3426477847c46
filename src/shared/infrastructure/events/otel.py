"""Events to OpenTelemetry, through its API alone: without an SDK set up by the application nothing is sent."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import TYPE_CHECKING, Any

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message
from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.infrastructure.events import otel_names as names

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter, MeterProvider

MOST_NAMES = 200
"""Different labels, models and stages, each, that metrics tell apart."""


class OpenTelemetryMissingError(AppException):
    """The package the adapter needs is not installed; `details["missing"]` names it."""

    default_code = "OPENTELEMETRY_MISSING"


class OtelEvents:
    """Counts parses and repairs, records tokens and seconds of calls, and notes each parse on the current span.

    Metrics: `llm_output.parses` (by outcome; a refusal by stage, too), `llm_output.repairs` (by kind, of texts that
    were read), `gen_ai.client.token.usage`, `gen_ai.client.operation.duration`; each by label and model. Their
    attributes have few values: no prompt id, and at most `MOST_NAMES` labels, models and stages, `_OTHER` beyond.

    A parse is an event on the span, not attributes of it: one span may see several attempts. The span's API is used
    for it although OpenTelemetry is moving events to its log API, since that one is still private in Python.

    Publish through `FanOut`, as with any adapter that runs other people's code.
    """

    def __init__(
        self, *, provider: str = names.UNKNOWN_PROVIDER, calls: bool = True, meter_provider: MeterProvider | None = None
    ) -> None:
        """Create the instruments.

        Args:
            provider: value of `gen_ai.provider.name`, such as `openai` or `deepseek`.
            calls: record the `gen_ai.client.*` metrics; turn it off where the client's package is instrumented, which
                records them already.
            meter_provider: where metrics go; the application's global one if not given.

        Raises:
            OpenTelemetryMissingError: `opentelemetry-api` is not installed.
        """
        metrics, trace = _api()
        self._current_span = trace.get_current_span
        self._provider, self._calls = provider, calls
        self._label, self._model, self._stage = _FewNames(), _FewNames(), _FewNames()
        self._instruments = _Instruments(metrics.get_meter(names.METER, meter_provider=meter_provider))

    def publish(self, event: OutputParsed) -> None:
        """Record one parse."""
        who = _known(
            {
                names.CONTEXT_LABEL: self._label.of(event.context_label),
                names.GEN_AI_RESPONSE_MODEL: self._model.of(event.model),
            }
        )
        self._count(event, who)
        if self._calls:
            self._record_call(event, who)
        span = self._current_span()
        if span.is_recording():
            span.add_event(names.PARSED_EVENT, _facts(event))

    def _count(self, event: OutputParsed, who: dict[str, Any]) -> None:
        how: dict[str, Any] = {names.OUTCOME: event.outcome.value}
        if event.outcome is ParseOutcome.REFUSED:
            how |= _known({names.STAGE: self._stage.of("".join(event.stages[-1:]))})
        else:
            for kind, count in Counter(event.repair_kinds).items():
                self._instruments.repairs.add(count, {**who, names.REPAIR_KIND: kind.value})
        self._instruments.parses.add(1, {**who, **how})

    def _record_call(self, event: OutputParsed, who: dict[str, Any]) -> None:
        call = {**who, names.GEN_AI_OPERATION_NAME: names.OPERATION_CHAT, names.GEN_AI_PROVIDER_NAME: self._provider}
        tokens = {
            names.TOKEN_INPUT: event.usage.prompt_tokens,
            names.TOKEN_OUTPUT: event.usage.completion_tokens,
        }
        for direction, count in tokens.items():
            if count:  # 0 is not known; the conventions forbid to report it
                self._instruments.tokens.record(count, {**call, names.GEN_AI_TOKEN_TYPE: direction})
        if event.latency:
            self._instruments.seconds.record(event.latency, call)


class _Instruments:
    """What the numbers are given to."""

    def __init__(self, meter: Meter) -> None:
        self.parses = meter.create_counter(names.PARSES, "{parse}", "Texts of models that were parsed or refused.")
        self.repairs = meter.create_counter(names.REPAIRS, "{repair}", "Departures from strict JSON in texts read.")
        self.tokens = meter.create_histogram(
            names.GEN_AI_CLIENT_TOKEN_USAGE,
            "{token}",
            "Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=names.TOKEN_BUCKETS,
        )
        self.seconds = meter.create_histogram(
            names.GEN_AI_CLIENT_OPERATION_DURATION,
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=names.DURATION_BUCKETS,
        )


class _FewNames:
    """Lets the first `MOST_NAMES` different names through: a metric's memory grows with each."""

    def __init__(self) -> None:
        self._seen = {""}

    def of(self, name: str) -> str:
        if name not in self._seen:
            if len(self._seen) > MOST_NAMES:
                return names.OTHER
            self._seen.add(name)
        return name


def _api() -> tuple[ModuleType, ModuleType]:
    """The metrics and the trace module of the API."""
    try:
        from opentelemetry import metrics, trace  # noqa: PLC0415 - an extra, which may be missing
    except ModuleNotFoundError as error:
        install = 'pip install "unified-llm-output-parser[otel]"'
        zh, en = (
            "缺少 OpenTelemetry，请安装 otel 扩展",
            f"OpenTelemetry is not installed: {install}; missing: {error.name}",
        )
        message = Message(f"{zh}：{install}；缺少的是 {error.name}", en, f"{zh} ({en})")
        raise OpenTelemetryMissingError(message.text(), {"missing": error.name}) from error
    return metrics, trace


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
        names.GEN_AI_USAGE_INPUT_TOKENS: event.usage.prompt_tokens,
        names.GEN_AI_USAGE_OUTPUT_TOKENS: event.usage.completion_tokens,
        names.GEN_AI_USAGE_REASONING_TOKENS: event.usage.reasoning_tokens,
        names.LATENCY: event.latency,
    }
    return {**always, **_known(where_known)}


def _known(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without unknown ones: empty names and lists, zero tokens and seconds."""
    return {name: value for name, value in facts.items() if value}
