"""Sends a text to the incoming webhook of a chat."""

import json
import urllib.error
import urllib.request

TIMEOUT = 10.0
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


class ChatError(Exception):
    """The chat did not take a text; says why, without the address, which holds a token."""


def send_to_slack(url: str, text: str) -> None:
    """Send a text to Slack, or to a chat with the same incoming webhooks such as Mattermost.

    Raises:
        ChatError: it was not taken.
    """
    _post(url, {"text": "".join(_ESCAPES.get(sign, sign) for sign in text)})


def send_to_feishu(url: str, text: str) -> None:
    """Send a text to Feishu (Lark), whose answer says whether it was taken.

    Raises:
        ChatError: it was not taken.
    """
    answer = _post(url, {"msg_type": "text", "content": {"text": text}})
    try:
        code = json.loads(answer)["code"]
    except (ValueError, KeyError, TypeError):
        message = "the answer is none of Feishu's"
        raise ChatError(message) from None
    if code != 0:
        message = f"code {code}"
        raise ChatError(message)


CHATS = {"slack": send_to_slack, "feishu": send_to_feishu}


def _post(url: str, body: object) -> bytes:
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - of the settings
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 - as above
            return bytes(answer.read(65_536))
    except urllib.error.HTTPError as error:
        why = f"HTTP {error.code}"
    except OSError as error:
        why = type(error).__name__
    raise ChatError(why)  # not from the client's error, which may hold the address
