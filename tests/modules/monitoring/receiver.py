"""A real receiver of webhooks on loopback, scripted by each test."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """One request."""

    headers: dict[str, str]
    body: bytes
    status: int

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever was sent
        return json.loads(self.body)


@dataclass
class Receiver:
    """Answers 204, or first what it is told to; 0 closes the connection without an answer."""

    url: str
    answers: list[int]
    received: list[Received] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def taken(self) -> list[Received]:
        """What it said yes to."""
        return [one for one in self.received if one.status == 204]


@contextmanager
def receiver(answers: Sequence[int] = ()) -> Iterator[Receiver]:
    """A receiver, as long as the block is open."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with found.lock:
                status = found.answers.pop(0) if found.answers else 204
                found.received.append(Received({k.lower(): v for k, v in self.headers.items()}, body, status))
            if status:
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("location", found.url)
                self.send_header("content-length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Receiver(f"http://127.0.0.1:{server.server_address[1]}/hook?token=private", [*answers])
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield found
        server.shutdown()
