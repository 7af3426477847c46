"""The vendors' clients of providers with an API of their own, made from our settings alone.

Their own retries and tracing are off, and what they would take from the environment is given to them: addresses,
headers and keys come from `LLM_*`. Their connections are ours (`http_client.py`), but for Bedrock's.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from src.shared.domain.llm_errors import LLMReplyError
from src.shared.infrastructure.events.library_log import without_debug
from src.shared.infrastructure.llm.http.http_client import HttpClient
from src.shared.infrastructure.llm.http.response_bounds import RefusedError, holds_at_most, is_event_stream
from src.shared.infrastructure.llm.provider import PROVIDERS, Provider
from src.shared.infrastructure.llm.provider_errors import NOT_THE_API, needs_extra
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra(PROVIDERS):
    import httpx2
    from pydantic_ai.models import Model

_PACKAGES = {
    Provider.ANTHROPIC: "anthropic",
    Provider.GEMINI: "google.genai",
    Provider.MISTRAL: "mistralai",
    Provider.BEDROCK: "boto3",
}
MOST_VALUES = 20_000
"""Values (and keys) of a whole body. Anthropic's client takes 77 microseconds for each that is no part of its API."""
_SHOW_REQUESTS = ("anthropic._base_client", "botocore.auth", "botocore.endpoint", "botocore.parsers")
"""Loggers that write whole requests and answers at level DEBUG."""


@dataclass(frozen=True, slots=True)
class NativeClient:
    """A client of one event loop.

    Attributes:
        model: speaks the provider's API, in pydantic-ai's words.
        aclose: closes the connections.
    """

    model: Model[Any]
    aclose: Callable[[], Awaitable[None]]


def client_factory(settings: LLMSettings) -> Callable[[ssl.SSLContext], NativeClient]:
    """What makes a client of the provider that the settings name.

    Raises:
        LLMConfigurationError: the package of the provider is not installed.
    """
    with needs_extra(PROVIDERS):
        import_module(_PACKAGES[settings.provider])
    without_debug(*_SHOW_REQUESTS)
    return partial(_MAKERS[settings.provider], settings)


def _anthropic(settings: LLMSettings, certificates: ssl.SSLContext) -> NativeClient:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - only where it is asked for
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

    key, url, http = _connection(settings, certificates)
    client = AsyncAnthropic(
        api_key=key, base_url=url, http_client=http, max_retries=0, open_telemetry=False, timeout=http.timeout
    )
    client._custom_headers = {}  # noqa: SLF001 - what ANTHROPIC_CUSTOM_HEADERS adds has no public way out
    provider = AnthropicProvider(anthropic_client=client)
    return NativeClient(AnthropicModel(settings.model, provider=provider), http.aclose)


def _gemini(settings: LLMSettings, certificates: ssl.SSLContext) -> NativeClient:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - as above

    key, url, http = _connection(settings, certificates)
    provider = GoogleProvider(api_key=key, base_url=url, http_client=http)
    return NativeClient(GoogleModel(settings.model, provider=provider), http.aclose)


def _mistral(settings: LLMSettings, certificates: ssl.SSLContext) -> NativeClient:
    from pydantic_ai.models.mistral import MistralModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.mistral import MistralProvider  # noqa: PLC0415 - as above

    key, url, http = _connection(settings, certificates)
    provider = MistralProvider(api_key=key, base_url=url, http_client=http)
    return NativeClient(MistralModel(settings.model, provider=provider), http.aclose)


def _bedrock(settings: LLMSettings, _: ssl.SSLContext) -> NativeClient:
    from src.shared.infrastructure.llm.native.bedrock import bedrock_model  # noqa: PLC0415 - as above

    return NativeClient(*bedrock_model(settings))


_MAKERS: dict[Provider, Callable[[LLMSettings, ssl.SSLContext], NativeClient]] = {
    Provider.ANTHROPIC: _anthropic,
    Provider.GEMINI: _gemini,
    Provider.MISTRAL: _mistral,
    Provider.BEDROCK: _bedrock,
}


def _connection(settings: LLMSettings, certificates: ssl.SSLContext) -> tuple[str, str, HttpClient]:
    """The key, the address, and connections on which no clock of a vendor runs: the transport's is the only one."""

    async def one_clock(request: httpx2.Request) -> None:
        waits = dict.fromkeys(("read", "write", "pool"))
        request.extensions = {**request.extensions, "timeout": {"connect": settings.connect_timeout, **waits}}

    http = HttpClient(settings, settings.address, certificates)
    http.event_hooks["request"].append(one_clock)
    http.event_hooks["response"].append(_is_moderate)
    return settings.api_key.get_secret_value(), settings.address, http


async def _is_moderate(response: httpx2.Response) -> None:
    """Count the values of a whole body, which the vendors' clients decode on the event loop."""
    if not is_event_stream(response):
        body = await response.aread()
        if len(body) > MOST_VALUES and not await asyncio.to_thread(holds_at_most, MOST_VALUES, body):
            raise RefusedError(LLMReplyError, NOT_THE_API, max_values=MOST_VALUES)
