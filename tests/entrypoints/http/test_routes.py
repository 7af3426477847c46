"""The other routes, the document, and what goes on beside them."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from src.entrypoints.http.app import look_after
from src.entrypoints.http.openapi import Example, Parsed, ProblemDetails, examples, ndjson
from src.entrypoints.http.routes import router
from src.modules.monitoring.container import watch_alarms
from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.exceptions import StoreUnavailableError, StoreVersionError
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms
from src.shared.domain.language import Message
from tests.entrypoints.http.clients import PRICE, client, service_of
from tests.modules.monitoring.waiting import until


@pytest.fixture
def log_lines() -> Iterator[list[Any]]:
    """What is logged, as structlog has it."""
    with capture_logs() as lines:
        yield lines


READ = {"text": '{"item": "tea", "price": 1,}', "schema": PRICE, "model": "m-1", "prompt_id": "p-1"}
REFUSED = {"text": "no JSON", "schema": PRICE}
PROBLEM = "application/problem+json"


def test_what_is_left_is_written_when_the_service_stops(tmp_path: Path) -> None:
    with client(tmp_path / "outcomes.db") as asking:
        asking.post("/v1/parse", json=READ)
        service = service_of(asking)

    assert service.recording
    assert (service.recording.writer.written, service.recording.writer.waiting) == (1, 0)
    assert service.is_stopping


@pytest.mark.parametrize("error", [StoreVersionError, StoreUnavailableError])
def test_a_store_that_cannot_be_used_makes_the_service_unready_without_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[StoreVersionError]
) -> None:
    def fail(_: object) -> None:
        raise error(str(tmp_path), Message("坏", "broken"))

    monkeypatch.setattr(ReadRates, "facts", fail)
    with client(tmp_path / "outcomes.db") as asking:
        for path in ("/readyz", "/v1/rates"):
            answer = asking.get(path)
            assert (answer.status_code, answer.json()["code"]) == (503, error.default_code)
            assert str(tmp_path) not in answer.text
        assert asking.get("/healthz").status_code == 200


def test_a_service_whose_store_cannot_be_written_is_not_ready_until_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreUnavailableError(str(tmp_path), Message("磁盘已满", "the disk is full"))

    with client(tmp_path / "outcomes.db") as asking, monkeypatch.context() as full:
        assert asking.get("/readyz").status_code == 200
        full.setattr(OutcomeWriter, "write", fail)
        asking.post("/v1/parse", json=READ)
        recording = service_of(asking).recording
        assert recording
        until(lambda: recording.writer.is_stuck)
        answer = asking.get("/readyz")
        assert (answer.status_code, answer.json()["code"]) == (503, "STORE_NOT_WRITABLE")
        assert asking.post("/v1/parse", json=READ).status_code == 200
        full.undo()
        until(lambda: not recording.writer.is_stuck)
        assert asking.get("/readyz").status_code == 200


def test_a_service_that_is_stopping_is_not_ready() -> None:
    with client() as asking:
        service_of(asking).is_stopping = True
        answer = asking.get("/readyz")

    assert (answer.status_code, answer.json()["code"]) == (503, "STOPPING")


def test_metrics_count_what_happened(tmp_path: Path) -> None:
    with client(tmp_path / "outcomes.db") as asking:
        for request in (READ, READ, REFUSED):
            asking.post("/v1/parse", json=request)
        asking.get("/nothing/here")
        service_of(asking).close(5)
        families = [*text_string_to_metric_families(asking.get("/metrics").text)]

    samples = {
        (sample.name.removeprefix("llm_output_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
        if not sample.name.endswith("_bucket")
    }
    assert samples["parses_total", "schema", "repaired"] == 2
    assert samples["parses_total", "schema", "refused"] == 1
    assert samples["repairs_total", "trailing_comma"] == 2
    assert samples["refusals_total", "extract"] == 1
    assert samples[("parse_seconds_count",)] == 3
    assert samples["http_requests_total", "/v1/parse", "200"] == 2
    assert samples["http_requests_total", "", "404"] == 1
    assert samples[("store_written_total",)] == 3
    assert samples[("pool_in_use",)] == 0


def test_a_failure_of_ours_is_a_problem_that_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, log_lines: list[dict[str, Any]]
) -> None:
    with client() as asking:
        monkeypatch.setattr(service_of(asking).metrics, "text", lambda: 1 // 0)
        answer = asking.get("/metrics", headers={"x-request-id": "r-1"})

    assert (answer.status_code, answer.headers["content-type"]) == (500, PROBLEM)
    assert answer.json()["code"] == "INTERNAL"
    assert "ZeroDivision" not in answer.text
    failed = next(line for line in log_lines if line["event"] == "llm_http_failed")
    assert failed["request_id"] == "r-1"
    assert failed["error"].startswith("ZeroDivisionError in <lambda>")


def test_the_access_log_has_no_body_no_query_and_no_key(log_lines: list[dict[str, Any]]) -> None:
    keys = (f"orders:sha256:{sha256(b'the secret').hexdigest()}",)
    with client(api_keys=keys) as asking:
        headers = {"authorization": "Bearer the secret", "x-request-id": "a b"}
        asking.post("/v1/parse?secret=query", json={**READ, "text": '{"item": "private"}'}, headers=headers)
        asking.get("/v1/agents")

    lines = [line for line in log_lines if line["event"] == "llm_http_request"]
    assert [(line["route"], line["status"], line["key"]) for line in lines] == [
        ("/v1/parse", 422, "orders"),
        ("/v1/agents", 401, ""),
    ]
    assert set(lines[0]) >= {"method", "ms", "bytes", "request_id"}
    assert lines[0]["request_id"] != "a b"
    assert not any(word in json.dumps(lines) for word in ("private", "secret"))


@pytest.mark.parametrize(
    ("path", "example"), [(path, example) for path, several in examples().items() for example in several]
)
def test_the_examples_of_the_documentation_are_answered_so(tmp_path: Path, path: str, example: Example) -> None:
    with client(tmp_path / "outcomes.db") as asking:
        if example.body is None:
            answer = asking.get(path)
        elif path.endswith("batch"):
            headers = {"content-type": "application/x-ndjson"}
            answer = asking.post(path, content=ndjson(example.body).encode(), headers=headers)
        else:
            answer = asking.post(path, json=example.body)

    assert (answer.status_code == 200) != example.is_problem
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert lines == (example.answer if path.endswith("batch") else [example.answer])


def test_the_documentation_names_every_route_and_every_part_of_it() -> None:
    with client() as asking:
        shown = asking.get("/openapi.json").json()

    assert shown["openapi"].startswith("3.1")
    assert set(shown["paths"]) == {route.path for route in router.routes if isinstance(route, APIRoute)}
    named = set(re.findall("#/components/schemas/([A-Za-z]+)", json.dumps(shown)))
    assert named == set(shown["components"]["schemas"])


def test_members_of_an_answer_are_those_of_the_documentation() -> None:
    risk = {"risk": "a", "probability": "b", "impact": "c", "mitigation": "d"}
    members = {"direction": "BULLISH", "confidence": 0.5, "bull_case_summary": "a", "bear_case_summary": "b"}
    members |= {"risk_matrix": [risk, {"risk": "a"}], "key_disagreements": [], "conflict_resolution": "c"}
    told: set[str] = set()
    with client() as asking:
        for text, options in ((json.dumps(members), {"keep": "good"}), ("{'direction': 1}", {}), ('{"a": 1', {})):
            asked = {"text": text, "agent": "resolution", "explain": True, **options}
            told |= set(asking.post("/v1/parse", json=asked).json())

    assert told == {*Parsed.model_fields, *ProblemDetails.model_fields} - {"coercions"}


def test_alarms_are_looked_for_again_where_the_store_was_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, is_over = [0], threading.Event()

    def look(_: WatchAlarms) -> tuple[AlarmEvent, ...]:
        looks[0] += 1
        if looks[0] == 1:
            name = "store"
            raise StoreUnavailableError(name, Message("坏", "broken"))
        return ()

    def deliver(_: WatchAlarms) -> None:
        is_over.set()

    monkeypatch.setattr(WatchAlarms, "look", look)
    monkeypatch.setattr(WatchAlarms, "deliver", deliver)
    look_after(watch_alarms(f"sqlite:///{tmp_path / 'outcomes.db'}"), is_over, every=0.001)

    assert looks == [2]
