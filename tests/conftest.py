"""How hypothesis runs: the same examples every time, so that a failure in CI is a failure here.

`pytest --hypothesis-profile=explore` looks for new ones. No test leaves this machine.
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.loopback.guard import only_loopback
from tests.loopback.server import ChatServer

settings.register_profile(
    "project", max_examples=200, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", parent=settings.get_profile("project"), max_examples=3_000, derandomize=False)
settings.load_profile("project")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Coroutines marked `anyio` run on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _only_loopback() -> Iterator[None]:
    """Every network but loopback is blocked, and no proxy stands in between."""
    with pytest.MonkeyPatch.context() as patch, only_loopback():
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        yield


@pytest.fixture(scope="session")
def _running_chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def chat_server(_running_chat_server: ChatServer) -> ChatServer:
    """A chat-completions server on loopback without a script; see tests/loopback/server.py."""
    _running_chat_server.reset()
    return _running_chat_server
