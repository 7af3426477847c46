"""What every test of the adapters starts from: no `LLM_*` or `OPENAI_*` variable, no `.env`, and no waiting."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from src.shared.infrastructure.llm import transport
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, LLMFactory

NOBODYS_AWS = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "AKIALOOPBACK",
    "AWS_SECRET_ACCESS_KEY": KEY,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith(("LLM_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    for name, value in NOBODYS_AWS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def _no_connection_of_boto3(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what boto3 leaves open until its objects are gone: the next test asks whether the server is idle."""
    yield
    if "bedrock" in request.node.name:
        gc.collect()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were to be waited before a request was sent again: it is sent at once."""
    seconds: list[float] = []

    async def note(wait: float) -> None:
        seconds.append(wait)

    monkeypatch.setattr(transport, "sleep", note)
    return seconds


@pytest.fixture
def connect(chat_server: ChatServer) -> LLMFactory:
    """Make an adapter for the scripted server; fields of the settings by name."""

    def make(**fields: object) -> OpenAICompatibleLLM:
        values: dict[str, Any] = {"base_url": chat_server.url, "model": "m-1", **fields}
        return OpenAICompatibleLLM(LLMSettings(**values))

    return make
