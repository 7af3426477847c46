"""What `/openapi.json` says: what FastAPI makes of the routes, with examples that are answered as a request is."""

from __future__ import annotations

import json
from copy import copy
from functools import cache
from typing import Any, NamedTuple, cast

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, APIRouter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

from src.entrypoints.http.problems import MEDIA_TYPE, Problem
from src.entrypoints.http.reading import read_body
from src.entrypoints.http.requests import ParseBody
from src.entrypoints.reports.grouping import Grouping
from src.entrypoints.reports.monitoring_json import RatesAnswer
from src.shared.domain.grade import Grade
from src.shared.domain.language import Language, speaking
from src.shared.domain.repair import Repair
from src.shared.infrastructure.distribution import installed_version

_COMPONENT = "#/components/schemas/{model}"
_OBJECTS = list[dict[str, Any]]


class Parsed(BaseModel):
    """A text that was read."""

    data: dict[str, Any] | list[Any] = Field(description="The value, as its type writes it.")
    repairs: list[Repair] = Field(description="Each departure from strict JSON, with its kind and place.")
    grade: Grade = Field(description="How sure the reading is.")
    left_out: _OBJECTS = Field([], description="With `keep`: the parts that are not in the value.")
    coercions: _OBJECTS = Field([], description="The values that were read in another spelling, if there are any.")
    stages: _OBJECTS = Field([], description="With `explain`: what each stage of the parser did.")
    spans: dict[str, tuple[int, int]] = Field({}, description="With `explain`: where each value stands, by its path.")


class ProblemDetails(BaseModel):
    """RFC 9457. A refused text has `stage`, `position`, `feedback` and `problems` as well."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(json_schema_extra={"format": "uri"})
    title: str
    status: int
    detail: str
    code: str = Field(description="A constant name for programs.")
    stage: str = Field("", description="The stage of the parser that refused the text.")
    position: dict[str, int] = Field({}, description="`line`, `column` and `offset` in the text.")
    truncated: bool = Field(default=False, description="Whether the text was cut off.")
    feedback: str = Field("", description="What to tell the model that wrote the text.")
    problems: _OBJECTS = Field([], description="Each field that is wrong: `path`, `type` and `msg`.")
    stages: _OBJECTS = Field([], description="With `explain`: what each stage of the parser did.")
    repairs: list[Repair] = Field([], description="With `explain`: what was repaired before the text was refused.")
    places: list[dict[str, int]] = Field([], description="With `explain`: every place that the refusal is about.")


PROBLEM = {
    "description": "A problem.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": _COMPONENT.format(model="ProblemDetails")}}},
}
"""The answer of each route that is a problem."""


def body_of(media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The body that a route takes, as it reads it by itself."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


PARSE_REQUEST = {"$ref": _COMPONENT.format(model="ParseRequest")}
_PRICE = {
    "title": "Price",
    "type": "object",
    "properties": {"item": {"type": "string"}, "price": {"type": "number"}},
    "required": ["item", "price"],
}
_READ = {"text": 'Here you are: {"item": "tea", "price": 3.5,}', "schema": _PRICE}
_CUT = {"text": '{"item": "tea", "price": 3', "schema": _PRICE}
_REQUESTS: dict[str, dict[str, Any]] = {
    "a text by a schema": _READ,
    "any object": {"text": "{'item': 'tea'}"},
    "a text that was cut off": _CUT,
    "a schema that cannot be used": {
        "text": "{}",
        "schema": {"type": "object", "properties": {"price": {"minimum": "0"}}},
    },
}


class Example(NamedTuple):
    """A request, and what is answered.

    Attributes:
        name: of the example.
        body: as JSON; of a batch a list of its lines; None for a request without one.
        answer: as JSON; of a batch a list of its lines.
        is_problem: whether it is a problem.
    """

    name: str
    body: Any
    answer: Any
    is_problem: bool = False


@cache
def examples() -> dict[str, tuple[Example, ...]]:
    """Examples of each path, as they are answered where nobody asks for a language."""
    parsed = tuple(_answered(name, body) for name, body in _REQUESTS.items())
    lines = [{"line": number, **parsed[at].answer} for number, at in ((1, 0), (2, 2))]
    return {
        "/v1/parse": parsed,
        "/v1/parse-batch": (Example("two texts", [_READ, _CUT], lines),),
        "/v1/rates": (Example("rates", None, RatesAnswer(Grouping.AGENT, "200").json()),),
        "/healthz": (Example("alive", None, {"status": "ok"}),),
        "/readyz": (Example("ready", None, {"status": "ready"}),),
    }


def _answered(name: str, body: dict[str, Any]) -> Example:
    with speaking(Language.BOTH):
        answer = read_body(json.dumps(body).encode()).answer
        is_problem = isinstance(answer, Problem)
        return Example(name, body, json.loads(answer.line() if isinstance(answer, Problem) else answer), is_problem)


def document(router: APIRouter) -> dict[str, Any]:
    """The document; the same for every service of this version.

    Args:
        router: has the routes; what a GET answers without its body (HEAD) is not described on its own.
    """
    routes = [copy(cast("APIRoute", route)) for route in router.routes]
    for route in routes:
        route.methods = set(route.methods or ()) - {"HEAD"}
    made = get_openapi(title="llm-output", version=installed_version(), routes=routes)
    for path, shown in examples().items():
        (operation,) = made["paths"][path].values()
        for example in shown:
            _show(operation, example)
    models: list[Any] = [(ParseBody, "validation"), (ProblemDetails, "validation")]
    _, described = models_json_schema(models, ref_template=_COMPONENT)
    bearer = {"type": "http", "scheme": "bearer", "description": "A key; only where the service has keys."}
    made["components"]["schemas"] |= described["$defs"]
    made["components"]["securitySchemes"] = {"key": bearer}
    made["security"] = [{"key": []}, {}]
    return made


def _show(operation: dict[str, Any], example: Example) -> None:
    answer = operation["responses"]["default" if example.is_problem else "200"]
    for place, value in ((operation.get("requestBody"), example.body), (answer, example.answer)):
        if place:
            (content,) = place["content"].values()
            shown = ndjson(value) if isinstance(value, list) else value
            content.setdefault("examples", {})[example.name] = {"value": shown}


def ndjson(lines: list[Any]) -> str:
    """Values as JSON, one a line."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
