"""What `/openapi.json` says: OpenAPI 3.1 with examples of requests and their answers; a test sends each of them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from src.entrypoints.http.problems import MEDIA_TYPE
from src.entrypoints.http.requests import ParseBody
from src.entrypoints.reports.grouping import Grouping
from src.shared.domain.grade import Grade
from src.shared.infrastructure.distribution import installed_version

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
_CUT = {"text": '{"item": "tea", "price": 3', "schema": _PRICES}
_COMMA = {"kind": "trailing_comma", "line": 1, "column": 43, "offset": 42, "found": ",", "put": "", "count": 1}
_IS_READ = {"data": {"item": "tea", "price": 3.5}, "repairs": [_COMMA], "grade": "lossless"}
_CUT_OFF = "不是合法 JSON：输出在此处被截断 (not valid JSON: the text is cut off here)"
_IS_CUT = {
    "type": "urn:llm-output:problem:LLM_JSON_PARSE_ERROR",
    "title": "文本被拒绝 (the text is refused)",
    "status": 422,
    "detail": _CUT_OFF,
    "code": "LLM_JSON_PARSE_ERROR",
    "stage": "repair",
    "position": {"line": 1, "column": 27, "offset": 26},
    "truncated": True,
    "feedback": f"{_CUT_OFF}\n位置 at line 1, column 27\n"
    "请只输出修正后的完整 JSON 对象 (answer with the corrected, complete JSON object only).",
    "problems": [],
}
_BAD_SCHEMA = {"text": "{}", "schema": {"type": "object", "properties": {"price": {"minimum": "0"}}}}
_IS_BAD = {
    "type": "urn:llm-output:problem:SCHEMA_REFUSED",
    "title": "内容不可用 (the content cannot be used)",
    "status": 422,
    "detail": 'schema 不能作为类型：#/properties/price/minimum：不是可用的 JSON Schema："0" is not of type "number" '
    "(the schema cannot be used as a type: #/properties/price/minimum: not a JSON Schema that can be used: "
    '"0" is not of type "number")',
    "code": "SCHEMA_REFUSED",
    "place": "#/properties/price/minimum",
}

EXAMPLES: dict[str, tuple[Example, ...]] = {
    "/v1/parse": (
        Example("a text by a schema", _READ, 200, _IS_READ),
        Example("any object", {"text": "{'item': 'tea'}"}, 200, None),
        Example("a text that was cut off", _CUT, 422, _IS_CUT),
        Example("a schema that is none", _BAD_SCHEMA, 422, _IS_BAD),
    ),
    "/v1/parse-batch": (Example("two texts", [_READ, _CUT], 200, [{"line": 1, **_IS_READ}, {"line": 2, **_IS_CUT}]),),
    "/v1/agents": (Example("agents", None, 200, None),),
    "/v1/rates": (Example("rates", None, 200, {"by": "agent", "window": "200", "dropped": 0, "rates": []}),),
    "/healthz": (Example("alive", None, 200, {"status": "ok"}),),
    "/readyz": (Example("ready", None, 200, {"status": "ready"}),),
    "/metrics": (Example("numbers", None, 200, None),),
}


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
