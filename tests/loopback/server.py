"""A chat-completions server on loopback: a hand-written ASGI app under uvicorn, scripted by each test.

A test takes the fixture `chat_server` of conftest.py::

    chat_server.script([status(429, {"retry-after": "1"}), answer("42")])
    llm = OpenAICompatibleLLM(LLMSettings(base_url=chat_server.url, model="m"))
    ...
    assert [request.prompt for request in chat_server.requests] == ["?", "?"]
"""

import json
import re
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

from tests.loopback.answers import Answer, ChatRequest, Connection, Receive, Send, body_of, status
from tests.loopback.asgi_server import AsgiServer

EXHAUSTED = 418
"""HTTP status of an answer to a request that is not in the script; never retried, so that a test sees it."""
_PATHS = re.compile(
    r"/v1/chat/completions|/v1/messages|/v1beta/models/[^/]+:generateContent|/model/[^/]+/converse(-stream)?"
)


class ChatServer:
    """Answers `POST /v1/chat/completions` by the script, in the order of the requests' arrival.

    Anthropic's `/v1/messages`, Gemini's `generateContent` and Bedrock's `converse` are answered as well, by the script.

    Args:
        certificate: a PEM file with a key and a certificate, to be reached by https as `localhost`; None for http.

    Attributes:
        url: the base URL for a client of chat completions.
        root: the base URL for a client of one of the other APIs.
        requests: what was asked since the last reset.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        self.requests: list[ChatRequest] = []
        self._script: deque[Answer] = deque()
        self._respond: Callable[[ChatRequest], Answer] | None = None
        self._server = AsgiServer(self._app, certificate)
        self.root = self._server.root
        self.url = f"{self.root}/v1"

    def script(self, answers: Iterable[Answer]) -> None:
        """Give these answers, one a request."""
        self._respond = None
        self._script = deque(answers)

    def respond(self, choose: Callable[[ChatRequest], Answer]) -> None:
        """Give every request the answer chosen for it."""
        self._respond = choose

    def reset(self) -> None:
        """Forget the script and the requests."""
        self.script([])
        self.requests = []

    def idle(self) -> bool:
        """Whether the clients have closed all connections, waiting a few seconds for it."""
        return self._server.idle()

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()

    async def _app(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        query = f"?{scope['query_string'].decode()}" if scope["query_string"] else ""
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        body = await body_of(receive)
        if not body:
            return  # the client has gone away
        request = ChatRequest(scope["path"] + query, headers, json.loads(body), time.monotonic(), scope["client"][1])
        self.requests.append(request)
        await self._answer_to(request)(request, Connection(send, receive))

    def _answer_to(self, request: ChatRequest) -> Answer:
        if not _PATHS.fullmatch(request.path.partition("?")[0]):
            return status(404)
        if self._respond:
            return self._respond(request)
        return self._script.popleft() if self._script else status(EXHAUSTED)
