"""The checks of a request, in their order, before anything of its body is read."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from src.entrypoints.http.security.refusals import Check, refuse


class Gate:
    """Asks each check; the first that refuses answers."""

    def __init__(self, app: ASGIApp, checks: Sequence[Check]) -> None:
        self._app = app
        self._checks = tuple(checks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application do it."""
        for check in self._checks:
            refusal = check(scope)
            if refusal is not None:
                await refuse(refusal, scope, receive, send)
                return
        await self._app(scope, receive, send)
