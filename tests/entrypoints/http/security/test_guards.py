"""All guards together, in their order."""

import hashlib
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from src.entrypoints.http.security.guards import guarded
from src.entrypoints.http.service_settings import ServiceSettings
from tests.entrypoints.http.security.asking import ask, echo, scope_of, unreached

pytestmark = pytest.mark.anyio

KEYS = ("ann:sha256:" + hashlib.sha256(b"one").hexdigest(),)
HOST = ("Host", "127.0.0.1:8421")
KEY = ("Authorization", "Bearer one")


async def test_request_that_passes_every_guard_is_answered_by_the_application() -> None:
    settings = ServiceSettings(api_keys=KEYS, requests_per_second=5)
    answer = await ask(guarded(echo, settings), scope_of(headers=[HOST, KEY]))

    assert (answer.status, answer.header("cache-control")) == (200, ["no-store"])


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ([("Host", "attacker.example"), ("Origin", "null")], "UNKNOWN_HOST"),
        ([HOST, ("Origin", "null")], "CROSS_SITE"),
        ([HOST, ("Content-Length", "999999999")], "KEY_NEEDED"),
        ([HOST, KEY, ("Content-Length", "999999999"), ("Expect", "100-continue")], "BODY_TOO_LARGE"),
    ],
)
async def test_guards_refuse_in_their_order_and_with_the_headers_of_every_answer(
    headers: list[tuple[str, str]], code: str
) -> None:
    answer = await ask(guarded(unreached, ServiceSettings(api_keys=KEYS)), scope_of("POST", headers=headers))

    assert answer.code == code
    assert answer.header("content-type") == ["application/problem+json"]
    assert answer.header("x-content-type-options") == ["nosniff"]


async def statuses(settings: ServiceSettings, count: int, *headers: tuple[str, str]) -> list[int]:
    app = guarded(echo, settings)
    return [(await ask(app, scope_of(headers=[HOST, *headers]))).status for _ in range(count)]


async def test_rate_is_limited_only_where_a_limit_is_set() -> None:
    assert (await statuses(ServiceSettings(), 50))[-1] == 200
    assert (await statuses(ServiceSettings(requests_per_second=1), 50))[-1] == 429


def clients_of(settings: ServiceSettings) -> tuple[Any, list[str]]:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["client"][0])
        await echo(scope, receive, send)

    return guarded(app, settings), seen


async def test_nobody_is_believed_about_the_client_unless_he_is_a_trusted_proxy() -> None:
    forwarded = [HOST, ("X-Forwarded-For", "198.51.100.7")]
    plain, seen_plain = clients_of(ServiceSettings())
    trusting, seen_trusting = clients_of(ServiceSettings(trusted_proxies=("127.0.0.1",)))
    for app in (plain, trusting):
        await ask(app, scope_of(headers=forwarded))
        await ask(app, scope_of(headers=forwarded, client="127.0.0.2"))

    assert seen_plain == ["127.0.0.1", "127.0.0.2"]
    assert seen_trusting == ["198.51.100.7", "127.0.0.2"]


async def test_websocket_is_closed_and_lifespan_is_the_application_s() -> None:
    sent: list[Message] = []
    lived = []

    async def send(message: Message) -> None:
        sent.append(dict(message))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - the form of an application
        lived.append(scope["type"])

    guard = guarded(app, ServiceSettings())
    for kind in ("websocket", "lifespan"):
        await guard({"type": kind}, unreachable_receive, send)

    assert (lived, sent) == (["lifespan"], [{"type": "websocket.close", "code": 1008}])


async def unreachable_receive() -> Message:
    raise AssertionError
