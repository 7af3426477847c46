"""A search service on loopback, scripted by each test: the real protocol over a real socket."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from tests.processes import LIMIT

PATH = "/search"


@dataclass
class SearchServer:
    """Answers every search with what it is told to, and gives the images it has.

    Attributes:
        url: where it is.
        answer: what it writes: JSON types, or bytes as they are; None: an empty list for each query.
        status: of its answers.
        delay: seconds before it answers, unless the test is over first.
        images: by their paths.
        requests: the queries of each search it was sent.
        loaded: the paths of other requests.
    """

    url: str = ""
    answer: Any = None
    status: int = 200
    delay: float = 0.0
    images: dict[str, bytes] = field(default_factory=dict)
    requests: list[list[str]] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


def body_of(server: SearchServer) -> bytes:
    """What a search is answered with."""
    if isinstance(server.answer, bytes):
        return server.answer
    answer = [[] for _ in server.requests[-1]] if server.answer is None else server.answer
    return json.dumps(answer).encode()


def _handler(server: SearchServer) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path == PATH:
                server.requests.append(parse_qs(query, keep_blank_values=True).get("queries", []))
                server.over.wait(server.delay)
                self.reply(server.status, body_of(server))
            else:
                server.loaded.append(path)
                image = server.images.get(path)
                self.reply(404 if image is None else 200, image or b"")

        def reply(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:  # the client has gone away
                time.sleep(0)

    return Handler


@contextmanager
def running_search_server() -> Iterator[SearchServer]:
    """Run a server while the block runs."""
    server = SearchServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(server)) as http:
        http.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that has gone away is no news
        server.url = f"http://127.0.0.1:{http.server_address[1]}{PATH}"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            http.shutdown()
            thread.join(LIMIT)
