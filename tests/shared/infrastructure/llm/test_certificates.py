"""A server that cannot prove to be the provider gets no prompt."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from src.shared.domain.llm_errors import LLMCertificateError
from tests.loopback.answers import answer
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import LLMFactory, ask, failure_of

pytestmark = pytest.mark.anyio

CERTIFICATES = Path(__file__).parents[3] / "loopback" / "certificates"
"""Each signed by itself: `valid` and `expired` (in 2020) for localhost and 127.0.0.1, `elsewhere` for another host."""


@pytest.fixture
def tls_server(request: pytest.FixtureRequest) -> Iterator[ChatServer]:
    with ChatServer(CERTIFICATES / f"{request.param}.pem") as server:
        yield server


def trust(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / f"{name}.pem"))


@pytest.mark.parametrize("tls_server", ["valid"], indirect=True)
async def test_certificate_that_the_environment_names_is_trusted(
    tls_server: ChatServer, connect: LLMFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(monkeypatch, "valid")
    tls_server.script([answer("好")])

    assert (await ask(connect(base_url=tls_server.url))).text == "好"


@pytest.mark.parametrize(
    ("tls_server", "trusted", "reason"),
    [
        ("valid", "elsewhere", "self-signed certificate"),
        ("expired", "expired", "certificate has expired"),
        ("elsewhere", "elsewhere", "Hostname mismatch, certificate is not valid for 'localhost'."),
    ],
    indirect=["tls_server"],
)
async def test_bad_certificate_is_named_and_not_tried_again(
    tls_server: ChatServer, connect: LLMFactory, monkeypatch: pytest.MonkeyPatch, trusted: str, reason: str
) -> None:
    trust(monkeypatch, trusted)

    error = await failure_of(connect(base_url=tls_server.url, max_attempts=3), LLMCertificateError)

    assert (error.details["reason"], error.details["attempts"], tls_server.requests) == (reason, 1, [])
    assert "SSL_CERT_FILE" in error.message
