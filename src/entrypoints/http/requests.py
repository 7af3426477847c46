"""The bodies of requests, checked by Pydantic in one step from their bytes; no member is read in two ways."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from src.entrypoints.http.problems import Problem, problem_fields
from src.shared.domain.caller import NAME_LIMIT
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.options import NEEDING_TYPE, OPTIONS, ReadOptions, unusual
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys

MOST_SECONDS = 3_600
"""Longest time that a request may give."""
_PART = 300
_NO_JSON = "json_invalid"
_VALUE_ERROR = "Value error, "

Name = Annotated[str, Field(max_length=NAME_LIMIT)]


class ParseRequest(BaseModel):
    """A text, and what it is parsed into: `agent`, `schema`, or with neither of them any JSON object.

    The options of a reading are members, too, by their names.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, frozen=True, strict=True)

    text: str = Field(description="What a model wrote, as it wrote it.")
    agent: str | None = Field(None, max_length=64, description="The agent's name; `GET /v1/agents` lists them.")
    json_schema: dict[str, Any] | None = Field(None, alias="schema", description="A JSON Schema, draft 2020-12.")
    finished: bool | None = Field(None, description=OPTIONS["finished"].field.description)
    explain: bool = Field(default=False, description="Also answer what each stage of the parser did.")
    model: Name = Field("", description="The model that wrote it, for the store of outcomes.")
    prompt_id: Name = Field("", description="The prompt that it answers, for the store of outcomes.")

    @cached_property
    def options(self) -> ReadOptions:
        """The options that are not usual, beside `finished`."""
        given = {name: getattr(self, name) for name in READING}
        return cast("ReadOptions", unusual(given))


READING = ("several", *NEEDING_TYPE)
"""The options of a reading that a request may give, beside `finished`."""
_FIELDS: dict[str, Any] = {name: (OPTIONS[name].kind, OPTIONS[name].field) for name in READING}
_FIELDS["timeout"] = (Annotated[float | None, Field(le=MOST_SECONDS)], OPTIONS["timeout"].field)
ParseBody = create_model("ParseRequest", __base__=ParseRequest, __doc__=ParseRequest.__doc__, **_FIELDS)
"""The same with the options as members: what a body is validated as."""
_PARSE: TypeAdapter[ParseRequest] = TypeAdapter(ParseBody)


def parse_request(body: bytes) -> ParseRequest:
    """The request of a body.

    Raises:
        Problem: it is no JSON (400), or not of this form (422).
    """
    try:
        request = _PARSE.validate_json(body)
        _ONCE.decode(body.decode())
    except ValidationError as error:
        raise _invalid(error) from None
    except RepeatedKeyError as error:
        raise invalid_fields([((error.key,), "given_twice", "the member is given twice")]) from None
    if request.agent is not None and request.json_schema is not None:
        detail = Phrase("give either agent or schema, not both")
        raise Problem(422, "AGENT_OR_SCHEMA", detail)
    return request


_ONCE = json.JSONDecoder(object_pairs_hook=unique_keys, parse_int=str, parse_float=str)
"""Notices a member that is given twice."""


def request_of(members: dict[str, Any]) -> ParseRequest:
    """The request of its members, as a form gives them.

    Raises:
        Problem: one of them is not of its type (422).
    """
    try:
        return _PARSE.validate_python(members)
    except ValidationError as error:
        raise _invalid(error) from None


def _invalid(error: ValidationError) -> Problem:
    """The problem of a body of another form: where, and what was expected; no value of it is repeated."""
    wrong = error.errors(include_url=False, include_input=False, include_context=False)
    if wrong[0]["type"] == _NO_JSON:
        why = one_line(wrong[0]["msg"].removeprefix("Invalid JSON: "), _PART)
        return Problem(400, "BODY_NOT_JSON", Phrase("the body is not JSON: {why}", why=why))
    return invalid_fields([(one["loc"], one["type"], one["msg"]) for one in wrong])


def invalid_fields(wrong: list[tuple[tuple[int | str, ...], str, str]]) -> Problem:
    """The problem of fields, or of parameters of a query, that are not as they have to be."""
    fields = problem_fields((loc, kind, message.removeprefix(_VALUE_ERROR)) for loc, kind, message in wrong)
    first = f"{fields[0]['path']}: {fields[0]['msg']}"
    detail = Phrase("fields that are not as they have to be: {count}; {first}", count=len(wrong), first=first)
    return Problem(422, "REQUEST_INVALID", detail, facts={"problems": fields})
