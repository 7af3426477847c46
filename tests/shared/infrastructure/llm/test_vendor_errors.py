"""Every exception of the vendor's package is one of the domain's."""

import importlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.llm_errors import (
    LLMBudgetError,
    LLMConfigurationError,
    LLMConnectionError,
    LLMError,
    LLMTimeoutError,
)
from src.shared.infrastructure.llm.http.vendor_errors import (
    VENDOR_ERRORS,
    domain_error,
    domain_type,
    retry_after,
)
from src.shared.infrastructure.llm.provider_errors import PROBLEMS, Endpoint

ENDPOINT = Endpoint("http://127.0.0.1/v1", "m-1", 3.0)


def subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def vendor_exceptions() -> list[type[openai.OpenAIError]]:
    for name in ("_exceptions", "_response", "_client", "lib.azure", "lib.streaming", "_extras._common"):
        importlib.import_module(f"openai.{name}")
    found = {openai.OpenAIError, *subclasses(openai.OpenAIError), httpx2.HTTPError, *subclasses(httpx2.HTTPError)}
    return sorted(found, key=lambda kind: kind.__name__)  # type: ignore[arg-type]  # subclasses of it, all of them


PUBLIC = [kind for kind in vendor_exceptions() if kind.__name__ in openai.__all__]


def test_there_are_exceptions_to_map() -> None:
    assert len(PUBLIC) > 15


@pytest.mark.parametrize("kind", PUBLIC)
def test_public_exception_has_a_row_of_its_own(kind: type[openai.OpenAIError]) -> None:
    assert kind.__name__ in VENDOR_ERRORS


@pytest.mark.parametrize("kind", vendor_exceptions())
def test_exception_of_the_vendor_becomes_one_of_the_domain(kind: type[openai.OpenAIError]) -> None:
    assert issubclass(domain_type(kind), LLMError)


@pytest.mark.parametrize("name", VENDOR_ERRORS)
def test_row_names_an_exception_that_exists(name: str) -> None:
    assert name in {kind.__name__ for kind in vendor_exceptions()}


def test_subclass_unknown_to_the_table_counts_as_its_base() -> None:
    class Newer(openai.APIConnectionError):
        pass

    assert domain_type(Newer) is LLMConnectionError


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


def test_timeout_of_an_answer_says_how_long() -> None:
    error = domain_error(_timeout(), ENDPOINT)

    assert (type(error), error.details["timeout"]) == (LLMTimeoutError, 3.0)


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
