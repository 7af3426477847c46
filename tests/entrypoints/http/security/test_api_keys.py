"""Whose key a request brings, and how often a client may ask."""

import hashlib
import hmac
from base64 import b64encode

import pytest
from starlette.types import Scope

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.security.api_keys import LEAST_BURST, WRONG_KEYS, Check, TokenBuckets, key_check, rate_check
from tests.entrypoints.http.security.asking import scope_of

KEPT = tuple(f"{name}:sha256:{hashlib.sha256(key).hexdigest()}" for name, key in (("ann", b"one"), ("bob", b"two")))


def keyed(*authorization: str, client: str = "127.0.0.1", path: str = "/v1/parse") -> Scope:
    return scope_of("POST", path, [("Authorization", one) for one in authorization], client=client)


def basic(user: str, key: str) -> str:
    return "Basic " + b64encode(f"{user}:{key}".encode()).decode()


def refusal(check: Check, scope: Scope) -> Problem:
    found = check(scope)
    assert found is not None
    return found


# --- keys ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("authorization", "name"),
    [("Bearer one", "ann"), ("bearer  two ", "bob"), (basic("anyone", "one"), "ann"), (basic("", "two"), "bob")],
)
def test_kept_key_is_let_in_and_its_name_is_noted(authorization: str, name: str) -> None:
    scope = keyed(authorization)

    assert key_check(KEPT)(scope) is None
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
    refused = refusal(key_check(KEPT), scope)

    assert (refused.status, refused.code, scope["state"]) == (401, "KEY_WRONG", {})


def test_request_without_a_key_is_told_both_ways_to_bring_one() -> None:
    refused = refusal(key_check(KEPT), keyed())

    assert (refused.status, refused.code) == (401, "KEY_NEEDED")
    assert [value.partition(" ")[0] for _, value in refused.headers] == ["Basic", "Bearer"]


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        ("/healthz", True),
        ("/readyz", True),
        ("/healthz/", False),
        ("/HEALTHZ", False),
        ("//healthz", False),
        ("/metrics", False),
        ("/static/app.css", False),
    ],
)
def test_probes_alone_need_no_key(path: str, is_open: bool) -> None:  # noqa: FBT001 - a parameter
    assert (key_check(KEPT)(keyed(path=path)) is None) == is_open


def test_every_kept_hash_is_compared_even_after_one_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []
    real = hmac.compare_digest

    def noted(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    key_check(KEPT)(keyed("Bearer one"))

    assert len(compared) == len(KEPT)


def test_address_that_guesses_is_not_listened_to_for_a_while_even_with_a_right_key() -> None:
    keys = key_check(KEPT)
    guesses = [refusal(keys, keyed(f"Bearer {number}", client="10.0.0.1")).code for number in range(WRONG_KEYS + 2)]
    refused = refusal(keys, keyed("Bearer one", client="10.0.0.1"))

    assert guesses == ["KEY_WRONG"] * WRONG_KEYS + ["TOO_MANY_WRONG_KEYS"] * 2
    assert (refused.status, refused.headers) == (429, (("Retry-After", str(60 // WRONG_KEYS)),))
    assert keys(keyed("Bearer one", client="10.0.0.2")) is None


def test_guesses_from_one_network_of_ipv6_are_counted_together() -> None:
    keys = key_check(KEPT)
    for number in range(WRONG_KEYS):
        keys(keyed("Bearer guess", client=f"2001:db8::{number:x}"))

    assert refusal(keys, keyed("Bearer one", client="2001:db8::ffff")).status == 429
    assert keys(keyed("Bearer one", client="2001:db8:0:1::1")) is None


def test_right_keys_are_never_too_many() -> None:
    keys = key_check(KEPT)

    assert {keys(keyed("Bearer one")) for _ in range(100)} == {None}


def test_without_keys_this_machine_alone_is_answered() -> None:
    keys = key_check(())
    refused = refusal(keys, scope_of(server="10.0.0.5"))

    assert [keys(scope_of(server=server)) for server in ("127.0.0.1", "::1")] == [None, None]
    assert (refused.status, refused.code) == (403, "LOOPBACK_ONLY")


# --- the rate -----------------------------------------------------------------------------------------------


def asked(client: str = "10.0.0.1", key: str | None = None, path: str = "/") -> Scope:
    return {**scope_of(path=path, client=client), "state": {"key": key} if key else {}}


@pytest.mark.parametrize(("a_second", "at_once", "after"), [(0.5, LEAST_BURST, "2"), (50, 50, "1")])
def test_request_above_the_limit_is_told_when_to_come_back(a_second: float, at_once: int, after: str) -> None:
    limit = rate_check(a_second)

    assert [limit(asked()) for _ in range(at_once)] == [None] * at_once
    refused = refusal(limit, asked())
    assert (refused.status, refused.headers) == (429, (("Retry-After", after),))


def test_key_is_counted_wherever_it_is_used_and_apart_from_addresses_and_probes_are_not() -> None:
    limit = rate_check(0.001)
    for number in range(LEAST_BURST):
        limit(asked(f"10.0.0.{number}", key="ann"))

    assert limit(asked("10.0.0.99", key="ann")) is not None
    assert limit(asked("10.0.0.99", key="bob")) is None
    assert limit(asked("10.0.0.1")) is None
    assert {limit(asked(path="/healthz")) for _ in range(100)} == {None}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_tokens_come_back_with_time_and_never_beyond_the_burst() -> None:
    clock = Clock()
    buckets = TokenBuckets(rate=2, burst=3, clock=clock)

    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now = 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 0.5]
    clock.now = 1_000
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_looking_at_a_bucket_takes_nothing_and_the_bucket_of_another_is_full() -> None:
    buckets = TokenBuckets(rate=1, burst=1, clock=Clock())

    assert [buckets.wait("a"), buckets.wait("a"), buckets.take("a"), buckets.wait("a")] == [0, 0, 0, 1]
    assert buckets.take("b") == 0


def test_the_name_that_asked_longest_ago_is_forgotten_when_there_are_too_many() -> None:
    buckets = TokenBuckets(rate=1, burst=1, most=2, clock=Clock())
    for name in ("a", "b", "a", "c"):  # `a` asks again, in vain
        buckets.take(name)

    assert (buckets.wait("b"), buckets.wait("a")) == (0, 1)
