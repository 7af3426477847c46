"""What the loop reads by itself, and what it leaves to a process."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from src.entrypoints.http import reading
from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.pools import ProcessPool
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import QUICK, ParseAnswer, SchemaContracts, read_at_once, read_body
from src.entrypoints.http.requests import parse_request
from src.entrypoints.http.service import QUICK_BODY, Service
from src.entrypoints.http.service_settings import ServiceSettings
from tests.corpus.reading import OWN, lines_of
from tests.entrypoints.http.clients import PRICE

CLEAN = '{"item": "tea", "price": 1}'
SLOW = '[{"item" 1}, ' * 200


@pytest.fixture(autouse=True)
def _no_schema_takes_long_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes longer than the loop allows, and what a process once compiled is kept."""
    monkeypatch.setattr(reading, "QUICK_COMPILE", float("inf"))
    monkeypatch.setattr(reading, "_SCHEMAS", SchemaContracts())


def body(text: str, **members: object) -> bytes:
    return json.dumps({"text": text, **members}).encode()


def at_once(asked: bytes, *known: dict[str, Any]) -> ParseAnswer | None:
    """What the loop reads by itself, where it knows some schemas."""
    schemas = SchemaContracts(explain=False)
    for schema in known:
        schemas.compile(schema)
    return read_at_once(parse_request(asked), schemas)


def answer_of(read: ParseAnswer) -> bytes:
    return read.answer.line() if isinstance(read.answer, Problem) else read.answer


@pytest.mark.parametrize(
    "text", [CLEAN, f"```json\n{CLEAN}\n```", '{"item": "the "good" tea", "price": 1,}', "no JSON"]
)
@pytest.mark.parametrize("members", [{}, {"schema": PRICE}, {"agent": "verdict"}], ids=["untyped", "schema", "agent"])
def test_a_short_text_that_takes_little_work_is_read_on_the_loop_as_in_a_process(
    text: str, members: dict[str, object]
) -> None:
    asked = body(text, **members)
    on_the_loop = at_once(asked, PRICE)

    assert on_the_loop is not None
    assert answer_of(on_the_loop) == answer_of(read_body(asked))


@pytest.mark.parametrize(
    ("text", "members"),
    [
        (CLEAN + " " * QUICK, {}),
        (CLEAN, {"explain": True}),
        (SLOW, {}),
        (SLOW, {"agent": "verdict"}),
        ('{"item": "tea", "price": "dear"}', {"schema": PRICE}),
        (CLEAN, {"schema": {**PRICE, "title": "another"}}),
    ],
    ids=["long", "to explain", "much work", "much work for an agent", "refused by a schema", "schema to compile"],
)
def test_any_other_text_is_left_to_a_process(text: str, members: dict[str, object]) -> None:
    assert at_once(body(text, **members), PRICE) is None


def test_recorded_outputs_are_read_on_the_loop_as_in_a_process_or_left() -> None:
    left = 0
    for row in lines_of("outputs.jsonl", folder=OWN):
        asked = body(row["text"], schema={"type": "object"})
        on_the_loop = at_once(asked, {"type": "object"})
        left += on_the_loop is None
        assert on_the_loop is None or answer_of(on_the_loop) == answer_of(read_body(asked))

    assert left


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}},
        {"type": "object", "properties": {"a": {"uniqueItems": True}}},
        {"type": "object", "description": "x" * 3_000},
        {"type": "object", "anyOf": [{"required": [f"{at}"]} for at in range(30)]},
    ],
    ids=["pattern", "unique items", "large", "much for one value"],
)
def test_a_schema_that_may_take_long_is_not_for_the_loop(schema: dict[str, object]) -> None:
    assert not read_body(body("{}", schema=schema)).has_quick_schema
    assert read_body(body("{}", schema=PRICE)).has_quick_schema


def test_a_schema_that_took_long_to_compile_is_not_for_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "QUICK_COMPILE", -1)

    assert not read_body(body("{}", schema=PRICE)).has_quick_schema


def test_a_schema_is_compiled_when_it_is_met_again_unless_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_SCHEMAS", 2)
    schemas, kept = SchemaContracts(), []
    for title in ("a", "b", "c", "a", "c", "c", "a", "b", "b"):
        schemas.meet({**PRICE, "title": title})
        kept.append(len(schemas))

    assert kept == [0, 0, 0, 0, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(("bound", "value"), [("MOST_SCHEMAS", 2), ("MOST_SCHEMA_BYTES", 2 * 130)])
def test_kept_schemas_are_bounded_and_the_least_recently_used_goes_first(
    monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    monkeypatch.setattr(reading, bound, value)
    schemas, titles = SchemaContracts(), [{**PRICE, "title": title} for title in "abc"]
    for schema in (titles[0], titles[1]):
        schemas.compile(schema)
    schemas.kept(titles[0])
    schemas.compile(titles[2])

    assert [schemas.kept(one) is not None for one in titles] == [True, False, True]


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The bodies that are left to processes, which read them here."""
    bodies: list[bytes] = []

    async def run(_: ProcessPool, __: object, asked: bytes, *, size: int) -> ParseAnswer:
        assert size == len(asked)
        bodies.append(asked)
        return read_body(asked)

    monkeypatch.setattr(ProcessPool, "run", run)
    return bodies


def test_only_short_bodies_are_looked_at_on_the_loop(pooled: list[bytes]) -> None:
    service = Service(ServiceSettings(), Metrics())
    short, long = body(CLEAN), body(CLEAN) + b" " * QUICK_BODY

    assert asyncio.run(service.parse(short)) == asyncio.run(service.parse(long))
    assert pooled == [long]


def test_the_loop_reads_by_a_schema_from_the_third_time_on(pooled: list[bytes]) -> None:
    service = Service(ServiceSettings(), Metrics())
    asked = body(CLEAN, schema=PRICE)

    assert len({asyncio.run(service.parse(asked)) for _ in range(5)}) == 1
    assert len(pooled) == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' + "}" * 1_500,
        '{"a":1,' + "# " * 1_500 + "}",
        '["a" "b" ' * 300,
        '{"a": "' + '", "' * 700 + '"}',
        '\\\\"[{"a"<minimax:tool_call>' * 100,
    ],
    ids=["braces", "comments", "elements", "quotes", "calls"],
)
def test_hostile_texts_of_a_length_for_the_loop_are_read_or_left_soon(text: str) -> None:
    """Ten times what the slowest of a screen took, since this machine does other things as well."""

    taken = []
    for _ in range(5):
        began = time.thread_time()
        at_once(body(text[:QUICK], schema={"type": "object"}), {"type": "object"})
        taken.append(time.thread_time() - began)

    assert min(taken) < 0.05
