"""What a receiver gets, how it is signed, and what is sent again."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.infrastructure.webhook import HttpWebhook
from src.shared.domain.repair_rate import RateScope
from tests.modules.monitoring.receiver import Received, receiver
from tests.modules.monitoring.stored import START

EVENT = AlarmEvent(7, START, AlarmKind.ALARM, RateScope.AGENT, "裁决", 200, 25, "too often")


def sent(secret: str | None = None) -> list[Received]:
    with receiver() as found:
        HttpWebhook(found.url, secret).send(EVENT)
        return found.received


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
        (None, None),
    ],
)
def test_event_is_sent_signed_where_there_is_a_secret(secret: str | None, key: bytes | None) -> None:
    """The whole of what is sent is in the transcripts of the store."""
    (one,) = sent(secret)
    assert one.headers.get("webhook-signature") == (expected(key, one) if key else None)
    assert (one.headers["webhook-id"], one.json["timestamp"]) == ("alarm-7", "2027-01-15T08:00:00Z")


@pytest.mark.parametrize(
    ("answer", "told"),
    [(400, "HTTP 400"), (410, "HTTP 410"), (302, "HTTP 302"), (429, "HTTP 429"), (503, "HTTP 503"), (0, "Error")],
)
def test_any_other_answer_is_an_error_and_no_second_request(answer: int, told: str) -> None:
    with receiver([answer]) as found, pytest.raises(WebhookError, match=told) as caught:
        HttpWebhook(found.url).send(EVENT)
    assert len(found.received) == 1
    assert ("token" in caught.value.message, caught.value.__cause__) == (False, None)  # the address holds one
