"""What goes to OpenTelemetry, seen through the real SDK's readers in memory, and what `LLM_OTEL` says of it."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.domain.ports.events import Event
from src.shared.infrastructure.events.otel import MOST_NAMES, OpenTelemetryMissingError, OtelEvents
from src.shared.infrastructure.events.otel_setting import VARIABLE, OtelScope, otel_scope
from tests.shared.event_samples import ANSWERED, ASKED, CLEAN, MODEL_REPAIRED, REFUSED, REPAIRED, WHOLE

Points = list[tuple[dict[str, Any], float]]
PARSES, REPAIRS, QUESTIONS = "llm_output.parses", "llm_output.repairs", "llm_output.repair_agent.asked"
WHO = {"llm_output.context_label": "裁决", "gen_ai.response.model": "m-1"}
OTHER = {"llm_output.context_label": "多头辩护人", "gen_ai.response.model": "m-2"}
REFUSED_BY = {**WHO, "llm_output.outcome": "refused", "llm_output.stage": "repair"}


def counted(*events: Event) -> dict[str, Points]:
    """Attributes and value of each series of each metric."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    adapter = OtelEvents(meter_provider=provider)
    for event in events:
        adapter.publish(event)
    data: Any = reader.get_metrics_data()
    provider.shutdown()
    scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics] if data else []
    metrics = [each for scope in scopes for each in scope.metrics]
    return {each.name: [(dict(point.attributes), point.value) for point in each.data.data_points] for each in metrics}


COUNTERS: list[tuple[str, Sequence[Event], dict[str, Points]]] = [
    (
        "by outcome, label and model; the repair agent's answer is told apart",
        [CLEAN, CLEAN, REPAIRED, MODEL_REPAIRED],
        {
            PARSES: [
                ({**WHO, "llm_output.outcome": "clean"}, 2),
                ({**WHO, "llm_output.outcome": "repaired"}, 1),
                ({**WHO, "llm_output.outcome": "model_repaired", "llm_output.by_repair_agent": True}, 1),
            ],
            REPAIRS: [({**WHO, "llm_output.repair.kind": "trailing_comma"}, 1)],
        },
    ),
    (
        "refusals by stage, where there is one; their repairs do not count",
        [REFUSED, replace(REFUSED, stages=())],
        {PARSES: [(REFUSED_BY, 1), ({**WHO, "llm_output.outcome": "refused"}, 1)]},
    ),
    (
        "unknown names are left out",
        [replace(CLEAN, context_label="", model="")],
        {PARSES: [({"llm_output.outcome": "clean"}, 1)]},
    ),
    ("questions by label", [ASKED, ASKED], {QUESTIONS: [({"llm_output.context_label": "裁决"}, 2)]}),
    (
        "re-asks and the repair agent's refusals are told apart",
        [REFUSED, replace(REFUSED, attempt=2), replace(REFUSED, by_repair_agent=True)],
        {
            PARSES: [
                (REFUSED_BY, 1),
                ({**REFUSED_BY, "llm_output.re_ask": True}, 1),
                ({**REFUSED_BY, "llm_output.by_repair_agent": True}, 1),
            ]
        },
    ),
    ("requests are left to the traced model", [ANSWERED], {}),
    (
        "neither prompt nor attempt, which have many values",
        [WHOLE],
        {
            PARSES: [
                (
                    {
                        **OTHER,
                        "llm_output.outcome": "repaired",
                        "llm_output.re_ask": True,
                        "llm_output.grade": "lossless",
                    },
                    1,
                )
            ],
            REPAIRS: [
                (
                    {**OTHER, "llm_output.repair.kind": k},
                    n,
                )
                for k, n in (("trailing_comma", 1), ("single_quote", 2))
            ],
        },
    ),
]


@pytest.mark.parametrize(("events", "metrics"), [row[1:] for row in COUNTERS], ids=[row[0] for row in COUNTERS])
def test_events_are_counted(events: Sequence[Event], metrics: dict[str, Points]) -> None:
    assert counted(*events) == metrics


