"""What `/openapi.json` says: OpenAPI 3.1 with an example of every request."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from src.entrypoints.distribution import installed_version
from src.entrypoints.http.examples import EXAMPLES, Example
from src.entrypoints.http.problems import MEDIA_TYPE
from src.entrypoints.http.requests import ParseRequest
from src.entrypoints.reports.grouping import Grouping
from src.shared.domain.grade import Grade

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
_REPAIR = {
    "type": "object",
    "required": ["kind", "line", "column", "offset", "found", "put", "count"],
    "properties": {
        "kind": {"type": "string"},
        "line": {"type": "integer"},
        "column": {"type": "integer"},
        "offset": {"type": "integer"},
        "found": {"type": "string"},
        "put": {"type": "string"},
        "count": {"type": "integer"},
    },
}
_PARSED = {
    "type": "object",
    "required": ["data", "repairs", "grade"],
    "properties": {
        "data": {"description": "The value, as its type writes it.", "type": ["object", "array"]},
        "repairs": {"type": "array", "items": {"$ref": "#/components/schemas/Repair"}},
        "grade": {"enum": [*Grade]},
        "left_out": {"type": "array", "items": {"type": "object"}},
        "coercions": {"type": "array", "items": {"type": "object"}},
        "stages": {"type": "array", "items": {"type": "object"}},
    },
}
_PROBLEM = {
    "type": "object",
    "description": "RFC 9457. A refused text has `stage`, `position`, `feedback` and `problems` as well.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "stage": {"type": "string"},
        "position": {"type": "object"},
        "truncated": {"type": "boolean"},
        "feedback": {"type": "string"},
        "problems": {"type": "array", "items": {"type": "object"}},
    },
}


@cache
def document() -> dict[str, Any]:
    """The document; the same for every service of this version."""
    request = ParseRequest.model_json_schema(by_alias=True)
    schemas = {"ParseRequest": request, "Parsed": _PARSED, "Repair": _REPAIR, "Problem": _PROBLEM}
    bearer = {"type": "http", "scheme": "bearer", "description": "A key; only where the service has keys."}
    return {
        "openapi": "3.1.0",
        "info": {"title": "llm-output", "version": installed_version()},
        "paths": {path: {method: _operation(path, said, name)} for path, (method, said, name) in _OPERATIONS.items()},
        "components": {"schemas": schemas, "securitySchemes": {"key": bearer}},
        "security": [{"key": []}, {}],
    }


def _operation(path: str, said: str, name: str) -> dict[str, Any]:
    examples = EXAMPLES[path]
    operation: dict[str, Any] = {"operationId": name, "summary": said, "responses": _responses(path, examples)}
    if examples[0].body is not None:
        operation["requestBody"] = {"required": True, "content": _request(path, examples)}
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
