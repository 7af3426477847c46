"""Every error of the adapters to a model: what it says, which vendors' exceptions it stands for, and what they tell.

A message says what was wrong and what to do; then where it happened. A vendor's exception holds the request with its
key and prompt, and the provider's own words: nothing of that goes on. Only a code, a number or an identifier does.
"""

from __future__ import annotations

import json
import math
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, NamedTuple

from src.shared.domain import llm_errors as kinds
from src.shared.domain.language import Message, Phrase
from src.shared.domain.llm_errors import LLMConfigurationError, LLMConnectionError, LLMError, LLMRequestError
from src.shared.infrastructure.extras import needs_package

MAX_RESPONSE_BYTES = 8_388_608
"""Where the settings say nothing else."""


class ErrorRow(NamedTuple):
    """One error of the domain.

    Attributes:
        kind: the error.
        problem: what it says where nothing more exact is known.
        vendors: the exceptions that become it, by package and name, since not every version of a package has all of
            them; a subclass counts as its nearest base.
        statuses: the HTTP statuses that do, beside those from 500 on, which are the provider's failure.
    """

    kind: type[LLMError]
    problem: Message
    vendors: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()


ERRORS = (
    ErrorRow(
        LLMConnectionError,
        Phrase(
            "the provider was not reached, or the connection broke before the answer was whole: check the "
            "network and LLM_BASE_URL"
        ),
        (
            *("builtins.ConnectionError", "ssl.SSLError", "anyio.EndOfStream", "httpx2.HTTPError"),
            *("pydantic_ai.ModelConnectionError", "mistralai.NoResponseError", "botocore.ConnectionError"),
        ),
    ),
    ErrorRow(
        kinds.LLMCertificateError,
        Phrase(
            "the provider's certificate is not valid: check LLM_BASE_URL, and name your own certificate in "
            "SSL_CERT_FILE"
        ),
    ),
    ErrorRow(
        kinds.LLMTimeoutError,
        Phrase("no whole answer in time: try again or raise LLM_TIMEOUT"),
        (
            *("builtins.TimeoutError", "httpx2.TimeoutException"),
            *("pydantic_ai.ModelTimeoutError", "pydantic_ai.ModelRequestTimeout"),
        ),
    ),
    ErrorRow(
        kinds.LLMRateLimitError,
        Phrase("too many requests: try later, or set LLM_REQUESTS_PER_MINUTE and LLM_MAX_CONCURRENCY"),
        ("pydantic_ai.ModelRateLimitError",),
        (HTTPStatus.TOO_MANY_REQUESTS,),
    ),
    ErrorRow(
        kinds.LLMQuotaError,
        Phrase("the account's quota or credit is used up: check the account, trying again does not help"),
        ("pydantic_ai.ModelQuotaExceededError",),
        (HTTPStatus.PAYMENT_REQUIRED,),  # what DeepSeek and OpenRouter send
    ),
    ErrorRow(
        kinds.LLMServerError,
        Phrase("the provider failed: try later"),
        ("pydantic_ai.ModelUnavailableError", "pydantic_ai.ModelOverloadedError", "pydantic_ai.ModelServerError"),
    ),
    ErrorRow(
        kinds.LLMAuthenticationError,
        Phrase("the provider does not accept the key: check LLM_API_KEY, and that it may use the model"),
        (
            *("pydantic_ai.ModelAuthenticationError", "botocore.NoCredentialsError"),
            *("botocore.PartialCredentialsError", "botocore.CredentialRetrievalError", "botocore.TokenRetrievalError"),
        ),
        (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN),
    ),
    ErrorRow(
        LLMRequestError,
        Phrase(
            "the provider does not accept the request: check LLM_MODEL, LLM_BASE_URL, the prompt's length and the "
            "options"
        ),
        (
            *("httpx2.HTTPStatusError", "pydantic_ai.ModelHTTPError"),  # as such: of a status without a row
            *("pydantic_ai.ModelRequestRejectedError", "pydantic_ai.ModelContextWindowExceededError"),
            *("pydantic_ai.ModelNotFoundError", "botocore.ParamValidationError"),
        ),
    ),
    ErrorRow(
        kinds.LLMContentRefusedError,
        Phrase("the model, or a filter in front of it, declined to answer: change the prompt"),
        ("pydantic_ai.ContentFilterError",),
    ),
    ErrorRow(
        kinds.LLMReplyError,
        Phrase("what came back is no reply: check that LLM_BASE_URL is an OpenAI-compatible endpoint"),
        (
            "builtins.Exception",  # a vendor's own code stumbled over what came back
            *("httpx2.DecodingError", "pydantic_ai.UnexpectedModelBehavior"),
            "pydantic_ai.ModelAPIError",  # as such: a body that cannot be decoded
        ),
    ),
    ErrorRow(
        LLMConfigurationError,
        Phrase("the settings of the model are wrong"),
        (
            "httpx2.InvalidURL",
            "pydantic_ai.UserError",  # a mode or a setting that the model does not have
            "botocore.BotoCoreError",  # the client's own checks: no region, no such profile
        ),
    ),
    ErrorRow(
        LLMError,
        Phrase("the call of the model failed"),
        ("pydantic_ai.AgentRunError",),  # as such: of its agents, which are not used
    ),
)
PROBLEMS = {row.kind: row.problem for row in ERRORS}
VENDOR_ERRORS = {name: row.kind for row in ERRORS for name in row.vendors}
STATUS_ERRORS = {status: row.kind for row in ERRORS for status in row.statuses}

