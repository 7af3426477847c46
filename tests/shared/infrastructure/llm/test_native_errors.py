"""Every exception of the packages behind the native APIs is one of the domain's."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import anthropic
import botocore.exceptions  # type: ignore[import-untyped]
import google.genai.errors
import httpx2
import mistralai.client.errors
import pydantic_ai.exceptions
import pytest
from pydantic_ai.exceptions import AgentRunError, ModelConnectionError, ModelTimeoutError

from src.shared.domain.llm_errors import LLMConnectionError, LLMError, LLMReplyError, LLMTimeoutError
from src.shared.infrastructure.llm.native.native_llm import NATIVE_ERRORS, domain_error, domain_type
from src.shared.infrastructure.llm.provider_errors import Endpoint

ENDPOINT = Endpoint("http://127.0.0.1", "m-1", 3.0)
OF_AGENTS = (pydantic_ai.exceptions.UsageLimitExceeded, pydantic_ai.exceptions.RunCancelled)
"""What only its agents raise, which are not used."""


def exceptions_of(module: object) -> Iterator[type[Exception]]:
    for _, found in inspect.getmembers(module, inspect.isclass):
        if issubclass(found, Exception) and not issubclass(found, Warning):
            yield found


def vendor_exceptions() -> list[type[Exception]]:
    of_mistral = pkgutil.iter_modules(mistralai.client.errors.__path__, "mistralai.client.errors.")
    modules = [importlib.import_module(found.name) for found in of_mistral]
    modules += [pydantic_ai.exceptions, anthropic, google.genai.errors, botocore.exceptions, httpx2]
    return sorted({kind for module in modules for kind in exceptions_of(module)}, key=lambda kind: kind.__name__)


OF_REQUESTS = [kind for kind in vendor_exceptions() if issubclass(kind, pydantic_ai.exceptions.ModelAPIError)]


def test_there_are_exceptions_to_map() -> None:
    assert len(vendor_exceptions()) > 100


@pytest.mark.parametrize("kind", vendor_exceptions(), ids=lambda kind: kind.__name__)
def test_exception_of_a_package_becomes_one_of_the_domain(kind: type[Exception]) -> None:
    assert issubclass(domain_type(kind), LLMError)


@pytest.mark.parametrize("kind", OF_REQUESTS, ids=lambda kind: kind.__name__)
def test_exception_of_a_request_has_a_row_of_its_own(kind: type[Exception]) -> None:
    assert kind.__name__ in NATIVE_ERRORS or kind.__name__.startswith("_")


def test_no_request_ends_in_the_error_that_says_nothing() -> None:
    vague = {kind for kind in vendor_exceptions() if domain_type(kind) is LLMError}

    assert {kind for kind in vague if not issubclass(kind, AgentRunError)} == set()
    assert not {kind for kind in vague if issubclass(kind, pydantic_ai.exceptions.ModelAPIError)}


@pytest.mark.parametrize("name", NATIVE_ERRORS)
def test_row_names_an_exception_that_exists(name: str) -> None:
    builtin = {"ConnectionError", "TimeoutError", "Exception"}
    assert name in {kind.__name__ for kind in vendor_exceptions()} | builtin


def test_subclass_unknown_to_the_table_counts_as_its_base() -> None:
    class NewerError(ModelConnectionError):
        pass

    assert domain_type(NewerError) is LLMConnectionError


@pytest.mark.parametrize(
    ("phase", "kind"),
    [("connect", LLMConnectionError), ("pool", LLMConnectionError), ("read", LLMTimeoutError), (None, LLMTimeoutError)],
)
def test_connection_that_is_never_established_is_no_timeout_of_an_answer(phase: object, kind: type[LLMError]) -> None:
    error = ModelTimeoutError("m", "too long", phase=phase)  # type: ignore[arg-type]  # one of its literals

    assert type(domain_error(error, ENDPOINT)) is kind


def test_timeout_of_an_answer_says_how_long() -> None:
    assert domain_error(ModelTimeoutError("m", "too long"), ENDPOINT).details["timeout"] == 3.0


def test_reason_is_that_of_the_http_client() -> None:
    error = ModelConnectionError("m", "sk-secret")
    error.__cause__ = RuntimeError("sk-secret")
    error.__cause__.__cause__ = httpx2.ReadError("sk-secret")

    told = domain_error(error, ENDPOINT)

    assert told.details["reason"] == "ReadError"
    assert "sk-secret" not in repr(vars(told))


@pytest.mark.parametrize("code", ["sk-live-key", "x" * 65, "two words", "", None])
def test_code_that_is_no_code_is_not_told(code: str | None) -> None:
    error = pydantic_ai.exceptions.ModelAPIError("m", "text", provider_error_code=code)

    told = domain_error(error, ENDPOINT)

    assert "error_code" not in told.details
    assert type(told) is LLMReplyError
