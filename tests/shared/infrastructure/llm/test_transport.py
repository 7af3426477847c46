"""What is sent again, when, and what is told of it."""

import logging
import ssl

import anyio
import httpx2
import pytest
from structlog.testing import capture_logs

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
from src.shared.infrastructure.llm.provider_errors import Endpoint
from src.shared.infrastructure.llm.transport import JITTER, LASTING, LONGEST_WAIT, answer_in_time, seconds_to_wait
from tests.log_lines import standard_log, structlog_unconfigured
from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask

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


def test_every_error_is_sorted() -> None:
    assert {*AGAIN, *NEVER} == {*LLMError.__subclasses__(), *LASTING}


@pytest.mark.parametrize("kind", AGAIN)
@pytest.mark.parametrize(("attempt", "least"), [(1, 0.5), (2, 1.0), (3, 2.0), (9, LONGEST_WAIT)])
def test_transient_error_is_sent_again_at_growing_intervals(kind: type[LLMError], attempt: int, least: float) -> None:
    wait = seconds_to_wait(kind("x"), attempt, 30)

    assert wait is not None
    assert least <= wait <= min(least + JITTER, LONGEST_WAIT)


@pytest.mark.parametrize("kind", NEVER)
def test_lasting_error_is_not_sent_again(kind: type[LLMError]) -> None:
    assert seconds_to_wait(kind("x", {"retry_after": 1.0}), 1, 30) is None


@pytest.mark.parametrize(("seconds", "wait"), [(0.0, 0.0), (1.0, 1.0), (30.0, 30.0), (30.5, None)])
def test_provider_says_when_but_not_too_late(seconds: float, wait: float | None) -> None:
    assert seconds_to_wait(LLMServerError("x", {"retry_after": seconds}), 1, 30) == wait


@pytest.mark.anyio
@pytest.mark.parametrize("error", [ssl.SSLError("bad record"), anyio.EndOfStream(), httpx2.ReadError("gone")], ids=repr)
async def test_connection_that_breaks_below_the_client_is_a_connection_error(error: Exception) -> None:
    async def broken() -> None:
        raise error

    with pytest.raises(LLMConnectionError) as caught:
        await answer_in_time(broken(), Endpoint("http://127.0.0.1/v1", "m-1", 3.0))

    assert caught.value.details["reason"] == type(error).__name__
    assert caught.value.__context__ is None


async def retry_once(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([status(503, {"retry-after": "0.25"}), answer("好")])
    await ask(connect())


@pytest.mark.anyio
async def test_retry_is_one_warning_with_the_error_and_the_wait(
    chat_server: ChatServer, connect: LLMFactory, waits: list[float]
) -> None:
    with capture_logs() as logs:
        await retry_once(chat_server, connect)
    (log,) = logs
    assert "HTTP 503" in log.pop("error")
    assert log == {
        "event": "llm_retry_scheduled",
        "log_level": "warning",
        "code": "LLM_SERVER_ERROR",
        "retry_number": 1,
        "wait_for": 0.25,
    }
    assert waits == [0.25]


@pytest.mark.anyio
async def test_retry_goes_to_the_standard_logger_and_nothing_is_printed_where_structlog_is_not_configured(
    chat_server: ChatServer, connect: LLMFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    with structlog_unconfigured():
        await retry_once(chat_server, connect)
        assert capfd.readouterr() == ("", "")
        with standard_log(logging.WARNING) as records:
            await retry_once(chat_server, connect)
    assert [(record.name, vars(record)["event"]) for record in records] == [("llm_output", "llm_retry_scheduled")]
