"""Whose key a request brings."""

import hashlib
import hmac
from base64 import b64encode

import pytest
from starlette.types import Scope

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.security.api_keys import WRONG_KEYS, ApiKeys
from tests.entrypoints.http.security.asking import scope_of

KEPT = tuple(f"{name}:sha256:{hashlib.sha256(key).hexdigest()}" for name, key in (("ann", b"one"), ("bob", b"two")))


def keyed(authorization: str, *, client: str = "127.0.0.1", path: str = "/v1/parse") -> Scope:
    return scope_of("POST", path, [("Authorization", authorization)], client=client)


def basic(user: str, key: str) -> str:
    return "Basic " + b64encode(f"{user}:{key}".encode()).decode()


@pytest.mark.parametrize(
    ("authorization", "name"),
    [("Bearer one", "ann"), ("bearer  two ", "bob"), (basic("anyone", "one"), "ann"), (basic("", "two"), "bob")],
)
def test_kept_key_is_let_in_and_its_name_is_noted(authorization: str, name: str) -> None:
    scope = keyed(authorization)

    assert ApiKeys.of(KEPT)(scope) is None
    assert scope["state"] == {"key": name}


@pytest.mark.parametrize(
    "authorization",
    [
        "Bearer three",
        "Bearer",
        "Bearer ",
        "one",
        "Digest one",
        "Basic one",
        "Basic ~~~",
        "Basic " + b64encode(b"one").decode(),
        basic("one", ""),
        basic("ann", "one:"),
        f"Bearer {KEPT[0].rpartition(':')[2]}",
        "Bearer " + "a" * 10_000,
    ],
)
def test_anything_else_is_a_wrong_key(authorization: str) -> None:
    scope = keyed(authorization)
    refusal = ApiKeys.of(KEPT)(scope)

    assert refusal is not None
    assert (refusal.status, refusal.code, scope["state"]) == (401, "KEY_WRONG", {})


def test_two_keys_at_once_are_wrong() -> None:
    refusal = ApiKeys.of(KEPT)(scope_of(headers=[("Authorization", "Bearer one"), ("Authorization", "Bearer two")]))

    assert refusal is not None
    assert refusal.code == "KEY_WRONG"


def test_request_without_a_key_is_told_both_ways_to_bring_one() -> None:
    refusal = ApiKeys.of(KEPT)(scope_of())

    assert refusal is not None
    assert (refusal.status, refusal.code) == (401, "KEY_NEEDED")
    assert [value.partition(" ")[0] for _, value in refusal.headers] == ["Basic", "Bearer"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_need_no_key(path: str) -> None:
    assert ApiKeys.of(KEPT)(scope_of(path=path)) is None


@pytest.mark.parametrize("path", ["/healthz/", "/HEALTHZ", "//healthz", "/metrics", "/static/app.css"])
def test_everything_else_needs_one(path: str) -> None:
    assert ApiKeys.of(KEPT)(scope_of(path=path)) is not None


def test_every_kept_hash_is_compared_even_after_one_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []
    real = hmac.compare_digest

    def noted(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)

    ApiKeys.of(KEPT)(keyed("Bearer one"))

    assert len(compared) == len(KEPT)


def guesses(keys: ApiKeys, count: int, client: str) -> list[Problem | None]:
    return [keys(keyed(f"Bearer guess {number}", client=client)) for number in range(count)]


def test_address_that_guesses_is_not_listened_to_for_a_while_even_with_a_right_key() -> None:
    keys = ApiKeys.of(KEPT)
    codes = [refusal.code for refusal in guesses(keys, WRONG_KEYS + 2, "10.0.0.1") if refusal]
    refusal = keys(keyed("Bearer one", client="10.0.0.1"))

    assert codes == ["KEY_WRONG"] * WRONG_KEYS + ["TOO_MANY_WRONG_KEYS"] * 2
    assert refusal is not None
    assert (refusal.status, refusal.headers) == (429, (("Retry-After", str(60 // WRONG_KEYS)),))


def test_addresses_beside_one_that_guesses_are_not_disturbed() -> None:
    keys = ApiKeys.of(KEPT)
    guesses(keys, WRONG_KEYS + 1, "10.0.0.1")

    assert keys(keyed("Bearer one", client="10.0.0.2")) is None


def test_guesses_from_one_network_of_ipv6_are_counted_together() -> None:
    keys = ApiKeys.of(KEPT)
    for number in range(WRONG_KEYS):
        guesses(keys, 1, f"2001:db8::{number:x}")
    here, elsewhere = (keys(keyed("Bearer one", client=client)) for client in ("2001:db8::ffff", "2001:db8:0:1::1"))

    assert here is not None
    assert elsewhere is None


def test_right_keys_are_never_too_many() -> None:
    keys = ApiKeys.of(KEPT)

    assert [keys(keyed("Bearer one")) for _ in range(100)] == [None] * 100


def test_without_keys_this_machine_alone_is_answered() -> None:
    keys = ApiKeys.of(())
    elsewhere = keys(scope_of(server="10.0.0.5"))

    assert [keys(scope_of(server=server)) for server in ("127.0.0.1", "::1")] == [None, None]
    assert elsewhere is not None
    assert (elsewhere.status, elsewhere.code) == (403, "LOOPBACK_ONLY")
