"""A provider that answers with too much: a server on loopback, in a process of its own.

`python -m tools.attack.hostile_server` prints its port. `POST /NAME/v1/chat/completions` answers with the response of
that name until the client goes away, as fast as the client reads. It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import zlib
from collections.abc import Callable, Iterator

MEGABYTE = 2**20
GIGABYTES = 2 * 2**30
_BLOCK = 16 * MEGABYTE
_HEAD_ENDS = b"\r\n\r\n"

Response = Callable[[], Iterator[bytes]]


def head(status: str = "200 OK", content_type: str = "application/json", *more: str) -> bytes:
    """The head of a response that ends with its connection."""
    lines = (f"HTTP/1.1 {status}", f"content-type: {content_type}", *more, "connection: close")
    return "\r\n".join(lines).encode() + _HEAD_ENDS


def gzipped(block: bytes, times: int, first: bytes = b"") -> Iterator[bytes]:
    """A block so often, behind gzip: each block is compressed to the same bytes, so it is compressed once."""
    yield b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    squeezing = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    yield squeezing.compress(first) + squeezing.flush(zlib.Z_FULL_FLUSH)
    squeezed = squeezing.compress(block) + squeezing.flush(zlib.Z_FULL_FLUSH)
    yield from itertools.repeat(squeezed, times)


def body(text: str) -> bytes:
    """A whole answer."""
    message = {"role": "assistant", "content": text}
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


def event(text: str) -> bytes:
    """One event of a streamed answer."""
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


def endless(part: bytes) -> Iterator[bytes]:
    """A part, in writes of some size, without an end."""
    return itertools.repeat(part * max(1, 65_536 // len(part)))


def _plain(*parts: bytes, then: bytes = b"") -> Response:
    return lambda: itertools.chain(parts, endless(then) if then else ())


def _behind_gzip(top: bytes, block: bytes, first: bytes = b"") -> Response:
    large = block * (_BLOCK // len(block))
    return lambda: itertools.chain([top], gzipped(large, GIGABYTES // _BLOCK, first))


_EVENTS = head("200 OK", "text/event-stream")
_CHUNKED = head("200 OK", "application/json", "transfer-encoding: chunked")
_REDIRECT = head("307 There", "text/plain", "location: /good/v1")
_GZIP = head("200 OK", "application/json", "content-encoding: gzip")
_GZIP_EVENTS = head("200 OK", "text/event-stream", "content-encoding: gzip")
_GZIP_ERROR = head("500 Oh", "application/json", "content-encoding: gzip")
_OPEN_TEXT = b'{"choices":[{"index":0,"message":{"content":"'
_DONE = b"data: [DONE]\n\n"

GOOD = "good"
RESPONSES: dict[str, Response] = {
    "2 GB behind gzip": _behind_gzip(_GZIP, b"\0"),
    "2 GB of a text behind gzip": _behind_gzip(_GZIP, b" ", _OPEN_TEXT),
    "2 GB of an error behind gzip": _behind_gzip(_GZIP_ERROR, b"\0"),
    "2 GB of a stream behind gzip": _behind_gzip(_GZIP_EVENTS, event("x")),
    "2 GB of a line of a stream behind gzip": _behind_gzip(_GZIP_EVENTS, b"x", b"data: "),
    "50 MB": _plain(head(), body("x" * 50 * MEGABYTE)),
    "8 MB of empty lists": _plain(head(), b"[" + b"[]," * ((8 * MEGABYTE - 4) // 3) + b"1]"),
    "8 MB of empty texts": _plain(head(), b"[" + b'"",' * ((8 * MEGABYTE - 4) // 3) + b"1]"),
    "8 MB of a text": _plain(head(), body("x" * (8 * MEGABYTE - 1000))),
    "8 MB of escapes": _plain(head(), body("\n" * (4 * MEGABYTE - 1000))),
    "8 MB of opening brackets": _plain(head(), b"[" * (8 * MEGABYTE)),
    "endless body": _plain(head(), then=b" "),
    "endless body in chunks of a byte": _plain(_CHUNKED, then=b"1\r\nx\r\n"),
    "endless error": _plain(head("500 Oh"), then=b"x"),
    "endless redirect": _plain(_REDIRECT, then=b"x"),
    "endless headers": _plain(b"HTTP/1.1 200 OK\r\n", then=b"x: y\r\n"),
    "endless header": _plain(b"HTTP/1.1 200 OK\r\nx: ", then=b"y"),
    "endless interim responses": _plain(then=b"HTTP/1.1 102 \r\n\r\n"),
    "endless stream": _plain(_EVENTS, then=event("x")),
    "endless stream of large events": _plain(_EVENTS, then=event("x" * 100_000)),
    "endless stream of empty lists": _plain(_EVENTS, then=b"data: [" + b"[]," * 80_000 + b"1]\n\n"),
    "endless stream of pings": _plain(_EVENTS, then=b":\n\n"),
    "endless event": _plain(_EVENTS, then=b"data: x\n"),
    "endless line of a stream": _plain(_EVENTS, b"data: ", then=b"x"),
    "endless stream after its end": _plain(_EVENTS, event("42"), _DONE, then=b":\n"),
}


def _good(*, streamed: bool) -> Iterator[bytes]:
    yield from (_EVENTS, event("42"), _DONE) if streamed else (head(), body("42"))


def path_of(name: str) -> str:
    """The first part of the path that asks for a response."""
    return name.lower().replace(" ", "_")


_BY_PATH = {path_of(name): response for name, response in RESPONSES.items()}


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # the client waits for it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        asked = (await reader.readuntil(_HEAD_ENDS)).lower()
        sent = await reader.readexactly(int(asked.partition(b"content-length: ")[2].partition(b"\r")[0]))
        name = asked.split(b"/", 2)[1].decode()
        streamed = bool(json.loads(sent).get("stream"))
        for part in _good(streamed=streamed) if name == GOOD else _BY_PATH[name]():
            writer.write(part)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # the client has gone away, which is right
    finally:
        writer.close()


if __name__ == "__main__":
    asyncio.run(_serve())
