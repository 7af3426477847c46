"""Every exception of the vendors' packages is one of the domain's."""

import importlib
import inspect
import json
import pkgutil
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anthropic
import anyio
import botocore.exceptions  # type: ignore[import-untyped]
import google.genai.errors
import httpx2
import mistralai.client.errors
import pydantic_ai.exceptions
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelConnectionError, ModelTimeoutError

from src.shared.domain.llm_errors import (
    LLMBudgetError,
    LLMConnectionError,
    LLMError,
    LLMReplyError,
    LLMTimeoutError,
)
from src.shared.infrastructure.llm.provider_errors import (
    PROBLEMS,
    VENDOR_ERRORS,
    Endpoint,
    domain_error,
    domain_type,
    retry_after,
)

ENDPOINT = Endpoint("http://127.0.0.1/v1", "m-1", 3.0)


def named(kind: type[BaseException]) -> str:
    """As the table names it."""
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"


def subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def exceptions_of(module: object) -> Iterator[type[Exception]]:
    for _, found in inspect.getmembers(module, inspect.isclass):
        if issubclass(found, Exception) and not issubclass(found, Warning):
            yield found


def vendor_exceptions() -> list[type[Exception]]:
    of_mistral = pkgutil.iter_modules(mistralai.client.errors.__path__, "mistralai.client.errors.")
    modules = [importlib.import_module(found.name) for found in of_mistral]
    modules += [pydantic_ai.exceptions, anthropic, google.genai.errors, botocore.exceptions, httpx2]
    found: set[type[Exception]] = {kind for module in modules for kind in exceptions_of(module)}
    found |= {httpx2.HTTPError, *subclasses(httpx2.HTTPError), ssl.SSLError, anyio.EndOfStream}
    return sorted(found, key=named)


VENDORS = vendor_exceptions()
OF_REQUESTS = [kind for kind in VENDORS if issubclass(kind, ModelAPIError) and not kind.__name__.startswith("_")]


@pytest.mark.parametrize("kind", OF_REQUESTS, ids=named)
def test_exception_of_a_request_has_a_row_of_its_own(kind: type[Exception]) -> None:
    assert named(kind) in VENDOR_ERRORS


@pytest.mark.parametrize("kind", VENDORS, ids=named)
def test_exception_of_a_vendor_becomes_one_of_the_domain(kind: type[Exception]) -> None:
    assert issubclass(domain_type(kind), LLMError)


def test_no_request_ends_in_the_error_that_says_nothing() -> None:
    assert len(VENDORS) > 100
    vague = {kind for kind in VENDORS if domain_type(kind) is LLMError}

    assert {kind for kind in vague if not issubclass(kind, AgentRunError)} == set()
    assert not {kind for kind in vague if issubclass(kind, ModelAPIError)}


@pytest.mark.parametrize("name", VENDOR_ERRORS)
def test_row_names_an_exception_that_exists(name: str) -> None:
    assert name in {named(kind) for kind in [*VENDORS, Exception, ConnectionError, TimeoutError]}


@pytest.mark.parametrize("base", [httpx2.NetworkError, ModelConnectionError])
def test_subclass_unknown_to_the_table_counts_as_its_base(base: type[Exception]) -> None:
    assert domain_type(type("NewerError", (base,), {})) is LLMConnectionError


OF_ADAPTERS = [kind for kind in (LLMError, *LLMError.__subclasses__()) if kind is not LLMBudgetError]
"""A budget is held by who asks; no adapter raises its error."""


@pytest.mark.parametrize("kind", OF_ADAPTERS)
def test_error_of_the_domain_has_a_message(kind: type[LLMError]) -> None:
    assert kind in PROBLEMS


def test_connection_that_is_never_established_is_no_timeout_of_an_answer() -> None:
    assert type(domain_error(httpx2.ConnectTimeout("sk-secret"), ENDPOINT)) is LLMConnectionError


