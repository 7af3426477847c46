"""The whole application with `LLM_OTEL`, in a process of its own, against a server on loopback: what it sends."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer
from tests.paths import ROOT

BROKEN, MENDED = '{"score": 80 ;; "note": "x"}', '{"score": 80, "note": "x"}'

PROGRAM = """
import asyncio, json
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

exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
metrics.set_meter_provider(MeterProvider([reader]))

async def main():
    app = Application()
    try:
        with trace.get_tracer("app").start_as_current_span("review"):
            return repr(await app.typed_llm().call_with_json("Grade it.", output_model=Grade))
    except AppException as error:
        return error.code
    finally:
        await app.open_things().aclose()

result = asyncio.run(main())
data = json.loads(reader.get_metrics_data().to_json()) if reader.get_metrics_data() else {}
scopes = [scope for resource in data.get("resource_metrics", []) for scope in resource["scope_metrics"]]
sent = {metric["name"]: metric["data"]["data_points"] for scope in scopes for metric in scope["metrics"]}
spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
print(json.dumps({"result": result, "spans": spans, "metrics": sent}))
"""


@dataclass
class Sent:
    """What a program got, and what it sent to OpenTelemetry."""

    result: str
    spans: list[dict[str, Any]]
    metrics: dict[str, list[dict[str, Any]]]


def sent_by(program: str, chat_server: ChatServer, folder: Path, otel: str) -> Sent:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "OTEL_"))}
    variables |= {"LLM_BASE_URL": chat_server.url, "LLM_MODEL": "m-1", "LLM_OTEL": otel, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=variables, cwd=folder)  # noqa: S603 - our own code
    return Sent(**json.loads(done.stdout))


def test_every_request_is_a_span_and_every_token_is_counted(chat_server: ChatServer, tmp_path: Path) -> None:
    chat_server.script([answer("eighty"), answer(BROKEN), answer(f"{BROKEN} "), answer(MENDED)])
    sent = sent_by(PROGRAM, chat_server, tmp_path, "on")
    *calls, review = sent.spans
    assert (sent.result, review["name"]) == ("Grade(score=80, note='x')", "review")
    said = [(span["name"], span["kind"], span["attributes"]["llm_output.purpose"]) for span in calls]
    answers = [("chat m-1", "SpanKind.CLIENT", "answer")] * 3
    assert said == [*answers, ("chat m-1", "SpanKind.CLIENT", "repair")]
    assert {span["parent_id"] for span in calls} == {review["context"]["span_id"]}
    port = int(chat_server.url.rpartition(":")[2].partition("/")[0])
    assert {(s["attributes"]["server.address"], s["attributes"]["server.port"]) for s in calls} == {("127.0.0.1", port)}
    outcomes = [event["attributes"]["llm_output.outcome"] for event in review["events"]]
    assert outcomes == ["refused", "refused", "refused", "model_repaired"]
    tokens = sent.metrics["gen_ai.client.inference.usage.input_tokens"]
    assert {point["attributes"]["llm_output.purpose"]: point["value"] for point in tokens} == {
        "answer": 21,
        "repair": 7,
    }
    assert [point["value"] for point in sent.metrics["llm_output.repair_agent.asked"]] == [1]


def test_failure_of_the_provider_is_a_span_with_its_code(chat_server: ChatServer, tmp_path: Path) -> None:
    chat_server.script([status(401)])
    sent = sent_by(PROGRAM, chat_server, tmp_path, "on")
    call, _ = sent.spans
    assert (sent.result, call["status"]["status_code"]) == ("LLM_AUTHENTICATION_ERROR", "ERROR")
    assert call["attributes"]["error.type"] == "LLM_AUTHENTICATION_ERROR"
    (point,) = sent.metrics["gen_ai.client.inference.duration"]
    assert point["attributes"]["error.type"] == "LLM_AUTHENTICATION_ERROR"


@pytest.mark.parametrize(("otel", "names"), [("off", []), ("parses", ["llm_output.parses"])])
def test_setting_says_what_goes_out(chat_server: ChatServer, tmp_path: Path, otel: str, names: list[str]) -> None:
    chat_server.script([answer(MENDED)])
    sent = sent_by(PROGRAM, chat_server, tmp_path, otel)
    assert ([span["name"] for span in sent.spans], sorted(sent.metrics)) == (["review"], names)


def test_missing_package_is_named_with_how_to_install_it(chat_server: ChatServer, tmp_path: Path) -> None:
    program = """
import json, sys
sys.modules["opentelemetry"] = None
from src.bootstrap import Application
from src.shared.domain.exceptions import AppException
try:
    Application().typed_llm()
except AppException as error:
    print(json.dumps({"result": error.message, "spans": [], "metrics": {}}))
"""
    assert 'pip install ".[otel]"' in sent_by(program, chat_server, tmp_path, "on").result
