"""How often a client may ask."""

from starlette.types import Scope

from src.entrypoints.http.security.api_keys import LEAST_BURST, RateLimit
from tests.entrypoints.http.security.asking import scope_of


def asked(client: str = "10.0.0.1", key: str | None = None, path: str = "/") -> Scope:
    return {**scope_of(path=path, client=client), "state": {"key": key} if key else {}}


def test_request_above_the_limit_is_told_when_to_come_back() -> None:
    limit = RateLimit.of(0.5)
    answers = [limit(asked()) for _ in range(LEAST_BURST + 1)]

    assert answers[:-1] == [None] * LEAST_BURST
    assert answers[-1] is not None
    assert (answers[-1].status, answers[-1].headers) == (429, (("Retry-After", "2"),))


def test_fast_limit_allows_the_requests_of_a_second_at_once() -> None:
    limit = RateLimit.of(50)

    assert [limit(asked()) for _ in range(50)] == [None] * 50


def test_key_is_counted_wherever_it_is_used_and_apart_from_addresses() -> None:
    limit = RateLimit.of(0.001)
    for number in range(LEAST_BURST):
        limit(asked(f"10.0.0.{number}", key="ann"))

    assert limit(asked("10.0.0.99", key="ann")) is not None
    assert limit(asked("10.0.0.99", key="bob")) is None
    assert limit(asked("10.0.0.1")) is None


def test_probes_are_not_limited() -> None:
    limit = RateLimit.of(0.001)

    assert [limit(asked(path="/healthz")) for _ in range(100)] == [None] * 100
