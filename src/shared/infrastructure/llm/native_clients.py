"""The vendors' clients of providers with an API of their own, made from our settings alone.

Their own retries and tracing are off, and what they would take from the environment is given to them: addresses,
headers and keys come from `LLM_*`. Their connections are ours (`connections.py`), but for Bedrock's: boto3 has its own
connections and threads. A call that is given up on leaves its thread waiting for as long as `LLM_TIMEOUT`, and the size
of an answer is not bounded. Region and credentials are found as AWS documents it, in `AWS_*` variables and `~/.aws`;
where `LLM_API_KEY` is set it is used instead of credentials, as a Bedrock API key.
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
from src.shared.infrastructure.llm.connections import HttpClient
from src.shared.infrastructure.llm.provider import NATIVE_APIS, PROVIDERS, Provider
from src.shared.infrastructure.llm.provider_errors import NOT_THE_API, needs_extra
from src.shared.infrastructure.llm.response_bounds import RefusedError, holds_at_most, is_event_stream
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra(PROVIDERS):
    import anyio.to_thread
    import httpx2
    from pydantic_ai.models import Model

MOST_VALUES = 20_000
"""Values (and keys) of a whole body. Anthropic's client takes 77 microseconds for each that is no part of its API."""
_SHOW_REQUESTS = ("anthropic._base_client", "botocore.auth", "botocore.endpoint", "botocore.parsers")
"""Loggers that write whole requests and answers at level DEBUG."""
_BEDROCK_CONNECTIONS = 40
"""As many as there are threads for such calls in one event loop."""


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
        import_module(NATIVE_APIS[settings.provider].package)
    without_debug(*_SHOW_REQUESTS)
    return partial(_bedrock if settings.provider is Provider.BEDROCK else _over_http, settings)


def _over_http(settings: LLMSettings, certificates: ssl.SSLContext) -> NativeClient:
    """A client on connections of ours, on which no clock of a vendor runs: the transport's is the only one."""

    async def one_clock(request: httpx2.Request) -> None:
        waits = dict.fromkeys(("read", "write", "pool"))
        request.extensions = {**request.extensions, "timeout": {"connect": settings.connect_timeout, **waits}}

    http = HttpClient(settings, settings.address, certificates)
    http.event_hooks["request"].append(one_clock)
    http.event_hooks["response"].append(_is_moderate)
    return NativeClient(_http_model(settings, http), http.aclose)


def _http_model(settings: LLMSettings, http: HttpClient) -> Model[Any]:
    """Import what the provider needs, and no other one's packages."""
    url, key = settings.address, settings.api_key.get_secret_value()
    if settings.provider is Provider.ANTHROPIC:
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - only where it is asked for
        from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - as above
        from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

        client = AsyncAnthropic(
            api_key=key, base_url=url, http_client=http, max_retries=0, open_telemetry=False, timeout=http.timeout
        )
        client._custom_headers = {}  # noqa: SLF001 - what ANTHROPIC_CUSTOM_HEADERS adds has no public way out
        return AnthropicModel(settings.model, provider=AnthropicProvider(anthropic_client=client))
    if settings.provider is Provider.GEMINI:
        from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - as above
        from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - as above

        return GoogleModel(settings.model, provider=GoogleProvider(api_key=key, base_url=url, http_client=http))
    from pydantic_ai.models.mistral import MistralModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.mistral import MistralProvider  # noqa: PLC0415 - as above

    return MistralModel(settings.model, provider=MistralProvider(api_key=key, base_url=url, http_client=http))


async def _is_moderate(response: httpx2.Response) -> None:
    """Count the values of a whole body, which the vendors' clients decode on the event loop."""
    if not is_event_stream(response):
        body = await response.aread()
        if len(body) > MOST_VALUES and not await asyncio.to_thread(holds_at_most, MOST_VALUES, body):
            raise RefusedError(LLMReplyError, NOT_THE_API, max_values=MOST_VALUES)


def _bedrock(settings: LLMSettings, _: ssl.SSLContext) -> NativeClient:
    """A model of Bedrock's Converse API."""
    import boto3  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    import botocore.session  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from botocore.config import Config  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from botocore.tokens import FrozenAuthToken  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from pydantic_ai.models.bedrock import BedrockConverseModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.bedrock import BedrockProvider  # noqa: PLC0415 - as above

    key = settings.api_key.get_secret_value()
    config = Config(
        read_timeout=settings.timeout,
        connect_timeout=settings.connect_timeout,
        retries={"total_max_attempts": 1},
        max_pool_connections=_BEDROCK_CONNECTIONS,
        signature_version="bearer" if key else None,
    )
    session = botocore.session.Session() if key else None
    if session:  # the key, in place of credentials
        session.get_auth_token = lambda **_: FrozenAuthToken(key)
        session.get_credentials = lambda: None
    client = boto3.Session(botocore_session=session).client(
        "bedrock-runtime", config=config, endpoint_url=settings.base_url or None
    )
    model = BedrockConverseModel(settings.model, provider=BedrockProvider(bedrock_client=client))
    return NativeClient(model, partial(anyio.to_thread.run_sync, client.close))
