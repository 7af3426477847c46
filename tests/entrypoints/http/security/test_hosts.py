"""By which names a service may be asked for."""

import pytest

from src.entrypoints.http.security.guards import Hosts
from tests.entrypoints.http.security.asking import scope_of

NAMES = ("parser.example", "[2001:db8::1]", "")


def status_of(host: str, reached: str) -> int | None:
    refusal = Hosts(NAMES)(scope_of(headers=[("Host", host)], server=reached))
    return refusal.status if refusal else None


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:8421", "127.0.0.1"),
        ("localhost:8421", "127.0.0.1"),
        ("LocalHost", "::1"),
        ("[::1]:8421", "::1"),
        ("[0:0::1]", "::1"),
        ("127.0.0.1", "::ffff:127.0.0.1"),
        ("10.0.0.5:8421", "10.0.0.5"),
        ("parser.example", "10.0.0.5"),
        ("Parser.Example:443", "10.0.0.5"),
        ("[2001:db8::1]:80", "fe80::1"),
    ],
)
def test_own_names_and_the_address_that_was_reached_are_answered(host: str, reached: str) -> None:
    assert status_of(host, reached) is None


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        ("attacker.example", "127.0.0.1"),
        ("parser.example.attacker.example", "10.0.0.5"),
        ("attacker.example:8421", "127.0.0.1"),
        ("localhost", "10.0.0.5"),
        ("10.0.0.6", "10.0.0.5"),
        ("127.0.0.1", "10.0.0.5"),
        ("localhost.attacker.example", "127.0.0.1"),
        ("127.0.0.1@attacker.example", "127.0.0.1"),
        ("parser.example:80:80", "10.0.0.5"),
        ("[::1", "::1"),
        ("[::1]x", "::1"),
        (":8421", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("\xe9", "127.0.0.1"),
    ],
)
def test_other_names_are_misdirected(host: str, reached: str) -> None:
    assert status_of(host, reached) == 421


@pytest.mark.parametrize("hosts", [(), ("",), ("127.0.0.1", "127.0.0.1"), ("a" * 256,)])
def test_exactly_one_host_of_a_name_s_length_is_needed(hosts: tuple[str, ...]) -> None:
    refusal = Hosts(NAMES)(scope_of(headers=[("Host", host) for host in hosts]))

    assert refusal is not None
    assert (refusal.status, refusal.code) == (400, "BAD_HOST")
