"""`POST /v1/parse`."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel
from starlette.testclient import TestClient

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.app import create_app
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import HttpContract
from src.entrypoints.http.service import QUICK_BODY
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.domain.answer_type import adapter_of, json_schema_of
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace
from tests.entrypoints.http.clients import PRICE, client, service_of
from tests.paths import ROOT


class Amount(BaseModel):
    amount: float
    tags: set[str] = set()


def nested(depth: int) -> dict[str, Any]:
    """A schema of so many objects in each other."""
    return {"type": "object", "properties": {"a": nested(depth - 1)}} if depth else {"type": "object"}


RECORDED = ROOT / "src/entrypoints/cli/recordings"
MEDIA_TYPE = "application/problem+json"


@pytest.fixture(scope="module")
def asking() -> Iterator[TestClient]:
    with client() as started:
        yield started


@pytest.mark.parametrize(
    ("by", "agent"),
    [("agent", "verdict"), ("agent", "financial_auditor"), ("schema", "verdict"), ("schema", "resolution")],
)
@pytest.mark.parametrize("kind", ["clean", "wrapped", "damaged"])
def test_an_agents_text_is_read_as_the_parser_reads_it(asking: TestClient, by: str, agent: str, kind: str) -> None:
    text = (RECORDED / agent / f"{kind}.txt").read_text(encoding="utf-8")
    output = AGENTS[agent].output
    expected = parse_llm_json_output_with_trace(text, output.checked_type, normalizers=output.normalizers)

    asked = {"agent": agent, "schema": json_schema_of(output.dto_type)}[by]
    answer = asking.post("/v1/parse", json={"text": text, by: asked}).json()

    written = expected.value.model_dump(mode="json", by_alias=True)
    assert (answer["data"] == written) or by == "schema"  # which leaves out what only the type adds
    assert adapter_of(output.dto_type).validate_python(answer["data"]) == expected.value
    assert [one["offset"] for one in answer["repairs"]] == [one.offset for one in expected.decoded.repairs]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"\xff", 400, "BODY_NOT_JSON"),
        (b"[" * 10_000, 400, "BODY_NOT_JSON"),
        (json.dumps({"text": "{}", "schema": nested(150)}).encode(), 400, "BODY_NOT_JSON"),
        (b'{"text": "x", "agent": "verdict", "finshed": true}', 422, "REQUEST_INVALID"),
    ],
)
def test_a_wrong_request_is_a_problem(asking: TestClient, body: bytes, status: int, code: str) -> None:
    answer = asking.post("/v1/parse", content=body, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == MEDIA_TYPE


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "obj"}, "#/type"),
        ({"type": "object", "properties": {"a": {"minimum": "0"}}}, "#/properties/a/minimum"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}}, "#/properties/a"),
        ({"type": "object", "properties": {"a": {"pattern": "(a{1000}){1000}"}}}, "#/properties/a/pattern"),
        ({"type": "string"}, "#"),
    ],
)
def test_a_schema_that_cannot_be_taken_names_the_place(asking: TestClient, schema: dict[str, Any], place: str) -> None:
    answer = asking.post("/v1/parse", json={"text": "{}", "schema": schema})

    assert (answer.status_code, answer.json()["code"]) == (422, "SCHEMA_REFUSED")
    assert answer.json()["place"].startswith(place)


@pytest.mark.parametrize(
    ("answer_type", "value", "written"),
    [
        (dict[str, str], {"item": "\ud83d"}, b'{"item":"\\ud83d"}'),
        (Amount, Amount(amount=1, tags={"c", "a", "b"}), b'{"amount":1.0,"tags":["a","b","c"]}'),
        (dict[str, str | None], {"item": None, "by": "NaN"}, b'{"item":null,"by":"NaN"}'),
    ],
    ids=["half of a surrogate pair", "a set in order", "what looks like no number"],
)
def test_a_value_is_written_as_json_that_is_the_same_in_every_process(
    answer_type: Any,  # noqa: ANN401 - any type
    value: object,
    written: bytes,
) -> None:
    assert HttpContract("data", plain_output(answer_type)).written(value) == written


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_that_json_has_no_word_for_is_a_problem(number: float) -> None:
    with pytest.raises(Problem) as raised:
        HttpContract("amount", plain_output(Amount)).written(Amount(amount=number))

    assert (raised.value.status, raised.value.code) == (422, "VALUE_NOT_JSON")


@pytest.mark.parametrize(
    ("body", "member"),
    [
        (b'{"text": "{}", "text": "[]"}', "$.text"),
        (b'{"text": "{}", "schema": {"type": "object", "type": "array"}}', "$.type"),
        (b'{"text": "{}", "finished": "yes"}', "$.finished"),
        (b'{"text": "{}", "finished": 1}', "$.finished"),
        (b'{"text": "{}", "explain": "true"}', "$.explain"),
        (b'{"text": "{}", "coerce": 1}', "$.coerce"),
        (b'{"text": 1}', "$.text"),
        (b'{"text": "{}", "agent": 1}', "$.agent"),
        (b'{"text": "{}", "schema": [["type", "object"]]}', "$.schema"),
        (b'{"text": "{}", "model": 1}', "$.model"),
        (b'{"text": "{}", "prompt_id": 7}', "$.prompt_id"),
    ],
)
@pytest.mark.parametrize("padding", [0, QUICK_BODY], ids=["on the loop", "in a process"])
def test_a_member_given_twice_or_of_another_type_is_refused_by_its_name(
    asking: TestClient, body: bytes, member: str, padding: int
) -> None:
    answer = asking.post("/v1/parse", content=body + b" " * padding, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (422, "REQUEST_INVALID")
    assert [one["path"] for one in answer.json()["problems"]] == [member]
    assert member in answer.json()["detail"]


def test_a_text_that_takes_too_long_is_given_up_and_the_next_is_read() -> None:
    endless = {"text": "x" * QUICK_BODY, "schema": PRICE}
    with client(parse_timeout=0.001, parse_threads=1) as asking:
        late = asking.post("/v1/parse", json=endless)
        short = asking.post("/v1/parse", json={"text": "{'a': 1}"})

    assert (late.status_code, late.json()["code"]) == (504, "PARSE_TIMEOUT")
    assert short.json()["data"] == {"a": 1}


def test_hostile_texts_and_schemas_keep_no_place() -> None:
    twice = {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}
    hostile: list[dict[str, Any]] = [
        {"text": '{"a":' + "}" * 8_000},
        {"text": '{"a":1,' + "# " * 16_000 + "}"},
        {"text": '{"item": "a "b" c", ' * 4_000},
        {"text": "[]", "schema": {"$ref": "#/$defs/n", "$defs": {"n": {"items": twice}}}},
    ]
    with client(parse_timeout=1, parse_threads=1) as asking:
        statuses = {asking.post("/v1/parse", json=one).status_code for one in hostile}
        began = time.perf_counter()
        damaged = asking.post("/v1/parse", json={"text": '{"item": "the "good" tea", "price": 1}', "schema": PRICE})

    assert statuses <= {200, 422, 504}
    assert damaged.json()["data"] == {"item": 'the "good" tea', "price": 1}
    assert time.perf_counter() - began < 1


def test_what_a_process_reads_is_counted_and_stored(tmp_path: Path) -> None:
    with client(tmp_path / "outcomes.db") as asking:
        text = "{'item': 'tea', 'price': 1}" + " " * QUICK_BODY
        asking.post("/v1/parse", json={"text": text, "schema": PRICE, "model": "m-1", "prompt_id": "p-1"})
        service_of(asking).close(5)
        told = asking.get("/metrics").text
        (model,) = asking.get("/v1/rates?by=model").json()["rates"]

    assert 'llm_output_parses_total{agent="schema",outcome="repaired"} 1.0' in told
    assert (model["name"], model["texts"], model["repaired"]) == ("m-1", 1, 1)


def test_other_requests_are_answered_while_a_hostile_megabyte_is_read() -> None:
    async def waits() -> list[float]:
        app = create_app(ServiceSettings(max_body=2_000_000), MonitoringSettings())
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8421") as asking:
            small = {"text": '{"item": "tea", "price": 1}', "schema": PRICE}
            await asking.post("/v1/parse", json=small)
            hostile = {"text": '{"item": "a "b" c", ' * 50_000, "schema": PRICE}
            large = asyncio.create_task(asking.post("/v1/parse", json=hostile))
            await asyncio.sleep(0.05)
            taken = []
            for _ in range(5):
                began = time.perf_counter()
                assert (await asking.get("/healthz")).status_code == 200
                assert (await asking.post("/v1/parse", json=small)).status_code == 200
                taken.append(time.perf_counter() - began)
            assert (await large).status_code == 422
            return taken

    assert sorted(asyncio.run(waits()))[2] < 0.1


ROWS = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "integer"}}}, "required": ["rows"]}


def test_text_that_takes_longer_than_the_request_allows_is_a_problem(asking: TestClient) -> None:
    hard = '{"rows": [' + '{"a": "x "y" z", "b": 1, "c": 2},' * 2_000 + "]}"
    answer = asking.post("/v1/parse", json={"text": hard, "schema": ROWS, "timeout": 0.001})
    assert (answer.status_code, answer.json()["stage"]) == (422, "timeout")
