"""The webhook: an alarm as a signed HTTP POST.

Headers and signature are those of Standard Webhooks (https://www.standardwebhooks.com, version 1).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time

from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.domain.rate import time_of
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.shared.domain.repair_rate import ALARM_ABOVE, WARNING_AT

with needs_extra():
    import httpx2

TIMEOUT = 10.0
"""Seconds for the connection, for the request, and for the answer."""
SECRET_PREFIX = "whsec_"  # noqa: S105 - how a secret in base64 begins


class HttpWebhook:
    """The receiver of alarms by its URL. Redirects are not followed."""

    def __init__(self, url: str, secret: str | None = None) -> None:
        """Name a receiver.

        Args:
            url: of the receiver; private, since many hold a token.
            secret: signs what is sent; one that begins with `whsec_` is base64, any other is taken as it stands.
        """
        self._url, self._key = url, _key(secret) if secret else None

    def send(self, event: AlarmEvent) -> None:
        """Have the receiver take an event: any answer 2xx.

        Raises:
            WebhookError: it did not.
        """
        number, body = f"alarm-{event.id}", json.dumps(_body(event), ensure_ascii=False).encode()
        headers = {"content-type": "application/json", **self._signed(number, body)}
        try:
            answer = httpx2.post(self._url, content=body, headers=headers, timeout=TIMEOUT, follow_redirects=False)
        except (httpx2.HTTPError, OSError) as error:
            reason = type(error).__name__
        else:
            if answer.is_success:
                return
            reason = f"HTTP {answer.status_code}"
        raise WebhookError(reason)  # not from the client's error, which holds the address

    def _signed(self, number: str, body: bytes) -> dict[str, str]:
        at = str(int(time.time()))
        headers = {"webhook-id": number, "webhook-timestamp": at}
        if self._key is None:
            return headers
        digest = hmac.digest(self._key, f"{number}.{at}.".encode() + body, hashlib.sha256)
        return {**headers, "webhook-signature": f"v1,{base64.b64encode(digest).decode()}"}


def _key(secret: str) -> bytes:
    try:
        encoded = secret.removeprefix(SECRET_PREFIX)
        return secret.encode() if encoded == secret else base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return secret.encode()


def _body(event: AlarmEvent) -> dict[str, object]:
    facts = {name: getattr(event, name) for name in ("id", "kind", "scope", "name")}
    numbers = {
        "repair_rate": round(event.repair_rate, 6),
        "threshold": ALARM_ABOVE if event.kind is AlarmKind.ALARM else WARNING_AT,
        "parses": event.parses,
        "asked": event.asked,
    }
    return {
        "type": f"repair_rate.{event.kind}",
        "timestamp": time_of(event.at).isoformat().replace("+00:00", "Z"),
        "data": {**facts, **numbers, "message": event.message},
    }
