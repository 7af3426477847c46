"""Takes alarms and puts them into a chat: `python -m examples.alarms_into_a_chat.receiver`.

Settings are environment variables: `OUTPUT_WEBHOOK_SECRET`, the secret of both; `CHAT_URL`, the chat's incoming
webhook; `CHAT_KIND`, `slack` (also Mattermost) or `feishu`; `PORT`, by default 9000. It listens on this machine alone.
"""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer

MOST_BYTES = 65_536
"""Most bytes of an event; the largest has a few thousand."""
REMEMBERED = 1_000
"""Events that are known to be in the chat: one that comes again is not told again."""
TOLERANCE = 300
"""Seconds by which the sender's clock may differ; an older request may be a repeated one."""
TIMEOUT = 10.0
_SIGNS = {"repair_rate.warning": "⚠️", "repair_rate.alarm": "🚨", "repair_rate.recovery": "✅"}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class ChatError(Exception):
    """The chat did not take a text; says why, without the address, which holds a token."""


def receiver(port: int, secret: str, chat: str, kind: str = "slack") -> HTTPServer:
    """A server that takes signed events and tells a chat of them; port 0 takes a free one."""
    told: deque[str] = deque(maxlen=REMEMBERED)

    class Handler(BaseHTTPRequestHandler):
        timeout = TIMEOUT

        def do_POST(self) -> None:
            self.send_response(self._taken())
            self.send_header("content-length", "0")
            self.end_headers()

        def _taken(self) -> HTTPStatus:
            length = self.headers.get("content-length", "")
            if not length.isascii() or not length.isdigit() or int(length[:9]) > MOST_BYTES:
                self.close_connection = True
                return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            body = self.rfile.read(int(length))
            if not is_signed({name.lower(): value for name, value in self.headers.items()}, body, secret):
                return HTTPStatus.UNAUTHORIZED
            number, event = self.headers["webhook-id"], json.loads(body)
            if number not in told:
                try:
                    tell(chat, kind, f"{_SIGNS.get(event['type'], '')} {event['data']['message']}".strip())
                except ChatError as error:
                    self.log_message("the chat did not take %s: %s", number, error)
                    return HTTPStatus.BAD_GATEWAY  # it is sent again
                told.append(number)
            return HTTPStatus.NO_CONTENT

    return HTTPServer(("127.0.0.1", port), Handler)


def is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Whether one of the signatures of a request is right, as Standard Webhooks says it."""
    number, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isascii() or not at.isdigit() or abs(time.time() - int(at[:12])) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()
    wanted = b"v1," + base64.b64encode(hmac.digest(key, f"{number}.{at}.".encode() + body, hashlib.sha256))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(wanted, one) for one in given)


def tell(chat: str, kind: str, text: str) -> None:
    """Send a text to the incoming webhook of a chat.

    Raises:
        ChatError: it was not taken; Feishu says so in an answer with status 200.
    """
    slack = {"text": text.translate(_ESCAPES)}
    body = slack if kind == "slack" else {"msg_type": "text", "content": {"text": text}}
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(chat, json.dumps(body).encode(), headers)  # noqa: S310 - of the settings
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 - as above
            code = 0 if kind == "slack" else json.loads(answer.read(MOST_BYTES)).get("code")
        why = "" if code == 0 else f"code {code}"
    except (OSError, ValueError) as error:
        why = f"HTTP {error.code}" if isinstance(error, urllib.error.HTTPError) else type(error).__name__
    if why:
        raise ChatError(why)  # not from the client's error, which may hold the address


if __name__ == "__main__":
    both, chat_url, kind_of_chat = (
        os.environ.get(name, "") for name in ("OUTPUT_WEBHOOK_SECRET", "CHAT_URL", "CHAT_KIND")
    )
    with receiver(int(os.environ.get("PORT", "9000")), both, chat_url, kind_of_chat or "slack") as server:
        print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201 - for who started it
        server.serve_forever()
