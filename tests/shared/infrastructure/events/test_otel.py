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

from src.shared.domain.ports.events import Event
from src.shared.infrastructure.events.otel import MOST_NAMES, OpenTelemetryMissingError, OtelEvents
from tests.shared.event_samples import ANSWERED, ASKED, CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED, WHOLE

Points = list[tuple[dict[str, Any], float]]
WHO = {"llm_output.context_label": "裁决", "gen_ai.response.model": "m-1"}


@dataclass
class Metrics:
    """The adapter, and what its metrics come to."""

    reader: InMemoryMetricReader
    provider: MeterProvider

    def publish(self, *events: Event) -> None:
        adapter = OtelEvents(meter_provider=self.provider)
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
        ({**WHO, "llm_output.outcome": "model_repaired", "llm_output.by_repair_agent": True}, 1),
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


def test_questions_of_the_repair_agent_are_counted_by_label(metrics: Metrics) -> None:
    metrics.publish(ASKED, ASKED, CLEAN)
    assert metrics.of("llm_output.repair_agent.asked") == [({"llm_output.context_label": "裁决"}, 2)]


def test_text_that_answers_a_re_ask_is_told_apart_from_the_first(metrics: Metrics) -> None:
    metrics.publish(REFUSED, replace(REFUSED, attempt=2))
    assert [attributes.get("llm_output.re_ask") for attributes, _ in metrics.of("llm_output.parses")] == [None, True]


def test_answer_of_the_repair_agent_is_told_apart_from_a_models_text(metrics: Metrics) -> None:
    metrics.publish(REFUSED, replace(REFUSED, by_repair_agent=True))
    assert [attributes.get("llm_output.by_repair_agent") for attributes, _ in metrics.of("llm_output.parses")] == [
        None,
        True,
    ]


def test_requests_are_left_to_the_traced_model(metrics: Metrics) -> None:
    metrics.publish(ANSWERED)
    assert metrics.found() == {}


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
            "llm_output.grade": "lossless",
            "gen_ai.response.model": "m-2",
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
    assert 'pip install ".[otel]"' in error.message


def packages_loaded_by(code: str) -> set[str]:
    """The modules a fresh interpreter has loaded after some code."""
    code = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own code
    return set(done.stdout.split())


CORE = [
    "src.shared.infrastructure.llm_json",
    "src.shared.infrastructure.agents.agent_output",
    "src.shared.application.reading",
    "src.shared.domain.ports.events",
    "src.shared.domain.repair_rate",
    "src.shared.infrastructure.events.fan_out",
    "src.shared.infrastructure.events.log",
    "src.shared.infrastructure.events.fan_out",
    "src.shared.infrastructure.events.otel",
    "src.shared.infrastructure.llm.traced",
]


def test_importing_the_parser_the_core_and_the_adapters_imports_no_opentelemetry() -> None:
    assert [name for name in packages_loaded_by(f"import {', '.join(CORE)}") if name.startswith("opentelemetry")] == []


def test_adapter_needs_the_api_and_not_the_sdk() -> None:
    loaded = packages_loaded_by("from src.shared.infrastructure.events.otel import OtelEvents; OtelEvents()")
    assert "opentelemetry.metrics" in loaded
    assert [name for name in loaded if name.startswith("opentelemetry.sdk")] == []
