"""`POST /v1/parse-batch`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message
from structlog.testing import capture_logs

from src.entrypoints.http.pools import Room
from tests.entrypoints.http.asking import scope_of
from tests.entrypoints.http.clients import PRICE, client

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


def test_a_last_line_that_is_too_long_is_a_problem_and_no_line_has_no_answer() -> None:
    with client(max_body=1_024) as asking:
        assert answers(asking, b"") == []
        assert [one["code"] for one in answers(asking, b"x" * 3_000)] == ["LINE_TOO_LARGE"]


def test_a_text_is_answered_before_the_next_one_comes() -> None:
    """And no more of the body is asked for than has been answered."""
    happened: list[str] = []

    async def run() -> None:
        with client() as asking:
            pieces = [line('{"item": "tea", "price": 1}') + b"\n"] * 3

            async def receive() -> dict[str, Any]:
                happened.append("asked")
                return {"type": "http.request", "body": pieces.pop(), "more_body": bool(pieces)}

            async def send(message: Message) -> None:
                if message.get("body"):
                    happened.append("answered")

            headers = [("Host", "127.0.0.1"), ("Content-Type", "application/x-ndjson")]
            await asking.app(scope_of("POST", "/v1/parse-batch", headers), receive, send)

    asyncio.run(run())
    assert happened == ["asked", "answered"] * 3


def test_a_batch_waits_for_room_in_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = [False, False, True]
    with client() as asking:
        monkeypatch.setattr(Room, "has", lambda *_: rooms.pop(0) if rooms else True)
        (found,) = answers(asking, line('{"item": "tea", "price": 1,}'))

    assert found["data"] == {"item": "tea", "price": 1}
    assert not rooms


@pytest.mark.parametrize(
    ("path", "pieces", "statuses", "logged"),
    [
        ("/v1/parse-batch", [], [408], 408),
        ("/v1/parse-batch", [b'{"text": "{}"}\n'], [200], 200),
        ("/v1/parse", [b"{"], [408], 408),
        ("/v1/parse", [b"{", None], [], 499),
        ("/v1/parse-batch", [None], [], 499),
    ],
    ids=["no line comes", "no other line comes", "no end comes", "the client leaves", "the client of a batch leaves"],
)
def test_a_body_that_does_not_go_on_is_refused_once_and_a_client_that_left_is_not_answered(
    path: str, pieces: list[bytes | None], statuses: list[int], logged: int
) -> None:
    """None is the end of the connection. What was begun is not ended: the server closes the connection."""
    left, sent = [*pieces], []

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.Event().wait()
        piece = left.pop(0)
        return {"type": "http.disconnect"} if piece is None else request(piece)

    async def send(message: Message) -> None:
        sent.append(message)

    def request(piece: bytes) -> dict[str, Any]:
        return {"type": "http.request", "body": piece, "more_body": True}

    media_type = "application/x-ndjson" if path.endswith("batch") else "application/json"
    headers = [("Host", "127.0.0.1"), ("Content-Type", media_type), ("Transfer-Encoding", "chunked")]
    with client(body_timeout=0.2) as asking, capture_logs() as lines:
        asyncio.run(asking.app(scope_of("POST", path, headers), receive, send))  # type: ignore[arg-type]

    assert [message["status"] for message in sent if "status" in message] == statuses
    assert (logged == 200) == (bool(sent) and bool(sent[-1].get("more_body")))
    assert [one["status"] for one in lines if one["event"] == "llm_http_request"] == [logged]
    assert [one["event"] for one in lines if one["event"] == "llm_http_failed"] == []
