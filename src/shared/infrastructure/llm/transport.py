"""What the adapters to providers share: connections, a request's time limit, and the only place that sends it again.

Asking a model again because of what it wrote is another matter, with another budget.
"""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from asyncio import sleep
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Generic, Protocol, Self, TypeVar

from src.shared.domain.llm_errors import (
    LLMCertificateError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.llm import LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write
from src.shared.infrastructure.llm.connections import Limiter, PerLoop
from src.shared.infrastructure.llm.provider import RESERVED, Provider
from src.shared.infrastructure.llm.provider_errors import (
    CLOSED,
    NOT_EXTRA,
    UNUSABLE_ENVIRONMENT,
    Endpoint,
    domain_error,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra():
    import anyio
    from httpx2 import HTTPError, create_ssl_context


class Closable(Protocol):
    """A client, ours or a vendor's."""

    @property
    def aclose(self) -> Callable[[], Awaitable[None]]:
        """Closes its connections."""


T = TypeVar("T")
C = TypeVar("C", bound=Closable)

TRANSIENT = (LLMConnectionError, LLMServerError, LLMRateLimitError)
"""What is worth another request: no connection or a broken one, 5xx, 429. A timeout is not: it has cost enough."""
LASTING = (LLMCertificateError, LLMQuotaError)
"""What is of those kinds, and would be the same again."""

FIRST_WAIT = 0.5
"""Seconds; each further wait is twice as long, plus up to `JITTER`, never more than `LONGEST_WAIT`."""
LONGEST_WAIT = 8.0
JITTER = 1.0
CLIENT_ERRORS = (HTTPError, ssl.SSLError, anyio.EndOfStream, ValueError, RecursionError)
"""What our own client raises, and what cannot be encoded or decoded."""


def seconds_to_wait(error: LLMError, attempt: int, max_retry_after: float) -> float | None:
    """How long to wait after an error before the request is sent again; None where it is not.

    Args:
        error: what came of the last request.
        attempt: how many requests have been sent.
        max_retry_after: most seconds to wait because the provider says so.
    """
    if not isinstance(error, TRANSIENT) or isinstance(error, LASTING):
        return None
    asked = error.details.get("retry_after")
    if asked is None:
        jitter = random.uniform(0, JITTER)  # noqa: S311 - keeps callers apart, and no secret
        return min(float(FIRST_WAIT * 2 ** (attempt - 1)) + jitter, LONGEST_WAIT)
    return float(asked) if asked <= max_retry_after else None


async def answer_in_time(
    work: Awaitable[T], endpoint: Endpoint, caught: type[Exception] | tuple[type[Exception], ...] = CLIENT_ERRORS
) -> T:
    """Wait for the work of one request.

    Args:
        work: what to wait for, within the endpoint's seconds.
        endpoint: where the request goes.
        caught: what the client raises.

    Raises:
        LLMError: in place of that. It is not chained: the client's holds key and prompt.
    """
    try:
        async with asyncio.timeout(endpoint.timeout):
            return await work
    except LLMError:
        raise
    except TimeoutError:
        failure = endpoint.error(LLMTimeoutError, timeout=endpoint.timeout)
    except caught as error:
        failure = domain_error(error, endpoint)
    raise failure


def endpoint_of(settings: LLMSettings) -> Endpoint:
    """Where the calls of a provider go."""
    is_native = settings.provider is not Provider.OPENAI_COMPATIBLE
    return Endpoint(settings.address, settings.model, settings.timeout, settings.max_response_bytes, is_native)


class ProviderLLM(Generic[C]):
    """A model at a provider; the base of the adapters.

    One object serves any number of concurrent calls; so many as the limiter lets through are on their way at once. It
    can be used from several event loops, one after the other or each in its thread: each has connections of its own,
    which are closed when the loop ends. Close it with `aclose`, or use it as an async context manager.

    Args:
        settings: where the model is.
        limiter: shared with other objects for the same provider; by default one by the settings.
        make: makes a client that trusts these certificates.

    Raises:
        LLMConfigurationError: the environment's certificates cannot be used.
    """

    def __init__(self, settings: LLMSettings, limiter: Limiter | None, make: Callable[[ssl.SSLContext], C]) -> None:
        self._settings = settings
        self._endpoint = endpoint_of(settings)
        self._limiter = limiter or Limiter(settings.max_concurrency, settings.requests_per_minute)
        certificates = self._usable(create_ssl_context)
        self._clients = PerLoop(lambda: _client_until_loop_ends(self._usable(lambda: make(certificates))))
        self._is_closed = False

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[C]:
        """Wait until one more request may be sent, and hold the place of it and the running loop's client."""
        async with self._limiter.place():
            yield await self._client()

    async def _client(self) -> C:
        """The running loop's client.

        Raises:
            LLMConfigurationError: closed before, or the environment's proxies cannot be used.
        """
        if not self._is_closed:
            with suppress(StopAsyncIteration, RuntimeError):  # the loop is ending
                return await anext(self._clients.get())
        raise self._endpoint.error(LLMConfigurationError, CLOSED)

    async def _answer(self, send: Callable[[], Awaitable[LLMReply]]) -> LLMReply:
        """What `send` returns, called as often as it takes, with the seconds and the tokens of every try.

        Raises:
            LLMError: the last failure, with the number of requests in `details["attempts"]` and the tokens of all.
        """
        started, spent, attempt = time.perf_counter(), TokenUsage(), 0
        while True:
            attempt += 1
            try:
                reply = await send()
            except LLMError as error:
                spent = error.usage = spent + error.usage
                error.details["attempts"] = attempt
                seconds = seconds_to_wait(error, attempt, self._settings.max_retry_after)
                if seconds is None or attempt == self._settings.max_attempts:
                    raise
                _log_retry(error, attempt, seconds)
            else:
                return replace(reply, usage=spent + reply.usage, latency=time.perf_counter() - started)
            await sleep(seconds)

    def _endpoint_for(self, request: LLMRequest) -> Endpoint:
        """Where a request goes, within the seconds that it may take."""
        return replace(self._endpoint, timeout=request.timeout or self._settings.timeout)

    def _check_extra(self, request: LLMRequest) -> None:
        """Refuse members of the body that would replace what the request itself is made of."""
        if reserved := RESERVED & request.extra_body.keys():
            raise self._endpoint.error(LLMConfigurationError, NOT_EXTRA, reason=", ".join(sorted(reserved)))

    def _extra_headers(self, request: LLMRequest) -> dict[str, str]:
        """The headers that the settings say for all requests, and this one's own, which win."""
        headers = {name: value.get_secret_value() for name, value in self._settings.extra_headers.items()}
        return headers | dict(request.extra_headers)

    async def aclose(self) -> None:
        """Close the running loop's connections; those of other loops are closed in their loop.

        Closing again does nothing, and a later call is an `LLMConfigurationError`.
        """
        self._is_closed = True
        if client := self._clients.forget():
            await client.aclose()

    async def __aenter__(self) -> Self:
        """Nothing is opened yet: connections are, as they are needed."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.aclose()

    def __repr__(self) -> str:
        """Name the provider and the model, never the key."""
        return f"{type(self).__name__}(base_url={self._endpoint.provider!r}, model={self._endpoint.model!r})"

    def _usable(self, make: Callable[[], T]) -> T:
        try:
            return make()
        except (ImportError, OSError, ValueError) as error:
            reason = type(error).__name__
        raise self._endpoint.error(LLMConfigurationError, UNUSABLE_ENVIRONMENT, reason=reason)


async def _client_until_loop_ends(client: C) -> AsyncGenerator[C]:
    """Give out a client, as often as asked; a loop that ends closes its generators, and this one the client."""
    try:
        while True:
            yield client
    finally:
        await client.aclose()


def _log_retry(error: LLMError, attempt: int, seconds: float) -> None:
    def facts() -> dict[str, Any]:
        shown, wait = excerpt(str(error), excerpt_limit()), round(seconds, 2)
        return {"code": error.code, "retry_number": attempt, "wait_for": wait, "error": shown}

    write("warning", "llm_retry_scheduled", facts)
