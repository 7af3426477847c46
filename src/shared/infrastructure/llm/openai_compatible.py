"""Any provider with an OpenAI-compatible chat-completions API, by our own client.

`transport.py` retries, `http_client.py` connects. Settings come from `LLM_*` alone, nothing from `OPENAI_*`.

What the providers want differently is one row of a table. Sources: OpenAI's and Azure's guides to reasoning models (no
sampling, `max_completion_tokens`), Azure's REST reference (`api-key`, `api-version`), vLLM's guide to structured
outputs (`structured_outputs` since 0.12), Ollama's page on OpenAI compatibility.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from src.shared.domain.llm_errors import LLMConfigurationError, LLMReplyError, LLMRequestError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, MessagePart
from src.shared.domain.ports.llm import LLMReply, LLMRequest, OutputSchema, TextProgress
from src.shared.domain.strict_schema import NotStrictError
from src.shared.infrastructure.llm.http.http_client import Clients, HttpClient
from src.shared.infrastructure.llm.http.limiter import Limiter
from src.shared.infrastructure.llm.http.response_bounds import decode, is_event_stream
from src.shared.infrastructure.llm.http.transport import Deadline, ProviderLLM
from src.shared.infrastructure.llm.provider import RESERVED, ProviderProfile, StructuredOutput
from src.shared.infrastructure.llm.provider_errors import (
    NOT_A_STREAM,
    NOT_EXTRA,
    NOT_SENDABLE,
    Endpoint,
    needs_extra,
    schema_not_strict,
)
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.streaming import ReplyStream
from src.shared.infrastructure.llm.wire import read_completion, to_reply

with needs_extra():
    from httpx2 import Headers, Response, Timeout


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


def _messages(request: LLMRequest) -> list[dict[str, Any]]:
    """The conversation. A message of text alone is sent as text, which every server takes."""
    return [{"role": message.role.value, "content": _content(message)} for message in request.messages]


def _members(request: LLMRequest, dialect: Dialect, reasoning_effort: str | None = None) -> dict[str, Any]:
    """What the request says beside its messages; what it leaves to the provider is left out."""
    optional = {
        "temperature": request.temperature if dialect.samples else None,
        "stop": list(request.stop) if request.stop and dialect.samples else None,
        dialect.limit: request.max_tokens,
        "reasoning_effort": request.reasoning_effort or reasoning_effort,
    }
    return {name: value for name, value in optional.items() if value is not None}


def _content(message: ChatMessage) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.parts] if message.images else message.text


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
    if schema is None or mode is StructuredOutput.PROMPT:
        return {}
    if mode is StructuredOutput.JSON_OBJECT:
        return {"response_format": {"type": mode.value}} if schema.is_object else {}
    if mode is StructuredOutput.TOOLS:
        return _one_tool(schema, dialect)
    return _schema(schema, dialect.schema_place)


def _one_tool(schema: OutputSchema, dialect: Dialect) -> dict[str, Any]:
    function: dict[str, Any] = {"name": schema.name, "parameters": schema.json_schema}
    is_strict = dialect.schema_place is SchemaPlace.STRICT_RESPONSE_FORMAT
    if is_strict or not schema.is_object:  # arguments are an object everywhere: any other root is refused here
        function |= {"parameters": schema.strict, "strict": True}
    chosen = {"type": "function", "function": {"name": schema.name}}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": chosen,
        "parallel_tool_calls": False,
    }


def _schema(schema: OutputSchema, place: SchemaPlace) -> dict[str, Any]:
    if place is SchemaPlace.STRUCTURED_OUTPUTS:
        return {"structured_outputs": {"json": schema.json_schema}}
    named: dict[str, Any] = {"name": schema.name, "schema": schema.json_schema}
    if place is SchemaPlace.STRICT_RESPONSE_FORMAT:
        named = {"name": schema.name, "schema": schema.strict, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


@dataclass(frozen=True, slots=True)
class _ChatCall:
    """What one request needs, ready to be sent as often as it takes.

    Attributes:
        clients: who sends it, and when it may be sent.
        url: where it is sent.
        body: what is sent.
        options: of the HTTP request: headers, parameters of the URL, timeout.
        endpoint: where it goes, and how long it may take.
        tool: the function whose arguments are the answer; None where the text is.
    """

    clients: Clients[HttpClient]
    url: str
    body: dict[str, Any]
    options: dict[str, Any] = field(repr=False)
    endpoint: Endpoint
    tool: str | None = None

    async def whole(self) -> LLMReply:
        """Wait for the whole answer in one body."""
        async with self.clients.place() as client:
            deadline = Deadline(self.endpoint)
            response = await deadline.wait_for(self._post(client), LLMRequestError, NOT_SENDABLE)
        body = await deadline.wait_for(decode(response.content, self.endpoint), LLMReplyError)
        return to_reply(read_completion(body, "message", self.endpoint), self.endpoint, self.tool)

    async def streamed(self, progress: TextProgress) -> LLMReply:
        """Wait for the whole answer in pieces."""
        progress.begin()
        stream = await self.open()
        try:
            async for piece in stream:
                progress.add(piece)
        finally:
            await stream.aclose()
        return stream.reply

    async def open(self) -> ReplyStream:
        """Wait until the provider begins to answer."""
        async with AsyncExitStack() as held:
            client = await held.enter_async_context(self.clients.place())
            deadline = Deadline(self.endpoint)
            sent = self._post(client, stream=True, stream_options={"include_usage": True})
            response = await deadline.wait_for(sent, LLMRequestError, NOT_SENDABLE)
            held.push_async_callback(response.aclose)
            if not is_event_stream(response):
                raise self.endpoint.error(LLMReplyError, NOT_A_STREAM)
            return ReplyStream(response, deadline, self.endpoint, self.tool, held.pop_all())

    async def _post(self, client: HttpClient, **streaming: Any) -> Response:  # noqa: ANN401 - members of the body
        """Send the request once; what comes is read where it is no stream."""
        body = {**self.body, **streaming}
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        request = client.build_request("POST", self.url, content=content, **self.options)
        response = await client.send(request, stream=bool(streaming))
        return response.raise_for_status()


class OpenAICompatibleLLM(ProviderLLM[HttpClient]):
    """A model behind an OpenAI-compatible API; implements `LLMPort`.

    Args:
        settings: where the model is.
        limiter: shared with other objects for the same provider; by default one by the settings.
    """

    def __init__(self, settings: LLMSettings, limiter: Limiter | None = None) -> None:
        super().__init__(settings, limiter, partial(HttpClient, settings, settings.base_url))

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
        call, progress = self._call(request), request.progress
        if progress is None and self._settings.stream:
            progress = TextProgress()
        send = call.whole if progress is None else partial(call.streamed, progress)
        return await self._answer(send)

    @asynccontextmanager
    async def stream(self, request: LLMRequest) -> AsyncIterator[ReplyStream]:
        """Ask once and take the answer as it is written, whatever `LLM_STREAM` says.

        The request is sent again only until the provider begins to answer. `LLM_TIMEOUT` counts the time spent waiting
        for the provider, not what the caller does between two pieces.

        Raises:
            LLMError: as for `generate`.
        """
        stream = await self._retry(self._call(request).open)
        try:
            yield stream
        finally:
            await stream.aclose()

    def _call(self, request: LLMRequest) -> _ChatCall:
        settings, dialect = self._settings, DIALECTS[self._settings.profile]
        url = f"{settings.base_url}/chat/completions"
        body = {"model": settings.model, "messages": _messages(request), **self._body(request, dialect)}
        endpoint = replace(self._endpoint, timeout=request.timeout or settings.timeout)
        options: dict[str, Any] = {
            "headers": self._headers(request, dialect),
            "params": settings.extra_query or None,
        }
        if request.timeout is not None:
            options["timeout"] = Timeout(request.timeout, connect=settings.connect_timeout)
        schema, is_called = request.output_schema, settings.structured_output is StructuredOutput.TOOLS
        tool = schema.name if schema and is_called else None
        return _ChatCall(self._clients, url, body, options, endpoint, tool)

    def _body(self, request: LLMRequest, dialect: Dialect) -> dict[str, Any]:
        """The members of the body beside model and messages; what is extra wins."""
        if reserved := RESERVED & request.extra_body.keys():
            raise self._endpoint.error(LLMConfigurationError, NOT_EXTRA, reason=", ".join(sorted(reserved)))
        settings = self._settings
        try:
            held = _held_to(settings.structured_output, request.output_schema, dialect)
        except NotStrictError as error:
            raise self._endpoint.error(LLMConfigurationError, schema_not_strict(error.path, error.reason)) from None
        said = _members(request, dialect, settings.reasoning_effort)
        return {**said, **held, **settings.extra_body, **request.extra_body}

    def _headers(self, request: LLMRequest, dialect: Dialect) -> Headers:
        """The headers beside the client's own; the key goes where the provider wants it, and nowhere without one."""
        headers = Headers({"Accept": "application/json", "Content-Type": "application/json"})
        if key := self._settings.api_key.get_secret_value():
            headers[dialect.key_header or "Authorization"] = key if dialect.key_header else f"Bearer {key}"
        headers.update({name: value.get_secret_value() for name, value in self._settings.extra_headers.items()})
        headers.update(request.extra_headers)
        return headers
