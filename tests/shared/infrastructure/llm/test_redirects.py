"""A prompt goes to the address that the settings name and to who can prove to be there, and nowhere else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from src.shared.domain.llm_errors import LLMCertificateError, LLMRequestError
from tests.loopback.answers import Answer, answer, status
from tests.loopback.server import ChatServer
from tests.shared.infrastructure.llm.asking import KEY, PROMPT, LLMFactory, ask, failure_of

pytestmark = pytest.mark.anyio

SECRET = "sk-in-the-address"  # noqa: S105 - of a test


@pytest.fixture
def other_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        server.respond(lambda _: answer("got it"))
        yield server


def redirect(location: str, code: int = 307) -> Answer:
    return status(code, {"location": location})


def port_of(server: ChatServer) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:{port}/v1", "http://localhost:{port}/v1", "//127.0.0.1:{port}/v1"]
)
async def test_redirect_to_another_address_is_refused(
    chat_server: ChatServer, other_server: ChatServer, connect: LLMFactory, address: str, code: int
) -> None:
    location = address.format(port=port_of(other_server)) + f"/chat/completions?key={SECRET}"
    chat_server.script([redirect(location, code)])

    error = await failure_of(connect(api_key=KEY), LLMRequestError)

    assert (len(chat_server.requests), other_server.requests, error.details["attempts"]) == (1, [], 1)
    assert "LLM_BASE_URL" in error.message
    assert not any(word in f"{error!r}{error.details}" for word in (SECRET, KEY, PROMPT, str(port_of(other_server))))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2"])
async def test_another_name_is_another_address(chat_server: ChatServer, connect: LLMFactory, host: str) -> None:
    chat_server.script([redirect(f"http://{host}:{port_of(chat_server)}/v1/chat/completions")])

    await failure_of(connect(), LLMRequestError)

    assert len(chat_server.requests) == 1


async def test_another_scheme_is_another_address(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([redirect(f"https://127.0.0.1:{port_of(chat_server)}/v1/chat/completions")])

    await failure_of(connect(), LLMRequestError)


@pytest.mark.parametrize("code", [307, 308])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
async def test_redirect_at_the_same_address_is_followed(
    chat_server: ChatServer, connect: LLMFactory, code: int, *, stream: bool
) -> None:
    chat_server.script([redirect("/v1/chat/completions", code), answer("好")])

    assert (await ask(connect(stream=stream))).text == "好"
    assert [request.prompt for request in chat_server.requests] == [PROMPT, PROMPT]


@pytest.mark.parametrize("code", [301, 302, 303])
async def test_redirect_that_drops_the_prompt_is_refused(
    chat_server: ChatServer, connect: LLMFactory, code: int
) -> None:
    chat_server.script([redirect("/v1/chat/completions", code), answer("to nothing")])

    await failure_of(connect(), LLMRequestError)

    assert len(chat_server.requests) == 1


async def test_circle_of_redirects_is_refused_once(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.respond(lambda _: redirect("/v1/chat/completions"))

    error = await failure_of(connect(max_attempts=3), LLMRequestError)

    assert (error.details["reason"], error.details["attempts"]) == ("TooManyRedirects", 1)


# --- certificates ----------------------------------------------------------------------------------------------

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
