"""The gateway beside its bare upstream: `python -m tools.benchmarks.gateway [--seconds 20]`.

Two hundred connections of wrk ask an upstream on the same machine that answers at once with 1 KB of clean JSON, then
the same through the gateway: whole and streamed, read by a schema, and passed as it is. Between an answer and the next
request of a connection there is a pause, as a model would make one, so that each asks every two seconds. Exits with 1
where the gateway adds more at p50 than is promised.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tools.benchmarks.environment import machine
from tools.benchmarks.report import table
from tools.benchmarks.service_runs import CONNECTIONS, load, print_loads, running
from tools.benchmarks.service_texts import write_script

UPSTREAM_PORT, PORT = 8_425, 8_426
WORKERS = 1
PAUSE = 2_000
"""Milliseconds, on the average."""
MOST_ADDED = 3.0
"""What is promised: milliseconds at p50."""
_TEXT = json.dumps({"rows": [{"title": f"row number {at}", "score": at / 7} for at in range(20)]}, indent=1)
_ROW = {"type": "object", "properties": {"title": {"type": "string"}, "score": {"type": "number"}}}
_SCHEMA = {"type": "object", "properties": {"rows": {"type": "array", "items": _ROW}}, "required": ["rows"]}
_FORMAT = {"type": "json_schema", "json_schema": {"name": "rows", "schema": _SCHEMA}}
_ASKED = {"model": "m", "messages": [{"role": "user", "content": "rows, please"}]}
BODIES: dict[str, dict[str, Any]] = {
    "whole, read": {**_ASKED, "response_format": _FORMAT},
    "whole, passed": _ASKED,
    "stream, read": {**_ASKED, "response_format": _FORMAT, "stream": True},
    "stream, passed": {**_ASKED, "stream": True},
}
_PIECES = 10


def _events() -> bytes:
    size = len(_TEXT) // _PIECES + 1
    deltas = [{"content": _TEXT[at : at + size]} for at in range(0, len(_TEXT), size)]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    chunks = ({"id": "c", "object": "chat.completion.chunk", "created": 0, "choices": [one]} for one in choices)
    return b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks) + b"data: [DONE]\n\n"


_CHOICE: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": _TEXT}, "finish_reason": "stop"}
_WHOLE = json.dumps({"id": "c", "object": "chat.completion", "created": 0, "choices": [_CHOICE]}).encode()
_STREAM = _events()


async def upstream(_: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
    """Answer at once."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    is_stream = b'"stream"' in body
    answer, kind = (_STREAM, b"text/event-stream") if is_stream else (_WHOLE, b"application/json")
    headers = [(b"content-type", kind), (b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the table and what is missed."""
    return print_loads("gateway", _printed, 20, arguments)


def _printed(seconds: int, missed: list[str]) -> Iterator[str]:
    yield from (f"- {name}: {value}" for name, value in machine().items() if name != "node")
    yield f"- {CONNECTIONS} connections of wrk on the same machine, each every 2 s, for {seconds} s; {WORKERS} worker"
    asked = ("tools.benchmarks.gateway:upstream", "--port", str(UPSTREAM_PORT), "--no-access-log", "--lifespan", "off")
    options = ("--upstream", f"http://127.0.0.1:{UPSTREAM_PORT}/v1", "--port", str(PORT), "--workers", str(WORKERS))
    with tempfile.TemporaryDirectory(prefix="gateway-") as temporary, ExitStack() as opened:
        opened.enter_context(running((sys.executable, "-m", "uvicorn", *asked), UPSTREAM_PORT))
        command = (sys.executable, "-m", "src.entrypoints.cli.main", "gateway", *options)
        opened.enter_context(running(command, PORT))
        cells = [_row(name, Path(temporary), seconds, missed) for name in BODIES]
    header = ("answers", "upstream p50 ms", "p99 ms", "gateway p50 ms", "p99 ms", "added at p50", "a second", "refused")
    yield from ("", *table(header, cells), "", *(f"MISSED: {promise}" for promise in missed))


def _row(name: str, folder: Path, seconds: int, missed: list[str]) -> tuple[str, ...]:
    script = folder / f"{name.replace(', ', '-')}.lua"
    write_script(script, [json.dumps(BODIES[name]).encode()], "/v1/chat/completions")
    for port in (UPSTREAM_PORT, PORT):
        load(script, 2, port, pause=PAUSE)
    bare, seen = (load(script, seconds, port, pause=PAUSE) for port in (UPSTREAM_PORT, PORT))
    added = seen.p50 - bare.p50
    if added > MOST_ADDED or seen.refused:
        missed.append(f"{name}: {added:.2f} ms added at p50, promised {MOST_ADDED:g}; {seen.refused:.1%} refused")
    shown = (f"{value:.2f}" for value in (bare.p50, bare.p99, seen.p50, seen.p99, added))
    return (name, *shown, f"{seen.rate:.0f}", f"{seen.refused:.1%}")


if __name__ == "__main__":
    sys.exit(main())
