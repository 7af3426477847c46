"""The bodies of requests, checked by Pydantic in one step from their bytes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from src.entrypoints.http.problems import MOST_PROBLEMS, Problem
from src.shared.domain.event_names import NAME_LIMIT
from src.shared.domain.exceptions import json_path
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

_PART = 300
_NO_JSON = "json_invalid"
_VALUE_ERROR = "Value error, "

Name = Annotated[str, Field(max_length=NAME_LIMIT)]


class ParseRequest(BaseModel):
    """A text, and what it is parsed into: either `agent` or `schema`."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, frozen=True)

    text: str = Field(description="What a model wrote, as it wrote it.")
    agent: str | None = Field(None, max_length=64, description="The agent's name; `GET /v1/agents` lists them.")
    json_schema: dict[str, Any] | None = Field(None, alias="schema", description="A JSON Schema, draft 2020-12.")
    finished: bool | None = Field(
        None, description="Whether the model stopped by itself (true) or was cut off (false); null: nobody knows."
    )
    explain: bool = Field(default=False, description="Also answer what each stage of the parser did.")
    coerce: bool = Field(
        default=False, description="Read values in another spelling too, such as `1.2亿` for a number."
    )
    model: Name = Field("", description="The model that wrote it, for the store of outcomes.")
    prompt_id: Name = Field("", description="The prompt that it answers, for the store of outcomes.")


_PARSE: TypeAdapter[ParseRequest] = TypeAdapter(ParseRequest)


def parse_request(body: bytes) -> ParseRequest:
    """The request of a body.

    Raises:
        Problem: it is no JSON (400), or not of this form (422).
    """
    try:
        request = _PARSE.validate_json(body)
    except ValidationError as error:
        raise invalid(error) from None
    if (request.agent is None) == (request.json_schema is None):
        detail = Message("须给出 agent 或 schema 之一", "give either agent or schema")
        raise Problem(422, "AGENT_OR_SCHEMA", detail)
    return request


def invalid(error: ValidationError) -> Problem:
    """The problem of a body of another form: where, and what was expected; no value of it is repeated."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    if found[0]["type"] == _NO_JSON:
        why = one_line(found[0]["msg"].removeprefix("Invalid JSON: "), _PART)
        return Problem(400, "BODY_NOT_JSON", Message(f"请求体不是 JSON：{why}", f"the body is not JSON: {why}"))
    return invalid_fields([(one["loc"], one["type"], one["msg"]) for one in found])


def invalid_fields(found: list[tuple[tuple[int | str, ...], str, str]]) -> Problem:
    """The problem of fields, or of parameters of a query, that are not as they have to be."""
    fields = [
        {"path": one_line(json_path(loc), _PART), "type": kind, "msg": one_line(said.removeprefix(_VALUE_ERROR), _PART)}
        for loc, kind, said in found[:MOST_PROBLEMS]
    ]
    detail = Message(f"{len(found)} 处不符合要求", f"{len(found)} of its fields are not as they have to be")
    return Problem(422, "REQUEST_INVALID", detail, facts={"problems": fields})
