"""A request that is sent again is one line of the library's log, and nothing on standard output."""

import logging
from collections.abc import Iterator

import pytest
import stamina
from stamina.instrumentation import RetryDetails, set_on_retry_hooks
from structlog.testing import capture_logs

from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.events.library_log import EXCERPT_VARIABLE
from src.shared.infrastructure.llm.http.retry_log import take_over_retries
from tests.log_lines import standard_log, structlog_unconfigured
from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _default_hooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(EXCERPT_VARIABLE, raising=False)
    set_on_retry_hooks(None)
    yield
    set_on_retry_hooks(None)


async def retry_once(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([status(503), answer("好")])
    await ask(connect())


async def test_nothing_is_printed_where_nothing_is_configured(
    chat_server: ChatServer, connect: LLMFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    with structlog_unconfigured():
        await retry_once(chat_server, connect)
    assert capfd.readouterr() == ("", "")


async def test_retry_is_one_warning_with_the_error_and_the_wait(chat_server: ChatServer, connect: LLMFactory) -> None:
    with capture_logs() as logs:
        await retry_once(chat_server, connect)
    (log,) = logs
    assert "HTTP 503" in log.pop("error")
    assert log == {
        "event": "llm_retry_scheduled",
        "log_level": "warning",
        "code": "LLM_SERVER_ERROR",
        "retry_number": 1,
        "wait_for": 0.0,
    }


async def test_retry_goes_to_the_standard_logger_like_every_other_line(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    with standard_log(logging.WARNING) as records:
        await retry_once(chat_server, connect)
    assert [(record.name, vars(record)["event"]) for record in records] == [("llm_output", "llm_retry_scheduled")]


async def test_second_client_adds_no_second_line(chat_server: ChatServer, connect: LLMFactory) -> None:
    with capture_logs() as logs:
        await retry_once(chat_server, connect)
        await retry_once(chat_server, connect)
    assert [log["event"] for log in logs] == ["llm_retry_scheduled"] * 2


async def test_hooks_of_the_application_are_told_as_ever(chat_server: ChatServer, connect: LLMFactory) -> None:
    told: list[int] = []

    def tell(details: RetryDetails) -> None:
        told.append(details.retry_num)

    set_on_retry_hooks([tell])
    await retry_once(chat_server, connect)
    assert told == [1]


async def test_retries_of_other_code_are_logged_as_stamina_logs_them(
    chat_server: ChatServer, connect: LLMFactory
) -> None:
    attempts = iter([OSError("down"), None])

    @stamina.retry(on=OSError)
    def other_code() -> None:
        if error := next(attempts):
            raise error

    with capture_logs() as logs:
        await retry_once(chat_server, connect)
        other_code()
    assert [log["event"] for log in logs] == ["llm_retry_scheduled", "stamina.retry_scheduled"]


def test_second_module_is_taken_over_beside_the_first() -> None:
    outcomes = iter([AppException("down"), None])
    take_over_retries("another.module")
    take_over_retries(__name__)

    @stamina.retry(on=AppException, wait_initial=0, wait_jitter=0)
    def fetch() -> None:
        if error := next(outcomes):
            raise error

    with capture_logs() as logs:
        fetch()
    assert [log["event"] for log in logs] == ["llm_retry_scheduled"]
