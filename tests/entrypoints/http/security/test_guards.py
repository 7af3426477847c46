"""The guards: hosts, sites, headers, and all of them together, in their order."""

import hashlib
from typing import Any

import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from src.entrypoints.http.security.guards import HEADERS, cross_site, guarded, host_check, with_headers
from src.entrypoints.http.service_settings import ServiceSettings
from tests.entrypoints.http.security.asking import Answer, ask, echo, scope_of, unreached

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


# --- hosts --------------------------------------------------------------------------------------------------


NAMES = ("parser.example", "[2001:db8::1]", "")
OURS = """
    127.0.0.1               127.0.0.1
    127.0.0.1:8421          127.0.0.1
    localhost:8421          127.0.0.1
    LocalHost               ::1
    [::1]:8421              ::1
    [0:0::1]                ::1
    127.0.0.1               ::ffff:127.0.0.1
    10.0.0.5:8421           10.0.0.5
    parser.example          10.0.0.5
    Parser.Example:443      10.0.0.5
    [2001:db8::1]:80        fe80::1
"""
OTHERS = """
    attacker.example                127.0.0.1
    parser.example.attacker.example 10.0.0.5
    attacker.example:8421           127.0.0.1
    localhost                       10.0.0.5
    10.0.0.6                        10.0.0.5
    127.0.0.1                       10.0.0.5
    localhost.attacker.example      127.0.0.1
    127.0.0.1@attacker.example      127.0.0.1
    parser.example:80:80            10.0.0.5
    [::1                            ::1
    [::1]x                          ::1
    :8421                           127.0.0.1
    127.1                           127.0.0.1
    2130706433                      127.0.0.1
    \xe9                            127.0.0.1
"""
"""What a `Host` header says, and the address that was reached."""


@pytest.mark.parametrize(
    ("host", "reached", "status"),
    [(*line.split(), status) for table, status in ((OURS, None), (OTHERS, 421)) for line in table.split("\n") if line],
)
def test_own_names_and_the_address_reached_are_answered_and_others_misdirected(
    host: str, reached: str, status: int | None
) -> None:
    refusal = host_check(NAMES)(scope_of(headers=[("Host", host)], server=reached))

    assert (refusal.status if refusal else None) == status


@pytest.mark.parametrize("hosts", [(), ("",), ("127.0.0.1", "127.0.0.1"), ("a" * 256,)])
def test_exactly_one_host_of_a_name_s_length_is_needed(hosts: tuple[str, ...]) -> None:
    refusal = host_check(NAMES)(scope_of(headers=[("Host", host) for host in hosts]))

    assert refusal is not None
    assert (refusal.status, refusal.code) == (400, "BAD_HOST")


# --- other sites --------------------------------------------------------------------------------------------

SITE, ORIGIN, OWN = "Sec-Fetch-Site", "Origin", (("Sec-Fetch-Site", "same-origin"),)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "UNKNOWN"])
@pytest.mark.parametrize(
    "headers",
    [
        *[((SITE, site),) for site in ("cross-site", "same-site", "else")],
        *[
            (*own, (ORIGIN, origin))
            for origin in (
                "http://attacker.example",
                "null",
                "",
                "http://127.0.0.1:8422",
                "http://127.0.0.1",
                "https://127.0.0.1:84210",
            )
            for own in ((), OWN)
        ],
        ((SITE, "cross-site"), *OWN),
        ((ORIGIN, "http://attacker.example"), (ORIGIN, "http://127.0.0.1:8421")),
    ],
)
def test_change_that_another_site_asks_for_is_refused_and_a_look_is_left_to_the_headers_of_the_answer(
    method: str, headers: tuple[tuple[str, str], ...]
) -> None:
    sent = [("Host", "127.0.0.1:8421"), *headers]
    refusal = cross_site(scope_of(method, headers=sent))

    assert refusal is not None
    assert (refusal.status, refusal.code) == (403, "CROSS_SITE")
    assert {cross_site(scope_of(safe, headers=sent)) for safe in ("GET", "HEAD", "OPTIONS")} == {None}


@pytest.mark.parametrize(
    ("host", "headers"),
    [
        ("127.0.0.1:8421", (*OWN, (ORIGIN, "http://127.0.0.1:8421"))),
        ("Parser.Example", (*OWN, (ORIGIN, "https://parser.example"))),
        ("parser.example:443", (*OWN, (ORIGIN, "https://parser.example"))),
        ("parser.example", (*OWN, (ORIGIN, "http://parser.example:80"))),
        ("[::1]:8421", (*OWN, (ORIGIN, "http://[::1]:8421"))),
        ("127.0.0.1:8421", ()),
        ("127.0.0.1:8421", ((SITE, "none"),)),
    ],
)
def test_change_from_the_own_page_or_from_a_program_is_answered(
    host: str, headers: tuple[tuple[str, str], ...]
) -> None:
    assert cross_site(scope_of("POST", headers=[("Host", host), *headers])) is None


# --- headers of answers -------------------------------------------------------------------------------------


async def answered(path: str = "/", **headers: str) -> Answer:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await ask(with_headers(Response("x", headers=given)), scope_of(path=path))


async def test_every_header_is_there_once_as_we_say_it() -> None:
    answer = await answered(content_security_policy="default-src *", X_Content_Type_Options="else")

    assert [answer.header(name.decode()) for name, _ in HEADERS] == [[value.decode()] for _, value in HEADERS]


async def test_policy_allows_no_inline_script_or_style_and_no_other_source() -> None:
    (policy,) = (await answered()).header("content-security-policy")

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


async def test_nothing_is_stored_but_static_files() -> None:
    assert (await answered("/v1/rates")).header("cache-control") == ["no-store"]
    assert (await answered("/static/app.css")).header("cache-control") == []
    assert (await answered("/v1/agents", cache_control="max-age=60")).header("cache-control") == ["max-age=60"]


async def test_no_other_site_is_allowed_to_read() -> None:
    answer = await answered()

    assert [name for name, _ in answer.headers if name.startswith("access-control")] == []
