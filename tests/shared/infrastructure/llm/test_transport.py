"""What is sent again, and when."""

import ssl

import anyio
import httpx2
import pytest

from src.shared.domain.llm_errors import (
    LLMAuthenticationError,
    LLMBudgetError,
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
from src.shared.infrastructure.llm.http.transport import LASTING, Deadline, Retry
from src.shared.infrastructure.llm.provider_errors import Endpoint
from src.shared.infrastructure.llm.settings import LLMSettings

AGAIN = [LLMConnectionError, LLMRateLimitError, LLMServerError]
NEVER = [
    LLMAuthenticationError,
    LLMBudgetError,
    LLMCertificateError,
    LLMConfigurationError,
    LLMContentRefusedError,
    LLMQuotaError,
    LLMReplyError,
    LLMRequestError,
    LLMTimeoutError,
]


@pytest.fixture
def retries() -> Retry:
    return Retry(LLMSettings(base_url="http://127.0.0.1/v1", model="m-1", max_retry_after=30))


def test_every_error_is_sorted() -> None:
    assert {*AGAIN, *NEVER} == {*LLMError.__subclasses__(), *LASTING}


@pytest.mark.parametrize("kind", AGAIN)
def test_transient_error_is_sent_again_at_growing_intervals(retries: Retry, kind: type[LLMError]) -> None:
    assert retries.wait(kind("x")) is True


@pytest.mark.parametrize("kind", NEVER)
def test_lasting_error_is_not_sent_again(retries: Retry, kind: type[LLMError]) -> None:
    assert retries.wait(kind("x", {"retry_after": 1.0})) is False


def test_error_of_ours_is_not_sent_again(retries: Retry) -> None:
    assert retries.wait(ValueError("x")) is False


@pytest.mark.parametrize("seconds", [0.0, 1.0, 30.0])
def test_provider_says_when(retries: Retry, seconds: float) -> None:
    wait = retries.wait(LLMServerError("x", {"retry_after": seconds}))

    assert (wait, type(wait)) == (seconds, float)


def test_provider_that_says_too_late_is_not_asked_again(retries: Retry) -> None:
    assert retries.wait(LLMRateLimitError("x", {"retry_after": 30.5})) is False


@pytest.mark.anyio
@pytest.mark.parametrize("error", [ssl.SSLError("bad record"), anyio.EndOfStream(), httpx2.ReadError("gone")], ids=repr)
async def test_connection_that_breaks_below_the_client_is_a_connection_error(error: Exception) -> None:
    async def broken() -> None:
        raise error

    with pytest.raises(LLMConnectionError) as caught:
        await Deadline(Endpoint("http://127.0.0.1/v1", "m-1", 3.0)).wait_for(broken(), LLMReplyError)

    assert caught.value.details["reason"] == type(error).__name__
    assert caught.value.__context__ is None