NOT_SENDABLE = Phrase(
    "the request cannot be written as JSON: check the prompt for lone surrogates, and the temperature"
)
NO_CHOICES = Phrase("the provider returned no choices: try again")
NO_TEXT = Phrase("the provider returned an answer without a text: try again")
SEVERAL_CALLS = Phrase(
    "the model called several functions where one is the answer: try again, or set LLM_STRUCTURED_OUTPUT=json_schema"
)
OTHER_CALL = Phrase(
    "the model called a function that was not asked for: try again, or set LLM_STRUCTURED_OUTPUT=json_schema"
)
NOT_EXTRA = Phrase("extra_body must not replace what the request itself is made of")
NOT_A_STREAM = Phrase("the provider did not answer with a stream: ask without one (LLM_STREAM=false)")
NOT_THE_API = Phrase("what came back is not this provider's API: check LLM_PROVIDER and LLM_BASE_URL")
OPTION_NOT_TAKEN = Phrase(
    "the provider or the model does not take this option, so nothing was sent: leave it out, or use another model"
)
MODE_NOT_TAKEN = Phrase("the provider or the model does not have this structured mode: change LLM_STRUCTURED_OUTPUT")
NOT_AN_OBJECT = Phrase(
    "the provider can be held to an object only: wrap the type in one, or set LLM_STRUCTURED_OUTPUT=prompt"
)
SETTING_UNUSED = Phrase("this variable is of no use with the provider that is set: leave it out")
CLIENT_REFUSED = Phrase(
    "the provider's client refused the request or the settings before sending: check "
    "LLM_STRUCTURED_OUTPUT, LLM_MODEL and the options"
)
TOO_LARGE = Phrase(
    "the provider sent more than the bound, and the rest was not read: raise LLM_MAX_RESPONSE_BYTES if that is right"
)
EVENT_TOO_LARGE = Phrase(
    "one event of the stream is larger than the bound, and the rest was not read: ask without it (LLM_STREAM=false)"
)
TOO_MANY_VALUES = Phrase(
    "what came back holds more values than a reply does: check that LLM_BASE_URL is an OpenAI-compatible endpoint"
)
NOT_UNPACKED = Phrase("what came back cannot be decompressed: check the proxy in front of the provider")
REDIRECTED = Phrase(
    "the provider redirects to another address, and the prompt was not sent there: "
    "if the address is right, set LLM_BASE_URL to it"
)
CLOSED = Phrase("this model's connections were closed: make a new one")
UNUSABLE_ENVIRONMENT = Phrase(
    "the environment's proxies or certificates cannot be used: check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, "
    "SSL_CERT_FILE and SSL_CERT_DIR"
)

_NATIVE_PROBLEMS = PROBLEMS | {kinds.LLMReplyError: NOT_THE_API, LLMConfigurationError: CLIENT_REFUSED}
"""The same of a provider's own API, where the general message would speak of another one."""


def schema_not_strict(path: str, reason: Message) -> Message:
    """The problem of a type that a provider cannot be held to in the mode that is set."""
    return Phrase(
        "a provider cannot be held to this type in the mode that is set: {path}: {reason}; "
        "or set LLM_STRUCTURED_OUTPUT=prompt",
        path=path,
        reason=reason,
    )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a call goes, for error messages.

    Attributes:
        provider: the base URL; it has neither credentials nor a query.
        model: the model asked for.
        timeout: seconds allowed for one request.
        max_bytes: of a response, more of which is not read.
        is_native: whether it is a provider's own API.
    """

    provider: str
    model: str
    timeout: float
    max_bytes: int = MAX_RESPONSE_BYTES
    is_native: bool = False

    def error(self, kind: type[LLMError], problem: Message | None = None, **facts: Any) -> LLMError:  # noqa: ANN401 - facts of any JSON type
        """An error of a call to here; facts that are None are left out."""
        said = problem or (_NATIVE_PROBLEMS if self.is_native else PROBLEMS)[kind]
        known = {name: value for name, value in facts.items() if value is not None}
        shown = [f"HTTP {known['status']}"] if "status" in known else []
        shown += [str(known[name]) for name in ("error_code", "reason") if name in known]
        where = [self.provider, Phrase("model {model}", model=self.model), *shown]
        message = Phrase("{said} ({where})", said=said, where=Phrase.joined("clauses|{one}, {other}", where))
        return kind(message.text(), {"provider": self.provider, "model": self.model, **known})


def configuration_error(problem: Message, **facts: Any) -> LLMConfigurationError:  # noqa: ANN401 - as above
    """Settings or recordings are missing or wrong."""
    return LLMConfigurationError(problem.text(), facts)


def needs_extra(extra: str = "llm") -> AbstractContextManager[None]:
    """Around the imports of vendors' packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        LLMConfigurationError: one of them is not installed.
    """
    return needs_package(extra, lambda message, details: configuration_error(message, **details))


_HTTP = {"httpx2", "botocore"}
_NO_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""OpenAI's codes of an account that has nothing left."""
_PLAIN_CODE = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REQUEST_IDS = ("request-id", "x-request-id", "x-amzn-requestid", "mistral-correlation-id")


