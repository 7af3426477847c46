"""Whether a request was signed by somebody who knows the secret, as Standard Webhooks says it."""

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping

TOLERANCE = 300
"""Seconds by which the sender's clock may differ; an older request may be a repeated one."""
_PREFIX = "whsec_"


def is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Check `webhook-id`, `webhook-timestamp` and `webhook-signature`, which may hold several signatures."""
    number, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isascii() or not at.isdigit() or abs(time.time() - int(at[:12])) > TOLERANCE:
        return False
    digest = hmac.digest(_key(secret), f"{number}.{at}.".encode() + body, hashlib.sha256)
    wanted = b"v1," + base64.b64encode(digest)
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(wanted, one) for one in given)


def _key(secret: str) -> bytes:
    if secret.startswith(_PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
