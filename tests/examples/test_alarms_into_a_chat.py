"""The receiver of alarms takes what is signed, and puts it into a chat: with the real sender, over real HTTP."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import pytest

from examples.alarms_into_a_chat.chats import CHATS, ChatError, send_to_feishu, send_to_slack
from examples.alarms_into_a_chat.receiver import MOST_BYTES, receiver
from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.infrastructure import webhook
from src.modules.monitoring.infrastructure.webhook import HttpWebhook
from src.shared.domain.ports.repair_rates import RateScope
from tests.modules.monitoring.receiver import receiver as chat_server

SECRET = "whsec_c2VjcmV0IG9mIGJvdGg="  # noqa: S105 - of this test
ALARM = AlarmEvent(7, 1_800_000_000_000_000, AlarmKind.ALARM, RateScope.AGENT, "裁决", 200, 25, "over <10%> & rising")


@contextmanager
def listening(chat: str, kind: str = "slack", secret: str = SECRET) -> Iterator[int]:
    """The receiver, in front of a chat's address; its port."""
    with receiver(0, secret, partial(CHATS[kind], chat)) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def hook(port: int, secret: str | None = SECRET) -> HttpWebhook:
    return HttpWebhook(f"http://127.0.0.1:{port}/", secret, first_wait=0.01)


def test_alarm_is_in_the_chat_once_although_it_is_sent_twice() -> None:
    with chat_server() as chat, listening(chat.url) as port:
        for _ in range(2):
            hook(port).send(ALARM)
    assert [one.json for one in chat.received] == [{"text": "🚨 over &lt;10%&gt; &amp; rising"}]


def test_alarm_that_the_chat_does_not_take_is_sent_again() -> None:
    with chat_server([500, 500]) as chat, listening(chat.url) as port:
        hook(port).send(ALARM)
    assert [one.status for one in chat.received] == [500, 500, 204]


@pytest.mark.parametrize("secret", ["another", None])
def test_what_is_not_signed_with_the_secret_is_not_told(secret: str | None) -> None:
    with chat_server() as chat, listening(chat.url) as port, pytest.raises(WebhookError, match="401"):
        hook(port, secret).send(ALARM)
    assert chat.received == []


def test_what_was_signed_long_ago_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook, "time", SimpleNamespace(time=lambda: time.time() - 301))
    with chat_server() as chat, listening(chat.url) as port, pytest.raises(WebhookError, match="401"):
        hook(port).send(ALARM)
    assert chat.received == []


@pytest.mark.parametrize("length", [str(MOST_BYTES + 1), "many", "-1", "²"])
def test_body_that_is_no_events_is_not_read(length: str) -> None:
    with chat_server() as chat, listening(chat.url) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.putrequest("POST", "/")
        connection.putheader("content-length", length.encode("utf-8"))
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_feishu_is_told_in_its_own_form() -> None:
    with feishu(0) as (url, received), listening(url, "feishu") as port:
        hook(port).send(ALARM)
    assert received == [{"msg_type": "text", "content": {"text": "🚨 over <10%> & rising"}}]


@pytest.mark.parametrize("answer", [9499, None])
def test_refusal_that_feishu_answers_with_200_is_a_refusal(answer: int | None) -> None:
    with feishu(answer) as (url, _), pytest.raises(ChatError, match="9499" if answer else "none of Feishu"):
        send_to_feishu(url, "a")


def test_chat_that_is_away_is_told_without_its_address() -> None:
    with pytest.raises(ChatError) as error:
        send_to_slack("http://127.0.0.1:9/private", "a")
    assert "private" not in str(error.value)


@contextmanager
def feishu(code: int | None) -> Iterator[tuple[str, list[object]]]:
    """A chat that answers 200 whatever it makes of a text."""
    from http.server import BaseHTTPRequestHandler, HTTPServer  # noqa: PLC0415 - here alone

    received: list[object] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            answer = b"no JSON" if code is None else json.dumps({"code": code}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hook", received
        server.shutdown()
