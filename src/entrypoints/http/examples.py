"""Requests and their answers, as `/openapi.json` shows them; a test sends each of them."""

from __future__ import annotations

from typing import Any, NamedTuple

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
