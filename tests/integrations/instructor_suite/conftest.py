"""These tests run in the environment of instructor: `tests/integrations/test_instructor.py` starts them there."""

from collections.abc import Iterator

import pytest

from src.shared.domain.language import VARIABLE
from tests.integrations.instructor_suite.clients import openai_client
from tests.loopback.guard import only_loopback
from tests.loopback.server import ChatServer


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _only_loopback() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, only_loopback():
        patch.delenv(VARIABLE, raising=False)  # messages are compared in the default language
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        yield


@pytest.fixture(scope="session")
def _running_chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server, openai_client(server.url):
        yield server


@pytest.fixture
def chat_server(_running_chat_server: ChatServer) -> ChatServer:
    _running_chat_server.reset()
    return _running_chat_server