def refused(status: int, body: object = None, **headers: str) -> LLMError:
    """What a response of this status becomes."""
    request = httpx2.Request("POST", "http://127.0.0.1/v1")
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = httpx2.Response(status, content=content, headers=headers, request=request)
    with pytest.raises(httpx2.HTTPStatusError) as caught:
        response.raise_for_status()
    return domain_error(caught.value, ENDPOINT)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"code": "context_length_exceeded", "type": "invalid_request_error"}}, "context_length_exceeded"),
        ({"error": {"code": 1301}}, "1301"),
        ({"code": "no_such_model"}, "no_such_model"),
        ({"error": {"code": "sk-secret"}}, None),
        ({"error": {"code": ["a"]}}, None),
        ({"error": "a text"}, None),
        (["a"], None),
        (b"<html>", None),
        (b"\xff\xfe{", None),
        (b"[" * 100_000, None),
        (b"", None),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_code_in_the_body_of_an_error_is_told(body: object, code: str | None) -> None:
    assert refused(400, body).details.get("error_code") == code


@pytest.mark.parametrize(
    ("phase", "kind"),
    [("connect", LLMConnectionError), ("pool", LLMConnectionError), ("read", LLMTimeoutError), (None, LLMTimeoutError)],
)
def test_phase_says_whether_a_connection_was_established(phase: object, kind: type[LLMError]) -> None:
    error = ModelTimeoutError("m", "too long", phase=phase)  # type: ignore[arg-type]  # one of its literals

    assert type(domain_error(error, ENDPOINT)) is kind


def test_timeout_of_an_answer_says_how_long() -> None:
    for vendor in (httpx2.ReadTimeout("too long"), ModelTimeoutError("m", "too long")):
        error = domain_error(vendor, ENDPOINT)

        assert (type(error), error.details["timeout"]) == (LLMTimeoutError, 3.0)


def test_reason_is_that_of_the_http_client() -> None:
    error = ModelConnectionError("m", "sk-secret")
    error.__cause__ = RuntimeError("sk-secret")
    error.__cause__.__cause__ = httpx2.ReadError("sk-secret")

    told = domain_error(error, ENDPOINT)

    assert told.details["reason"] == "ReadError"
    assert "sk-secret" not in repr(vars(told))


@pytest.mark.parametrize("code", ["sk-live-key", "x" * 65, "two words", "", None])
def test_code_that_is_no_code_is_not_told(code: str | None) -> None:
    told = domain_error(ModelAPIError("m", "text", provider_error_code=code), ENDPOINT)

    assert "error_code" not in told.details
    assert type(told) is LLMReplyError


@pytest.mark.parametrize(("is_native", "advice"), [(False, "OpenAI-compatible"), (True, "LLM_PROVIDER")])
def test_advice_is_of_the_api_that_is_spoken(*, is_native: bool, advice: str) -> None:
    endpoint = Endpoint("http://127.0.0.1", "m-1", 3.0, is_native=is_native)

    assert advice in domain_error(ModelAPIError("m", "text"), endpoint).message


NOW = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 1.5 ", 1.5),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0),
        ("Wed, 01 Jan 2025 00:00:30 -0000", 30),
        ("-1", None),
        ("nan", None),
        ("1e999", None),
        ("soon", None),
        ("", None),
        ("Wed, 01 Jan 99999 00:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value, "date": format_datetime(NOW, usegmt=True)}) == seconds


@pytest.mark.parametrize(
    ("milliseconds", "seconds"),
    [("250", 0.25), (" 1500.5 ", 1.5005), ("0", 0), ("-1", 7), ("nan", 7), ("soon", 7), ("", 7)],
)
def test_milliseconds_go_before_seconds(milliseconds: str, seconds: float) -> None:
    assert retry_after({"retry-after-ms": milliseconds, "retry-after": "7"}) == seconds


def test_date_is_counted_from_now_where_the_response_has_none() -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)

    assert 3500 < (retry_after({"retry-after": in_an_hour}) or 0) <= 3600


def test_without_the_header_there_is_no_wait() -> None:
    assert retry_after({}) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_header_is_a_wait_or_none(value: str, date: str) -> None:
    seconds = retry_after({"retry-after": value, "date": date})

    assert seconds is None or seconds >= 0
