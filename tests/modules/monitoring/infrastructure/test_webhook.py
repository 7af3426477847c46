"""What a receiver gets, how it is signed, and what is sent again."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from structlog.testing import capture_logs

from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.infrastructure.webhook import ATTEMPTS, HttpWebhook
from src.shared.domain.ports.repair_rates import RateScope
from tests.modules.monitoring.receiver import Received, receiver
from tests.modules.monitoring.stored import START

EVENT = AlarmEvent(7, START, AlarmKind.ALARM, RateScope.AGENT, "裁决", 200, 25, "too often")


def sent(*answers: int, secret: str | None = None) -> list[Received]:
    with receiver(answers) as found:
        HttpWebhook(found.url, secret, first_wait=0.001).send(EVENT)
        return found.received


def failing(*answers: int) -> tuple[WebhookError, int]:
    with receiver(answers) as found, pytest.raises(WebhookError) as caught:
        HttpWebhook(found.url, first_wait=0.001).send(EVENT)
    return caught.value, len(found.received)


def test_receiver_gets_the_event_as_json() -> None:
    (one,) = sent()
    assert one.headers["content-type"] == "application/json"
    assert one.json == {
        "type": "repair_rate.alarm",
        "timestamp": "2027-01-15T08:00:00Z",
        "data": {
            "id": 7,
            "kind": "alarm",
            "scope": "agent",
            "name": "裁决",
            "repair_rate": 0.125,
            "threshold": 0.1,
            "parses": 200,
            "asked": 25,
            "message": "too often",
        },
    }


def expected(key: bytes, one: Received) -> str:
    """The signature as the specification of Standard Webhooks has it."""
    signed = f"{one.headers['webhook-id']}.{one.headers['webhook-timestamp']}.".encode() + one.body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


@pytest.mark.parametrize(
    ("secret", "key"),
    [
        ("plain secret", b"plain secret"),
        ("whsec_" + base64.b64encode(b"twenty-four bytes or so.").decode(), b"twenty-four bytes or so."),
        ("whsec_not base64", b"whsec_not base64"),
    ],
)
def test_what_is_sent_is_signed(secret: str, key: bytes) -> None:
    (one,) = sent(secret=secret)
    assert one.headers["webhook-signature"] == expected(key, one)
    assert one.headers["webhook-id"] == "alarm-7"


def test_nothing_is_signed_without_a_secret() -> None:
    assert "webhook-signature" not in sent()[0].headers


@pytest.mark.parametrize("answer", [500, 503, 429, 408, 0])
def test_receiver_that_is_away_is_asked_again_with_the_same_number(answer: int) -> None:
    with capture_logs() as logs:
        received = sent(answer, answer)
    assert [one.status for one in received] == [answer, answer, 204]
    assert {one.headers["webhook-id"] for one in received} == {"alarm-7"}
    assert [log["event"] for log in logs] == ["llm_retry_scheduled"] * 2


def test_receiver_that_stays_away_is_given_up() -> None:
    error, requests = failing(*[503] * 50)
    assert (requests, "HTTP 503" in error.message) == (ATTEMPTS, True)


@pytest.mark.parametrize("answer", [400, 401, 404, 410, 302])
def test_receiver_that_does_not_want_it_is_not_asked_again(answer: int) -> None:
    error, requests = failing(answer)
    assert (requests, f"HTTP {answer}" in error.message) == (1, True)


def test_address_is_in_no_error() -> None:
    with receiver() as found:
        url = found.url
    with pytest.raises(WebhookError) as caught:
        HttpWebhook(url, first_wait=0.001).send(EVENT)
    assert "token" not in caught.value.message
    assert caught.value.__cause__ is None


def test_name_of_a_receiver_does_not_give_its_address_away() -> None:
    names = {HttpWebhook(f"https://chat.example/{token}").target for token in ("a", "b", "a")}
    assert (len(names), any("chat" in name for name in names)) == (2, False)
