"""The one table from the vendors' exceptions to the domain's, and what is told of them.

A vendor's exception holds the request with its key and prompt, and the provider's own words: nothing of that goes on.
Only a code, a number or an identifier does.
"""

from __future__ import annotations

import json
import math
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
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
from src.shared.infrastructure.llm.provider_errors import REDIRECTED, Endpoint, needs_extra
from src.shared.infrastructure.llm.response_bounds import RefusedError

with needs_extra():
    import httpx2

VENDOR_ERRORS: dict[str, type[LLMError]] = {
    "builtins.Exception": LLMReplyError,  # a vendor's own code stumbled over what came back
    "builtins.ConnectionError": LLMConnectionError,
    "builtins.TimeoutError": LLMTimeoutError,
    "ssl.SSLError": LLMConnectionError,
    "anyio.EndOfStream": LLMConnectionError,
    "httpx2.HTTPError": LLMConnectionError,
    "httpx2.HTTPStatusError": LLMRequestError,  # as such: a status that is not below
    "httpx2.TimeoutException": LLMTimeoutError,
    "httpx2.DecodingError": LLMReplyError,
    "httpx2.InvalidURL": LLMConfigurationError,
    "pydantic_ai.UserError": LLMConfigurationError,  # a mode or a setting that the model does not have
    "pydantic_ai.AgentRunError": LLMError,  # as such: of its agents, which are not used
    "pydantic_ai.UnexpectedModelBehavior": LLMReplyError,
    "pydantic_ai.ContentFilterError": LLMContentRefusedError,
    "pydantic_ai.ModelAPIError": LLMReplyError,  # as such: a body that cannot be decoded
    "pydantic_ai.ModelHTTPError": LLMRequestError,  # as such: a status without a category, such as 413
    "pydantic_ai.ModelRateLimitError": LLMRateLimitError,
    "pydantic_ai.ModelQuotaExceededError": LLMQuotaError,
    "pydantic_ai.ModelUnavailableError": LLMServerError,
    "pydantic_ai.ModelOverloadedError": LLMServerError,
    "pydantic_ai.ModelServerError": LLMServerError,
    "pydantic_ai.ModelConnectionError": LLMConnectionError,
    "pydantic_ai.ModelTimeoutError": LLMTimeoutError,
    "pydantic_ai.ModelRequestTimeout": LLMTimeoutError,
    "pydantic_ai.ModelRequestRejectedError": LLMRequestError,
    "pydantic_ai.ModelContextWindowExceededError": LLMRequestError,
    "pydantic_ai.ModelAuthenticationError": LLMAuthenticationError,
    "pydantic_ai.ModelNotFoundError": LLMRequestError,
    # of the providers' packages, where pydantic-ai lets them through
    "mistralai.NoResponseError": LLMConnectionError,
    "botocore.BotoCoreError": LLMConfigurationError,  # the client's own checks: no region, no such profile
    "botocore.NoCredentialsError": LLMAuthenticationError,
    "botocore.PartialCredentialsError": LLMAuthenticationError,
    "botocore.CredentialRetrievalError": LLMAuthenticationError,
    "botocore.TokenRetrievalError": LLMAuthenticationError,
    "botocore.ParamValidationError": LLMRequestError,
    "botocore.ConnectionError": LLMConnectionError,
}
"""By package and name, since not every version of a package has all of them; a subclass counts as its nearest base."""
STATUS_ERRORS: dict[int, type[LLMError]] = {
    HTTPStatus.UNAUTHORIZED: LLMAuthenticationError,
    HTTPStatus.PAYMENT_REQUIRED: LLMQuotaError,  # what DeepSeek and OpenRouter send
    HTTPStatus.FORBIDDEN: LLMAuthenticationError,
    HTTPStatus.TOO_MANY_REQUESTS: LLMRateLimitError,
}
"""What a status says, beside those from 500 on, which are the provider's failure."""

