"""Errors in the shape of the OpenAI API: `{"error": {"message", "type", "param", "code"}}`."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from src.entrypoints.http.problems import Problem, json_bytes
from src.shared.domain.language import Phrase

_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
PARAM, OURS = "param", "llm_output"
"""Facts of a problem: the member of the request that it is about, and what else the gateway has to tell."""


def api_error(problem: Problem) -> dict[str, Any]:
    """A problem as the API tells of one, with what else there is to tell beside it."""
    kind = _TYPES.get(problem.status, "api_error" if problem.status >= 500 else "invalid_request_error")  # noqa: PLR2004 - of HTTP
    ours = {OURS: problem.facts[OURS]} if OURS in problem.facts else {}  # of an answer that cannot be read
    error = {"message": problem.body()["detail"], "type": "unreadable_answer" if ours else kind}
    return {"error": error | {"param": problem.facts.get(PARAM), "code": problem.code.lower()}, **ours}


def api_error_response(problem: Problem) -> Response:
    """The answer; it is an ASGI application, so that a guard may send it too."""
    response = Response(json_bytes(api_error(problem)), problem.status, media_type="application/json")
    for name, value in problem.headers:
        response.headers.append(name, value)
    return response


def no_completion() -> Problem:
    """What is answered where the upstream's answer is none."""
    return Problem(502, "UPSTREAM_NO_COMPLETION", Phrase("the upstream's answer is no chat completion"))
