"""Errors as RFC 9457 has them: `application/problem+json`, in the words of the parser and of the service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from starlette.responses import Response
from starlette.types import Scope

from src.shared.domain.exceptions import LLMJsonParseError, json_path, problems_of
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:llm-output:problem:"
"""A problem's `type` is this and its code."""
MOST_PROBLEMS = 20
"""Fields that one answer names."""
_PART = 300

_TITLES = {
    400: Phrase("the request is wrong"),
    401: Phrase("a key is needed"),
    403: Phrase("not allowed"),
    404: Phrase("there is no such thing"),
    405: Phrase("the method does not apply"),
    408: Phrase("the request is too slow"),
    413: Phrase("the body is too large"),
    415: Phrase("the body has another media type"),
    421: Phrase("the host is another one"),
    422: Phrase("the content cannot be used"),
    429: Phrase("title|too many requests"),
    431: Phrase("the headers are too large"),
    500: Phrase("an error of the service"),
    503: Phrase("not available at the moment"),
    504: Phrase("out of time"),
}
"""What a status means, where a problem has no title of its own."""


class Problem(Exception):  # noqa: N818 - RFC 9457 names it so
    """An answer that is a problem. Any code beneath a route may raise it.

    Attributes:
        status: the HTTP status.
        code: a constant name for programs, such as `BODY_TOO_LARGE`.
        detail: what is wrong with this request, and what to do about it.
        title: what kind of problem it is; None for that of the status.
        headers: of the answer; a name may come twice.
        facts: further members.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: Message | str,
        *,
        title: Message | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(status, code, detail)  # what it is made of again where it is unpickled
        self.status, self.code, self.detail = status, code, detail
        self.title = title or _TITLES.get(status, _TITLES[500 if status >= 500 else 400])  # noqa: PLR2004 - of HTTP
        self.headers, self.facts = headers, dict(facts or {})

    def body(self) -> dict[str, Any]:
        """The members."""
        return {
            "type": TYPE_PREFIX + self.code,
            "title": self.title.text(),
            "status": self.status,
            "detail": self.detail.text() if isinstance(self.detail, Message) else self.detail,
            "code": self.code,
            **self.facts,
        }

    def line(self) -> bytes:
        """The members as one line of JSON."""
        return json_bytes(self.body(), default=str)


def json_bytes(value: object, **options: Any) -> bytes:  # noqa: ANN401 - those of `json.dumps`
    """A value as one line of JSON; half of a surrogate pair, which UTF-8 cannot hold, is an escape."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), **options).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), **options).encode()


def problem_response(problem: Problem) -> Response:
    """The answer; it is an ASGI application, so that a middleware may send it too."""
    response = Response(problem.line(), problem.status, {"cache-control": "no-store"}, MEDIA_TYPE)
    for name, value in problem.headers:
        response.headers.append(name, value)
    return response


def refused(error: LLMJsonParseError, **facts: Any) -> Problem:  # noqa: ANN401 - any JSON
    """The problem of a text that the parser refuses."""
    details = error.details
    members: dict[str, Any] = {key: details[key] for key in ("stage", "position", "truncated") if key in details}
    wrong = zip(details.get("validation_errors", ()), problems_of(error), strict=False)
    fields = problem_fields((one["loc"], one["type"], message) for one, message in wrong)
    members |= {"feedback": error.feedback(), "problems": fields, **facts}
    return Problem(422, error.code, error.message, title=Phrase("the text is refused"), facts=members)


def problem_fields(wrong: Iterable[tuple[tuple[int | str, ...], str, str]]) -> list[dict[str, str]]:
    """The first fields that are wrong, each by its place, Pydantic's type of the error, and its message."""
    return [
        {"path": one_line(json_path(loc), _PART), "type": kind, "msg": one_line(message, _PART)}
        for loc, kind, message in islice(wrong, MOST_PROBLEMS)
    ]


def header_values(scope: Scope, name: bytes) -> list[bytes]:
    """Every value of a header, in order; its name in lower case."""
    return [value for key, value in scope["headers"] if key == name]


def check_media_type(scope: Scope, *allowed: str) -> None:
    """Make sure that the body is of a media type.

    Raises:
        Problem: it is another one (415).
    """
    given = header_values(scope, b"content-type")
    if given and given[0].partition(b";")[0].strip().lower().decode("latin-1") in allowed:
        return
    names = ", ".join(allowed)
    detail = Phrase("the Content-Type has to be {names}", names=names)
    raise Problem(415, "MEDIA_TYPE", detail, headers=(("accept", names),))
