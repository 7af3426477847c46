"""Events to OpenTelemetry, seen through the real SDK's readers in memory."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from src.shared.domain.ports.events import OutputParsed
from src.shared.domain.ports.llm import TokenUsage
from src.shared.infrastructure.events.otel import MOST_NAMES, OpenTelemetryMissingError, OtelEvents
from tests.shared.event_samples import CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED, WHOLE

Points = list[tuple[dict[str, Any], float]]
WHO = {"llm_output.context_label": "裁决", "gen_ai.response.model": "m-1"}


@dataclass
class Metrics:
    """The adapter, and what its metrics come to."""

    reader: InMemoryMetricReader
    provider: MeterProvider

    def publish(self, *events: OutputParsed, calls: bool = True, provider: str = "openai") -> None:
        adapter = OtelEvents(provider=provider, calls=calls, meter_provider=self.provider)
        for event in events:
            adapter.publish(event)

    def found(self) -> dict[str, list[NumberDataPoint | HistogramDataPoint]]:
        data = self.reader.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics] if data else []
        return {m.name: list(m.data.data_points) for scope in scopes for m in scope.metrics}  # type: ignore[arg-type]  # no exponential histograms here

    def of(self, name: str) -> Points:
        """Attributes and value (a histogram's sum) of each series of a metric."""
        points = self.found().get(name, [])
        return [(dict(p.attributes or {}), p.value if isinstance(p, NumberDataPoint) else p.sum) for p in points]


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    yield Metrics(reader, provider)
    provider.shutdown()


@pytest.fixture
def spans() -> Iterator[tuple[trace.Tracer, InMemorySpanExporter]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider.get_tracer("test"), exporter
    provider.shutdown()


# --- counters -------------------------------------------------------------------------------------------


def test_parses_are_counted_by_outcome_label_and_model(metrics: Metrics) -> None:
    metrics.publish(CLEAN, CLEAN, REPAIRED, MODEL_REPAIRED)
    assert metrics.of("llm_output.parses") == [
        ({**WHO, "llm_output.outcome": "clean"}, 2),
        ({**WHO, "llm_output.outcome": "repaired"}, 1),
        ({**WHO, "llm_output.outcome": "model_repaired"}, 1),
    ]


def test_refusals_are_counted_by_stage_too(metrics: Metrics) -> None:
    metrics.publish(REFUSED, replace(REFUSED, stages=()))
    refused = {**WHO, "llm_output.outcome": "refused"}
    assert metrics.of("llm_output.parses") == [({**refused, "llm_output.stage": "repair"}, 1), (refused, 1)]


def test_repairs_are_counted_by_kind(metrics: Metrics) -> None:
    metrics.publish(WHOLE)
    found = {attributes["llm_output.repair.kind"]: value for attributes, value in metrics.of("llm_output.repairs")}
    assert found == {"single_quote": 2, "trailing_comma": 1}


def test_repairs_of_a_refused_text_are_not_counted(metrics: Metrics) -> None:
    metrics.publish(REFUSED)
    assert metrics.of("llm_output.repairs") == []


def test_unknown_label_and_model_are_left_out(metrics: Metrics) -> None:
    metrics.publish(replace(CLEAN, context_label="", model=""))
    assert metrics.of("llm_output.parses") == [({"llm_output.outcome": "clean"}, 1)]


# --- the call -------------------------------------------------------------------------------------------


def call_of(event: OutputParsed) -> dict[str, Any]:
    return {
        "llm_output.context_label": event.context_label,
        "gen_ai.response.model": event.model,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
    }


def test_tokens_are_recorded_under_the_conventions_name(metrics: Metrics) -> None:
    metrics.publish(WHOLE)
    assert metrics.of("gen_ai.client.token.usage") == [
        ({**call_of(WHOLE), "gen_ai.token.type": "input"}, 30),
        ({**call_of(WHOLE), "gen_ai.token.type": "output"}, 20),
    ]


def test_latency_is_recorded_in_seconds_under_the_conventions_name(metrics: Metrics) -> None:
    metrics.publish(WHOLE, replace(WHOLE, latency=0.25))
    assert metrics.of("gen_ai.client.operation.duration") == [(call_of(WHOLE), 1.75)]


@pytest.mark.parametrize("name", ["gen_ai.client.token.usage", "gen_ai.client.operation.duration"])
def test_text_that_no_model_was_asked_for_is_no_call(metrics: Metrics, name: str) -> None:
    metrics.publish(replace(WHOLE, model="", usage=TokenUsage(), latency=0.0))
    assert metrics.of(name) == []


def test_calls_can_be_left_to_the_clients_own_instrumentation(metrics: Metrics) -> None:
    metrics.publish(WHOLE, calls=False)
    assert sorted(metrics.found()) == ["llm_output.parses", "llm_output.repairs"]


def test_provider_nobody_named_is_unknown(metrics: Metrics) -> None:
    OtelEvents(meter_provider=metrics.provider).publish(WHOLE)
    assert metrics.of("gen_ai.client.operation.duration")[0][0]["gen_ai.provider.name"] == "unknown"


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [("gen_ai.client.token.usage", 1, 67_108_864), ("gen_ai.client.operation.duration", 0.01, 81.92)],
)
def test_buckets_are_those_the_conventions_advise(metrics: Metrics, name: str, first: float, last: float) -> None:
    metrics.publish(WHOLE)
    point = metrics.found()[name][0]
    assert isinstance(point, HistogramDataPoint)
    assert (len(point.explicit_bounds), point.explicit_bounds[0], point.explicit_bounds[-1]) == (14, first, last)


# --- cardinality ----------------------------------------------------------------------------------------


def test_prompt_and_attempt_are_no_attribute_of_a_metric(metrics: Metrics) -> None:
    metrics.publish(WHOLE)
    used = {key for name in metrics.found() for attributes, _ in metrics.of(name) for key in attributes}
    assert used & {"llm_output.prompt_id", "llm_output.attempt"} == set()


@pytest.mark.parametrize("field", ["context_label", "model"])
def test_names_past_the_bound_are_counted_together(metrics: Metrics, field: str) -> None:
    names = [{field: f"name-{number}"} for number in range(MOST_NAMES + 50)]
    metrics.publish(*(replace(CLEAN, **name) for name in names))  # type: ignore[arg-type]  # both fields are strings
    key = {"context_label": "llm_output.context_label", "model": "gen_ai.response.model"}[field]
    series = {attributes[key]: value for attributes, value in metrics.of("llm_output.parses")}
    assert (len(series), series["_OTHER"]) == (MOST_NAMES + 1, 50)


# --- the span -------------------------------------------------------------------------------------------


def test_parse_is_an_event_on_the_current_span_with_every_fact(
    spans: tuple[trace.Tracer, InMemorySpanExporter], metrics: Metrics
) -> None:
    tracer, exporter = spans
    with tracer.start_as_current_span("ask"):
        metrics.publish(WHOLE)
    (event,) = exporter.get_finished_spans()[0].events
    assert (event.name, dict(event.attributes or {})) == (
        "llm_output.parsed",
        {
            "llm_output.context_label": "多头辩护人",
            "llm_output.outcome": "repaired",
            "llm_output.prompt_id": "p-1",
            "llm_output.attempt": 2,
            "llm_output.stages": ("fence", "repair"),
            "llm_output.repair.kinds": ("single_quote", "trailing_comma"),
            "llm_output.repair.count": 3,
            "llm_output.raw_length": 120,
            "llm_output.latency": 1.5,
            "gen_ai.response.model": "m-2",
            "gen_ai.usage.input_tokens": 30,
            "gen_ai.usage.output_tokens": 20,
            "gen_ai.usage.reasoning.output_tokens": 5,
        },
    )


def test_each_attempt_is_an_event_of_its_own(
    spans: tuple[trace.Tracer, InMemorySpanExporter], metrics: Metrics
) -> None:
    tracer, exporter = spans
    with tracer.start_as_current_span("ask"):
        metrics.publish(REFUSED, replace(CLEAN, attempt=2))
    events = exporter.get_finished_spans()[0].events
    found = [((e.attributes or {})["llm_output.attempt"], (e.attributes or {})["llm_output.outcome"]) for e in events]
    assert found == [(1, "refused"), (2, "clean")]


def test_event_leaves_out_what_nobody_knows(spans: tuple[trace.Tracer, InMemorySpanExporter], metrics: Metrics) -> None:
    tracer, exporter = spans
    with tracer.start_as_current_span("ask"):
        metrics.publish(replace(CLEAN, context_label="", model=""))
    (event,) = exporter.get_finished_spans()[0].events
    assert dict(event.attributes or {}) == {
        "llm_output.outcome": "clean",
        "llm_output.attempt": 1,
        "llm_output.repair.count": 0,
        "llm_output.raw_length": 0,
    }


# --- the package ----------------------------------------------------------------------------------------


def test_without_an_sdk_nothing_is_sent_and_nothing_fails() -> None:
    OtelEvents().publish(WHOLE)


def test_missing_package_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(OpenTelemetryMissingError) as caught:
        OtelEvents()
    error = caught.value
    assert (error.code, error.details) == ("OPENTELEMETRY_MISSING", {"missing": "opentelemetry"})
    assert 'pip install "unified-llm-output-parser[otel]"' in error.message


def packages_loaded_by(code: str) -> set[str]:
    """The modules a fresh interpreter has loaded after some code."""
    code = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own code
    return set(done.stdout.split())


CORE = [
    "src.shared.infrastructure.llm_json",
    "src.shared.infrastructure.agents.agent_output",
    "src.shared.application.observed_output",
    "src.shared.domain.parse_events",
    "src.shared.domain.repair_rate",
    "src.shared.infrastructure.events.fan_out",
    "src.shared.infrastructure.events.log",
    "src.shared.infrastructure.events.memory",
    "src.shared.infrastructure.events.otel",
]


def test_importing_the_parser_the_core_and_the_adapters_imports_no_opentelemetry() -> None:
    assert [name for name in packages_loaded_by(f"import {', '.join(CORE)}") if name.startswith("opentelemetry")] == []


def test_adapter_needs_the_api_and_not_the_sdk() -> None:
    loaded = packages_loaded_by("from src.shared.infrastructure.events.otel import OtelEvents; OtelEvents()")
    assert "opentelemetry.metrics" in loaded
    assert [name for name in loaded if name.startswith("opentelemetry.sdk")] == []
