"""The receiver of alarms takes what is signed, and puts it into a chat: with the real sender, over real HTTP."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from examples.alarms_into_a_chat.receiver import MOST_BYTES, ChatError, receiver, tell
from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.infrastructure import webhook
from src.modules.monitoring.infrastructure.webhook import HttpWebhook
from src.shared.domain.repair_rate import RateScope
from tests.modules.monitoring.receiver import receiver as chat_server

SECRET = "whsec_c2VjcmV0IG9mIGJvdGg="  # noqa: S105 - of this test
ALARM = AlarmEvent(7, 1_800_000_000_000_000, AlarmKind.ALARM, RateScope.AGENT, "裁决", 200, 25, "over <10%> & rising")


@contextmanager
def listening(chat: str, kind: str = "slack") -> Iterator[int]:
    """The receiver, in front of a chat's address; its port."""
    with receiver(0, SECRET, chat, kind) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def send(port: int, secret: str | None = SECRET) -> None:
    HttpWebhook(f"http://127.0.0.1:{port}/", secret).send(ALARM)


def test_alarm_is_in_the_chat_once_although_it_is_sent_twice_and_was_refused_at_first() -> None:
    with chat_server([500]) as chat, listening(chat.url) as port:
        with pytest.raises(WebhookError, match="HTTP 502"):
            send(port)
        send(port)
        send(port)
    assert [(one.status, one.json["text"]) for one in chat.received] == [
        (500, "🚨 over &lt;10%&gt; &amp; rising"),
        (204, "🚨 over &lt;10%&gt; &amp; rising"),
    ]


@pytest.mark.parametrize(("secret", "age"), [("another", 0), (None, 0), (SECRET, 301)])
def test_what_is_not_signed_now_with_the_secret_is_not_told(
    secret: str | None, age: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "time", SimpleNamespace(time=lambda: time.time() - age))
    with chat_server() as chat, listening(chat.url) as port, pytest.raises(WebhookError, match="401"):
        send(port, secret)
    assert chat.received == []


@pytest.mark.parametrize("length", [str(MOST_BYTES + 1), "many", "-1", "²"])
def test_body_that_is_no_events_is_not_read(length: str) -> None:
    with listening("http://127.0.0.1:9") as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.putrequest("POST", "/")
        connection.putheader("content-length", length.encode("utf-8"))
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_feishu_has_to_say_that_it_has_taken_a_text_and_no_address_is_told() -> None:
    with chat_server() as chat, pytest.raises(ChatError) as error:
        tell(chat.url, "feishu", "<a>")
    assert [one.json for one in chat.received] == [{"msg_type": "text", "content": {"text": "<a>"}}]
    assert str(error.value) == "JSONDecodeError"
