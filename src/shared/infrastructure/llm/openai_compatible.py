"""Any provider with an OpenAI-compatible chat-completions API, by our own client.

`transport.py` retries, `connections.py` connects. Settings come from `LLM_*` alone, nothing from `OPENAI_*`.

What the providers want differently is one row of a table. Sources: OpenAI's and Azure's guides to reasoning models (no
sampling, `max_completion_tokens`), Azure's REST reference (`api-key`, `api-version`), vLLM's guide to structured
outputs (`structured_outputs` since 0.12), Ollama's page on OpenAI compatibility.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from src.shared.domain.llm_errors import LLMConfigurationError, LLMReplyError, LLMRequestError
from src.shared.domain.llm_exchange import ImagePart, MessagePart
from src.shared.domain.ports.llm import LLMReply, LLMRequest, OutputSchema, TextProgress
from src.shared.domain.strict_schema import NotStrictError
from src.shared.infrastructure.llm.connections import HttpClient, Limiter
from src.shared.infrastructure.llm.provider import RESERVED, ProviderProfile, StructuredOutput
from src.shared.infrastructure.llm.provider_errors import (
    NOT_A_STREAM,
    NOT_EXTRA,
    NOT_SENDABLE,
    Endpoint,
    needs_extra,
    schema_not_strict,
)
from src.shared.infrastructure.llm.response_bounds import CooperativePause, decode, is_event_stream
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.streaming import values
from src.shared.infrastructure.llm.transport import ProviderLLM, answer_in_time
from src.shared.infrastructure.llm.wire import ChunkCollector, read_completion, to_reply

with needs_extra():
    from httpx2 import Headers, HTTPError, Response, Timeout


class SchemaPlace(StrEnum):
    """Where a request in the mode `json_schema` has its schema."""

    STRICT_RESPONSE_FORMAT = "strict_response_format"
    """`response_format` with `strict`: the schema has to be strict-valid."""
    RESPONSE_FORMAT = "response_format"
    """`response_format`; any schema will do."""
    STRUCTURED_OUTPUTS = "structured_outputs"
    """A member of this name; any schema will do."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One row.

    Attributes:
        limit: the member of the body that bounds what is written.
        samples: whether temperature and stop sequences may be sent; a reasoning model refuses a request with them.
        key_header: the header that the key goes into; empty for a bearer token.
        schema_place: where the schema goes.
    """

    limit: str = "max_tokens"
    samples: bool = True
    key_header: str = ""
    schema_place: SchemaPlace = SchemaPlace.STRICT_RESPONSE_FORMAT


_COMPLETION_LIMIT = "max_completion_tokens"
_AZURE_KEY = "api-key"

DIALECTS: dict[ProviderProfile, Dialect] = {
    ProviderProfile.OPENAI_COMPATIBLE: Dialect(),
    ProviderProfile.REASONING: Dialect(limit=_COMPLETION_LIMIT, samples=False),
    ProviderProfile.AZURE: Dialect(key_header=_AZURE_KEY),
    ProviderProfile.AZURE_REASONING: Dialect(limit=_COMPLETION_LIMIT, samples=False, key_header=_AZURE_KEY),
    ProviderProfile.VLLM: Dialect(schema_place=SchemaPlace.STRUCTURED_OUTPUTS),
    ProviderProfile.OLLAMA: Dialect(schema_place=SchemaPlace.RESPONSE_FORMAT),
}


_MOMENT = 0.2
"""Seconds in which the end of a stream is waited for behind its answer."""


class OpenAICompatibleLLM(ProviderLLM[HttpClient]):
    """A model behind an OpenAI-compatible API; implements `LLMPort`.

    Args:
        settings: where the model is.
        limiter: shared with other objects for the same provider; by default one by the settings.
    """

    def __init__(self, settings: LLMSettings, limiter: Limiter | None = None) -> None:
        super().__init__(settings, limiter, partial(HttpClient, settings, settings.base_url))
        self._dialect = DIALECTS[settings.profile]

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
        body = {"model": self._settings.model, "messages": _messages(request), **self._members(request)}
        endpoint = replace(self._endpoint, timeout=request.timeout or self._settings.timeout)
        progress = request.progress
        if progress is None and self._settings.stream:
            progress = TextProgress()
        if progress is not None:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return await self._answer(partial(self._send, request, body, endpoint, progress))

    async def _send(
        self, request: LLMRequest, body: dict[str, Any], endpoint: Endpoint, progress: TextProgress | None
    ) -> LLMReply:
        """Send the request once, and wait for the whole answer: in one body, or in pieces that somebody follows."""
        is_called = self._settings.structured_output is StructuredOutput.TOOLS
        tool = request.output_schema.name if request.output_schema and is_called else None
        if progress is not None:
            progress.begin()
        async with self._place() as client, AsyncExitStack() as opened:

            async def answer() -> LLMReply:
                response = await self._post(client, request, body, endpoint)
                if progress is None:
                    completion = read_completion(await decode(response.content, endpoint), "message", endpoint)
                    return to_reply(completion, endpoint, tool)
                opened.push_async_callback(response.aclose)
                if not is_event_stream(response):
                    raise endpoint.error(LLMReplyError, NOT_A_STREAM)
                received, collector = response.aiter_bytes(), ChunkCollector(endpoint, tool)
                await _collect(received, collector, progress)
                reply = to_reply(collector.completion(), endpoint, tool)
                opened.push_async_callback(_read_on, received)
                return reply

            try:
                return await answer_in_time(answer(), endpoint)
            except _FollowerError as error:
                failure = error.failure
            raise failure

    async def _post(
        self, client: HttpClient, request: LLMRequest, body: dict[str, Any], endpoint: Endpoint
    ) -> Response:
        """Send the request once; what comes is read where it is no stream."""
        own = Timeout(endpoint.timeout, connect=self._settings.connect_timeout)
        try:
            sent = client.build_request(
                "POST",
                f"{self._settings.base_url}/chat/completions",
                content=json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(),
                headers=self._headers(request),
                params=self._settings.extra_query or None,
                timeout=own if request.timeout else client.timeout,
            )
        except (ValueError, RecursionError) as error:
            reason = type(error).__name__
        else:
            return (await client.send(sent, stream="stream" in body)).raise_for_status()
        raise endpoint.error(LLMRequestError, NOT_SENDABLE, reason=reason)

    def _members(self, request: LLMRequest) -> dict[str, Any]:
        """The members of the body beside model and messages; what is left to the provider is left out, extra wins."""
        if reserved := RESERVED & request.extra_body.keys():
            raise self._endpoint.error(LLMConfigurationError, NOT_EXTRA, reason=", ".join(sorted(reserved)))
        settings, dialect = self._settings, self._dialect
        try:
            held = _held_to(settings.structured_output, request.output_schema, dialect)
        except NotStrictError as error:
            raise self._endpoint.error(LLMConfigurationError, schema_not_strict(error.path, error.reason)) from None
        optional = {
            "temperature": request.temperature if dialect.samples else None,
            "stop": list(request.stop) if request.stop and dialect.samples else None,
            dialect.limit: request.max_tokens,
            "reasoning_effort": request.reasoning_effort or settings.reasoning_effort,
        }
        known = {name: value for name, value in optional.items() if value is not None}
        return {**known, **held, **settings.extra_body, **request.extra_body}

    def _headers(self, request: LLMRequest) -> Headers:
        """The headers beside the client's own; the key goes where the provider wants it, and nowhere without one."""
        headers = Headers({"Accept": "application/json", "Content-Type": "application/json"})
        own = self._dialect.key_header
        if key := self._settings.api_key.get_secret_value():
            headers[own or "Authorization"] = key if own else f"Bearer {key}"
        headers.update({name: value.get_secret_value() for name, value in self._settings.extra_headers.items()})
        headers.update(request.extra_headers)
        return headers


