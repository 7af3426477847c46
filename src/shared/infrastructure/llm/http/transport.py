"""What the adapters to providers share: connections, a request's time limit, and the only place that sends it again.

Asking a model again because of what it wrote is another matter, with another budget.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Generic, Self, TypeVar

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import (
    LLMCertificateError,
    LLMConnectionError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.llm import LLMReply, TokenUsage
from src.shared.infrastructure.llm.http.http_client import Clients, Closable
from src.shared.infrastructure.llm.http.limiter import Limiter
from src.shared.infrastructure.llm.http.retry_log import take_over_retries
from src.shared.infrastructure.llm.http.vendor_errors import domain_error
from src.shared.infrastructure.llm.provider import Provider
from src.shared.infrastructure.llm.provider_errors import Endpoint, needs_extra
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra():
    import anyio
    import stamina
    from httpx2 import HTTPError


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


class Retry:
    """Sends a request again, at growing intervals or when the provider says."""

    def __init__(self, settings: LLMSettings) -> None:
        self._max_retry_after = settings.max_retry_after
        self._repeating = stamina.retry(
            on=self.wait,
            attempts=settings.max_attempts,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=LONGEST_WAIT,
            wait_jitter=JITTER,
        )

    async def __call__(self, send: Callable[[], Awaitable[T]]) -> T:
        """Return what `send` returns, called as often as it takes.

        The machinery of repeating is built after a failure, which it is told of as that of its first try.

        Raises:
            LLMError: the last failure, with the number of requests sent in `details["attempts"]`.
        """
        attempts = 0

        async def counted() -> T:
            nonlocal attempts
            attempts += 1
            try:
                return await send()
            except LLMError as error:
                error.details["attempts"] = attempts
                take_over_retries(__name__)  # now: the hooks are called next, and the application may have set others
                raise

        try:
            return await counted()
        except LLMError as error:
            if self.wait(error) is False:  # 0.0 is a time to wait
                raise
            failures = [error]

        async def resumed() -> T:
            if failures:
                raise failures.pop()
            return await counted()

        return await self._repeating(resumed)()

    def wait(self, error: Exception) -> bool | float:
        """Whether to send again after an error; as a number, after so many seconds."""
        if not isinstance(error, TRANSIENT) or isinstance(error, LASTING):
            return False
        asked = error.details.get("retry_after")
        if asked is None:
            return True
        return float(asked) if asked <= self._max_retry_after else False


class Deadline:
    """The time allowed for one request: what one wait has used is gone for the next."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._left = endpoint.timeout

    async def wait_for(self, work: Awaitable[T], kind: type[LLMError], problem: Message | None = None) -> T:
        """Wait for a piece of the work of one request.

        Args:
            work: what to wait for.
            kind: the error for values that cannot be encoded or decoded.
            problem: what that error says.

        Raises:
            LLMError: in place of what the client raises. It is not chained: the client's holds key and prompt.
        """
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._left):
                return await work
        except TimeoutError:
            failure = self._endpoint.error(LLMTimeoutError, timeout=self._endpoint.timeout)
        except (HTTPError, ssl.SSLError, anyio.EndOfStream) as error:
            failure = domain_error(error, self._endpoint)
        except (ValueError, RecursionError) as error:
            failure = self._endpoint.error(kind, problem, reason=type(error).__name__)
        finally:
            self._left -= time.perf_counter() - started
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
        make: makes the client of an event loop.
    """

    def __init__(self, settings: LLMSettings, limiter: Limiter | None, make: Callable[[ssl.SSLContext], C]) -> None:
        self._settings = settings
        self._endpoint = endpoint_of(settings)
        self._retry = Retry(settings)
        limiter = limiter or Limiter(settings.max_concurrency, settings.requests_per_minute)
        self._clients = Clients(self._endpoint, limiter, make)

    async def _answer(self, send: Callable[[], Awaitable[LLMReply]]) -> LLMReply:
        """The reply, with the seconds and the tokens of every try; an error has the tokens so far, too."""
        started, spent = time.perf_counter(), TokenUsage()

        async def counted() -> LLMReply:
            nonlocal spent
            try:
                reply = await send()
            except LLMError as error:
                spent = error.usage = spent + error.usage
                raise
            return replace(reply, usage=spent + reply.usage)

        reply = await self._retry(counted)
        return replace(reply, latency=time.perf_counter() - started)

    async def aclose(self) -> None:
        """Close the connections; closing again does nothing, and a later call is an `LLMConfigurationError`."""
        await self._clients.aclose()

    async def __aenter__(self) -> Self:
        """Nothing is opened yet: connections are, as they are needed."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.aclose()

    def __repr__(self) -> str:
        """Name the provider and the model, never the key."""
        return f"{type(self).__name__}(base_url={self._endpoint.provider!r}, model={self._endpoint.model!r})"
