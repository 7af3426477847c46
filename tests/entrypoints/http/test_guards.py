"""The guards: hosts, sites, keys, rates and headers, and all of them together, in their order."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from src.entrypoints.http.guards import (
    HEADERS,
    LEAST_BURST,
    WRONG_KEYS,
    Check,
    TokenBuckets,
    cross_site,
    guarded,
    host_check,
    key_check,
    rate_check,
    secured,
)
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.service_settings import ServiceSettings
from tests.entrypoints.http.asking import ask, echo, scope_of, unreached

KEPT = tuple(f"{name}:sha256:{hashlib.sha256(key).hexdigest()}" for name, key in (("ann", b"one"), ("bob", b"two")))
HOST = ("Host", "127.0.0.1:8421")
KEY = ("Authorization", "Bearer one")


def refusal(check: Check, scope: Scope) -> Problem:
    found = check(scope)
    assert found is not None
    return found


# --- all of them --------------------------------------------------------------------------------------------


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ([("Host", "attacker.example"), ("Origin", "null")], "UNKNOWN_HOST"),
        ([HOST, ("Origin", "null")], "CROSS_SITE"),
        ([HOST, ("Content-Length", "999999999")], "KEY_NEEDED"),
        ([HOST, KEY, ("Content-Length", "999999999"), ("Expect", "100-continue")], "BODY_TOO_LARGE"),
    ],
)
async def test_guards_refuse_in_their_order(headers: list[tuple[str, str]], code: str) -> None:
    answer = await ask(guarded(unreached, ServiceSettings(api_keys=KEPT)), scope_of("POST", headers=headers))

    assert (answer.code, answer.header("content-type")) == (code, ["application/problem+json"])


@pytest.mark.anyio
@pytest.mark.parametrize(("settings", "last"), [({}, 200), ({"requests_per_second": 1}, 429)])
async def test_rate_is_limited_only_where_a_limit_is_set(settings: dict[str, int], last: int) -> None:
    app = guarded(echo, ServiceSettings(api_keys=KEPT, **settings))  # type: ignore[arg-type]  # any field

    assert [(await ask(app, scope_of(headers=[HOST, KEY]))).status for _ in range(50)][-1] == last


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("settings", "client", "seen"),
    [
        ({}, "127.0.0.1", "127.0.0.1"),
        ({"trusted_proxies": ("127.0.0.1",)}, "127.0.0.1", "198.51.100.7"),
        ({"trusted_proxies": ("127.0.0.1",)}, "127.0.0.2", "127.0.0.2"),
    ],
)
async def test_nobody_is_believed_about_the_client_unless_he_is_a_trusted_proxy(
    settings: dict[str, Any], client: str, seen: str
) -> None:
    clients = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        clients.append(scope["client"][0])
        await echo(scope, receive, send)

    forwarded = scope_of(headers=[HOST, ("X-Forwarded-For", "198.51.100.7")], client=client)
    await ask(guarded(app, ServiceSettings(**settings)), forwarded)
    assert clients == [seen]


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
    found = host_check(NAMES)(scope_of(headers=[("Host", host)], server=reached))

    assert (found.status if found else None) == status


@pytest.mark.parametrize("hosts", [(), ("",), ("127.0.0.1", "127.0.0.1"), ("a" * 256,)])
def test_exactly_one_host_of_a_name_s_length_is_needed(hosts: tuple[str, ...]) -> None:
    found = refusal(host_check(NAMES), scope_of(headers=[("Host", host) for host in hosts]))

    assert (found.status, found.code) == (400, "BAD_HOST")


# --- other sites --------------------------------------------------------------------------------------------

SITE, ORIGIN, OWN = "Sec-Fetch-Site", "Origin", (("Sec-Fetch-Site", "same-origin"),)
OTHER_ORIGINS = (
    "http://attacker.example",
    "null",
    "",
    "http://127.0.0.1:8422",
    "http://127.0.0.1",
    "https://127.0.0.1:84210",
)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "UNKNOWN"])
@pytest.mark.parametrize(
    "headers",
    [
        *[((SITE, site),) for site in ("cross-site", "same-site", "else")],
        *[(*own, (ORIGIN, origin)) for origin in OTHER_ORIGINS for own in ((), OWN)],
        ((SITE, "cross-site"), *OWN),
        ((ORIGIN, "http://attacker.example"), (ORIGIN, "http://127.0.0.1:8421")),
    ],
)
def test_change_that_another_site_asks_for_is_refused_and_a_look_is_left_to_the_headers_of_the_answer(
    method: str, headers: tuple[tuple[str, str], ...]
) -> None:
    found = refusal(cross_site, scope_of(method, headers=[HOST, *headers]))

    assert (found.status, found.code) == (403, "CROSS_SITE")
    assert {cross_site(scope_of(safe, headers=[HOST, *headers])) for safe in ("GET", "HEAD", "OPTIONS")} == {None}


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


# --- keys ---------------------------------------------------------------------------------------------------


def keyed(*authorization: str, client: str = "127.0.0.1", path: str = "/v1/parse") -> Scope:
    return scope_of("POST", path, [("Authorization", one) for one in authorization], client=client)


def basic(user: str, key: str) -> str:
    return "Basic " + b64encode(f"{user}:{key}".encode()).decode()


@pytest.mark.parametrize(
    ("authorization", "name"),
    [("Bearer one", "ann"), ("bearer  two ", "bob"), (basic("anyone", "one"), "ann"), (basic("", "two"), "bob")],
)
def test_kept_key_is_let_in_as_often_as_it_comes_and_its_name_is_noted(authorization: str, name: str) -> None:
    check, scope = key_check(KEPT), keyed(authorization)

    assert {check(scope) for _ in range(100)} == {None}
    assert scope["state"] == {"key": name}


@pytest.mark.parametrize(
    "authorization",
    [
        ("Bearer three",),
        ("Bearer",),
        ("Bearer ",),
        ("one",),
        ("Digest one",),
        ("Basic one",),
        ("Basic ~~~",),
        ("Basic " + b64encode(b"one").decode(),),
        (basic("one", ""),),
        (basic("ann", "one:"),),
        (f"Bearer {KEPT[0].rpartition(':')[2]}",),
        ("Bearer " + "a" * 10_000,),
        ("Bearer one", "Bearer two"),
    ],
    ids=lambda one: " and ".join(one)[:30],
)
def test_anything_else_is_a_wrong_key(authorization: tuple[str, ...]) -> None:
    scope = keyed(*authorization)
    found = refusal(key_check(KEPT), scope)

    assert (found.status, found.code, scope["state"]) == (401, "KEY_WRONG", {})


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/healthz/", "/HEALTHZ", "//healthz", "/metrics", "/static/x"])
def test_probes_alone_need_no_key_and_have_no_rate(path: str) -> None:
    is_open, limit = path in {"/healthz", "/readyz"}, rate_check(0.001)

    assert (key_check(KEPT)(keyed(path=path)) is None) == is_open
    assert ([limit(keyed(path=path)) for _ in range(LEAST_BURST + 1)][-1] is None) == is_open


def test_every_kept_hash_is_compared_even_after_one_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compared, real = [], hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    key_check(KEPT)(keyed("Bearer one"))

    assert len(compared) == len(KEPT)


@pytest.mark.parametrize(
    ("guessing", "same", "other"),
    [
        (["10.0.0.1"] * WRONG_KEYS, "10.0.0.1", "10.0.0.2"),
        ([f"2001:db8::{number:x}" for number in range(WRONG_KEYS)], "2001:db8::ffff", "2001:db8:0:1::1"),
    ],
    ids=["address", "network of IPv6"],
)
def test_who_guesses_is_not_listened_to_for_a_while_even_with_a_right_key(
    guessing: list[str], same: str, other: str
) -> None:
    keys = key_check(KEPT)
    codes = {refusal(keys, keyed(f"Bearer {number}", client=one)).code for number, one in enumerate(guessing)}
    found = refusal(keys, keyed("Bearer one", client=same))

    assert codes == {"KEY_WRONG"}
    assert (found.status, found.code) == (429, "TOO_MANY_WRONG_KEYS")
    assert found.headers == (("Retry-After", str(60 // WRONG_KEYS)),)
    assert keys(keyed("Bearer one", client=other)) is None


def test_without_keys_this_machine_alone_is_answered() -> None:
    keys = key_check(())
    found = refusal(keys, scope_of(server="10.0.0.5"))

    assert [keys(scope_of(server=server)) for server in ("127.0.0.1", "::1")] == [None, None]
    assert (found.status, found.code) == (403, "LOOPBACK_ONLY")


# --- the rate -----------------------------------------------------------------------------------------------


def asked(client: str = "10.0.0.1", key: str | None = None) -> Scope:
    return {**scope_of(client=client), "state": {"key": key} if key else {}}


@pytest.mark.parametrize(("a_second", "at_once", "after"), [(0.5, LEAST_BURST, "2"), (50, 50, "1")])
def test_request_above_the_limit_is_told_when_to_come_back(a_second: float, at_once: int, after: str) -> None:
    limit = rate_check(a_second)

    assert [limit(asked()) for _ in range(at_once)] == [None] * at_once
    found = refusal(limit, asked())
    assert (found.status, found.headers) == (429, (("Retry-After", after),))


def test_key_is_counted_wherever_it_is_used_and_apart_from_addresses() -> None:
    limit = rate_check(0.001)
    for number in range(LEAST_BURST):
        limit(asked(f"10.0.0.{number}", key="ann"))

    assert limit(asked("10.0.0.99", key="ann")) is not None
    assert limit(asked("10.0.0.99", key="bob")) is None
    assert limit(asked("10.0.0.1")) is None


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_tokens_come_back_with_time_and_never_beyond_the_burst_and_looking_takes_none() -> None:
    clock = Clock()
    buckets = TokenBuckets(rate=2, burst=3, clock=clock)

    assert [buckets.wait("a", take=1) for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now = 0.5
    assert [buckets.wait("a"), buckets.wait("a"), buckets.wait("a", take=1), buckets.wait("a")] == [0, 0, 0, 0.5]
    clock.now = 1_000
    assert [buckets.wait("a", take=1) for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.wait("b", take=1) == 0


def test_the_name_that_asked_longest_ago_is_forgotten_when_there_are_too_many() -> None:
    buckets = TokenBuckets(rate=1, burst=1, most=2, clock=Clock())
    for name in ("a", "b", "a", "c"):  # `a` asks again, in vain
        buckets.wait(name, take=1)

    assert (buckets.wait("b"), buckets.wait("a")) == (0, 1)


# --- headers of answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "given", "kept"),
    [
        ("/v1/rates", [], [(b"cache-control", b"no-store")]),
        ("/static/app.css", [], []),
        ("/v1/agents", [(b"Cache-Control", b"max-age=60")], [(b"Cache-Control", b"max-age=60")]),
        ("/static/x", [(b"Content-Security-Policy", b"default-src *"), (b"X-Content-Type-Options", b"else")], []),
    ],
)
def test_every_header_is_there_once_as_we_say_it_and_nothing_is_stored_but_static_files(
    path: str, given: list[tuple[bytes, bytes]], kept: list[tuple[bytes, bytes]]
) -> None:
    assert secured(path, given) == [*kept, *HEADERS]


def test_policy_allows_no_inline_script_or_style_and_no_other_source_and_no_other_site_to_read() -> None:
    policy = dict(HEADERS)[b"content-security-policy"]

    assert policy.startswith(b"default-src 'none';")
    assert [word for word in (b"unsafe", b"http", b"*") if word in policy] == []
    assert [name for name, _ in HEADERS if name.startswith(b"access-control")] == []
