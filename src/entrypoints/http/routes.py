"""The routes of the service, an endpoint each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import cache
from time import perf_counter
from typing import Annotated

from fastapi import Query
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field
from pydantic_core import to_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.metrics import store_problem, unwritten
from src.entrypoints.http.pools import POOL_FULL
from src.entrypoints.http.problems import JSON, Problem, check_media_type, problem_response, read_body, send_bytes
from src.entrypoints.http.service import Service
from src.entrypoints.reports.grouping import Grouping
from src.entrypoints.reports.monitoring_json import RatesAnswer, answer_of
from src.modules.monitoring.domain.exceptions import MonitoringSettingsError, StoreError, StoreMissingError
from src.modules.monitoring.domain.rate import Window
from src.modules.monitoring.infrastructure.monitoring_settings import STORE_URL
from src.shared.domain.answer_type import json_schema_of
from src.shared.domain.caller import NAME_LIMIT
from src.shared.domain.language import Phrase


async def healthz(_: Request) -> Response:
    """The process answers."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """It is not stopping, and the store, where one is set, can be read and written and is of this version."""
    service = _service(request)
    if service.is_stopping:
        raise Problem(503, "STOPPING", Phrase("the service is stopping"))
    if service.recording and service.recording.writer.is_stuck:
        raise unwritten()
    if service.rates:
        try:
            await service.questions.run(service.rates.facts)
        except StoreMissingError:
            pass  # it is made with the first outcome
        except StoreError as error:
            raise store_problem(error) from None
    return JSONResponse({"status": "ready"})


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


class ParseEndpoint:
    """Plain ASGI: the route that has to be quick."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            check_media_type(scope, JSON)
            answer = await self._service.parse(await read_body(receive))
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
        else:
            await send_bytes(send, answer)


NDJSON = b"application/x-ndjson"
_MEDIA_TYPES = (NDJSON, b"application/ndjson", b"application/jsonl", b"application/jsonlines")
SENT_AT_ONCE = 65_536
"""Bytes of answers that are collected before they are sent."""
TURN = 0.02
"""Seconds after which other requests have their turn."""
ROOM_WAIT = 0.05
"""Seconds until a full pool is asked again: a batch waits where a single text is answered 503."""


class ParseBatchEndpoint:
    """Plain ASGI. The next piece of the body is read when the answers to the last one have been taken."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            check_media_type(scope, *_MEDIA_TYPES)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
            return
        answers = _Answers(send)
        await self._answer(answers, receive)
        await answers.end()

    async def _answer(self, answers: _Answers, receive: Receive) -> None:
        number = texts = 0
        lines = _Lines(self._service.settings.max_body)
        async for piece in _pieces(receive):
            for line in lines.of(piece):
                number += 1
                if line is not None and not line.strip():
                    continue
                texts += 1
                if texts > self._service.settings.max_batch:
                    await answers.add(number, _too_many(self._service.settings.max_batch))
                    return
                await answers.add(number, await self._one(line))
            await answers.flush()

    async def _one(self, line: bytes | None) -> bytes | Problem:
        """The answer to a line; None is one that is too long."""
        if line is None:
            return _too_long(self._service.settings.max_body)
        while True:
            try:
                return await self._service.parse(line)
            except Problem as problem:
                if problem.code != POOL_FULL:
                    return problem
                await asyncio.sleep(ROOM_WAIT)


async def _pieces(receive: Receive) -> AsyncIterator[bytes | None]:
    """The body as it comes, and None at its end."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        yield message.get("body", b"")
        if not message.get("more_body", False):
            yield None
            return


