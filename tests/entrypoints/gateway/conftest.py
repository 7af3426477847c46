"""A gateway that asks once, in front of the scripted server."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from tests.entrypoints.gateway.gateways import client, gateway
from tests.loopback.server import ChatServer


@pytest.fixture(scope="session")
def asking_once(_running_chat_server: ChatServer) -> Iterator[str]:
    with gateway(_running_chat_server.url, tries=1) as url:
        yield url


@pytest.fixture(scope="session")
def asking_twice(_running_chat_server: ChatServer) -> Iterator[str]:
    with gateway(_running_chat_server.url) as url:
        yield url


@pytest.fixture
def once(asking_once: str) -> Iterator[openai.OpenAI]:
    """A client of a gateway that never asks again."""
    with client(asking_once) as asking:
        yield asking


@pytest.fixture
def twice(asking_twice: str) -> Iterator[openai.OpenAI]:
    """A client of a gateway that asks once more."""
    with client(asking_twice) as asking:
        yield asking
