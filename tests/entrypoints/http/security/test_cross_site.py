"""What a page of another site makes a browser send."""

import pytest

from src.entrypoints.http.security.guards import cross_site
from tests.entrypoints.http.security.asking import scope_of


def is_refused(method: str, *headers: tuple[str, str], host: str = "127.0.0.1:8421") -> bool:
    refusal = cross_site(scope_of(method, headers=[("Host", host), *headers]))
    assert refusal is None or (refusal.status, refusal.code) == (403, "CROSS_SITE")
    return refusal is not None


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "UNKNOWN"])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "else"])
def test_change_that_another_site_asks_for_is_refused(method: str, site: str) -> None:
    assert is_refused(method, ("Sec-Fetch-Site", site))


@pytest.mark.parametrize(
    "origin",
    ["http://attacker.example", "null", "", "http://127.0.0.1:8422", "http://127.0.0.1", "https://127.0.0.1:84210"],
)
def test_change_from_a_foreign_origin_is_refused(origin: str) -> None:
    assert is_refused("POST", ("Origin", origin))
    assert is_refused("POST", ("Origin", origin), ("Sec-Fetch-Site", "same-origin"))


def test_second_header_does_not_hide_the_first() -> None:
    assert is_refused("POST", ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-origin"))
    assert is_refused("POST", ("Origin", "http://attacker.example"), ("Origin", "http://127.0.0.1:8421"))


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8421", "http://127.0.0.1:8421"),
        ("Parser.Example", "https://parser.example"),
        ("parser.example:443", "https://parser.example"),
        ("parser.example", "http://parser.example:80"),
        ("[::1]:8421", "http://[::1]:8421"),
    ],
)
def test_change_from_the_own_page_is_answered(host: str, origin: str) -> None:
    assert not is_refused("POST", ("Origin", origin), ("Sec-Fetch-Site", "same-origin"), host=host)


def test_program_that_says_neither_is_answered() -> None:
    assert not is_refused("POST")
    assert not is_refused("POST", ("Sec-Fetch-Site", "none"))


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_looking_from_another_site_is_left_to_the_headers_of_the_answer(method: str) -> None:
    assert not is_refused(method, ("Sec-Fetch-Site", "cross-site"), ("Origin", "http://attacker.example"))
