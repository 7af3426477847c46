"""Grades as events of evaluations, seen through the real SDK's exporters in memory."""

from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from src.shared.domain.grade import Grade
from src.shared.domain.ports.events import OutputParsed
from src.shared.infrastructure.events.otel_evaluations import SCORES, OtelEvaluations
from tests.shared.event_samples import ASKED, CLEAN, REFUSED, WHOLE

NAME, WHO = {"gen_ai.evaluation.name": "llm_output.grade"}, {"llm_output.context_label": "裁决"}
MODEL = {"gen_ai.response.model": "m-1"}
EVENTS: list[tuple[str, OutputParsed, dict[str, Any]]] = [
    (
        "a clean text",
        replace(CLEAN, grade=Grade.CLEAN, text="secret"),
        {"gen_ai.evaluation.score.value": 1.0, "gen_ai.evaluation.score.label": "clean"} | MODEL | WHO,
    ),
    (
        "a repaired text, by the names of its repairs",
        WHOLE,
        {
            "gen_ai.evaluation.score.value": 0.6,
            "gen_ai.evaluation.score.label": "lossless",
            "gen_ai.evaluation.explanation": "repaired: single_quote, trailing_comma",
            "gen_ai.response.model": "m-2",
            "llm_output.context_label": "多头辩护人",
        },
    ),
    (
        "a refusal, by its stage",
        REFUSED,
        {
            "gen_ai.evaluation.score.value": 0.0,
            "gen_ai.evaluation.score.label": "refused",
            "gen_ai.evaluation.explanation": "refused by the stage repair",
            "error.type": "LLM_JSON_PARSE_ERROR",
        }
        | MODEL
        | WHO,
    ),
    ("a text whose grade the reader did not tell", CLEAN, MODEL | WHO),
]


@pytest.mark.parametrize(("event", "expected"), [row[1:] for row in EVENTS], ids=[row[0] for row in EVENTS])
def test_parse_is_an_event_of_the_current_span(event: OutputParsed, expected: dict[str, Any]) -> None:
    exporter, tracers = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    evaluations = OtelEvaluations()
    with tracers.get_tracer("test").start_as_current_span("work"):
        evaluations.publish(event)
        evaluations.publish(ASKED)
    (span,) = exporter.get_finished_spans()
    assert [(one.name, dict(one.attributes or {})) for one in span.events] == [
        ("gen_ai.evaluation.result", NAME | expected)
    ]


def test_parse_is_a_record_of_a_log_of_the_current_span_where_the_application_has_logs() -> None:
    logs = LoggerProvider(shutdown_on_exit=False)
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # the SDK's own
    logs.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    with TracerProvider(shutdown_on_exit=False).get_tracer("test").start_as_current_span("work") as span:
        OtelEvaluations(name="our format", logger_provider=logs).report(REFUSED, response_id="r-1")
    (record,) = [one.log_record for one in exporter.get_finished_logs()]
    assert record.event_name == "gen_ai.evaluation.result"
    assert record.span_id == span.get_span_context().span_id
    named = {"gen_ai.evaluation.name": "our format", "gen_ai.response.id": "r-1"}
    assert dict(record.attributes or {}) == EVENTS[2][2] | named


def test_nothing_is_reported_without_a_span() -> None:
    OtelEvaluations().publish(CLEAN)


def test_every_grade_has_a_score_and_the_surer_the_higher() -> None:
    assert [*SCORES] == [*Grade]
    assert sorted(SCORES.values(), reverse=True) == [*SCORES.values()]