class _Lines:
    """Cuts pieces into lines, and holds no more than one of them."""

    def __init__(self, most: int) -> None:
        self._most, self._begun, self._is_too_long = most, bytearray(), False

    def of(self, piece: bytes | None) -> list[bytes | None]:
        """The lines that end in a piece; at the end of the body the last one."""
        if piece is None:
            rest = [self._line(b"")] if self._begun or self._is_too_long else []
            return [*rest]
        *ended, begun = piece.split(b"\n")
        lines = [self._line(part) for part in ended]
        self._begin(begun)
        return lines

    def _begin(self, part: bytes) -> None:
        self._is_too_long |= len(self._begun) + len(part) > self._most
        if self._is_too_long:
            self._begun.clear()
        else:
            self._begun += part

    def _line(self, part: bytes) -> bytes | None:
        self._begin(part)
        line = None if self._is_too_long else bytes(self._begun)
        self._begun.clear()
        self._is_too_long = False
        return line


class _Answers:
    """Sends answers, several at once."""

    def __init__(self, send: Send) -> None:
        self._send, self._is_begun = send, False
        self._parts: list[bytes] = []
        self._size, self._since = 0, perf_counter()

    async def add(self, number: int, answer: bytes | Problem) -> None:
        """Answer a line; a problem and an answer begin with its number."""
        body = answer.line() if isinstance(answer, Problem) else answer
        line = b'{"line":%d,%b\n' % (number, body[1:])
        self._parts.append(line)
        self._size += len(line)
        if self._size >= SENT_AT_ONCE:
            await self.flush()
        if perf_counter() - self._since > TURN:
            await asyncio.sleep(0)
            self._since = perf_counter()

    async def flush(self) -> None:
        """Send what has been collected."""
        if not self._is_begun:
            self._is_begun = True
            headers = [(b"content-type", NDJSON), (b"cache-control", b"no-store")]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        if self._parts:
            body = b"".join(self._parts)
            self._parts.clear()
            self._size = 0
            await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def end(self) -> None:
        """Send the rest."""
        await self.flush()
        await self._send({"type": "http.response.body", "body": b""})


def _too_long(most: int) -> Problem:
    return Problem(413, "LINE_TOO_LARGE", Phrase("a line has at most {most:,} bytes", most=most))


def _too_many(most: int) -> Problem:
    return Problem(
        413, "BATCH_TOO_LONG", Phrase("a batch has at most {most:,} texts; the rest was not read", most=most)
    )


Name = Annotated[str | None, Field(max_length=NAME_LIMIT)]


async def rates(
    request: Request,
    by: Annotated[Grouping, Query(description="What rates are taken by.")] = Grouping.AGENT,
    window: Annotated[str, Query(max_length=40, description="Which texts: `200`, `24h` or `200,24h`.")] = "200",
    agent: Annotated[Name, Query(description="Texts of this agent only, by its title.")] = None,
    model: Annotated[Name, Query(description="Texts of this model only.")] = None,
) -> Response:
    """What the store says of agents, models, stages or kinds of repair."""
    service = _service(request)
    reading = service.rates
    if reading is None:
        detail = Phrase("no store is set; set {store_url}", store_url=STORE_URL)
        raise Problem(404, "STORE_NOT_SET", detail)
    try:
        Window.of(window)
    except MonitoringSettingsError as error:
        raise Problem(422, "WINDOW_INVALID", error.message) from None
    try:
        found = await service.questions.run(lambda: answer_of(reading, by, window, agent, model))
    except StoreMissingError:
        found = RatesAnswer(by, window)  # nothing has been parsed yet
    except StoreError as error:
        raise store_problem(error) from None
    return JSONResponse(found.json())


async def agents(request: Request) -> Response:
    """The agents, in a list that is made once."""
    return Response(await _service(request).questions.run(_listed), media_type="application/json")


@cache
def _listed() -> bytes:
    return to_json(
        {
            "agents": [
                {
                    "name": agent.name,
                    "context": agent.context,
                    "title": agent.output.label,
                    "type": agent.dto,
                    "schema": json_schema_of(agent.output.dto_type),
                }
                for agent in AGENTS.values()
            ]
        }
    )


async def metrics(request: Request) -> Response:
    """The numbers of all workers, and the rates of the store."""
    service = _service(request)
    service.note()
    text = await asyncio.to_thread(service.metrics.text)  # those of the questions may all wait for the store
    if service.store_rates:
        text += await service.store_rates.text()
    return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
