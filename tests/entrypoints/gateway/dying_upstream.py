"""An upstream in a process of its own: it sends a part of an answer, says so, and waits to be killed."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from tests.loopback.answers import chunk, completion


def part(kind: str, text: str) -> bytes:
    """What is sent: whole events of a stream, or a whole answer or half of one."""
    if kind == "stream":
        events = (chunk({"content": text[:20]}), chunk({"content": text[20:]}))
        return b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in events)
    body = json.dumps(completion(text)).encode()
    return body if kind == "whole" else body[: len(body) // 2]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        kind, text = sys.argv[1:]
        self.rfile.read(int(self.headers["content-length"]))
        body = part(kind, text)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if kind == "stream" else "application/json")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(body), body))
        print("sent", flush=True)  # noqa: T201 - the test reads it
        sys.stdin.read()  # until it is killed, or the test has ended


if __name__ == "__main__":
    with HTTPServer(("127.0.0.1", 0), _Handler) as server:
        print(server.server_port, flush=True)  # noqa: T201 - as above
        server.handle_request()
