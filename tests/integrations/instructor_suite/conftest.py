"""These tests run in the environment of instructor: `tests/integrations/test_instructor.py` starts them there."""

from collections.abc import Iterator

import pytest

from tests.integrations.instructor_suite.clients import openai_client
from tests.loopback.at_home import at_home
from tests.loopback.server import ChatServer


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _only_loopback() -> Iterator[None]:
    with at_home():
        yield


@pytest.fixture(scope="session")
def _running_chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server, openai_client(server.url):
        yield server


@pytest.fixture
def chat_server(_running_chat_server: ChatServer) -> ChatServer:
    _running_chat_server.reset()
    return _running_chat_server
