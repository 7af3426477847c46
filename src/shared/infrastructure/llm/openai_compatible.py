"""Any provider with an OpenAI-compatible chat-completions API, by our own client.

`transport.py` retries, `connections.py` connects. Settings come from `LLM_*` alone, nothing from `OPENAI_*`.

pydantic-ai, which speaks to the providers with an API of their own, would break promises here, measured with 2.68 on
these connections: it takes no body without `id`, `created` and `object`, no content in parts and no arguments that a
server has decoded; of a stream it loses events whose field names have another case, and an answer that just ends, or
stops for a reason that it does not know, becomes one that came to its end.

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
from functools import partial
from typing import Any, Literal, NamedTuple

from src.shared.domain.llm_errors import LLMConfigurationError, LLMReplyError, LLMRequestError
from src.shared.domain.llm_exchange import ImagePart
from src.shared.domain.ports.llm import LLMReply, LLMRequest, OutputSchema, TextProgress
from src.shared.domain.strict_schema import NotStrictError
from src.shared.infrastructure.llm.connections import CooperativePause, HttpClient, Limiter, decode, is_event_stream
from src.shared.infrastructure.llm.provider import ProviderProfile, StructuredOutput
from src.shared.infrastructure.llm.provider_errors import (
    NOT_A_STREAM,
    NOT_SENDABLE,
    Endpoint,
    needs_extra,
    schema_not_strict,
)
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.transport import ProviderLLM, answer_in_time
from src.shared.infrastructure.llm.wire import CompletionReader, values

with needs_extra():
    from httpx2 import Headers, HTTPError, Response, Timeout


class Dialect(NamedTuple):
    """One row.

    Attributes:
        is_reasoning: whether the model refuses temperature and stop sequences, and has another name for the bound on
            what is written.
        key_header: the header that the key goes into; empty for a bearer token.
        schema_place: where a request in the mode `json_schema` has its schema; any but a strict one takes any schema.
    """

    is_reasoning: bool = False
    key_header: str = ""
    schema_place: Literal["strict response_format", "response_format", "structured_outputs"] = "strict response_format"


DIALECTS: dict[ProviderProfile, Dialect] = {
    ProviderProfile.OPENAI_COMPATIBLE: Dialect(),
    ProviderProfile.REASONING: Dialect(is_reasoning=True),
    ProviderProfile.AZURE: Dialect(key_header="api-key"),
    ProviderProfile.AZURE_REASONING: Dialect(is_reasoning=True, key_header="api-key"),
    ProviderProfile.VLLM: Dialect(schema_place="structured_outputs"),
    ProviderProfile.OLLAMA: Dialect(schema_place="response_format"),
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
        endpoint = self._endpoint_for(request)
        progress = request.progress or (TextProgress() if self._settings.stream else None)
        if progress is not None:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return await self._answer(partial(self._send, request, body, endpoint, progress))

    async def _send(
        self, request: LLMRequest, body: dict[str, Any], endpoint: Endpoint, progress: TextProgress | None
    ) -> LLMReply:
        """Send the request once, and wait for the whole answer: in one body, or in pieces that somebody follows."""
        is_called = self._settings.structured_output is StructuredOutput.TOOLS
        reader = CompletionReader(endpoint, request.output_schema.name if request.output_schema and is_called else None)
        if progress is not None:
            progress.begin()
        async with self._place() as client, AsyncExitStack() as opened:

            async def answer() -> LLMReply:
                response = await self._post(client, request, body, endpoint)
                if progress is None:
                    reader.add(await decode(response.content, endpoint), "message")
                    return reader.reply()
                opened.push_async_callback(response.aclose)
                if not is_event_stream(response):
                    raise endpoint.error(LLMReplyError, NOT_A_STREAM)
                received = response.aiter_bytes()
                await _collect(received, reader, progress)
                reply = reader.reply()
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
        self._check_extra(request)
        settings, samples = self._settings, not self._dialect.is_reasoning
        try:
            held = _held_to(settings.structured_output, request.output_schema, self._dialect)
        except NotStrictError as error:
            raise self._endpoint.error(LLMConfigurationError, schema_not_strict(error.path, error.reason)) from None
        optional = {
            "temperature": request.temperature if samples else None,
            "stop": list(request.stop) if request.stop and samples else None,
            "max_tokens" if samples else "max_completion_tokens": request.max_tokens,
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
        headers.update(self._extra_headers(request))
        return headers


class _FollowerError(Exception):
    """What a follower of the text raised: no failure of the provider, whatever its type."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.failure = failure


async def _collect(received: AsyncIterator[bytes], reader: CompletionReader, progress: TextProgress) -> None:
    """Read a stream to the end of the answer."""
    pause = CooperativePause()
    async with aclosing(values(received)) as chunks:
        async for chunk in chunks:
            await pause.pause()
            _show(reader.add(chunk), progress)
    _show(reader.rest(), progress)


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
            "content": [
                {"type": "image_url", "image_url": {"url": f"data:{part.media_type.value};base64,{_base64(part)}"}}
                if isinstance(part, ImagePart)
                else {"type": "text", "text": part.text}
                for part in message.parts
            ]
            if message.images
            else message.text,
        }
        for message in request.messages
    ]


def _base64(image: ImagePart) -> str:
    return base64.b64encode(image.data).decode()


def _held_to(mode: StructuredOutput, schema: OutputSchema | None, dialect: Dialect) -> dict[str, Any]:
    """The members of the body that hold a provider to a type; none where there is nothing to hold it to.

    A type that is no object is left to the prompt in the mode `json_object`, which would force one.

    Raises:
        NotStrictError: the provider cannot be held to the type in this mode; says why.
    """
    is_strict = dialect.schema_place == "strict response_format"
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
    if dialect.schema_place == "structured_outputs":
        return {"structured_outputs": {"json": schema.json_schema}}
    named: dict[str, Any] = {"name": schema.name, "schema": schema.json_schema}
    if is_strict:
        named |= {"schema": schema.strict, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}
