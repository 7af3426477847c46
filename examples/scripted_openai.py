"""A client of the openai package whose answers are written down: no provider, no network."""

import json
from typing import Any

import httpx2
from openai import OpenAI

_PIECE = 11


class ScriptedOpenAI(OpenAI):
    """Gives these texts as the contents of chat completions, one a request, in pieces where a stream is asked for.

    Attributes:
        asked: the bodies of the requests.
    """

    def __init__(self, *texts: str, finish_reason: str = "stop") -> None:
        self.asked: list[dict[str, Any]] = []
        self._texts = iter(texts)
        self._finish_reason = finish_reason
        http_client = httpx2.Client(transport=httpx2.MockTransport(self._answer))
        super().__init__(api_key="none", base_url="http://scripted/v1", http_client=http_client)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.asked.append(body)
        text = next(self._texts)
        if not body.get("stream"):
            message = {"role": "assistant", "content": text}
            return httpx2.Response(200, json=self._body("chat.completion", message=message, reason=self._finish_reason))
        pieces = [{"content": text[at : at + _PIECE]} for at in range(0, len(text), _PIECE)]
        chunks = [self._body("chat.completion.chunk", delta=piece) for piece in pieces]
        chunks.append(self._body("chat.completion.chunk", delta={}, reason=self._finish_reason))
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=f"{events}data: [DONE]\n\n")

    def _body(self, kind: str, *, reason: str | None = None, **said: object) -> dict[str, Any]:
        choice = {"index": 0, "finish_reason": reason, **said}
        return {"id": "1", "object": kind, "created": 0, "model": "scripted", "choices": [choice]}