class _FollowerError(Exception):
    """What a follower of the text raised: no failure of the provider, whatever its type."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.failure = failure


async def _collect(received: AsyncIterator[bytes], collector: ChunkCollector, progress: TextProgress) -> None:
    """Read a stream to the end of the answer."""
    pause = CooperativePause()
    async with aclosing(values(received)) as chunks:
        async for chunk in chunks:
            await pause.pause()
            _show(collector.add(chunk), progress)
    _show(collector.rest(), progress)


def _show(text: str, progress: TextProgress) -> None:
    """Give a follower more of the text."""
    try:
        progress.add(text)
    except Exception as error:  # noqa: BLE001 - it raises what it likes, and that is to come out as it is
        raise _FollowerError(error) from None


async def _read_on(received: AsyncIterator[bytes]) -> None:
    """Read what follows a whole answer, for a moment: a connection that is read to its end serves again."""
    with suppress(TimeoutError, HTTPError):
        async with asyncio.timeout(_MOMENT):
            async for _ in received:
                pass


def _messages(request: LLMRequest) -> list[dict[str, Any]]:
    """The conversation. A message of text alone is sent as text, which every server takes."""
    return [
        {
            "role": message.role.value,
            "content": [_part(part) for part in message.parts] if message.images else message.text,
        }
        for message in request.messages
    ]


def _part(part: MessagePart) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type.value};base64,{base64.b64encode(part.data).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": part.text}


def _held_to(mode: StructuredOutput, schema: OutputSchema | None, dialect: Dialect) -> dict[str, Any]:
    """The members of the body that hold a provider to a type; none where there is nothing to hold it to.

    A type that is no object is left to the prompt in the mode `json_object`, which would force one.

    Raises:
        NotStrictError: the provider cannot be held to the type in this mode; says why.
    """
    is_strict = dialect.schema_place is SchemaPlace.STRICT_RESPONSE_FORMAT
    if schema is None or mode is StructuredOutput.PROMPT:
        return {}
    if mode is StructuredOutput.JSON_OBJECT:
        return {"response_format": {"type": mode.value}} if schema.is_object else {}
    if mode is StructuredOutput.TOOLS:
        function: dict[str, Any] = {"name": schema.name, "parameters": schema.json_schema}
        if is_strict or not schema.is_object:  # arguments are an object everywhere: any other root is refused here
            function |= {"parameters": schema.strict, "strict": True}
        return {
            "tools": [{"type": "function", "function": function}],
            "tool_choice": {"type": "function", "function": {"name": schema.name}},
            "parallel_tool_calls": False,
        }
    if dialect.schema_place is SchemaPlace.STRUCTURED_OUTPUTS:
        return {"structured_outputs": {"json": schema.json_schema}}
    named: dict[str, Any] = {"name": schema.name, "schema": schema.json_schema}
    if is_strict:
        named |= {"schema": schema.strict, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}
