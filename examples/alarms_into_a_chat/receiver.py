"""Takes alarms and puts them into a chat: `python -m examples.alarms_into_a_chat.receiver`.

Settings are environment variables: `OUTPUT_WEBHOOK_SECRET`, the secret of both; `CHAT_URL`, the chat's incoming
webhook; `CHAT_KIND`, `slack` or `feishu`; `PORT`, by default 9000. It listens on this machine alone.
"""

import json
import os
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer

from examples.alarms_into_a_chat.chats import CHATS, ChatError
from examples.alarms_into_a_chat.signature import is_signed

MOST_BYTES = 65_536
"""Most bytes of an event; the largest has a few thousand."""
REMEMBERED = 1_000
"""Events that are known to be in the chat: one that comes again is not told again."""
_SIGNS = {"repair_rate.warning": "⚠️", "repair_rate.alarm": "🚨", "repair_rate.recovery": "✅"}


def receiver(port: int, secret: str, tell: Callable[[str], None]) -> HTTPServer:
    """A server that takes signed events and tells a chat of them.

    Args:
        port: where it listens; 0 takes a free one.
        secret: `OUTPUT_WEBHOOK_SECRET` of who sends.
        tell: sends a text to the chat; raises `ChatError`.
    """
    told: deque[str] = deque(maxlen=REMEMBERED)

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

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
            number = self.headers["webhook-id"]
            if number not in told:
                try:
                    tell(text_of(json.loads(body)))
                except ChatError as error:
                    self.log_message("the chat did not take %s: %s", number, error)
                    return HTTPStatus.BAD_GATEWAY  # it is sent again
                told.append(number)
            return HTTPStatus.NO_CONTENT

    return HTTPServer(("127.0.0.1", port), Handler)


def text_of(event: dict[str, object]) -> str:
    """An event as a line of a chat."""
    data = event["data"]
    message = data["message"] if isinstance(data, dict) else ""
    return f"{_SIGNS.get(str(event['type']), '')} {message}".strip()


def main() -> None:
    """Listen until somebody stops it."""
    send, url = CHATS[os.environ.get("CHAT_KIND", "slack")], os.environ["CHAT_URL"]
    port, secret = int(os.environ.get("PORT", "9000")), os.environ["OUTPUT_WEBHOOK_SECRET"]
    with receiver(port, secret, lambda text: send(url, text)) as server:
        print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201 - for who started it
        server.serve_forever()


if __name__ == "__main__":
    main()
