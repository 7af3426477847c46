"""Any provider with an API of its own, through pydantic-ai's direct requests.

pydantic-ai's agents, retries and tracing are not used: one request goes out, `transport.py` sends it again if need be,
and the answer's text goes through the parser like every other. Why this library: docs/adr/0016-native-apis.md.

Exceptions become the domain's by one table. pydantic-ai sorts what its providers say into categories; an exception that
it lets through comes from the package of the provider or of HTTP. All of them hold the provider's own words, and some
the request: nothing of that goes on.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMContentRefusedError,
    LLMError,
    LLMQuotaError,
    LLMRateLimitError,
    LLMReplyError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
)
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.llm.http.limiter import Limiter
from src.shared.infrastructure.llm.http.transport import Patience, ProviderLLM, endpoint_of
from src.shared.infrastructure.llm.http.vendor_errors import causes, refused, retry_after
from src.shared.infrastructure.llm.native.clients import NativeClient, client_factory
from src.shared.infrastructure.llm.native.request import NativeRequest, native_request, to_reply
from src.shared.infrastructure.llm.provider import PROVIDERS, ProviderProfile
from src.shared.infrastructure.llm.provider_errors import (
    CLIENT_REFUSED,
    NOT_THE_API,
    OF_NO_USE,
    Endpoint,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings

with needs_extra(PROVIDERS):
    from pydantic_ai.direct import model_request
    from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, ModelHTTPError

T = TypeVar("T")

NATIVE_ERRORS: dict[str, type[LLMError]] = {
    # pydantic-ai
    "UserError": LLMConfigurationError,  # a mode or a setting that the model does not have
    "AgentRunError": LLMError,  # as such: of its agents, which are not used
    "UnexpectedModelBehavior": LLMReplyError,
    "ContentFilterError": LLMContentRefusedError,
    "ModelAPIError": LLMReplyError,  # as such: a body that cannot be decoded
    "ModelHTTPError": LLMRequestError,  # as such: a status without a category, such as 413
    "ModelRateLimitError": LLMRateLimitError,
    "ModelQuotaExceededError": LLMQuotaError,
    "ModelUnavailableError": LLMServerError,
    "ModelOverloadedError": LLMServerError,
    "ModelServerError": LLMServerError,
    "ModelConnectionError": LLMConnectionError,
    "ModelTimeoutError": LLMTimeoutError,
    "ModelRequestTimeout": LLMTimeoutError,
    "ModelRequestRejectedError": LLMRequestError,
    "ModelContextWindowExceededError": LLMRequestError,
    "ModelAuthenticationError": LLMAuthenticationError,
    "ModelNotFoundError": LLMRequestError,
    # the packages of the providers and of HTTP, where pydantic-ai lets them through
    "AnthropicError": LLMReplyError,
    "MistralError": LLMReplyError,
    "NoResponseError": LLMConnectionError,
    "HTTPError": LLMConnectionError,
    "DecodingError": LLMReplyError,
    "InvalidURL": LLMConfigurationError,
    "BotoCoreError": LLMConfigurationError,  # the client's own checks: no region, no such profile
    "NoCredentialsError": LLMAuthenticationError,
    "PartialCredentialsError": LLMAuthenticationError,
    "CredentialRetrievalError": LLMAuthenticationError,
    "TokenRetrievalError": LLMAuthenticationError,
    "ParamValidationError": LLMRequestError,
    "ConnectionError": LLMConnectionError,
    "TimeoutError": LLMTimeoutError,
    "Exception": LLMReplyError,  # their own code stumbled over what came back
}
"""By name; a subclass counts as its nearest base named here."""

_SAID: dict[type[LLMError], Message] = {LLMReplyError: NOT_THE_API, LLMConfigurationError: CLIENT_REFUSED}
"""Where the general message would speak of another API."""
_HTTP = {"httpx2", "botocore"}
_NOT_SENT = {"pool", "connect"}
_REQUEST_IDS = ("request-id", "x-request-id", "x-amzn-requestid", "mistral-correlation-id")
_PLAIN_CODE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def domain_error(error: Exception, endpoint: Endpoint) -> LLMError:
    """Say in the domain's words what an exception of these packages says."""
    if refusal := refused(error, endpoint):
        return refusal
    kind = domain_type(type(error))
    facts: dict[str, Any] = {}
    if isinstance(error, ModelAPIError):
        facts = _told_by_the_provider(error)
        if isinstance(error, ModelConnectionError) and error.phase in _NOT_SENT:
            kind = LLMConnectionError
    if not isinstance(error, ModelHTTPError):
        facts["reason"] = _reason(error)
    if kind is LLMTimeoutError:
        facts["timeout"] = endpoint.timeout
    return endpoint.error(kind, _SAID.get(kind), **facts)


def _reason(error: Exception) -> str:
    """The name of what broke: of the HTTP client's exception where there is one, since the packages wrap it."""
    of_http = (cause for cause in causes(error) if type(cause).__module__.partition(".")[0] in _HTTP)
    return type(next(of_http, error.__cause__ or error)).__name__


def domain_type(vendor: type[BaseException]) -> type[LLMError]:
    """Look the table up."""
    return next(NATIVE_ERRORS[base.__name__] for base in vendor.__mro__ if base.__name__ in NATIVE_ERRORS)


def _told_by_the_provider(error: ModelAPIError) -> dict[str, Any]:
    """What is a code, a number or an identifier, never a text."""
    code = error.provider_error_type or error.provider_error_code or ""
    facts: dict[str, Any] = {
        "error_code": code.lower() if _PLAIN_CODE.fullmatch(code.lower()) else None,
        "retry_after": error.retry_after,
    }
    if isinstance(error, ModelHTTPError):
        headers = error.headers or {}
        facts |= {"status": error.status_code, "request_id": _request_id(headers)}
        if "retry-after" in headers:
            facts["retry_after"] = retry_after(headers)
    return facts


def _request_id(headers: dict[str, str]) -> str | None:
    found = (headers[name] for name in _REQUEST_IDS if name in headers)
    return next((value for value in found if _PLAIN_ID.fullmatch(value)), None)


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
        for option in _of_no_use(settings):
            raise endpoint_of(settings).error(LLMConfigurationError, OF_NO_USE, reason=option)
        super().__init__(settings, limiter, make or client_factory(settings))

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Waiting for the limiter is not part of the seconds that a request may take.

        Raises:
            LLMError: after the transport's retries, with their number in `details["attempts"]`.
        """
        return await self._timed(self._reply(request))

    async def _reply(self, request: LLMRequest) -> LLMReply:
        endpoint = self._endpoint if request.timeout is None else replace(self._endpoint, timeout=request.timeout)
        client = await _in_our_words(self._clients.client(), endpoint)
        asked = native_request(request, client.model, self._settings, endpoint)
        return await self._retries(lambda: self._ask(asked, endpoint))

    async def _ask(self, asked: NativeRequest, endpoint: Endpoint) -> LLMReply:
        async with self._clients.place() as client:
            sent = model_request(
                client.model,
                asked.messages,
                model_settings=asked.settings,
                model_request_parameters=asked.parameters,
                instrument=False,
            )
            response = await Patience(endpoint).wait_for(_in_our_words(sent, endpoint), LLMReplyError)
        return to_reply(response, endpoint, asked.tool)


def _of_no_use(settings: LLMSettings) -> Iterator[str]:
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