@pytest.mark.parametrize(
    ("field", "key"), [("context_label", "llm_output.context_label"), ("model", "gen_ai.response.model")]
)
def test_names_past_the_bound_are_counted_together(field: str, key: str) -> None:
    names: list[Any] = [{field: f"name-{number}"} for number in range(MOST_NAMES + 50)]
    points = counted(*(replace(CLEAN, **name) for name in names))[PARSES]
    series = {attributes[key]: value for attributes, value in points}
    assert (len(series), series["_OTHER"]) == (MOST_NAMES + 1, 50)


def test_parse_is_an_event_on_the_current_span_with_every_fact_that_is_known() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("test").start_as_current_span("ask"):
        counted(WHOLE, replace(CLEAN, context_label="", model=""))
    provider.shutdown()
    assert [(event.name, dict(event.attributes or {})) for event in exporter.get_finished_spans()[0].events] == [
        (
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
        ),
        (
            "llm_output.parsed",
            {
                "llm_output.outcome": "clean",
                "llm_output.attempt": 1,
                "llm_output.repair.count": 0,
                "llm_output.raw_length": 0,
            },
        ),
    ]


# --- the package ----------------------------------------------------------------------------------------


def test_without_an_sdk_nothing_is_sent_and_nothing_fails() -> None:
    OtelEvents().publish(WHOLE)


def test_missing_package_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(OpenTelemetryMissingError, match=r'pip install "\.\[otel\]"') as caught:
        OtelEvents()
    assert (caught.value.code, caught.value.details) == ("OPENTELEMETRY_MISSING", {"missing": "opentelemetry"})


EVENTS = "src.shared.infrastructure.events"
CORE = ", ".join(
    [
        "src.shared.infrastructure.llm_json",
        "src.shared.infrastructure.agents.agent_output",
        "src.shared.application.reading",
        "src.shared.domain.repair_rate",
        f"{EVENTS}.fan_out",
        f"{EVENTS}.log",
        f"{EVENTS}.otel",
        "src.shared.infrastructure.llm.traced",
    ]
)


@pytest.mark.parametrize(
    ("code", "loaded", "not_loaded"),
    [
        (f"import {CORE}", EVENTS, "opentelemetry"),
        (f"from {EVENTS}.otel import OtelEvents; OtelEvents()", "opentelemetry.metrics", "opentelemetry.sdk"),
    ],
)
def test_package_is_imported_where_it_is_needed_and_the_sdk_never(code: str, loaded: str, not_loaded: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"], check=True, capture_output=True, text=True
    )
    names = done.stdout.split()
    assert loaded in names
    assert [name for name in names if name.startswith(not_loaded)] == []


# --- the setting ----------------------------------------------------------------------------------------

ON, PARSES_ALONE, OFF = OtelScope.ON, OtelScope.PARSES, OtelScope.OFF
VALUES: dict[OtelScope, list[str | None]] = {
    OFF: ["off", "false", "0", "", None],
    ON: ["on", "true", "1", " True "],
    PARSES_ALONE: ["parses"],
}


@pytest.fixture
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_bare_environment")
@pytest.mark.parametrize(("value", "scope"), [(value, scope) for scope, values in VALUES.items() for value in values])
def test_environment_says_what_goes_out_and_a_choice_wins_over_it(
    value: str | None, scope: OtelScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    assert (otel_scope(), otel_scope("parses")) == (scope, PARSES_ALONE)


@pytest.mark.usefixtures("_bare_environment")
@pytest.mark.parametrize(("setting", "scope"), [(f"{VARIABLE}=parses\n", PARSES_ALONE), ("", OFF)])
def test_file_is_read_and_the_environment_wins_over_it(
    setting: str, scope: OtelScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".env").write_text(f"{setting}LLM_MODEL=m\n", encoding="utf-8")
    from_file = otel_scope()
    monkeypatch.setenv(VARIABLE, "on")
    assert (from_file, otel_scope()) == (scope, ON)


@pytest.mark.usefixtures("_bare_environment")
def test_file_is_left_alone_without_the_package_that_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text(f"{VARIABLE}=on\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "dotenv", None)
    assert otel_scope() is OFF


def test_wrong_value_is_an_error_that_names_the_variable_and_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "secret")
    with pytest.raises(LLMConfigurationError, match="LLM_OTEL must be one of off, parses, on") as caught:
        otel_scope()
    assert (caught.value.details, "secret" in caught.value.message) == ({"variables": [VARIABLE]}, False)
