"""The texts of the load: real outputs of 1 to 3 KB, as requests, and as a script for wrk."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tools.benchmarks.accuracy import CORPUS
from tools.benchmarks.bulk_runs import ROOT

LEAST, MOST = 1_000, 3_000
"""Bytes of a text."""
SCHEMA = {"type": "object"}
"""What every text is asked for: any object. The recorded outputs say no type of their own."""
_PLAIN = frozenset(range(ord(" "), ord("~") + 1)) - set(b'"\\')
_SCRIPT = """\
local at = 0
request = function() at = at % #raw + 1 return raw[at] end
local pause = tonumber(os.getenv('PAUSE') or 0)
if pause > 0 then
  function delay() return math.floor(0.5 - math.log(1 - math.random()) * pause) end
end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"requests": %d, "microseconds": %d, "broken": %d, "refused": %d, "p50": %f, "p99": %f}\\n',
    summary.requests, summary.duration, errors.connect + errors.read + errors.write + errors.timeout, errors.status,
    latency:percentile(50), latency:percentile(99)))
end
"""


def recorded_texts() -> list[str]:
    """Real outputs where they are beside the project, else those in the repository."""
    pool = CORPUS / "pool_30k.jsonl.gz"
    if pool.is_file():
        with gzip.open(pool) as packed:
            lines = packed.readlines()
    else:
        lines = (ROOT / "tests/corpus/own/outputs.jsonl").read_bytes().splitlines()
    texts = (json.loads(line)["text"] for line in lines)
    return [text for text in texts if LEAST <= len(text.encode()) <= MOST]


def is_clean(text: str) -> bool:
    """Whether a text is a JSON object as it stands."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def body_of(text: str) -> bytes:
    """The body of a request."""
    return json.dumps({"text": text, "schema": SCHEMA}).encode()


def write_script(file: Path, bodies: list[bytes], path: str = "/v1/parse") -> None:
    """What wrk runs: each connection sends the bodies in turn, and the end is a line of JSON.

    Where the environment has `PAUSE`, each connection pauses for so many milliseconds between an answer and its next
    request, on the average.
    """
    with file.open("wb") as script:
        script.write(b"raw = {}\n")
        for number, body in enumerate(bodies, 1):
            script.write(b"raw[%d] = %s\n" % (number, _quoted(_request(body, path))))
        script.write(_SCRIPT.encode())


def _request(body: bytes, path: str) -> bytes:
    head = b"POST %b HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (path.encode(), len(body)) + body


def _quoted(text: bytes) -> bytes:
    """A string of Lua."""
    return b'"' + b"".join(bytes([byte]) if byte in _PLAIN else b"\\%03d" % byte for byte in text) + b'"'
