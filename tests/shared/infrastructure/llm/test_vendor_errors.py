"""Every exception of the vendors' packages is one of the domain's."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anthropic
import botocore.exceptions  # type: ignore[import-untyped]
import google.genai.errors
import httpx2
import mistralai.client.errors
import openai
import pydantic_ai.exceptions
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelConnectionError, ModelTimeoutError

from src.shared.domain.llm_errors import (
    LLMBudgetError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMError,
    LLMReplyError,
    LLMTimeoutError,
)
from src.shared.infrastructure.llm.http.vendor_errors import VENDOR_ERRORS, domain_error, domain_type, retry_after
from src.shared.infrastructure.llm.provider_errors import PROBLEMS, Endpoint

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
    for name in ("_exceptions", "_response", "_client", "lib.azure", "lib.streaming", "_extras._common"):
        importlib.import_module(f"openai.{name}")
    of_mistral = pkgutil.iter_modules(mistralai.client.errors.__path__, "mistralai.client.errors.")
    modules = [importlib.import_module(found.name) for found in of_mistral]
    modules += [pydantic_ai.exceptions, anthropic, google.genai.errors, botocore.exceptions, httpx2]
    found: set[type[Exception]] = {kind for module in modules for kind in exceptions_of(module)}
    for root in (openai.OpenAIError, httpx2.HTTPError):
        found |= {root, *subclasses(root)}
    return sorted(found, key=named)


VENDORS = vendor_exceptions()
OF_REQUESTS = [kind for kind in VENDORS if issubclass(kind, ModelAPIError) and not kind.__name__.startswith("_")]
PUBLIC = [kind for kind in VENDORS if issubclass(kind, openai.OpenAIError) and kind.__name__ in openai.__all__]


def test_there_are_exceptions_to_map() -> None:
    assert (len(VENDORS) > 100, len(PUBLIC) > 15) == (True, True)


@pytest.mark.parametrize("kind", [*PUBLIC, *OF_REQUESTS], ids=named)
def test_exception_of_a_request_has_a_row_of_its_own(kind: type[Exception]) -> None:
    assert named(kind) in VENDOR_ERRORS


@pytest.mark.parametrize("kind", VENDORS, ids=named)
def test_exception_of_a_vendor_becomes_one_of_the_domain(kind: type[Exception]) -> None:
    assert issubclass(domain_type(kind), LLMError)


def test_no_request_ends_in_the_error_that_says_nothing() -> None:
    vague = {kind for kind in VENDORS if domain_type(kind) is LLMError}

    assert {kind for kind in vague if not issubclass(kind, AgentRunError)} == set()
    assert not {kind for kind in vague if issubclass(kind, ModelAPIError)}


@pytest.mark.parametrize("name", VENDOR_ERRORS)
def test_row_names_an_exception_that_exists(name: str) -> None:
    assert name in {named(kind) for kind in [*VENDORS, Exception, ConnectionError, TimeoutError]}


@pytest.mark.parametrize("base", [openai.APIConnectionError, ModelConnectionError])
def test_subclass_unknown_to_the_table_counts_as_its_base(base: type[Exception]) -> None:
    assert domain_type(type("NewerError", (base,), {})) is LLMConnectionError


OF_ADAPTERS = [kind for kind in (LLMError, *LLMError.__subclasses__()) if kind is not LLMBudgetError]
"""A budget is held by who asks; no adapter raises its error."""


@pytest.mark.parametrize("kind", OF_ADAPTERS)
def test_error_of_the_domain_has_a_message(kind: type[LLMError]) -> None:
    assert kind in PROBLEMS


def test_connection_that_is_never_established_is_no_timeout_of_an_answer() -> None:
    class ConnectTimeout(Exception):  # noqa: N818 - the vendor's name
        pass

    error = _timeout()
    error.__cause__ = ConnectTimeout()

    assert type(domain_error(error, ENDPOINT)) is LLMConnectionError


@pytest.mark.parametrize(
    ("phase", "kind"),
    [("connect", LLMConnectionError), ("pool", LLMConnectionError), ("read", LLMTimeoutError), (None, LLMTimeoutError)],
)
def test_phase_says_whether_a_connection_was_established(phase: object, kind: type[LLMError]) -> None:
    error = ModelTimeoutError("m", "too long", phase=phase)  # type: ignore[arg-type]  # one of its literals

    assert type(domain_error(error, ENDPOINT)) is kind


def test_timeout_of_an_answer_says_how_long() -> None:
    for vendor in (_timeout(), ModelTimeoutError("m", "too long")):
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


def test_refusal_of_the_client_itself_is_a_configuration_error() -> None:
    assert type(domain_error(openai.OpenAIError("sk-secret"), ENDPOINT)) is LLMConfigurationError


def _timeout() -> openai.APITimeoutError:
    return openai.APITimeoutError(request=None)  # type: ignore[arg-type]  # never looked at


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
