"""A search service on loopback, scripted by each test: the real protocol over a real socket."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class SearchServer:
    """Answers every POST with what it is told to.

    Attributes:
        url: where it is.
        answer: what it writes: JSON types, or bytes as they are.
        status: of its answers.
        delay: seconds before it answers, unless the test is over first.
        requests: the bodies it was sent.
    """

    url: str = ""
    answer: Any = None
    status: int = 200
    delay: float = 0.0
    requests: list[Any] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


def _handler(server: SearchServer) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            server.over.wait(server.delay)
            body = server.answer if isinstance(server.answer, bytes) else json.dumps(server.answer).encode()
            self.send_response(server.status)
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
        server.url = f"http://127.0.0.1:{http.server_address[1]}/search"
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            http.shutdown()
            thread.join()