def domain_error(error: Exception, endpoint: Endpoint) -> LLMError:
    """Say in the domain's words what a vendor's exception says."""
    causes = list(_causes(error))
    for cause in causes:  # what our own side did not go on with: a response, a certificate, a redirect
        if refusal := getattr(cause, "refusal", None):
            error_type, problem, told = refusal
            return endpoint.error(error_type, problem, **told)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return endpoint.error(kinds.LLMCertificateError, reason=getattr(cause, "verify_message", None))
        if type(cause).__name__ == "TooManyRedirects":
            return endpoint.error(LLMRequestError, REDIRECTED, reason="TooManyRedirects")
    of_http = (cause for cause in causes if type(cause).__module__.partition(".")[0] in _HTTP)
    reason = type(next(of_http, error.__cause__ or error)).__name__  # the packages wrap the HTTP client's exception
    kind, codes = domain_type(type(error)), _codes(error)
    response = getattr(error, "response", error)  # pydantic-ai's exceptions have its status and headers themselves
    status, headers = getattr(response, "status_code", None), getattr(response, "headers", None) or {}
    if reason == "ConnectTimeout" or getattr(error, "phase", None) in {"pool", "connect"}:
        kind = LLMConnectionError  # nothing was sent
    elif _NO_QUOTA.intersection(codes):
        kind = kinds.LLMQuotaError
    elif kind is LLMRequestError and status is not None:
        is_failure = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        kind = kinds.LLMServerError if is_failure else STATUS_ERRORS.get(status, kind)
    waits = retry_after(headers)
    facts: dict[str, Any] = {"error_code": error_code(codes[0])}
    if status is None or HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        facts["reason"] = reason
    else:
        ids = (headers[name] for name in _REQUEST_IDS if _plain(_PLAIN_ID, headers.get(name)))
        facts |= {"status": status, "request_id": next(ids, None)}
    facts["retry_after"] = getattr(error, "retry_after", None) if waits is None else waits
    if kind is kinds.LLMTimeoutError:
        facts["timeout"] = endpoint.timeout
    return endpoint.error(kind, **facts)


def domain_type(vendor: type[BaseException]) -> type[LLMError]:
    """The error that a vendor's exception becomes where nothing but its type is known."""
    names = (f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in vendor.__mro__)
    return next(VENDOR_ERRORS[name] for name in names if name in VENDOR_ERRORS)


def error_code(value: object) -> str | None:
    """A provider's own code, if it is one and not a text."""
    return _plain(_PLAIN_CODE, value)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _codes(error: Exception) -> list[str]:
    """The provider's own words for what went wrong: the code first, and its type."""
    body = getattr(getattr(error, "response", None), "content", None)
    if body is None:
        code = getattr(error, "provider_error_type", None) or getattr(error, "provider_error_code", None) or ""
        return [code.lower()]
    decoded: Any = None
    with suppress(ValueError, RecursionError):
        decoded = json.loads(body)
    report = decoded.get("error", decoded) if isinstance(decoded, dict) else None
    return [str(report.get(name)) if isinstance(report, dict) else "" for name in ("code", "type")]


def _plain(shape: re.Pattern[str], value: object) -> str | None:
    """A provider's identifier, if it is one and not a text."""
    return value if isinstance(value, str) and shape.fullmatch(value) else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by the header `Retry-After`, a number or a date (RFC 9110, section 10.2.3); None without one.

    `retry-after-ms`, which OpenAI and Azure send beside it, is the more exact one, so it goes first. A date is counted
    from the response's own `Date`, so that no clock has to be right.
    """
    for name, unit in (("retry-after-ms", 1_000), ("retry-after", 1)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / unit
            if math.isfinite(seconds) and seconds >= 0:
                return seconds
    until, now = _date(headers.get("retry-after", "")), _date(headers.get("date", ""))
    return max((until - (now or datetime.now(UTC))).total_seconds(), 0.0) if until else None


def _date(value: str) -> datetime | None:
    with suppress(ValueError, OverflowError):
        parsed = parsedate_to_datetime(value.strip())
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return None