_HTTP = {"httpx2", "botocore"}
_NEVER_REACHED = "ConnectTimeout"
_NOT_SENT = {"pool", "connect"}
_REDIRECTED_TOO_OFTEN = "TooManyRedirects"
_NO_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""OpenAI's codes of an account that has nothing left."""
_MILLISECONDS = 1_000
_PLAIN_CODE = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REQUEST_IDS = ("request-id", "x-request-id", "x-amzn-requestid", "mistral-correlation-id")


def domain_error(error: Exception, endpoint: Endpoint) -> LLMError:
    """Say in the domain's words what a vendor's exception says."""
    if refusal := _refused(error, endpoint):
        return refusal
    kind, reason, codes = domain_type(type(error)), _reason(error), _codes(error)
    response = getattr(error, "response", error)  # pydantic-ai's exceptions have its status and headers themselves
    status, headers = getattr(response, "status_code", None), getattr(response, "headers", None) or {}
    if reason == _NEVER_REACHED or getattr(error, "phase", None) in _NOT_SENT:
        kind = LLMConnectionError
    elif _NO_QUOTA.intersection(codes):
        kind = LLMQuotaError
    elif kind is LLMRequestError and status is not None:
        kind = LLMServerError if status >= HTTPStatus.INTERNAL_SERVER_ERROR else STATUS_ERRORS.get(status, kind)
    waits = retry_after(headers)
    facts: dict[str, Any] = {"error_code": error_code(codes[0])}
    if status is None or httpx2.codes.is_success(status):
        facts["reason"] = reason
    else:
        facts |= {"status": status, "request_id": _request_id(headers)}
    facts["retry_after"] = getattr(error, "retry_after", None) if waits is None else waits
    if kind is LLMTimeoutError:
        facts["timeout"] = endpoint.timeout
    return endpoint.error(kind, **facts)


def domain_type(vendor: type[BaseException]) -> type[LLMError]:
    """Look the table up."""
    names = (f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in vendor.__mro__)
    return next(VENDOR_ERRORS[name] for name in names if name in VENDOR_ERRORS)


def _codes(error: Exception) -> list[str]:
    """The provider's own words for what went wrong: the code first, and its type."""
    if not isinstance(error, httpx2.HTTPStatusError):
        code = getattr(error, "provider_error_type", None) or getattr(error, "provider_error_code", None) or ""
        return [code.lower()]
    said: Any = None
    with suppress(ValueError, RecursionError):
        said = json.loads(error.response.content)
    report = said.get("error", said) if isinstance(said, dict) else None
    return [str(report.get(name)) if isinstance(report, dict) else "" for name in ("code", "type")]


def _request_id(headers: Mapping[str, str]) -> str | None:
    return next((headers[name] for name in _REQUEST_IDS if _plain(_PLAIN_ID, headers.get(name))), None)


def _reason(error: Exception) -> str:
    """The name of what broke: of the HTTP client's exception where there is one, since the packages wrap it."""
    of_http = (cause for cause in _causes(error) if type(cause).__module__.partition(".")[0] in _HTTP)
    return type(next(of_http, error.__cause__ or error)).__name__


def error_code(value: object) -> str | None:
    """A provider's own code, if it is one and not a text."""
    return _plain(_PLAIN_CODE, value)


def _refused(error: BaseException, endpoint: Endpoint) -> LLMError | None:
    """What our own side did not go on with: a response, a redirect, a certificate."""
    for cause in _causes(error):
        if isinstance(cause, RefusedError):
            return endpoint.error(cause.kind, cause.problem, **cause.facts)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return endpoint.error(LLMCertificateError, reason=getattr(cause, "verify_message", None))
        if type(cause).__name__ == _REDIRECTED_TOO_OFTEN:
            return endpoint.error(LLMRequestError, REDIRECTED, reason=_REDIRECTED_TOO_OFTEN)
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


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
