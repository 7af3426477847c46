"""The whole application with `LLM_OTEL`, each in a process of its own, against a server on loopback: what it sends."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from src.bootstrap import Application
from src.shared.domain.exceptions import AppException
from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer
from tests.paths import ROOT

BROKEN, MENDED = '{"score": 80 ;; "note": "x"}', '{"score": 80, "note": "x"}'

PROGRAM = """
import asyncio, json, os, sys
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel
from src.bootstrap import Application
from src.shared.domain.exceptions import AppException

class Grade(BaseModel):
    score: int
    note: str

async def main():
    app = Application()
    try:
        with trace.get_tracer("app").start_as_current_span("review"):
            return repr(await app.typed_llm().call_with_json("Grade it.", output_model=Grade))
    except AppException as error:
        return error.code
    finally:
        await app.open_things().aclose()

def sent(otel):
    os.environ["LLM_OTEL"] = otel
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    trace.set_tracer_provider(TracerProvider())
    trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
    metrics.set_meter_provider(MeterProvider([reader]))
    result = asyncio.run(main())
    data = json.loads(reader.get_metrics_data().to_json()) if reader.get_metrics_data() else {}
    scopes = [scope for resource in data.get("resource_metrics", []) for scope in resource["scope_metrics"]]
    points = {metric["name"]: metric["data"]["data_points"] for scope in scopes for metric in scope["metrics"]}
    spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    return json.dumps({"result": result, "spans": spans, "metrics": points})

for setting in sys.argv[1:]:
    child = os.fork()  # each has the providers of OpenTelemetry to itself; they can be set once
    if not child:
        print(sent(setting), flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


@dataclass
class Sent:
    """What a program got, and what it sent to OpenTelemetry."""

    result: str
    spans: list[dict[str, Any]]
    metrics: dict[str, list[dict[str, Any]]]


SCRIPTS = {
    "every answer": ("on", [answer("eighty"), answer(BROKEN), answer(f"{BROKEN} "), answer(MENDED)]),
    "a failure": ("on", [status(401)]),
    "off": ("off", [answer(MENDED)]),
    "parses": ("parses", [answer(MENDED)]),
}
"""By a name: the value of `LLM_OTEL`, and what the server answers."""


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture(scope="module")
def all_sent(server: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sent]:
    """What applications sent, by the names of their scripts; they run one after the other."""
    server.script([each for _, answers in SCRIPTS.values() for each in answers])
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "OTEL_"))}
    variables |= {"LLM_BASE_URL": server.url, "LLM_MODEL": "m-1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, *(otel for otel, _ in SCRIPTS.values())]
    done = subprocess.run(  # noqa: S603 - our own code
        command, check=True, capture_output=True, text=True, env=variables, cwd=tmp_path_factory.mktemp("telemetry")
    )
    lines = [Sent(**json.loads(line)) for line in done.stdout.splitlines()]
    return dict(zip(SCRIPTS, lines, strict=True))


def test_every_request_is_a_span_and_every_token_is_counted(server: ChatServer, all_sent: dict[str, Sent]) -> None:
    sent = all_sent["every answer"]
    *calls, review = sent.spans
    assert (sent.result, review["name"]) == ("Grade(score=80, note='x')", "review")
    said = [(span["name"], span["kind"], span["attributes"]["llm_output.purpose"]) for span in calls]
    answers = [("chat m-1", "SpanKind.CLIENT", "answer")] * 3
    assert said == [*answers, ("chat m-1", "SpanKind.CLIENT", "repair")]
    assert {span["parent_id"] for span in calls} == {review["context"]["span_id"]}
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    assert {(s["attributes"]["server.address"], s["attributes"]["server.port"]) for s in calls} == {("127.0.0.1", port)}
    outcomes = [event["attributes"]["llm_output.outcome"] for event in review["events"]]
    assert outcomes == ["refused", "refused", "refused", "model_repaired"]
    tokens = sent.metrics["gen_ai.client.inference.usage.input_tokens"]
    assert {point["attributes"]["llm_output.purpose"]: point["value"] for point in tokens} == {
        "answer": 21,
        "repair": 7,
    }
    assert [point["value"] for point in sent.metrics["llm_output.repair_agent.asked"]] == [1]


def test_failure_of_the_provider_is_a_span_with_its_code(all_sent: dict[str, Sent]) -> None:
    sent = all_sent["a failure"]
    call, _ = sent.spans
    assert (sent.result, call["status"]["status_code"]) == ("LLM_AUTHENTICATION_ERROR", "ERROR")
    assert call["attributes"]["error.type"] == "LLM_AUTHENTICATION_ERROR"
    (point,) = sent.metrics["gen_ai.client.inference.duration"]
    assert point["attributes"]["error.type"] == "LLM_AUTHENTICATION_ERROR"


@pytest.mark.parametrize(("otel", "names"), [("off", []), ("parses", ["llm_output.parses"])])
def test_setting_says_what_goes_out(all_sent: dict[str, Sent], otel: str, names: list[str]) -> None:
    sent = all_sent[otel]
    assert ([span["name"] for span in sent.spans], sorted(sent.metrics)) == (["review"], names)


def test_missing_package_is_named_with_how_to_install_it(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"LLM_BASE_URL": chat_server.url, "LLM_MODEL": "m-1", "LLM_OTEL": "on"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(AppException, match=re.escape('pip install ".[otel]"')):
        Application().typed_llm()
