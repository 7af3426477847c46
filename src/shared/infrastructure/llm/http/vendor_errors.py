"""The one table from the vendor's exceptions to the domain's, and what is told of them.

A vendor's exception holds the request with its key and prompt, and the provider's own words: nothing of that goes on.
"""

from __future__ import annotations

import math
import re
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMCertificateError,
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
from src.shared.infrastructure.llm.http.response_bounds import RefusedError
from src.shared.infrastructure.llm.provider_errors import REDIRECTED, Endpoint, needs_extra

with needs_extra():
    import httpx2
    import openai

VENDOR_ERRORS: dict[str, type[LLMError]] = {
    "OpenAIError": LLMConfigurationError,  # raised as such by the client's own checks before a request
    "APIError": LLMServerError,  # as such: an error reported inside a stream
    "APIConnectionError": LLMConnectionError,
    "APITimeoutError": LLMTimeoutError,
    "APIResponseValidationError": LLMReplyError,
    "APIStatusError": LLMRequestError,  # as such: a status without a class of its own, such as 402 or 413
    "BadRequestError": LLMRequestError,
    "AuthenticationError": LLMAuthenticationError,
    "OAuthError": LLMAuthenticationError,
    "SubjectTokenProviderError": LLMAuthenticationError,
    "PermissionDeniedError": LLMAuthenticationError,
    "NotFoundError": LLMRequestError,
    "ConflictError": LLMRequestError,
    "UnprocessableEntityError": LLMRequestError,
    "RateLimitError": LLMRateLimitError,
    "InternalServerError": LLMServerError,
    "LengthFinishReasonError": LLMReplyError,
    "ContentFilterFinishReasonError": LLMContentRefusedError,
    "StreamAlreadyConsumed": LLMReplyError,
    "WebSocketConnectionClosedError": LLMConnectionError,
    "WebSocketQueueFullError": LLMConnectionError,
    "HTTPError": LLMConnectionError,  # of the client below, which a stream is read with
    "TimeoutException": LLMTimeoutError,
    "DecodingError": LLMReplyError,
}
"""By name, since not every version of the package has all of them; a subclass counts as its nearest base named here."""

_NEVER_REACHED = "ConnectTimeout"
_REDIRECTED_TOO_OFTEN = "TooManyRedirects"
_NO_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_PAYMENT_REQUIRED = 402
_MILLISECONDS = 1_000
_PLAIN_CODE = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def domain_error(error: openai.OpenAIError | httpx2.HTTPError, endpoint: Endpoint) -> LLMError:
    """Say in the domain's words what the vendor's exception says."""
    reason = type(error.__cause__ or error).__name__
    if refusal := refused(error, endpoint):
        return refusal
    if reason == _NEVER_REACHED:
        return endpoint.error(LLMConnectionError, reason=reason)
    kind = LLMQuotaError if _is_out_of_quota(error) else domain_type(type(error))
    facts: dict[str, Any] = {"error_code": error_code(getattr(error, "code", None))}
    if isinstance(error, openai.APIStatusError):
        facts |= {
            "status": error.status_code,
            "request_id": _plain(_PLAIN_ID, error.request_id),
            "retry_after": retry_after(error.response.headers),
        }
    else:
        facts["reason"] = reason
    if kind is LLMTimeoutError:
        facts["timeout"] = endpoint.timeout
    return endpoint.error(kind, **facts)


def error_code(value: object) -> str | None:
    """A provider's own code, if it is one and not a text."""
    return _plain(_PLAIN_CODE, value)


def refused(error: BaseException, endpoint: Endpoint) -> LLMError | None:
    """What our own side did not go on with: a response, a redirect, a certificate."""
    for cause in causes(error):
        if isinstance(cause, RefusedError):
            return endpoint.error(cause.kind, cause.problem, **cause.facts)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return endpoint.error(LLMCertificateError, reason=getattr(cause, "verify_message", None))
        if type(cause).__name__ == _REDIRECTED_TOO_OFTEN:
            return endpoint.error(LLMRequestError, REDIRECTED, reason=_REDIRECTED_TOO_OFTEN)
    return None


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_out_of_quota(error: Exception) -> bool:
    """Whether the account has nothing left: by OpenAI's codes, or by the status that DeepSeek and OpenRouter send."""
    said = (getattr(error, "code", None), getattr(error, "type", None))
    has_said_so = any(isinstance(word, str) and word in _NO_QUOTA for word in said)
    return has_said_so or getattr(error, "status_code", None) == _PAYMENT_REQUIRED


def domain_type(vendor: type[openai.OpenAIError | httpx2.HTTPError]) -> type[LLMError]:
    """Look the table up."""
    return next(VENDOR_ERRORS[base.__name__] for base in vendor.__mro__ if base.__name__ in VENDOR_ERRORS)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by the header `Retry-After`, a number or a date (RFC 9110, section 10.2.3); None without one.

    `retry-after-ms`, which OpenAI and Azure send beside it, is the more exact one, so it goes first. A date is counted
    from the response's own `Date`, so that no clock has to be right.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None and math.isfinite(milliseconds) and milliseconds >= 0:
        return milliseconds / _MILLISECONDS
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is None:
        until = _date(value)
        now = _date(headers.get("date", "")) or datetime.now(UTC)
        return max((until - now).total_seconds(), 0.0) if until else None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _date(value: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _plain(shape: re.Pattern[str], value: object) -> str | None:
    """A provider's identifier, if it is one and not a text."""
    return value if isinstance(value, str) and shape.fullmatch(value) else None
