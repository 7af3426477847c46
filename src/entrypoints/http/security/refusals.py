"""An answer that is given instead of the application's."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

from starlette.types import Receive, Scope, Send

from src.entrypoints.http.problems import Problem, problem_response
from src.shared.domain.language import Message


class Refusal(NamedTuple):
    """Why a request is not answered.

    Attributes:
        status: of the answer.
        code: for programs.
        detail: for people.
        headers: of the answer, besides those of every problem; a name may come twice.
    """

    status: HTTPStatus
    code: str
    detail: Message
    headers: tuple[tuple[str, str], ...] = ()


Check = Callable[[Scope], Refusal | None]
"""Looks at a request before its body is read: a reason to refuse it, or None."""


async def refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the problem."""
    response = problem_response(Problem(refusal.status, refusal.code, refusal.detail))
    for name, value in refusal.headers:
        response.headers.append(name, value)
    await response(scope, receive, send)
