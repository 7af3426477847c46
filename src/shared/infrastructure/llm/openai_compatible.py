"""Any provider with an OpenAI-compatible chat-completions API, through the `openai` package.

The package's own retries are off (`transport.py` retries) and nothing is taken from `OPENAI_*` variables: settings come
from `LLM_*` alone. Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY`) as usual.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Self

from src.shared.domain.llm_errors import LLMReplyError, LLMRequestError
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.provider_errors import NOT_A_STREAM, NOT_SENDABLE, Endpoint
from src.shared.infrastructure.llm.request_body import members
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.streaming import ReplyStream
from src.shared.infrastructure.llm.structured import response_format
from src.shared.infrastructure.llm.transport import Patience, Retries
from src.shared.infrastructure.llm.wire import decode, read_completion, to_reply

with needs_extra():
    from openai import AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Omit, Timeout

_NO_KEY = "none"
_EVENT_STREAM = "text/event-stream"


class OpenAICompatibleLLM:
    """A model behind an OpenAI-compatible API; implements `LLMPort`.

    One object holds one pool of connections and serves any number of concurrent calls of one event loop. Close it with
    `aclose`, or use it as an async context manager.
    """

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._endpoint = Endpoint(settings.base_url, settings.model, settings.timeout)
        self._retries = Retries(settings)
        self._client = _client(settings)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: after the transport's retries, with their number in `details["attempts"]`.
        """
        started = time.perf_counter()
        body = self._body(request)
        ask = self._ask_streaming if self._settings.stream else self._ask
        reply = await self._retries(lambda: ask(body))
        return replace(reply, latency=time.perf_counter() - started)

    @asynccontextmanager
    async def stream(self, request: LLMRequest) -> AsyncIterator[ReplyStream]:
        """Ask once and take the answer as it is written, whatever `LLM_STREAM` says.

        The request is sent again only until the provider begins to answer. `LLM_TIMEOUT` counts the time spent waiting
        for the provider, not what the caller does between two pieces.

        Raises:
            LLMError: as for `generate`.
        """
        body = self._body(request)
        stream = await self._retries(lambda: self._open(body))
        try:
            yield stream
        finally:
            await stream.aclose()

    async def aclose(self) -> None:
        """Close the connections; the object cannot be used afterwards."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        """Nothing is opened yet: connections are, as they are needed."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.aclose()

    def __repr__(self) -> str:
        """Name the provider and the model, never the key."""
        return f"{type(self).__name__}(base_url={self._endpoint.provider!r}, model={self._endpoint.model!r})"

    def _body(self, request: LLMRequest) -> dict[str, Any]:
        optional = {
            "response_format": response_format(self._settings.structured_output, request.output_schema),
            "extra_headers": None if self._settings.api_key.get_secret_value() else {"Authorization": Omit()},
        }
        said = {name: value for name, value in optional.items() if value is not None}
        return {"model": self._settings.model, **members(request), **said}

    async def _ask(self, body: dict[str, Any]) -> LLMReply:
        sent = self._client.chat.completions.with_raw_response.create(**body)
        raw = await Patience(self._endpoint).wait_for(sent, LLMRequestError, NOT_SENDABLE)
        return to_reply(read_completion(decode(raw.content), "message", self._endpoint), self._endpoint)

    async def _ask_streaming(self, body: dict[str, Any]) -> LLMReply:
        stream = await self._open(body)
        try:
            async for _ in stream:
                pass
        finally:
            await stream.aclose()
        return stream.reply

    async def _open(self, body: dict[str, Any]) -> ReplyStream:
        patience = Patience(self._endpoint)
        sent = self._client.chat.completions.with_raw_response.create(
            **body, stream=True, stream_options={"include_usage": True}
        )
        raw = await patience.wait_for(sent, LLMRequestError, NOT_SENDABLE)
        stream = ReplyStream(raw.parse(to=AsyncStream[object]), patience, self._endpoint)
        if not raw.headers.get("content-type", "").startswith(_EVENT_STREAM):
            await stream.aclose()
            raise self._endpoint.error(LLMReplyError, NOT_A_STREAM)
        return stream


def _client(settings: LLMSettings) -> AsyncOpenAI:
    timeout = Timeout(settings.timeout, connect=settings.connect_timeout)
    client = AsyncOpenAI(
        base_url=settings.base_url,
        api_key=settings.api_key.get_secret_value() or _NO_KEY,
        max_retries=0,
        timeout=timeout,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [_read_error]}),
    )
    client.organization = client.project = client.admin_api_key = client.webhook_secret = None
    client._custom_headers = {}  # noqa: SLF001 - what OPENAI_CUSTOM_HEADERS adds has no public way out
    return client


async def _read_error(response: Any) -> None:  # noqa: ANN401 - of httpx or httpx2, by the version of the package
    """Read an error's body where the package still translates a connection that breaks meanwhile."""
    if response.is_error:
        await response.aread()
