"""Answers for the streaming page, and what its server says of them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from examples.streaming_page.answers import Answer

DRAFT = "DRAFT"
OWNED = "document.documentElement.dataset.owned='yes'"
FIELDS: dict[str, Any] = {
    "title": f'<img src="x" onerror="{OWNED}">',
    "score": 78,
    "summary": f"Good. </p></script><script>{OWNED}</script> It goes on for a while, so that one can see it grow.",
    "findings": [
        {"point": f'"><svg onload="{OWNED}"></svg>', "weight": 4},
        {"point": "javascript:void 0", "weight": 1},
    ],
}
"""A report whose texts would be markup wherever one is not shown as text."""
HOSTILE_KEY = f'<b onclick="{OWNED}">["k'
_BODY = json.dumps({**FIELDS, HOSTILE_KEY: "a key of its own"}, ensure_ascii=False)
_REASONING = f'<think>\n{{"title": "{DRAFT}", "score": 10}}\n</think>'
HOSTILE = Answer("hostile", f"{_REASONING}\nHere is the report:\n```json\n{_BODY}\n```", finished=True)
REFUSED = Answer("refused", _REASONING + _BODY.replace("78", '"rather high"'), finished=True)
ANSWERS = {"hostile": HOSTILE, "refused": REFUSED}
SIZE = 6
"""Characters of a chunk."""


def read_events(text: str) -> list[tuple[str, Any]]:
    """The name and the data of each server-sent event."""
    lines = [block.split("\n") for block in text.split("\n\n") if not block.startswith(":")]
    return [(one[0].removeprefix("event: "), json.loads(one[1].removeprefix("data: "))) for one in lines if one[0]]


async def without_pauses(text: str) -> AsyncIterator[str]:
    """The chunks of an answer."""
    for at in range(0, len(text), SIZE):
        yield text[at : at + SIZE]
