"""`POST /v1/parse-batch`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from src.entrypoints.http.pools import Room
from src.entrypoints.http.routes import ParseBatchEndpoint
from tests.entrypoints.http.clients import PRICE, client, service_of

HEADERS = {"content-type": "application/x-ndjson"}


def line(text: str) -> bytes:
    return json.dumps({"text": text, "schema": PRICE}).encode()


def answers(asking: TestClient, body: bytes) -> list[dict[str, Any]]:
    answer = asking.post("/v1/parse-batch", content=body, headers=HEADERS)
    assert answer.status_code == 200
    return [json.loads(one) for one in answer.text.splitlines()]


def test_each_text_is_answered_in_its_order() -> None:
    body = b"\n".join(line(f'{{"item": "tea", "price": {price},}}') for price in range(200))
    with client() as asking:
        found = answers(asking, body)

    assert [one["data"]["price"] for one in found] == list(range(200))
    assert [one["line"] for one in found] == list(range(1, 201))


def test_a_bad_line_is_a_problem_with_its_number_and_the_rest_is_read() -> None:
    good = line('{"item": "tea", "price": 1}')
    with client(max_body=1_024) as asking:
        found = answers(asking, b"\n".join((good, b"{", b"", b"x" * 2_000, line("no JSON"), good)) + b"\n")

    told = [(one["line"], one.get("code", "")) for one in found]
    assert told == [(1, ""), (2, "BODY_NOT_JSON"), (4, "LINE_TOO_LARGE"), (5, "LLM_JSON_PARSE_ERROR"), (6, "")]


def test_a_last_line_that_is_too_long_is_a_problem() -> None:
    with client(max_body=1_024) as asking:
        assert [one["code"] for one in answers(asking, b"x" * 3_000)] == ["LINE_TOO_LARGE"]


def test_a_batch_that_is_too_long_ends_with_a_problem() -> None:
    with client(max_batch=2) as asking:
        found = answers(asking, b"\n".join([line('{"item": "tea", "price": 1}')] * 5))

    assert [one.get("code") for one in found] == [None, None, "BATCH_TOO_LONG"]


def test_an_empty_batch_has_no_answers() -> None:
    with client() as asking:
        assert answers(asking, b"") == []


def test_another_media_type_is_refused() -> None:
    with client() as asking:
        answer = asking.post("/v1/parse-batch", content=b"{}", headers={"content-type": "text/html"})

    assert (answer.status_code, answer.json()["code"]) == (415, "MEDIA_TYPE")


def test_a_text_is_answered_before_the_next_one_comes() -> None:
    """And no more of the body is asked for than has been answered."""
    happened: list[str] = []

    async def run() -> None:
        with client() as asking:
            endpoint = ParseBatchEndpoint(service_of(asking))
            pieces = [line('{"item": "tea", "price": 1}') + b"\n"] * 3

            async def receive() -> dict[str, Any]:
                happened.append("asked")
                return {"type": "http.request", "body": pieces.pop(), "more_body": bool(pieces)}

            async def send(message: Message) -> None:
                if message.get("body"):
                    happened.append("answered")

            await endpoint({"headers": [(b"content-type", b"application/x-ndjson")]}, receive, send)

    asyncio.run(run())
    assert happened == ["asked", "answered"] * 3


def test_a_batch_waits_for_room_in_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = [False, False, True]
    with client() as asking:
        monkeypatch.setattr(Room, "has", lambda *_: rooms.pop(0) if rooms else True)
        (found,) = answers(asking, line('{"item": "tea", "price": 1,}'))

    assert found["data"] == {"item": "tea", "price": 1}
    assert not rooms
