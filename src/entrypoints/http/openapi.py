"""What `/openapi.json` says: OpenAPI 3.1 with examples of requests and their answers; a test sends each of them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from src.entrypoints.http.problems import MEDIA_TYPE, Problem, refused
from src.entrypoints.http.requests import ParseBody
from src.entrypoints.reports.grouping import Grouping
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.language import Language, Phrase, speaking
from src.shared.infrastructure.distribution import installed_version
from src.shared.infrastructure.llm_json import decode_llm_json

_JSON, _NDJSON, _TEXT = "application/json", "application/x-ndjson", "text/plain"
_OPERATIONS: dict[str, tuple[str, str, str]] = {
    "/v1/parse": ("post", "Read one text.", "parse"),
    "/v1/parse-batch": (
        "post",
        "Read one text a line; answered line by line, in order, while the body comes.",
        "batch",
    ),
    "/v1/agents": ("get", "The agents, and the JSON Schema of what each answers.", "agents"),
    "/v1/rates": ("get", "How often texts were repaired or refused, from the store.", "rates"),
    "/healthz": ("get", "Whether the process answers.", "healthz"),
    "/readyz": (
        "get",
        "Whether it can be sent requests: it is not stopping, and the store can be used.",
        "readyz",
    ),
    "/metrics": ("get", "Numbers for Prometheus, over all workers.", "metrics"),
}
_OPEN = ("/healthz", "/readyz")


def _object(required: str, **properties: str | dict[str, Any]) -> dict[str, Any]:
    """The schema of an object; a property is its schema, or the name of its type."""
    schemas = {name: {"type": one} if isinstance(one, str) else one for name, one in properties.items()}
    return {"type": "object", "required": required.split(), "properties": schemas}


_OBJECTS = {"type": "array", "items": {"type": "object"}}
_SCHEMAS = {
    "ParseRequest": ParseBody.model_json_schema(by_alias=True),
    "Parsed": _object(
        "data repairs grade",
        data={"description": "The value, as its type writes it.", "type": ["object", "array"]},
        repairs={"type": "array", "items": {"$ref": "#/components/schemas/Repair"}},
        grade={"enum": [*Grade]},
        left_out=_OBJECTS,
        coercions=_OBJECTS,
        stages=_OBJECTS,
    ),
    "Repair": _object(
        "kind line column offset found put count",
        kind="string",
        line="integer",
        column="integer",
        offset="integer",
        found="string",
        put="string",
        count="integer",
    ),
    "Problem": {
        "description": "RFC 9457. A refused text has `stage`, `position`, `feedback` and `problems` as well.",
        **_object(
            "type title status detail code",
            type={"type": "string", "format": "uri"},
            title="string",
            status="integer",
            detail="string",
            code="string",
            stage="string",
            position="object",
            truncated="boolean",
            feedback="string",
            problems=_OBJECTS,
        ),
    },
}

_PRICES = {
    "title": "Price",
    "type": "object",
    "properties": {"item": {"type": "string"}, "price": {"type": "number"}},
    "required": ["item", "price"],
}


class Example(NamedTuple):
    """A request, and what is answered.

    Attributes:
        name: of the example.
        body: as JSON; of a batch a list of its lines; None for a request without one.
        status: of the answer.
        answer: as JSON; of a batch a list of its lines; None for one that depends on the service.
    """

    name: str
    body: Any
    status: int
    answer: Any


_READ = {"text": 'Here you are: {"item": "tea", "price": 3.5,}', "schema": _PRICES}
_CUT: dict[str, Any] = {"text": '{"item": "tea", "price": 3', "schema": _PRICES}
_COMMA = {"kind": "trailing_comma", "line": 1, "column": 43, "offset": 42, "found": ",", "put": "", "count": 1}
_IS_READ = {"data": {"item": "tea", "price": 3.5}, "repairs": [_COMMA], "grade": "lossless"}
_BAD_SCHEMA = {"text": "{}", "schema": {"type": "object", "properties": {"price": {"minimum": "0"}}}}
_BAD_PLACE = "#/properties/price/minimum"


@cache
def examples() -> dict[str, tuple[Example, ...]]:
    """Examples of each path, as they are answered where nobody asks for a language."""
    with speaking(Language.BOTH):
        is_cut, is_bad = _cut_off().body(), _bad_schema().body()
    batch = [{"line": 1, **_IS_READ}, {"line": 2, **is_cut}]
    return {
        "/v1/parse": (
            Example("a text by a schema", _READ, 200, _IS_READ),
            Example("any object", {"text": "{'item': 'tea'}"}, 200, None),
            Example("a text that was cut off", _CUT, 422, is_cut),
            Example("a schema that is none", _BAD_SCHEMA, 422, is_bad),
        ),
        "/v1/parse-batch": (Example("two texts", [_READ, _CUT], 200, batch),),
        "/v1/agents": (Example("agents", None, 200, None),),
        "/v1/rates": (Example("rates", None, 200, {"by": "agent", "window": "200", "dropped": 0, "rates": []}),),
        "/healthz": (Example("alive", None, 200, {"status": "ok"}),),
        "/readyz": (Example("ready", None, 200, {"status": "ready"}),),
        "/metrics": (Example("numbers", None, 200, None),),
    }


def _cut_off() -> Problem:
    try:
        decode_llm_json(_CUT["text"])
    except LLMJsonParseError as error:
        return refused(error)
    raise AssertionError


def _bad_schema() -> Problem:
    reason = Phrase("not a JSON Schema that can be used: {said}", said='"0" is not of type "number"')
    detail = Phrase("the schema cannot be used as a type: {place}: {reason}", place=_BAD_PLACE, reason=reason)
    return Problem(422, "SCHEMA_REFUSED", detail, facts={"place": _BAD_PLACE})


@cache
def document() -> dict[str, Any]:
    """The document; the same for every service of this version."""
    bearer = {"type": "http", "scheme": "bearer", "description": "A key; only where the service has keys."}
    return {
        "openapi": "3.1.0",
        "info": {"title": "llm-output", "version": installed_version()},
        "paths": {path: {method: _operation(path, said, name)} for path, (method, said, name) in _OPERATIONS.items()},
        "components": {"schemas": _SCHEMAS, "securitySchemes": {"key": bearer}},
        "security": [{"key": []}, {}],
    }


def _operation(path: str, said: str, name: str) -> dict[str, Any]:
    shown = examples()[path]
    operation: dict[str, Any] = {"operationId": name, "summary": said, "responses": _responses(path, shown)}
    if shown[0].body is not None:
        operation["requestBody"] = {"required": True, "content": _request(path, shown)}
    if path == "/v1/rates":
        operation["parameters"] = [
            _parameter("by", "What rates are taken by.", {"enum": [*Grouping], "default": Grouping.AGENT}),
            _parameter("window", "Which texts: `200`, `24h` or `200,24h`.", {"default": "200"}),
            _parameter("agent", "Texts of this agent only, by its title.", {}),
            _parameter("model", "Texts of this model only.", {}),
        ]
    if path in _OPEN:
        operation["security"] = []
    return operation


def _request(path: str, examples: tuple[Example, ...]) -> dict[str, Any]:
    if path.endswith("batch"):
        lines = "A `ParseRequest` a line."
        shown = {one.name: {"value": ndjson(one.body)} for one in examples}
        return {_NDJSON: {"schema": {"type": "string", "description": lines}, "examples": shown}}
    shown = {one.name: {"value": one.body} for one in examples}
    return {_JSON: {"schema": {"$ref": "#/components/schemas/ParseRequest"}, "examples": shown}}


def _responses(path: str, examples: tuple[Example, ...]) -> dict[str, Any]:
    refusals = {one.name: {"value": one.answer} for one in examples if one.status != 200}  # noqa: PLR2004 - of HTTP
    problem: dict[str, Any] = {"schema": {"$ref": "#/components/schemas/Problem"}}
    if refusals:
        problem["examples"] = refusals
    answered = {one.name: {"value": one.answer} for one in examples if one.status == 200 and one.answer is not None}  # noqa: PLR2004 - of HTTP
    media_type, schema = _answered(path)
    if media_type == _NDJSON:
        answered = {name: {"value": ndjson(shown["value"])} for name, shown in answered.items()}
    content = {media_type: {"schema": schema, **({"examples": answered} if answered else {})}}
    return {
        "200": {"description": "The answer.", "content": content},
        "default": {"description": "A problem.", "content": {MEDIA_TYPE: problem}},
    }


def _answered(path: str) -> tuple[str, dict[str, Any]]:
    if path == "/metrics":
        return _TEXT, {"type": "string"}
    if path == "/v1/parse-batch":
        return _NDJSON, {"type": "string", "description": "A line a text: its `line`, and `Parsed` or `Problem`."}
    return _JSON, {"$ref": "#/components/schemas/Parsed"} if path == "/v1/parse" else {"type": "object"}


def _parameter(name: str, said: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": said, "schema": {"type": "string", **schema}}


def ndjson(lines: list[Any]) -> str:
    """Values as JSON, one a line."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
