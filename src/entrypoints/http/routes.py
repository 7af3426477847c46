"""The routes of the service, a function each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import cache
from time import perf_counter
from typing import Annotated, Any

from fastapi import APIRouter, Query
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field
from pydantic_core import to_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from src.entrypoints.agents import AGENTS
from src.entrypoints.http.metrics import RETRY, store_problem, store_rates
from src.entrypoints.http.openapi import PARSE_REQUEST, PROBLEM, Parsed, body_of
from src.entrypoints.http.pools import POOL_FULL
from src.entrypoints.http.problems import Problem, check_media_type
from src.entrypoints.http.service import Service
from src.entrypoints.reports.grouping import Grouping
from src.entrypoints.reports.monitoring_json import RatesAnswer, answer_of
from src.modules.monitoring.domain.exceptions import MonitoringSettingsError, StoreError, StoreMissingError
from src.modules.monitoring.domain.rate import Window
from src.modules.monitoring.infrastructure.monitoring_settings import STORE_URL
from src.shared.domain.answer_type import json_schema_of
from src.shared.domain.caller import NAME_LIMIT
from src.shared.domain.language import Phrase

JSON, NDJSON = "application/json", "application/x-ndjson"
_MEDIA_TYPES = (NDJSON, "application/ndjson", "application/jsonl", "application/jsonlines")
SENT_AT_ONCE = 65_536
"""Bytes of answers that are collected before they are sent."""
TURN = 0.02
"""Seconds after which other requests have their turn."""
ROOM_WAIT = 0.05
"""Seconds until a full pool is asked again: a batch waits where a single text is answered 503."""
PARSE, PARSE_BATCH = "/v1/parse", "/v1/parse-batch"
_GET = ["GET", "HEAD"]
_OPEN: dict[str, Any] = {"security": []}
router = APIRouter(responses={"default": PROBLEM}, generate_unique_id_function=lambda route: route.name)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


@router.post(PARSE, response_model=Parsed, openapi_extra=body_of(JSON, PARSE_REQUEST))
async def parse(request: Request) -> Response:
    """Read one text."""
    check_media_type(request.scope, JSON)
    return Response(await _service(request).parse(await request.body()), media_type=JSON)


class AnswerLines(StreamingResponse):
    """Lines that are sent while the body still comes: nobody else may look whether the client has left."""

    media_type = NDJSON

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the form of an application
        """Send them."""
        try:
            await self.stream_response(send)
        except Problem:  # a pause of the body that was too long; it is too late to say so
            raise ClientDisconnect from None


@router.post(
    PARSE_BATCH,
    name="batch",
    response_class=AnswerLines,
    response_description="A line a text: its `line`, and `Parsed` or `ProblemDetails`.",
    openapi_extra=body_of(NDJSON, {"type": "string", "description": "A `ParseRequest` a line."}),
)
async def parse_batch(request: Request) -> Response:
    """Read one text a line; answered line by line, in order, while the body comes."""
    check_media_type(request.scope, *_MEDIA_TYPES)
    answers = _answers(_service(request), request)
    first = await anext(answers)  # a body of which nothing comes in time is refused

    async def all_answers() -> AsyncIterator[bytes]:
        yield first
        async for one in answers:
            yield one

    return AnswerLines(all_answers())


async def _answers(service: Service, request: Request) -> AsyncIterator[bytes]:
    """The answers to the lines of a body, at least those to a piece of it at once, before the next one is read."""
    most, texts, number, since = service.settings.max_batch, 0, 0, perf_counter()
    too_long = Phrase("a batch has at most {most:,} texts; the rest was not read", most=most)
    async for lines in _lines(request, service.settings.max_body):
        collected = bytearray()
        for line in lines:
            number += 1
            if line is not None and not line.strip():
                continue
            texts += 1
            is_too_long = texts > most
            answer = Problem(413, "BATCH_TOO_LONG", too_long) if is_too_long else await _answer(service, line)
            body = answer.line() if isinstance(answer, Problem) else answer
            collected += b'{"line":%d,%b\n' % (number, body[1:])
            if is_too_long or len(collected) >= SENT_AT_ONCE:
                yield bytes(collected)
                collected.clear()
            if is_too_long:
                return
            if perf_counter() - since > TURN:
                await asyncio.sleep(0)
                since = perf_counter()
        yield bytes(collected)


async def _answer(service: Service, line: bytes | None) -> bytes | Problem:
    """The answer to a line; None is one that is too long."""
    if line is None:
        most = service.settings.max_body
        return Problem(413, "LINE_TOO_LARGE", Phrase("a line has at most {most:,} bytes", most=most))
    while True:
        try:
            return await service.parse(line)
        except Problem as problem:
            if problem.code != POOL_FULL:
                return problem
            await asyncio.sleep(ROOM_WAIT)


async def _lines(request: Request, most: int) -> AsyncIterator[list[bytes | None]]:
    """The lines that end in each piece of a body; None is one of more than `most` bytes, which are not kept."""
    begun, is_too_long = bytearray(), False
    async for piece in request.stream():
        lines: list[bytes | None] = []
        for at, part in enumerate(piece.split(b"\n")):
            if at:
                lines.append(None if is_too_long else bytes(begun))
                begun.clear()
                is_too_long = False
            is_too_long |= len(begun) + len(part) > most
            if is_too_long:
                begun.clear()
            else:
                begun += part
        yield lines
    yield [None if is_too_long else bytes(begun)] if begun or is_too_long else []


@router.api_route("/v1/agents", methods=_GET, response_model=dict[str, Any])
async def agents(request: Request) -> Response:
    """The agents, and the JSON Schema of what each answers."""
    return Response(await _service(request).questions.run(_listed), media_type=JSON)


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


Name = Annotated[str | None, Field(max_length=NAME_LIMIT)]


@router.get("/v1/rates")
async def rates(
    request: Request,
    by: Annotated[Grouping, Query(description="What rates are taken by.")] = Grouping.AGENT,
    window: Annotated[str, Query(max_length=40, description="Which texts: `200`, `24h` or `200,24h`.")] = "200",
    agent: Annotated[Name, Query(description="Texts of this agent only, by its title.")] = None,
    model: Annotated[Name, Query(description="Texts of this model only.")] = None,
) -> dict[str, Any]:
    """How often texts were repaired or refused, from the store."""
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
    return found.json()


@router.api_route("/healthz", methods=_GET, openapi_extra=_OPEN)
async def healthz(_: Request) -> dict[str, str]:
    """Whether the process answers."""
    return {"status": "ok"}


@router.api_route("/readyz", methods=_GET, openapi_extra=_OPEN)
async def readyz(request: Request) -> dict[str, str]:
    """Whether it can be sent requests: it is not stopping, and the store can be used."""
    service = _service(request)
    if service.is_stopping:
        raise Problem(503, "STOPPING", Phrase("the service is stopping"))
    if service.recording and service.recording.writer.is_stuck:
        detail = Phrase("outcomes cannot be written to the store: its disk may be full")
        raise Problem(503, "STORE_NOT_WRITABLE", detail, headers=RETRY)
    if service.rates:
        try:
            await service.questions.run(service.rates.facts)
        except StoreMissingError:
            pass  # it is made with the first outcome
        except StoreError as error:
            raise store_problem(error) from None
    return {"status": "ready"}


@router.api_route("/metrics", methods=_GET, response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Numbers for Prometheus, over all workers."""
    service = _service(request)
    service.note()
    text = await asyncio.to_thread(service.metrics.text)  # those of the questions may all wait for the store
    if service.rates:
        text += await store_rates(service.rates, service.answers)
    return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
