"""Any provider with an OpenAI-compatible chat-completions API, through the `openai` package.

`transport.py` retries, `http_client.py` connects. Settings come from `LLM_*` alone.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from src.shared.domain.llm_errors import LLMConfigurationError, LLMReplyError, LLMRequestError
from src.shared.domain.ports.llm import NOBODY_LISTENS, LLMReply, LLMRequest, TextListener
from src.shared.domain.strict_schema import NotStrictError
from src.shared.infrastructure.llm.chat_completions.request_body import (
    DIALECTS,
    Dialect,
    held_to,
    members,
    messages,
    tool_of,
)
from src.shared.infrastructure.llm.chat_completions.streaming import ReplyStream
from src.shared.infrastructure.llm.chat_completions.wire import read_completion, to_reply
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.http.http_client import Clients, make_client
from src.shared.infrastructure.llm.http.limiter import Limiter
from src.shared.infrastructure.llm.http.response_bounds import decode, is_event_stream
from src.shared.infrastructure.llm.http.transport import Patience, Retries, Tries
from src.shared.infrastructure.llm.provider import RESERVED
from src.shared.infrastructure.llm.provider_errors import NOT_A_STREAM, NOT_EXTRA, NOT_SENDABLE, Endpoint, not_held
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra():
    from openai import AsyncOpenAI, Omit, Timeout


@dataclass(frozen=True, slots=True)
class ChatCall:
    """What one request needs, ready to be sent as often as it takes.

    Attributes:
        clients: who sends it, and when it may be sent.
        arguments: of the vendor's method `create`.
        endpoint: where it goes, and how long it may take.
        tool: the function whose arguments are the answer; None where the text is.
    """

    clients: Clients[AsyncOpenAI]
    arguments: dict[str, Any]
    endpoint: Endpoint
    tool: str | None = None

    async def whole(self) -> LLMReply:
        """Wait for the whole answer in one body.

        Raises:
            LLMError: there is none.
        """
        async with self.clients.place() as client:
            patience = Patience(self.endpoint)
            sent = client.chat.completions.with_raw_response.create(**self.arguments)
            raw = await patience.wait_for(sent, LLMRequestError, NOT_SENDABLE)
        body = await patience.wait_for(decode(raw.content, self.endpoint), LLMReplyError)
        return to_reply(read_completion(body, "message", self.endpoint), self.endpoint, self.tool)

    async def streamed(self, listener: TextListener) -> LLMReply:
        """Wait for the whole answer in pieces, and tell of each.

        Raises:
            LLMError: there is none.
        """
        listener.text_begins()
        stream = await self.open()
        try:
            async for piece in stream:
                listener.text_grows(piece)
        finally:
            await stream.aclose()
        return stream.reply

    async def open(self) -> ReplyStream:
        """Wait until the provider begins to answer.

        Raises:
            LLMError: it does not.
        """
        async with AsyncExitStack() as held:
            client = await held.enter_async_context(self.clients.place())
            patience = Patience(self.endpoint)
            sent = client.chat.completions.with_raw_response.create(
                **self.arguments, stream=True, stream_options={"include_usage": True}
            )
            raw = await patience.wait_for(sent, LLMRequestError, NOT_SENDABLE)
            held.push_async_callback(raw.http_response.aclose)
            if not is_event_stream(raw.http_response):
                raise self.endpoint.error(LLMReplyError, NOT_A_STREAM)
            return ReplyStream(raw.http_response, patience, self.endpoint, self.tool, held.pop_all())


class OpenAICompatibleLLM:
    """A model behind an OpenAI-compatible API; implements `StreamingLLM`.

    One object serves any number of concurrent calls; so many as the limiter lets through are on their way at once. It
    can be used from several event loops, one after the other or each in its thread: each has connections of its own,
    which are closed when the loop ends. Close it with `aclose`, or use it as an async context manager.

    Args:
        settings: where the model is.
        limiter: shared with other objects for the same provider; by default one by the settings.
    """

    def __init__(self, settings: LLMSettings, limiter: Limiter | None = None) -> None:
        self._settings = settings
        self._endpoint = Endpoint(settings.base_url, settings.model, settings.timeout, settings.max_response_bytes)
        self._retries = Retries(settings)
        chosen = limiter or Limiter(settings.max_concurrency, settings.requests_per_minute)
        self._clients = Clients(self._endpoint, chosen, partial(make_client, settings))

    @property
    def model(self) -> str:
        """The model's name, as it is asked for."""
        return self._endpoint.model

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Waiting for the limiter is not part of the seconds that a request may take.

        Raises:
            LLMError: after the transport's retries, with their number in `details["attempts"]`.
        """
        if self._settings.stream:
            return await self.generate_streaming(request, NOBODY_LISTENS)
        return await self._reply(self._call(request).whole)

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """Ask once, and let somebody follow the answer; see `StreamingLLM.generate_streaming`.

        Raises:
            LLMError: as for `generate`.
        """
        return await self._reply(partial(self._call(request).streamed, listener))

    async def _reply(self, send: Callable[[], Awaitable[LLMReply]]) -> LLMReply:
        started = time.perf_counter()
        reply = await self._retries(Tries(send))
        return replace(reply, latency=time.perf_counter() - started)

    @asynccontextmanager
    async def stream(self, request: LLMRequest) -> AsyncIterator[ReplyStream]:
        """Ask once and take the answer as it is written, whatever `LLM_STREAM` says.

        The request is sent again only until the provider begins to answer. `LLM_TIMEOUT` counts the time spent waiting
        for the provider, not what the caller does between two pieces.

        Raises:
            LLMError: as for `generate`.
        """
        stream = await self._retries(self._call(request).open)
        try:
            yield stream
        finally:
            await stream.aclose()

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

    def _call(self, request: LLMRequest) -> ChatCall:
        settings, dialect = self._settings, DIALECTS[self._settings.profile]
        arguments: dict[str, Any] = {
            "model": settings.model,
            "messages": messages(request),
            "extra_body": self._body(request, dialect),
            "extra_query": settings.extra_query or None,
            "extra_headers": self._headers(request, dialect),
        }
        if request.timeout is not None:
            arguments["timeout"] = Timeout(request.timeout, connect=settings.connect_timeout)
        endpoint = replace(self._endpoint, timeout=request.timeout or settings.timeout)
        tool = tool_of(settings.structured_output, request.output_schema)
        return ChatCall(self._clients, arguments, endpoint, tool)

    def _body(self, request: LLMRequest, dialect: Dialect) -> dict[str, Any]:
        """The members of the body beside model and messages; what is extra wins."""
        if reserved := RESERVED & request.extra_body.keys():
            raise self._endpoint.error(LLMConfigurationError, NOT_EXTRA, reason=", ".join(sorted(reserved)))
        settings = self._settings
        try:
            held = held_to(settings.structured_output, request.output_schema, dialect)
        except NotStrictError as error:
            raise self._endpoint.error(LLMConfigurationError, not_held(error.path, error.reason)) from None
        said = members(request, dialect, settings.reasoning_effort)
        return {**said, **held, **settings.extra_body, **request.extra_body}

    def _headers(self, request: LLMRequest, dialect: Dialect) -> dict[str, Any]:
        """The headers beside the client's own; the key goes where the provider wants it, and nowhere without one."""
        key = self._settings.api_key.get_secret_value()
        elsewhere = {dialect.key_header: key} if key and dialect.key_header else {}
        bearer = {} if key and not dialect.key_header else {"Authorization": Omit()}
        extra = {name: value.get_secret_value() for name, value in self._settings.extra_headers.items()}
        return {**bearer, **elsewhere, **extra, **request.extra_headers}
