"""Any provider with an API of its own, through pydantic-ai's direct requests.

pydantic-ai's agents, retries and tracing are not used: one request goes out, `transport.py` sends it again if need be,
and the answer's text goes through the parser like every other. Why this library: docs/adr/0016-native-apis.md.

Exceptions become the domain's by the table of `vendor_errors.py`. pydantic-ai sorts what its providers say into
categories; an exception that it lets through comes from the package of the provider or of HTTP.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMReplyError
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.llm.http.limiter import Limiter
from src.shared.infrastructure.llm.http.transport import Deadline, ProviderLLM, endpoint_of
from src.shared.infrastructure.llm.http.vendor_errors import domain_error
from src.shared.infrastructure.llm.native.clients import NativeClient, client_factory
from src.shared.infrastructure.llm.native.request import NativeRequest, native_request, read_completion
from src.shared.infrastructure.llm.provider import PROVIDERS, ProviderProfile
from src.shared.infrastructure.llm.provider_errors import SETTING_UNUSED, Endpoint, needs_extra
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.wire import to_reply

with needs_extra(PROVIDERS):
    from pydantic_ai.direct import model_request

T = TypeVar("T")


class NativeLLM(ProviderLLM[NativeClient]):
    """A model behind its provider's own API: Anthropic, Gemini, Mistral or Bedrock; implements `LLMPort`.

    What a provider does not take is refused before anything is sent: a structured mode, headers, members of the body,
    images, a reasoning effort. Four things are adapted to it instead: a model that does not sample is told no
    temperature, system messages after the first go to the front where the provider has no such role, `max_tokens` is
    cut to the model's own limit where that is known, and a reasoning effort becomes the nearest one that the model has.

    Args:
        settings: whom to ask, and how.
        limiter: shared with other objects for the same provider; by default one by the settings.
        make: makes the client of an event loop; by default that of the provider.

    Raises:
        LLMConfigurationError: the provider's package is not installed, or a setting is of no use with it.
    """

    def __init__(
        self,
        settings: LLMSettings,
        limiter: Limiter | None = None,
        make: Callable[[ssl.SSLContext], NativeClient] | None = None,
    ) -> None:
        for option in _unused_settings(settings):
            raise endpoint_of(settings).error(LLMConfigurationError, SETTING_UNUSED, reason=option)
        super().__init__(settings, limiter, make or client_factory(settings))

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Waiting for the limiter is not part of the seconds that a request may take.

        Raises:
            LLMError: after the transport's retries, with their number in `details["attempts"]`.
        """
        endpoint = self._endpoint if request.timeout is None else replace(self._endpoint, timeout=request.timeout)
        client = await _in_our_words(self._clients.client(), endpoint)
        asked = native_request(request, client.model, self._settings, endpoint)
        return await self._answer(partial(self._ask, asked, endpoint))

    async def _ask(self, asked: NativeRequest, endpoint: Endpoint) -> LLMReply:
        async with self._clients.place() as client:
            sent = model_request(
                client.model,
                asked.messages,
                model_settings=asked.settings,
                model_request_parameters=asked.parameters,
                instrument=False,
            )
            response = await Deadline(endpoint).wait_for(_in_our_words(sent, endpoint), LLMReplyError)
        return to_reply(read_completion(response, endpoint), endpoint, asked.tool)


def _unused_settings(settings: LLMSettings) -> Iterator[str]:
    """The settings that chat completions alone know, by their variables."""
    if settings.stream:
        yield "LLM_STREAM"
    if settings.extra_query:
        yield "LLM_EXTRA_QUERY"
    if settings.profile is not ProviderProfile.OPENAI_COMPATIBLE:
        yield "LLM_PROFILE"


async def _in_our_words(work: Awaitable[T], endpoint: Endpoint) -> T:
    """Wait for the code of the vendors, which raises what it likes.

    Raises:
        LLMError: in place of it, not chained: theirs holds key and prompt.
    """
    try:
        return await work
    except LLMError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary that no vendor's exception crosses
        failure = domain_error(error, endpoint)
    raise failure
