"""The one table from the exceptions of the native APIs' packages to the domain's, and what is told of them.

pydantic-ai sorts what its providers say into categories; an exception that it lets through comes from the package of
the provider or of HTTP. All of them hold the provider's own words, and some the request: nothing of that goes on.
"""

from __future__ import annotations

import re
from typing import Any

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
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.http.vendor_errors import causes, refused, retry_after
from src.shared.infrastructure.llm.provider import PROVIDERS
from src.shared.infrastructure.llm.provider_errors import CLIENT_REFUSED, NOT_THE_API, Endpoint

with needs_extra(PROVIDERS):
    from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, ModelHTTPError

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
