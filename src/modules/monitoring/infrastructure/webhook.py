"""The webhook: an alarm as an HTTP POST, signed, and sent again where the receiver is away.

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
from src.shared.domain.ports.repair_rates import ALARM_ABOVE, WARNING_AT

with needs_extra():
    import httpx2
    import stamina

    from src.shared.infrastructure.llm.http.retry_log import take_over_retries

ATTEMPTS = 5
"""How often an event is sent before somebody else may try."""
TIMEOUT = 10.0
"""Seconds for one request."""
FIRST_WAIT = 0.5
"""Seconds before it is sent again; each further wait is twice as long, plus up to as much by chance."""
LONGEST_WAIT = 8.0
SECRET_PREFIX = "whsec_"  # noqa: S105 - how a secret in base64 begins
_PASSING = frozenset({408, 425, 429})
_SERVER_ERROR = 500


class HttpWebhook:
    """A receiver of alarms by its URL; see the port `Webhook`. Redirects are not followed."""

    def __init__(self, url: str, secret: str | None = None, *, first_wait: float = FIRST_WAIT) -> None:
        """Name a receiver.

        Args:
            url: of the receiver; private, since many hold a token.
            secret: signs what is sent; one that begins with `whsec_` is base64, any other is taken as it stands.
            first_wait: seconds before an event is sent again.
        """
        self._url, self._key = url, _key(secret) if secret else None
        self.target = hashlib.sha256(url.encode()).hexdigest()[:32]
        self._repeating = stamina.retry(
            on=lambda error: isinstance(error, WebhookError) and error.is_passing,
            attempts=ATTEMPTS,
            timeout=None,
            wait_initial=first_wait,
            wait_max=LONGEST_WAIT,
            wait_jitter=first_wait,
        )

    def send(self, event: AlarmEvent) -> None:
        """Have the receiver take an event: any answer 2xx."""
        body = json.dumps(_body(event), ensure_ascii=False).encode()
        take_over_retries(__name__)

        def send_once() -> None:
            self._send_once(f"alarm-{event.id}", body)

        self._repeating(send_once)()

    def _send_once(self, number: str, body: bytes) -> None:
        headers = {"content-type": "application/json", **self._signed(number, body)}
        try:
            answer = httpx2.post(self._url, content=body, headers=headers, timeout=TIMEOUT, follow_redirects=False)
        except (httpx2.HTTPError, OSError) as error:
            reason, passing = type(error).__name__, True
        else:
            if answer.is_success:
                return
            reason = f"HTTP {answer.status_code}"
            passing = answer.status_code >= _SERVER_ERROR or answer.status_code in _PASSING
        raise WebhookError(reason, is_passing=passing)  # not from the client's error, which holds the address

    def _signed(self, number: str, body: bytes) -> dict[str, str]:
        at = str(int(time.time()))
        headers = {"webhook-id": number, "webhook-timestamp": at}
        if self._key is None:
            return headers
        digest = hmac.digest(self._key, f"{number}.{at}.".encode() + body, hashlib.sha256)
        return {**headers, "webhook-signature": f"v1,{base64.b64encode(digest).decode()}"}


def _key(secret: str) -> bytes:
    if not secret.startswith(SECRET_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()


def _body(event: AlarmEvent) -> dict[str, object]:
    return {
        "type": f"repair_rate.{event.kind}",
        "timestamp": time_of(event.at).isoformat().replace("+00:00", "Z"),
        "data": {
            "id": event.id,
            "kind": event.kind.value,
            "scope": event.scope.value,
            "name": event.name,
            "repair_rate": round(event.repair_rate, 6),
            "threshold": ALARM_ABOVE if event.kind is AlarmKind.ALARM else WARNING_AT,
            "parses": event.parses,
            "asked": event.asked,
            "message": event.message,
        },
    }
